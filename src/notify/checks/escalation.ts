/** The chain of each group, and derived events without a base (notifications 13.4, 13.8). */
import { formatInstant, type Instant } from '../../time/instant.ts';
import type { CheckContext } from '../context.ts';
import { parseEscalationKey } from '../keys.ts';
import { endOf, type Group, type TrailEvent } from '../model.ts';
import { MAX_STEPS } from '../routing.ts';
import { formatDuration } from '../time.ts';

export function checkOrphans({ model, notes }: CheckContext): void {
  for (const { key, index, derived, base } of model.events.values())
    if (derived && base === undefined)
      notes.add('orphan-derived-event', 'trail', `record ${index} is about an event that the trail never observed`, {
        index,
        key,
      });
}

export function checkEscalation(context: CheckContext): void {
  for (const group of context.model.groups.values()) checkChain(context, group);
}

function checkChain(context: CheckContext, group: Group): void {
  const { settings, asOf, document, model, notes } = context;
  const chain = document.routing?.escalation.get(group.kind);
  if (group.steps.length === 0 && chain === undefined) return;
  // 1.
  const steps = new Map<number, TrailEvent>();
  for (const step of group.steps) {
    const level = checkStep(context, step, chain, group);
    const known = steps.get(level);
    if (known === undefined || step.index < known.index) steps.set(level, step);
  }
  // 2.
  const ends = group.events.map((event) => endOf(event, model, document.journal));
  const judgeMissing = !ends.some((end) => end !== undefined && end.at === undefined);
  const stops = ends.map((end) => end?.at);
  if (group.kind !== 'approval_pending') stops.push(...group.events.map((event) => event.state.acked?.at));
  const stop = earliest(stops);
  // 3.
  let due = earliest(group.events.map((event) => event.state.observed.deadlineAt));
  let previous: TrailEvent | undefined;
  let gap = false;
  let latestIndex = -1;
  const levels = new Set([...steps.keys(), ...(chain ?? []).map((_, i) => i + 1)]);
  let expected = 1;
  for (const level of [...levels].sort((a, b) => a - b)) {
    if (level > expected) gap = true;
    expected = level + 1;
    const step = steps.get(level);
    if (step !== undefined) {
      // a.
      const { key, index } = step;
      if (gap || latestIndex > index)
        notes.add(
          'escalation-out-of-order',
          'trail',
          `step ${level} at record ${index} was told before an earlier step`,
          { index, key },
        );
      else checkTime(context, step, due, stop);
      latestIndex = Math.max(latestIndex, index);
      due = step.state.observed.deadlineAt;
      previous = step;
      continue;
    }
    // b.
    if (!gap && judgeMissing && due !== undefined) {
      const limit = due + settings.escalation_grace;
      if (asOf >= limit && (stop === undefined || stop > limit)) {
        const acknowledged = previous?.state.acked !== undefined && previous.state.acked.at <= due;
        notes.add('escalation-missing', 'trail', `step ${level} of the chain was due and nobody was told`, {
          key: group.key,
          severity: previous !== undefined && acknowledged ? 'warning' : 'error',
          expected: `${chain?.[level - 1] ?? 'a step'} told by ${formatInstant(limit)}`,
        });
      }
    }
    gap = true;
  }
}

/** Rule 1. Gives the level by which the step is judged: the key's, or the record's where the key has none. */
function checkStep(
  { document, notes }: CheckContext,
  step: TrailEvent,
  chain: readonly string[] | undefined,
  group: Group,
): number {
  const { key, index } = step;
  const written = step.state.observed.level;
  const inKey = parseEscalationKey(key)?.level;
  const level = inKey ?? written;
  if (written !== inKey || level > MAX_STEPS || (chain !== undefined && level > chain.length))
    notes.add(
      'escalation-level',
      'trail',
      `the level at record ${index} is not a step of the chain, or not the one its key names`,
      {
        index,
        key,
        expected: chain === undefined ? `1 to ${MAX_STEPS}` : `1 to ${chain.length}`,
        actual: `${written} in the record, ${inKey ?? 'none'} in the key`,
      },
    );
  if (document.routing !== undefined && chain === undefined)
    notes.add(
      'escalation-unconfigured',
      'trail',
      `record ${index} escalates a kind of event for which the routing has no chain`,
      {
        index,
        key,
        actual: group.kind.slice(0, 80),
      },
    );
  const receiver = chain?.[level - 1];
  if (receiver !== undefined && receiver !== step.receiver)
    notes.add(
      'escalation-receiver',
      'trail',
      `step ${level} at record ${index} was told to another receiver than the chain's`,
      {
        index,
        key,
        expected: receiver,
        actual: step.receiver.slice(0, 80),
      },
    );
  return level;
}

/** Rule 3 a, timing. The deadline is compared exactly, the stop with the allowance for clocks. */
function checkTime(
  { settings, notes }: CheckContext,
  step: TrailEvent,
  due: Instant | undefined,
  stop: Instant | undefined,
): void {
  const { key, index, at } = step;
  if (due !== undefined && at < due)
    notes.add(
      'escalation-early',
      'trail',
      `the step at record ${index} was told ${formatDuration(due - at)} before it was due`,
      {
        index,
        key,
        expected: `at or after ${formatInstant(due)}`,
        actual: formatInstant(at),
      },
    );
  if (due !== undefined && at > due + settings.escalation_grace)
    notes.add(
      'escalation-late',
      'trail',
      `the step at record ${index} was told ${formatDuration(at - due)} after it was due`,
      {
        index,
        key,
        expected: `by ${formatInstant(due + settings.escalation_grace)}`,
        actual: formatInstant(at),
      },
    );
  if (stop !== undefined && stop < at - settings.clock_skew)
    notes.add(
      'escalation-unwarranted',
      'trail',
      `the step at record ${index} was told although the chain had stopped`,
      {
        index,
        key,
        expected: `none after ${formatInstant(stop)}`,
        actual: formatInstant(at),
      },
    );
}

function earliest(times: readonly (Instant | undefined)[]): Instant | undefined {
  let least: Instant | undefined;
  for (const time of times) if (time !== undefined && (least === undefined || time < least)) least = time;
  return least;
}
