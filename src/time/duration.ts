/** Go durations as the formats write them (`24h0m0s`): whole nanoseconds (notifications 2.3, approver-identity 2). */

export const SECOND = 1_000_000_000n;
export const MINUTE = 60n * SECOND;
export const HOUR = 60n * MINUTE;

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
]);
const MAX_DURATION = (1n << 63n) - 1n;
const TERM = /([0-9]*)(?:\.([0-9]*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** Nanoseconds of a Go duration string (2.3); undefined for anything else, out of 64 bits included. */
export function parseDuration(text: string): bigint | undefined {
  if (text.length > 256) return undefined;
  const negative = text.startsWith('-');
  const body = negative || text.startsWith('+') ? text.slice(1) : text;
  if (body === '0') return 0n;
  if (body === '') return undefined;
  let total = 0n;
  TERM.lastIndex = 0;
  while (TERM.lastIndex < body.length) {
    const match = TERM.exec(body);
    if (match === null) return undefined;
    const [, whole = '', fraction = '', name = ''] = match;
    if (whole === '' && fraction === '') return undefined;
    const unit = UNITS.get(name) as bigint;
    total += BigInt(whole || '0') * unit;
    // A fraction below one nanosecond is cut off, as Go does.
    if (fraction !== '') total += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
    if (total > MAX_DURATION) return undefined;
  }
  return negative ? -total : total;
}

/** A duration for people: `1m2s`, `1.5s`, `24h0m0s`, as Go writes it. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 0n) return `-${formatDuration(-nanoseconds)}`;
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 1_000n)}\u00b5s`;
  if (nanoseconds < SECOND) return `${decimal(nanoseconds, 1_000_000n)}ms`;
  const seconds = `${decimal(nanoseconds % MINUTE, SECOND)}s`;
  if (nanoseconds < MINUTE) return seconds;
  const minutes = `${(nanoseconds % HOUR) / MINUTE}m${seconds}`;
  return nanoseconds < HOUR ? minutes : `${nanoseconds / HOUR}h${minutes}`;
}

function decimal(value: bigint, unit: bigint): string {
  const digits = (value % unit).toString().padStart(unit.toString().length - 1, '0');
  const fraction = digits.replace(/0+$/, '');
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`;
}
