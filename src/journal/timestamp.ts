/** Timestamps of journal and approval records (journal 4.12): 24 bytes, milliseconds, `Z`, years 0001 to 9999. */
import { type Instant, parseInstant } from '../time/instant.ts';

const FORM = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The instant of a canonical timestamp; undefined for every other text. */
export function parseTimestamp(text: string): Instant | undefined {
  return FORM.test(text) ? parseInstant(text) : undefined;
}

/** The timestamp of an instant, truncated toward the past; undefined outside the years 0001 to 9999. */
export function formatTimestamp(instant: Instant): string | undefined {
  const milliseconds = instant / 1_000_000n - (instant % 1_000_000n < 0n ? 1n : 0n);
  const date = new Date(Number(milliseconds));
  const year = Number.isNaN(date.getTime()) ? 0 : date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString() : undefined;
}
