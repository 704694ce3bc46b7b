/** Each event: receiver, claims, acknowledgement, failing, deadline (notifications 13.7 rules 1 to 18). */
import { formatInstant } from '../../time/instant.ts';
import type { CheckContext } from '../context.ts';
import { splitToKey, validReceiver } from '../keys.ts';
import type { TrailEvent } from '../model.ts';
import type { NotifyRecord } from '../record.ts';
import { namedReceivers } from '../routing.ts';
import { formatDuration, SECOND } from '../time.ts';

const LEAST_CLAIM = 30n * SECOND;

export function checkEvents(context: CheckContext): void {
  const { routing } = context.document;
  const named = routing === undefined ? undefined : namedReceivers(routing);
  for (const event of context.model.events.values()) {
    checkReceiver(context, event, named);
    checkClaims(context, event);
    checkAcknowledgement(context, event);
    checkFailing(context, event);
    checkDeadline(context, event);
    checkOverdue(context, event);
  }
}

function checkReceiver({ notes }: CheckContext, event: TrailEvent, named: ReadonlySet<string> | undefined): void {
  const { key, index, receiver } = event;
  const written = event.state.observed.receiver;
  // 1.
  if (written !== '' && !validReceiver(written))
    notes.add('receiver-name', 'trail', `record ${index} names a receiver by a text that is no receiver's name`, {
      index,
      key,
      expected: '1 to 32 of a-z 0-9 _ -, and not "default"',
      actual: written.slice(0, 80),
    });
  // 2.
  const split = splitToKey(key);
  if (split !== undefined && split.receiver !== receiver)
    notes.add('fan-out-key', 'trail', `the key at record ${index} names another receiver than the record`, {
      index,
      key,
      expected: split.receiver,
      actual: receiver.slice(0, 80),
    });
  // 3.
  if (named !== undefined && !named.has(receiver))
    notes.add('unknown-receiver', 'trail', `record ${index} tells a receiver that the routing does not name`, {
      index,
      key,
      actual: receiver.slice(0, 80),
    });
}

function checkClaims({ settings, notes }: CheckContext, event: TrailEvent): void {
  const { key } = event;
  let previous: NotifyRecord | undefined;
  for (const claim of event.state.claims) {
    const { index, at, until, holder } = claim;
    // 4.
    if (holder === '' || until === undefined || until <= at)
      notes.add(
        'claim-invalid',
        'trail',
        `the claim at record ${index} ${holder === '' ? 'has no holder' : 'is over when it starts'}`,
        { index, key },
      );
    else if (until - at < LEAST_CLAIM)
      notes.add('claim-ttl-short', 'trail', `the claim at record ${index} lasts ${formatDuration(until - at)}`, {
        index,
        key,
        expected: `at least ${formatDuration(LEAST_CLAIM)}`,
        actual: formatDuration(until - at),
      });
    // 5.
    if (at < event.at - settings.clock_skew)
      notes.add(
        'impossible-time',
        'trail',
        `the claim at record ${index} is earlier than the observation of its event`,
        {
          index,
          key,
          expected: `at or after ${formatInstant(event.at - settings.clock_skew)}`,
          actual: formatInstant(at),
        },
      );
    // 6. Exact: a process compares its own clock with a time that is in the trail (12.3).
    if (previous?.until !== undefined && previous.holder !== holder && at < previous.until)
      notes.add('claim-overlap', 'trail', `record ${index} claims the event while another process held it`, {
        index,
        key,
        expected: `at or after ${formatInstant(previous.until)}`,
        actual: formatInstant(at),
      });
    previous = claim;
  }
}

function checkAcknowledgement({ settings, notes }: CheckContext, event: TrailEvent): void {
  const { acked, claims } = event.state;
  if (acked === undefined) return;
  const { key } = event;
  const { index, at, firstSentAt, status } = acked;
  const claim = claims.at(-1);
  // 7.
  if (claim === undefined)
    notes.add('ack-without-claim', 'trail', `record ${index} acknowledges an event that no process had claimed`, {
      index,
      key,
    });
  else if (claim.until === undefined || at > claim.until + settings.clock_skew)
    notes.add('ack-after-claim-lapsed', 'trail', `record ${index} acknowledges after the claim had lapsed`, {
      index,
      key,
      ...(claim.until === undefined ? {} : { expected: `at most ${formatInstant(claim.until + settings.clock_skew)}` }),
      actual: formatInstant(at),
    });
  else if (at < claim.at - settings.clock_skew)
    notes.add(
      'impossible-time',
      'trail',
      `the acknowledgement at record ${index} is earlier than the claim it was made under`,
      {
        index,
        key,
        expected: `at or after ${formatInstant(claim.at - settings.clock_skew)}`,
        actual: formatInstant(at),
      },
    );
  // 8.
  if (firstSentAt === undefined || acked.attempts < 1)
    notes.add(
      'ack-evidence-missing',
      'trail',
      `the acknowledgement at record ${index} does not say when it was first sent, or how often`,
      { index, key },
    );
  if (firstSentAt !== undefined && (firstSentAt > at || firstSentAt < event.at - settings.clock_skew))
    notes.add(
      'impossible-time',
      'trail',
      `the acknowledgement at record ${index} was first sent ${firstSentAt > at ? 'after it was acknowledged' : 'before the event was observed'}`,
      {
        index,
        key,
        expected: `from ${formatInstant(event.at - settings.clock_skew)} to ${formatInstant(at)}`,
        actual: formatInstant(firstSentAt),
      },
    );
  // 9.
  if (status !== 0 && (status < 200 || status > 299))
    notes.add('ack-status', 'trail', `the status at record ${index} is not one by which a sink accepts`, {
      index,
      key,
      expected: '200 to 299',
      actual: String(status),
    });
}

