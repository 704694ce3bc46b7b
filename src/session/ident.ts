/**
 * The two hashes of an entry (session-format 4.4), from the line's own bytes. What the scan found to be canonical is hashed as it
 * stands; the rest is written anew first.
 */

import { utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import { ByteWriter, sortMembers, writeCanonical, writeName } from '../json/canonical.ts';
import { ARRAY, type Node, NULL, name, type Scanner } from '../json/scan.ts';

export const ID = name('id');
export const TYPE = name('type');
export const PARENT = name('parent');
export const PARENTS = name('parents');
export const TS = name('ts');
export const CONTENT = name('content');

/** Rows of the envelope's members in a scanned line; -1 where a member is absent. */
export interface EnvelopeRows {
  id: Node;
  type: Node;
  parent: Node;
  parents: Node;
  ts: Node;
  content: Node;
}

/** Finds the members of the envelope in one pass over the top level. */
export function envelopeRows(scanner: Scanner, rows: EnvelopeRows): void {
  rows.id = rows.type = rows.parent = rows.parents = rows.ts = rows.content = -1;
  for (let at = scanner.first(0); at >= 0; at = scanner.following(0, at)) {
    if (scanner.nameIs(at, ID)) rows.id = at;
    else if (scanner.nameIs(at, TYPE)) rows.type = at;
    else if (scanner.nameIs(at, PARENT)) rows.parent = at;
    else if (scanner.nameIs(at, PARENTS)) rows.parents = at;
    else if (scanner.nameIs(at, TS)) rows.ts = at;
    else if (scanner.nameIs(at, CONTENT)) rows.content = at;
  }
}

const HEX_DIGITS = utf8('0123456789abcdef');
const OPEN = utf8('{"content":"sha256:');
const PARENT_NAME = utf8('","parent":');
const NULL_WORD = utf8('null');
const PARENTS_NAME = utf8(',"parents":');
const TS_NAME = utf8(',"ts":');
const TYPE_NAME = utf8(',"type":');

/** Computes ids; the memory it writes in is kept from line to line. */
export class Hasher {
  readonly #out = new ByteWriter();
  readonly #body = new ByteWriter();
  /** Members of the last body that was written anew, and where each value stands in it. */
  readonly #written: Node[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /** SHA-256 of the canonical body: every member that is not of the envelope. */
  contentHash(scanner: Scanner, rows: EnvelopeRows): Uint8Array {
    return sha256(this.body(scanner, rows));
  }

  /** The canonical body; a view, good until the next call. */
  body(scanner: Scanner, rows: EnvelopeRows): Uint8Array {
    const out = this.#body;
    out.clear();
    this.#written.length = this.#starts.length = this.#ends.length = 0;
    out.byte(0x7b);
    if (scanner.isCanonical(0)) {
      // Members stand in order and without space: runs of the body are copied whole.
      let runStart = -1;
      let runEnd = -1;
      for (let at = scanner.first(0); at >= 0; at = scanner.following(0, at)) {
        if (isEnvelope(at, rows)) {
          this.#copyRun(scanner, runStart, runEnd);
          runStart = -1;
        } else {
          if (runStart < 0) runStart = (scanner.nameStart[at] as number) - 1;
          runEnd = scanner.end[at] as number;
        }
      }
      this.#copyRun(scanner, runStart, runEnd);
    } else {
      const members: Node[] = [];
      for (let at = scanner.first(0); at >= 0; at = scanner.following(0, at))
        if (!isEnvelope(at, rows)) members.push(at);
      this.#writeMembers(scanner, sortMembers(scanner, members));
    }
    out.byte(0x7d);
    return out.view();
  }

  #copyRun(scanner: Scanner, start: number, end: number): void {
    if (start < 0) return;
    if (this.#body.length > 1) this.#body.byte(0x2c);
    this.#body.copy(scanner.bytes, start, end);
  }

  #writeMembers(scanner: Scanner, members: readonly Node[]): void {
    const out = this.#body;
    for (let i = 0; i < members.length; i++) {
      if (i > 0) out.byte(0x2c);
      const member = members[i] as Node;
      writeName(scanner, member, out);
      this.#written.push(member);
      this.#starts.push(out.length);
      writeCanonical(scanner, member, out);
      this.#ends.push(out.length);
    }
  }

  /** The RFC 8785 bytes of a member of the last body, where it was written anew: a view, good until the next body. */
  canonicalMember(node: Node): Uint8Array | undefined {
    const at = this.#written.indexOf(node);
    return at < 0 ? undefined : this.#body.view().subarray(this.#starts[at], this.#ends[at]);
  }

  /** SHA-256 of the canonical envelope over a content hash: the id, as 32 bytes. */
  id(scanner: Scanner, rows: EnvelopeRows, content: Uint8Array): Uint8Array {
    const out = this.#out;
    out.clear();
    out.copy(OPEN);
    for (let i = 0; i < content.length; i++) {
      const byte = content[i] as number;
      out.byte(HEX_DIGITS[byte >> 4] as number);
      out.byte(HEX_DIGITS[byte & 15] as number);
    }
    out.copy(PARENT_NAME);
    if (rows.parent < 0) out.copy(NULL_WORD);
    else writeCanonical(scanner, rows.parent, out);
    // An empty array and null hash like an absent one.
    if (rows.parents >= 0 && scanner.kind[rows.parents] === ARRAY && scanner.first(rows.parents) >= 0) {
      out.copy(PARENTS_NAME);
      writeCanonical(scanner, rows.parents, out);
    }
    out.copy(TS_NAME);
    if (rows.ts < 0 || scanner.kind[rows.ts] === NULL) out.copy(NULL_WORD);
    else writeCanonical(scanner, rows.ts, out);
    out.copy(TYPE_NAME);
    writeCanonical(scanner, rows.type, out);
    out.byte(0x7d);
    return sha256(out.view());
  }
}

