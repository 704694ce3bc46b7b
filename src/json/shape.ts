/**
 * The one strict decoder of artifacts, key files and leaf payloads (audit spec 0.5), and their emission (0.6), both from one table of
 * members. A shape says what is expected; decoding gives a typed value or every problem with its place. Absent, `null` and empty stay
 * apart as they do in Go: an absent list is `null` and an empty one `[]`, absent bytes are `null`.
 *
 * @example
 * const inclusion = object({ index: size, size, path: list(bytes) });
 * const bundle = formatted('proof bundle', 'bide.audit.proof.v3', { run_id: string, record_bytes: bytes, inclusion });
 * const decoded = decode(bundle, file);           // {ok: true, value: {format, run_id, record_bytes, inclusion}}
 * const again = encode(bundle, decoded.value);    // as Go's marshaller writes it
 */
import { base64Length, decodeUtf8, unbase64, unbase64At, unbase64Into, utf8 } from '../bytes/encoding.ts';
import { type GoMode, goBytes, goCompact, goMap, goString } from './gojson.ts';
import { pointer } from './pointer.ts';
import { type JsonMember, type JsonNode, type JsonObject, parseTree } from './tree.ts';

/** Outcome classes of audit spec 0.3 that decoding can give. */
export interface ShapeProblem {
  readonly class: 'MALFORMED' | 'FORMAT';
  /** One sentence without the place. */
  readonly message: string;
  /** JSON Pointer of the value. */
  readonly pointer: string;
  /** Offset into the bytes decoded. */
  readonly byte: number;
  readonly expected?: string;
  readonly actual?: string;
}

export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  /** At least one problem; the first one's class is the outcome. */
  | { readonly ok: false; readonly problems: readonly ShapeProblem[] };

/** Where decoding is: bytes, place, and what was found so far. */
export class Place {
  readonly text: Uint8Array;
  readonly problems: ShapeProblem[];
  readonly #parent: Place | undefined;
  readonly #token: string | number;

  constructor(text: Uint8Array, problems: ShapeProblem[], parent?: Place, token: string | number = '') {
    this.text = text;
    this.problems = problems;
    this.#parent = parent;
    this.#token = token;
  }

  at(token: string | number): Place {
    return new Place(this.text, this.problems, this, token);
  }

