/** One line for each event of a trail: what happened, when, in words, with how long it took against its deadline. */
import { formatInstant, type Instant } from '../time/instant.ts';
import type { TrailEvent } from './model.ts';
import type { Note } from './notes.ts';
import { formatDuration } from './time.ts';
import type { Judgement } from './verify.ts';

/** Lines that a report shows; further events are counted. */
export const MAX_LINES = 10_000;

export interface TimelineLine {
  readonly at: Instant;
  readonly text: string;
  readonly key: string;
  readonly receiver: string;
  readonly verdict: 'verified' | 'failed' | 'undecided';
}

const WHAT: Readonly<Record<string, string>> = {
  outcome_unknown: 'the outcome of an effect is unknown',
  approval_pending: 'a decision is needed',
  recovery_failing: 'the run cannot be recovered',
  run_aborted: 'the run was aborted',
  approval_expired: 'a gate expired undecided',
  notification_overdue: 'a notification is overdue',
  escalated: 'escalated',
  resolved: 'all clear',
};

/** The first `limit` events by time: those that the trail observed, and those of the journal that it did not. */
export function timelineOf(judgement: Judgement, limit: number = MAX_LINES): readonly TimelineLine[] {
  const { model, asOf } = judgement;
  const failed = new Set<string>();
  for (const { key, severity } of judgement.notes) if (key !== undefined && severity === 'error') failed.add(key);
  const lines: TimelineLine[] = [];
  for (const event of model.events.values()) {
    const { acked, cleared } = event.state;
    const open = acked === undefined && cleared === undefined;
    const verdict = failed.has(event.key) ? 'failed' : open ? 'undecided' : 'verified';
    lines.push({ at: event.at, text: textOf(event, asOf), key: event.key, receiver: event.receiver, verdict });
    if (lines.length >= limit) break;
  }
  for (const [fact, matches] of model.matches) {
    if (matches.length > 0 || lines.length >= limit) continue;
    const about = fact.op === undefined ? '' : ` (${fact.op.kind} ${fact.op.id})`;
    const text = `${WHAT[fact.kind]}${about}, by the journal: no record that anybody was told`;
    lines.push({
      at: fact.at ?? asOf,
      text,
      key: fact.key,
      receiver: '',
      verdict: failed.has(fact.key) ? 'failed' : 'undecided',
    });
  }
  return lines.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function textOf(event: TrailEvent, asOf: Instant): string {
  const { opKind, opId, level } = event.state.observed;
  const what = Object.hasOwn(WHAT, event.kind) ? (WHAT[event.kind] as string) : event.kind;
  const about = opId === '' ? '' : ` (${opKind || 'operation'} ${opId})`;
  const step = level > 0 ? ` (step ${level})` : '';
  return `${what}${about}${step}, for ${event.receiver}: ${[...happened(event, asOf)].join(', ')}`;
}

function* happened({ at, kind, state, clears }: TrailEvent, asOf: Instant): Generator<string> {
  const { acked, cleared, failing, overdue, claims, observed } = state;
  const { deadlineAt } = observed;
  const after = (time: Instant) => formatDuration(time - at);
  if (claims.length === 0) yield acked === undefined ? 'delivery never attempted' : 'no attempt recorded';
  if (claims.length > 1) yield `${claims.length} rounds of delivery`;
  if (failing !== undefined) yield `failing after ${after(failing.at)}`;
  if (overdue !== undefined) yield `marked overdue after ${after(overdue.at)}`;
  if (acked !== undefined) {
    yield `acknowledged after ${after(acked.at)}`;
    if (deadlineAt !== undefined)
      yield acked.at <= deadlineAt
        ? `${formatDuration(deadlineAt - acked.at)} before its deadline`
        : `${formatDuration(acked.at - deadlineAt)} late`;
  } else if (cleared !== undefined)
    yield `over after ${after(cleared.at)}${cleared.reason === '' ? '' : ` (${cleared.reason})`}`;
  else if (deadlineAt === undefined) yield 'not acknowledged';
  else if (asOf > deadlineAt) yield `not acknowledged, ${formatDuration(asOf - deadlineAt)} past its deadline`;
  else yield `not acknowledged yet, due ${formatInstant(deadlineAt)}`;
  if (kind === 'resolved') return;
  const told = clears.find((clear) => clear.state.acked !== undefined);
  if (told?.state.acked !== undefined) yield `told of the end after ${after(told.state.acked.at)}`;
  else if (clears.length > 0) yield 'all-clear not acknowledged';
}

/** Notes that name an event, counted by severity: what a summary line says. */
export function countNotes(notes: readonly Note[]): {
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
} {
  let [errors, warnings, infos] = [0, 0, 0];
  for (const { severity } of notes) {
    if (severity === 'error') errors++;
    else if (severity === 'warning') warnings++;
    else infos++;
  }
  return { errors, warnings, infos };
}
