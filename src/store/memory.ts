/** Sessions in memory: what the stores on disk are held against (session-store 3). */
import type { Header } from '../session/model.ts';
import { joinLines } from '../session/write/joinLines.ts';
import {
  type Backend,
  type BlobStorage,
  type Hold,
  type Listed,
  type RefStorage,
  type SessionFile,
  type Stored,
  type StoredLine,
  type Tail,
  type Trouble,
  Wakers,
} from './backend.ts';
import { StoreError } from './errors.ts';
import { namesOf } from './lineScan.ts';
import type { LoggedChange, StoredRef } from './refs.ts';

interface Kept {
  readonly made: number;
  header: Uint8Array;
  readonly lines: Uint8Array[];
}

export class MemoryBackend implements Backend {
  readonly readOnly = false;
  readonly refs: RefStorage = new MemoryRefs();
  readonly blobs: BlobStorage;
  readonly #sessions = new Map<string, Kept>();
  readonly #wakers = new Wakers();
  #made = 0;

  constructor(now: () => number) {
    this.blobs = new MemoryBlobs(now);
  }

  read(id: string): Stored | undefined {
    const kept = this.#sessions.get(id);
    if (kept === undefined) return undefined;
    const bytes = textOf(kept);
    return { bytes, whole: bytes.length, cursor: `${kept.made}:${kept.lines.length}` };
  }

  tail(id: string, cursor: string): Tail {
    const kept = this.#sessions.get(id);
    if (kept === undefined) return { kind: 'gone' };
    const match = /^([0-9]{1,15}):([0-9]{1,15})$/.exec(cursor);
    if (match === null) return { kind: 'reset' };
    if (Number(match[1]) !== kept.made) return { kind: 'other' };
    const from = Number(match[2]);
    if (from > kept.lines.length) return { kind: 'reset' };
    const lines = kept.lines.slice(from);
    return { kind: 'lines', lines: lines.map((line, at) => ({ line, cursor: `${kept.made}:${from + at + 1}` })) };
  }

  create(id: string, header: Header, lines: readonly StoredLine[]): Hold {
    if (this.#sessions.has(id)) throw new StoreError('session_exists', `the session ${id} exists already`);
    const kept: Kept = {
      made: ++this.#made,
      header: header.raw.bytes.slice(),
      lines: lines.map(({ line }) => line.slice()),
    };
    this.#sessions.set(id, kept);
    return this.#holdOf(id, kept);
  }

  hold(id: string): Hold | undefined {
    const kept = this.#sessions.get(id);
    return kept === undefined ? undefined : this.#holdOf(id, kept);
  }

  #holdOf(id: string, kept: Kept): Hold {
    return {
      get bytes() {
        return textOf(kept);
      },
      append: (lines) => {
        for (const { line } of lines) kept.lines.push(line.slice());
        this.#wakers.wake(id);
      },
      raise: (header) => {
        kept.header = header.slice();
      },
      sync: () => undefined,
      release: () => undefined,
      remove: () => {
        this.#sessions.delete(id);
        this.#wakers.wake(id);
      },
    };
  }

  *list(): Iterable<Listed> {
    for (const [id, kept] of this.#sessions)
      yield { id, header: kept.header, names: (base) => namesOf(textOf(kept), base) };
  }

  *files(): Iterable<SessionFile> {
    for (const [id, kept] of this.#sessions) yield { id, label: id, bytes: textOf(kept) };
  }

  ids(): Iterable<string> {
    return [...this.#sessions.keys()];
  }

  lockHolder(): undefined {
    return undefined;
  }

  breakLock(): void {
    // A store in memory has one holder.
  }

  troubles(): Iterable<Trouble> {
    return [];
  }

  watch(id: string, wake: () => void): () => void {
    return this.#wakers.watch(id, wake);
  }

  close(): void {
    this.#sessions.clear();
  }
}

function textOf({ header, lines }: Kept): Uint8Array {
  return joinLines([header, ...lines]);
}

class MemoryRefs implements RefStorage {
  readonly #refs = new Map<string, StoredRef>();
  readonly #log: LoggedChange[] = [];

  all(): ReadonlyMap<string, StoredRef> {
    return new Map(this.#refs);
  }

  update(decide: Parameters<RefStorage['update']>[0], at: string): void {
    const change = decide(this.#refs);
    if (change === undefined) return;
    if (change.next === undefined) this.#refs.delete(change.name);
    else this.#refs.set(change.name, change.next);
    this.#log.push({ ...change, at });
  }

  log(name: string): readonly LoggedChange[] {
    return this.#log.filter((change) => change.name === name);
  }
}

class MemoryBlobs implements BlobStorage {
  readonly #blobs = new Map<string, { readonly data: Uint8Array; storedAt: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  put(hash: string, data: Uint8Array): void {
    const held = this.#blobs.get(hash);
    if (held === undefined) this.#blobs.set(hash, { data: data.slice(), storedAt: this.#now() });
    else held.storedAt = this.#now();
  }

  get(hash: string): Uint8Array | undefined {
    return this.#blobs.get(hash)?.data.slice();
  }

  touch(hashes: readonly string[]): readonly string[] {
    return hashes.filter((hash) => {
      const held = this.#blobs.get(hash);
      if (held !== undefined) held.storedAt = this.#now();
      return held === undefined;
    });
  }

  hashes(): Iterable<string> {
    return [...this.#blobs.keys()];
  }

  sweep(named: ReadonlySet<string>, until: number): number {
    let removed = 0;
    for (const [hash, { storedAt }] of this.#blobs)
      if (!named.has(hash) && storedAt < until) {
        this.#blobs.delete(hash);
        removed++;
      }
    return removed;
  }
}
