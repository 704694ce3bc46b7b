/** The settings that a judgement depends on, their defaults, and the spelling of each (notifications 12.3). */
import type { Instant } from '../time/instant.ts';
import { HOUR, MINUTE, parseDuration, readTime, SECOND } from './time.ts';

export interface Settings {
  readonly deadline: bigint;
  readonly failing_after: number;
  readonly recovery_failing_after: bigint;
  readonly halt_age: bigint;
  readonly upgrade_window: bigint;
  /** Shown only. */
  readonly claim_ttl: bigint;
  /** Events before it are not owed. */
  readonly notifier_since: Instant | undefined;
  readonly clock_skew: bigint;
  readonly overdue_grace: bigint;
  readonly escalation_grace: bigint;
  readonly all_clear_within: bigint;
  readonly observe_within: bigint;
}

export const DEFAULT_SETTINGS: Settings = {
  deadline: 5n * MINUTE,
  failing_after: 8,
  recovery_failing_after: 15n * MINUTE,
  halt_age: 5n * MINUTE,
  upgrade_window: 24n * HOUR,
  claim_ttl: 2n * MINUTE,
  notifier_since: undefined,
  clock_skew: 5n * SECOND,
  overdue_grace: 5n * MINUTE,
  escalation_grace: 5n * MINUTE,
  all_clear_within: 5n * MINUTE,
  observe_within: 5n * MINUTE,
};

export const SETTING_NAMES: readonly string[] = Object.keys(DEFAULT_SETTINGS);

/** Settings whose values were given, by name. */
export type SettingValues = Partial<Settings>;

/**
 * Reads one setting from its text: a Go duration, a count for `failing_after`, a time for `notifier_since`.
 *
 * @returns the value under its name, or in words what is wrong with it.
 */
export function readSetting(name: string, text: string): SettingValues | string {
  if (!SETTING_NAMES.includes(name)) return `there is no setting ${JSON.stringify(name.slice(0, 80))}`;
  if (name === 'failing_after') {
    return /^[1-9][0-9]{0,8}$/.test(text) ? { failing_after: Number(text) } : '"failing_after" is a count from 1';
  }
  if (name === 'notifier_since') {
    const time = readTime(text);
    return time === undefined ? '"notifier_since" is an RFC 3339 time' : { notifier_since: time ?? undefined };
  }
  const duration = parseDuration(text);
  if (duration === undefined) return `"${name}" is a duration such as "5m0s"`;
  return duration < 0n ? `"${name}" is not negative` : { [name]: duration };
}

export function withDefaults(values: SettingValues): Settings {
  return { ...DEFAULT_SETTINGS, ...values };
}
