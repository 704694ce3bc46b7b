/**
 * What "verify a file" comprises beside reading it: the request of every response, the records and the context of every leaf. Session-format
 * 9.3. All of it in one walk, beside the reader or after it.
 */

import type { Finding, Where } from '../finding/finding.ts';
import { counted } from '../finding/words.ts';
import { callKey, sessionDispatches } from './calls.ts';
import { catalogue } from './catalogueRecords.ts';
import type { BadContext } from './context.ts';
import { FindingSink } from './findingSink.ts';
import type { Entry } from './model.ts';
import { type MissingRecord, RecordTracker } from './recordChecks.ts';
import { callIdProblem, missingRecord, type RecordProblem } from './records.ts';
import type { ResponseVerdict } from './request.ts';
import { RequestTracker } from './requests.ts';
import type { EntryIndex, EntryVisitor, Session } from './session.ts';
import { Walk } from './walk.ts';

/** How many responses ended how. */
export interface ResponseCounts {
  responses: number;
  verified: number;
  absent: number;
  /** Mismatches, divergences, and requests that cannot be rebuilt. */
  failed: number;
  /** An entry on the path cannot be used. */
  unchecked: number;
}

export interface SessionChecks {
  readonly counts: ResponseCounts;
  /** Leaves whose path is usable, and the others. */
  readonly leaves: number;
  readonly leavesUnchecked: number;
  /** Findings about requests and contexts, and about records, each in file order; of one code at most so many in full. */
  readonly requestFindings: readonly Finding[];
  readonly recordFindings: readonly Finding[];
  readonly notes: readonly Finding[];
  /** How many problems there are, those that are not listed included. */
  readonly requestFaults: number;
  readonly recordFaults: number;
  /** Verdict of every response that was judged. */
  readonly verdicts: ReadonlyMap<EntryIndex, ResponseVerdict['outcome']>;
}

/**
 * Checks of one session, fed by the reader.
 *
 * @example
 * const checker = new SessionChecker();
 * const { session } = readSession(source, { visit: checker.visit });
 * const checks = session && checker.finish(session);
 */
export class SessionChecker {
  readonly #problems = new Map<string, RecordProblem>();
  readonly #leafProblems = new Map<string, { readonly leaf: EntryIndex; readonly problem: RecordProblem }>();
  readonly #missing = new Map<string, { readonly leaf: EntryIndex; readonly missing: MissingRecord }>();
  readonly #badLeaves = new Map<EntryIndex, { readonly leaf: EntryIndex; readonly problem: BadContext }>();
  readonly #verdicts = new Map<EntryIndex, ResponseVerdict['outcome']>();
  readonly #failures: { readonly index: EntryIndex; readonly verdict: ResponseVerdict }[] = [];
  readonly #unresolved: EntryIndex[] = [];
  #overLimit: EntryIndex | undefined;
  readonly #callIds = new Map<string, EntryIndex>();
  #walk: Walk | undefined;

  /** Takes each usable entry while the file is read, in file order. */
  readonly visit: EntryVisitor = (index, entry, session) => {
    this.#walk ??= this.#start(session);
    if (entry.kind === 'item' && entry.item.type === 'function_call')
      this.#problem(callIdProblem(session, this.#callIds, index, entry.item.callId ?? ''));
    this.#walk.visit(index, entry, session);
  };

