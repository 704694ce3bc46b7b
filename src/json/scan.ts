/**
 * One walk over the bytes of a JSON text. It checks the grammar (RFC 8259), UTF-8, the I-JSON test (session-format 3.2) and whether
 * what it walks is already in canonical form (RFC 8785), and leaves a table of spans: one row for each value, in the order of the text.
 * Nothing is allocated for a value; the tables are reused from text to text. Nesting is bounded by `MAX_DEPTH` and nothing recurses.
 *
 * The table is all that a reader of lines needs: hashes are taken over the spans in place, members are found by name, and only a value
 * that is not canonical is written anew (`canonical.ts`). It is one long file because it is one loop over one state.
 */
import { decodeUtf8, utf8 } from '../bytes/encoding.ts';
import {
  canonicalUnitEscape,
  ESCAPES,
  hexUnit,
  IN_STRING,
  isDigit,
  isLowSurrogate,
  markOf,
  SHORT_ESCAPES,
  sequenceLength,
} from './characters.ts';
import { isCanonicalNumber, passesNumberTest } from './number.ts';
import { pointer } from './pointer.ts';
import { type JsonProblem, MAX_DEPTH } from './tree.ts';

/** Kinds of value in the table. */
export const NULL = 1;
export const TRUE = 2;
export const FALSE = 3;
export const NUMBER = 4;
export const STRING = 5;
export const ARRAY = 6;
export const OBJECT = 7;

/** A row of the table. Row 0 is the whole value. */
export type Node = number;

/** What session-format 3.2 (points 1 to 4) finds in a text that is otherwise JSON. */
export interface Violation {
  readonly kind: 'not-utf8' | 'lone-surrogate' | 'repeated-name' | 'number';
  /** Offset in the bytes given to `scan`. */
  readonly at: number;
  readonly length: number;
  readonly pointer: string;
  readonly message: string;
}

/** Violations past this many are counted, not listed. */
export const MOST_VIOLATIONS = 20;

/** Names of an object are held against each other in pairs up to this many, through a set beyond. */
const PAIRS_UP_TO = 12;

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

/** Rows of a new table; it grows with the texts. */
const ROWS = 256;

// Flags of a row.
const NOT_CANONICAL = 1;
const ESCAPED = 2;
const NAME_ESCAPED = 4;

/**
 * A reusable scanner.
 *
 * @example
 * const scanner = new Scanner();
 * if (scanner.scan(line)) for (let m = scanner.first(0); m >= 0; m = scanner.after(m)) use(scanner.name(m), scanner.kind[m]);
 */
export class Scanner {
  /** The bytes last scanned. */
  bytes: Uint8Array = new Uint8Array();
  /** Rows in the table. */
  count = 0;
  kind = new Uint8Array(ROWS);
  /** Offset of the first byte of each value, and after its last. */
  start = new Int32Array(ROWS);
  end = new Int32Array(ROWS);
  /** Offset of the first byte of a member's name, after its quote, and of the closing quote; -1 where the row is no member. */
  nameStart = new Int32Array(ROWS);
  nameEnd = new Int32Array(ROWS);
  /** The row after the last one inside this value. */
  next = new Int32Array(ROWS);
  #flags = new Uint8Array(ROWS);

  /** Why the last text is not JSON, or too deep. */
  problem: JsonProblem | undefined;
  /** I-JSON violations, in the order in which they were met; at most `MOST_VIOLATIONS`. */
  violations: Violation[] = [];
  /** All of them. */
  violationCount = 0;
  /** Offset of the first byte that a canonical writer would not have written; -1 when the text is canonical. */
  firstNotCanonical = -1;

  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  #end = 0;
  // Open containers, by depth: their row, the row of their last child, and marks taken when they were opened.
  #openRow = new Int32Array(64);
  #openLast = new Int32Array(64);
  #openMark = new Int32Array(64);
  #openUnsorted = new Uint8Array(64);
  #depth = 0;
  /** How often something was found not canonical: a container whose mark differs holds some of it. */
  #marks = 0;
  #stringFlags = 0;

