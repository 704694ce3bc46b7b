/**
 * Instants as whole nanoseconds since 1970-01-01T00:00:00Z, and their RFC 3339 text. Each format narrows the text further with a
 * pattern of its own (journal 4.12, session-format 3.4, notifications 2.1); the calendar is here only.
 */

/** Nanoseconds since the Unix epoch. */
export type Instant = bigint;

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/** The instant of RFC 3339 text with up to nine digits of fraction; undefined for anything else, leap seconds and impossible dates included. */
export function parseInstant(text: string): Instant | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [, y, mo, d, h, mi, s, digits = '', offset] = match;
  const [year, month, day, hour, minute, second] = [Number(y), Number(mo), Number(d), Number(h), Number(mi), Number(s)];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59)
    return undefined;
  let shift = 0;
  if (offset !== undefined && offset !== 'Z') {
    const hours = Number(offset.slice(1, 3));
    const minutes = Number(offset.slice(4));
    if (hours > 23 || minutes > 59) return undefined;
    shift = (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60;
  }
  const seconds = daysTo(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - shift;
  const fraction = digits === '' ? 0 : Number(digits) * 10 ** (9 - digits.length);
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction);
}

/** Days from 1970-01-01 to a day of the proleptic Gregorian calendar, years counted from March so that a leap day ends one. */
function daysTo(year: number, month: number, day: number): number {
  const y = month < 3 ? year - 1 : year;
  const ofYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + ofYear - 719_468;
}

/** Days of a month of the Gregorian calendar, months counted from 1. */
export function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** RFC 3339 text in UTC, with the fraction's trailing zeros left out. Years 0000 to 9999; other instants give a decimal count of nanoseconds. */
export function formatInstant(instant: Instant): string {
  const fraction = ((instant % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const milliseconds = Number((instant - fraction) / 1_000_000n);
  const date = new Date(milliseconds);
  if (
    Number.isNaN(milliseconds) ||
    Number.isNaN(date.getTime()) ||
    date.getUTCFullYear() < 0 ||
    date.getUTCFullYear() > 9999
  ) {
    return `${instant} ns`;
  }
  const digits = fraction === 0n ? '' : `.${fraction.toString().padStart(9, '0').replace(/0+$/, '')}`;
  return `${date.toISOString().slice(0, 19)}${digits}Z`;
}

/** The instant of a `Date.now()` value, to the millisecond. */
export function fromMilliseconds(milliseconds: number): Instant {
  return BigInt(Math.round(milliseconds)) * 1_000_000n;
}
