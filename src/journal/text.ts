/**
 * Strings as a journal writes and reads them (journal 2.4): no HTML escapes, U+2028 and U+2029 always escaped, one U+FFFD for each
 * invalid byte.
 */
import { decodeUtf8, utf8 } from '../bytes/encoding.ts';

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes are about control characters
const ESCAPED = /["\\\u0000-\u001f\u2028\u2029]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes are about control characters
const ESCAPED_HTML = /["\\\u0000-\u001f\u2028\u2029<>&]/g;

const escapeOne = (character: string) =>
  SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const HALF = /\p{Surrogate}/u;
const HALVES = /\p{Surrogate}/gu;

/** Whether text holds no half of a surrogate pair. */
export function isWellFormed(text: string): boolean {
  return !HALF.test(text);
}

/** Text with U+FFFD for every half of a surrogate pair, as the original reads it. */
export function toWellFormed(text: string): string {
  return text.replace(HALVES, '\ufffd');
}

/** A JSON string in JOURNAL mode (audit spec 0.6); half surrogates become U+FFFD. */
export function quote(text: string): string {
  return `"${toWellFormed(text).replace(ESCAPED, escapeOne)}"`;
}

/** The same with `<`, `>` and `&` escaped: approver ids of a policy (journal 2.8), and everything in MARSHAL mode. */
export function quoteHtml(text: string): string {
  return `"${toWellFormed(text).replace(ESCAPED_HTML, escapeOne)}"`;
}

/** Text of bytes, one U+FFFD for each byte that belongs to no character. A WHATWG decoder replaces whole subparts instead. */
export function decodeEachByte(bytes: Uint8Array): string {
  const whole = decodeUtf8(bytes);
  if (whole !== undefined) return whole;
  let text = '';
  let good = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      text += `${decodeUtf8(bytes.subarray(good, at))}\ufffd`;
      good = at + 1;
    }
    at += length || 1;
  }
  return text + decodeUtf8(bytes.subarray(good));
}

/** Length in bytes of the character that begins at an offset; 0 if none does. */
export function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number;
  const second = bytes[at + 1] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  // Unicode 15, table 3-7: which second bytes a lead byte allows.
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let i = 2; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

/** Bytes of a JOURNAL-mode string whose text comes as bytes that may be invalid. */
export function quoteBytes(bytes: Uint8Array): Uint8Array {
  return utf8(quote(decodeEachByte(bytes)));
}
