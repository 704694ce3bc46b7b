/** What every store of sessions offers (session-store 1.1). A caller branches on the code of an error (errors.ts), never on the kind of store. */
import type { ByteSource } from '../bytes/source.ts';
import type { Entry, Header } from '../session/model.ts';
import type { Session } from '../session/session.ts';
import type { HeaderInit } from '../session/write/create.ts';
import type { EntryDraft } from '../session/write/draft.ts';
import type { LiveSession } from '../session/write/live.ts';
import type { Outcome } from '../session/write/outcome.ts';
import type { JsonValue } from '../session/write/value.ts';
import type { RefTarget } from './errors.ts';

export interface CallOptions {
  /** Aborted, a call fails before it changes anything; an iteration ends. */
  readonly signal?: AbortSignal;
  /** Sessions that may be looked at for the origin of a fork; one that is not admitted is as one not held (session-store 1.17). */
  readonly readable?: (id: string) => boolean;
}

export interface WriteResult {
  readonly id: string;
  readonly outcome: Outcome;
  /** Sidecar blobs that the entry names and the store does not hold. */
  readonly unresolved: readonly string[];
  /** The session in memory could not follow what was written: open it again. */
  readonly reopen: boolean;
  /** On disk, as far as the system says. */
  readonly durable: boolean;
}

export interface Summary {
  readonly header: Header;
  readonly name?: string;
  readonly supersededBy?: string;
  readonly path?: string;
  readonly size?: number;
  readonly modified?: Date;
}

/** A session that a listing cannot read, or a listing that cannot start. */
export interface ListFailure {
  readonly failure: Error;
  readonly path?: string;
}

/** All members that are given must match (session-store 1.12). */
export interface ListFilter {
  readonly cwd?: string;
  readonly parentSession?: string;
  readonly harness?: string;
  /** Members of the header that the format does not define, with the JSON value each must have. */
  readonly extra?: { readonly [member: string]: JsonValue };
  readonly topLevel?: boolean;
  /** RFC 3339; strictly after, strictly before. */
  readonly after?: string;
  readonly before?: string;
  readonly limit?: number;
  readonly withNames?: boolean;
  readonly current?: boolean;
}

/** Opaque, private to one store. */
export type Cursor = string;

export type Change =
  | { readonly kind: 'snapshot' | 'reset'; readonly session: Session; readonly cursor: Cursor }
  | {
      readonly kind: 'appended';
      readonly session: Session;
      readonly id: string;
      readonly entry: Entry;
      readonly cursor: Cursor;
    }
  | { readonly kind: 'head'; readonly session: Session; readonly leaf: string | null; readonly cursor: Cursor };

export interface Ref {
  readonly name: string;
  readonly target: RefTarget;
}

export interface RefUpdate {
  readonly name: string;
  readonly old: RefTarget | null;
  readonly new: RefTarget | null;
  /** RFC 3339. */
  readonly time: string;
  readonly reason: string;
}

export type SyncPolicy = 'every_append' | 'on_response' | 'never';

/** The blobs beside an imported file: the bytes under a hash, or nothing. */
export type MediaFolder = (hash: string) => Uint8Array | undefined;

/**
 * Where sessions are kept (session-store 1). Whatever a call refuses is a `StoreError` or a `SessionError`, told by its `code`; each call that
 * writes may throw `read_only`, and each that writes a session `session_locked` while another writer holds it.
 */
export interface SessionStore {
  readonly readOnly: boolean;
  /**
   * A new session, held by this store until it is released (1.3). With a `base` it begins with the path to that entry, of whichever session of the
   * store holds it. Throws session_exists, bad_header, redacted_from, not_redacted; of a fork no_entry, media_differs and what `fork` throws.
   */
  create(header: HeaderInit, options?: CallOptions): Promise<LiveSession>;
  /** The session to read and to append to, held until it is released (1.4). A torn last line is told of by `truncated`. Throws no_session. */
  open(id: string, options?: CallOptions): Promise<LiveSession>;
  /** `write`, for its id alone (1.7). */
  append(id: string, entry: EntryDraft, options?: CallOptions): Promise<string>;
  /**
   * Appends an entry, with the leaf labels that a reader needs (1.7, 1.8). Throws what the writer refuses, synthetic, not_redacted, no_session,
   * concurrent_writer.
   */
  write(id: string, entry: EntryDraft, options?: CallOptions): Promise<WriteResult>;
  /** Moves the head from where it is expected (1.9); `null` is the universal root. Throws head_moved, head_target, no_entry. */
  setHead(id: string, expected: string | null, to: string | null, options?: CallOptions): Promise<void>;
  /** Without a hold, private to the caller, as recorded (1.10). Throws no_session and the condition of what does not read. */
  read(id: string, options?: CallOptions): Promise<Session>;
  /** A snapshot, then each change as it is kept, by whatever process (1.11). Ends with the signal; throws no_session once it is deleted. */
  follow(id: string, from?: Cursor, options?: CallOptions): AsyncIterable<Change>;
  /** Newest first; what cannot be read is told of after the others (1.12). */
  list(filter?: ListFilter, options?: CallOptions): AsyncIterable<Summary | ListFailure>;
  /** Removes a session, one that does not read too (1.13). Throws no_session. */
  delete(id: string, options?: CallOptions): Promise<void>;
  /** Gives the hold back; of what is not held, nothing (1.6). */
  release(id: string): Promise<void>;
  /** Makes durable what was appended (1.18). */
  sync(id: string): Promise<void>;
  /**
   * Takes a whole file over (1.14). Throws session_exists, synthetic_marker, unresolved_migration, not_redacted, media_differs and the condition of
   * what a reader would report.
   */
  import(file: ByteSource, options?: CallOptions): Promise<Session>;
  /** Also takes the blobs that its items name; gives those found nowhere (1.15). Throws blob_mismatch besides. */
  importMedia(
    file: ByteSource,
    media: MediaFolder | undefined,
    options?: CallOptions,
  ): Promise<{ readonly session: Session; readonly unresolved: readonly string[] }>;

  /** Where a ref points (7). Throws ref_name, no_ref; no_session (`DanglingRef`) where that session is not held or is another by now. */
  resolveRef(name: string, options?: CallOptions): Promise<RefTarget>;
  /** Compare-and-swap; `null` is no ref (7). Throws ref_name, ref_moved (`RefMoved`), no_session, no_entry. */
  updateRef(
    name: string,
    expected: RefTarget | null,
    next: RefTarget | null,
    reason?: string,
    options?: CallOptions,
  ): Promise<void>;
  /** In order of the names (7). Throws ref_name for what no name can begin with. */
  listRefs(prefix: string, options?: CallOptions): AsyncIterable<Ref>;
  /** Newest first (7). */
  refLog(name: string, options?: CallOptions): AsyncIterable<RefUpdate>;

  /** Keeps bytes under their hash, which it gives (1.15). */
  putBlob(data: Uint8Array, options?: CallOptions): Promise<string>;
  /** Throws no_blob, blob_mismatch. */
  blob(hash: string, options?: CallOptions): Promise<Uint8Array>;
  /** Removes blobs that nothing names and that were put longer ago than this; gives how many (1.15). */
  sweepBlobs(graceMs: number, options?: CallOptions): Promise<number>;

  /** Who holds a session, where the store knows. */
  lockHolder(id: string): Promise<Holder | undefined>;
  /** Takes the hold from whoever has it. Throws no_session. */
  breakLock(id: string): Promise<void>;
  /** Releases every session. */
  close(): Promise<void>;
}

export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** RFC 3339. */
  readonly since: string;
}
