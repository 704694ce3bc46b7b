/** The rules of named refs that every store keeps (session-store 7): names, conflicts, and what an update may do. */
import { RefMoved, type RefTarget, StoreError } from './errors.ts';

/** A target as it is kept: with the incarnation of the session that it was set to (session-format 2.7). */
export interface StoredRef {
  readonly session: string;
  /** Empty without a pin. */
  readonly entry: string;
  readonly ident: string;
}

export interface RefChange {
  readonly name: string;
  readonly old: StoredRef | undefined;
  readonly next: StoredRef | undefined;
  readonly reason: string;
}

/** A change as it is logged. */
export interface LoggedChange extends RefChange {
  /** RFC 3339. */
  readonly at: string;
}

export type RefTable = ReadonlyMap<string, StoredRef>;

const MAX_NAME = 200;
const SEGMENT = /^[A-Za-z0-9._-]+$/;
const PREFIX = /^[A-Za-z0-9._/-]*$/;
const DEVICE = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)/i;

/** What is wrong with a name; undefined when nothing is. */
function nameProblem(name: string): string | undefined {
  if (name.length > MAX_NAME) return `it is longer than ${MAX_NAME} bytes`;
  for (const segment of name.split('/')) {
    if (segment === '') return 'it has an empty segment';
    if (!SEGMENT.test(segment))
      return `${JSON.stringify(segment)} holds another character than letters, digits, ., _ and -`;
    if (segment.endsWith('.')) return `${JSON.stringify(segment)} ends in a dot`;
    if (DEVICE.test(segment)) return `${JSON.stringify(segment)} is the name of a device on Windows`;
  }
  return undefined;
}

/** Throws ref_name. */
export function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined)
    throw new StoreError('ref_name', `${JSON.stringify(name)} is no name of a ref: ${problem}`);
}

/** A prefix of names: need not end where a segment does. Throws ref_name. */
export function checkPrefix(prefix: string): void {
  if (!PREFIX.test(prefix))
    throw new StoreError('ref_name', `${JSON.stringify(prefix)} is no prefix of the name of a ref`);
}

/** The ref that keeps a new name from being made: one above or below it, or one whose path differs only in case. */
export function conflictOf(name: string, names: Iterable<string>): string | undefined {
  const segments = name.split('/');
  for (const held of names) {
    const other = held.split('/');
    let at = 0;
    while (at < segments.length && at < other.length && segments[at] === other[at]) at++;
    if (at === segments.length || at === other.length) return held;
    if ((segments[at] as string).toLowerCase() === (other[at] as string).toLowerCase()) return held;
  }
  return undefined;
}

export function targetOf(ref: StoredRef | undefined): RefTarget | null {
  if (ref === undefined) return null;
  return ref.entry === '' ? { session: ref.session } : { session: ref.session, entry: ref.entry };
}

function sameTarget(a: RefTarget | null, b: RefTarget | null): boolean {
  return a === null || b === null ? a === b : a.session === b.session && (a.entry ?? '') === (b.entry ?? '');
}

/**
 * What an update does, in the order of session-store 7: compare, target, no change, conflict. The name was checked before.
 *
 * @param identOf the identity of the session that `next` names, after its pin was looked up; throws no_session, no_entry
 * @returns undefined when nothing changes
 */
export function decideUpdate(
  refs: RefTable,
  name: string,
  expected: RefTarget | null,
  next: RefTarget | null,
  reason: string,
  identOf: (target: RefTarget) => string,
): RefChange | undefined {
  const old = refs.get(name);
  const current = targetOf(old);
  if (!sameTarget(current, expected)) throw new RefMoved(name, current);
  if (next === null) return old === undefined ? undefined : { name, old, next: undefined, reason };
  const ident = identOf(next);
  if (old !== undefined && sameTarget(current, next)) {
    if (old.ident !== ident)
      throw new StoreError(
        'no_session',
        `the ref ${JSON.stringify(name)} names an earlier session ${next.session}; delete the ref to set it anew`,
      );
    return undefined;
  }
  if (old === undefined) {
    const conflict = conflictOf(name, refs.keys());
    if (conflict !== undefined)
      throw new StoreError('ref_name', `a ref ${JSON.stringify(name)} cannot stand beside ${JSON.stringify(conflict)}`);
  }
  return { name, old, next: { session: next.session, entry: next.entry ?? '', ident }, reason };
}