  get pointer(): string {
    const tokens: (string | number)[] = [];
    for (let place: Place = this; place.#parent !== undefined; place = place.#parent) tokens.push(place.#token);
    return pointer(tokens.reverse());
  }

  malformed(byte: number, message: string, more: { readonly expected?: string; readonly actual?: string } = {}): void {
    this.problems.push({ class: 'MALFORMED', message, pointer: this.pointer, byte, ...more });
  }
}

/** What is expected in one place. `T` is the decoded value. */
export interface Shape<T> {
  /** The value of an absent member and of `null` (0.5 rule 11). */
  readonly zero: T;
  /** Reads a value that is not `null`; problems go to `place`. */
  read(node: JsonNode, place: Place): T;
  /** Writes it as Go's marshaller does. */
  write(value: T, mode: GoMode): string;
  /** Whether *omit if empty* leaves it out. */
  isEmpty(value: T): boolean;
  /** Present on a member that is *omit if empty*. */
  readonly omitted?: boolean;
  /** Present on a formatted artifact: `format` is looked at before anything else (0.5 rules 2 and 10). */
  readonly artifact?: { readonly name: string; readonly tag: string };
}

export type ValueOf<S> = S extends Shape<infer T> ? T : never;

const KIND_NAMES = {
  null: 'null',
  true: 'true',
  false: 'false',
  number: 'a number',
  string: 'a string',
  array: 'a list',
  object: 'an object',
} as const;

function wrongKind(node: JsonNode, place: Place, expected: string): void {
  place.malformed(node.start, `expected ${expected}, found ${KIND_NAMES[node.kind]}`, {
    expected,
    actual: KIND_NAMES[node.kind],
  });
}

/** A string of Unicode text. */
export const string: Shape<string> = {
  zero: '',
  read(node, place) {
    if (node.kind !== 'string') {
      wrongKind(node, place, 'a string');
      return '';
    }
    if (node.illFormed) place.malformed(node.start, 'the string holds half of a surrogate pair');
    return node.value;
  },
  write: goString,
  isEmpty: (value) => value === '',
};

export const boolean: Shape<boolean> = {
  zero: false,
  read(node, place) {
    if (node.kind !== 'true' && node.kind !== 'false') wrongKind(node, place, 'true or false');
    return node.kind === 'true';
  },
  write: (value) => (value ? 'true' : 'false'),
  isEmpty: (value) => !value,
};

const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;

function readInteger(node: JsonNode, place: Place, least: bigint, most: bigint): bigint {
  if (node.kind !== 'number') {
    wrongKind(node, place, 'an integer');
    return 0n;
  }
  const value = INTEGER.test(node.text) && node.text.length <= 20 ? BigInt(node.text) : undefined;
  if (value === undefined || value < least || value > most) {
    place.malformed(node.start, `${node.text.slice(0, 40)} is not an integer from ${least} to ${most}`, {
      expected: `an integer from ${least} to ${most}, in digits only`,
      actual: node.text.slice(0, 40),
    });
    return 0n;
  }
  return value;
}

/** A signed 64-bit integer, exact. */
export const int64: Shape<bigint> = {
  zero: 0n,
  read: (node, place) => readInteger(node, place, -(1n << 63n), (1n << 63n) - 1n),
  write: String,
  isEmpty: (value) => value === 0n,
};

/** A signed integer that a number holds exactly: sizes, indices, counts. */
export const integer: Shape<number> = {
  zero: 0,
  read: (node, place) => Number(readInteger(node, place, -(2n ** 53n) + 1n, 2n ** 53n - 1n)),
  write: String,
  isEmpty: (value) => value === 0,
};

/** Bytes in standard padded base64; `null` when absent. */
export const bytes: Shape<Uint8Array | null> = {
  zero: null,
  read(node, place) {
    if (node.kind !== 'string') {
      wrongKind(node, place, 'a base64 string');
      return null;
    }
    const value = node.plain ? unbase64At(place.text, node.start + 1, node.end - 1) : unbase64(node.value);
    if (value === undefined) {
      place.malformed(node.start, 'the string is not standard padded base64', {
        expected: 'the base64 of RFC 4648 section 4, padded, unused bits zero',
        actual: node.value.slice(0, 40),
      });
    }
    return value ?? null;
  },
  write: goBytes,
  isEmpty: (value) => value === null || value.length === 0,
};

/** Free-form JSON, kept as the bytes of the text; `null` when absent, and for `null` itself. */
export const raw: Shape<Uint8Array | null> = {
  zero: null,
  read: (node, place) => place.text.slice(node.start, node.end),
  write: (value, mode) => (value === null ? 'null' : (decodeUtf8(goCompact(value, mode)) as string)),
  isEmpty: (value) => value === null,
};

/** A list; `null` when absent. */
export function list<T>(element: Shape<T>): Shape<readonly T[] | null> {
  return {
    zero: null,
    read(node, place) {
      if (node.kind !== 'array') {
        wrongKind(node, place, 'a list');
        return null;
      }
      return node.items.map((item, index) => readOrZero(element, item, place.at(index)));
    },
    write: (value, mode) => (value === null ? 'null' : `[${value.map((item) => element.write(item, mode)).join(',')}]`),
    isEmpty: (value) => value === null || value.length === 0,
  };
}

/** A list of bytes that share one buffer: a list can hold a million records, and to each a buffer of its own costs more than its bytes. */
export const bytesList: Shape<readonly (Uint8Array | null)[] | null> = {
  ...list(bytes),
  read(node, place) {
    if (node.kind !== 'array') {
      wrongKind(node, place, 'a list');
      return null;
    }
    const { text } = place;
    const { items } = node;
    let size = 0;
    for (const item of items) if (isPlain(item)) size += Math.max(0, base64Length(text, item.start + 1, item.end - 1));
    const shared = new Uint8Array(size);
    let at = 0;
    return items.map((item, index) => {
      const length = isPlain(item) ? base64Length(text, item.start + 1, item.end - 1) : -1;
      if (length >= 0) {
        const out = shared.subarray(at, at + length);
        at += length;
        if (unbase64Into(text, item.start + 1, item.end - 1, out)) return out;
      }
      // Spelled with escapes, `null`, or no base64 at all.
      return readOrZero(bytes, item, place.at(index));
    });
  },
};

function isPlain(node: JsonNode): boolean {
  return node.kind === 'string' && node.plain === true;
}

/** Any names, each once (0.5 rule 13); written sorted by the UTF-8 of the keys. `null` when absent. */
export function map<T>(element: Shape<T>): Shape<ReadonlyMap<string, T> | null> {
  return {
    zero: null,
    read(node, place) {
      if (node.kind !== 'object') {
        wrongKind(node, place, 'an object');
        return null;
      }
      const value = new Map<string, T>();
      for (const member of node.members) {
        checkName(member, place);
        value.set(member.name, readOrZero(element, member.value, place.at(member.name)));
      }
      return value;
    },
    write: (value, mode) =>
      value === null
        ? 'null'
        : goMap(
            [...value].map(([key, item]) => [key, element.write(item, mode)] as const),
            mode,
          ),
    isEmpty: (value) => value === null || value.size === 0,
  };
}

export type Members = { readonly [name: string]: Shape<unknown> };
export type ObjectOf<M extends Members> = { readonly [Name in keyof M]: ValueOf<M[Name]> };

/**
 * An object of known members, in their order of emission.
 *
 * @param unknown `refuse` (0.5 rule 6) by default. `tolerate` is for stored records (1.2): a name that is no member is ignored, but one
 *   that folds to a member is refused, because another reader would take it for that member.
 */
export function object<const M extends Members>(
  members: M,
  { unknown = 'refuse' }: { readonly unknown?: 'refuse' | 'tolerate' } = {},
): Shape<ObjectOf<M>> {
  const known = new Map(Object.entries(members));
  const folded = new Map([...known.keys()].map((name) => [foldName(name), name]));
  const zero = Object.fromEntries([...known].map(([name, shape]) => [name, shape.zero])) as ObjectOf<M>;
  return {
    zero,
    read(node, place) {
      if (node.kind !== 'object') {
        wrongKind(node, place, 'an object');
        return zero;
      }
      const values = new Map<string, unknown>();
      for (const member of node.members) {
        checkName(member, place);
        const shape = known.get(member.name);
        if (shape !== undefined) values.set(member.name, readOrZero(shape, member.value, place.at(member.name)));
        else refuseName(member, place, folded.get(foldName(member.name)), unknown);
      }
      return Object.fromEntries(
        [...known].map(([name, shape]) => [name, values.has(name) ? values.get(name) : shape.zero]),
      ) as ObjectOf<M>;
    },
    write(value, mode) {
      const parts: string[] = [];
      for (const [name, shape] of known) {
        const member = (value as Readonly<Record<string, unknown>>)[name];
        if (shape.omitted !== true || !shape.isEmpty(member))
          parts.push(`${goString(name, mode)}:${shape.write(member, mode)}`);
      }
      return `{${parts.join(',')}}`;
    },
    isEmpty: () => false,
  };
}

/** An object that may be absent: `null` then, and written as `null`. */
export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return {
    zero: null,
    read: (node, place) => readOrZero(shape, node, place),
    write: (value, mode) => (value === null ? 'null' : shape.write(value, mode)),
    isEmpty: (value) => value === null,
  };
}

