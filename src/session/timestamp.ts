/** The one spelling of `ts` (session-format 3.4), and how older spellings are brought to it (10). */
import { daysIn, formatInstant, type Instant, parseInstant } from '../time/instant.ts';

/**
 * Whether `bytes[start, end)` is `YYYY-MM-DDThh:mm:ss[.f{1,9}]Z` with a valid date and no trailing zero. Read in place: every line has one.
 */
export function isCanonicalTs(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length < 20 || length > 30 || length === 21 || bytes[end - 1] !== 0x5a) return false;
  const two = (at: number): number => {
    const tens = (bytes[start + at] as number) - 0x30;
    const ones = (bytes[start + at + 1] as number) - 0x30;
    return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
  };
  const [century, year, month, day] = [two(0), two(2), two(5), two(8)];
  const [hour, minute, second] = [two(11), two(14), two(17)];
  if (century < 0 || year < 0 || month < 1 || month > 12 || day < 1 || hour < 0 || hour > 23) return false;
  if (minute < 0 || minute > 59 || second < 0 || second > 59) return false;
  if (bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d || bytes[start + 10] !== 0x54) return false;
  if (bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a) return false;
  if (day > 28 && day > daysIn(century * 100 + year, month)) return false;
  if (length === 20) return true;
  if (bytes[start + 19] !== 0x2e || bytes[end - 2] === 0x30) return false;
  for (let i = start + 20; i < end - 1; i++) {
    const byte = bytes[i] as number;
    if (byte < 0x30 || byte > 0x39) return false;
  }
  return true;
}

const OLD = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}):(\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** Canonical at sight, on a day that every month has. */
const CANONICAL =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{0,8}[1-9])?Z$/;

/**
 * The canonical spelling of an RFC 3339 time: the instant in UTC, the fraction cut at nine digits, a second 60 as 59; undefined if it is no time, or
 * one whose year in UTC has no four digits.
 */
export function canonicalTs(text: string): string | undefined {
  if (CANONICAL.test(text)) return text;
  const instant = instantOf(text);
  if (instant === undefined || instant < YEAR_0 || instant >= YEAR_10000) return undefined;
  return formatInstant(instant);
}

const YEAR_0 = parseInstant('0000-01-01T00:00:00Z') as Instant;
const YEAR_10000 = (parseInstant('9999-12-31T23:59:59Z') as Instant) + 1_000_000_000n;

function instantOf(text: string): Instant | undefined {
  const match = OLD.exec(text);
  if (match === null) return undefined;
  const [, date, minutes, seconds, fraction = '', offset] = match;
  const cut = fraction.slice(0, 9);
  return parseInstant(`${date}T${minutes}:${seconds === '60' ? '59' : seconds}${cut === '' ? '' : `.${cut}`}${offset}`);
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** Whether a text is an RFC 3339 time in any spelling (`created_at`, 2.3). */
export function isRfc3339(text: string): boolean {
  return RFC3339.test(text) && instantOf(text.toUpperCase()) !== undefined;
}
