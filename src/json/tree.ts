/**
 * A JSON text as a tree that keeps what a decoder would lose: the bytes of every value, the spelling of every number, every member in
 * its order and every repetition. For documents that are read whole (artifacts, policies, journal records); session lines are walked by
 * `scan.ts` instead, which builds nothing.
 *
 * Grammar: RFC 8259 without extension (audit spec 0.5 rules 1, 3, 4). Nesting is bounded; the parser does not recurse.
 */
import { decodeUtf8, isUtf8 } from '../bytes/encoding.ts';
import { canonicalUnitEscape, ESCAPES, hexUnit, IN_STRING, SHORT_ESCAPES } from './characters.ts';

/** Depth past which a text is refused (audit spec 0.5 rule 3, session-format 3.2 point 5). */
export const MAX_DEPTH = 10_000;

interface Span {
  /** Offset of the first byte of the value. */
  readonly start: number;
  /** Offset after its last byte. */
  readonly end: number;
}
export interface JsonLiteral extends Span {
  readonly kind: 'null' | 'true' | 'false';
}
export interface JsonNumber extends Span {
  readonly kind: 'number';
  /** As it is spelled. */
  readonly text: string;
}
export interface JsonString extends Span {
  readonly kind: 'string';
  readonly value: string;
  /** An escape gave half of a surrogate pair: the value is not Unicode text. */
  readonly illFormed: boolean;
  /** The bytes between the quotes are the value itself: no escape stands in them. */
  readonly plain?: true;
  /** The text in which it stands from `start` to `end`, where RFC 8785 writes it in just these bytes. */
  readonly canonicalIn?: Uint8Array;
}
export interface JsonArray extends Span {
  readonly kind: 'array';
  readonly items: readonly JsonNode[];
}
export interface JsonMember {
  readonly name: string;
  readonly nameIllFormed: boolean;
  /** Offset of the opening quote of the name. */
  readonly nameStart: number;
  readonly value: JsonNode;
}
export interface JsonObject extends Span {
  readonly kind: 'object';
  /** In the order of the text, repetitions included. */
  readonly members: readonly JsonMember[];
}
export type JsonNode = JsonLiteral | JsonNumber | JsonString | JsonArray | JsonObject;

/** Why bytes are not one JSON text. `at` is the offset of the first byte that does not fit. */
export interface JsonProblem {
  readonly kind: 'not-utf8' | 'not-json' | 'too-deep';
  readonly at: number;
  readonly message: string;
}

export type ParseResult =
  | { readonly ok: true; readonly root: JsonNode }
  | { readonly ok: false; readonly problem: JsonProblem };

