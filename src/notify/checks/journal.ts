/** The trail against the run's journal, the routing and receipts of the sink (notifications 13.10, 13.11). */
import { formatInstant } from '../../time/instant.ts';
import type { CheckContext } from '../context.ts';
import type { JournalEvent } from '../document.ts';
import { encodeID, notifyID, splitToKey } from '../keys.ts';
import type { TrailEvent } from '../model.ts';
import { approverRouted, ROUTED_KINDS, receivers } from '../routing.ts';
import { formatDuration } from '../time.ts';

const JOURNAL_KINDS: ReadonlySet<string> = new Set(['approval_pending', 'outcome_unknown', 'run_aborted']);

/** What a message calls an event of a journal. */
const WORDS: Readonly<Record<JournalEvent['kind'], string>> = {
  approval_pending: 'a gate that waits for approval',
  outcome_unknown: 'an effect whose outcome is unknown',
  run_aborted: 'an aborted run',
};

export function checkJournal(context: CheckContext): void {
  const { document, model, notes } = context;
  const { journal, routing } = document;
  const { runId } = document;
  if (
    journal !== undefined &&
    journal.runId !== '' &&
    runId !== undefined &&
    journal.runId !== runId &&
    !(document.runIdEncoded && encodeID(journal.runId) === runId)
  )
    notes.add('run-mismatch', 'journal', 'the journal is of another run than the trail', {
      expected: runId,
      actual: journal.runId.slice(0, 200),
    });
  if (journal?.partial === true)
    notes.add(
      'unmatchable-event',
      'journal',
      'the journal was redacted, so it cannot show every event that needed a person',
    );
  else if (model.unmatchable !== undefined)
    notes.add(
      'unmatchable-event',
      'trail',
      'an approval was recorded without the gate that it is about, so gates of the journal cannot be matched',
      {
        index: model.unmatchable.index,
        key: model.unmatchable.key,
      },
    );
  for (const [fact, matches] of model.matches) {
    for (const match of matches) checkMatch(context, fact, match);
    if (matches.length === 0) checkMissing(context, fact);
    else if (routing !== undefined) checkReceivers(context, fact, matches);
  }
  for (const event of model.events.values()) {
    if (event.journal !== undefined) continue;
    // 6.
    if (journal?.complete === true && JOURNAL_KINDS.has(event.kind))
      notes.add(
        'event-unexpected',
        'trail',
        `record ${event.index} tells of an event that the complete journal does not show`,
        {
          index: event.index,
          key: event.key,
          severity: event.kind === 'run_aborted' ? 'warning' : 'info',
        },
      );
    if (routing === undefined || !ROUTED_KINDS.has(event.kind)) continue;
    if (event.kind === 'approval_pending' && approverRouted(routing))
      notes.add(
        'approvers-unknown',
        'trail',
        `who may decide the gate of record ${event.index} is not known, so its receivers were not judged`,
        { index: event.index, key: event.key },
      );
    else wrongReceiver(context, event, new Set(receivers(routing, event.kind, undefined)));
  }
}

/** Rules 1, 3 and 5. */
function checkMatch({ document, settings, asOf, notes }: CheckContext, fact: JournalEvent, match: TrailEvent): void {
  const { index, key } = match;
  if (match.kind !== fact.kind)
    notes.add('kind-mismatch', 'trail', `record ${index} observes the event under another kind than the journal's`, {
      index,
      key,
      expected: fact.kind,
      actual: match.kind.slice(0, 80),
    });
  if (fact.at !== undefined && match.at < fact.at - settings.clock_skew)
    notes.add(
      'observed-before-event',
      'trail',
      `record ${index} observes the event ${formatDuration(fact.at - match.at)} before the journal says that it began`,
      {
        index,
        key,
        expected: `at or after ${formatInstant(fact.at - settings.clock_skew)}`,
        actual: formatInstant(match.at),
      },
    );
  if (!fact.current) return;
  const judged = document.journal?.asOf ?? asOf;
  const { cleared } = match.state;
  for (const record of [
    ...(cleared === undefined ? [] : [cleared]),
    ...match.clears.map((clear) => clear.state.observed),
  ]) {
    if (record.at > judged) continue;
    if (record.reason === 'ended' && document.journal?.runEnded !== false) continue;
    notes.add(
      'all-clear-false',
      'trail',
      `record ${record.index} says that the event is over while the journal shows it open`,
      {
        index: record.index,
        key,
        severity: record.reason === 'expired' ? 'warning' : 'error',
      },
    );
  }
}

