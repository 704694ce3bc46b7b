/**
 * What happened in a run, told from its records in journal order (journal 4): its start and first end, turns, calls with their attempts and
 * outcomes, halts, gates, waits, signals and channels. Replay reads and judges nothing; `rules.ts` says what an engine cannot have written.
 */

import { recordsByName } from './by-name.ts';
import { rawString } from './decode.ts';
import { type Gate, GateCollector } from './gates.ts';
import {
  attempts,
  numberAfter,
  parseAttempt,
  parseChannel,
  parseNotStarted,
  RUN_ABORTED,
  RUN_CANCELLED,
  RUN_COMPLETE,
  RUN_PRINCIPAL,
  RUN_START,
  turnNumber,
} from './names.ts';
import type { Journal, Message, Part, RawJson, ReadableRecord, ToolUsePart, Usage } from './record.ts';
import { encodeId } from './run-id.ts';
import {
  endedAt,
  type RunStart,
  readAwaitResolved,
  readLimits,
  readRequest,
  readRunStart,
  terminalText,
} from './values.ts';

export interface Turn {
  readonly number: number | undefined;
  readonly stored: ReadableRecord;
  readonly calls: readonly ToolUsePart[];
}

/** A call of a model turn. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: RawJson | undefined;
  /** Position of the turn that made it. */
  readonly position: number;
  readonly turn: Turn;
}

export interface Attempt {
  readonly stored: ReadableRecord;
  readonly number: number;
  /** Position of the record that says it never called its effect; undefined for a live attempt. */
  voidedAt: number | undefined;
}

/** A side effect that was tried: a tool call or a step. */
export interface Effect {
  readonly kind: 'tool' | 'step';
  /** Id of the call, name of the step. */
  readonly op: string;
  readonly base: string;
  readonly attempts: Attempt[];
}

/** An attempt that may have fired and has no outcome (journal 4.3). */
export interface Halt {
  readonly effect: Effect;
  /** The marker that halted. */
  readonly attempt: Attempt;
}

export type Status = 'not_started' | 'started' | 'completed' | 'aborted' | 'cancelled';

export interface StatusReport {
  readonly status: Status;
  readonly terminal: string;
  readonly endedAt: string;
  readonly records: number;
}

export interface ChannelMessage {
  readonly channel: string;
  readonly key: string;
  readonly stored: ReadableRecord;
  readonly acknowledged: ReadableRecord | undefined;
}

export interface Wait {
  readonly kind: 'timer' | 'await';
  readonly name: string;
  /** The wake time as recorded. */
  readonly until: string;
  readonly settled: boolean;
}

export interface Replay {
  readonly journal: Journal;
  /** The first record of each name. */
  readonly byName: ReadonlyMap<string, ReadableRecord>;
  readonly start: { readonly stored: ReadableRecord; readonly value: RunStart | undefined } | undefined;
  readonly principals: readonly ReadableRecord[];
  /** End markers in journal order; the first is the end. */
  readonly ends: readonly ReadableRecord[];
  readonly turns: readonly Turn[];
  /** By id; the first turn that made it. */
  readonly calls: ReadonlyMap<string, Call>;
  /** Ids that a second tool_use part repeats, with the later turn. */
  readonly repeatedCalls: readonly { readonly id: string; readonly turn: Turn }[];
  /** Outcomes of calls by id, kind tool_result or saga_fail, in journal order. */
  readonly outcomes: ReadonlyMap<string, readonly ReadableRecord[]>;
  /** By base key. */
  readonly effects: ReadonlyMap<string, Effect>;
  readonly notStarted: readonly ReadableRecord[];
  readonly gates: ReadonlyMap<string, Gate>;
  readonly signals: readonly ReadableRecord[];
  readonly channels: readonly ChannelMessage[];
  readonly waits: readonly Wait[];
  readonly compensations: readonly ReadableRecord[];
  readonly tombstones: number;
  readonly usage: Usage;
}

const END_MARKERS: ReadonlySet<string> = new Set([RUN_COMPLETE, RUN_ABORTED, RUN_CANCELLED]);

