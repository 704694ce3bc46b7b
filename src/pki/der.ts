/**
 * Strict DER (X.690 10 and 11) at the edges: one linear pass says whether bytes are canonical, and a cursor walks what passed. The
 * structures of `src/pki` are read with the cursor, so that every part keeps its raw span (a hash or a signature is over the bytes as
 * they stand, never over a re-encoding). Approver-identity 2: indefinite or non-minimal lengths and trailing bytes are not DER.
 *
 * `Malformed` is thrown inside the readers of this folder only; `reading` turns it into a finding at their edge.
 */
import { compareBytes, decodeUtf8 } from '../bytes/encoding.ts';

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Depth of nesting that is read; certificates nest some ten levels, tokens some fifteen. */
export const MAX_DER_DEPTH = 64;

/** Bytes that are not what a reader expects, with the place. Never leaves `src/pki`. */
export class Malformed extends Error {
  readonly at: number;
  /** Whether a limit was passed, rather than a rule of the encoding broken. */
  readonly limit: boolean;
  constructor(message: string, at: number, limit = false) {
    super(message);
    this.at = at;
    this.limit = limit;
  }
}

/** One element: tag byte, and offsets of the header, the contents and the end in the bytes it stands in. */
export interface Element {
  readonly bytes: Uint8Array;
  readonly tag: number;
  readonly start: number;
  readonly content: number;
  readonly end: number;
}

/** The whole element, header included. */
export function raw(element: Element): Uint8Array {
  return element.bytes.subarray(element.start, element.end);
}

/** The contents of an element. */
export function contents(element: Element): Uint8Array {
  return element.bytes.subarray(element.content, element.end);
}

/** Reads the header at `at`; the element must end at or before `limit`. */
export function elementAt(bytes: Uint8Array, at: number, limit: number): Element {
  const tag = bytes[at];
  if (tag === undefined || at >= limit) throw new Malformed('the data ends where an element must begin', at);
  if ((tag & 0x1f) === 0x1f) throw new Malformed('a tag number above 30 is not used by these formats', at);
  const first = bytes[at + 1];
  if (first === undefined || at + 1 >= limit) throw new Malformed('the data ends inside a length', at);
  let content = at + 2;
  let length = first;
  if (first >= 0x80) {
    const count = first & 0x7f;
    if (count === 0) throw new Malformed('an indefinite length is BER, not DER', at);
    if (count > 4) throw new Malformed('a length has more than four bytes', at, true);
    if (content + count > limit) throw new Malformed('the data ends inside a length', at);
    length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + (bytes[content + i] as number);
    content += count;
    const shortest = length < 0x80 ? 0 : length < 0x100 ? 1 : length < 0x10000 ? 2 : length < 0x1000000 ? 3 : 4;
    if (shortest !== count) throw new Malformed('a length is not written in its shortest form', at);
  }
  if (content + length > limit) throw new Malformed('an element runs past the end of what holds it', at);
  return { bytes, tag, start: at, content, end: content + length };
}

/** Refuses bytes that are not exactly one canonical DER element. One pass, explicit stack. */
export function checkDer(bytes: Uint8Array, maxSize: number): void {
  if (bytes.length > maxSize)
    throw new Malformed(`${bytes.length} bytes are more than the limit of ${maxSize}`, 0, true);
  const top = elementAt(bytes, 0, bytes.length);
  if (top.end !== bytes.length) throw new Malformed('bytes follow the end of the structure', top.end);
  const ends: number[] = [];
  let at = 0;
  let limit = bytes.length;
  while (at < bytes.length) {
    const element = elementAt(bytes, at, limit);
    if ((element.tag & 0x20) !== 0) {
      if (element.tag === TAG.set) checkSorted(element);
      checkConstructed(element);
      if (ends.length >= MAX_DER_DEPTH) throw new Malformed(`more than ${MAX_DER_DEPTH} levels of nesting`, at, true);
      ends.push(limit);
      limit = element.end;
      at = element.content;
    } else {
      checkPrimitive(element);
      at = element.end;
    }
    while (at === limit && ends.length > 0) limit = ends.pop() as number;
  }
}

