/**
 * What a store needs of the writer's session in memory: one session whose entries are computed here (session-format 4.6, 4.7) and kept by
 * a store. `prepare` decides everything and changes nothing, the store persists the line, `commit` applies it.
 */
import type { Header } from '../session/model.ts';
import type { Session } from '../session/session.ts';

export type Outcome = 'continued' | 'branched' | 'held' | 'leaf_moved' | 'leaf_not_moved';

/**
 * An entry as a caller gives it: the members of a line. Without `parent` it hangs from the leaf, with `null` from the universal root; an
 * `id` that is given must be the computed one (session-format 4.6).
 */
export type EntryInput = { readonly [member: string]: unknown };

export interface Prepared {
  readonly id: string;
  readonly outcome: Outcome;
  /** The canonical line without its line feed; of a held entry, the line that is held. */
  readonly line: Uint8Array;
}

/** Of the session as read (`Session`), `leaf` is the live one. */
export interface LiveSession<P extends Prepared = Prepared> extends Session {
  /** As written: raised to the latest format unless that is refused (session-format 2.6). */
  readonly header: Header;
  /** Id of the leaf, `null` for the universal root. */
  readonly leafId: string | null;
  /** Everything of an append but its effect. Throws an error with the condition's `code`. */
  prepare(entry: EntryInput): P;
  /** Applies what was prepared, and nothing else since. */
  commit(prepared: P): void;
  branch(id: string): void;
  resetLeaf(): void;
  /** The label to write before a prepared entry, so that a crash in between leaves the head where it is (session-format 4.7). */
  leafMarkBefore(prepared: P): EntryInput | undefined;
  /** The label to write after an append, so that the lines resolve to the leaf. */
  leafMarkNeeded(): EntryInput | undefined;
  /** The label that moves the head from `expected` to `to` (session-format 12.6). Throws head_moved, no_entry, head_target. */
  headLabel(expected: string | null, to: string | null): EntryInput;
}
