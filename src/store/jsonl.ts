/** A folder of session files, one line an entry, each with a lock while it is written (session-store 4). */
import { closeSync, fstatSync, mkdirSync, rmSync, type Stats } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { AppendFile, NotAsLeft } from '../durable/appendFile.ts';
import { createFile, openFileToRead, standing, statFile, syncFolder } from '../durable/files.ts';
import { breakLock, type Lock, Locked, type LockHolder, lockHolder, takeLock } from '../durable/lock.ts';
import { ByteWriter } from '../json/canonical.ts';
import { readHeader } from '../session/header.ts';
import type { Header } from '../session/model.ts';
import { joinLines } from '../session/write/joinLines.ts';
import {
  type Backend,
  type Hold,
  type Listed,
  type SessionFile,
  type Stored,
  type StoredLine,
  type Tail,
  type Trouble,
  Wakers,
} from './backend.ts';
import { StoreError } from './errors.ts';
import { FileBlobs } from './jsonlBlobs.ts';
import { FileRefs } from './jsonlRefs.ts';
import { folderTroubles } from './jsonlTroubles.ts';
import { BLOBS, createdName, idOfFile, isFileId, LINES, LOCK, projectKey } from './layout.ts';
import { endingOf, headerIdent, namesOf, shortHash } from './lineScan.ts';
import { headerOf, namesIn, readHeaderLine, readPart, readWhole, replaceHeader } from './sessionFiles.ts';

const LINE_FEED = 0x0a;
/** How often a file is read that grows while it is opened. */
const READINGS = 16;

export interface JsonlOptions {
  readonly root: string;
  readonly readOnly: boolean;
  /** Milliseconds of the epoch. */
  readonly now: () => number;
  /** The lock of a dead holder was taken over: the writer before crashed. */
  readonly onStaleLock?: (holder: LockHolder) => void;
}

export class JsonlBackend implements Backend {
  readonly readOnly: boolean;
  readonly refs: FileRefs;
  readonly blobs: FileBlobs;
  readonly #options: JsonlOptions;
  readonly #paths = new Map<string, string>();
  readonly #wakers = new Wakers();

  constructor(options: JsonlOptions) {
    this.#options = options;
    this.readOnly = options.readOnly;
    if (!options.readOnly) mkdirSync(options.root, { recursive: true });
    const since = (): string => this.#since();
    this.refs = new FileRefs(options.root, since);
    this.blobs = new FileBlobs(join(options.root, BLOBS), options.now);
  }

  #since(): string {
    return new Date(this.#options.now()).toISOString();
  }

