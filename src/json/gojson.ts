/**
 * JSON as Go's marshaller writes it (audit spec 0.6): the bytes that are signed, digested or stored. Two modes differ in three
 * characters: MARSHAL escapes `<`, `>` and `&`, JOURNAL writes them raw.
 */
import { base64, utf8 } from '../bytes/encoding.ts';

export type GoMode = 'MARSHAL' | 'JOURNAL';

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of JSON are about control characters
const JOURNAL_ESCAPED = /["\\\u0000-\u001f\u2028\u2029]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of JSON are about control characters
const MARSHAL_ESCAPED = /["\\\u0000-\u001f\u2028\u2029<>&]/g;

function escapeCharacter(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * A string in quotes.
 *
 * @throws RangeError if the text is not well-formed Unicode: such a string can never be emitted, and a reader refuses it first.
 */
export function goString(text: string, mode: GoMode): string {
  if (/\p{Surrogate}/u.test(text)) throw new RangeError('a string with a lone surrogate cannot be emitted');
  return `"${text.replace(mode === 'MARSHAL' ? MARSHAL_ESCAPED : JOURNAL_ESCAPED, escapeCharacter)}"`;
}

/** Bytes as standard base64 in quotes; absent bytes as `null`. */
export function goBytes(bytes: Uint8Array | null): string {
  return bytes === null ? 'null' : `"${base64(bytes)}"`;
}

/** A map of strings to already written values, keys sorted by their UTF-8 bytes. */
export function goMap(entries: Iterable<readonly [key: string, written: string]>, mode: GoMode): string {
  const sorted = [...entries].sort(([a], [b]) => compareCodePoints(a, b));
  return `{${sorted.map(([key, written]) => `${goString(key, mode)}:${written}`).join(',')}}`;
}

/** Members in the order given, `undefined` left out. */
export function goObject(
  members: Iterable<readonly [name: string, written: string | undefined]>,
  mode: GoMode,
): string {
  const parts: string[] = [];
  for (const [name, written] of members) {
    if (written !== undefined) parts.push(`${goString(name, mode)}:${written}`);
  }
  return `{${parts.join(',')}}`;
}

/** Order by code points, which is the order of the UTF-8 bytes. */
function compareCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const [xSurrogate, ySurrogate] = [x >= 0xd800 && x < 0xe000, y >= 0xd800 && y < 0xe000];
    if (xSurrogate !== ySurrogate) return xSurrogate ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

/**
 * Free-form JSON as it is embedded: insignificant white space left out and, in MARSHAL mode, raw `<`, `>`, `&`, U+2028 and U+2029
 * replaced by their escapes. Number spelling, member order and existing escapes are kept.
 *
 * @param bytes one JSON text, already parsed by the caller.
 */
export function goCompact(bytes: Uint8Array, mode: GoMode): Uint8Array {
  const out = new Uint8Array(mode === 'MARSHAL' ? bytes.length + extraLength(bytes) : bytes.length);
  let length = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (!inString && (byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d)) continue;
    if (byte === 0x22) inString = !inString;
    const escaped = mode === 'MARSHAL' ? escapeOf(bytes, i) : undefined;
    if (escaped !== undefined) {
      out.set(escaped, length);
      length += escaped.length;
      if (byte === 0xe2) i += 2;
      continue;
    }
    out[length++] = byte;
    if (byte === 0x5c) out[length++] = bytes[++i] as number;
  }
  return out.subarray(0, length);
}

function extraLength(bytes: Uint8Array): number {
  let extra = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === 0x3c || byte === 0x3e || byte === 0x26 || byte === 0xe2)
      extra += (escapeOf(bytes, i)?.length ?? 1) - 1;
  }
  return extra;
}

const LESS = utf8('\\u003c');
const GREATER = utf8('\\u003e');
const AMPERSAND = utf8('\\u0026');
const LINE_SEPARATOR = utf8('\\u2028');
const PARAGRAPH_SEPARATOR = utf8('\\u2029');

function escapeOf(bytes: Uint8Array, at: number): Uint8Array | undefined {
  switch (bytes[at]) {
    case 0x3c:
      return LESS;
    case 0x3e:
      return GREATER;
    case 0x26:
      return AMPERSAND;
    case 0xe2:
      if (bytes[at + 1] !== 0x80) return undefined;
      return bytes[at + 2] === 0xa8 ? LINE_SEPARATOR : bytes[at + 2] === 0xa9 ? PARAGRAPH_SEPARATOR : undefined;
    default:
      return undefined;
  }
}