/** Universal types that have a constructed form in DER: SEQUENCE and SET. */
function checkConstructed(element: Element): void {
  if ((element.tag & 0xc0) === 0 && element.tag !== TAG.sequence && element.tag !== TAG.set)
    throw new Malformed('a value of a primitive type is written in pieces, which DER forbids', element.start);
}

/** X.690 11.6: the members of a SET OF stand in ascending order of their encodings. */
export function checkSorted(set: Element): void {
  let previous: Uint8Array | undefined;
  for (let at = set.content; at < set.end; ) {
    const member = elementAt(set.bytes, at, set.end);
    const span = raw(member);
    if (previous !== undefined && compareBytes(previous, span) > 0)
      throw new Malformed('the members of a set are not in ascending order', at);
    previous = span;
    at = member.end;
  }
}

function checkPrimitive(element: Element): void {
  const { bytes, tag, content, end } = element;
  switch (tag) {
    case TAG.boolean:
      if (end - content !== 1 || (bytes[content] !== 0 && bytes[content] !== 0xff))
        throw new Malformed('a BOOLEAN is not 00 or FF', content);
      return;
    case TAG.integer:
    case TAG.enumerated:
      checkInteger(element);
      return;
    case TAG.bitString:
      checkBitString(element);
      return;
    case TAG.null:
      if (end !== content) throw new Malformed('a NULL has contents', content);
      return;
    case TAG.oid:
      checkOid(element);
      return;
    case TAG.utf8String:
      if (decodeUtf8(contents(element)) === undefined) throw new Malformed('a UTF8String is not valid UTF-8', content);
      return;
    case 0x1e:
      if ((end - content) % 2 !== 0) throw new Malformed('a BMPString has an odd number of bytes', content);
      return;
    case TAG.sequence & 0x1f:
    case TAG.set & 0x1f:
    case 0x00:
      throw new Malformed(
        tag === 0 ? 'a tag 00 stands where an element must begin' : 'a SEQUENCE or SET is marked primitive',
        element.start,
      );
    default:
      return;
  }
}

/** X.690 8.3.2: at least one byte, and not nine equal leading bits. */
export function checkInteger(element: Element): void {
  const { bytes, content, end } = element;
  const first = bytes[content];
  if (first === undefined || content >= end) throw new Malformed('an INTEGER has no contents', content);
  const second = bytes[content + 1] as number;
  if (end - content > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80)))
    throw new Malformed('an INTEGER is not written in its shortest form', content);
}

/** X.690 11.2.1: unused bits are zero and at most seven. */
export function checkBitString(element: Element): void {
  const { bytes, content, end } = element;
  const unused = content < end ? (bytes[content] as number) : 8;
  const last = end - content > 1 ? (bytes[end - 1] as number) : 0;
  if (unused > 7 || (end - content === 1 && unused !== 0) || (last & ((1 << unused) - 1)) !== 0)
    throw new Malformed('the unused bits of a BIT STRING are not zero', content);
}

function checkOid(element: Element): void {
  const { bytes, content, end } = element;
  if (content === end || ((bytes[end - 1] as number) & 0x80) !== 0)
    throw new Malformed('an OBJECT IDENTIFIER ends inside an arc', content);
  let begins = true;
  for (let i = content; i < end; i++) {
    const byte = bytes[i] as number;
    if (begins && byte === 0x80) throw new Malformed('an arc of an OBJECT IDENTIFIER has a padding byte', i);
    begins = (byte & 0x80) === 0;
  }
}

/** Walks the members of one constructed element in order. */
export class Cursor {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(element: Element) {
    this.#bytes = element.bytes;
    this.#at = element.content;
    this.#end = element.end;
  }