  /** Session files in the order of their paths. */
  *#files(): Iterable<{ readonly id: string; readonly path: string }> {
    for (const folder of namesIn(this.#options.root)) {
      if (folder.startsWith('.')) continue;
      for (const name of namesIn(join(this.#options.root, folder))) {
        const id = idOfFile(name);
        if (id !== undefined) yield { id, path: join(this.#options.root, folder, name) };
      }
    }
  }

  #find(id: string): string | undefined {
    if (!isFileId(id)) return undefined;
    const known = this.#paths.get(id);
    if (known !== undefined && statFile(known) !== undefined) return known;
    this.#paths.delete(id);
    for (const file of this.#files())
      if (file.id === id && statFile(file.path) !== undefined) {
        this.#paths.set(id, file.path);
        return file.path;
      }
    return undefined;
  }

  read(id: string): Stored | undefined {
    const path = this.#find(id);
    const file = path === undefined ? undefined : readWhole(path);
    if (file === undefined) return undefined;
    const { bytes, stat } = file;
    const whole = bytes.lastIndexOf(LINE_FEED) + 1 || bytes.length;
    return { bytes, whole, cursor: `${whole}:${placeOf(headerOf(bytes), stat)}` };
  }

  tail(id: string, cursor: string): Tail {
    const path = this.#find(id);
    const fd = path === undefined ? undefined : openFileToRead(path);
    if (fd === undefined) return { kind: 'gone' };
    try {
      const stat = fstatSync(fd);
      const match = /^([1-9][0-9]{0,15}):([0-9]+):([0-9a-f]{16}):([0-9a-f]{16})$/.exec(cursor);
      const header = readHeaderLine(fd, stat.size);
      const place = placeOf(header, stat);
      if (match !== null && place.slice(place.lastIndexOf(':') + 1) !== match[4]) return { kind: 'other' };
      const from = Number(match?.[1]);
      if (match === null || place !== `${match[2]}:${match[3]}:${match[4]}` || from > stat.size)
        return { kind: 'reset' };
      const bytes = readPart(fd, from, stat.size);
      // A line that does not begin where one ends was written over what was cut back.
      if (from > 0 && readPart(fd, from - 1, from)[0] !== LINE_FEED && bytes.length > 0 && bytes[0] !== LINE_FEED)
        return { kind: 'reset' };
      const lines: { line: Uint8Array; cursor: string }[] = [];
      let at = 0;
      for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, at)) {
        let stop = end;
        while (stop > at && bytes[stop - 1] === 0x0d) stop--;
        const line = bytes.subarray(at, stop);
        at = end + 1;
        if (line.length > 0) lines.push({ line, cursor: `${from + at}:${place}` });
      }
      return { kind: 'lines', lines };
    } finally {
      closeSync(fd);
    }
  }

  create(id: string, header: Header, lines: readonly StoredLine[]): Hold {
    if (!isFileId(id))
      throw new StoreError('bad_header', `${JSON.stringify(id)} cannot be the id of a session in a file`);
    const created = createdName(header.createdAt);
    if (created === undefined) throw new StoreError('bad_header', 'the header has no valid time of creation');
    if (this.#find(id) !== undefined) throw new StoreError('session_exists', `the session ${id} exists already`);
    const folder = join(this.#options.root, projectKey(header.cwd, sep));
    const made = mkdirSync(folder, { recursive: true, mode: 0o755 });
    if (made !== undefined) syncFolder(this.#options.root);
    const path = join(folder, `${created}_${id}${LINES}`);
    const lock = this.#lock(path, id);
    try {
      const bytes = joinLines([header.raw.bytes, ...lines.map(({ line }) => line)]);
      if (!createFile(path, bytes)) throw new StoreError('session_exists', `the session ${id} exists already`);
      this.#paths.set(id, path);
      return new FileHold(id, path, lock, bytes, AppendFile.resume(path, whole(bytes)), this.#wakers);
    } catch (error) {
      lock.release();
      throw refusal(id, path, error);
    }
  }

  hold(id: string): Hold | undefined {
    const path = this.#find(id);
    if (path === undefined) return undefined;
    const lock = this.#lock(path, id);
    try {
      for (let attempt = 1; ; attempt++) {
        const bytes = readWhole(path)?.bytes;
        if (bytes === undefined) {
          lock.release();
          return undefined;
        }
        // What is no session is left as it is; it may be deleted.
        const isSession = readHeader(headerOf(bytes), 0, 1).header !== undefined;
        const { end, lacksLineFeed } = isSession ? endingOf(bytes) : { end: bytes.length, lacksLineFeed: false };
        try {
          const file = AppendFile.resume(path, { read: bytes.length, end, lineFeed: lacksLineFeed });
          return new FileHold(id, path, lock, bytes, file, this.#wakers);
        } catch (error) {
          // Whoever lost the lock may be writing still; what that gave is read too.
          if (!(error instanceof NotAsLeft) || attempt === READINGS) throw error;
        }
      }
    } catch (error) {
      lock.release();
      throw refusal(id, path, error);
    }
  }

  #lock(path: string, id: string): Lock {
    const { onStaleLock } = this.#options;
    try {
      return takeLock(`${path}${LOCK}`, {
        since: this.#since(),
        ...(onStaleLock === undefined ? {} : { onStale: onStaleLock }),
      });
    } catch (error) {
      if (error instanceof Locked) throw new StoreError('session_locked', `session ${id}: ${error.message}`);
      throw error;
    }
  }

  *list(): Iterable<Listed | { readonly failure: Error; readonly path?: string }> {
    for (const { id, path } of this.#files()) {
      const fd = openFileToRead(path);
      if (fd === undefined) continue;
      try {
        const stat = fstatSync(fd);
        const header = readHeaderLine(fd, stat.size);
        const names = (base: string | undefined) => namesOf(readWhole(path)?.bytes ?? new Uint8Array(0), base);
        yield { id, header, path, size: stat.size, modified: stat.mtime, names };
      } catch (error) {
        yield { failure: error as Error, path };
      } finally {
        closeSync(fd);
      }
    }
  }

  *files(): Iterable<SessionFile> {
    for (const { id, path } of this.#files()) {
      const bytes = readWhole(path)?.bytes;
      if (bytes !== undefined) yield { id, label: path, bytes };
    }
  }

  *ids(): Iterable<string> {
    for (const { id, path } of this.#files()) if (statFile(path) !== undefined) yield id;
  }

  lockHolder(id: string): LockHolder | undefined {
    const path = this.#find(id);
    return path === undefined ? undefined : lockHolder(`${path}${LOCK}`);
  }

  breakLock(id: string): void {
    const path = this.#find(id);
    if (path === undefined) throw new StoreError('no_session', `there is no session ${id}`);
    const lock = `${path}${LOCK}`;
    if (standing(lock) === 'other')
      throw new StoreError('session_locked', `session ${id}: ${basename(lock)} is no file, and no lock of this store`);
    breakLock(lock);
  }

  troubles(): Iterable<Trouble> {
    return folderTroubles(this.#options.root, this.refs);
  }

  watch(id: string, wake: () => void): () => void {
    return this.#wakers.watch(id, wake);
  }

  close(): void {
    // Holds are released one by one; nothing else is kept open.
  }
}

class FileHold implements Hold {
  readonly bytes: Uint8Array;
  readonly #id: string;
  readonly #path: string;
  readonly #lock: Lock;
  readonly #wakers: Wakers;
  /** What is appended, put together. */
  readonly #out = new ByteWriter();
  #file: AppendFile;

  constructor(id: string, path: string, lock: Lock, bytes: Uint8Array, file: AppendFile, wakers: Wakers) {
    this.#id = id;
    this.#path = path;
    this.#lock = lock;
    this.bytes = bytes;
    this.#file = file;
    this.#wakers = wakers;
  }

  /** Somebody may have broken the lock. */
  #checkLock(isHeld: boolean): void {
    if (!isHeld)
      throw new StoreError('session_locked', `session ${this.#id}: the lock was taken away from this writer`);
  }

  /** The same, and somebody may have written without a lock. */
  #check(): void {
    this.#checkLock(this.#lock.isHeld());
    this.#asLeft(() => this.#file.check());
  }

  #asLeft(act: () => void): void {
    try {
      act();
    } catch (error) {
      throw refusal(this.#id, this.#path, error);
    }
  }

  append(lines: readonly StoredLine[], durable: boolean): void {
    // Lines go to the end of the file and nothing is written over: a quick look at the lock will do.
    this.#checkLock(this.#lock.mayBeHeld());
    const out = this.#out;
    out.clear();
    for (const { line } of lines) {
      out.copy(line);
      out.byte(LINE_FEED);
    }
    this.#asLeft(() => this.#file.append(out.view(), durable));
    this.#wakers.wake(this.#id);
  }

  raise(header: Uint8Array): void {
    this.#check();
    const bytes = replaceHeader(this.#path, header);
    if (bytes === undefined) throw new StoreError('no_session', `session ${this.#id} is gone`);
    this.#file.close();
    this.#asLeft(() => {
      this.#file = AppendFile.resume(this.#path, whole(bytes));
    });
    this.#wakers.wake(this.#id);
  }

  sync(): void {
    this.#checkLock(this.#lock.isHeld());
    this.#asLeft(() => {
      this.#file.sync();
      this.#file.check();
    });
  }

  release(): void {
    try {
      this.#file.close();
    } finally {
      this.#lock.release();
    }
  }

  remove(): void {
    this.#check();
    rmSync(this.#path);
    this.#file.close();
    syncFolder(dirname(this.#path));
    this.#lock.release();
    this.#wakers.wake(this.#id);
  }
}

/** A file of nothing but whole lines. */
function whole({ length }: Uint8Array): { read: number; end: number; lineFeed: boolean } {
  return { read: length, end: length, lineFeed: false };
}

/** What a store says of a file that is not as it was left. */
function refusal(id: string, path: string, error: unknown): unknown {
  if (!(error instanceof NotAsLeft)) return error;
  return error.found === 'gone'
    ? new StoreError('no_session', `session ${id} is gone, or another is in its place`)
    : new StoreError('concurrent_writer', `session ${id}: another writer appended to ${basename(path)}`);
}

/** What a cursor says beside the offset: which file it is, its header, and its session. */
function placeOf(header: Uint8Array, stat: Stats): string {
  return `${stat.ino}:${shortHash(header)}:${headerIdent(header).slice(7, 23) || '0'.repeat(16)}`;
}
