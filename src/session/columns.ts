/**
 * The column index of a session: for each entry its place in the file, kind, parent, flags and 32-byte id, some sixty bytes in all, and a
 * table to find an entry by its id.
 */
import { hex } from '../bytes/encoding.ts';
import { ENTRY_KINDS, type EntryKind } from './model.ts';
import type { EntryIndex } from './session.ts';

/** Flags of an entry. */
export const BAD = 1;
/** It or an entry above it is bad. */
export const TAINTED = 2;
export const HAS_CHILD = 4;
export const LEAF_LABEL = 8;

const KIND_CODE: ReadonlyMap<EntryKind, number> = new Map(ENTRY_KINDS.map((kind, code) => [kind, code]));

/** Mixed into the place of an id in the table, so that ids made to collide do not: which place it is shows nowhere. */
const SEED = Math.floor(Math.random() * 0x7fffffff);

export class EntryColumns {
  size = 0;
  // The first rows share one piece of memory: a folder may hold a hundred thousand small sessions.
  readonly #first = new ArrayBuffer(64 * (8 + 4 + 4 + 4 + 32 + 1 + 1));
  #offset = new Float64Array(this.#first, 0, 64);
  #parent = new Int32Array(this.#first, 64 * 8, 64);
  #line = new Uint32Array(this.#first, 64 * 12, 64);
  #length = new Uint32Array(this.#first, 64 * 16, 64);
  #ids = new Uint8Array(this.#first, 64 * 20, 64 * 32);
  #kind = new Uint8Array(this.#first, 64 * 52, 64);
  #flags = new Uint8Array(this.#first, 64 * 53, 64);
  /** Entry + 1 by hash of the id; a power of two, at most half full. */
  #table = new Int32Array(256);
  /** The ids that bad lines count under beside the one in their row (9.3). */
  readonly #aliases = new Map<string, EntryIndex>();

  add(
    id: Uint8Array,
    kind: EntryKind,
    parent: EntryIndex,
    flags: number,
    line: number,
    offset: number,
    length: number,
  ): EntryIndex {
    const entry = this.size++;
    if (entry === this.#kind.length) this.#grow();
    this.#kind[entry] = KIND_CODE.get(kind) as number;
    this.#flags[entry] = flags;
    this.#parent[entry] = parent;
    this.#line[entry] = line;
    this.#offset[entry] = offset;
    this.#length[entry] = length;
    this.#ids.set(id, entry * 32);
    if (this.size * 2 > this.#table.length) this.#rehash();
    else this.#enter(entry);
    return entry;
  }

  /** Makes an entry found under a further id. */
  addAlias(id: Uint8Array, entry: EntryIndex): void {
    this.#aliases.set(hex(id), entry);
  }

  kind(entry: EntryIndex): EntryKind {
    return ENTRY_KINDS[this.#kind[entry] as number] as EntryKind;
  }
  parent(entry: EntryIndex): EntryIndex {
    return this.#parent[entry] as number;
  }
  line(entry: EntryIndex): number {
    return this.#line[entry] as number;
  }
  offset(entry: EntryIndex): number {
    return this.#offset[entry] as number;
  }
  length(entry: EntryIndex): number {
    return this.#length[entry] as number;
  }
  id(entry: EntryIndex): string {
    return `sha256:${hex(this.idBytes(entry))}`;
  }
  /** The 32 bytes of the id; a view that adding entries can leave behind. */
  idBytes(entry: EntryIndex): Uint8Array {
    return this.#ids.subarray(entry * 32, entry * 32 + 32);
  }
  has(entry: EntryIndex, flag: number): boolean {
    return ((this.#flags[entry] as number) & flag) !== 0;
  }
  flag(entry: EntryIndex, flag: number): void {
    this.#flags[entry] = (this.#flags[entry] as number) | flag;
  }

  /** The entry with this 32-byte id, or undefined. */
  find(id: Uint8Array): EntryIndex | undefined {
    // Most lines follow from the line before.
    const last = this.size - 1;
    if (last >= 0 && this.#isId(last, id) && !this.has(last, BAD)) return last;
    const mask = this.#table.length - 1;
    for (let at = place(id, 0) & mask; ; at = (at + 1) & mask) {
      const entry = (this.#table[at] as number) - 1;
      if (entry < 0) break;
      if (this.#isId(entry, id)) return entry;
    }
    return this.#aliases.size === 0 ? undefined : this.#aliases.get(hex(id));
  }

  #isId(entry: EntryIndex, id: Uint8Array): boolean {
    const start = entry * 32;
    for (let i = 0; i < 32; i++) if (this.#ids[start + i] !== id[i]) return false;
    return true;
  }

  #isSameId(a: EntryIndex, b: EntryIndex): boolean {
    for (let i = 0; i < 32; i++) if (this.#ids[a * 32 + i] !== this.#ids[b * 32 + i]) return false;
    return true;
  }

  #enter(entry: EntryIndex): void {
    const mask = this.#table.length - 1;
    let at = place(this.#ids, entry * 32) & mask;
    for (let there = this.#table[at] as number; there !== 0; there = this.#table[at] as number) {
      // A good line takes the place of a bad one that stated its id.
      if (this.#isSameId(there - 1, entry)) break;
      at = (at + 1) & mask;
    }
    this.#table[at] = entry + 1;
  }

  #rehash(): void {
    this.#table = new Int32Array(this.#table.length * 2);
    for (let entry = 0; entry < this.size; entry++) this.#enter(entry);
  }

  #grow(): void {
    const size = this.#kind.length * 2;
    this.#kind = enlarged(this.#kind, new Uint8Array(size));
    this.#flags = enlarged(this.#flags, new Uint8Array(size));
    this.#parent = enlarged(this.#parent, new Int32Array(size));
    this.#line = enlarged(this.#line, new Uint32Array(size));
    this.#offset = enlarged(this.#offset, new Float64Array(size));
    this.#length = enlarged(this.#length, new Uint32Array(size));
    this.#ids = enlarged(this.#ids, new Uint8Array(size * 32));
  }
}

function place(id: Uint8Array, start: number): number {
  let hash = SEED;
  for (let i = 0; i < 32; i += 4) {
    const word =
      ((id[start + i] as number) << 24) |
      ((id[start + i + 1] as number) << 16) |
      ((id[start + i + 2] as number) << 8) |
      (id[start + i + 3] as number);
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

function enlarged<T extends Uint8Array | Int32Array | Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