class Refusal extends Error {
  readonly problem: JsonProblem;
  constructor(problem: JsonProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** A string without escapes is decoded when its value is asked for: most long ones are base64, which is read from the bytes. */
class PlainString implements JsonString {
  readonly kind = 'string';
  readonly illFormed = false;
  readonly plain = true as const;
  readonly start: number;
  readonly end: number;
  readonly canonicalIn: Uint8Array;
  #value: string | undefined;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.canonicalIn = bytes;
    this.start = start;
    this.end = end;
  }

  get value(): string {
    this.#value ??= decodeUtf8(this.canonicalIn.subarray(this.start + 1, this.end - 1)) as string;
    return this.#value;
  }
}

interface OpenArray {
  readonly kind: 'array';
  readonly start: number;
  readonly items: JsonNode[];
}
interface OpenObject {
  readonly kind: 'object';
  readonly start: number;
  readonly members: JsonMember[];
  name: string;
  nameIllFormed: boolean;
  nameStart: number;
}

/** Parses one JSON text. Positions are byte offsets into `bytes`, which must not change while the tree is read. */
export function parseTree(bytes: Uint8Array): ParseResult {
  try {
    return { ok: true, root: new Parser(bytes).parse() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Bytes that are no text at all are that first, wherever the grammar was broken.
    return { ok: false, problem: notUtf8(bytes) ?? error.problem };
  }
}

function notUtf8(bytes: Uint8Array): JsonProblem | undefined {
  if (isUtf8(bytes)) return undefined;
  return { kind: 'not-utf8', at: firstInvalidUtf8(bytes), message: 'the bytes are not UTF-8 text' };
}

/** Offset of the first byte that is not part of valid UTF-8; the length if all are. */
export function firstInvalidUtf8(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  const stream = (end: number) => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  if (isUtf8(bytes)) return bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (stream(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

class Parser {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** Text outside ASCII stands in strings only, and the first of it is where the bytes are seen to be UTF-8. */
  #isUtf8 = false;
  /** Whether the escapes of the string that was walked last are those of RFC 8785. */
  #isCanonical = true;
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  parse(): JsonNode {
    const stack: (OpenArray | OpenObject)[] = [];
    this.#space();
    for (;;) {
      let value = this.#valueOrOpen(stack);
      while (value !== undefined) {
        this.#space();
        const open = stack.at(-1);
        if (open === undefined) {
          if (this.#at < this.#bytes.length) this.#refuse('there is more after the value');
          return value;
        }
        if (open.kind === 'array') open.items.push(value);
        else
          open.members.push({ name: open.name, nameIllFormed: open.nameIllFormed, nameStart: open.nameStart, value });
        value = this.#separatorOrClose(stack, open);
      }
    }
  }

  /** A whole scalar or empty container; undefined when a container was opened and its first value is next. */
  #valueOrOpen(stack: (OpenArray | OpenObject)[]): JsonNode | undefined {
    const start = this.#at;
    const byte = this.#bytes[start];
    switch (byte) {
      case 0x7b: {
        this.#deeper(stack);
        this.#at++;
        this.#space();
        if (this.#bytes[this.#at] === 0x7d) return { kind: 'object', start, end: ++this.#at, members: [] };
        const open: OpenObject = { kind: 'object', start, members: [], name: '', nameIllFormed: false, nameStart: 0 };
        stack.push(open);
        this.#name(open);
        return undefined;
      }
      case 0x5b: {
        this.#deeper(stack);
        this.#at++;
        this.#space();
        if (this.#bytes[this.#at] === 0x5d) return { kind: 'array', start, end: ++this.#at, items: [] };
        stack.push({ kind: 'array', start, items: [] });
        return undefined;
      }
      case 0x22: {
        if (this.#skipString()) return new PlainString(this.#bytes, start, this.#at);
        const { value, illFormed } = this.#unescape(start, this.#at);
        const string = { kind: 'string', start, end: this.#at, value, illFormed } as const;
        return this.#isCanonical ? { ...string, canonicalIn: this.#bytes } : string;
      }
      case 0x74:
        return this.#literal('true');
      case 0x66:
        return this.#literal('false');
      case 0x6e:
        return this.#literal('null');
      default:
        return this.#number();
    }
  }

  #separatorOrClose(stack: (OpenArray | OpenObject)[], open: OpenArray | OpenObject): JsonNode | undefined {
    const byte = this.#bytes[this.#at];
    if (byte === 0x2c) {
      this.#at++;
      this.#space();
      if (open.kind === 'object') this.#name(open);
      return undefined;
    }
    const close = open.kind === 'array' ? 0x5d : 0x7d;
    if (byte !== close) this.#refuse(open.kind === 'array' ? 'expected "," or "]"' : 'expected "," or "}"');
    this.#at++;
    stack.pop();
    return open.kind === 'array'
      ? { kind: 'array', start: open.start, end: this.#at, items: open.items }
      : { kind: 'object', start: open.start, end: this.#at, members: open.members };
  }

  #name(open: OpenObject): void {
    open.nameStart = this.#at;
    if (this.#bytes[this.#at] !== 0x22) this.#refuse('expected a member name in double quotes');
    if (this.#skipString()) {
      open.name = decodeUtf8(this.#bytes.subarray(open.nameStart + 1, this.#at - 1)) as string;
      open.nameIllFormed = false;
    } else {
      const { value, illFormed } = this.#unescape(open.nameStart, this.#at);
      open.name = value;
      open.nameIllFormed = illFormed;
    }
    this.#space();
    if (this.#bytes[this.#at] !== 0x3a) this.#refuse('expected ":" after the member name');
    this.#at++;
    this.#space();
  }

  /** Walks a string; true if there is no escape in it. */
  #skipString(): boolean {
    const bytes = this.#bytes;
    const { length } = bytes;
    let plain = true;
    this.#isCanonical = true;
    let at = this.#at + 1;
    for (;;) {
      // Four bytes at a time: almost all of a long string goes by.
      while (
        at + 3 < length &&
        (look(bytes, at) | look(bytes, at + 1) | look(bytes, at + 2) | look(bytes, at + 3)) === 0
      )
        at += 4;
      while (at < length && look(bytes, at) === 0) at++;
      const byte = bytes[at];
      if (byte === 0x22) break;
      this.#at = at;
      if (byte === undefined) this.#refuse('the text ends inside a string');
      if (byte < 0x20) this.#refuse('a control character stands unescaped in a string');
      if (byte === 0x5c) {
        plain = false;
        this.#escape();
        at = this.#at;
      } else {
        if (!this.#isUtf8 && !isUtf8(bytes)) this.#refuse('the bytes are not UTF-8 text');
        this.#isUtf8 = true;
        at++;
      }
    }
    this.#at = at + 1;
    return plain;
  }

  /** Text of a string whose grammar was checked, so that JSON.parse decodes the escapes exactly. */
  #unescape(start: number, end: number): { value: string; illFormed: boolean } {
    const value = JSON.parse(decodeUtf8(this.#bytes.subarray(start, end)) as string) as string;
    return { value, illFormed: /\p{Surrogate}/u.test(value) };
  }

  #escape(): void {
    const at = this.#at;
    const letter = this.#bytes[++this.#at];
    if (letter === 0x75) {
      const unit = hexUnit(this.#bytes, at + 2, this.#bytes.length);
      if (unit < 0) this.#refuse('expected four hexadecimal digits after "\\u"');
      this.#at += 5;
      this.#isCanonical &&= canonicalUnitEscape(this.#bytes, at, unit);
    } else if (letter !== undefined && ESCAPES[letter] === 1) {
      this.#at++;
      this.#isCanonical &&= SHORT_ESCAPES[letter] === 1;
    } else this.#refuse('a backslash must begin an escape of JSON');
  }

  #literal(kind: 'null' | 'true' | 'false'): JsonLiteral {
    const start = this.#at;
    for (let i = 0; i < kind.length; i++) {
      if (this.#bytes[start + i] !== kind.charCodeAt(i)) this.#refuse('expected a JSON value');
    }
    this.#at += kind.length;
    return { kind, start, end: this.#at };
  }

  #number(): JsonNumber {
    const start = this.#at;
    let end = start;
    for (let byte = this.#bytes[end]; byte !== undefined && isNumberByte(byte); byte = this.#bytes[++end]);
    const text =
      String.fromCharCode(...this.#bytes.subarray(start, Math.min(end, start + 1024))) +
      (end > start + 1024 ? decodeUtf8(this.#bytes.subarray(start + 1024, end)) : '');
    NUMBER.lastIndex = 0;
    if (NUMBER.exec(text)?.[0].length !== text.length || text === '')
      this.#refuse(text === '' ? 'expected a JSON value' : `${JSON.stringify(text.slice(0, 40))} is not a JSON number`);
    this.#at = end;
    return { kind: 'number', start, end, text };
  }

  #space(): void {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at++;
    }
  }

  #deeper(stack: readonly unknown[]): void {
    if (stack.length < MAX_DEPTH) return;
    throw new Refusal({ kind: 'too-deep', at: this.#at, message: `the text nests deeper than ${MAX_DEPTH} levels` });
  }

  #refuse(message: string): never {
    throw new Refusal({ kind: 'not-json', at: this.#at, message });
  }
}

function look(bytes: Uint8Array, at: number): number {
  return IN_STRING[bytes[at] as number] as number;
}

function isNumberByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65
  );
}
