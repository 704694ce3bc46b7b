/**
 * Typed reading of the members of a scanned object (session-format 0.4): absent and null are `undefined`, a wrong JSON type is a problem of
 * the line, and what "falls back" is `undefined` without one.
 */
import { decodeUtf8 } from '../bytes/encoding.ts';
import { ARRAY, FALSE, type Name, type Node, NULL, NUMBER, OBJECT, type Scanner, STRING, TRUE } from '../json/scan.ts';
import type { RawJson } from './model.ts';

/** What is wrong with a line, and where in the scanned bytes. */
export interface MemberProblem {
  readonly message: string;
  readonly node: Node;
  readonly expected: string;
  readonly actual: string;
}

const KIND_WORDS = ['nothing', 'null', 'true', 'false', 'a number', 'a string', 'an array', 'an object'] as const;

const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;

/** Reads members of the line that a scanner holds, and collects what is wrong with them. */
export class Members {
  scanner: Scanner;
  problems: MemberProblem[] = [];
  /** Whether `raw` copies bytes, so that a value outlives the line. */
  keep = false;
  /** Gives the RFC 8785 bytes of a value that were written for the hash of the line, so that they are not written twice. */
  canonicalMember: ((node: Node) => Uint8Array | undefined) | undefined = undefined;

  constructor(scanner: Scanner) {
    this.scanner = scanner;
  }

  reset(): void {
    if (this.problems.length > 0) this.problems = [];
  }

  kindWord(node: Node): string {
    return node < 0 ? 'nothing' : (KIND_WORDS[this.scanner.kind[node] as number] as string);
  }

  /** The row of a member that is there and not null; -1 otherwise. */
  row(object: Node, name: Name): Node {
    const node = this.scanner.member(object, name);
    return node >= 0 && this.scanner.kind[node] !== NULL ? node : -1;
  }

  wrong(node: Node, name: string, expected: string): void {
    this.problems.push({
      message: `"${name}" is ${this.kindWord(node)}, not ${expected}`,
      node,
      expected,
      actual: this.kindWord(node),
    });
  }

  /** A member that section 5 refuses a line for lacking. */
  missing(object: Node, name: string, expected: string): void {
    this.problems.push({
      message: `"${name}" is missing or empty`,
      node: object,
      expected,
      actual: 'missing or empty',
    });
  }

  string(object: Node, name: Name): string | undefined {
    const node = this.row(object, name);
    if (node < 0) return undefined;
    if (this.scanner.kind[node] === STRING) return this.scanner.text(node);
    this.wrong(node, name.text, 'a string');
    return undefined;
  }

  /** A string that must be there and not be empty. */
  requiredString(object: Node, name: Name): string {
    const before = this.problems.length;
    const text = this.string(object, name) ?? '';
    if (text === '' && this.problems.length === before) this.missing(object, name.text, 'a string that is not empty');
    return text;
  }

  /** A string that is not empty; anything else falls back. */
  typedString(object: Node, name: Name): string | undefined {
    const node = this.row(object, name);
    if (node < 0 || this.scanner.kind[node] !== STRING) return undefined;
    const text = this.scanner.text(node);
    return text === '' ? undefined : text;
  }

  boolean(object: Node, name: Name): boolean | undefined {
    const node = this.row(object, name);
    if (node < 0) return undefined;
    const kind = this.scanner.kind[node];
    if (kind !== TRUE && kind !== FALSE) {
      this.wrong(node, name.text, 'true or false');
      return undefined;
    }
    return kind === TRUE;
  }

  /** Whether a member is the literal `true`; anything else falls back. */
  isTrue(object: Node, name: Name): boolean {
    const node = this.scanner.member(object, name);
    return node >= 0 && this.scanner.kind[node] === TRUE;
  }

  /** An integer written as digits. */
  integer(object: Node, name: Name): number | undefined {
    const node = this.row(object, name);
    if (node < 0) return undefined;
    const value = this.digits(node);
    if (value === undefined) this.wrong(node, name.text, 'an integer');
    return value;
  }

  /** A positive integer written as digits; anything else falls back. */
  positive(object: Node, name: Name): number | undefined {
    const node = this.row(object, name);
    const value = node < 0 ? undefined : this.digits(node);
    return value !== undefined && value > 0 ? value : undefined;
  }

  /** Value of a number that is spelled with digits alone. */
  digits(node: Node): number | undefined {
    if (this.scanner.kind[node] !== NUMBER) return undefined;
    const text = decodeUtf8(this.scanner.span(node)) as string;
    if (!INTEGER.test(text)) return undefined;
    const value = Number(text);
    // A count in Go is a signed 64-bit integer.
    return value >= -(2 ** 63) && value < 2 ** 63 ? value : undefined;
  }

  number(object: Node, name: Name): number | undefined {
    const node = this.row(object, name);
    if (node < 0) return undefined;
    if (this.scanner.kind[node] === NUMBER) return this.scanner.number(node);
    this.wrong(node, name.text, 'a number');
    return undefined;
  }

  /** The row of an object member; -1 when it is absent or wrong. */
  object(object: Node, name: Name): Node {
    const node = this.row(object, name);
    if (node < 0 || this.scanner.kind[node] === OBJECT) return node;
    this.wrong(node, name.text, 'an object');
    return -1;
  }

  /** The row of an object that must be there. */
  requiredObject(object: Node, name: Name): Node {
    const before = this.problems.length;
    const node = this.object(object, name);
    if (node < 0 && this.problems.length === before) this.missing(object, name.text, 'an object');
    return node;
  }

  rawObject(object: Node, name: Name): RawJson | undefined {
    const node = this.object(object, name);
    return node < 0 ? undefined : this.raw(node);
  }

  /** Any value that is not null. */
  anything(object: Node, name: Name): RawJson | undefined {
    const node = this.row(object, name);
    return node < 0 ? undefined : this.raw(node);
  }

  /** An array of strings. */
  strings(object: Node, name: Name): readonly string[] | undefined {
    return this.list(object, name, STRING, 'an array of strings', (node) => this.scanner.text(node));
  }

  /** An array of objects, each read by `read`. */
  objects<T>(object: Node, name: Name, read: (node: Node) => T): readonly T[] | undefined {
    return this.list(object, name, OBJECT, 'an array of objects', read);
  }

  private list<T>(
    object: Node,
    name: Name,
    kind: number,
    expected: string,
    read: (node: Node) => T,
  ): readonly T[] | undefined {
    const node = this.row(object, name);
    if (node < 0) return undefined;
    if (this.scanner.kind[node] !== ARRAY) {
      this.wrong(node, name.text, expected);
      return undefined;
    }
    const values: T[] = [];
    for (let at = this.scanner.first(node); at >= 0; at = this.scanner.following(node, at)) {
      if (this.scanner.kind[at] === kind) values.push(read(at));
      else this.wrong(at, `an element of ${name.text}`, expected);
    }
    return values;
  }

  raw(node: Node): RawJson {
    const bytes = this.scanner.span(node);
    if (this.scanner.isCanonical(node)) return { bytes: this.keep ? bytes.slice() : bytes, canonical: true };
    if (this.keep) return { bytes: bytes.slice(), canonical: false };
    const written = this.canonicalMember?.(node);
    if (written !== undefined) return { bytes: written, canonical: true };
    return { bytes, canonical: false, scanned: { scanner: this.scanner, node } };
  }
}
