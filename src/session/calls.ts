/**
 * Function calls on a path, what happened to each, and the state that it is in. Session-format 8.1 to 8.4.
 */

import type { DecisionEntry, EntryRef } from './model.ts';
import { canonicalText } from './raw.ts';
import type { EntryIndex, Session } from './session.ts';

/** A decision, hand-off or output of one call, in path order. */
export type CallEvent =
  | { readonly kind: 'dispatch'; readonly entry: EntryIndex }
  | { readonly kind: 'decision'; readonly entry: EntryIndex; readonly verdict: string; readonly withdrawn: boolean }
  | { readonly kind: 'output'; readonly entry: EntryIndex };

/** A dispatch and the reject that withdraws it: read as if neither existed. */
export interface Withdrawal {
  readonly dispatch: EntryIndex;
  readonly decision: EntryIndex;
}

export interface Call {
  /** The item entry that holds the function call. */
  readonly entry: EntryIndex;
  readonly callId: string;
  readonly name: string;
  /** Everything that happened to it, withdrawn hand-offs taken out (8.2). */
  readonly events: readonly CallEvent[];
  readonly withdrawn: readonly Withdrawal[];
  /** Undefined while the call is pending. */
  readonly output: EntryIndex | undefined;
}

export type CallState = 'completed' | 'answered' | 'rejected' | 'held' | 'in_flight' | 'never_started' | 'unknown';

interface OpenCall {
  readonly entry: EntryIndex;
  readonly callId: string;
  readonly name: string;
  readonly events: CallEvent[];
  output: EntryIndex | undefined;
}

/** The calls of a path of usable entries, in the order of their items (8.1). */
export function calls(session: Session, path: readonly EntryIndex[]): readonly Call[] {
  const made: OpenCall[] = [];
  const latest = new Map<string, OpenCall>();
  const byEntry = new Map<string, OpenCall>();
  for (const index of path) {
    const kind = session.kind(index);
    if (kind !== 'item' && kind !== 'decision' && kind !== 'dispatch') continue;
    const entry = session.entry(index);
    if (entry.kind === 'item') {
      const { type, callId = '', name = '' } = entry.item;
      if (type === 'function_call') {
        const call: OpenCall = { entry: index, callId, name, events: [], output: undefined };
        made.push(call);
        latest.set(callId, call);
        byEntry.set(entry.id, call);
      } else if (type === 'function_call_output') {
        const call = latest.get(callId);
        if (call === undefined || call.output !== undefined) continue;
        call.output = index;
        call.events.push({ kind: 'output', entry: index });
      }
    } else if (entry.kind === 'decision' || entry.kind === 'dispatch') {
      // The fallback serves showing a broken file; a target that is no call is reported first (9.1 check 2).
      const call = byEntry.get(entry.target) ?? latest.get(entry.callId);
      call?.events.push(
        entry.kind === 'dispatch'
          ? { kind: 'dispatch', entry: index }
          : { kind: 'decision', entry: index, verdict: entry.verdict, withdrawn: entry.withdrawn },
      );
    }
  }
  return made.map((call) => ({ ...call, ...withdraw(call.events) }));
}

/** Session-format 8.2. */
function withdraw(events: readonly CallEvent[]): Pick<Call, 'events' | 'withdrawn'> {
  const remaining: CallEvent[] = [];
  const withdrawn: Withdrawal[] = [];
  events.forEach((event, i) => {
    const before = events[i - 1];
    if (event.kind === 'decision' && event.withdrawn && event.verdict === 'reject' && before?.kind === 'dispatch') {
      remaining.pop();
      withdrawn.push({ dispatch: before.entry, decision: event.entry });
    } else remaining.push(event);
  });
  return { events: remaining, withdrawn };
}

export const isPending = (call: Call): boolean => call.output === undefined;

export function dispatches(call: Call): readonly EntryIndex[] {
  return call.events.filter(({ kind }) => kind === 'dispatch').map(({ entry }) => entry);
}

export function decisions(call: Call): readonly Extract<CallEvent, { kind: 'decision' }>[] {
  return call.events.filter((event) => event.kind === 'decision');
}

function lastMove(call: Call): CallEvent | undefined {
  return call.events.findLast(({ kind }) => kind !== 'output');
}

