/**
 * JSON Canonicalization Scheme (RFC 8785): members sorted by UTF-16 code units, shortest escapes, ECMAScript numbers, no white space.
 * What a scan found to be canonical is copied as it stands; the rest is written anew. Depth costs no stack.
 */
import { decodeUtf8, utf8 } from '../bytes/encoding.ts';
import { canonicalNumber } from './number.ts';
import { ARRAY, type Node, NUMBER, OBJECT, Scanner, STRING } from './scan.ts';
import type { JsonMember, JsonNode } from './tree.ts';

/** Strings of up to so many units are written one by one. */
const SHORT = 1024;

/** Bytes that are put together piece by piece; the memory is kept from text to text. */
export class ByteWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;

  clear(): void {
    this.#length = 0;
  }

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** Copies `from[start, end)`. */
  copy(from: Uint8Array, start = 0, end = from.length): void {
    const length = end - start;
    this.#reserve(length);
    // A view of a few bytes costs more than they do.
    if (length < 128) for (let i = 0; i < length; i++) this.#bytes[this.#length + i] = from[start + i] as number;
    else this.#bytes.set(from.subarray(start, end), this.#length);
    this.#length += length;
  }

  text(text: string): void {
    this.copy(utf8(text));
  }

  /** Writes the RFC 8785 form of a string. Most are short, of letters that stand for themselves, and are written without a copy of the text. */
  string(text: string): void {
    const { length } = text;
    if (length > SHORT) {
      this.text(canonicalString(text));
      return;
    }
    this.#reserve(length + 2);
    const bytes = this.#bytes;
    const start = this.#length + 1;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7e || unit < 0x20 || unit === 0x22 || unit === 0x5c) {
        this.text(canonicalString(text));
        return;
      }
      bytes[start + i] = unit;
    }
    bytes[start - 1] = bytes[start + length] = 0x22;
    this.#length = start + length + 1;
  }

  /** Writes text of ASCII. */
  word(text: string): void {
    for (let i = 0; i < text.length; i++) this.byte(text.charCodeAt(i));
  }

  /** What was written: a view, good until the next change. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** What was written, in memory of its own. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** RFC 8785 form of a string of well-formed Unicode. */
export function canonicalString(text: string): string {
  // JSON.stringify escapes exactly what RFC 8785 3.2.2.2 does.
  return JSON.stringify(text);
}

/** A container that is being written: its children in canonical order, and how many are out. */
interface Open {
  readonly isObject: boolean;
  readonly children: readonly Node[];
  written: number;
}

/** Writes the RFC 8785 form of a scanned value. The text must have passed the I-JSON test. */
export function writeCanonical(scanner: Scanner, node: Node, out: ByteWriter): void {
  if (scanner.isCanonical(node)) {
    out.copy(scanner.bytes, scanner.start[node], scanner.end[node]);
    return;
  }
  const stack: Open[] = [];
  let next: Node | undefined = node;
  for (;;) {
    if (next !== undefined) {
      const kind = scanner.kind[next] as number;
      if (scanner.isCanonical(next)) out.copy(scanner.bytes, scanner.start[next], scanner.end[next]);
      else if (kind === STRING) out.text(canonicalString(scanner.text(next)));
      else if (kind === NUMBER) out.text(canonicalNumber(scanner.number(next)));
      else {
        out.byte(kind === OBJECT ? 0x7b : 0x5b);
        stack.push({ isObject: kind === OBJECT, children: inOrder(scanner, next), written: 0 });
      }
    }
    const open = stack.at(-1);
    if (open === undefined) return;
    if (open.written === open.children.length) {
      out.byte(open.isObject ? 0x7d : 0x5d);
      stack.pop();
      next = undefined;
      continue;
    }
    if (open.written > 0) out.byte(0x2c);
    next = open.children[open.written++] as Node;
    if (open.isObject) writeName(scanner, next, out);
  }
}

/** Children of an array, or members of an object in canonical order. */
export function inOrder(scanner: Scanner, container: Node): Node[] {
  const children: Node[] = [];
  for (let at = scanner.first(container); at >= 0; at = scanner.following(container, at)) children.push(at);
  if (scanner.kind[container] === ARRAY) return children;
  return sortMembers(scanner, children);
}

