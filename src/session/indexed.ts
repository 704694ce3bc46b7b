/** `Session` over a column index and the source that it was read from: entries are decoded on demand. */

import { type ByteSource, readExactly } from '../bytes/source.ts';
import { Scanner } from '../json/scan.ts';
import { BAD, type EntryColumns, HAS_CHILD, TAINTED } from './columns.ts';
import { readParents } from './convergence.ts';
import { decodeEntry } from './entry.ts';
import { FIRST_HASHED_MINOR, FIRST_REDACTED_MINOR } from './header.ts';
import { type EnvelopeRows, envelopeRows, readHashText } from './ident.ts';
import { Members } from './members.ts';
import type { Entry, EntryKind, Header } from './model.ts';
import { type EntryIndex, type Repeat, ROOT, type Session, type Truncation } from './session.ts';

/** Decoded entries that are kept, by their number modulo this. */
const CACHE_SIZE = 512;
/** Lines longer than this are decoded each time. */
const CACHE_LINE = 16 * 1024;

/** What reads a line whose values outlive it. */
function keeping(scanner: Scanner): Members {
  const read = new Members(scanner);
  read.keep = true;
  return read;
}

/** Decoding an entry is done with before the next one begins, of whatever session: short lines share one scanner. */
const shared = keeping(new Scanner());

export class IndexedSession implements Session {
  readonly header: Header;
  readonly columns: EntryColumns;
  readonly migrated: boolean;
  readonly unresolved: EntryIndex[] = [];
  readonly repeated: Repeat[] = [];
  base: EntryIndex | undefined = undefined;
  leaf: EntryIndex = ROOT;
  truncated: Truncation | undefined = undefined;
  holdsEarlyRedacted = false;

  readonly #source: ByteSource;
  readonly #rewrite: ((line: Uint8Array, entry: EntryIndex) => Uint8Array) | undefined;
  readonly #rows: EnvelopeRows = { id: -1, type: -1, parent: -1, parents: -1, ts: -1, content: -1 };
  readonly #id = new Uint8Array(32);
  readonly #cache: (Entry | undefined)[] = [];
  readonly #cached: EntryIndex[] = [];

  /** @param rewrite what migration makes of an old line (10). */
  constructor(
    header: Header,
    source: ByteSource,
    columns: EntryColumns,
    rewrite?: (line: Uint8Array, entry: EntryIndex) => Uint8Array,
  ) {
    this.header = header;
    this.columns = columns;
    this.migrated = header.minor < FIRST_HASHED_MINOR;
    this.#source = source;
    this.#rewrite = rewrite;
  }

  get size(): number {
    return this.columns.size;
  }
  kind(entry: EntryIndex): EntryKind {
    return this.columns.kind(entry);
  }
  parent(entry: EntryIndex): EntryIndex {
    return this.columns.parent(entry);
  }
  id(entry: EntryIndex): string {
    return this.columns.id(entry);
  }
  idBytes(entry: EntryIndex): Uint8Array {
    return this.columns.idBytes(entry);
  }
  find(id: string): EntryIndex | undefined {
    return readHashText(id, this.#id) ? this.columns.find(this.#id) : undefined;
  }
  line(entry: EntryIndex): number {
    return this.columns.line(entry);
  }
  offset(entry: EntryIndex): number {
    return this.columns.offset(entry);
  }
  length(entry: EntryIndex): number {
    return this.columns.length(entry);
  }
  usable(entry: EntryIndex): boolean {
    return !this.columns.has(entry, BAD);
  }
  pathUsable(entry: EntryIndex): boolean {
    return entry === ROOT || !this.columns.has(entry, TAINTED);
  }
  own(entry: EntryIndex): boolean {
    return this.header.base === undefined || (this.base !== undefined && entry > this.base);
  }
  isLeaf(entry: EntryIndex): boolean {
    return !this.columns.has(entry, HAS_CHILD);
  }

  bytes(entry: EntryIndex): Uint8Array {
    const line = readExactly(this.#source, this.columns.offset(entry), this.columns.length(entry));
    return this.#rewrite === undefined ? line : this.#rewrite(line, entry);
  }

  entry(entry: EntryIndex): Entry {
    const slot = entry % CACHE_SIZE;
    if (this.#cached[slot] === entry) return this.#cache[slot] as Entry;
    if (!(entry >= 0 && entry < this.size) || !this.usable(entry)) throw new RangeError(`entry ${entry} is not usable`);
    const decoded = this.#decode(entry);
    this.keepDecoded(entry, decoded);
    return decoded;
  }

  /** Keeps what an entry decodes to, so that whoever asks for it soon need not wait for it. */
  protected keepDecoded(entry: EntryIndex, decoded: Entry): void {
    if (this.columns.length(entry) > CACHE_LINE) return;
    const slot = entry % CACHE_SIZE;
    this.#cached[slot] = entry;
    this.#cache[slot] = decoded;
  }

  #decode(entry: EntryIndex): Entry {
    const bytes = this.bytes(entry);
    const read = bytes.length <= CACHE_LINE ? shared : keeping(new Scanner());
    const { scanner } = read;
    scanner.scan(bytes);
    envelopeRows(scanner, this.#rows);
    read.reset();
    const parent = this.columns.parent(entry);
    return decodeEntry(
      read,
      {
        type: scanner.text(this.#rows.type),
        id: this.columns.id(entry),
        parent: parent === ROOT ? null : this.columns.id(parent),
        ts: scanner.text(this.#rows.ts),
        parents: readParents(scanner, this.#rows.parents, this.header.id) ?? [],
        redactedDefined: this.header.minor >= FIRST_REDACTED_MINOR,
      },
      [],
    );
  }

  path(entry: EntryIndex): EntryIndex[] {
    const path: EntryIndex[] = [];
    for (let at = entry; at >= 0; at = this.columns.parent(at)) path.push(at);
    return path.reverse();
  }
}
