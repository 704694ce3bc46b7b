/** Times and durations of trail records and settings (notifications 2.1 to 2.3). Durations are whole nanoseconds. */
import { HOUR } from '../time/duration.ts';
import { type Instant, parseInstant } from '../time/instant.ts';

export { formatDuration, HOUR, MINUTE, parseDuration, SECOND } from '../time/duration.ts';

/** The zero time of Go, 0001-01-01T00:00:00Z: a member that holds it is not set. */
export const ZERO_TIME: Instant = -62_135_596_800_000_000_000n;

export const DAY = 24n * HOUR;

/** The instant of a member's text; null for the zero time (not set); undefined when it is no time. */
export function readTime(text: string): Instant | null | undefined {
  const instant = parseInstant(text);
  return instant === ZERO_TIME ? null : instant;
}

/** The number of a UTC day since 1970-01-01. */
export function dayOf(instant: Instant): bigint {
  const day = instant / DAY;
  return instant % DAY < 0n ? day - 1n : day;
}
