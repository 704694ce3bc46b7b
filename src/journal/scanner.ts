/**
 * One walk over the bytes of a stored record. It finds at once what the record holds, whether the bytes read one way to every JSON
 * reader (audit spec 1.2), and whether they are what a journal writes (journal 2.9). Bytes that are not UTF-8 are walked too, since
 * a record may hold them inside raw JSON (journal 2.5).
 *
 * Raw values are walked without recursion; only the shapes of a record nest by calls, and those are of fixed depth.
 */
import { decodeUtf8 } from '../bytes/encoding.ts';
import { firstInvalidUtf8, MAX_DEPTH } from '../json/tree.ts';
import type { KnownNames } from './known-names.ts';
import type { RecordProblem } from './record.ts';
import { decodeEachByte, isWellFormed, quote, toWellFormed } from './text.ts';

/** Ends the walk: the bytes are no record. Never leaves `decode.ts`. */
export class NoRecord extends Error {
  readonly problem: RecordProblem;
  constructor(kind: RecordProblem['kind'], at: number, message: string) {
    super(message);
    this.problem = { kind, at, message };
  }
}

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;
const NO_BYTES = new Uint8Array(0);
/** Objects of more members than this are checked for repeated names by a set instead of by comparison. */
const FEW_NAMES = 8;

/** A container of free-form JSON that is open. */
interface Container {
  isObject: boolean;
  /** The first names so far, `few` of them, and from then on all names. */
  few: number;
  readonly names: string[];
  all: Set<string> | undefined;
}

/** One scanner can walk one record after another: `begin` starts with the next. What it keeps for a walk serves the next one too. */
export class Scanner {
  bytes: Uint8Array = NO_BYTES;
  at = 0;
  /** The first way in which the bytes read two ways. */
  twoWays: RecordProblem | undefined;
  /** The first byte that a journal would not have written so. */
  deviation: RecordProblem | undefined;
  /** Offset of the latest escape that gave half a surrogate pair inside a skipped value; -1 for none. */
  loneSurrogateAt = -1;
  /** The bytes as text when they are ASCII, so that offsets are the same. */
  #ascii: string | undefined;
  /** By depth. */
  readonly #containers: Container[] = [];

  begin(bytes: Uint8Array): this {
    this.bytes = bytes;
    this.at = 0;
    this.twoWays = undefined;
    this.deviation = undefined;
    this.loneSurrogateAt = -1;
    // A hostile record can open ten thousand.
    if (this.#containers.length > 64) this.#containers.length = 64;
    const text = decodeUtf8(bytes);
    this.#ascii = text?.length === bytes.length ? text : undefined;
    if (text === undefined)
      this.ambiguous(
        'invalid-utf8',
        firstInvalidUtf8(bytes),
        'the bytes are not UTF-8 text; readers replace what is not differently',
      );
    return this;
  }

  /** The next byte after optional white space, which no journal writes. */
  peek(): number {
    let byte = this.bytes[this.at] ?? 0;
    if (byte <= 0x20) {
      while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
        this.deviate(this.at, 'there is white space between tokens');
        byte = this.bytes[++this.at] ?? 0;
      }
    }
    return byte;
  }

  /** Takes one expected byte. */
  take(byte: number, what: string): void {
    if (this.peek() !== byte) this.refuse(`expected ${what}`);
    this.at++;
  }

  /** Takes a byte if it is next. */
  takes(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.at++;
    return true;
  }

  /** Takes these bytes if they are next. */
  takesAll(expected: Uint8Array): boolean {
    const { bytes, at } = this;
    for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false;
    this.at = at + expected.length;
    return true;
  }

  end(): void {
    this.peek();
    if (this.at < this.bytes.length) this.refuse('there is more after the value');
  }

  /** True if `null` stood there, which only a foreign writer puts in place of an absent member. */
  null(): boolean {
    if (this.peek() !== 0x6e) return false;
    this.deviate(this.at, 'an absent member is written as null');
    this.#literal('null');
    return true;
  }

  boolean(): boolean {
    const byte = this.peek();
    if (byte === 0x74) this.#literal('true');
    else if (byte === 0x66) this.#literal('false');
    else this.wrong('true or false');
    return byte === 0x74;
  }

  /** A whole number's text. */
  integer(): string {
    this.peek();
    const start = this.at;
    const text = this.#numberText();
    if (!INTEGER.test(text)) this.wrong('a whole number', start);
    return text;
  }

  /** The number that stands here, if it is spelled in one to fifteen digits, the first no zero, or `0`; -1, with nothing taken, if not. */
  digits(): number {
    const { bytes } = this;
    let at = this.at;
    let byte = bytes[at] ?? 0;
    let value = 0;
    for (; byte >= 0x30 && byte <= 0x39; byte = bytes[++at] ?? 0) value = value * 10 + byte - 0x30;
    const length = at - this.at;
    if (length === 0 || length > 15 || (length > 1 && bytes[this.at] === 0x30) || isNumberByte(byte)) return -1;
    this.at = at;
    return value;
  }

