/** The notify report, `bide-audit.notify-report.v1` (notifications 15): the same judgement as rows of plain JSON. */
import { formatInstant } from '../time/instant.ts';
import { byReceiver, type EventState, receiverOf, type TrailState } from './fold.ts';
import type { Note, NoteSeverity } from './notes.ts';
import type { SegmentState } from './open.ts';
import { formatDuration } from './time.ts';
import type { Judgement } from './verify.ts';

export const NOTIFY_REPORT_FORMAT = 'bide-audit.notify-report.v1';

/** The fold of a run trail as JSON: positions of records in place of the records. */
export interface FoldRow {
  readonly keys: readonly string[];
  readonly events: Readonly<Record<string, EventRow>>;
  readonly failing_since: number | null;
  readonly episodes: number;
  readonly ignored: readonly number[];
}

export interface EventRow {
  readonly kind: string;
  readonly receiver: string;
  readonly observed: number;
  readonly rounds: number;
  readonly level?: number;
  readonly claim?: number;
  readonly acked?: number;
  readonly cleared?: number;
  readonly failing?: number;
  readonly overdue?: number;
}

export interface SegmentRow {
  readonly watched: readonly { readonly key: string; readonly run_id?: string; readonly at?: string }[];
  readonly backfilled: boolean;
  readonly backfills: number;
  readonly sealed: string;
  readonly ignored: readonly number[];
  readonly backfill_at?: string;
  /** Nanoseconds; text where a number does not hold them exactly. */
  readonly backfill_window?: number | string;
}

export interface FindingRow {
  readonly code: string;
  readonly severity: NoteSeverity;
  readonly where: string;
  readonly key?: string;
  readonly index?: number;
  readonly message: string;
  readonly detail?: { readonly expected?: string; readonly actual?: string };
}

export interface NotifyReport {
  readonly format: typeof NOTIFY_REPORT_FORMAT;
  readonly trail: string;
  readonly bound: boolean;
  readonly as_of: string | null;
  readonly as_of_source: string;
  readonly summary: Readonly<Record<'events' | 'acknowledged' | 'open' | 'errors' | 'warnings' | 'infos', number>>;
  readonly fold: FoldRow;
  readonly open: Readonly<Record<string, SegmentRow>>;
  readonly receivers: Readonly<
    Record<string, { readonly events: number; readonly acknowledged: number; readonly worst_latency?: string }>
  >;
  readonly findings: readonly FindingRow[];
}

/** An object whose names come from the input: no name has a meaning of its own. */
function table<T>(rows: Iterable<readonly [string, T]>): Readonly<Record<string, T>> {
  return Object.fromEntries(rows);
}

export function foldRow(state: TrailState): FoldRow {
  return {
    keys: [...state.events.keys()],
    events: table([...state.events].map(([key, event]) => [key, eventRow(event)] as const)),
    failing_since: state.failingSince?.index ?? null,
    episodes: state.closedEpisodes,
    ignored: state.ignored,
  };
}

function eventRow(event: EventState): EventRow {
  const { observed, claims, acked, cleared, failing, overdue } = event;
  const claim = claims.at(-1);
  return {
    kind: observed.eventKind,
    receiver: receiverOf(event),
    observed: observed.index,
    rounds: claims.length,
    ...(observed.level === 0 ? {} : { level: observed.level }),
    ...(claim === undefined ? {} : { claim: claim.index }),
    ...(acked === undefined ? {} : { acked: acked.index }),
    ...(cleared === undefined ? {} : { cleared: cleared.index }),
    ...(failing === undefined ? {} : { failing: failing.index }),
    ...(overdue === undefined ? {} : { overdue: overdue.index }),
  };
}

export function segmentRow(state: SegmentState): SegmentRow {
  const { watched, backfilled, backfills, sealed, ignored, backfillAt, backfillWindow } = state;
  const exact = backfillWindow <= BigInt(Number.MAX_SAFE_INTEGER) && backfillWindow >= -BigInt(Number.MAX_SAFE_INTEGER);
  return {
    watched: watched.map(({ key, runId, at }) => ({
      key,
      ...(runId === '' ? {} : { run_id: runId }),
      ...(at === undefined ? {} : { at: formatInstant(at) }),
    })),
    backfilled,
    backfills,
    sealed,
    ignored,
    ...(backfillAt === undefined ? {} : { backfill_at: formatInstant(backfillAt) }),
    ...(backfillWindow === 0n ? {} : { backfill_window: exact ? Number(backfillWindow) : String(backfillWindow) }),
  };
}

export function findingRow(note: Note): FindingRow {
  const { condition, severity, where, key, index, message, expected, actual } = note;
  const detail = { ...(expected === undefined ? {} : { expected }), ...(actual === undefined ? {} : { actual }) };
  return {
    code: condition,
    severity,
    where,
    ...(key === undefined ? {} : { key }),
    ...(index === undefined ? {} : { index }),
    message,
    ...(Object.keys(detail).length === 0 ? {} : { detail }),
  };
}

export function notifyReport(judgement: Judgement): NotifyReport {
  const { document, state, notes, binding, folds, asOf, asOfSource } = judgement;
  const count = (severity: NoteSeverity) => notes.filter((note) => note.severity === severity).length;
  const events = [...state.events.values()];
  return {
    format: NOTIFY_REPORT_FORMAT,
    trail: document.trail,
    bound: binding.bound,
    as_of: asOfSource === 'none' ? null : formatInstant(asOf),
    as_of_source: asOfSource,
    summary: {
      events: events.length,
      acknowledged: events.filter(({ acked }) => acked !== undefined).length,
      open: events.filter(({ acked, cleared }) => acked === undefined && cleared === undefined).length,
      errors: count('error'),
      warnings: count('warning'),
      infos: count('info'),
    },
    fold: foldRow(state),
    open: table([...folds].map(([name, fold]) => [name, segmentRow(fold)] as const)),
    receivers: table([...byReceiver(state)].map(([name, list]) => [name, receiverRow(list)] as const)),
    findings: notes.map(findingRow),
  };
}

function receiverRow(events: readonly EventState[]): NotifyReport['receivers'][string] {
  let worst: bigint | undefined;
  let acknowledged = 0;
  for (const { acked, observed } of events) {
    if (acked === undefined) continue;
    acknowledged++;
    const latency = acked.at - observed.at;
    if (worst === undefined || latency > worst) worst = latency;
  }
  return {
    events: events.length,
    acknowledged,
    ...(worst === undefined ? {} : { worst_latency: formatDuration(worst) }),
  };
}