/** The last decision or dispatch is a hold. */
export function isHeld(call: Call): boolean {
  const last = lastMove(call);
  return last?.kind === 'decision' && last.verdict === 'hold';
}

/** Handed over, without an output, and neither held nor answered since (8.3). */
export function isInFlight(call: Call): boolean {
  const last = lastMove(call);
  return (
    isPending(call) &&
    dispatches(call).length > 0 &&
    !(last?.kind === 'decision' && (last.verdict === 'hold' || last.verdict === 'answer'))
  );
}

export function isRejected(call: Call): boolean {
  return decisions(call).some(({ verdict }) => verdict === 'reject');
}

export function isAnswered(call: Call): boolean {
  return decisions(call).some(({ verdict }) => verdict === 'answer');
}

/** Its output is marked as the report of a failure. */
export function hasFailed(session: Session, call: Call): boolean {
  if (call.output === undefined) return false;
  const entry = session.entry(call.output);
  return entry.kind === 'item' && entry.failed;
}

/** The entries that the output converges (8.3 `from`). */
export function outputFrom(session: Session, call: Call): readonly EntryRef[] {
  return call.output === undefined ? [] : session.entry(call.output).parents;
}

/** JSON text of the arguments that the tool runs with: those of the last decision that rewrote them, else the call's own. */
export function callArguments(session: Session, call: Call): string {
  return argumentsAfter(session, call, call.events);
}

/** The arguments that the last dispatch handed over; empty without one. */
export function dispatchedArguments(session: Session, call: Call): string {
  const last = call.events.findLastIndex(({ kind }) => kind === 'dispatch');
  return last < 0 ? '' : argumentsAfter(session, call, call.events.slice(0, last));
}

function argumentsAfter(session: Session, call: Call, events: readonly CallEvent[]): string {
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i];
    if (event?.kind !== 'decision' || event.verdict === 'answer') continue;
    const { args } = session.entry(event.entry) as DecisionEntry;
    if (args !== undefined) return canonicalText(args);
  }
  const entry = session.entry(call.entry);
  return entry.kind === 'item' ? (entry.item.arguments ?? '') : '';
}

/** The key of the last dispatch; empty when it has none. */
export function idempotencyKey(session: Session, call: Call): string {
  const last = dispatches(call).at(-1);
  if (last === undefined) return '';
  const entry = session.entry(last);
  return entry.kind === 'dispatch' ? (entry.idempotencyKey ?? '') : '';
}

/** How many dispatches of the whole session name each call, by `callKey`: what "elsewhere" of 8.4 is read from. */
export type SessionDispatches = ReadonlyMap<string, readonly EntryIndex[]>;

/** A call as a dispatch names it. */
export function callKey(target: string, callId: string): string {
  return `${target} ${callId}`;
}

export function sessionDispatches(session: Session): SessionDispatches {
  const found = new Map<string, EntryIndex[]>();
  for (let index = 0; index < session.size; index++) {
    if (!session.usable(index) || session.kind(index) !== 'dispatch') continue;
    const entry = session.entry(index);
    if (entry.kind !== 'dispatch') continue;
    const key = callKey(entry.target, entry.callId);
    const list = found.get(key);
    if (list === undefined) found.set(key, [index]);
    else list.push(index);
  }
  return found;
}

/** Whether the session holds a dispatch of the call that is not on the path, as a rebase above the dispatch leaves one (8.4). */
export function dispatchedElsewhere(
  session: Session,
  call: Call,
  path: ReadonlySet<EntryIndex>,
  all: SessionDispatches,
): boolean {
  return all.get(callKey(session.id(call.entry), call.callId))?.some((entry) => !path.has(entry)) === true;
}

/**
 * Session-format 8.4.
 *
 * @param elsewhere the session holds a dispatch of the call beside the path (`dispatchedElsewhere`).
 */
export function callState(session: Session, call: Call, elsewhere: boolean): CallState {
  if (call.output !== undefined) return 'completed';
  if (isAnswered(call)) return 'answered';
  if (isRejected(call)) return 'rejected';
  if (isHeld(call)) return 'held';
  if (dispatches(call).length > 0) return 'in_flight';
  if (session.header.records.includes('dispatch') && session.own(call.entry) && !elsewhere) return 'never_started';
  return 'unknown';
}