/** Tells what happened. Linear in the records. */
export function replay(journal: Journal): Replay {
  const byName = recordsByName(journal.records);
  const principals: ReadableRecord[] = [];
  const ends: ReadableRecord[] = [];
  const turns: Turn[] = [];
  const calls = new Map<string, Call>();
  const repeatedCalls: { id: string; turn: Turn }[] = [];
  const outcomes = new Map<string, ReadableRecord[]>();
  const effects = new Map<string, Effect>();
  const notStarted: ReadableRecord[] = [];
  const gates = new GateCollector();
  const signals: ReadableRecord[] = [];
  const messages: { channel: string; key: string; stored: ReadableRecord }[] = [];
  const waits: Wait[] = [];
  const compensations: ReadableRecord[] = [];
  let start: ReadableRecord | undefined;
  let tombstones = 0;
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const spend = (more: Usage | undefined) => {
    if (more === undefined) return;
    usage.inputTokens += more.inputTokens;
    usage.outputTokens += more.outputTokens;
    usage.cacheReadTokens += more.cacheReadTokens;
    usage.cacheWriteTokens += more.cacheWriteTokens;
  };

  for (const stored of journal.records) {
    const { record } = stored;
    if (record === undefined) {
      tombstones++;
      continue;
    }
    spend(record.usage);
    spend(record.discardedUsage);
    switch (record.kind) {
      case 'model': {
        const parts = toolUses(record.message);
        const turn = { number: turnNumber(record.name), stored, calls: parts };
        turns.push(turn);
        for (const { id, name, args } of parts) {
          if (calls.has(id)) repeatedCalls.push({ id, turn });
          else calls.set(id, { id, name, args, position: stored.position, turn });
        }
        break;
      }
      case 'tool_result':
      case 'saga_fail': {
        const of = outcomes.get(record.toolUseId);
        if (of === undefined) outcomes.set(record.toolUseId, [stored]);
        else of.push(stored);
        break;
      }
      case 'attempt':
        addAttempt(effects, stored);
        break;
      case 'not_started':
        notStarted.push(stored);
        break;
      case 'approval':
        gates.approval(stored);
        break;
      case 'signal': {
        const channel = parseChannel(record.name);
        if (channel === undefined) signals.push(stored);
        else messages.push({ channel: channel.channel, key: channel.key, stored });
        break;
      }
      case 'value':
        if (record.name === RUN_START) start ??= stored;
        else if (record.name === RUN_PRINCIPAL) principals.push(stored);
        else if (END_MARKERS.has(record.name)) ends.push(stored);
        else if (record.name.startsWith('@saga/compensate/')) compensations.push(stored);
        else if (record.name.startsWith('timer:') || record.name.startsWith('await-timeout:')) waits.push(wait(stored));
        else gates.value(stored);
        break;
    }
  }
  voidAttempts(effects, notStarted);
  gates.name(calls.keys());
  return {
    journal,
    byName,
    start: start === undefined ? undefined : { stored: start, value: readRunStart(start.record.result) },
    principals,
    ends,
    turns,
    calls,
    repeatedCalls,
    outcomes,
    effects,
    notStarted,
    gates: gates.gates,
    signals,
    channels: messages.map((message) => ({
      ...message,
      acknowledged: byName.get(`chanack${message.stored.name.slice(4)}`),
    })),
    waits: waits.map((item) => ({
      ...item,
      settled:
        item.kind === 'await' &&
        readAwaitResolved(byName.get(`await-resolved:${item.name}`)?.record.result) !== undefined,
    })),
    compensations,
    tombstones,
    usage,
  };
}

function wait({ record }: ReadableRecord): Wait {
  const kind = record.name.startsWith('timer:') ? 'timer' : 'await';
  const name = record.name.slice(record.name.indexOf(':') + 1);
  return { kind, name, until: rawString(record.result) ?? '', settled: false };
}

function toolUses(message: Message | undefined): readonly ToolUsePart[] {
  let uses: ToolUsePart[] | undefined;
  for (const part of message?.parts ?? NO_PARTS) {
    if (part.type !== 'tool_use') continue;
    if (uses === undefined) uses = [part];
    else uses.push(part);
  }
  return uses ?? NO_USES;
}
const NO_PARTS: readonly Part[] = [];
const NO_USES: readonly ToolUsePart[] = [];

/** A marker is a tool's only if its base is made from its own call id (journal 3.3). */
function addAttempt(effects: Map<string, Effect>, stored: ReadableRecord): void {
  const parsed = parseAttempt(stored.name);
  if (parsed === undefined) return;
  const attempt = { stored, number: parsed.number, voidedAt: undefined };
  const effect = effects.get(parsed.base);
  if (effect === undefined) {
    const isStep = parsed.base.startsWith('attempt:step:');
    const op = isStep ? parsed.base.slice('attempt:step:'.length) : stored.record.toolUseId;
    effects.set(parsed.base, { kind: isStep ? 'step' : 'tool', op, base: parsed.base, attempts: [attempt] });
  } else effect.attempts.push(attempt);
}

/** Journal 4.3, "Live attempts of a journal". */
function voidAttempts(effects: ReadonlyMap<string, Effect>, notStarted: readonly ReadableRecord[]): void {
  const voids = new Map<string, number>();
  for (const { record, position } of notStarted) {
    if (record.claim !== '' && parseNotStarted(record.name)?.claim === record.claim && !voids.has(record.name))
      voids.set(record.name, position);
  }
  if (voids.size === 0) return;
  for (const effect of effects.values()) {
    for (const attempt of effect.attempts)
      attempt.voidedAt = voids.get(attempts.notStarted(attempt.stored.name, attempt.stored.record.claim));
  }
}

