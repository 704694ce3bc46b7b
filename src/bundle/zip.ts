/**
 * The canonical ZIP: a stored-only subset in which a list of names and bytes has exactly one encoding (interop 6). The reader finds no
 * meaning in anything that the writer would not have written, so there are no gaps, no links, no second archive and nothing to inflate.
 */
import { compareBytes, concat, decodeUtf8, equalBytes, utf8 } from '../bytes/encoding.ts';

export interface ZipEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export type ZipRule =
  | 'zip-end'
  | 'zip-zip64'
  | 'zip-directory'
  | 'zip-field'
  | 'zip-bounds'
  | 'zip-name-utf8'
  | 'zip-name-length'
  | 'zip-name-nfc'
  | 'zip-name-absolute'
  | 'zip-name-segment'
  | 'zip-name-character'
  | 'zip-name-device'
  | 'zip-duplicate'
  | 'zip-file-and-folder'
  | 'zip-order'
  | 'zip-layout'
  | 'zip-local'
  | 'zip-crc'
  | 'zip-not-canonical'
  | 'zip-too-many';

export interface ZipProblem {
  readonly rule: ZipRule;
  readonly message: string;
  /** Offset of the field that does not fit. */
  readonly at: number;
  /** The entry, where it is known. */
  readonly name?: string;
}

export type ZipResult =
  | { readonly ok: true; readonly entries: readonly ZipEntry[] }
  | { readonly ok: false; readonly problem: ZipProblem };

/** Entries that are read at most; the format itself ends at 65,534. */
export const MAX_ENTRIES = 10_000;

const LOCAL = 30;
const DIRECTORY = 46;
const END = 22;

/** Everything in a header that is the same in every archive: version needed to date, and the directory's own fields. */
const COMMON = Uint8Array.of(0x14, 0, 0, 0x08, 0, 0, 0, 0, 0x21, 0);
const LOCAL_SIGNATURE = Uint8Array.of(0x50, 0x4b, 0x03, 0x04);
const DIRECTORY_SIGNATURE = Uint8Array.of(0x50, 0x4b, 0x01, 0x02);
const END_SIGNATURE = Uint8Array.of(0x50, 0x4b, 0x05, 0x06);
const MADE_BY = Uint8Array.of(0x14, 0x03);
/** Comment length, disk, internal attributes, external attributes of a regular file 0644. */
const TAIL = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0xa4, 0x81);

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 as ZIP has it. No protection: the signed manifest has the SHA-256 of each entry. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 255] as number);
  return ~crc >>> 0;
}

function little(value: number, length: 2 | 4): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (value >>> (8 * i)) & 255);
}

/** Checksum, both sizes, name length, extra length: shared by both headers. */
function sizesOf(name: Uint8Array, bytes: Uint8Array): Uint8Array {
  return concat(
    little(crc32(bytes), 4),
    little(bytes.length, 4),
    little(bytes.length, 4),
    little(name.length, 2),
    little(0, 2),
  );
}

function localHeader(name: Uint8Array, sizes: Uint8Array): Uint8Array {
  return concat(LOCAL_SIGNATURE, COMMON, sizes, name);
}

function directoryHeader(name: Uint8Array, sizes: Uint8Array, offset: number): Uint8Array {
  return concat(DIRECTORY_SIGNATURE, MADE_BY, COMMON, sizes, TAIL, little(offset, 4), name);
}

/**
 * The one encoding of these entries, in any order given.
 *
 * @throws RangeError for names or sizes that the format does not admit: the caller's mistake
 */
export function writeZip(entries: readonly ZipEntry[]): Uint8Array {
  const rows = entries
    .map(({ name, bytes }) => ({ name: utf8(name), bytes }))
    .sort((a, b) => compareBytes(a.name, b.name));
  const problem = checkNames(rows.map(({ name }) => ({ bytes: name, at: 0 })));
  if (problem !== undefined) throw new RangeError(`${problem.name ?? 'an entry'}: ${problem.message}`);
  if (rows.length === 0 || rows.length > 65_534) throw new RangeError('an archive holds 1 to 65,534 entries');
  const locals: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes } of rows) {
    const sizes = sizesOf(name, bytes);
    directory.push(directoryHeader(name, sizes, offset));
    locals.push(localHeader(name, sizes), bytes);
    offset += LOCAL + name.length + bytes.length;
  }
  const central = concat(...directory);
  if (offset + central.length > 2 ** 32 - 2) throw new RangeError('an archive is at most 4 GiB');
  const count = little(rows.length, 2);
  return concat(
    ...locals,
    central,
    END_SIGNATURE,
    little(0, 4),
    count,
    count,
    little(central.length, 4),
    little(offset, 4),
    little(0, 2),
  );
}

