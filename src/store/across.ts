/** Reads across the sessions of a store, without a hold (session-store 9; session-format 11.12, 12.3). */
import type { DispatchEntry } from '../session/model.ts';
import { original as originalOf } from '../session/redact/original.ts';
import type { Session } from '../session/session.ts';
import type { SessionStore, Summary } from './contract.ts';
import { codeOf, StoreError } from './errors.ts';

/** Forks on forks that are walked; more is taken for a circle. */
const LONGEST_CHAIN = 64;

async function readIfHeld(store: SessionStore, id: string): Promise<Session | undefined> {
  try {
    return await store.read(id);
  } catch (error) {
    if (codeOf(error) === 'no_session') return undefined;
    throw error;
  }
}

/**
 * Ids of the original's entries, by the id of the redacted entry that was made from them.
 *
 * Throws not_redacted, no_session, stale_original.
 */
export async function original(
  store: SessionStore,
  redacted: Session,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const atHand = new Map<string, Session>();
  const look = async (id: string | undefined): Promise<Session | undefined> => {
    if (id === undefined) return undefined;
    const session = atHand.get(id) ?? (await readIfHeld(store, id));
    if (session !== undefined) atHand.set(id, session);
    return session;
  };
  // The session itself, and those that its prefix may belong to, each with what it was redacted from.
  const seen = new Set<string>();
  for (let at: Session | undefined = redacted; at !== undefined && !seen.has(at.header.id); ) {
    seen.add(at.header.id);
    await look(at.header.redactedFrom?.session);
    at = at.header.base === undefined ? undefined : await look(at.header.parentSession);
  }
  return originalOf(redacted, (id) => atHand.get(id));
}

/** The redactions of a session, newest first. */
export async function redactions(store: SessionStore, id: string): Promise<readonly Summary[]> {
  const found: Summary[] = [];
  for await (const row of store.list()) if ('header' in row && row.header.redactedFrom?.session === id) found.push(row);
  return found;
}

/**
 * The dispatches of a call: the session's own, or, for a call of its prefix, those of the session that it was forked from, and so on up.
 *
 * @param call id of the entry that makes the call
 * @returns none where the walk ends at a session without a parent or one that is not held. Throws origin_chain.
 */
export async function originDispatches(
  store: SessionStore,
  session: Session,
  call: string,
): Promise<readonly DispatchEntry[]> {
  const seen = new Set<string>();
  for (let at: Session | undefined = session; at !== undefined; ) {
    const { id, parentSession }: Session['header'] = at.header;
    if (seen.has(id) || seen.size >= LONGEST_CHAIN)
      throw new StoreError('origin_chain', `the forks that session ${session.header.id} came from do not end`);
    seen.add(id);
    const index = at.find(call);
    if (index === undefined) return [];
    const own = ownDispatches(at, call);
    if (own.length > 0 || at.own(index) || parentSession === undefined) return own;
    at = await readIfHeld(store, parentSession);
  }
  return [];
}

function ownDispatches(session: Session, call: string): readonly DispatchEntry[] {
  const found: DispatchEntry[] = [];
  for (let index = 0; index < session.size; index++) {
    if (session.kind(index) !== 'dispatch' || !session.usable(index) || !session.own(index)) continue;
    const entry = session.entry(index);
    if (entry.kind === 'dispatch' && entry.target === call) found.push(entry);
  }
  return found;
}