/** Status of a run (journal 4.1). Times take no part. */
export function statusOf({ journal, start, ends }: Replay): StatusReport {
  const records = journal.records.length;
  const end = ends[0];
  if (start === undefined) return { status: 'not_started', terminal: '', endedAt: '', records };
  if (end === undefined) return { status: 'started', terminal: '', endedAt: '', records };
  const status = end.name === RUN_COMPLETE ? 'completed' : end.name === RUN_ABORTED ? 'aborted' : 'cancelled';
  return {
    status,
    terminal: status === 'completed' ? '' : terminalText(end.record),
    endedAt: endedAt(end.record),
    records,
  };
}

/** The outcome of an effect: of a call its result, of a step the record under its name. */
export function outcomeOf(run: Replay, effect: Effect): ReadableRecord | undefined {
  if (effect.kind === 'step') {
    const stored = run.byName.get(effect.op);
    return stored?.record.kind === 'value' ? stored : undefined;
  }
  // By its one name: of a forged journal thousands of outcomes can tell of one call, and as many markers.
  const stored = run.byName.get(`tool:${encodeId(effect.op)}`);
  return stored !== undefined && isOutcome(stored) && stored.record.toolUseId === effect.op ? stored : undefined;
}

function isOutcome({ record: { kind } }: ReadableRecord): boolean {
  return kind === 'tool_result' || kind === 'saga_fail';
}

/** Somebody recorded the outcome after a halt: no engine-run outcome carries a time (journal 4.4). */
export function isInjected(stored: ReadableRecord): boolean {
  return stored.record.recordedAt !== '' && (stored.record.kind === 'tool_result' || stored.record.kind === 'value');
}

/** The live attempts of an effect, by number. */
export function liveAttempts(effect: Effect): readonly Attempt[] {
  return effect.attempts.filter(({ voidedAt }) => voidedAt === undefined).sort((a, b) => a.number - b.number);
}

/** The marker that halted: the last live one, or the one before it where the last is a resolution's claim (journal 4.11). */
export function haltingAttempt(effect: Effect): Attempt | undefined {
  const live = liveAttempts(effect);
  const last = live.at(-1);
  const before = live.at(-2);
  return last !== undefined && before?.number === last.number - 1 ? before : last;
}

/** Effects that may have fired and whose outcome nobody knows (journal 4.3). */
export function haltsOf(run: Replay): readonly Halt[] {
  const halts: Halt[] = [];
  for (const effect of run.effects.values()) {
    const attempt = haltingAttempt(effect);
    if (attempt === undefined || outcomeOf(run, effect) !== undefined) continue;
    if (effect.kind === 'tool' && !run.calls.has(effect.op)) continue;
    halts.push({ effect, attempt });
  }
  return halts;
}

/** What an approval is about: the first record that asked for the call, with its position (journal 4.5, FindToolCall). */
export function findToolCall(
  run: Replay,
  id: string,
): { readonly position: number; readonly name: string; readonly args: RawJson | undefined } | undefined {
  const call = run.calls.get(id);
  const request = run.gates.get(id)?.request;
  if (call !== undefined && (request === undefined || call.position < request.position))
    return { position: call.position, name: call.name, args: call.args };
  if (request === undefined) return undefined;
  const read = requestOf(request);
  return read === undefined ? undefined : { position: request.position, ...read };
}

function requestOf(stored: ReadableRecord): { name: string; args: RawJson | undefined } | undefined {
  const read = readRequest(stored.record.result);
  return read === undefined ? undefined : { name: read.tool_name, args: read.args ?? undefined };
}

/** The answer of a completed run: the message of the last model record before its end (journal 4.1). */
export function answerOfRun(run: Replay): Message | undefined {
  const end = run.ends[0];
  if (end?.name !== RUN_COMPLETE) return undefined;
  return run.turns.findLast(({ stored }) => stored.position < end.position)?.stored.record.message;
}

/** Limits in force: the settings of the start, then each amendment in order, member by member (journal 4.6). */
export function limitsOf(run: Replay): {
  readonly maxTurns: number | undefined;
  readonly tokenBudget: number | undefined;
} {
  let maxTurns = run.start?.value?.settings?.max_turns ?? undefined;
  let tokenBudget = run.start?.value?.settings?.token_budget ?? undefined;
  for (const [name, { record }] of run.byName) {
    if (numberAfter(name, 'run:limits:') === undefined) continue;
    const limits = readLimits(record.result);
    maxTurns = limits?.max_turns ?? maxTurns;
    tokenBudget = limits?.token_budget ?? tokenBudget;
  }
  return { maxTurns, tokenBudget };
}
