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

export interface SessionStore {
  readonly readOnly: boolean;
  create(header: HeaderInit, options?: CallOptions): Promise<LiveSession>;
  open(id: string, options?: CallOptions): Promise<LiveSession>;
  append(id: string, entry: EntryDraft, options?: CallOptions): Promise<string>;
  write(id: string, entry: EntryDraft, options?: CallOptions): Promise<WriteResult>;
  setHead(id: string, expected: string | null, to: string | null, options?: CallOptions): Promise<void>;
  /** Without a hold, private to the caller, as recorded. */
  read(id: string, options?: CallOptions): Promise<Session>;
  follow(id: string, from?: Cursor, options?: CallOptions): AsyncIterable<Change>;
  list(filter?: ListFilter, options?: CallOptions): AsyncIterable<Summary | ListFailure>;
  delete(id: string, options?: CallOptions): Promise<void>;
  release(id: string): Promise<void>;
  /** Makes durable what was appended. */
  sync(id: string): Promise<void>;
  import(file: ByteSource, options?: CallOptions): Promise<Session>;
  /** Also takes the blobs that its items name; gives those found nowhere. */
  importMedia(
    file: ByteSource,
    media: MediaFolder | undefined,
    options?: CallOptions,
  ): Promise<{ readonly session: Session; readonly unresolved: readonly string[] }>;

  resolveRef(name: string, options?: CallOptions): Promise<RefTarget>;
  updateRef(
    name: string,
    expected: RefTarget | null,
    next: RefTarget | null,
    reason?: string,
    options?: CallOptions,
  ): Promise<void>;
  listRefs(prefix: string, options?: CallOptions): AsyncIterable<Ref>;
  /** Newest first. */
  refLog(name: string, options?: CallOptions): AsyncIterable<RefUpdate>;

  putBlob(data: Uint8Array, options?: CallOptions): Promise<string>;
  blob(hash: string, options?: CallOptions): Promise<Uint8Array>;
  /** Removes blobs that nothing names and that were put longer ago than this; gives how many. */
  sweepBlobs(graceMs: number, options?: CallOptions): Promise<number>;

  /** Who holds a session, where the store knows. */
  lockHolder(id: string): Promise<Holder | undefined>;
  /** Takes the hold from whoever has it. */
  breakLock(id: string): Promise<void>;
  close(): Promise<void>;
}

export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** RFC 3339. */
  readonly since: string;
}
