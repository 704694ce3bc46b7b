/**
 * A store that keeps the lines of its sessions: the rules of session-store 1 over a place to keep lines (backend.ts). Memory, files and
 * SQLite differ in the place alone. From a decision to the write that follows from it nothing is awaited, so that calls do not interleave.
 */
import { type ByteSource, memorySource } from '../bytes/source.ts';
import { Scanner } from '../json/scan.ts';
import { sidecarBlobs } from '../session/media.ts';
import type { Entry, Header } from '../session/model.ts';
import { readSession } from '../session/read.ts';
import type { Session } from '../session/session.ts';
import { checkCreate, fork, type HeaderInit, headerLine } from '../session/write/create.ts';
import type { EntryDraft } from '../session/write/draft.ts';
import { codeOfFinding, SessionError } from '../session/write/error.ts';
import { joinLines } from '../session/write/joinLines.ts';
import { type LiveOptions, LiveSession, type WriterChecks } from '../session/write/live.ts';
import { uuidV7 } from '../session/write/uuid.ts';
import type { Backend, SessionFile, StoredLine, Trouble } from './backend.ts';
import type {
  CallOptions,
  Change,
  Cursor,
  Holder,
  ListFailure,
  ListFilter,
  MediaFolder,
  Ref,
  RefUpdate,
  SessionStore,
  Summary,
  SyncPolicy,
  WriteResult,
} from './contract.ts';
import { type RefTarget, StoreError } from './errors.ts';
import { followSession } from './follow.ts';
import { isBareLabel, mayRestOn } from './headMove.ts';
import { readImport } from './importing.ts';
import { listSessions } from './listing.ts';
import { OpenedSession, type StoreRules, storedLine } from './openedSession.ts';
import { findOrigin } from './origin.ts';
import { checkName } from './refs.ts';
import { givenBlobs, putBlob, readBlob, sweepBlobs } from './storeBlobs.ts';
import { StoreRefs } from './storeRefs.ts';
import { referenceTroubles } from './troubles.ts';

export interface LineStoreOptions {
  /** `every_append` by default. */
  readonly sync?: SyncPolicy;
  /** Takes redacted sessions and redacted entries only (session-store 1.16). */
  readonly redactedOnly?: boolean;
  /** Milliseconds of the epoch. */
  readonly now?: () => number;
  /** Longest pause of a follower between two looks. */
  readonly followIntervalMs?: number;
  /** What an append refuses; by default everything that `audit verify` would report. */
  readonly checks?: WriterChecks;
}

export class LineStore implements SessionStore {
  readonly #backend: Backend;
  readonly #options: LineStoreOptions;
  readonly #opened = new Map<string, OpenedSession>();
  readonly #scanner = new Scanner();
  readonly #now: () => number;
  readonly #rules: StoreRules;
  readonly #refs: StoreRefs;
  #closed = false;

  /** Throws not_redacted for a redacted-only store over a session that is not. */
  constructor(backend: Backend, options: LineStoreOptions = {}) {
    this.#backend = backend;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#rules = {
      sync: options.sync ?? 'every_append',
      blobs: backend.blobs,
      now: this.#now,
      checkRedacted: (header, entry, line, isHeadMove) => this.#checkRedacted(header, entry, line, isHeadMove),
      forget: (opened) => {
        const { id } = opened.live.header;
        if (this.#opened.get(id) === opened) this.#opened.delete(id);
      },
    };
    this.#refs = new StoreRefs(backend, (id) => this.#readStored(id));
    if (options.redactedOnly === true) this.#checkAllRedacted();
  }

  get readOnly(): boolean {
    return this.#backend.readOnly;
  }

  get #live(): LiveOptions {
    const { checks } = this.#options;
    return { ...(checks === undefined ? {} : { checks }), now: () => new Date(this.#now()).toISOString() };
  }

  #checkWritable(options: CallOptions | undefined): void {
    options?.signal?.throwIfAborted();
    if (this.readOnly) throw new StoreError('read_only', 'the store was opened for reading only');
  }

