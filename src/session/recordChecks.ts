/**
 * Checks the records of every path that a walk follows: targets, runs, what may happen to a call, links. Session-format 8 and 9.1;
 * `records.ts` says the same for one path.
 */
import type { Entry, ItemEntry, LinkEntry, RunEntry } from './model.ts';
import { type CurrentPath, type PathTracker, UndoLog } from './pathTracker.ts';
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

/** What has happened to a call, withdrawn hand-offs taken out. A value is never changed: going back restores the one before. */
interface CallSummary {
  readonly output: EntryIndex | undefined;
  readonly answered: boolean;
  readonly rejected: boolean;
  /** Remaining dispatches, and those on the path that name the call exactly, withdrawn ones included. */
  readonly dispatches: number;
  readonly dispatchesOnPath: number;
  /** The last remaining decision or dispatch. */
  readonly last: 'none' | 'dispatch' | 'hold' | 'answer' | 'other';
  /** When the last event is a dispatch: what the call was before it, and what is wrong with it unless it is withdrawn. */
  readonly dispatched:
    | { readonly before: CallSummary; readonly mark: Mark; readonly problem: RecordProblem | undefined }
    | undefined;
}

const UNTOUCHED: CallSummary = {
  output: undefined,
  answered: false,
  rejected: false,
  dispatches: 0,
  dispatchesOnPath: 0,
  last: 'none',
  dispatched: undefined,
};

interface TrackedCall {
  readonly entry: EntryIndex;
  readonly callId: string;
  readonly own: boolean;
  summary: CallSummary;
}

/** An entry of a run's segment that concerns a call, or an output that nobody is owed. */
interface Mark {
  readonly kind: 'call' | 'dispatch' | 'decision' | 'output';
  readonly call: TrackedCall | undefined;
  withdrawn: boolean;
}

interface OpenRun {
  readonly start: EntryIndex;
  readonly place: number;
  readonly runId: string;
  readonly source: string;
  readonly marks: Mark[];
  /** Entries of the segment that make it a run in which something was done (8.8). */
  filled: number;
}

interface SeenResponse {
  readonly place: number;
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
  readonly #undo = new UndoLog();
  readonly #promised: boolean;
  /** Function calls by entry: facts of the entry, and the state on the current path when it is on it. */
  readonly #callOf = new Map<EntryIndex, TrackedCall>();
  /** Callee links by entry: relation and call. */
  readonly #calleeOf = new Map<EntryIndex, string>();
  readonly #latest = new Map<string, TrackedCall>();
  /** How many calls of the path name each response. */
  readonly #callsOfResponse = new Map<string, number>();
  readonly #pending = new Set<TrackedCall>();
  readonly #unsettled = new Set<TrackedCall>();
  readonly #missing = new Set<TrackedCall>();
  #run: OpenRun | undefined;
  #lastResponse: SeenResponse | undefined;

  constructor(session: Session, path: CurrentPath, sink: RecordSink) {
    this.#session = session;
    this.#path = path;
    this.#sink = sink;
    this.#promised = session.header.records.includes('dispatch');
  }

