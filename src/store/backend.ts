/**
 * What a place for session lines must do, so that one set of rules (lineStore.ts) makes a store of it. Everything here is synchronous:
 * from a decision to the write that follows from it nothing else of this process runs. The port knows lines, not what they mean.
 */
import type { Finding } from '../finding/finding.ts';
import type { Header } from '../session/model.ts';
import type { Cursor, Holder } from './contract.ts';
import type { LoggedChange, RefChange, RefTable } from './refs.ts';

/** A line of an entry, without its line feed, and what a table of entries has in columns. */
export interface StoredLine {
  readonly line: Uint8Array;
  readonly id: string;
  readonly parent: string | null;
  readonly type: string;
  /** The display name that the line sets. */
  readonly name?: string;
  /** The successor that the line names. */
  readonly supersededBy?: string;
}

/** A session as it is stored: header and entries, one a line. */
export interface Stored {
  readonly bytes: Uint8Array;
  /** After the last whole line. */
  readonly cursor: Cursor;
  /** Length of the whole lines: what follows is being written, or torn. */
  readonly whole: number;
}

/** What stands after a cursor. */
export type Tail =
  | { readonly kind: 'lines'; readonly lines: readonly { readonly line: Uint8Array; readonly cursor: Cursor }[] }
  /** The cursor names no place in the log of this session any more, or never did. */
  | { readonly kind: 'reset' }
  /** The id is now another session's. */
  | { readonly kind: 'other' }
  | { readonly kind: 'gone' };

/** The exclusive right to write one session. */
export interface Hold {
  /** As found, a torn last line included; the storage has cut it off. */
  readonly bytes: Uint8Array;
  /** All or nothing. Throws session_locked when the hold was taken away, concurrent_writer when somebody else wrote. */
  append(lines: readonly StoredLine[], durable: boolean): void;
  /** Replaces the header line, durably; a crash leaves the old one or the new. */
  raise(header: Uint8Array): void;
  /** Makes durable what was appended. */
  sync(): void;
  /** Gives the hold back, what was appended durable. */
  release(): void;
  /** Removes the session and the hold. */
  remove(): void;
}

export interface Listed {
  readonly id: string;
  readonly header: Uint8Array;
  readonly path?: string;
  readonly size?: number;
  readonly modified?: Date;
  /** @param base of the header, where it has one */
  names(base: string | undefined): { readonly name?: string; readonly supersededBy?: string };
}

export interface RefStorage {
  all(): RefTable;
  /** Decides and writes in one step against every other updater. Nothing is written when the decision throws or is undefined. */
  update(decide: (refs: RefTable) => RefChange | undefined, at: string): void;
  /** Oldest first. */
  log(name: string): readonly LoggedChange[];
}

export interface BlobStorage {
  put(hash: string, data: Uint8Array): void;
  get(hash: string): Uint8Array | undefined;
  /** Restarts the grace of those that are held; gives the others. */
  touch(hashes: readonly string[]): readonly string[];
  hashes(): Iterable<string>;
  /** Removes those put before `until` (milliseconds of the epoch) for which `named` is false, each looked at again as it goes. */
  sweep(named: ReadonlySet<string>, until: number): number;
}

/** A session as a file, whatever it is kept in. */
export interface SessionFile {
  readonly id: string;
  /** For people: its path, or the database and its id. */
  readonly label: string;
  readonly bytes: Uint8Array;
}

/** Something that is wrong with the place itself, and what sets it right, where that can be done without loss. */
export interface Trouble {
  readonly finding: Finding;
  /** For people: who holds the session, so that a repair leaves it alone. */
  readonly heldBy?: string;
  /** Says whether it is set right: it is left as it is while somebody holds it, or once it is no longer what was found. */
  repair?(): boolean;
}

export interface Backend {
  readonly readOnly: boolean;
  read(id: string): Stored | undefined;
  tail(id: string, cursor: Cursor): Tail;
  /** Throws session_exists, session_locked. */
  create(id: string, header: Header, lines: readonly StoredLine[]): Hold;
  /** Undefined where there is no such session. Throws session_locked. */
  hold(id: string): Hold | undefined;
  /** Throws for a listing that cannot start; a session that cannot be listed is an error in its place. */
  list(): Iterable<Listed | { readonly failure: Error; readonly path?: string }>;
  ids(): Iterable<string>;
  files(): Iterable<SessionFile>;
  readonly refs: RefStorage;
  readonly blobs: BlobStorage;
  lockHolder(id: string): Holder | undefined;
  breakLock(id: string): void;
  /** What is wrong with the place; nothing is written. */
  troubles(): Iterable<Trouble>;
  /** Called after this value of the store changed a session, so that a follower need not wait for its next look. */
  watch(id: string, wake: () => void): () => void;
  close(): void;
}

/** Wakes followers of one store value. */
export class Wakers {
  readonly #of = new Map<string, Set<() => void>>();

  watch(id: string, wake: () => void): () => void {
    const set = this.#of.get(id) ?? new Set();
    this.#of.set(id, set);
    set.add(wake);
    return () => {
      set.delete(wake);
      if (set.size === 0) this.#of.delete(id);
    };
  }

  wake(id: string): void {
    for (const wake of [...(this.#of.get(id) ?? [])]) wake();
  }
}
