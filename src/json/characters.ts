/** The bytes of JSON strings, numbers and escapes, as the scanner looks at them: RFC 8259 6 and 7, RFC 8785 3.2.2.2, Unicode 3.9. */

/** Classes of bytes inside a string: 0 goes by, everything else is looked at. */
export const IN_STRING = new Uint8Array(256);
IN_STRING.fill(1, 0, 0x20);
IN_STRING[0x22] = 1;
IN_STRING[0x5c] = 1;
IN_STRING.fill(1, 0x80);

/** Letters that may follow a backslash, `u` aside. */
export const ESCAPES = new Uint8Array(256);
for (const letter of '"\\/bfnrt') ESCAPES[letter.charCodeAt(0)] = 1;

/** Those that a canonical writer uses too. */
export const SHORT_ESCAPES = ESCAPES.slice();
SHORT_ESCAPES[0x2f] = 0;

/** A number that equal bytes share and most different ones do not. */
export function markOf(bytes: Uint8Array, start: number, end: number): number {
  return start === end ? 0 : (end - start) * 7 + (bytes[start] as number) * 5 + (bytes[end - 1] as number);
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Value of four hexadecimal digits at `at`, or -1. */
export function hexUnit(bytes: Uint8Array, at: number, end: number): number {
  if (at + 4 > end) return -1;
  let value = 0;
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + i] as number;
    const lower = byte | 0x20;
    if (isDigit(byte)) value = value * 16 + byte - 0x30;
    else if (lower >= 0x61 && lower <= 0x66) value = value * 16 + lower - 0x57;
    else return -1;
  }
  return value;
}

export function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Whether a `\u` escape at `at` is the spelling of RFC 8785: a control character without a short form, in lowercase. */
export function canonicalUnitEscape(bytes: Uint8Array, at: number, unit: number): boolean {
  if (unit >= 0x20 || unit === 8 || unit === 9 || unit === 10 || unit === 12 || unit === 13) return false;
  const digit = bytes[at + 5] as number;
  return digit < 0x41 || digit > 0x46;
}

/** Length of the well-formed UTF-8 sequence at `at`, whose first byte is not ASCII; 0 if there is none (Unicode 3.9, table 3-7). */
export function sequenceLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at] as number;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (at + length > end) return 0;
  const second = bytes[at + 1] as number;
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let i = 2; i < length; i++) if (((bytes[at + i] as number) & 0xc0) !== 0x80) return 0;
  return length;
}
