/**
 * Whether the records of one path agree with each other: `verifyRecords` of session-format 9.1, in its order, over the path alone.
 * `walk.ts` makes the same checks for every leaf of a file at once.
 */
import { type Call, callKey, calls, dispatches, isAnswered, isRejected, sessionDispatches } from './calls.ts';
import type { RunEntry } from './model.ts';
import { computeReason, computeSource, isEmptyRun, pendingOfRun, runs, sameIds } from './runs.ts';
import type { EntryIndex, Session } from './session.ts';

/** What can be wrong with records: the code of a finding without its folder (Appendix A). */
export type RecordProblemCode =
  | 'call-id-empty'
  | 'call-id-repeated'
  | 'bad-target'
  | 'reason-mismatch'
  | 'source-mismatch'
  | 'call-answered'
  | 'call-rejected'
  | 'reject-dispatched'
  | 'call-completed'
  | 'bad-from-link'
  | 'callee-link'
  | 'answer-not-dispatched'
  | 'record-missing';

export interface RecordProblem {
  readonly code: RecordProblemCode;
  /** The entry that shows it. */
  readonly entry: EntryIndex;
  /** One sentence. */
  readonly message: string;
  readonly expected?: string;
  readonly actual?: string;
}

/**
 * All problems of the path to `leaf`, those that 9.1 checks first in front: the first one is what `verifyRecords` reports. The path must
 * be usable.
 */
export function verifyRecords(session: Session, leaf: EntryIndex): readonly RecordProblem[] {
  const path = session.path(leaf);
  const made = calls(session, path);
  return [
    ...callIds(session), // 1
    ...targets(session, path), // 2
    ...runs(session, path).flatMap((run) => runProblems(session, run)), // 3
    ...made.flatMap((call) => orderProblems(call)), // 4
    ...fromLinks(session, path), // 5
    ...links(session, path), // 6
    ...missingRecords(session, path, made), // 7
  ];
}

/** 9.1 check 1: every function call of the session has an id of its own. */
export function callIds(session: Session): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const repeated: RecordProblem[] = [];
  const first = new Map<string, EntryIndex>();
  for (let index = 0; index < session.size; index++) {
    if (!session.usable(index) || session.kind(index) !== 'item') continue;
    const entry = session.entry(index);
    if (entry.kind !== 'item' || entry.item.type !== 'function_call') continue;
    const problem = callIdProblem(session, first, index, entry.item.callId ?? '');
    if (problem?.code === 'call-id-empty') problems.push(problem);
    else if (problem !== undefined) repeated.push(problem);
  }
  return [...problems, ...repeated];
}

/** Holds one call id against those met before, in file order. */
export function callIdProblem(
  session: Session,
  first: Map<string, EntryIndex>,
  index: EntryIndex,
  callId: string,
): RecordProblem | undefined {
  if (callId === '') return { code: 'call-id-empty', entry: index, message: 'a function call has no call id' };
  const earlier = first.get(callId);
  if (earlier === undefined) {
    first.set(callId, index);
    return undefined;
  }
  return {
    code: 'call-id-repeated',
    entry: index,
    message: `the call id ${JSON.stringify(callId)} already belongs to the function call on line ${session.line(earlier)}`,
  };
}

export function badTarget(index: EntryIndex, kind: string, callId: string, actual: string | undefined): RecordProblem {
  return {
    code: 'bad-target',
    entry: index,
    message:
      actual === undefined
        ? `the target of this ${kind} is no function call before it on its path`
        : `the target of this ${kind} is a function call with another call id`,
    expected: JSON.stringify(callId),
    ...(actual === undefined ? {} : { actual: JSON.stringify(actual) }),
  };
}

function targets(session: Session, path: readonly EntryIndex[]): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const callIdOf = new Map<string, string>();
  for (const index of path) {
    const entry = session.entry(index);
    if (entry.kind === 'item' && entry.item.type === 'function_call') callIdOf.set(entry.id, entry.item.callId ?? '');
    if (entry.kind !== 'decision' && entry.kind !== 'dispatch') continue;
    const actual = callIdOf.get(entry.target);
    if (actual !== entry.callId) problems.push(badTarget(index, entry.kind, entry.callId, actual));
  }
  return problems;
}

export function reasonProblem(end: EntryIndex, written: string, computed: string): RecordProblem | undefined {
  if (written === 'error' || written === 'interrupted' || written === computed) return undefined;
  return {
    code: 'reason-mismatch',
    entry: end,
    message: `the run is said to have ended "${written}", but what it holds ends "${computed}"`,
    expected: computed,
    actual: written,
  };
}

export function pendingProblem(
  end: EntryIndex,
  written: readonly string[],
  computed: readonly string[],
): RecordProblem | undefined {
  if (sameIds(written, computed)) return undefined;
  return {
    code: 'reason-mismatch',
    entry: end,
    message: 'the run names other calls as pending than it left without an output',
    expected: JSON.stringify(computed),
    actual: JSON.stringify(written),
  };
}

export function sourceProblem(
  start: EntryIndex,
  written: string,
  computed: string,
  empty: boolean,
): RecordProblem | undefined {
  if ((written !== 'input' && written !== 'resume') || written === computed) return undefined;
  if (written === 'resume' && empty) return undefined;
  return {
    code: 'source-mismatch',
    entry: start,
    message:
      written === 'resume'
        ? 'the run is said to resume calls, but takes up none that an earlier run left'
        : 'the run is said to begin with an input, but takes up a call that was left before it',
    expected: computed,
    actual: written,
  };
}