/** The same shape, left out of the emission when it is empty. */
export function omitEmpty<T>(shape: Shape<T>): Shape<T> {
  return {
    zero: shape.zero,
    read: (node, place) => readOrZero(shape, node, place),
    write: (value, mode) => shape.write(value, mode),
    isEmpty: (value) => shape.isEmpty(value),
    omitted: true,
  };
}

/** The same shape with a rule of its own: `rule` gives what is wrong with a present value, or undefined. */
export function check<T>(shape: Shape<T>, rule: (value: T) => string | undefined): Shape<T> {
  return {
    ...shape,
    read(node, place) {
      const before = place.problems.length;
      const value = readOrZero(shape, node, place);
      const problem = place.problems.length === before ? rule(value) : undefined;
      if (problem !== undefined) place.malformed(node.start, problem);
      return value;
    },
  };
}

/**
 * A formatted artifact: an object whose first member is `format`, with exactly this tag. The tag is looked at before anything else
 * (0.5 rules 2 and 10), so that a file of another version is told apart from a broken one.
 */
export function formatted<const M extends Members>(
  name: string,
  tag: string,
  members: M,
): Shape<ObjectOf<{ readonly format: Shape<string> } & M>> {
  const shape = object({ format: string, ...members }) as unknown as Shape<
    ObjectOf<{ readonly format: Shape<string> } & M>
  >;
  return { ...shape, artifact: { name, tag } };
}

