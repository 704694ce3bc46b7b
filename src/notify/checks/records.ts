/** Each record by itself, and the order of records (notifications 13.2, 13.3). */
import { formatInstant, type Instant } from '../../time/instant.ts';
import type { CheckContext } from '../context.ts';
import type { TrailDocument } from '../document.ts';
import { encodeID } from '../keys.ts';
import { isKnownKind, isMalformed, type NotifyRecord, RUN_KINDS } from '../record.ts';
import { formatDuration } from '../time.ts';

/** The shape pass. Gives the valid run records, which alone take part in further rules. */
export function checkRecords({
  document,
  settings,
  asOf,
  notes,
}: Omit<CheckContext, 'model' | 'state'>): readonly NotifyRecord[] {
  const valid: NotifyRecord[] = [];
  for (const record of document.records) {
    const { index } = record;
    // 1.
    if (isMalformed(record)) {
      notes.add('malformed-record', 'trail', `record ${index} is not usable: ${record.malformed}`, { index });
      continue;
    }
    // 2.
    if (!RUN_KINDS.has(record.kind)) {
      if (isKnownKind(record.kind))
        notes.add('misplaced-record', 'trail', `record ${index} is of a kind that belongs on the open trail`, {
          index,
          actual: record.kind,
        });
      else
        notes.add('unknown-kind', 'trail', `record ${index} is of a kind that is not known here and was passed over`, {
          index,
          actual: record.kind.slice(0, 80),
        });
      continue;
    }
    // 3.
    if (record.clockAt !== undefined)
      notes.add(
        'clock-at',
        'trail',
        `record ${index} of a run trail has a "clock_at", which only open-trail records have`,
        { index },
      );
    // 4.
    const strange = otherRun(record, document);
    if (strange !== undefined)
      notes.add('run-mismatch', 'trail', `record ${index} is about another run than the trail's`, {
        index,
        expected: document.runId,
        actual: strange,
      });
    // 5.
    if (record.at > asOf + settings.clock_skew)
      notes.add('future-record', 'trail', `record ${index} is later than the time of judgement`, {
        index,
        expected: `at most ${formatInstant(asOf + settings.clock_skew)}`,
        actual: formatInstant(record.at),
      });
    valid.push(record);
  }
  return valid;
}

/** The run that a record names where it is not the trail's. A run ID known from the trail's name is in its encoded form (6). */
function otherRun({ runId, opRun }: NotifyRecord, document: TrailDocument): string | undefined {
  const expected = document.runId;
  if (expected === undefined) return undefined;
  const matches = (id: string) => id === expected || (document.runIdEncoded && encodeID(id) === expected);
  if (runId !== '' && !matches(runId)) return runId;
  if (opRun === '' || opRun === expected || opRun.startsWith(`${expected}>`)) return undefined;
  return document.runIdEncoded && matches(opRun.split('>', 1)[0] as string) ? undefined : opRun;
}

/** The sequence pass over valid run records. */
export function checkSequence({ settings, notes }: CheckContext, records: readonly NotifyRecord[]): void {
  let greatest: Instant | undefined;
  /** Key to what was seen of it: 1 observed, 2 ended, 4 failing, 8 overdue. */
  const seen = new Map<string, number>();
  for (const { index, kind, key, at } of records) {
    // 1.
    if (greatest !== undefined && at < greatest)
      notes.add(
        'time-backwards',
        'trail',
        `record ${index} is ${formatDuration(greatest - at)} earlier than a record before it`,
        {
          index,
          severity: greatest - at > settings.clock_skew ? 'warning' : 'info',
          expected: `at or after ${formatInstant(greatest)}`,
          actual: formatInstant(at),
        },
      );
    if (greatest === undefined || at > greatest) greatest = at;
    if (key === '') continue;
    const had = seen.get(key) ?? 0;
    if (kind === 'observed') {
      // 2.
      if ((had & 1) !== 0)
        notes.add('duplicate-observed', 'trail', `record ${index} observes an event that was observed before`, {
          index,
          key,
        });
      seen.set(key, had | 1);
    } else if ((had & 1) === 0) {
      // 3.
      notes.add(
        'record-before-observed',
        'trail',
        `record ${index} (${kind}) is about an event that was not observed before it`,
        { index, key },
      );
      continue;
    }
    // 4.
    if ((had & 2) !== 0)
      notes.add(
        'record-after-terminal',
        'trail',
        `record ${index} (${kind}) stands after the event had been acknowledged or cleared`,
        { index, key },
      );
    // 5.
    const mark = kind === 'failing' ? 4 : kind === 'overdue' ? 8 : 0;
    if (mark !== 0) {
      if ((had & mark) !== 0)
        notes.add('duplicate-mark', 'trail', `record ${index} marks the event ${kind} a second time`, { index, key });
      seen.set(key, had | mark);
    } else if (kind === 'acked' || kind === 'cleared') seen.set(key, had | 2);
  }
}
