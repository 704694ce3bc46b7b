/**
 * A strict reader and a small writer of DER (X.690), as far as time-stamp requests and tokens need them (audit spec 5.3 step 1, interop 4).
 *
 * Strict means that one value has one encoding: definite shortest lengths, shortest INTEGERs, BOOLEAN FF, no bytes past the end. The reader
 * walks on demand and one level at a time, so hostile nesting costs nothing.
 */
import { concat, hex } from '../bytes/encoding.ts';

/** Why bytes are not DER. `indefinite` says that they look like BER, which deserves other words than "corrupt" (interop 4 rule 1). */
export class DerProblem extends Error {
  readonly indefinite: boolean;
  constructor(message: string, indefinite = false) {
    super(message);
    this.indefinite = indefinite;
  }
}

export interface DerValue {
  /** The identifier byte: class, constructed bit and number (all tags of these structures fit one byte). */
  readonly tag: number;
  readonly content: Uint8Array;
  /** The whole encoding, identifier and length included. */
  readonly whole: Uint8Array;
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Reads the value that begins at `at`. */
function valueAt(bytes: Uint8Array, at: number): DerValue {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) throw new DerProblem('the encoding is cut off');
  if ((tag & 0x1f) === 0x1f) throw new DerProblem('a tag number of more than one byte');
  if (first === 0x80) throw new DerProblem('an indefinite length: this is BER, not DER', true);
  let start = at + 2;
  let length = first;
  if (first > 0x80) {
    const count = first & 0x7f;
    if (count > 4) throw new DerProblem('a length of more than four bytes');
    length = 0;
    for (let i = 0; i < count; i++) {
      const byte = bytes[start + i];
      if (byte === undefined) throw new DerProblem('the encoding is cut off');
      length = length * 256 + byte;
    }
    start += count;
    if (length < 0x80 || length < 256 ** (count - 1)) throw new DerProblem('a length is not in its shortest form');
  }
  if (start + length > bytes.length) throw new DerProblem('the encoding is cut off');
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) };
}

/** The one value that fills the bytes. */
export function derValue(bytes: Uint8Array): DerValue {
  const value = valueAt(bytes, 0);
  if (value.whole.length !== bytes.length) throw new DerProblem('there are bytes after the value');
  return value;
}

/** The members of a constructed value, read in order; each `take` names what is expected. */
export class DerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Tag of the next member, undefined at the end. */
  get next(): number | undefined {
    return this.#bytes[this.#at];
  }

  take(tag: number, what: string): DerValue {
    if (this.next === undefined) throw new DerProblem(`${what} is missing`);
    const value = valueAt(this.#bytes, this.#at);
    if (value.tag !== tag)
      throw new DerProblem(`${what} should have tag ${hex(Uint8Array.of(tag))}, not ${hex(Uint8Array.of(value.tag))}`);
    this.#at += value.whole.length;
    return value;
  }

  any(what: string): DerValue {
    if (this.next === undefined) throw new DerProblem(`${what} is missing`);
    const value = valueAt(this.#bytes, this.#at);
    this.#at += value.whole.length;
    return value;
  }

  optional(tag: number): DerValue | undefined {
    return this.next === tag ? this.any('') : undefined;
  }

  sequence(what: string): DerReader {
    return new DerReader(this.take(TAG.sequence, what).content);
  }

  integer(what: string): bigint {
    return derInteger(this.take(TAG.integer, what).content, what);
  }

  oid(what: string): string {
    return derOid(this.take(TAG.oid, what).content, what);
  }

  end(what: string): void {
    if (this.next !== undefined) throw new DerProblem(`${what} has a member too many`);
  }
}

/** The content of an INTEGER in its shortest form. */
export function derInteger(content: Uint8Array, what: string): bigint {
  const [first, second] = content;
  if (first === undefined) throw new DerProblem(`${what} is an empty INTEGER`);
  if (second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80)))
    throw new DerProblem(`${what} is not in its shortest form`);
  if (content.length > 64) throw new DerProblem(`${what} is longer than 512 bits`);
  const value = BigInt(`0x${hex(content)}`);
  return first >= 0x80 ? value - (1n << BigInt(8 * content.length)) : value;
}

/** A BOOLEAN: FF is true, 00 false, anything else is not DER. */
export function derBoolean(content: Uint8Array, what: string): boolean {
  if (content.length !== 1 || (content[0] !== 0xff && content[0] !== 0x00))
    throw new DerProblem(`${what} is not a DER BOOLEAN`);
  return content[0] === 0xff;
}

function derOid(content: Uint8Array, what: string): string {
  const arcs: bigint[] = [];
  let arc = 0n;
  let started = false;
  if (content.length > 128) throw new DerProblem(`${what} is longer than 128 bytes`);
  for (const byte of content) {
    if (!started && byte === 0x80) throw new DerProblem(`${what} is not in its shortest form`);
    started = (byte & 0x80) !== 0;
    arc = arc * 128n + BigInt(byte & 0x7f);
    if (started) continue;
    if (arcs.length > 0) arcs.push(arc);
    else {
      const top = arc < 80n ? arc / 40n : 2n;
      arcs.push(top, arc - 40n * top);
    }
    arc = 0n;
  }
  if (started || arcs.length === 0) throw new DerProblem(`${what} is not an object identifier`);
  return arcs.join('.');
}

/** Writes one value with the shortest length. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const content = concat(...contents);
  const length: number[] = [];
  if (content.length < 0x80) length.push(content.length);
  else {
    for (let rest = content.length; rest > 0; rest = Math.floor(rest / 256)) length.unshift(rest % 256);
    length.unshift(0x80 | length.length);
  }
  return concat(Uint8Array.of(tag, ...length), content);
}

/** A non-negative INTEGER of big-endian bytes, in its shortest form. */
export function derUnsigned(magnitude: Uint8Array): Uint8Array {
  let at = 0;
  while (at < magnitude.length - 1 && magnitude[at] === 0) at++;
  const rest = magnitude.length === 0 ? Uint8Array.of(0) : magnitude.subarray(at);
  return der(TAG.integer, ...((rest[0] as number) >= 0x80 ? [Uint8Array.of(0), rest] : [rest]));
}

/** An OBJECT IDENTIFIER of its dotted text. */
export function derObjectIdentifier(text: string): Uint8Array {
  const [top = 0n, second = 0n, ...rest] = text.split('.').map(BigInt);
  const bytes: number[] = [];
  for (const arc of [top * 40n + second, ...rest]) {
    const digits = [Number(arc & 0x7fn)];
    for (let more = arc >> 7n; more > 0n; more >>= 7n) digits.unshift(Number(more & 0x7fn) | 0x80);
    bytes.push(...digits);
  }
  return der(TAG.oid, Uint8Array.from(bytes));
}
