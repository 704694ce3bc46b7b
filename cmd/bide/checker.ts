/** The external checker that a user names with `-checker` (audit spec 6.4). "No verdict" is never read as "does not converge". */
import { decodeUtf8 } from '../../src/bytes/encoding.ts';
import type { CheckerVerdict, PolicyChecker } from '../../src/evidence/policies.ts';
import type { Flags } from './flags.ts';
import type { BideIo } from './io.ts';
import type { Session } from './session.ts';

export const CHECKER_FLAG = {
  checker: { kind: 'string', help: 'a program of yours that decides whether a policy converges' },
} as const;

/** The checker of the command line, or undefined where none is named. */
export function checkerOf(flags: Flags, session: Session, io: BideIo): PolicyChecker | undefined {
  const program = flags.optional('checker');
  if (program === undefined) return undefined;
  return (policy) => {
    const file = io.temporary(policy);
    try {
      return askChecker(program, file.path, session, io);
    } finally {
      file.remove();
    }
  };
}

/** Runs the checker on a file that holds the policy. */
export function askChecker(program: string, path: string, session: Session, io: BideIo): CheckerVerdict {
  const end = io.runChecker(program, path);
  const lines = end.output.split('\n').map((line) => line.trim());
  for (const line of lines) if (line !== '') session.note(`checker ${program} says: ${line}`);
  if (end.status === null) return { verdict: 'none', reason: end.reason ?? 'it did not end by itself' };
  if (end.status !== 0 && end.status !== 1) return { verdict: 'none', reason: `it ended with status ${end.status}` };
  const classified = new Set(lines.filter((line) => line.startsWith('compensation_free')));
  const [first] = classified;
  if (classified.size > 1) return { verdict: 'none', reason: 'it classifies compensation in more than one way' };
  if (first !== undefined && !/^compensation_free=(?:true|false)$/.test(first))
    return { verdict: 'none', reason: `its line ${JSON.stringify(first.slice(0, 80))} is no classification` };
  return {
    verdict: end.status === 0 ? 'converges' : 'does-not-converge',
    ...(first === undefined ? {} : { compensationFree: first.endsWith('=true') }),
  };
}

/** The policy text of a file, read as bytes; it has to be text for its digest to name what a person reads. */
export function isText(bytes: Uint8Array): boolean {
  return decodeUtf8(bytes) !== undefined;
}
