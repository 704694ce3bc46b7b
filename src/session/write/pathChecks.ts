/**
 * The verifier standing at the path that is being written: what `audit verify` would say of the session with one more entry, before that
 * entry is written. Session-format 9.1, 7.6, 7.1, in the verifier's own code.
 */
import { callKey } from '../calls.ts';
import type { Entry, ResponseEntry } from '../model.ts';
import { CurrentPath, type PathTracker } from '../pathTracker.ts';
import { type MissingRecord, RecordTracker } from '../recordChecks.ts';
import { missingRecord, type RecordProblem } from '../records.ts';
import type { ResponseVerdict } from '../request.ts';
import { RequestTracker } from '../requests.ts';
import { type EntryIndex, ROOT, type Session } from '../session.ts';
import { SessionError, type SessionErrorCode } from './error.ts';

/** Dispatches of a call by `callKey`, over the whole session. */
export type DispatchesOf = (key: string) => readonly EntryIndex[];

interface Told {
  readonly key: string;
  readonly code: SessionErrorCode;
  readonly message: string;
}

const NOTHING: readonly Told[] = [];

export class PathChecks {
  /** The path that the checks stand at. */
  readonly path = new CurrentPath();
  readonly #session: Session;
  readonly #dispatchesOf: DispatchesOf;
  readonly #trackers: readonly PathTracker[];
  /** What is told while an entry is entered. */
  #problems: RecordProblem[] = [];
  #missing: MissingRecord[] = [];
  #verdict: ResponseVerdict | undefined;
  #badContext: string | undefined;
  /** What the path has wrong already: a session that was read may hold faults that are not the next entry's. */
  readonly #known = new Set<string>();
  /** The entry that was held last, as long as it stands at the end of the path without being of the session. */
  #held: Entry | undefined;

  constructor(session: Session, dispatchesOf: DispatchesOf) {
    this.#session = session;
    this.#dispatchesOf = dispatchesOf;
    this.#trackers = [
      new RequestTracker(session, this.path, {
        response: (_, verdict) => {
          this.#verdict = verdict;
        },
        badLeaf: (_, { firstKept }) => {
          this.#badContext = firstKept;
        },
        unresolvedOf: () => {},
      }),
      new RecordTracker(session, this.path, {
        problem: (problem) => this.#problems.push(problem),
        atLeaf: (_, problem) => this.#problems.push(problem),
        missingAtLeaf: (_, missing) => this.#missing.push(missing),
      }),
    ];
  }

  /** Goes to the path that ends at an entry, or to the universal root. */
  moveTo(tip: EntryIndex): void {
    this.#letGo();
    if (this.path.tip === tip || (tip === ROOT && this.path.length === 0)) return;
    const below: EntryIndex[] = [];
    let at = tip;
    for (; at >= 0 && this.path.placeOf(at) < 0; at = this.#session.parent(at)) below.push(at);
    this.#retreat(at < 0 ? 0 : this.path.placeOf(at) + 1);
    for (const index of below.reverse()) this.#enter(index, this.#session.entry(index), true);
    this.#leaf(tip);
    for (const { key } of this.#told()) this.#known.add(key);
  }

  /**
   * Holds an entry that is not yet of the session against the path that the checks stand at.
   *
   * Throws SessionError for the first thing that verifying would report of it.
   */
  hold(index: EntryIndex, entry: Entry): void {
    this.#enter(index, entry, false);
    this.#leaf(index);
    const verdict = this.#verdict;
    const told = this.#told();
    this.#held = entry;
    const fresh = told.find(({ key }) => !this.#known.has(key));
    if (fresh !== undefined) throw this.#refuse(fresh.code, fresh.message);
    if (verdict?.outcome === 'mismatch' || verdict?.outcome === 'divergence')
      throw this.#refuse(
        verdict.outcome === 'mismatch' ? 'hash_mismatch' : 'omit_divergence',
        `the request that the session rebuilds has the hash ${verdict.rebuilt}`,
      );
    if (verdict?.outcome === 'bad-context')
      throw this.#refuse('bad_context', 'the request of the response cannot be rebuilt');
  }

  #refuse(code: SessionErrorCode, message: string): SessionError {
    this.#letGo();
    return new SessionError(code, message);
  }

  #letGo(): void {
    if (this.#held === undefined) return;
    this.#held = undefined;
    this.#retreat(this.path.length - 1);
  }

  /** An entry is of the session now. */
  follow(index: EntryIndex, entry: Entry): void {
    if (this.#held === entry) {
      this.#held = undefined;
      return;
    }
    this.#letGo();
    const parent = this.#session.parent(index);
    if (parent === ROOT ? this.path.length === 0 : this.path.tip === parent) {
      this.#enter(index, entry, true);
      this.#leaf(index);
      for (const { key } of this.#told()) this.#known.add(key);
    }
  }

  /** The hash of the request that a response under the path's end would verify with (7.6); undefined where none can be built. */
  requestHash(index: EntryIndex, response: ResponseEntry): string | undefined {
    this.#verdict = undefined;
    this.#enter(index, { ...response, requestHash: 'unknown' }, false);
    const verdict = this.#verdict as ResponseVerdict | undefined;
    this.#retreat(this.path.length - 1);
    this.#clear();
    return verdict?.outcome === 'mismatch' || verdict?.outcome === 'divergence' ? verdict.rebuilt : undefined;
  }

  #enter(index: EntryIndex, entry: Entry, again: boolean): void {
    this.path.push(index);
    for (const tracker of this.#trackers) tracker.enter(index, entry, again);
  }

  #leaf(index: EntryIndex): void {
    if (index >= 0) for (const tracker of this.#trackers) tracker.leaf(index);
  }

  #retreat(length: number): void {
    if (length >= this.path.length) return;
    for (const tracker of this.#trackers) tracker.retreat(this.path.at(length));
    this.path.cut(length);
  }

  #clear(): void {
    this.#problems = [];
    this.#missing = [];
    this.#verdict = undefined;
    this.#badContext = undefined;
  }

  /** What was told since, and forgets it. */
  #told(): readonly Told[] {
    if (this.#problems.length === 0 && this.#missing.length === 0 && this.#badContext === undefined) {
      this.#verdict = undefined;
      return NOTHING;
    }
    const problems = [
      ...this.#problems,
      ...this.#missing.flatMap((missing) => {
        const { code, call, callId, output, dispatchesOnPath } = missing;
        const all = this.#dispatchesOf(callKey(this.#session.id(call), callId)).length;
        if (code === 'answer-not-dispatched' && all > dispatchesOnPath) return [];
        return [missingRecord(code, code === 'record-missing' && output !== undefined ? output : call, callId)];
      }),
    ].map(({ code, entry, message, actual = '' }) => ({
      key: `${code} ${entry} ${actual}`,
      code: code.replaceAll('-', '_') as SessionErrorCode,
      message,
    }));
    const context =
      this.#badContext === undefined
        ? []
        : [
            {
              key: `bad_context ${this.#badContext}`,
              code: 'bad_context' as const,
              message: 'first_kept names no entry on the path before its compaction',
            },
          ];
    this.#clear();
    return [...problems, ...context];
  }
}