function checkFailing({ settings, asOf, notes }: CheckContext, event: TrailEvent): void {
  const { key } = event;
  const { claims, acked, cleared, failing } = event.state;
  const threshold = Math.ceil(settings.failing_after / 3);
  // 10.
  let lost = claims.length;
  const until = claims.at(-1)?.until;
  if (acked !== undefined) lost--;
  else if (until !== undefined && until > (cleared?.at ?? asOf)) lost--;
  if (failing === undefined && lost >= threshold)
    notes.add(
      'failing-not-recorded',
      'trail',
      `${lost} rounds of delivery were lost and no record says that it is failing`,
      {
        key,
        expected: `a record after ${threshold} lost rounds`,
        actual: `${lost} lost rounds`,
      },
    );
  // 11.
  if (failing !== undefined) {
    const before = claims.filter((claim) => claim.index < failing.index).length;
    if (before < threshold)
      notes.add('failing-early', 'trail', `record ${failing.index} says failing after ${before} rounds`, {
        index: failing.index,
        key,
        expected: `after ${threshold} rounds`,
        actual: `after ${before}`,
      });
  }
}

function checkDeadline({ settings, asOf, notes }: CheckContext, event: TrailEvent): void {
  const { key, index, kind, at } = event;
  const { acked, cleared, overdue, observed } = event.state;
  const { deadlineAt } = observed;
  const open = acked === undefined && cleared === undefined;
  // 12. and 13.
  if (kind === 'resolved') {
    if (deadlineAt !== undefined)
      notes.add(
        'deadline-on-clear',
        'trail',
        `the all-clear at record ${index} has a deadline; an all-clear is never overdue`,
        { index, key },
      );
    if (!open) return;
    if (asOf - at > settings.all_clear_within)
      notes.add(
        'all-clear-not-acknowledged',
        'trail',
        `the all-clear of record ${index} was not acknowledged in ${formatDuration(asOf - at)}`,
        {
          key,
          expected: `within ${formatDuration(settings.all_clear_within)}`,
        },
      );
    else notes.add('delivery-pending', 'trail', `the all-clear of record ${index} is still being delivered`, { key });
    return;
  }
  if (deadlineAt === undefined)
    notes.add('deadline-missing', 'trail', `record ${index} gives the event no deadline`, { index, key });
  else if (deadlineAt <= at)
    notes.add('deadline-invalid', 'trail', `the deadline at record ${index} is not after the observation`, {
      index,
      key,
      expected: `after ${formatInstant(at)}`,
      actual: formatInstant(deadlineAt),
    });
  // 14.
  const due = deadlineAt ?? at + settings.deadline;
  if (open && asOf > due)
    notes.add(
      'never-acknowledged',
      'trail',
      `nobody acknowledged the event of record ${index}; it was due ${formatDuration(asOf - due)} before the time of judgement`,
      {
        key,
        expected: `an acknowledgement by ${formatInstant(due)}`,
        ...(kind === 'notification_overdue' ? { severity: 'warning' as const } : {}),
      },
    );
  else if (open)
    notes.add('delivery-pending', 'trail', `the event of record ${index} is not yet acknowledged and still in time`, {
      key,
    });
  // 15.
  if (acked !== undefined && deadlineAt !== undefined && acked.at > deadlineAt)
    notes.add(
      'acknowledged-late',
      'trail',
      `the event was acknowledged ${formatDuration(acked.at - deadlineAt)} late, ${formatDuration(acked.at - at)} after it was observed`,
      {
        index: acked.index,
        key,
        expected: `by ${formatInstant(deadlineAt)}`,
        actual: formatInstant(acked.at),
      },
    );
  // 16. Overdue notices are exempt: otherwise every notice would owe a notice.
  if (deadlineAt !== undefined && kind !== 'notification_overdue' && overdue === undefined) {
    const stop = acked?.at ?? cleared?.at ?? asOf;
    if (stop > deadlineAt + settings.overdue_grace)
      notes.add(
        'overdue-not-recorded',
        'trail',
        `the event was open ${formatDuration(stop - deadlineAt)} past its deadline and no record says so`,
        { key },
      );
  }
}

function checkOverdue({ notes }: CheckContext, event: TrailEvent): void {
  const { key, index, kind, at } = event;
  const { overdue, observed } = event.state;
  // 17.
  if (overdue !== undefined) {
    const { deadlineAt } = observed;
    if (deadlineAt === undefined || overdue.at < deadlineAt)
      notes.add(
        'overdue-early',
        'trail',
        `record ${overdue.index} says overdue ${deadlineAt === undefined ? 'of an event without deadline' : 'before the deadline'}`,
        {
          index: overdue.index,
          key,
          ...(deadlineAt === undefined ? {} : { expected: `at or after ${formatInstant(deadlineAt)}` }),
          actual: formatInstant(overdue.at),
        },
      );
    if (overdue.latency !== overdue.at - at)
      notes.add(
        'overdue-latency',
        'trail',
        `the latency at record ${overdue.index} is not the time since the observation`,
        {
          index: overdue.index,
          key,
          expected: String(overdue.at - at),
          actual: String(overdue.latency),
        },
      );
    if (event.notices.length === 0 && kind !== 'notification_overdue')
      notes.add('overdue-notice-missing', 'trail', `record ${overdue.index} says overdue and nobody was told of that`, {
        index: overdue.index,
        key,
      });
  }
  // 18.
  if (kind === 'notification_overdue' && event.base !== undefined && event.base.state.overdue === undefined)
    notes.add(
      'overdue-notice-unexpected',
      'trail',
      `record ${index} tells that an event is overdue, and no record marks it so`,
      { index, key },
    );
}