class Refused extends Error {
  readonly problem: ZipProblem;
  constructor(problem: ZipProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

function refuse(rule: ZipRule, message: string, at: number, name?: string): never {
  throw new Refused({ rule, message, at, ...(name === undefined ? {} : { name }) });
}

interface Row {
  readonly name: Uint8Array;
  readonly label: string;
  readonly sizes: Uint8Array;
  readonly size: number;
  readonly crc: number;
  readonly offset: number;
  /** Offset of the directory header. */
  readonly at: number;
}

/** Reads an archive by the steps of interop 6.3, or says which rule it breaks first. Entries are views of `archive`. */
export function readZip(archive: Uint8Array): ZipResult {
  try {
    return { ok: true, entries: read(archive) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, problem: error.problem };
    throw error;
  }
}

function read(archive: Uint8Array): readonly ZipEntry[] {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  // 1. The end record.
  const end = archive.length - END;
  if (end < 0 || !equalBytes(archive.subarray(end, end + 4), END_SIGNATURE)) {
    refuse(
      'zip-end',
      'the last 22 bytes are no end record: not a ZIP, cut off, or with something after its end',
      Math.max(0, end),
    );
  }
  const count = view.getUint16(end + 10, true);
  const directorySize = view.getUint32(end + 12, true);
  const start = view.getUint32(end + 16, true);
  if (
    count === 0xffff ||
    view.getUint16(end + 8, true) === 0xffff ||
    directorySize === 0xffffffff ||
    start === 0xffffffff
  ) {
    refuse('zip-zip64', 'the archive uses ZIP64', end);
  }
  const plain =
    view.getUint32(end + 4, true) === 0 &&
    view.getUint16(end + 8, true) === count &&
    view.getUint16(end + 20, true) === 0;
  if (!plain || count === 0)
    refuse('zip-end', 'the end record has other disks, other counts, a comment, or no entries', end);
  if (start + directorySize !== end) {
    refuse('zip-end', 'directory offset, directory size and end do not add up to the length of the file', end);
  }
  if (count > MAX_ENTRIES)
    refuse('zip-too-many', `the archive has ${count} entries; at most ${MAX_ENTRIES} are read`, end);

  // 2. The directory.
  const rows = directoryRows(archive, view, start, end, count);
  // 3. Names and order.
  const problem = checkNames(rows.map(({ name, at }) => ({ bytes: name, at: at + DIRECTORY })));
  if (problem !== undefined) throw new Refused(problem);
  for (let i = 1; i < rows.length; i++) {
    const [before, row] = [rows[i - 1] as Row, rows[i] as Row];
    if (compareBytes(before.name, row.name) >= 0)
      refuse('zip-order', 'the entries do not ascend by the bytes of their names', row.at, row.label);
  }
  // 4. Offsets: the running sum from the first byte of the file to the directory.
  let offset = 0;
  for (const row of rows) {
    if (row.offset !== offset)
      refuse('zip-layout', `the entry begins at ${row.offset}, not where the one before it ends`, row.at, row.label);
    offset += LOCAL + row.name.length + row.size;
  }
  if (offset !== start) refuse('zip-layout', 'there are bytes that belong to no entry', Math.min(offset, end));
  // 5. Local headers and checksums.
  const entries = rows.map((row): ZipEntry => {
    const header = localHeader(row.name, row.sizes);
    if (!equalBytes(archive.subarray(row.offset, row.offset + header.length), header)) {
      refuse('zip-local', 'the header before the data is not the one of the directory', row.offset, row.label);
    }
    const bytes = archive.subarray(row.offset + header.length, row.offset + header.length + row.size);
    if (crc32(bytes) !== row.crc)
      refuse('zip-crc', 'the data does not have its checksum', row.offset + header.length, row.label);
    return { name: row.label, bytes };
  });
  // 6. The rule that decides: writing the entries gives these very bytes.
  if (!isCanonical(archive, entries)) refuse('zip-not-canonical', 'writing the entries again gives other bytes', 0);
  return entries;
}

function directoryRows(archive: Uint8Array, view: DataView, start: number, end: number, count: number): readonly Row[] {
  const rows: Row[] = [];
  let at = start;
  for (let i = 0; i < count; i++) {
    if (at + DIRECTORY > end || !equalBytes(archive.subarray(at, at + 4), DIRECTORY_SIGNATURE)) {
      refuse('zip-directory', `entry ${i + 1} of the directory is not there`, at);
    }
    const sizes = archive.subarray(at + 16, at + 32);
    const size = view.getUint32(at + 20, true);
    const offset = view.getUint32(at + 42, true);
    const nameLength = view.getUint16(at + 28, true);
    if (size === 0xffffffff || offset === 0xffffffff || view.getUint32(at + 24, true) === 0xffffffff)
      refuse('zip-zip64', 'the archive uses ZIP64', at);
    const fields =
      equalBytes(archive.subarray(at + 4, at + 6), MADE_BY) &&
      equalBytes(archive.subarray(at + 6, at + 16), COMMON) &&
      equalBytes(archive.subarray(at + 32, at + 42), TAIL) &&
      view.getUint16(at + 30, true) === 0 &&
      view.getUint32(at + 24, true) === size;
    if (!fields) refuse('zip-field', 'a field has another value than a canonical archive has: repack it', at);
    const name = archive.subarray(at + DIRECTORY, Math.min(at + DIRECTORY + nameLength, end));
    if (name.length !== nameLength) refuse('zip-directory', `entry ${i + 1} of the directory is cut off`, at);
    if (offset + LOCAL + nameLength + size > start) refuse('zip-bounds', 'the data would reach into the directory', at);
    rows.push({ name, label: decodeUtf8(name) ?? '', sizes, size, crc: view.getUint32(at + 16, true), offset, at });
    at += DIRECTORY + nameLength;
  }
  if (at !== end) refuse('zip-directory', 'the directory holds more than its entries', at);
  return rows;
}

/** Compares piece by piece what the writer would write, so that the archive is not held twice. */
function isCanonical(archive: Uint8Array, entries: readonly ZipEntry[]): boolean {
  let at = 0;
  const next = (bytes: Uint8Array) => {
    const same = equalBytes(archive.subarray(at, at + bytes.length), bytes);
    at += bytes.length;
    return same;
  };
  const directory: Uint8Array[] = [];
  for (const entry of entries) {
    const name = utf8(entry.name);
    const sizes = sizesOf(name, entry.bytes);
    directory.push(directoryHeader(name, sizes, at));
    if (!next(localHeader(name, sizes)) || !next(entry.bytes)) return false;
  }
  const start = at;
  for (const header of directory) if (!next(header)) return false;
  const count = little(entries.length, 2);
  return (
    next(concat(END_SIGNATURE, little(0, 4), count, count, little(at - start, 4), little(start, 4), little(0, 2))) &&
    at === archive.length
  );
}

const FORBIDDEN = /[\\:*?"<>|\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/i;

/** Rules for one name (interop 6.2). */
function checkName(bytes: Uint8Array): { rule: ZipRule; message: string } | undefined {
  const name = decodeUtf8(bytes);
  if (name === undefined) return { rule: 'zip-name-utf8', message: 'the name is not UTF-8' };
  const segments = name.split('/');
  if (bytes.length < 1 || bytes.length > 240 || segments.some((segment) => utf8(segment).length > 120)) {
    return { rule: 'zip-name-length', message: 'the name has more than 240 bytes, or a segment more than 120' };
  }
  if (name.normalize('NFC') !== name) return { rule: 'zip-name-nfc', message: 'the name is not in normal form C' };
  if (name.startsWith('/')) return { rule: 'zip-name-absolute', message: 'the name begins with a slash' };
  if (FORBIDDEN.test(name))
    return { rule: 'zip-name-character', message: 'the name holds a character that is not allowed' };
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..' || /^ |[. ]$/.test(segment)) {
      return {
        rule: 'zip-name-segment',
        message: 'the name has a segment that is empty, leads elsewhere, or ends in a dot or a space',
      };
    }
    if (DEVICE.test(segment.split('.', 1)[0] ?? ''))
      return { rule: 'zip-name-device', message: 'the name is one of a device' };
  }
  return undefined;
}

/** Names that no file system could take for one another. The locale-free double mapping is coarser than case folding. */
function fold(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

function checkNames(names: readonly { readonly bytes: Uint8Array; readonly at: number }[]): ZipProblem | undefined {
  for (const { bytes, at } of names) {
    const problem = checkName(bytes);
    if (problem !== undefined) return { ...problem, at, name: new TextDecoder().decode(bytes) };
  }
  const folds = new Set<string>();
  for (const { bytes, at } of names) {
    const name = decodeUtf8(bytes) ?? '';
    if (folds.has(fold(name)))
      return { rule: 'zip-duplicate', message: 'two entries have this name, case aside', at, name };
    folds.add(fold(name));
  }
  for (const { bytes, at } of names) {
    const name = decodeUtf8(bytes) ?? '';
    const folded = fold(name);
    for (let slash = folded.indexOf('/'); slash >= 0; slash = folded.indexOf('/', slash + 1)) {
      if (folds.has(folded.slice(0, slash)))
        return { rule: 'zip-file-and-folder', message: 'a folder of this name is also a file', at, name };
    }
  }
  return undefined;
}
