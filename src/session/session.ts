/**
 * A session in memory: a column index over the lines of a file, with entries decoded on demand (architecture, "Bytes first"). Nobody
 * holds an array of decoded entries. Session-format 1.
 */
import type { Finding } from '../finding/finding.ts';
import type { Entry, EntryKind, Header } from './model.ts';

/** Number of an entry: 0-based, in file order, repeated lines not counted. */
export type EntryIndex = number;

/** The universal root (1.7), where an `EntryIndex` of a place in the tree is asked for. */
export const ROOT = -1;

/** A parent that the file does not hold. Such an entry is never usable. */
export const NOWHERE = -2;

/** A last line that is not a whole JSON text (1.3). */
export interface Truncation {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

export interface Repeat {
  readonly line: number;
  readonly entry: EntryIndex;
}

export interface Session {
  readonly header: Header;
  /** Entries, those with findings of their own included: a bad line counts as met (9.3). */
  readonly size: number;
  /** Ids were assigned by migration (10), not checked. */
  readonly migrated: boolean;
  /** Entries that migration could not rewrite whole. */
  readonly unresolved: readonly EntryIndex[];
  /** The entry that the header's `base` names; undefined without a base, or when the file does not hold it. */
  readonly base: EntryIndex | undefined;
  /** Resume rule (1.8); `ROOT` for the universal root. */
  readonly leaf: EntryIndex;
  readonly truncated: Truncation | undefined;
  readonly repeated: readonly Repeat[];
  /** An entry carries a `redacted` member read under a header below 0.13 (2.5). */
  readonly holdsEarlyRedacted: boolean;

  kind(entry: EntryIndex): EntryKind;
  /** Parent; `ROOT`, or `NOWHERE` when it is not in the file. Always smaller than `entry`. */
  parent(entry: EntryIndex): EntryIndex;
  /** `sha256:` and 64 hexadecimal digits: the id that the entry counts under. */
  id(entry: EntryIndex): string;
  /** The 32 bytes of the id, where the session keeps them: a view, for callers that would write millions of ids as text. */
  idBytes?(entry: EntryIndex): Uint8Array;
  find(id: string): EntryIndex | undefined;
  /** 1-based line of the file. */
  line(entry: EntryIndex): number;
  /** Offset of the line's first byte in the file. */
  offset(entry: EntryIndex): number;
  /** Bytes of the line without its line end. */
  length(entry: EntryIndex): number;
  /** The JSON text of the entry: the line's own, or what migration made of it. A copy that the caller may keep. */
  bytes(entry: EntryIndex): Uint8Array;
  /** The line was read without a finding: its id, envelope and body hold. */
  usable(entry: EntryIndex): boolean;
  /** It and everything above it is usable. What is not, is reported as not checked and never as verified. */
  pathUsable(entry: EntryIndex): boolean;
  /** Not on a fork's prefix (0.2). */
  own(entry: EntryIndex): boolean;
  /** No entry names it as parent. */
  isLeaf(entry: EntryIndex): boolean;
  /** Decodes the entry. Throws RangeError unless it is usable: ask `usable` first. */
  entry(entry: EntryIndex): Entry;
  /** Entries from the first one to `entry`, following parents; empty for `ROOT`. */
  path(entry: EntryIndex): EntryIndex[];
}

/** Called for each usable entry while the file is read, in file order, so that what it holds need not be decoded twice. */
export type EntryVisitor = (index: EntryIndex, entry: Entry, session: Session) => void;

/** What reading a file gives. Without a session the header did not read and the findings say why. */
export interface ReadResult {
  readonly session: Session | undefined;
  readonly findings: readonly Finding[];
  /** Lines that are not blank, the header and broken ones included. */
  readonly lines: number;
  /** An item names a file of media beside the session (1.13), whatever the header says of that: no id covers the header. */
  readonly namesMedia: boolean;
}