  get at(): number {
    return this.#at;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** Tag of the next element, or undefined at the end. */
  get tag(): number | undefined {
    return this.done ? undefined : this.#bytes[this.#at];
  }

  /** The next element; with `tag`, it must have it. */
  next(what: string, tag?: number): Element {
    if (this.done) throw new Malformed(`${what} is missing`, this.#at);
    const element = elementAt(this.#bytes, this.#at, this.#end);
    if (tag !== undefined && element.tag !== tag)
      throw new Malformed(`${what} has another type than it must have`, this.#at);
    this.#at = element.end;
    return element;
  }

  /** The next element if it has this tag. */
  optional(tag: number): Element | undefined {
    return this.tag === tag ? this.next('', tag) : undefined;
  }

  /** A constructed element with this tag, as a cursor over its members. */
  enter(what: string, tag: number = TAG.sequence): Cursor {
    return new Cursor(this.next(what, tag));
  }

  /** Refuses anything left over. */
  finish(what: string): void {
    if (!this.done) throw new Malformed(`${what} has members that it must not have`, this.#at);
  }
}

/** A cursor over the members of the one element that these bytes are. */
export function openDer(bytes: Uint8Array, what: string, tag: number = TAG.sequence): Cursor {
  const element = elementAt(bytes, 0, bytes.length);
  if (element.tag !== tag || element.end !== bytes.length)
    throw new Malformed(`${what} is not one element of its type`, 0);
  return new Cursor(element);
}

/** Dotted text of an OBJECT IDENTIFIER. */
export function oidText(element: Element): string {
  const { bytes, content, end } = element;
  const arcs: string[] = [];
  let arc = 0n;
  let small = 0;
  for (let i = content; i < end; i++) {
    const byte = bytes[i] as number;
    if (arc === 0n && small < 0x1000000) small = small * 128 + (byte & 0x7f);
    else {
      if (arc === 0n) arc = BigInt(small);
      arc = arc * 128n + BigInt(byte & 0x7f);
      if (end - content > 128) throw new Malformed('an OBJECT IDENTIFIER is longer than 128 bytes', content, true);
    }
    if ((byte & 0x80) !== 0) continue;
    const value = arc === 0n ? BigInt(small) : arc;
    if (arcs.length > 0) arcs.push(String(value));
    else if (value < 80n) arcs.push(String(value / 40n), String(value % 40n));
    else arcs.push('2', String(value - 80n));
    arc = 0n;
    small = 0;
  }
  return arcs.join('.');
}

/** Value of an INTEGER or ENUMERATED, two's complement. */
export function integerValue(element: Element): bigint {
  const bytes = contents(element);
  let value = 0n;
  let text = '0x';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  if (bytes.length > 0) value = BigInt(text);
  return bytes.length > 0 && (bytes[0] as number) >= 0x80 ? value - (1n << BigInt(8 * bytes.length)) : value;
}

/** A number from 0 to `max`, for INTEGERs that count or select. */
export function smallInteger(element: Element, what: string, max = 0x7fffffff): number {
  checkInteger(element);
  const value = integerValue(element);
  if (value < 0n || value > BigInt(max)) throw new Malformed(`${what} is out of range`, element.start);
  return Number(value);
}

/** A signature's bits. One that is not a whole number of bytes verifies under no key, which is what the empty signature says here. */
export function signatureBytes(element: Element): Uint8Array {
  checkBitString(element);
  return element.bytes.subarray(element.bytes[element.content] === 0 ? element.content + 1 : element.end, element.end);
}

/** Contents of a BIT STRING without the count of unused bits, of which there must be none. */
export function bitStringBytes(element: Element, what: string): Uint8Array {
  checkBitString(element);
  if (element.bytes[element.content] !== 0)
    throw new Malformed(`${what} is not a whole number of bytes`, element.content);
  return element.bytes.subarray(element.content + 1, element.end);
}
