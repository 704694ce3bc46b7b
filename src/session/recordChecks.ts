/**
 * Checks the records of every path that a walk follows: targets, runs, what may happen to a call, links. Session-format 8 and 9.1;
 * `records.ts` says the same for one path.
 */
import { IntColumn } from './intColumn.ts';
import type { Entry, ItemEntry, LinkEntry, RunEntry } from './model.ts';
import type { CurrentPath, PathTracker } from './pathTracker.ts';
import {
  badTarget,
  fromLinkProblem,
  LOOSE_CANCEL,
  orderProblem,
  pendingProblem,
  type RecordProblem,
  reasonProblem,
  sourceProblem,
  UNCALLED_PEER,
} from './records.ts';
import type { ComputedReason } from './runs.ts';
import type { EntryIndex, Session } from './session.ts';

/** Flags of a call: what has happened to it, withdrawn hand-offs taken out. */
const ANSWERED = 1;
const REJECTED = 2;
/** The last remaining decision or dispatch is a hold, an answer. */
const LAST_HOLD = 4;
const LAST_ANSWER = 8;
/** The last event is a dispatch: a withdrawal that follows takes it back. */
const LAST_DISPATCH = 16;
/** That dispatch should not have been. */
const UNSETTLED = 32;
const LAST = LAST_HOLD | LAST_ANSWER | LAST_DISPATCH | UNSETTLED;

/** A call of the path, by number: numbers grow along the path. */
type CallNumber = number;
const NO_CALL = -1;

/** What an entry of a run's segment is to a call; `OUTPUT` without a call is one that nobody is owed. */
const CALL = 0;
const DISPATCH = 1;
const DECISION = 2;
const OUTPUT = 3;

interface OpenRun {
  readonly start: EntryIndex;
  readonly runId: string;
  readonly source: string;
  /** Number of the first mark of its segment. */
  readonly firstMark: number;
  /** The first entry of the segment that makes it a run in which something was done (8.8); -1 while there is none. */
  filledBy: EntryIndex;
}

interface SeenResponse {
  readonly entry: EntryIndex;
  readonly responseId: string;
  readonly failed: boolean;
  readonly incomplete: boolean;
}

/** A call that lacks a record which the header promises, at one leaf; whether another branch holds its dispatch is for the end to say. */
export interface MissingRecord {
  readonly code: 'answer-not-dispatched' | 'record-missing';
  readonly call: EntryIndex;
  readonly callId: string;
  readonly output: EntryIndex | undefined;
  readonly dispatchesOnPath: number;
}

export interface RecordSink {
  problem(problem: RecordProblem): void;
  /** Something that holds only because the path ends here. */
  atLeaf(leaf: EntryIndex, problem: RecordProblem): void;
  missingAtLeaf(leaf: EntryIndex, missing: MissingRecord): void;
}

const FILLS: ReadonlySet<Entry['kind']> = new Set([
  'item',
  'config',
  'compaction',
  'branch_summary',
  'response',
  'dispatch',
  'decision',
]);

export class RecordTracker implements PathTracker {
  readonly #session: Session;
  readonly #path: CurrentPath;
  readonly #sink: RecordSink;
  readonly #promised: boolean;

  // Calls of the path, by number: the entry, its call id, the response that made it, and what has happened to it.
  readonly #entryOf = new IntColumn();
  readonly #callIds: string[] = [];
  readonly #responses: string[] = [];
  /** The call before it with its id; -1 for none. */
  readonly #earlier = new IntColumn();
  readonly #flags = new IntColumn();
  /** Entry of the output; -1 while the call is pending. */
  readonly #output = new IntColumn();
  /** Remaining dispatches, and those on the path that name the call exactly, withdrawn ones included. */
  readonly #dispatches = new IntColumn();
  readonly #dispatchesOnPath = new IntColumn();
  readonly #latest = new Map<string, CallNumber>();
  /** How many calls of the path name each response. */
  readonly #callsOfResponse = new Map<string, number>();

  // Events of the path: the entry, its call, and what the call was before it.
  readonly #eventEntry = new IntColumn();
  readonly #eventCall = new IntColumn();
  readonly #flagsBefore = new IntColumn();
  readonly #outputBefore = new IntColumn();
  readonly #dispatchesBefore = new IntColumn();
  readonly #onPathBefore = new IntColumn();
  readonly #lastDispatchBefore = new IntColumn();
  /** Event of the last dispatch of a call, by call; read only while `LAST_DISPATCH` is set. */
  readonly #lastDispatch = new IntColumn();

