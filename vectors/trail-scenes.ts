/** Small notification trails for vectors: an event told and acknowledged, its end, a chain, two segments of the open trail. */
export type Row = Readonly<Record<string, unknown>>;
export type Document = Readonly<Record<string, unknown>>;

const START = Date.parse('2026-10-13T09:00:00Z');

/** A time so many seconds after 09:00:00 of the day. */
export function at(seconds: number): string {
  return new Date(START + seconds * 1000).toISOString().replace('.000Z', 'Z');
}

export const GATE = 'approval:run-1:g';
export const HALT = 'halted:run-1:tool:t:0';
export const ABORT = 'aborted:run-1';
const RUN = 'run-1';

const OF_KIND: Readonly<Record<string, Row>> = {
  approval_pending: { op_run: RUN, op_kind: 'gate', op_id: 'g' },
  approval_expired: { op_run: RUN, op_kind: 'gate', op_id: 'g' },
  outcome_unknown: { op_run: RUN, op_kind: 'tool', op_id: 't' },
};

/** An observation, due five minutes later. */
export function seen(key: string, seconds: number, kind: string, more: Row = {}): Row {
  const due = kind === 'resolved' ? {} : { deadline_at: at(seconds + 300) };
  return {
    kind: 'observed',
    key,
    run_id: RUN,
    at: at(seconds),
    event_kind: kind,
    event_at: at(seconds),
    ...due,
    ...OF_KIND[kind],
    ...more,
  };
}

export function claimed(key: string, seconds: number, lasts = 120, holder = 'w1'): Row {
  return { kind: 'claimed', key, run_id: RUN, at: at(seconds), holder, until: at(seconds + lasts) };
}

export function acked(key: string, seconds: number, more: Row = {}): Row {
  return {
    kind: 'acked',
    key,
    run_id: RUN,
    at: at(seconds),
    first_sent_at: at(seconds),
    attempts: 1,
    status: 200,
    ...more,
  };
}

export function mark(kind: string, key: string, seconds: number, more: Row = {}): Row {
  return { kind, key, run_id: RUN, at: at(seconds), ...more };
}

/** Observed, claimed a second later, acknowledged another second later. */
export function told(key: string, seconds: number, kind: string, more: Row = {}): readonly Row[] {
  return [seen(key, seconds, kind, more), claimed(key, seconds + 1), acked(key, seconds + 2)];
}

export function allClear(of: string, seconds: number, reason: string, more: Row = {}): readonly Row[] {
  return told(`resolved:${of}`, seconds, 'resolved', { reason, ...more });
}

export function step(level: number, of: string, seconds: number, receiver: string, more: Row = {}): readonly Row[] {
  return told(`escalated:${level}:${of}`, seconds, 'escalated', { receiver, level, ...more });
}

/** The overdue mark at 301 seconds and its notice. */
export function overdue(key: string, latency = 301_000_000_000, seconds = 301): readonly Row[] {
  return [
    mark('overdue', key, seconds, { latency }),
    ...told(`overdue:${key}`, seconds, 'notification_overdue', { reason: 'deadline' }),
  ];
}

export function trail(records: readonly Row[], more: Document = {}): Document {
  return {
    format: 'bide-audit.notify-trail.v1',
    trail: 'notify:run-1',
    run_id: RUN,
    as_of: at(3600),
    records,
    ...more,
  };
}

export function fact(key: string, kind: string, seconds: number, more: Row = {}): Row {
  return { key, kind, run_id: RUN, at: at(seconds), current: true, ...more };
}

export const FIRST = 'notify:@open:2026-10-13';
export const SECOND = 'notify:@open:2026-10-14';
export const INDEX = 'notify:@open:index:2026';
export const WINDOW = 86_400_000_000_000;
const MIDNIGHT = 15 * 3600;

/** Seconds after midnight of the 14th, as seconds after 09:00:00 of the 13th. */
export const next = (seconds: number): number => MIDNIGHT + seconds;

export const BACKFILLED: Row = { kind: 'backfilled', at: at(-32_390), backfill_window: WINDOW };
export const WATCH: Row = mark('watch', GATE, -1);
export const SEAL: Row = { kind: 'seal', at: at(next(5)), next: SECOND };
export const CHECKPOINT: Row = {
  kind: 'checkpoint',
  at: at(next(5)),
  watching: [{ key: GATE, run_id: RUN, at: at(-1) }],
  backfilled: true,
  backfills: 1,
  backfill_at: at(-32_390),
  backfill_window: WINDOW,
};

export interface OpenParts {
  readonly first?: readonly Row[];
  readonly second?: readonly Row[];
  readonly index?: readonly string[];
  readonly more?: Document;
  readonly records?: readonly Row[];
}

/** A gate that was told and is listed, and two days of the open trail. */
export function opened({
  first = [BACKFILLED, WATCH, SEAL],
  second = [CHECKPOINT],
  index,
  more = {},
  records = told(GATE, 0, 'approval_pending'),
}: OpenParts): Document {
  const indexes =
    index === undefined
      ? {}
      : {
          indexes: [
            { name: INDEX, records: index.map((name, i) => ({ kind: 'segment', at: at(next(i)), next: name })) },
          ],
        };
  const segments = [
    { name: FIRST, records: first },
    { name: SECOND, records: second },
  ];
  return trail(records, { as_of: at(next(36_000)), open: { complete: true, segments, ...indexes, ...more } });
}
