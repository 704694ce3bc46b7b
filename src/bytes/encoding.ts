/** Bytes and their text forms: hex, standard base64 (strict), UTF-8, comparison, big-endian integers (audit spec 0.4). */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const DIGITS = '0123456789abcdef';
const HIGH = Uint8Array.from({ length: 256 }, (_, byte) => DIGITS.charCodeAt(byte >> 4));
const LOW = Uint8Array.from({ length: 256 }, (_, byte) => DIGITS.charCodeAt(byte & 15));
/** The digits of one hash, which is what nearly every call writes. */
const ofHash = new Uint8Array(64);

/** Lowercase hexadecimal. Decoded in one piece: a text joined digit by digit is a chain of as many objects. */
export function hex(bytes: Uint8Array): string {
  const digits = bytes.length === 32 ? ofHash : new Uint8Array(bytes.length * 2);
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    digits[2 * i] = HIGH[byte] as number;
    digits[2 * i + 1] = LOW[byte] as number;
  }
  return decoder.decode(digits);
}

/** Bytes of hexadecimal text of either case, or undefined if it is not that. */
export function unhex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUE = new Int8Array(256).fill(-1);
for (let i = 0; i < 64; i++) VALUE[ALPHABET.charCodeAt(i)] = i;

/** Standard base64 with padding and no line breaks. */
export function base64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const a = bytes[i] as number;
    const b = bytes[i + 1];
    const c = bytes[i + 2];
    text += ALPHABET[a >> 2];
    text += ALPHABET[((a & 3) << 4) | ((b ?? 0) >> 4)];
    text += b === undefined ? '=' : ALPHABET[((b & 15) << 2) | ((c ?? 0) >> 6)];
    text += c === undefined ? '=' : ALPHABET[c & 63];
  }
  return text;
}

/** Bytes of standard padded base64; undefined for any other spelling, unused bits included (audit spec 0.5 rule 8). */
export function unbase64(text: string): Uint8Array | undefined {
  const spelled = encoder.encode(text);
  return unbase64At(spelled, 0, spelled.length);
}

/** The same for base64 that stands in bytes from `start` to `end`: most does, and needs no string of its own. */
export function unbase64At(text: Uint8Array, start: number, end: number): Uint8Array | undefined {
  const out = new Uint8Array(Math.max(0, base64Length(text, start, end)));
  return unbase64Into(text, start, end, out) ? out : undefined;
}

/** How many bytes base64 stands for, if it is well spelled; -1 if its length already says that it is not. */
export function base64Length(text: Uint8Array, start: number, end: number): number {
  if ((end - start) % 4 !== 0) return -1;
  return ((end - start) / 4) * 3 - paddingAt(text, start, end);
}

function paddingAt(text: Uint8Array, start: number, end: number): 0 | 1 | 2 {
  if (end === start || text[end - 1] !== 0x3d) return 0;
  return text[end - 2] === 0x3d ? 2 : 1;
}

/** Decodes into `out`, which has room for just `base64Length` bytes; false, with anything in `out`, for any other spelling. */
export function unbase64Into(text: Uint8Array, start: number, end: number, out: Uint8Array): boolean {
  if ((end - start) % 4 !== 0) return false;
  const padding = paddingAt(text, start, end);
  // The last group is read apart when it is padded. A byte that stands for nothing makes a group negative.
  const whole = padding === 0 ? end : end - 4;
  let at = 0;
  for (let i = start; i < whole; i += 4) {
    const group =
      ((VALUE[text[i] as number] as number) << 18) |
      ((VALUE[text[i + 1] as number] as number) << 12) |
      ((VALUE[text[i + 2] as number] as number) << 6) |
      (VALUE[text[i + 3] as number] as number);
    if (group < 0) return false;
    out[at] = group >> 16;
    out[at + 1] = group >> 8;
    out[at + 2] = group;
    at += 3;
  }
  if (padding === 0) return true;
  const group =
    ((VALUE[text[whole] as number] as number) << 18) |
    ((VALUE[text[whole + 1] as number] as number) << 12) |
    (padding === 2 ? 0 : (VALUE[text[whole + 2] as number] as number) << 6);
  if (group < 0 || (group & (padding === 2 ? 0xffff : 0xff)) !== 0) return false;
  out[at] = group >> 16;
  if (padding === 1) out[at + 1] = group >> 8;
  return true;
}

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Text of valid UTF-8 (a byte order mark is kept as U+FEFF), or undefined. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const PIECE = 1 << 16;

/** Whether bytes are valid UTF-8. Long ones are decoded in pieces: the text of them all would be made only to be dropped. */
export function isUtf8(bytes: Uint8Array): boolean {
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(bytes.length, start + PIECE);
    // A piece ends before a byte that begins a character; where four in a row begin none, it is no UTF-8 wherever it ends.
    for (let i = 0; i < 3 && end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80; i++) end--;
    if (decodeUtf8(bytes.subarray(start, end)) === undefined) return false;
    start = end;
  }
  return true;
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return joined(parts);
}

/** The same of however many. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Order of bytes, as memcmp gives it: negative, zero or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && compareBytes(a, b) === 0;
}

/** Order of two texts by their UTF-8 bytes (which JavaScript's own string order is not). */
export function compareUtf8(a: string, b: string): number {
  return compareBytes(encoder.encode(a), encoder.encode(b));
}

/** Four bytes, big-endian, of 0 <= n < 2^32. */
export function u32(n: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, n);
  return bytes;
}

/** Eight bytes, big-endian; a negative value in two's complement. */
export function u64(n: number | bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt.asIntN(64, BigInt(n)));
  return bytes;
}
