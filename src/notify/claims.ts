/** Which claim a condition speaks against (architecture, claims of a notification trail). */
import { BINDING_ENTRIES } from './catalogue/binding.ts';
import { DELIVERY_ENTRIES } from './catalogue/delivery.ts';
import { END_ENTRIES } from './catalogue/ends.ts';
import type { Condition } from './catalogue.ts';

export type TrailClaim = 'sequence' | 'delivery' | 'clears' | 'integrity' | 'authorship' | 'completeness';

/** Conditions of the delivery and end tables that show a history no notifier writes, whoever was told. */
const OF_SEQUENCE: ReadonlySet<string> = new Set<Condition>([
  'deadline-invalid',
  'overdue-early',
  'overdue-latency',
  'receiver-name',
  'fan-out-key',
  'escalation-early',
  'escalation-out-of-order',
  'escalation-level',
]);
const OF_CLEARS: ReadonlySet<string> = new Set<Condition>([
  'not-listed',
  'watch-late',
  'unwatch-early',
  'still-listed',
  'clear-reason',
  'fact-cleared',
]);

/** What each condition counts against; conditions that only describe what was given count against none of the required claims. */
export function claimOfCondition(condition: Condition): TrailClaim {
  if (condition === 'head-invalid') return 'authorship';
  if (condition === 'records-missing' || condition === 'head-behind') return 'completeness';
  if (Object.hasOwn(BINDING_ENTRIES, `notify/${condition}`)) return 'integrity';
  if (OF_CLEARS.has(condition) || condition.startsWith('all-clear-')) return 'clears';
  if (OF_SEQUENCE.has(condition)) return 'sequence';
  const code = `notify/${condition}`;
  return Object.hasOwn(DELIVERY_ENTRIES, code) || Object.hasOwn(END_ENTRIES, code) ? 'delivery' : 'sequence';
}