  // Marks: entries of runs that concern a call.
  readonly #markEntry = new IntColumn();
  readonly #markKind = new IntColumn();
  readonly #markCall = new IntColumn();
  /** The withdrawal that took the entry out of its call's sequence; -1 for none. */
  readonly #markWithdrawn = new IntColumn();
  /** Marks that withdrawals took out, and the entries that did. */
  readonly #withdrawnMark = new IntColumn();
  readonly #withdrawnBy = new IntColumn();

  readonly #pending = new Set<CallNumber>();
  /** Calls that end with a dispatch that should not have been, and calls that lack a record, as far as no leaf has told of them. */
  readonly #unsettled = new Set<CallNumber>();
  readonly #missing = new Set<CallNumber>();
  /** Callee links by entry: relation and call. */
  readonly #calleeOf = new Map<EntryIndex, string>();
  #run: OpenRun | undefined;
  readonly #runsBefore: { readonly by: EntryIndex; readonly run: OpenRun | undefined }[] = [];
  readonly #seen: SeenResponse[] = [];

  constructor(session: Session, path: CurrentPath, sink: RecordSink) {
    this.#session = session;
    this.#path = path;
    this.#sink = sink;
    this.#promised = session.header.records.includes('dispatch');
  }

  enter(index: EntryIndex, entry: Entry): void {
    if (entry.kind === 'run') {
      this.#enterRun(index, entry);
      return;
    }
    const run = this.#run;
    if (run !== undefined && run.filledBy < 0 && FILLS.has(entry.kind)) run.filledBy = index;
    if (entry.kind === 'item') this.#item(index, entry);
    else if (entry.kind === 'decision' || entry.kind === 'dispatch') this.#move(index, entry);
    else if (entry.kind === 'link') this.#link(index, entry);
    else if (entry.kind === 'response') {
      const { responseId, error, incomplete } = entry;
      this.#seen.push({ entry: index, responseId, failed: error !== undefined, incomplete: incomplete !== undefined });
    }
  }

  retreat(first: EntryIndex): void {
    for (let last = this.#runsBefore.at(-1); last !== undefined && last.by >= first; last = this.#runsBefore.at(-1)) {
      this.#run = last.run;
      this.#runsBefore.pop();
    }
    if (this.#run !== undefined && this.#run.filledBy >= first) this.#run.filledBy = -1;
    while ((this.#seen.at(-1)?.entry ?? -1) >= first) this.#seen.pop();
    while (this.#withdrawnBy.last() >= first) {
      this.#markWithdrawn.set(this.#withdrawnMark.last(), -1);
      this.#withdrawnBy.cut(this.#withdrawnBy.length - 1);
      this.#withdrawnMark.cut(this.#withdrawnBy.length);
    }
    this.#markEntry.cutFrom(first);
    for (const column of [this.#markKind, this.#markCall, this.#markWithdrawn]) column.cut(this.#markEntry.length);
    this.#takeBackEvents(first);
    this.#takeBackCalls(first);
  }

  #takeBackEvents(first: EntryIndex): void {
    const remaining = this.#eventEntry.firstAbove(first - 1);
    for (let event = this.#eventEntry.length - 1; event >= remaining; event--) {
      const call = this.#eventCall.at(event);
      this.#lastDispatch.set(call, this.#lastDispatchBefore.at(event));
      this.#set(
        call,
        this.#flagsBefore.at(event),
        this.#outputBefore.at(event),
        this.#dispatchesBefore.at(event),
        this.#onPathBefore.at(event),
      );
    }
    for (const column of [
      this.#eventEntry,
      this.#eventCall,
      this.#flagsBefore,
      this.#outputBefore,
      this.#dispatchesBefore,
      this.#onPathBefore,
      this.#lastDispatchBefore,
    ])
      column.cut(remaining);
  }

  #takeBackCalls(first: EntryIndex): void {
    const remaining = this.#entryOf.firstAbove(first - 1);
    for (let call = this.#entryOf.length - 1; call >= remaining; call--) {
      const callId = this.#callIds[call] as string;
      const response = this.#responses[call] as string;
      const earlier = this.#earlier.at(call);
      if (earlier < 0) this.#latest.delete(callId);
      else this.#latest.set(callId, earlier);
      this.#callsOfResponse.set(response, (this.#callsOfResponse.get(response) as number) - 1);
      this.#pending.delete(call);
    }
    this.#callIds.length = remaining;
    this.#responses.length = remaining;
    for (const column of [
      this.#entryOf,
      this.#earlier,
      this.#flags,
      this.#output,
      this.#dispatches,
      this.#dispatchesOnPath,
      this.#lastDispatch,
    ])
      column.cut(remaining);
  }

  leaf(index: EntryIndex): void {
    const run = this.#run;
    if (run !== undefined) this.#checkSource(run, (problem) => this.#sink.atLeaf(index, problem));
    if (this.#unsettled.size === 0 && this.#missing.size === 0) return;
    for (const call of this.#unsettled) {
      const problem = this.#unsettledProblem(call);
      if (problem !== undefined) this.#sink.atLeaf(index, problem);
    }
    this.#unsettled.clear();
    for (const call of this.#missing) {
      const output = this.#output.at(call);
      this.#sink.missingAtLeaf(index, {
        code: (this.#flags.at(call) & ANSWERED) !== 0 ? 'answer-not-dispatched' : 'record-missing',
        call: this.#entryOf.at(call),
        callId: this.#callIds[call] as string,
        output: output < 0 ? undefined : output,
        dispatchesOnPath: this.#dispatchesOnPath.at(call),
      });
    }
    this.#missing.clear();
  }

  #enterRun(index: EntryIndex, entry: RunEntry): void {
    const run = this.#run;
    if (entry.phase === 'start') {
      if (run !== undefined) this.#checkSource(run, this.#report);
      this.#runsBefore.push({ by: index, run });
      const { runId, source } = entry;
      this.#run = { start: index, runId, source, firstMark: this.#markEntry.length, filledBy: -1 };
      return;
    }
    if (run === undefined || run.runId !== entry.runId) return;
    const pending = this.#pendingOf(run);
    this.#report(reasonProblem(index, entry.reason, this.#reason(run, pending)));
    this.#report(
      pendingProblem(
        index,
        entry.pending,
        pending.map((call) => this.#callIds[call] as string),
      ),
    );
    this.#checkSource(run, this.#report);
    this.#runsBefore.push({ by: index, run });
    this.#run = undefined;
  }

  readonly #report = (problem: RecordProblem | undefined): void => {
    if (problem !== undefined) this.#sink.problem(problem);
  };

