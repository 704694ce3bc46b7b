/** The events of a journal that needed a person: asks of gates, halts, the abort (journal 4.11). */
import { compareUtf8 } from '../bytes/encoding.ts';
import { type Ask, answerOf, asksOf, type Gate } from './gates.ts';
import type { ReadableRecord } from './record.ts';
import { haltingAttempt, isInjected, outcomeOf, type Replay } from './replay.ts';
import { encodeId, rootRunId } from './run-id.ts';
import { EVENT_KEYS } from './spellings.ts';
import { endedAt } from './values.ts';

export interface NotifyEvent {
  readonly key: string;
  readonly kind: 'approval_pending' | 'outcome_unknown' | 'run_aborted';
  /** The root run, whose trail would hold the event. */
  readonly run: string;
  /** The run whose journal this is. */
  readonly opRun: string;
  readonly opKind: 'gate' | 'tool' | 'step' | 'run';
  readonly op: string;
  /** RFC 3339, or undefined where the journal does not say. */
  readonly at: string | undefined;
  readonly current: boolean;
  readonly approvers: readonly string[] | undefined;
  readonly resolvedAt: string | undefined;
}

/** Gates in journal order, halts in key order, last the abort. */
export function notifyEvents(run: Replay): readonly NotifyEvent[] {
  const asks = [...run.gates.values()].flatMap((gate) => gateEvents(run, gate));
  asks.sort((a, b) => a.position - b.position);
  return [...asks.map(({ event }) => event), ...haltEvents(run), ...abortEvent(run)];
}

function place(run: Replay): { readonly run: string; readonly opRun: string } {
  return { run: rootRunId(run.journal.run), opRun: run.journal.run };
}

function gateEvents(run: Replay, gate: Gate): { readonly position: number; readonly event: NotifyEvent }[] {
  const asks = asksOf(gate);
  const decisions = (gate.decision === undefined ? [...gate.signed] : [...gate.signed, gate.decision]).sort(
    (a, b) => a.position - b.position,
  );
  const result =
    run.outcomes.get(gate.call)?.[0] ?? (gate.request === undefined ? undefined : run.byName.get(gate.call));
  return asks.map((ask, index) => {
    const { stored, value } = ask.note;
    const single = value.single || value.need === 0;
    const decided = gate.decision !== undefined && (single || !gate.decision.record.approved);
    const current = result === undefined && !decided && answerOf(gate, ask) === undefined;
    const next = asks[index + 1]?.note.stored.position ?? Number.POSITIVE_INFINITY;
    const at = text(value.recorded_at);
    return {
      position: stored.position,
      event: {
        key: askKey(run, gate, ask),
        kind: 'approval_pending',
        ...place(run),
        opKind: 'gate',
        op: gate.call,
        at,
        current,
        approvers: value.approvers === null || value.approvers.length === 0 ? undefined : value.approvers,
        resolvedAt: current ? undefined : text(newestBefore(decisions, next)?.record.recordedAt ?? ''),
      },
    };
  });
}

function askKey({ journal }: Replay, gate: Gate, ask: Ask): string {
  const run = encodeId(journal.run);
  const c = encodeId(gate.call);
  switch (ask.role) {
    case 'first':
      return EVENT_KEYS.gate(run, c);
    case 'format':
      return EVENT_KEYS.formatReask(run, c);
    case 'duties':
      return EVENT_KEYS.dutiesReask(run, c);
    case 'identity':
      return EVENT_KEYS.identityReask(run, c, ask.generation);
  }
}

/** The newest decision of a list in journal order that stands before a position. */
function newestBefore(decisions: readonly ReadableRecord[], before: number): ReadableRecord | undefined {
  let low = 0;
  let high = decisions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((decisions[middle] as ReadableRecord).position < before) low = middle + 1;
    else high = middle;
  }
  return decisions[low - 1];
}

function haltEvents(run: Replay): readonly NotifyEvent[] {
  const events: NotifyEvent[] = [];
  for (const effect of run.effects.values()) {
    const attempt = haltingAttempt(effect);
    const outcome = outcomeOf(run, effect);
    if (attempt === undefined || (outcome !== undefined && !isInjected(outcome))) continue;
    if (effect.kind === 'tool' && !run.calls.has(effect.op)) continue;
    const { attemptedAt } = attempt.stored.record;
    const ms = attemptedAt > 0n ? attemptedAt : 0n;
    events.push({
      key: EVENT_KEYS.halt(encodeId(run.journal.run), effect.kind, encodeId(effect.op), ms),
      kind: 'outcome_unknown',
      ...place(run),
      opKind: effect.kind,
      op: effect.op,
      at: fromUnixMilliseconds(ms),
      current: outcome === undefined,
      approvers: undefined,
      resolvedAt: outcome === undefined ? undefined : text(outcome.record.recordedAt),
    });
  }
  return events.sort((a, b) => compareUtf8(a.key, b.key));
}

function abortEvent(run: Replay): readonly NotifyEvent[] {
  const end = run.ends[0];
  if (end?.name !== 'run:aborted') return [];
  return [
    {
      key: EVENT_KEYS.abort(encodeId(run.journal.run)),
      kind: 'run_aborted',
      ...place(run),
      opKind: 'run',
      op: run.journal.run,
      at: text(endedAt(end.record)),
      current: true,
      approvers: undefined,
      resolvedAt: undefined,
    },
  ];
}

function text(time: string): string | undefined {
  return time === '' ? undefined : time;
}

/** RFC 3339 of Unix milliseconds; undefined for none and for what no calendar holds. */
export function fromUnixMilliseconds(ms: bigint): string | undefined {
  if (ms <= 0n || ms > 253_402_300_799_999n) return undefined;
  return new Date(Number(ms)).toISOString();
}
