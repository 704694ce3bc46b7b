/** Reads session files of tests. */
import { memorySource } from '../../src/bytes/source.ts';
import { SessionChecker, type SessionChecks } from '../../src/session/check.ts';
import { readSession } from '../../src/session/read.ts';
import type { Session } from '../../src/session/session.ts';

export function read(bytes: Uint8Array): Session {
  const { session, findings } = readSession(memorySource(bytes));
  if (session === undefined) throw new Error(`no session: ${findings.map(({ message }) => message).join('; ')}`);
  return session;
}

/** Checks a session entry by entry as it is read, as `audit verify` does. */
export function checkWhileReading(bytes: Uint8Array): { readonly session: Session; readonly checks: SessionChecks } {
  const checker = new SessionChecker();
  const { session, findings } = readSession(memorySource(bytes), { visit: checker.visit });
  if (session === undefined) throw new Error(`no session: ${findings.map(({ message }) => message).join('; ')}`);
  return { session, checks: checker.finish(session) };
}