/** Sorts members of one object by name, as UTF-16 code units. */
export function sortMembers(scanner: Scanner, members: Node[]): Node[] {
  let sorted = true;
  for (let i = 1; i < members.length && sorted; i++)
    sorted = scanner.compareNames(members[i - 1] as Node, members[i] as Node) < 0;
  if (sorted) return members;
  if (members.length > 16) return members.sort((a, b) => scanner.compareNames(a, b));
  for (let i = 1; i < members.length; i++) {
    const member = members[i] as Node;
    let at = i - 1;
    while (at >= 0 && scanner.compareNames(members[at] as Node, member) > 0) {
      members[at + 1] = members[at] as Node;
      at--;
    }
    members[at + 1] = member;
  }
  return members;
}

/** Writes `"name":`. */
export function writeName(scanner: Scanner, member: Node, out: ByteWriter): void {
  if (scanner.nameIsPlain(member))
    out.copy(scanner.bytes, (scanner.nameStart[member] as number) - 1, (scanner.nameEnd[member] as number) + 1);
  else out.text(canonicalString(scanner.name(member)));
  out.byte(0x3a);
}

/** The RFC 8785 form of a JSON text; undefined if it is not JSON or fails the I-JSON test. */
export function canonicalizeText(text: Uint8Array, scanner = new Scanner()): Uint8Array | undefined {
  if (!scanner.scan(text) || scanner.violationCount > 0) return undefined;
  const out = new ByteWriter();
  writeCanonical(scanner, 0, out);
  return out.bytes();
}

/** What a tree is written in before it is copied: not kept once it has become large. */
let scratch = new ByteWriter();
const SMALL = 1 << 20;

/** The RFC 8785 bytes of a tree without repeated names and lone surrogates. */
export function canonicalize(root: JsonNode): Uint8Array {
  scratch.clear();
  writeTree(root, scratch);
  const bytes = scratch.bytes();
  if (bytes.length > SMALL) scratch = new ByteWriter();
  return bytes;
}

/** The same as text. */
export function canonicalOfTree(root: JsonNode): string {
  const text = decodeUtf8(canonicalize(root));
  if (text === undefined) throw new RangeError('the text is longer than a string can be');
  return text;
}

/** A container of a tree that is being written: its items or its members, these in canonical order, and how many of them are out. */
type OpenTree = { written: number } & (
  | { readonly isObject: false; readonly children: readonly JsonNode[] }
  | { readonly isObject: true; readonly children: readonly JsonMember[] }
);

/** Writes the RFC 8785 form of a tree without repeated names and lone surrogates. */
export function writeTree(root: JsonNode, out: ByteWriter): void {
  let open = scalarOrOpen(root, out);
  const around: OpenTree[] = [];
  while (open !== undefined) {
    const { written } = open;
    if (written === open.children.length) {
      out.byte(open.isObject ? 0x7d : 0x5d);
      open = around.pop();
      continue;
    }
    open.written++;
    if (written > 0) out.byte(0x2c);
    let value: JsonNode;
    if (open.isObject) {
      const member = open.children[written] as JsonMember;
      out.string(member.name);
      out.byte(0x3a);
      value = member.value;
    } else value = open.children[written] as JsonNode;
    const inner = scalarOrOpen(value, out);
    if (inner === undefined) continue;
    around.push(open);
    open = inner;
  }
}

/** Writes a value that holds no others; gives a container, of which the opening bracket is out. */
function scalarOrOpen(node: JsonNode, out: ByteWriter): OpenTree | undefined {
  if (node.kind === 'string') {
    if (node.canonicalIn === undefined) out.string(node.value);
    else out.copy(node.canonicalIn, node.start, node.end);
    return undefined;
  }
  if (node.kind === 'object') {
    out.byte(0x7b);
    return { isObject: true, children: membersInOrder(node.members), written: 0 };
  }
  if (node.kind === 'array') {
    out.byte(0x5b);
    return { isObject: false, children: node.items, written: 0 };
  }
  out.word(node.kind === 'number' ? canonicalNumber(Number(node.text)) : node.kind);
  return undefined;
}

function membersInOrder(members: readonly JsonMember[]): readonly JsonMember[] {
  let sorted = true;
  for (let i = 1; i < members.length && sorted; i++)
    sorted = (members[i - 1] as JsonMember).name <= (members[i] as JsonMember).name;
  if (sorted) return members;
  const ordered = [...members];
  if (members.length > 16) return ordered.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (let i = 1; i < ordered.length; i++) {
    const member = ordered[i] as JsonMember;
    let at = i - 1;
    for (; at >= 0 && (ordered[at] as JsonMember).name > member.name; at--) ordered[at + 1] = ordered[at] as JsonMember;
    ordered[at + 1] = member;
  }
  return ordered;
}