function isEnvelope(node: Node, rows: EnvelopeRows): boolean {
  return node === rows.id || node === rows.type || node === rows.parent || node === rows.parents || node === rows.ts;
}

const PREFIX = utf8('sha256:');
const HEX_VALUE = new Int8Array(256).fill(-1);
for (let i = 0; i < 16; i++) HEX_VALUE[HEX_DIGITS[i] as number] = i;

/**
 * Reads `sha256:` and 64 lowercase hexadecimal digits from `bytes[start, end)` into `into` (4.1: exactly that is a hash).
 *
 * @returns whether it is one.
 */
export function readHash(bytes: Uint8Array, start: number, end: number, into: Uint8Array): boolean {
  if (end - start !== 71) return false;
  for (let i = 0; i < 7; i++) if (bytes[start + i] !== PREFIX[i]) return false;
  for (let i = 0; i < 32; i++) {
    const high = HEX_VALUE[bytes[start + 7 + 2 * i] as number] as number;
    const low = HEX_VALUE[bytes[start + 8 + 2 * i] as number] as number;
    if ((high | low) < 0) return false;
    into[i] = (high << 4) | low;
  }
  return true;
}

/** The same of a text. */
export function readHashText(text: string, into: Uint8Array): boolean {
  if (text.length !== 71 || !text.startsWith('sha256:')) return false;
  for (let i = 0; i < 32; i++) {
    const high = HEX_VALUE[text.charCodeAt(7 + 2 * i)] ?? -1;
    const low = HEX_VALUE[text.charCodeAt(8 + 2 * i)] ?? -1;
    if ((high | low) < 0) return false;
    into[i] = (high << 4) | low;
  }
  return true;
}

/** The 32 bytes of a hash in text that is one. */
export function hashOfText(hash: string): Uint8Array {
  const bytes = new Uint8Array(32);
  readHashText(hash, bytes);
  return bytes;
}

/** The id that a line states which cannot be parsed, by the look of it. */
export function statedHash(line: Uint8Array): Uint8Array | undefined {
  const text = new TextDecoder().decode(line);
  const stated = /"id"\s{0,8}:\s{0,8}"(sha256:[0-9a-f]{64})"/.exec(text)?.[1];
  return stated === undefined ? undefined : hashOfText(stated);
}