  enter(index: EntryIndex, entry: Entry, place: number): void {
    if (entry.kind === 'run') {
      this.#enterRun(index, entry, place);
      return;
    }
    const run = this.#run;
    if (run !== undefined && FILLS.has(entry.kind)) {
      run.filled++;
      this.#undo.record(place, () => {
        run.filled--;
      });
    }
    if (entry.kind === 'item') this.#item(index, entry, place);
    else if (entry.kind === 'decision' || entry.kind === 'dispatch') this.#move(index, entry, place);
    else if (entry.kind === 'link') this.#link(index, entry);
    else if (entry.kind === 'response') {
      const before = this.#lastResponse;
      const { responseId, error, incomplete } = entry;
      this.#lastResponse = { place, responseId, failed: error !== undefined, incomplete: incomplete !== undefined };
      this.#undo.record(place, () => {
        this.#lastResponse = before;
      });
    }
  }

  retreat(length: number): void {
    this.#undo.retreat(length);
  }

  leaf(index: EntryIndex): void {
    const run = this.#run;
    if (run !== undefined) this.#checkSource(run, (problem) => this.#sink.atLeaf(index, problem));
    for (const { summary } of this.#unsettled) {
      if (summary.dispatched?.problem !== undefined) this.#sink.atLeaf(index, summary.dispatched.problem);
    }
    for (const call of this.#missing) {
      const { answered, output, dispatchesOnPath } = call.summary;
      const code = answered ? 'answer-not-dispatched' : 'record-missing';
      this.#sink.missingAtLeaf(index, { code, call: call.entry, callId: call.callId, output, dispatchesOnPath });
    }
  }

  #enterRun(index: EntryIndex, entry: RunEntry, place: number): void {
    const run = this.#run;
    if (entry.phase === 'start') {
      if (run !== undefined) this.#checkSource(run, this.#report);
      const { runId, source } = entry;
      this.#run = { start: index, place, runId, source, marks: [], filled: 0 };
    } else {
      if (run === undefined || run.runId !== entry.runId) return;
      const pending = pendingOf(run);
      this.#report(reasonProblem(index, entry.reason, this.#reason(run, pending)));
      this.#report(
        pendingProblem(
          index,
          entry.pending,
          pending.map(({ callId }) => callId),
        ),
      );
      this.#checkSource(run, this.#report);
      this.#run = undefined;
    }
    this.#undo.record(place, () => {
      this.#run = run;
    });
  }

  readonly #report = (problem: RecordProblem | undefined): void => {
    if (problem !== undefined) this.#sink.problem(problem);
  };

  /** Session-format 8.6 at the end of a run. */
  #reason(run: OpenRun, pending: readonly TrackedCall[]): ComputedReason {
    const seen = this.#lastResponse;
    const last = seen !== undefined && seen.place > run.place ? seen : undefined;
    const held = pending.some(({ summary }) => summary.last === 'hold');
    const inFlight = pending.some(
      ({ summary }) => summary.dispatches > 0 && summary.last !== 'hold' && summary.last !== 'answer',
    );
    if (last?.failed === true) return 'error'; // 1
    if (held && !inFlight) return 'input_required'; // 2
    if (pending.length > 0 || last?.incomplete === true) return 'aborted'; // 3
    if (last !== undefined && !this.#madeCall(last)) return 'done'; // 4
    const worked = run.marks.some(({ kind, withdrawn }) => kind === 'output' || (kind === 'decision' && !withdrawn));
    if (seen !== undefined && this.#madeCall(seen) && this.#pending.size === 0 && worked) return 'stopped'; // 5
    return 'aborted'; // 6
  }

  #madeCall({ responseId }: SeenResponse): boolean {
    return (this.#callsOfResponse.get(responseId) ?? 0) > 0;
  }

  /** Session-format 8.7 and 8.8 where a segment ends. */
  #checkSource(run: OpenRun, report: (problem: RecordProblem) => void): void {
    const deciding = run.marks.find(
      ({ kind, call, withdrawn }) => kind === 'output' || (kind !== 'call' && call !== undefined && !withdrawn),
    );
    const call = deciding?.call;
    const takesUp =
      call !== undefined &&
      call.entry < run.start &&
      (call.summary.output === undefined || call.summary.output > run.start);
    const problem = sourceProblem(run.start, run.source, takesUp ? 'resume' : 'input', run.filled === 0);
    if (problem !== undefined) report(problem);
  }

  #mark(mark: Mark, place: number): Mark {
    const marks = this.#run?.marks;
    if (marks !== undefined) {
      const { length } = marks;
      marks.push(mark);
      this.#undo.record(place, () => {
        marks.length = length;
      });
    }
    return mark;
  }

  #item(index: EntryIndex, entry: ItemEntry, place: number): void {
    const { item, fromLink } = entry;
    const callId = item.callId ?? '';
    if (fromLink !== undefined) {
      const named = this.#session.find(fromLink);
      const peer =
        named !== undefined && this.#path.placeOf(named) >= 0 && this.#calleeOf.get(named)?.startsWith('peer ');
      if (peer !== true) this.#sink.problem(fromLinkProblem(index, fromLink));
    }
    if (item.type === 'function_call') {
      const call: TrackedCall = { entry: index, callId, own: this.#session.own(index), summary: UNTOUCHED };
      const earlier = this.#latest.get(callId);
      const response = entry.response ?? '';
      this.#callOf.set(index, call);
      this.#latest.set(callId, call);
      this.#pending.add(call);
      this.#callsOfResponse.set(response, (this.#callsOfResponse.get(response) ?? 0) + 1);
      this.#undo.record(place, () => {
        if (earlier === undefined) this.#latest.delete(callId);
        else this.#latest.set(callId, earlier);
        this.#pending.delete(call);
        this.#callsOfResponse.set(response, (this.#callsOfResponse.get(response) as number) - 1);
      });
      this.#mark({ kind: 'call', call, withdrawn: false }, place);
    } else if (item.type === 'function_call_output') {
      const call = this.#latest.get(callId);
      const owed = call !== undefined && call.summary.output === undefined;
      this.#mark({ kind: 'output', call: owed ? call : undefined, withdrawn: false }, place);
      if (!owed) return;
      this.#settle(call);
      this.#change(call, { ...call.summary, output: index, dispatched: undefined }, place);
    }
  }

  #move(index: EntryIndex, entry: Extract<Entry, { kind: 'decision' | 'dispatch' }>, place: number): void {
    const named = this.#session.find(entry.target);
    const target = named !== undefined && this.#path.placeOf(named) >= 0 ? this.#callOf.get(named) : undefined;
    if (target === undefined || target.callId !== entry.callId)
      this.#sink.problem(badTarget(index, entry.kind, entry.callId, target?.callId));
    const call = target ?? this.#latest.get(entry.callId);
    const mark = this.#mark({ kind: entry.kind, call, withdrawn: false }, place);
    if (call === undefined) return;
    const { summary } = call;
    const { dispatched } = summary;
    if (entry.kind === 'decision' && entry.withdrawn && entry.verdict === 'reject' && dispatched !== undefined) {
      // 8.2: both leave the sequence, and a further withdrawal does not directly follow a dispatch.
      this.#withdraw([mark, dispatched.mark], place);
      this.#change(call, { ...dispatched.before, dispatchesOnPath: summary.dispatchesOnPath }, place);
      return;
    }
    this.#settle(call);
    const before = {
      answered: summary.answered,
      rejected: summary.rejected,
      dispatched: summary.dispatches > 0,
      output: summary.output !== undefined,
    };
    if (entry.kind === 'dispatch') {
      const exact = target !== undefined && target.callId === entry.callId;
      this.#change(
        call,
        {
          ...summary,
          dispatches: summary.dispatches + 1,
          dispatchesOnPath: summary.dispatchesOnPath + (exact ? 1 : 0),
          last: 'dispatch',
          dispatched: {
            before: { ...summary, dispatched: undefined },
            mark,
            problem: orderProblem(before, { kind: 'dispatch', entry: index }),
          },
        },
        place,
      );
      return;
    }
    const { verdict } = entry;
    this.#report(orderProblem(before, { kind: 'decision', entry: index, verdict }));
    this.#change(
      call,
      {
        ...summary,
        answered: summary.answered || verdict === 'answer',
        rejected: summary.rejected || verdict === 'reject',
        last: verdict === 'hold' || verdict === 'answer' ? verdict : 'other',
        dispatched: undefined,
      },
      place,
    );
  }

  #withdraw(marks: readonly Mark[], place: number): void {
    for (const mark of marks) mark.withdrawn = true;
    this.#undo.record(place, () => {
      for (const mark of marks) mark.withdrawn = false;
    });
  }

  /** A dispatch that is not withdrawn by what follows it is told if it should not have been. */
  #settle(call: TrackedCall): void {
    this.#report(call.summary.dispatched?.problem);
  }

  #change(call: TrackedCall, summary: CallSummary, place: number): void {
    const before = call.summary;
    this.#set(call, summary);
    this.#undo.record(place, () => this.#set(call, before));
  }

  #set(call: TrackedCall, summary: CallSummary): void {
    call.summary = summary;
    const { output, answered, rejected, dispatches } = summary;
    hold(this.#pending, call, output === undefined);
    hold(this.#unsettled, call, summary.dispatched?.problem !== undefined);
    const ran = output !== undefined && !answered && !rejected && this.#session.own(output);
    hold(this.#missing, call, this.#promised && dispatches === 0 && ((answered && call.own) || ran));
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

/** The calls that a run made or took up and that have no output at its end, each once. */
function pendingOf(run: OpenRun): readonly TrackedCall[] {
  const found = new Set<TrackedCall>();
  for (const { call, withdrawn } of run.marks) {
    if (call !== undefined && !withdrawn && call.summary.output === undefined) found.add(call);
  }
  return [...found];
}

function hold<Value>(set: Set<Value>, value: Value, member: boolean): void {
  if (member) set.add(value);
  else set.delete(value);
}
