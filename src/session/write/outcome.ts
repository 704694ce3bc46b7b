/** What an append did (session-format 4.7), and what is known of an entry before it is written. */
import type { Entry } from '../model.ts';
import type { EntryIndex } from '../session.ts';

export type Outcome = 'continued' | 'branched' | 'held' | 'leaf_moved' | 'leaf_not_moved';

/** An entry that the session takes: written by whoever keeps the lines, then committed. */
export interface Prepared {
  readonly outcome: Outcome;
  readonly id: string;
  /** The id as 32 bytes. */
  readonly hash: Uint8Array;
  /** The entry; of one that is held already, what the session holds. */
  readonly entry: Entry;
  /** Its parent in the session, or `ROOT`. */
  readonly parent: EntryIndex;
  /** The line to be written, RFC 8785 JSON without its line feed; empty for one that is held. */
  readonly line: Uint8Array;
}

export interface Appended {
  readonly outcome: Outcome;
  readonly id: string;
  readonly entry: Entry;
}
