/** Ends of events: cleared records, all-clears, and those owed (notifications 13.7 rules 19 to 24, 13.9). */
import { formatInstant } from '../../time/instant.ts';
import type { CheckContext } from '../context.ts';
import { endOf, type Group, type TrailEvent, toldOfEnd } from '../model.ts';
import { THREE_KINDS } from '../routing.ts';
import { formatDuration } from '../time.ts';

const REASONS: readonly string[] = ['resolved', 'decided', 'expired', 'ended', 'recovered'];
const FIT: Readonly<Record<string, readonly string[]>> = {
  outcome_unknown: ['resolved', 'ended'],
  approval_pending: ['decided', 'expired', 'ended'],
  recovery_failing: ['recovered', 'ended'],
};

export function checkClears(context: CheckContext): void {
  for (const event of context.model.events.values()) {
    checkReasons(context, event);
    if (event.kind === 'resolved') checkAllClear(context, event);
    checkOwed(context, event);
  }
}

/** Rules 19 and 20. */
function checkReasons({ notes }: CheckContext, event: TrailEvent): void {
  const { kind, state } = event;
  const fitOf = kind === 'escalated' ? (event.base?.kind ?? '') : kind;
  const fit = Object.hasOwn(FIT, fitOf) ? (FIT[fitOf] as readonly string[]) : REASONS;
  const ends = [
    ...(state.cleared === undefined ? [] : [{ record: state.cleared, key: event.key, what: 'cleared record' }]),
    ...event.clears.map((clear) => ({ record: clear.state.observed, key: clear.key, what: 'all-clear' })),
  ];
  for (const { record, key, what } of ends) {
    const { index, reason } = record;
    if (kind === 'approval_expired' || kind === 'run_aborted')
      notes.add(
        'fact-cleared',
        'trail',
        `the ${what} at record ${index} ends an event that is a fact and never stops being so`,
        {
          index,
          key,
          severity: kind === 'approval_expired' ? 'error' : 'warning',
        },
      );
    else if (!fit.includes(reason))
      notes.add('clear-reason', 'trail', `the ${what} at record ${index} gives a reason that does not fit the event`, {
        index,
        key,
        expected: fit.join(', '),
        ...(REASONS.includes(reason) ? { actual: reason } : {}),
      });
  }
}

/** Rule 21. */
function checkAllClear({ notes }: CheckContext, clear: TrailEvent): void {
  const { key, index, base } = clear;
  if (base === undefined) return;
  const told = clear.receiver === base.receiver || clear.group?.stepReceivers.has(clear.receiver) === true;
  if (!told)
    notes.add(
      'all-clear-receiver',
      'trail',
      `the all-clear at record ${index} goes to a receiver who was not told of the event`,
      {
        index,
        key,
        expected: base.receiver.slice(0, 80),
        actual: clear.receiver.slice(0, 80),
      },
    );
  if (index < base.index)
    notes.add('all-clear-false', 'trail', `the all-clear at record ${index} stands before the event that it ends`, {
      index,
      key,
    });
  if (base.state.claims.length === 0)
    notes.add(
      'all-clear-unowed',
      'trail',
      `the all-clear at record ${index} is for an event whose delivery was never attempted`,
      { index, key },
    );
}

/** Rules 22 to 24. */
function checkOwed({ settings, asOf, document, model, notes }: CheckContext, event: TrailEvent): void {
  const { key, kind, state } = event;
  if ((!THREE_KINDS.has(kind) && kind !== 'escalated') || state.claims.length === 0) return;
  const end = endOf(event, model, document.journal);
  if (end === undefined) return;
  const due = end.at === undefined ? undefined : end.at + settings.all_clear_within;
  const clear = toldOfEnd(event)?.first;
  if (clear === undefined) {
    if (event.clears.length === 0 && (due === undefined || asOf >= due))
      notes.add(
        'all-clear-missing',
        'trail',
        `the receiver heard of the event of record ${event.index} and never of its end`,
        {
          key,
          expected: due === undefined ? 'an all-clear' : `an all-clear by ${formatInstant(due)}`,
        },
      );
  } else if (due !== undefined && clear.state.acked !== undefined && clear.state.acked.at > due)
    notes.add(
      'all-clear-late',
      'trail',
      `the all-clear was acknowledged ${formatDuration(clear.state.acked.at - due)} late`,
      {
        index: clear.index,
        key: clear.key,
        expected: `by ${formatInstant(due)}`,
        actual: formatInstant(clear.state.acked.at),
      },
    );
}

/** Which gate an event is about, where its record says so. */
function gateOf(event: TrailEvent, runId: string | undefined): string | undefined {
  const { opKind, opRun, opId } = event.state.observed;
  return opKind === 'gate' && opId !== '' ? JSON.stringify([opRun || (runId ?? ''), opId]) : undefined;
}

/** Expiry of gates (13.9). */
export function checkExpiry({ settings, asOf, document, model, notes }: CheckContext): void {
  const groupGate = (group: Group) => {
    for (const event of group.events) {
      const gate = gateOf(event, document.runId);
      if (gate !== undefined) return gate;
    }
    return undefined;
  };
  const expiries: TrailEvent[] = [];
  const expiredGates = new Set<string | undefined>();
  for (const event of model.events.values()) {
    if (event.kind !== 'approval_expired') continue;
    expiries.push(event);
    expiredGates.add(gateOf(event, document.runId));
  }
  const clearedGates = new Set<string | undefined>();
  for (const group of model.groups.values()) {
    const gate = groupGate(group);
    for (const event of group.events) {
      if (event.kind === 'approval_expired') continue;
      if (event.state.cleared?.reason === 'expired') clearedGates.add(gate);
      for (const clear of event.clears) {
        if (clear.state.observed.reason !== 'expired') continue;
        clearedGates.add(gate);
        // When one of the two does not say which gate it is, any will do.
        const known = gate === undefined ? expiries.length > 0 : expiredGates.has(gate) || expiredGates.has(undefined);
        if (!known && asOf - clear.at > settings.observe_within)
          notes.add(
            'expired-missing',
            'trail',
            `the all-clear at record ${clear.index} says that the gate expired, and nobody was told of that`,
            {
              index: clear.index,
              key: clear.key,
            },
          );
      }
    }
  }
  for (const event of expiries) {
    const gate = gateOf(event, document.runId);
    const known = gate === undefined ? clearedGates.size > 0 : clearedGates.has(gate) || clearedGates.has(undefined);
    if (!known)
      notes.add(
        'expired-unmatched',
        'trail',
        `record ${event.index} tells that a gate expired, and no all-clear says so`,
        { index: event.index, key: event.key },
      );
  }
}
