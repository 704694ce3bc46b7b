/**
 * Runs of a path, why each ended and how it began, as its own segment shows. Session-format 8.5 to 8.9.
 */
import { type Call, calls, isHeld, isInFlight, isPending } from './calls.ts';
import type { ResponseEntry, RunEntry } from './model.ts';
import type { EntryIndex, Session } from './session.ts';

export interface Run {
  readonly start: EntryIndex;
  readonly end: EntryIndex | undefined;
  readonly runId: string;
  /** Entries from the start up to the end, both included. */
  readonly segment: readonly EntryIndex[];
  /** The path up to the last entry of the segment. */
  readonly path: readonly EntryIndex[];
}

/** Session-format 8.5. */
export function runs(session: Session, path: readonly EntryIndex[]): readonly Run[] {
  const found: Run[] = [];
  let open: { start: EntryIndex; place: number; runId: string } | undefined;
  const close = (end: EntryIndex | undefined, upTo: number): void => {
    if (open === undefined) return;
    found.push({
      start: open.start,
      end,
      runId: open.runId,
      segment: path.slice(open.place, upTo),
      path: path.slice(0, upTo),
    });
    open = undefined;
  };
  path.forEach((index, place) => {
    if (session.kind(index) !== 'run') return;
    const entry = session.entry(index) as RunEntry;
    if (entry.phase === 'start') {
      close(undefined, place);
      open = { start: index, place, runId: entry.runId };
    } else if (open !== undefined && entry.runId === open.runId) close(index, place + 1);
  });
  close(undefined, path.length);
  return found;
}

/** The calls that a run made or took up (8.5). */
export function callsOfRun(session: Session, run: Run): readonly Call[] {
  const segment = new Set(run.segment);
  return calls(session, run.path).filter(
    (call) => segment.has(call.entry) || call.events.some(({ entry }) => segment.has(entry)),
  );
}

/** Ids of the run's calls that have no output at its end. */
export function pendingOfRun(session: Session, run: Run): readonly string[] {
  return callsOfRun(session, run)
    .filter(isPending)
    .map(({ callId }) => callId);
}

export type ComputedReason = 'error' | 'input_required' | 'aborted' | 'done' | 'stopped';

/** Session-format 8.6: the first rule that matches. */
export function computeReason(session: Session, run: Run): ComputedReason {
  const responses = (indices: readonly EntryIndex[]): ResponseEntry | undefined => {
    const last = indices.findLast((index) => session.kind(index) === 'response');
    return last === undefined ? undefined : (session.entry(last) as ResponseEntry);
  };
  const allCalls = calls(session, run.path);
  const madeCall = (response: ResponseEntry): boolean =>
    allCalls.some((call) => {
      const entry = session.entry(call.entry);
      return entry.kind === 'item' && (entry.response ?? '') === response.responseId;
    });
  const pending = callsOfRun(session, run).filter(isPending);
  const last = responses(run.segment);
  if (last?.error !== undefined) return 'error'; // 1
  if (pending.some(isHeld) && !pending.some(isInFlight)) return 'input_required'; // 2
  if (pending.length > 0 || last?.incomplete !== undefined) return 'aborted'; // 3
  if (last !== undefined && !madeCall(last)) return 'done'; // 4
  const lastOnPath = responses(run.path); // 5
  const segment = new Set(run.segment);
  const worked =
    run.segment.some((index) => isOutput(session, index)) ||
    allCalls.some((call) => call.events.some(({ kind, entry }) => kind === 'decision' && segment.has(entry))) ||
    looseDecisions(session, run, allCalls);
  if (lastOnPath !== undefined && madeCall(lastOnPath) && !allCalls.some(isPending) && worked) return 'stopped';
  return 'aborted'; // 6
}

/** Decisions of the segment that belong to no call of the path: they are decisions all the same. */
function looseDecisions(session: Session, run: Run, allCalls: readonly Call[]): boolean {
  const bound = new Set(
    allCalls.flatMap((call) => [
      ...call.events.map(({ entry }) => entry),
      ...call.withdrawn.map(({ decision }) => decision),
    ]),
  );
  return run.segment.some((index) => session.kind(index) === 'decision' && !bound.has(index));
}

function isOutput(session: Session, index: EntryIndex): boolean {
  if (session.kind(index) !== 'item') return false;
  const entry = session.entry(index);
  return entry.kind === 'item' && entry.item.type === 'function_call_output';
}

/** Session-format 8.7. */
export function computeSource(session: Session, run: Run): 'input' | 'resume' {
  const before = new Set(run.path.slice(0, run.path.length - run.segment.length));
  const owner = new Map<EntryIndex, Call>();
  for (const call of calls(session, run.path)) for (const { entry } of call.events) owner.set(entry, call);
  for (const index of run.segment) {
    const call = owner.get(index);
    const output = isOutput(session, index);
    if (call === undefined && !output) continue;
    if (call === undefined) return 'input';
    const takesUp = before.has(call.entry) && (call.output === undefined || !before.has(call.output));
    return takesUp ? 'resume' : 'input';
  }
  return 'input';
}

const FILLS: ReadonlySet<string> = new Set([
  'item',
  'config',
  'compaction',
  'branch_summary',
  'response',
  'dispatch',
  'decision',
]);

/** Whether the segment holds nothing that was done: record entries of other types and extension entries at most (8.8). */
export function isEmptyRun(session: Session, run: Run): boolean {
  return !run.segment.some((index) => FILLS.has(session.kind(index)));
}

/** Whether two lists of call ids are the same, order aside. */
export function sameIds(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  const sorted = [...b].sort();
  return [...a].sort().every((id, i) => id === sorted[i]);
}