  /** The calls that a run made or took up and that have no output at its end, each once. */
  #pendingOf(run: OpenRun): readonly CallNumber[] {
    const found = new Set<CallNumber>();
    for (let mark = run.firstMark; mark < this.#markEntry.length; mark++) {
      const call = this.#markCall.at(mark);
      if (call !== NO_CALL && this.#markWithdrawn.at(mark) < 0 && this.#output.at(call) < 0) found.add(call);
    }
    return [...found];
  }

  /** Session-format 8.6 at the end of a run. */
  #reason(run: OpenRun, pending: readonly CallNumber[]): ComputedReason {
    const seen = this.#seen.at(-1);
    const last = seen !== undefined && seen.entry > run.start ? seen : undefined;
    const flags = pending.map((call) => this.#flags.at(call));
    const held = flags.some((each) => (each & LAST_HOLD) !== 0);
    const inFlight = pending.some(
      (call, i) => this.#dispatches.at(call) > 0 && ((flags[i] as number) & (LAST_HOLD | LAST_ANSWER)) === 0,
    );
    if (last?.failed === true) return 'error'; // 1
    if (held && !inFlight) return 'input_required'; // 2
    if (pending.length > 0 || last?.incomplete === true) return 'aborted'; // 3
    if (last !== undefined && !this.#madeCall(last)) return 'done'; // 4
    if (seen !== undefined && this.#madeCall(seen) && this.#pending.size === 0 && this.#worked(run)) return 'stopped'; // 5
    return 'aborted'; // 6
  }

  #madeCall({ responseId }: SeenResponse): boolean {
    return (this.#callsOfResponse.get(responseId) ?? 0) > 0;
  }

  /** The segment holds an output or a decision. */
  #worked(run: OpenRun): boolean {
    for (let mark = run.firstMark; mark < this.#markEntry.length; mark++) {
      const kind = this.#markKind.at(mark);
      if (kind === OUTPUT || (kind === DECISION && this.#markWithdrawn.at(mark) < 0)) return true;
    }
    return false;
  }

  /** Session-format 8.7 and 8.8 where a segment ends. */
  #checkSource(run: OpenRun, report: (problem: RecordProblem) => void): void {
    const problem = sourceProblem(run.start, run.source, this.#takesUp(run) ? 'resume' : 'input', run.filledBy < 0);
    if (problem !== undefined) report(problem);
  }

  /** Whether the first entry of the segment that concerns a call takes up one that was left before it. */
  #takesUp(run: OpenRun): boolean {
    for (let mark = run.firstMark; mark < this.#markEntry.length; mark++) {
      const kind = this.#markKind.at(mark);
      const call = this.#markCall.at(mark);
      if (kind === CALL || (kind !== OUTPUT && (call === NO_CALL || this.#markWithdrawn.at(mark) >= 0))) continue;
      if (call === NO_CALL || this.#entryOf.at(call) > run.start) return false;
      const output = this.#output.at(call);
      return output < 0 || output > run.start;
    }
    return false;
  }

  #mark(index: EntryIndex, kind: number, call: CallNumber): void {
    this.#markEntry.push(index);
    this.#markKind.push(kind);
    this.#markCall.push(call);
    this.#markWithdrawn.push(-1);
  }

  #item(index: EntryIndex, entry: ItemEntry): void {
    const { item, fromLink } = entry;
    const callId = item.callId ?? '';
    if (fromLink !== undefined) {
      const named = this.#session.find(fromLink);
      const peer =
        named !== undefined && this.#path.placeOf(named) >= 0 && this.#calleeOf.get(named)?.startsWith('peer ');
      if (peer !== true) this.#sink.problem(fromLinkProblem(index, fromLink));
    }
    if (item.type === 'function_call') {
      const call = this.#entryOf.length;
      const response = entry.response ?? '';
      this.#entryOf.push(index);
      this.#callIds.push(callId);
      this.#responses.push(response);
      this.#earlier.push(this.#latest.get(callId) ?? NO_CALL);
      for (const column of [this.#flags, this.#dispatches, this.#dispatchesOnPath]) column.push(0);
      this.#output.push(-1);
      this.#lastDispatch.push(-1);
      this.#latest.set(callId, call);
      this.#pending.add(call);
      this.#callsOfResponse.set(response, (this.#callsOfResponse.get(response) ?? 0) + 1);
      this.#mark(index, CALL, call);
    } else if (item.type === 'function_call_output') {
      const call = this.#latest.get(callId);
      if (call === undefined || this.#output.at(call) >= 0) {
        this.#mark(index, OUTPUT, NO_CALL);
        return;
      }
      this.#mark(index, OUTPUT, call);
      this.#settle(call);
      this.#event(index, call);
      const flags = this.#flags.at(call) & ~(LAST_DISPATCH | UNSETTLED);
      this.#set(call, flags, index, this.#dispatches.at(call), this.#dispatchesOnPath.at(call));
    }
  }

  /** The call that an entry names, when that entry is on the path. */
  #callAt(target: string): CallNumber {
    const named = this.#session.find(target);
    if (named === undefined || this.#path.placeOf(named) < 0) return NO_CALL;
    const call = this.#entryOf.firstAbove(named - 1);
    return call < this.#entryOf.length && this.#entryOf.at(call) === named ? call : NO_CALL;
  }

  #move(index: EntryIndex, entry: Extract<Entry, { kind: 'decision' | 'dispatch' }>): void {
    const target = this.#callAt(entry.target);
    const targetId = target === NO_CALL ? undefined : this.#callIds[target];
    const exact = targetId === entry.callId;
    if (!exact) this.#sink.problem(badTarget(index, entry.kind, entry.callId, targetId));
    const call = target === NO_CALL ? (this.#latest.get(entry.callId) ?? NO_CALL) : target;
    this.#mark(index, entry.kind === 'dispatch' ? DISPATCH : DECISION, call);
    if (call === NO_CALL) return;
    const flags = this.#flags.at(call);
    if (entry.kind === 'decision' && entry.withdrawn && entry.verdict === 'reject' && (flags & LAST_DISPATCH) !== 0) {
      this.#withdraw(index, call);
      return;
    }
    this.#settle(call);
    const problem = orderProblem(this.#before(flags, this.#output.at(call), this.#dispatches.at(call)), {
      kind: entry.kind,
      entry: index,
      ...(entry.kind === 'decision' ? { verdict: entry.verdict } : {}),
    });
    const event = this.#event(index, call);
    const [output, dispatches, onPath] = [
      this.#output.at(call),
      this.#dispatches.at(call),
      this.#dispatchesOnPath.at(call),
    ];
    if (entry.kind === 'dispatch') {
      this.#lastDispatch.set(call, event);
      const unsettled = problem === undefined ? 0 : UNSETTLED;
      this.#set(call, (flags & ~LAST) | LAST_DISPATCH | unsettled, output, dispatches + 1, onPath + (exact ? 1 : 0));
      return;
    }
    this.#report(problem);
    const said = entry.verdict === 'answer' ? ANSWERED | LAST_ANSWER : entry.verdict === 'reject' ? REJECTED : 0;
    const held = entry.verdict === 'hold' ? LAST_HOLD : 0;
    this.#set(call, (flags & ~LAST) | said | held, output, dispatches, onPath);
  }

  /** Session-format 8.2: the dispatch and the reject leave the sequence; a further withdrawal does not directly follow a dispatch. */
  #withdraw(index: EntryIndex, call: CallNumber): void {
    const dispatched = this.#lastDispatch.at(call);
    const dispatchMark = this.#markEntry.firstAbove(this.#eventEntry.at(dispatched) - 1);
    for (const mark of [dispatchMark, this.#markEntry.length - 1]) {
      this.#markWithdrawn.set(mark, index);
      this.#withdrawnMark.push(mark);
      this.#withdrawnBy.push(index);
    }
    this.#event(index, call);
    this.#set(
      call,
      this.#flagsBefore.at(dispatched) & ~(LAST_DISPATCH | UNSETTLED),
      this.#outputBefore.at(dispatched),
      this.#dispatchesBefore.at(dispatched),
      this.#dispatchesOnPath.at(call),
    );
  }

  #before(flags: number, output: number, dispatches: number): Parameters<typeof orderProblem>[0] {
    return {
      answered: (flags & ANSWERED) !== 0,
      rejected: (flags & REJECTED) !== 0,
      dispatched: dispatches > 0,
      output: output >= 0,
    };
  }

  /** What is wrong with the dispatch that a call ends with. */
  #unsettledProblem(call: CallNumber): RecordProblem | undefined {
    const event = this.#lastDispatch.at(call);
    const before = this.#before(
      this.#flagsBefore.at(event),
      this.#outputBefore.at(event),
      this.#dispatchesBefore.at(event),
    );
    return orderProblem(before, { kind: 'dispatch', entry: this.#eventEntry.at(event) });
  }

  /** A dispatch that is not withdrawn by what follows it is told if it should not have been. */
  #settle(call: CallNumber): void {
    if ((this.#flags.at(call) & UNSETTLED) !== 0) this.#report(this.#unsettledProblem(call));
  }

  /** Notes what a call is before an entry changes it. */
  #event(index: EntryIndex, call: CallNumber): number {
    this.#eventEntry.push(index);
    this.#eventCall.push(call);
    this.#flagsBefore.push(this.#flags.at(call));
    this.#outputBefore.push(this.#output.at(call));
    this.#dispatchesBefore.push(this.#dispatches.at(call));
    this.#onPathBefore.push(this.#dispatchesOnPath.at(call));
    this.#lastDispatchBefore.push(this.#lastDispatch.at(call));
    return this.#eventEntry.length - 1;
  }

  #set(call: CallNumber, flags: number, output: number, dispatches: number, onPath: number): void {
    this.#flags.set(call, flags);
    this.#output.set(call, output);
    this.#dispatches.set(call, dispatches);
    this.#dispatchesOnPath.set(call, onPath);
    hold(this.#pending, call, output < 0);
    hold(this.#unsettled, call, (flags & UNSETTLED) !== 0);
    const answered = (flags & ANSWERED) !== 0 && this.#session.own(this.#entryOf.at(call));
    const ran = output >= 0 && (flags & (ANSWERED | REJECTED)) === 0 && this.#session.own(output);
    hold(this.#missing, call, this.#promised && dispatches === 0 && (answered || ran));
  }

  #link(index: EntryIndex, entry: LinkEntry): void {
    const { rel, callId = '' } = entry;
    const reached = `${rel} ${callId}`;
    if (rel === 'peer' && entry.url !== undefined && callId === '')
      this.#sink.problem({ code: 'callee-link', entry: index, message: UNCALLED_PEER });
    if (entry.cancel) {
      const named = this.#session.find(entry.target ?? '');
      if (named === undefined || this.#path.placeOf(named) < 0 || this.#calleeOf.get(named) !== reached)
        this.#sink.problem({ code: 'callee-link', entry: index, message: LOOSE_CANCEL });
    } else if (rel === 'subsession' || rel === 'peer') this.#calleeOf.set(index, reached);
  }
}

function hold<Value>(set: Set<Value>, value: Value, member: boolean): void {
  if (member) set.add(value);
  else set.delete(value);
}