  #checkAllRedacted(): void {
    for (const id of this.#backend.ids()) {
      const session = this.#readStored(id);
      checkCreate(session.header, true);
      for (let index = 0; index < session.size; index++)
        this.#checkRedacted(
          session.header,
          session.entry(index),
          session.bytes(index),
          mayRestOn(session, session.entry(index)),
        );
    }
  }

  #checkRedacted(header: Header, entry: Entry, line: Uint8Array, isHeadMove: boolean): void {
    if (this.#options.redactedOnly !== true || entry.redacted !== undefined) return;
    if (isHeadMove && isBareLabel(line, this.#scanner)) return;
    throw new SessionError('not_redacted', `session ${header.id}: this store holds redacted entries only`);
  }

  // Create, open, release, delete: session-store 1.3 to 1.6, 1.13.

  async create(init: HeaderInit, options?: CallOptions): Promise<LiveSession> {
    this.#checkWritable(options);
    const now = this.#now();
    const filled: HeaderInit = {
      ...init,
      id: init.id ?? uuidV7(now),
      createdAt: init.createdAt ?? new Date(now).toISOString(),
    };
    let live: LiveSession;
    if (filled.base === undefined) live = LiveSession.start(headerLine(filled, now), this.#live);
    else {
      const found = findOrigin(this.#backend, filled.base, filled.parentSession, options?.readable ?? everyone);
      if (found === undefined)
        throw new StoreError('no_entry', `no session of the store holds the base ${filled.base.slice(0, 100)}`);
      const media = filled.media ?? found.owner.header.media;
      if (media !== found.owner.header.media)
        throw new StoreError(
          'media_differs',
          `the session that owns the base keeps its media ${found.owner.header.media}`,
        );
      live = fork(found.origin, filled.base, filled, this.#live);
    }
    checkCreate(live.header, this.#options.redactedOnly === true);
    const lines = this.#storedLines(live);
    return this.#make(live, lines);
  }

  /** Keeps a whole session and opens it. */
  #make(live: LiveSession, lines: readonly StoredLine[]): LiveSession {
    const { id } = live.header;
    if (this.#opened.has(id)) throw new StoreError('session_exists', `the session ${id} exists already`);
    const hold = this.#backend.create(id, live.header, lines);
    this.#opened.set(id, new OpenedSession(live, hold, this.#rules));
    return live;
  }

  #storedLines(session: Session): StoredLine[] {
    const lines: StoredLine[] = [];
    for (let index = 0; index < session.size; index++) {
      const entry = session.entry(index);
      const line = session.bytes(index);
      this.#checkRedacted(session.header, entry, line, mayRestOn(session, entry));
      lines.push(storedLine(entry, line, session.own(index)));
    }
    return lines;
  }

  async open(id: string, options?: CallOptions): Promise<LiveSession> {
    options?.signal?.throwIfAborted();
    return this.#open(id).live;
  }

  #open(id: string): OpenedSession {
    const known = this.#opened.get(id);
    if (known !== undefined) return known;
    const hold = this.readOnly ? undefined : this.#backend.hold(id);
    const bytes = this.readOnly ? this.#backend.read(id)?.bytes : hold?.bytes;
    if (bytes === undefined) throw noSession(id);
    try {
      const live = LiveSession.openTorn(memorySource(bytes), this.#live);
      const opened = new OpenedSession(live, hold, this.#rules, live.raisedLine);
      this.#opened.set(id, opened);
      return opened;
    } catch (error) {
      hold?.release();
      throw error;
    }
  }

  async release(id: string): Promise<void> {
    const opened = this.#opened.get(id);
    this.#opened.delete(id);
    opened?.release();
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    this.#checkWritable(options);
    // What cannot be read can be deleted all the same.
    const held = this.#opened.get(id) ?? this.#backend.hold(id);
    if (held === undefined) throw noSession(id);
    held.remove();
    this.#opened.delete(id);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    let failed: unknown;
    for (const id of [...this.#opened.keys()]) await this.release(id).catch((error) => (failed ??= error));
    this.#backend.close();
    if (failed !== undefined) throw failed;
  }

  async sync(id: string): Promise<void> {
    this.#opened.get(id)?.sync();
  }

  async lockHolder(id: string): Promise<Holder | undefined> {
    return this.#backend.lockHolder(id);
  }

  async breakLock(id: string): Promise<void> {
    this.#checkWritable(undefined);
    this.#backend.breakLock(id);
  }

  // Append, head: session-store 1.7 to 1.9.

  async append(id: string, entry: EntryDraft, options?: CallOptions): Promise<string> {
    return (await this.write(id, entry, options)).id;
  }

  async write(id: string, entry: EntryDraft, options?: CallOptions): Promise<WriteResult> {
    this.#checkWritable(options);
    return this.#open(id).write(entry);
  }

  async setHead(id: string, expected: string | null, to: string | null, options?: CallOptions): Promise<void> {
    this.#checkWritable(options);
    this.#open(id).setHead(expected, to);
  }

  // Read, follow, list: session-store 1.10 to 1.12.

  async read(id: string, options?: CallOptions): Promise<Session> {
    options?.signal?.throwIfAborted();
    return this.#readStored(id);
  }

  #readStored(id: string): Session {
    const stored = this.#backend.read(id);
    if (stored === undefined) throw noSession(id);
    const { session, findings } = readSession(memorySource(stored.bytes));
    const problem = findings.find(
      ({ severity, code }) =>
        severity === 'error' && code !== 'session/nothing-checked' && code !== 'session/truncated',
    );
    if (session === undefined || problem !== undefined)
      throw new SessionError(
        codeOfFinding(problem?.code ?? 'session/not-a-session'),
        `session ${id}: ${problem?.message ?? 'it does not read'}`,
      );
    return session;
  }

  follow(id: string, from?: Cursor, options?: CallOptions): AsyncIterable<Change> {
    const { followIntervalMs } = this.#options;
    return followSession(this.#backend, id, from, {
      ...(options?.signal === undefined ? {} : { signal: options.signal }),
      ...(followIntervalMs === undefined ? {} : { intervalMs: followIntervalMs }),
    });
  }

  async *list(filter: ListFilter = {}, options?: CallOptions): AsyncIterable<Summary | ListFailure> {
    for (const summary of listSessions(this.#backend, filter)) {
      if (options?.signal?.aborted === true) return;
      yield summary;
    }
  }

  // Import: session-store 1.14, 1.15.

  async import(file: ByteSource, options?: CallOptions): Promise<Session> {
    return (await this.importMedia(file, undefined, options)).session;
  }

  async importMedia(
    file: ByteSource,
    media: MediaFolder | undefined,
    options?: CallOptions,
  ): Promise<{ readonly session: Session; readonly unresolved: readonly string[] }> {
    this.#checkWritable(options);
    const { session, header } = readImport(file);
    const { id, base, parentSession } = header;
    if (this.#opened.has(id) || this.#backend.read(id) !== undefined)
      throw new StoreError('session_exists', `the session ${id} exists already`);
    // What the header says of redaction the reader has judged, under the minor that it declares.
    if (this.#options.redactedOnly === true && !header.redacted)
      throw new SessionError('not_redacted', 'this store holds redacted sessions only');
    if (base !== undefined) {
      const found = findOrigin(this.#backend, base, parentSession, options?.readable ?? everyone);
      if (found !== undefined && found.owner.header.media !== header.media)
        throw new StoreError(
          'media_differs',
          `the session that owns the base keeps its media ${found.owner.header.media}`,
        );
    }
    const lines = this.#storedLines(session);
    const named = new Set<string>();
    if (header.media === 'sidecar')
      for (const { line } of lines) for (const hash of sidecarBlobs(line, this.#scanner)) named.add(hash);
    const given = givenBlobs(named, media);
    const live = LiveSession.open(
      memorySource(joinLines([header.raw.bytes, ...lines.map(({ line }) => line)])),
      this.#live,
    );
    this.#backend.blobs.touch([...named]);
    this.#make(live, lines);
    for (const [hash, data] of given) this.#backend.blobs.put(hash, data);
    return { session: live, unresolved: this.#backend.blobs.touch([...named]) };
  }

  // Blobs: session-store 1.15.

  async putBlob(data: Uint8Array, options?: CallOptions): Promise<string> {
    this.#checkWritable(options);
    return putBlob(this.#backend, data);
  }

  async blob(hash: string, options?: CallOptions): Promise<Uint8Array> {
    options?.signal?.throwIfAborted();
    return readBlob(this.#backend, hash);
  }

  async sweepBlobs(graceMs: number, options?: CallOptions): Promise<number> {
    this.#checkWritable(options);
    return sweepBlobs(this.#backend, this.#now() - graceMs);
  }

  /** Every blob that is held: its name, and what stands under it, whatever that is. */
  *blobs(): Iterable<{ readonly hash: string; read(): Uint8Array | undefined }> {
    const { blobs } = this.#backend;
    for (const hash of blobs.hashes()) yield { hash, read: () => blobs.get(hash) };
  }

  // What is wrong with a store beside its sessions, and what sets it right.

  /** Troubles of the place, its refs and its blobs. Nothing is written. */
  *troubles(): Iterable<Trouble> {
    yield* this.#backend.troubles();
    yield* referenceTroubles(this.#backend, (id) => this.#refs.identOf(id));
  }

  /** Every session as a file: what stands in the store, a torn last line included, those that do not read too. */
  files(): Iterable<SessionFile> {
    return this.#backend.files();
  }

  // Refs: session-store 7.

  async resolveRef(name: string, options?: CallOptions): Promise<RefTarget> {
    options?.signal?.throwIfAborted();
    return this.#refs.resolve(name);
  }

  async updateRef(
    name: string,
    expected: RefTarget | null,
    next: RefTarget | null,
    reason = '',
    options?: CallOptions,
  ): Promise<void> {
    checkName(name);
    this.#checkWritable(options);
    this.#refs.update(name, expected, next, reason, this.#now());
  }

  async *listRefs(prefix: string, options?: CallOptions): AsyncIterable<Ref> {
    for (const ref of this.#refs.list(prefix)) {
      if (options?.signal?.aborted === true) return;
      yield ref;
    }
  }

  async *refLog(name: string, options?: CallOptions): AsyncIterable<RefUpdate> {
    for (const update of this.#refs.log(name)) {
      if (options?.signal?.aborted === true) return;
      yield update;
    }
  }
}

const everyone = (): boolean => true;

function noSession(id: string): StoreError {
  return new StoreError('no_session', `there is no session ${id.slice(0, 200)}`);
}