  /**
   * Walks `bytes[start, end)`.
   *
   * @returns whether it is one JSON text, nested at most `MAX_DEPTH` deep. If not, `problem` says why. If so, the table is filled and
   *   `violations` holds what I-JSON forbids.
   */
  scan(bytes: Uint8Array, start = 0, end = bytes.length): boolean {
    if (this.bytes !== bytes) {
      this.bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.count = 0;
    this.problem = undefined;
    if (this.violationCount > 0) this.violations = [];
    this.violationCount = 0;
    this.#inName = false;
    this.firstNotCanonical = -1;
    this.#at = start;
    this.#end = end;
    this.#depth = 0;
    this.#marks = 0;
    return this.#walk();
  }

  /** The text holds nothing that a canonical writer would have written otherwise. */
  get canonical(): boolean {
    return this.firstNotCanonical < 0;
  }

  isCanonical(node: Node): boolean {
    return ((this.#flags[node] as number) & NOT_CANONICAL) === 0;
  }

  /** First child of an array or object; -1 when it has none. */
  first(node: Node): Node {
    return (this.next[node] as number) > node + 1 ? node + 1 : -1;
  }

  /** The child after `child` within `parent`; -1 after the last. */
  following(parent: Node, child: Node): Node {
    const next = this.next[child] as number;
    return next < (this.next[parent] as number) ? next : -1;
  }

  /** The member of an object with this name; -1 when it has none. In a text with repeated names, the first. */
  member(object: Node, name: Name): Node {
    for (let at = this.first(object); at >= 0; at = this.following(object, at)) if (this.nameIs(at, name)) return at;
    return -1;
  }

  /** Whether a member has this name, after unescaping. */
  nameIs(node: Node, name: Name): boolean {
    if (((this.#flags[node] as number) & NAME_ESCAPED) !== 0) return this.name(node) === name.text;
    const start = this.nameStart[node] as number;
    const { bytes: want } = name;
    if ((this.nameEnd[node] as number) - start !== want.length) return false;
    for (let i = 0; i < want.length; i++) if (this.bytes[start + i] !== want[i]) return false;
    return true;
  }

  /** Name of a member, unescaped. */
  name(node: Node): string {
    return this.#decode(
      this.nameStart[node] as number,
      this.nameEnd[node] as number,
      ((this.#flags[node] as number) & NAME_ESCAPED) !== 0,
    );
  }

  /** Text of a string value, unescaped. */
  text(node: Node): string {
    return this.#decode(
      (this.start[node] as number) + 1,
      (this.end[node] as number) - 1,
      ((this.#flags[node] as number) & ESCAPED) !== 0,
    );
  }

  /** Value of a number, rounded to binary64. */
  number(node: Node): number {
    return Number(decodeLossy(this.span(node)));
  }

  /** Whether a name is spelled without escapes. */
  nameIsPlain(node: Node): boolean {
    return ((this.#flags[node] as number) & NAME_ESCAPED) === 0;
  }

  /** Whether a string is spelled without escapes. */
  textIsPlain(node: Node): boolean {
    return ((this.#flags[node] as number) & ESCAPED) === 0;
  }

  /** Whether a string is this text; cheaper than decoding it. */
  textIs(node: Node, name: Name): boolean {
    if (this.kind[node] !== STRING) return false;
    if (((this.#flags[node] as number) & ESCAPED) !== 0) return this.text(node) === name.text;
    const start = (this.start[node] as number) + 1;
    const { bytes: want } = name;
    if ((this.end[node] as number) - 1 - start !== want.length) return false;
    for (let i = 0; i < want.length; i++) if (this.bytes[start + i] !== want[i]) return false;
    return true;
  }

  /** Bytes of a value as they stand: a view. */
  span(node: Node): Uint8Array {
    return this.bytes.subarray(this.start[node], this.end[node]);
  }

  /** JSON Pointer of a row. */
  pointer(node: Node): string {
    const tokens: (string | number)[] = [];
    let parent = 0;
    while (parent !== node) {
      let index = 0;
      let child = this.first(parent);
      while (child >= 0 && (this.next[child] as number) <= node) {
        child = this.following(parent, child);
        index++;
      }
      if (child < 0) break;
      tokens.push(this.kind[parent] === OBJECT ? this.name(child) : index);
      parent = child;
    }
    return pointer(tokens);
  }

  #decode(start: number, end: number, escaped: boolean): string {
    if (!escaped) {
      const short = end - start;
      if (short <= 10) {
        // Short ASCII text, the common case of names and words.
        let text = '';
        for (let i = start; i < end; i++) {
          const byte = this.bytes[i] as number;
          if (byte >= 0x80) return decodeLossy(this.bytes.subarray(start, end));
          text += ASCII[byte];
        }
        return text;
      }
      return decodeLossy(this.bytes.subarray(start, end));
    }
    // The grammar was checked, so JSON.parse decodes the escapes exactly.
    return JSON.parse(decodeLossy(this.bytes.subarray(start - 1, end + 1))) as string;
  }

  #walk(): boolean {
    const bytes = this.bytes;
    const end = this.#end;
    let row = -1;
    let nameStart = -1;
    let nameEnd = -1;
    let nameFlags = 0;
    this.#at = this.#space(this.#at);
    for (;;) {
      // A value begins here.
      let at = this.#at;
      row = this.count++;
      if (row >= this.kind.length) this.#grow();
      this.start[row] = at;
      this.nameStart[row] = nameStart;
      this.nameEnd[row] = nameEnd;
      const depth = this.#depth;
      if (depth > 0) {
        const last = this.#openLast[depth - 1] as number;
        if (nameStart >= 0 && last >= 0 && this.#openUnsorted[depth - 1] === 0) {
          this.#flags[row] = nameFlags;
          if (this.compareNames(last, row) >= 0) {
            this.#openUnsorted[depth - 1] = 1;
            this.#notCanonical(nameStart - 1);
          }
        }
        this.#openLast[depth - 1] = row;
      }
      const mark = this.#marks;
      const byte = at < end ? (bytes[at] as number) : -1;
      if (byte === 0x22) {
        const close = this.#string(at + 1);
        if (close < 0) return false;
        this.kind[row] = STRING;
        at = close + 1;
        nameFlags |= this.#stringFlags;
        this.#flags[row] = nameFlags | (this.#marks !== mark ? NOT_CANONICAL : 0);
      } else if (byte === 0x7b || byte === 0x5b) {
        if (depth >= MAX_DEPTH) {
          this.problem = { kind: 'too-deep', at, message: `the text nests deeper than ${MAX_DEPTH} levels` };
          return false;
        }
        this.kind[row] = byte === 0x7b ? OBJECT : ARRAY;
        this.#flags[row] = nameFlags;
        if (depth >= this.#openRow.length) this.#growOpen();
        this.#openRow[depth] = row;
        this.#openLast[depth] = -1;
        this.#openMark[depth] = mark;
        this.#openUnsorted[depth] = 0;
        this.#depth = depth + 1;
        at = this.#space(at + 1);
        this.#at = at;
        nameStart = -1;
        nameEnd = -1;
        nameFlags = 0;
        const inside = at < end ? (bytes[at] as number) : -1;
        if (inside !== (byte === 0x7b ? 0x7d : 0x5d)) {
          if (byte === 0x5b) continue;
          if (!this.#memberName()) return false;
          nameStart = this.#nameStart;
          nameEnd = this.#nameEnd;
          nameFlags = this.#nameFlags;
          continue;
        }
        row = this.#close(at + 1);
        at++;
      } else if (byte === 0x74 || byte === 0x66 || byte === 0x6e) {
        const length = this.#literal(at, byte);
        if (length === 0) return this.#refuse(at, 'expected a JSON value');
        this.kind[row] = byte === 0x74 ? TRUE : byte === 0x66 ? FALSE : NULL;
        this.#flags[row] = nameFlags;
        at += length;
      } else {
        at = this.#number(at);
        if (at < 0) return false;
        this.kind[row] = NUMBER;
        this.#flags[row] = nameFlags | (this.#marks !== mark ? NOT_CANONICAL : 0);
      }
      this.end[row] = at;
      this.next[row] = this.count;

      // A value ended: separators and closings until the next one begins.
      for (;;) {
        const after = at < end ? (bytes[at] as number) : -1;
        if (after === 0x20 || after === 0x0a || after === 0x0d || after === 0x09) {
          at = this.#space(at);
          continue;
        }
        const open = this.#depth - 1;
        if (open < 0) {
          if (at < end) return this.#refuse(at, 'there is more after the value');
          this.#at = at;
          return true;
        }
        const isObject = this.kind[this.#openRow[open] as number] === OBJECT;
        if (after === 0x2c) {
          at++;
          if (at < end && (bytes[at] as number) <= 0x20) at = this.#space(at);
          this.#at = at;
          if (isObject) {
            if (!this.#memberName()) return false;
            nameStart = this.#nameStart;
            nameEnd = this.#nameEnd;
            nameFlags = this.#nameFlags;
          } else {
            nameStart = -1;
            nameEnd = -1;
            nameFlags = 0;
          }
          break;
        }
        if (after !== (isObject ? 0x7d : 0x5d))
          return this.#refuse(at, isObject ? 'expected "," or "}"' : 'expected "," or "]"');
        at++;
        this.#close(at);
      }
    }
  }

  /** Closes the innermost container, whose text ends at `end`, and gives its row. */
  #close(end: number): Node {
    const open = --this.#depth;
    const row = this.#openRow[open] as number;
    this.end[row] = end;
    this.next[row] = this.count;
    if (this.#openUnsorted[open] !== 0) this.#findRepeated(row, open);
    if (this.#marks !== this.#openMark[open]) this.#flags[row] = (this.#flags[row] as number) | NOT_CANONICAL;
    return row;
  }

  #nameStart = 0;
  #nameEnd = 0;
  #nameFlags = 0;
  #inName = false;

  /** Reads `"name":` and stops before the value. */
  #memberName(): boolean {
    const at = this.#at;
    if (at >= this.#end || this.bytes[at] !== 0x22) return this.#refuse(at, 'expected a member name in double quotes');
    this.#inName = true;
    const close = this.#string(at + 1);
    this.#inName = false;
    if (close < 0) return false;
    this.#nameStart = at + 1;
    this.#nameEnd = close;
    this.#nameFlags = (this.#stringFlags & ESCAPED) !== 0 ? NAME_ESCAPED : 0;
    let after = close + 1;
    if (after < this.#end && (this.bytes[after] as number) <= 0x20) after = this.#space(after);
    if (after >= this.#end || this.bytes[after] !== 0x3a)
      return this.#refuse(after, 'expected ":" after the member name');
    after++;
    if (after < this.#end && (this.bytes[after] as number) <= 0x20) after = this.#space(after);
    this.#at = after;
    return true;
  }

  /** Walks a string whose text begins at `at`; gives the offset of its closing quote, or -1. */
  #string(at: number): number {
    const bytes = this.bytes;
    const end = this.#end;
    this.#stringFlags = 0;
    const view = this.#view;
    const fourBefore = end - 4;
    for (;;) {
      // Four bytes at a time while none of them is a quote, a backslash, a control character or beyond ASCII: then, and only then,
      // no subtraction below sets the high bit of the byte it is about.
      while (at <= fourBefore) {
        const four = view.getInt32(at, true);
        const special =
          (four - 0x20202020) | ((four ^ 0x22222222) - 0x01010101) | ((four ^ 0x5c5c5c5c) - 0x01010101) | four;
        if ((special & 0x80808080) !== 0) break;
        at += 4;
      }
      while (at < end && IN_STRING[bytes[at] as number] === 0) at++;
      if (at >= end) {
        this.#refuse(end, 'the text ends inside a string');
        return -1;
      }
      const byte = bytes[at] as number;
      if (byte === 0x22) return at;
      if (byte === 0x5c) {
        if (at + 1 < end && SHORT_ESCAPES[bytes[at + 1] as number] === 1) {
          this.#stringFlags = ESCAPED;
          at += 2;
        } else {
          at = this.#escape(at);
          if (at < 0) return -1;
        }
      } else if (byte >= 0x80) {
        const length = sequenceLength(bytes, at, end);
        if (length === 0) {
          this.#violate('not-utf8', at, 1, 'the bytes are not UTF-8 text');
          this.#notCanonical(at);
          at++;
        } else at += length;
      } else {
        this.#refuse(at, 'a control character stands unescaped in a string');
        return -1;
      }
    }
  }

  /** Walks an escape that is not one of RFC 8785 at `at`, or none at all; gives the offset after it, or -1. */
  #escape(at: number): number {
    const bytes = this.bytes;
    const end = this.#end;
    this.#stringFlags |= ESCAPED;
    const letter = at + 1 < end ? (bytes[at + 1] as number) : 0;
    if (letter !== 0x75) {
      if (ESCAPES[letter] === 0) {
        this.#refuse(
          at + 1,
          at + 1 >= end ? 'the text ends inside a string' : 'a backslash must begin an escape of JSON',
        );
        return -1;
      }
      if (letter === 0x2f) this.#notCanonical(at);
      return at + 2;
    }
    const unit = hexUnit(bytes, at + 2, end);
    if (unit < 0) {
      this.#refuse(at + 2, 'expected four hexadecimal digits after "\\u"');
      return -1;
    }
    if (!canonicalUnitEscape(bytes, at, unit)) this.#notCanonical(at);
    if (unit >= 0xd800 && unit < 0xe000) {
      const isPair =
        unit < 0xdc00 &&
        at + 8 <= end &&
        bytes[at + 6] === 0x5c &&
        bytes[at + 7] === 0x75 &&
        isLowSurrogate(hexUnit(bytes, at + 8, end));
      if (isPair) return at + 12;
      this.#violate('lone-surrogate', at, 6, 'the string holds half of a surrogate pair');
    }
    return at + 6;
  }

  #literal(at: number, first: number): number {
    const bytes = this.bytes;
    const end = this.#end;
    if (first === 0x66)
      return at + 5 <= end &&
        bytes[at + 1] === 0x61 &&
        bytes[at + 2] === 0x6c &&
        bytes[at + 3] === 0x73 &&
        bytes[at + 4] === 0x65
        ? 5
        : 0;
    if (at + 4 > end) return 0;
    if (first === 0x74) return bytes[at + 1] === 0x72 && bytes[at + 2] === 0x75 && bytes[at + 3] === 0x65 ? 4 : 0;
    return bytes[at + 1] === 0x75 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c ? 4 : 0;
  }

  /** Walks a number; gives the offset after it, or -1. */
  #number(start: number): number {
    const bytes = this.bytes;
    const end = this.#end;
    let at = start;
    const negative = at < end && bytes[at] === 0x2d;
    if (negative) at++;
    const digits = at;
    while (at < end && isDigit(bytes[at] as number)) at++;
    const length = at - digits;
    if (length === 0) {
      this.#refuse(at, negative ? 'expected a digit after "-"' : 'expected a JSON value');
      return -1;
    }
    const leadingZero = bytes[digits] === 0x30;
    if (leadingZero && length > 1) {
      this.#refuse(digits + 1, 'a number begins with a needless zero');
      return -1;
    }
    let whole = true;
    if (at < end && bytes[at] === 0x2e) {
      whole = false;
      const fraction = ++at;
      while (at < end && isDigit(bytes[at] as number)) at++;
      if (at === fraction) {
        this.#refuse(at, 'expected a digit after "."');
        return -1;
      }
    }
    if (at < end && ((bytes[at] as number) | 0x20) === 0x65) {
      whole = false;
      at++;
      if (at < end && (bytes[at] === 0x2b || bytes[at] === 0x2d)) at++;
      const exponent = at;
      while (at < end && isDigit(bytes[at] as number)) at++;
      if (at === exponent) {
        this.#refuse(at, 'expected a digit in the exponent');
        return -1;
      }
    }
    // Up to fifteen digits are exact and shortest; only "-0" is written otherwise.
    if (whole && length <= 15) {
      if (negative && leadingZero) this.#notCanonical(start);
      return at;
    }
    const literal = decodeUtf8(bytes.subarray(start, at)) as string;
    if (!isCanonicalNumber(literal)) this.#notCanonical(start);
    if (!passesNumberTest(literal))
      this.#violate('number', start, at - start, `${literal.slice(0, 40)} is a number that no binary64 number holds`);
    return at;
  }

  #space(at: number): number {
    const bytes = this.bytes;
    const begin = at;
    while (at < this.#end) {
      const byte = bytes[at] as number;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
      at++;
    }
    if (at !== begin) this.#notCanonical(begin);
    return at;
  }

  /** Order of the names of two members of one object by UTF-16 code units: negative when `a` stands first. */
  compareNames(a: Node, b: Node): number {
    if ((((this.#flags[a] as number) | (this.#flags[b] as number)) & NAME_ESCAPED) !== 0) {
      const [x, y] = [this.name(a), this.name(b)];
      return x < y ? -1 : x === y ? 0 : 1;
    }
    const bytes = this.bytes;
    const aStart = this.nameStart[a] as number;
    const bStart = this.nameStart[b] as number;
    const aLength = (this.nameEnd[a] as number) - aStart;
    const bLength = (this.nameEnd[b] as number) - bStart;
    const shared = Math.min(aLength, bLength);
    for (let i = 0; i < shared; i++) {
      const x = bytes[aStart + i] as number;
      const y = bytes[bStart + i] as number;
      if (x === y) continue;
      // A character beyond U+FFFF is two surrogates, which stand before U+E000 to U+FFFF.
      if (x >= 0xf0 && (y === 0xee || y === 0xef)) return -1;
      if (y >= 0xf0 && (x === 0xee || x === 0xef)) return 1;
      return x - y;
    }
    return aLength - bLength;
  }

  /** Reports every name that an object, whose members are not in order, repeats. */
  #findRepeated(object: Node, depth: number): void {
    let members = 0;
    for (let at = this.first(object); at >= 0; at = this.following(object, at)) members++;
    const seen = members > PAIRS_UP_TO ? new Set<string>() : undefined;
    let marked = 0;
    for (let at = this.first(object); at >= 0; at = this.following(object, at)) {
      let repeated = false;
      if (seen === undefined) {
        // Names that repeat have one mark; most names that do not, have marks of their own, and need not be compared.
        const mark = 1 << (this.#markOf(at) & 31);
        const isNew = (marked & mark) === 0;
        marked |= mark;
        if (isNew) continue;
        for (let before = object + 1; before < at && !repeated; before = this.next[before] as number)
          repeated = this.#sameName(before, at);
      } else {
        const name = this.name(at);
        repeated = seen.has(name);
        seen.add(name);
      }
      if (repeated) this.#repeated(at, depth);
    }
  }

  /** A number that equal names share, however they are spelled. */
  #markOf(member: Node): number {
    const start = this.nameStart[member] as number;
    const end = this.nameEnd[member] as number;
    if (this.nameIsPlain(member)) return markOf(this.bytes, start, end);
    const name = utf8(this.name(member));
    return markOf(name, 0, name.length);
  }

  #sameName(a: Node, b: Node): boolean {
    const aStart = this.nameStart[a] as number;
    const bStart = this.nameStart[b] as number;
    if ((((this.#flags[a] as number) | (this.#flags[b] as number)) & NAME_ESCAPED) !== 0)
      return this.name(a) === this.name(b);
    const length = (this.nameEnd[a] as number) - aStart;
    if ((this.nameEnd[b] as number) - bStart !== length) return false;
    for (let i = 0; i < length; i++) if (this.bytes[aStart + i] !== this.bytes[bStart + i]) return false;
    return true;
  }

  #repeated(member: Node, depth: number): void {
    const start = (this.nameStart[member] as number) - 1;
    const length = (this.nameEnd[member] as number) + 1 - start;
    this.violationCount++;
    if (this.violations.length >= MOST_VIOLATIONS) return;
    const tokens = this.#openTokens(depth);
    tokens.push(this.name(member));
    this.violations.push({
      kind: 'repeated-name',
      at: start,
      length,
      pointer: pointer(tokens),
      message: 'the member name stands twice in one object',
    });
  }

  #violate(kind: Violation['kind'], at: number, length: number, message: string): void {
    this.violationCount++;
    if (this.violations.length >= MOST_VIOLATIONS) return;
    const open = this.#depth - 1;
    const tokens = this.#openTokens(open);
    if (open >= 0 && !this.#inName) {
      const container = this.#openRow[open] as number;
      const value = this.#openLast[open] as number;
      tokens.push(this.kind[container] === ARRAY ? this.#indexOf(container, value) : this.name(value));
    }
    this.violations.push({ kind, at, length, pointer: pointer(tokens), message });
  }

  /** Tokens of the open container at `depth`. */
  #openTokens(depth: number): (string | number)[] {
    const tokens: (string | number)[] = [];
    for (let i = 0; i < depth; i++) {
      const container = this.#openRow[i] as number;
      const child = this.#openRow[i + 1] as number;
      tokens.push(this.kind[container] === OBJECT ? this.name(child) : this.#indexOf(container, child));
    }
    return tokens;
  }

  #indexOf(array: Node, child: Node): number {
    let index = 0;
    for (let at = array + 1; at < child; at = this.next[at] as number) index++;
    return index;
  }

  #notCanonical(at: number): void {
    this.#marks++;
    if (this.firstNotCanonical < 0) this.firstNotCanonical = at;
  }

  #refuse(at: number, message: string): false {
    this.problem = { kind: 'not-json', at, message };
    return false;
  }

  #grow(): void {
    const size = this.kind.length * 2;
    this.kind = enlarged(this.kind, new Uint8Array(size));
    this.#flags = enlarged(this.#flags, new Uint8Array(size));
    this.start = enlarged(this.start, new Int32Array(size));
    this.end = enlarged(this.end, new Int32Array(size));
    this.nameStart = enlarged(this.nameStart, new Int32Array(size));
    this.nameEnd = enlarged(this.nameEnd, new Int32Array(size));
    this.next = enlarged(this.next, new Int32Array(size));
  }

  #growOpen(): void {
    const size = this.#openRow.length * 2;
    this.#openRow = enlarged(this.#openRow, new Int32Array(size));
    this.#openLast = enlarged(this.#openLast, new Int32Array(size));
    this.#openMark = enlarged(this.#openMark, new Int32Array(size));
    this.#openUnsorted = enlarged(this.#openUnsorted, new Uint8Array(size));
  }
}

/** A member name that is looked for often: its text and its bytes. */
export interface Name {
  readonly text: string;
  readonly bytes: Uint8Array;
}

export function name(text: string): Name {
  return { text, bytes: utf8(text) };
}

const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text of bytes; what is not UTF-8 is replaced, and a violation says so. */
function decodeLossy(bytes: Uint8Array): string {
  return lossy.decode(bytes);
}

function enlarged<T extends Uint8Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