  /** Index of the known name that stands here as a string without escapes; -1, with nothing taken, if none does. */
  known(names: KnownNames): number {
    const start = this.at;
    if (!this.plainString()) return -1;
    const index = names.at(this.bytes, start + 1, this.at - 1);
    if (index < 0) this.at = start;
    return index;
  }

  /** Takes a string in which no escape stands; false, with nothing taken, if there is none. */
  plainString(): boolean {
    const start = this.at;
    if (this.bytes[start] === 0x22 && this.#skipString()) return true;
    this.at = start;
    return false;
  }

  /** A string member: decoded, and held against the one way to write it. */
  string(): string {
    if (this.peek() !== 0x22) this.wrong('a string');
    const start = this.at;
    const plain = this.#skipString();
    if (plain && this.#ascii !== undefined) return this.#ascii.slice(start + 1, this.at - 1);
    return this.#decode(start, plain);
  }

  /** A member name: decoded; where it is in free-form JSON, half surrogates are replaced as the original does. */
  name(): string {
    if (this.peek() !== 0x22) this.refuse('expected a member name in double quotes');
    const start = this.at;
    const plain = this.#skipString();
    if (plain && this.#ascii !== undefined) return this.#ascii.slice(start + 1, this.at - 1);
    return this.#decode(start, plain);
  }

  /** Skips one value of free-form JSON and gives its bytes. */
  raw(): Uint8Array {
    this.peek();
    const start = this.at;
    this.skip();
    return this.bytes.subarray(start, this.at);
  }

  /** Skips one value of any shape, checking its grammar and its names (audit spec 0.5 rules 3 to 5). */
  skip(): void {
    this.loneSurrogateAt = -1;
    const byte = this.peek();
    if (byte === 0x7b || byte === 0x5b) this.#skipContainer();
    else this.#skipScalar(byte);
  }

  #skipContainer(): void {
    let depth = 0;
    let open = this.#container(0);
    for (;;) {
      const byte = this.peek();
      if (byte === 0x7b || byte === 0x5b) {
        if (depth >= MAX_DEPTH) {
          throw new NoRecord('too-deep', this.at, `the text nests deeper than ${MAX_DEPTH} levels`);
        }
        this.at++;
        if (this.takes(byte + 2)) {
          // An empty container is a whole value.
        } else {
          open = this.#container(depth++);
          open.isObject = byte === 0x7b;
          if (open.isObject) this.#rawName(open);
          continue;
        }
      } else this.#skipScalar(byte);
      for (;;) {
        if (depth === 0) return;
        const next = this.peek();
        if (next === 0x2c) {
          this.at++;
          if (open.isObject) this.#rawName(open);
          break;
        }
        if (next !== (open.isObject ? 0x7d : 0x5d)) this.refuse('expected a comma or the end of the value');
        this.at++;
        depth--;
        if (depth > 0) open = this.#containers[depth - 1] as Container;
      }
    }
  }

  /** A container without names so far. */
  #container(depth: number): Container {
    const kept = this.#containers[depth];
    if (kept !== undefined) {
      kept.few = 0;
      kept.all = undefined;
      return kept;
    }
    const fresh = { isObject: false, few: 0, names: [], all: undefined };
    this.#containers.push(fresh);
    return fresh;
  }

  deviate(at: number, message: string): void {
    if (this.deviation === undefined || at < this.deviation.at) this.deviation = { kind: 'not-canonical', at, message };
  }

  ambiguous(kind: RecordProblem['kind'], at: number, message: string): void {
    if (this.twoWays === undefined || at < this.twoWays.at) this.twoWays = { kind, at, message };
  }

  refuse(message: string): never {
    throw new NoRecord('not-json', this.at, this.at >= this.bytes.length ? `the bytes end early: ${message}` : message);
  }

  /** The value is of another type than its member. `null` never comes here. */
  wrong(what: string, at: number = this.at): never {
    throw new NoRecord('not-a-record', at, `expected ${what}`);
  }

  #rawName(open: Container): void {
    if (this.peek() !== 0x22) this.refuse('expected a member name in double quotes');
    const start = this.at;
    const plain = this.#skipString();
    if (this.#ascii === undefined) this.#separators(start);
    const spelled = this.#text(start, plain);
    // The original replaces half surrogates before it compares names.
    const name = plain ? spelled : toWellFormed(spelled);
    if (name !== spelled && this.loneSurrogateAt < 0) this.loneSurrogateAt = start;
    if (isAmong(open, name))
      this.ambiguous('repeated-name', start, `the name ${quote(name)} comes twice in one object`);
    else if (open.all !== undefined) open.all.add(name);
    else if (open.few < FEW_NAMES) open.names[open.few++] = name;
    else open.all = new Set(open.names).add(name);
    this.take(0x3a, '":" after a member name');
  }

  #skipScalar(byte: number): void {
    if (byte === 0x22) {
      const start = this.at;
      const plain = this.#skipString();
      if (this.#ascii === undefined) this.#separators(start);
      if (!plain) this.#noteLone(start);
    } else if (byte === 0x74) this.#literal('true');
    else if (byte === 0x66) this.#literal('false');
    else if (byte === 0x6e) this.#literal('null');
    else if (this.digits() < 0) {
      const start = this.at;
      if (!NUMBER.test(this.#numberText())) {
        this.at = start;
        this.refuse('expected a JSON value');
      }
    }
  }

  #literal(word: 'true' | 'false' | 'null'): void {
    for (let i = 0; i < word.length; i++) {
      if (this.bytes[this.at + i] !== word.charCodeAt(i)) this.refuse('expected a JSON value');
    }
    this.at += word.length;
  }

  #numberText(): string {
    const start = this.at;
    const { bytes } = this;
    let byte = bytes[this.at] ?? 0;
    while ((byte >= 0x30 && byte <= 0x39) || isNumberByte(byte)) byte = bytes[++this.at] ?? 0;
    return this.#ascii === undefined
      ? (decodeUtf8(bytes.subarray(start, this.at)) as string)
      : this.#ascii.slice(start, this.at);
  }