/** Rule 2. */
function checkMissing({ document, settings, asOf, model, notes }: CheckContext, fact: JournalEvent): void {
  const { kind, at, resolvedAt } = fact;
  const key = fact.key === '' ? undefined : fact.key;
  const what = WORDS[kind];
  if (document.journal?.partial === true || (kind === 'approval_pending' && model.unmatchable !== undefined)) return;
  const { notifier_since: since, halt_age: haltAge } = settings;
  if (since !== undefined && at !== undefined && at < since) {
    notes.add(
      'event-missing',
      'journal',
      `the journal shows ${what} from before the notifier was in use; nobody was told`,
      { key, severity: 'info' },
    );
    return;
  }
  if (kind === 'outcome_unknown' && at === undefined) {
    notes.add(
      'event-missing',
      'journal',
      `the journal shows ${what} without a time, which a sweep does not report; nobody was told`,
      { key, severity: 'warning' },
    );
    return;
  }
  const isYoungHalt =
    kind === 'outcome_unknown' &&
    at !== undefined &&
    (asOf - at < haltAge || (resolvedAt !== undefined && resolvedAt - at < haltAge));
  if (isYoungHalt || (at !== undefined && asOf - at <= settings.observe_within)) {
    notes.add('event-too-young', 'journal', `the journal shows ${what} that was too young to be reported`, { key });
    return;
  }
  notes.add('event-missing', 'journal', `the journal shows ${what}, and no record says that anybody was told`, {
    key,
    ...(fact.op === undefined
      ? {}
      : { actual: `no record about ${fact.op.kind} ${fact.op.id.slice(0, 200)} of ${fact.op.run.slice(0, 200)}` }),
    ...(at === undefined ? {} : { expected: `observed by ${formatInstant(at + settings.observe_within)}` }),
  });
}

/** Rule 4. */
function checkReceivers(context: CheckContext, fact: JournalEvent, matches: readonly TrailEvent[]): void {
  const { document, notes } = context;
  if (document.routing === undefined) return;
  const expected = new Set(receivers(document.routing, fact.kind, fact.approvers));
  const told = new Set(matches.map((match) => match.receiver));
  for (const receiver of expected)
    if (!told.has(receiver))
      notes.add('receiver-missing', 'journal', 'one of the receivers that the routing names was not told', {
        key: fact.key === '' ? matches[0]?.key : fact.key,
        expected: receiver,
      });
  for (const match of matches) {
    wrongReceiver(context, match, expected);
    if (expected.size === 1 && splitToKey(match.key) !== undefined)
      notes.add('fan-out-unneeded', 'trail', `record ${match.index} uses a fan-out key although one receiver is owed`, {
        index: match.index,
        key: match.key,
      });
  }
}

function wrongReceiver({ notes }: CheckContext, event: TrailEvent, expected: ReadonlySet<string>): void {
  if (!expected.has(event.receiver))
    notes.add('wrong-receiver', 'trail', `record ${event.index} tells another receiver than the routed one`, {
      index: event.index,
      key: event.key,
      expected: [...expected].join(', '),
      actual: event.receiver.slice(0, 80),
    });
}

/** Receipts of the sink side (13.11). */
export function checkDeliveries({ document, model, notes }: CheckContext): void {
  if (document.deliveries === undefined) return;
  const known = new Set<string>();
  for (const key of model.events.keys()) known.add(notifyID(key));
  document.deliveries.forEach(({ id, key }, at) => {
    if (key === '') {
      if (!known.has(id))
        notes.add('unknown-delivery', 'deliveries', `receipt ${at} is of no event that the trail observed`, {
          actual: id.slice(0, 80),
        });
      return;
    }
    const expected = notifyID(key);
    if (id !== expected)
      notes.add('wrong-notify-id', 'deliveries', `receipt ${at} has another ID than its key gives`, {
        key,
        expected,
        actual: id.slice(0, 80),
      });
    if (!model.events.has(key))
      notes.add('unknown-delivery', 'deliveries', `receipt ${at} is of an event that the trail never observed`, {
        key,
      });
  });
}