/** Decodes one artifact. All problems are reported; where the format is another one, only that. */
export function decode<T>(shape: Shape<T>, input: Uint8Array): Decoded<T> {
  const problems: ShapeProblem[] = [];
  const parsed = parseTree(input);
  if (!parsed.ok) {
    const { at, message } = parsed.problem;
    return { ok: false, problems: [{ class: 'MALFORMED', message, pointer: '', byte: at }] };
  }
  const place = new Place(input, problems);
  if (shape.artifact !== undefined && parsed.root.kind === 'object' && !hasFormat(shape, parsed.root, place))
    return { ok: false, problems };
  findRepeatedNames(parsed.root, place);
  const value = parsed.root.kind === 'null' ? shape.zero : shape.read(parsed.root, place);
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

/** The bytes that Go's marshaller gives for a value of this shape. */
export function encode<T>(shape: Shape<T>, value: T, mode: GoMode = 'MARSHAL'): Uint8Array {
  return utf8(shape.write(value, mode));
}

/** Folding of audit spec 1.2 rule 2: ASCII case, and the two letters outside ASCII that Go's matching folds to `s` and `k`. */
export function foldName(name: string): string {
  return name
    .replaceAll('\u017f', 's')
    .replaceAll('\u212a', 'k')
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Repetitions past this many are not listed: one is enough to refuse, and a hostile text holds a million. */
const MOST_REPETITIONS = 100;

/** Every repetition of a member name at any depth of a tree (0.5 rule 5), names compared after unescaping. */
export function findRepeatedNames(root: JsonNode, place: Place): void {
  const work: { readonly node: JsonNode; readonly place: Place }[] = [{ node: root, place }];
  for (let next = work.pop(); next !== undefined && place.problems.length < MOST_REPETITIONS; next = work.pop()) {
    const { node, place: here } = next;
    if (node.kind === 'array') {
      node.items.forEach((item, index) => {
        if (item.kind === 'array' || item.kind === 'object') work.push({ node: item, place: here.at(index) });
      });
    } else if (node.kind === 'object') {
      const names = new Set<string>();
      for (const member of node.members) {
        const there = here.at(member.name);
        if (names.has(member.name)) there.malformed(member.nameStart, 'the member name stands twice in one object');
        names.add(member.name);
        if (member.value.kind === 'array' || member.value.kind === 'object')
          work.push({ node: member.value, place: there });
      }
    }
  }
}

function readOrZero<T>(shape: Shape<T>, node: JsonNode, place: Place): T {
  if (node.kind === 'null') return shape.zero;
  if (shape.artifact !== undefined && node.kind === 'object' && !hasFormat(shape, node, place)) return shape.zero;
  return shape.read(node, place);
}

function hasFormat(shape: Shape<unknown>, node: JsonObject, place: Place): boolean {
  const { name, tag } = shape.artifact as { name: string; tag: string };
  const member = node.members.findLast(({ name: found }) => found === 'format')?.value;
  const found =
    member === undefined || member.kind === 'null' ? '' : member.kind === 'string' ? member.value : undefined;
  if (found === tag) return true;
  place.problems.push({
    class: 'FORMAT',
    message:
      found === undefined
        ? `the format of this ${name} is not a string`
        : `this ${name} has format ${JSON.stringify(found.slice(0, 80))}; only ${JSON.stringify(tag)} is read`,
    pointer: place.at('format').pointer,
    byte: member?.start ?? node.start,
    expected: tag,
    actual: found === undefined ? KIND_NAMES[(member as JsonNode).kind] : found.slice(0, 80),
  });
  return false;
}

function checkName(member: JsonMember, place: Place): void {
  if (member.nameIllFormed) place.malformed(member.nameStart, 'a member name holds half of a surrogate pair');
}

function refuseName(member: JsonMember, place: Place, like: string | undefined, unknown: 'refuse' | 'tolerate'): void {
  const shown = JSON.stringify(member.name.slice(0, 80));
  if (like !== undefined)
    place.malformed(member.nameStart, `the member ${shown} is spelled otherwise than ${JSON.stringify(like)}`, {
      expected: like,
      actual: member.name.slice(0, 80),
    });
  else if (unknown === 'refuse') place.malformed(member.nameStart, `the member ${shown} is not known here`);
}