function runProblems(session: Session, run: ReturnType<typeof runs>[number]): readonly RecordProblem[] {
  const problems: (RecordProblem | undefined)[] = [];
  if (run.end !== undefined) {
    const end = session.entry(run.end) as RunEntry;
    problems.push(reasonProblem(run.end, end.reason, computeReason(session, run)));
    problems.push(pendingProblem(run.end, end.pending, pendingOfRun(session, run)));
  }
  const start = session.entry(run.start) as RunEntry;
  problems.push(sourceProblem(run.start, start.source, computeSource(session, run), isEmptyRun(session, run)));
  return problems.filter((problem) => problem !== undefined);
}

/** What may no longer happen to a call, given what has: 9.1 check 4, for one more event of its remaining sequence. */
export function orderProblem(
  before: {
    readonly answered: boolean;
    readonly rejected: boolean;
    readonly dispatched: boolean;
    readonly output: boolean;
  },
  event: { readonly kind: 'dispatch' | 'decision' | 'output'; readonly entry: EntryIndex; readonly verdict?: string },
): RecordProblem | undefined {
  if (event.kind === 'output') return undefined;
  const { entry, verdict } = event;
  const what = event.kind === 'dispatch' ? 'a dispatch' : `a decision "${verdict}"`;
  if (before.answered)
    return { code: 'call-answered', entry, message: `${what} follows the answer that ended the call` };
  if (before.rejected)
    return { code: 'call-rejected', entry, message: `${what} follows the reject that ended the call` };
  if (verdict === 'reject' && before.dispatched)
    return { code: 'reject-dispatched', entry, message: 'a call is rejected that was already handed to its tool' };
  if (before.output && (event.kind === 'dispatch' || verdict === 'answer' || verdict === 'reject'))
    return { code: 'call-completed', entry, message: `${what} follows the output of the call` };
  return undefined;
}

const ORDER: readonly RecordProblemCode[] = ['call-answered', 'call-rejected', 'reject-dispatched', 'call-completed'];

function orderProblems(call: Call): readonly RecordProblem[] {
  const before = { answered: false, rejected: false, dispatched: false, output: false };
  const problems: RecordProblem[] = [];
  for (const event of call.events) {
    const problem = orderProblem(before, event);
    if (problem !== undefined) problems.push(problem);
    if (event.kind === 'output') before.output = true;
    else if (event.kind === 'dispatch') before.dispatched = true;
    else if (event.verdict === 'answer') before.answered = true;
    else if (event.verdict === 'reject') before.rejected = true;
  }
  return problems.sort((a, b) => ORDER.indexOf(a.code) - ORDER.indexOf(b.code));
}

export function fromLinkProblem(index: EntryIndex, fromLink: string): RecordProblem {
  return {
    code: 'bad-from-link',
    entry: index,
    message: 'the item names a link that is no peer link before it on its path',
    actual: fromLink,
  };
}

function fromLinks(session: Session, path: readonly EntryIndex[]): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const peers = new Set<string>();
  for (const index of path) {
    const entry = session.entry(index);
    if (entry.kind === 'link' && entry.rel === 'peer' && !entry.cancel) peers.add(entry.id);
    if (entry.kind === 'item' && entry.fromLink !== undefined && !peers.has(entry.fromLink))
      problems.push(fromLinkProblem(index, entry.fromLink));
  }
  return problems;
}

export const UNCALLED_PEER = 'a peer link names an address but no call that reached it';
export const LOOSE_CANCEL = 'a cancel notice names no link before it on its path with its relation and call';

function links(session: Session, path: readonly EntryIndex[]): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const callees = new Map<string, string>();
  for (const index of path) {
    const entry = session.entry(index);
    if (entry.kind !== 'link') continue;
    const { rel, callId = '' } = entry;
    const reached = `${rel} ${callId}`;
    if (rel === 'peer' && entry.url !== undefined && callId === '')
      problems.push({ code: 'callee-link', entry: index, message: UNCALLED_PEER });
    if (entry.cancel) {
      if (callees.get(entry.target ?? '') !== reached)
        problems.push({ code: 'callee-link', entry: index, message: LOOSE_CANCEL });
    } else if (rel === 'subsession' || rel === 'peer') callees.set(entry.id, reached);
  }
  return problems;
}

export function missingRecord(
  code: 'answer-not-dispatched' | 'record-missing',
  entry: EntryIndex,
  callId: string,
): RecordProblem {
  const message =
    code === 'record-missing'
      ? `the call ${JSON.stringify(callId)} has an output and no dispatch, though the header promises that dispatches are recorded`
      : `the call ${JSON.stringify(callId)} was answered as one that may have run, but no dispatch of it is recorded`;
  return { code, entry, message };
}

function missingRecords(
  session: Session,
  path: readonly EntryIndex[],
  made: readonly Call[],
): readonly RecordProblem[] {
  if (!session.header.records.includes('dispatch')) return [];
  const all = sessionDispatches(session);
  const onPath = new Set(path);
  return made.flatMap((call) => {
    if (dispatches(call).length > 0) return [];
    const answered = isAnswered(call);
    if (answered && session.own(call.entry)) {
      const elsewhere = all.get(callKey(session.id(call.entry), call.callId))?.some((entry) => !onPath.has(entry));
      if (elsewhere !== true) return [missingRecord('answer-not-dispatched', call.entry, call.callId)];
    }
    if (call.output !== undefined && !answered && !isRejected(call) && session.own(call.output))
      return [missingRecord('record-missing', call.output, call.callId)];
    return [];
  });
}
