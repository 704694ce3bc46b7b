/**
 * A session for export: the decoded entry and the whole line of each, kept while they are few bytes, so that the paths of a session share the
 * work on what they have in common.
 */
import type { Entry, EntryKind, Header } from '../session/model.ts';
import { type EntryIndex, type Repeat, ROOT, type Session, type Truncation } from '../session/session.ts';
import { isObject, type Json, type JsonObject } from './document.ts';

/** Bytes of lines whose values are kept. */
const KEPT_BYTES = 64 * 1024 * 1024;

const decoder = new TextDecoder();

/** A session whose entries, once decoded, stay so. */
export class SharedSession implements Session {
  readonly #of: Session;
  readonly #entries = new Map<EntryIndex, Entry>();
  readonly #lines = new Map<EntryIndex, JsonObject>();
  #kept = 0;

  constructor(session: Session) {
    this.#of = session;
  }

  /** Everything that the line holds, as the session presents it. */
  wholeLine(entry: EntryIndex): JsonObject {
    const found = this.#lines.get(entry);
    if (found !== undefined) return found;
    const value = JSON.parse(decoder.decode(this.#of.bytes(entry))) as Json;
    const line = isObject(value) ? value : {};
    if (this.#keep(entry)) this.#lines.set(entry, line);
    return line;
  }

  entry(entry: EntryIndex): Entry {
    const found = this.#entries.get(entry);
    if (found !== undefined) return found;
    const decoded = this.#of.entry(entry);
    if (this.#keep(entry)) this.#entries.set(entry, decoded);
    return decoded;
  }

  /** Whether the session is small enough that what is made of it is kept. */
  get keeps(): boolean {
    return this.#kept <= KEPT_BYTES;
  }

  #keep(entry: EntryIndex): boolean {
    this.#kept += this.#of.length(entry);
    return this.#kept <= KEPT_BYTES;
  }

  get header(): Header {
    return this.#of.header;
  }
  get size(): number {
    return this.#of.size;
  }
  get migrated(): boolean {
    return this.#of.migrated;
  }
  get unresolved(): readonly EntryIndex[] {
    return this.#of.unresolved;
  }
  get base(): EntryIndex | undefined {
    return this.#of.base;
  }
  get leaf(): EntryIndex {
    return this.#of.leaf;
  }
  get truncated(): Truncation | undefined {
    return this.#of.truncated;
  }
  get repeated(): readonly Repeat[] {
    return this.#of.repeated;
  }
  get holdsEarlyRedacted(): boolean {
    return this.#of.holdsEarlyRedacted;
  }
  kind(entry: EntryIndex): EntryKind {
    return this.#of.kind(entry);
  }
  parent(entry: EntryIndex): EntryIndex {
    return this.#of.parent(entry);
  }
  id(entry: EntryIndex): string {
    return this.#of.id(entry);
  }
  find(id: string): EntryIndex | undefined {
    return this.#of.find(id);
  }
  line(entry: EntryIndex): number {
    return this.#of.line(entry);
  }
  offset(entry: EntryIndex): number {
    return this.#of.offset(entry);
  }
  length(entry: EntryIndex): number {
    return this.#of.length(entry);
  }
  bytes(entry: EntryIndex): Uint8Array {
    return this.#of.bytes(entry);
  }
  usable(entry: EntryIndex): boolean {
    return this.#of.usable(entry);
  }
  pathUsable(entry: EntryIndex): boolean {
    return entry === ROOT || this.#of.pathUsable(entry);
  }
  own(entry: EntryIndex): boolean {
    return this.#of.own(entry);
  }
  isLeaf(entry: EntryIndex): boolean {
    return this.#of.isLeaf(entry);
  }
  path(entry: EntryIndex): EntryIndex[] {
    return this.#of.path(entry);
  }
}