  /** Walks a string; true if it has neither escapes nor, in text that is not ASCII, anything that must be decoded with care. */
  #skipString(): boolean {
    const { bytes } = this;
    let plain = true;
    let at = this.at + 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === 0x22) break;
      if (byte === 0x5c) {
        plain = false;
        const letter = bytes[at + 1] ?? 0;
        if (letter === 0x75) {
          for (let i = 2; i < 6; i++) {
            if (!isHexDigit(bytes[at + i] ?? 0)) {
              this.at = at;
              this.refuse('"\\u" wants four hexadecimal digits');
            }
          }
          at += 6;
        } else if (isEscapeLetter(letter)) at += 2;
        else {
          this.at = at;
          this.refuse('a backslash must begin an escape of JSON');
        }
        continue;
      }
      if (byte === undefined || byte < 0x20) {
        this.at = at;
        this.refuse(byte === undefined ? 'a string has no end' : 'a control character stands unescaped in a string');
      }
      at++;
    }
    this.at = at + 1;
    return plain;
  }

  #text(start: number, plain: boolean): string {
    if (plain && this.#ascii !== undefined) return this.#ascii.slice(start + 1, this.at - 1);
    const inside = this.#ascii?.slice(start, this.at) ?? decodeEachByte(this.bytes.subarray(start, this.at));
    // The grammar was checked, so JSON.parse decodes the escapes and nothing else.
    return plain ? inside.slice(1, -1) : (JSON.parse(inside) as string);
  }

  /** Text of a string of known shape. */
  #decode(start: number, plain: boolean): string {
    const text = this.#text(start, plain);
    const wellFormed = toWellFormed(text);
    if (wellFormed !== text)
      this.ambiguous(
        'lone-surrogate',
        start,
        'an escape gives half a surrogate pair, which readers replace differently',
      );
    const bytes = this.bytes.subarray(start, this.at);
    const stored = this.#ascii?.slice(start, this.at) ?? decodeUtf8(bytes);
    if (quote(wellFormed) !== stored) this.deviate(start, 'a string is spelled otherwise than a journal writes it');
    return wellFormed;
  }

  /** U+2028 and U+2029 are never written literally, in raw JSON either (journal 2.5). */
  #separators(start: number): void {
    const { bytes } = this;
    for (let i = start; i < this.at; i++) {
      if (bytes[i] === 0xe2 && bytes[i + 1] === 0x80 && (bytes[i + 2] === 0xa8 || bytes[i + 2] === 0xa9))
        this.deviate(i, 'a line or paragraph separator stands unescaped');
    }
  }

  #noteLone(start: number): void {
    const text = this.#text(start, false);
    if (isWellFormed(text)) return;
    if (this.loneSurrogateAt < 0) this.loneSurrogateAt = start;
  }
}

function isAmong({ names, few, all }: Container, name: string): boolean {
  if (all !== undefined) return all.has(name);
  for (let i = 0; i < few; i++) if (names[i] === name) return true;
  return false;
}

/** Bytes of numbers, digits aside: `-` `+` `.` `e` `E` */
function isNumberByte(byte: number): boolean {
  return byte === 0x2d || byte === 0x2b || byte === 0x2e || (byte | 0x20) === 0x65;
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

/** `"` `\` `/` `b` `f` `n` `r` `t` */
function isEscapeLetter(byte: number): boolean {
  switch (byte) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    default:
      return false;
  }
}