  #start(session: Session): Walk {
    return new Walk(
      (path) => [
        new RequestTracker(session, path, {
          response: (index, verdict) => this.#response(index, verdict),
          badLeaf: (leaf, problem) => {
            if (!this.#badLeaves.has(problem.compaction)) this.#badLeaves.set(problem.compaction, { leaf, problem });
          },
          unresolvedOf: (index) => this.#unresolved.push(index),
          overLimit: (index) => {
            this.#overLimit = index;
          },
        }),
        new RecordTracker(session, path, {
          problem: (problem) => this.#problem(problem),
          atLeaf: (leaf, problem) => keep(this.#leafProblems, keyOf(problem), { leaf, problem }),
          missingAtLeaf: (leaf, missing) => {
            const { code, call, output, dispatchesOnPath } = missing;
            keep(this.#missing, `${code} ${call} ${output} ${dispatchesOnPath}`, { leaf, missing });
          },
        }),
      ],
      () => {
        this.#leafProblems.clear();
        this.#missing.clear();
        this.#badLeaves.clear();
      },
    );
  }

  #problem(problem: RecordProblem | undefined): void {
    if (problem !== undefined) keep(this.#problems, keyOf(problem), problem);
  }

  #response(index: EntryIndex, verdict: ResponseVerdict): void {
    this.#verdicts.set(index, verdict.outcome);
    if (verdict.outcome !== 'verified' && verdict.outcome !== 'absent' && verdict.outcome !== 'unchecked')
      this.#failures.push({ index, verdict });
  }

  /** What the checks gave, once the file is read. */
  finish(session: Session): SessionChecks {
    this.#walk?.finish(session);
    const where = (entry: EntryIndex): Where => ({
      line: session.line(entry),
      byte: session.offset(entry),
      length: session.length(entry),
      entry: session.id(entry),
    });
    const inFileOrder = (a: { readonly entry: EntryIndex }, b: { readonly entry: EntryIndex }): number =>
      a.entry - b.entry;
    const counts: ResponseCounts = { responses: 0, verified: 0, absent: 0, failed: 0, unchecked: 0 };
    const notes: Finding[] = [];
    let leaves = 0;
    let leavesUnchecked = 0;
    let firstUnchecked: EntryIndex | undefined;
    for (let index = 0; index < session.size; index++) {
      if (session.isLeaf(index)) {
        if (session.pathUsable(index)) leaves++;
        else {
          leavesUnchecked++;
          firstUnchecked ??= index;
        }
      }
      if (session.kind(index) !== 'response') continue;
      counts.responses++;
      const verdict = this.#verdicts.get(index);
      if (verdict === undefined || verdict === 'unchecked') counts.unchecked++;
      else if (verdict === 'verified' || verdict === 'absent') counts[verdict]++;
      else counts.failed++;
      if (verdict === 'absent')
        notes.push(
          catalogue.find(
            'session/no-hash',
            'this response recorded no request hash, so its request cannot be checked',
            {
              where: where(index),
            },
          ),
        );
    }
    if (this.#overLimit !== undefined)
      notes.push(
        catalogue.find(
          'session/request-work',
          'rebuilding the requests from this entry on would take more work than is spent on one session, so they were not checked',
          { where: where(this.#overLimit) },
        ),
      );
    if (firstUnchecked !== undefined)
      notes.push(
        catalogue.find(
          'session/not-checked',
          `${counted(leavesUnchecked, 'path')} and ${counted(counts.unchecked, 'response')} were not checked, because an entry on the path does not hold; this is where the first such path ends`,
          { where: where(firstUnchecked) },
        ),
      );
    for (const index of this.#unresolved)
      notes.push(
        catalogue.find('session/unresolved-of', 'a keep of this list names nothing that its path can give', {
          where: where(index),
        }),
      );
    const requests = this.#failures.map(({ index, verdict }) => ({
      entry: index,
      finding: failure(session, verdict, where(index)),
    }));
    for (const { leaf, problem } of this.#badLeaves.values())
      requests.push({
        entry: problem.compaction,
        finding: badContext(
          where(problem.compaction),
          problem,
          `the context at the leaf on line ${session.line(leaf)}`,
        ),
      });
    // What holds at a leaf may also have been told where another branch goes on.
    for (const [key, { problem }] of this.#leafProblems) keep(this.#problems, key, problem);
    const records = [...this.#problems.values(), ...this.#missingRecords(session)]
      .sort(inFileOrder)
      .map((problem) => finding(problem, where(problem.entry)));
    return {
      counts,
      leaves,
      leavesUnchecked,
      requestFindings: limited(requests.sort(inFileOrder).map((each) => each.finding)),
      recordFindings: limited(records),
      notes: limited(notes),
      requestFaults: requests.length,
      recordFaults: records.length,
      verdicts: this.#verdicts,
    };
  }

  /** An answer counts as dispatched where another branch holds a dispatch of its call (9.1 check 7). */
  #missingRecords(session: Session): readonly RecordProblem[] {
    if (this.#missing.size === 0) return [];
    const dispatched = sessionDispatches(session);
    const found = new Map<string, RecordProblem>();
    for (const { missing } of this.#missing.values()) {
      const { code, call, callId, output, dispatchesOnPath } = missing;
      const all = dispatched.get(callKey(session.id(call), callId))?.length ?? 0;
      if (code === 'answer-not-dispatched' && all > dispatchesOnPath) continue;
      const entry = code === 'record-missing' && output !== undefined ? output : call;
      keep(found, `${code} ${entry}`, missingRecord(code, entry, callId));
    }
    return [...found.values()];
  }
}

/** A hostile file can hold a million faults of one kind. */
function limited(findings: readonly Finding[]): readonly Finding[] {
  const sink = new FindingSink();
  for (const each of findings) sink.add(each);
  return sink.all();
}

/** Two problems of one code at one entry are one, unless they say different things of it. */
function keyOf({ code, entry, actual = '' }: RecordProblem): string {
  return `${code} ${entry} ${actual}`;
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (!map.has(key)) map.set(key, value);
}

function finding(problem: RecordProblem, where: Where): Finding {
  const { code, message, expected, actual } = problem;
  return catalogue.find(`session/${code}`, message, {
    where,
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  });
}

function failure(session: Session, verdict: ResponseVerdict, where: Where): Finding {
  switch (verdict.outcome) {
    case 'divergence':
      return catalogue.find(
        'session/omit-divergence',
        'the recorded hash is the one of the request without the omit setting applied',
        { where: { ...where, pointer: '/request_hash' }, expected: verdict.rebuilt, actual: verdict.recorded },
      );
    case 'mismatch':
      return catalogue.find(
        'session/hash-mismatch',
        'the request rebuilt from the entries before this response has another hash than the one it recorded',
        { where: { ...where, pointer: '/request_hash' }, expected: verdict.rebuilt, actual: verdict.recorded },
      );
    case 'bad-context': {
      const line = session.line(verdict.problem.compaction);
      return badContext(where, verdict.problem, `the request of this response (compaction on line ${line})`);
    }
    default:
      throw new RangeError(`${verdict.outcome} is no failure`);
  }
}

function badContext(where: Where, problem: BadContext, what: string): Finding {
  return catalogue.find(
    'session/bad-context',
    `${what} cannot be built: first_kept names no entry on the path before its compaction`,
    { where, actual: problem.firstKept },
  );
}

/** Checks a session that is read already. */
export function checkSession(session: Session): SessionChecks {
  const checker = new SessionChecker();
  for (let index = 0; index < session.size; index++) {
    if (session.usable(index)) checker.visit(index, session.entry(index) satisfies Entry, session);
  }
  return checker.finish(session);
}
