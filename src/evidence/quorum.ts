/** Quorum certificates: recorded votes and the tally that follows from them (audit spec 4.14, steps numbered as there). */
import { compareUtf8 } from '../bytes/encoding.ts';
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import type { ReadableRecord } from '../journal/record.ts';
import { boolean, integer, list, object, type Shape, string, type ValueOf } from '../json/shape.ts';
import { catalogue } from './catalogue.ts';
import type { HeadChecker } from './heads.ts';
import { payloadProblem, policyDigestOf, strictPayload } from './payload.ts';
import { below } from './place.ts';
import { type GivenBundle, sameTreeFindings, wrongRole } from './policies.ts';
import { checkProof, holds, type ProofReport } from './proof.ts';

export const voteShape = object({ voter: string, decision: string });
export const tallyShape = object({
  decision: string,
  votes_for: integer,
  total: integer,
  agreed: boolean,
  votes: list(voteShape),
});
export type QuorumTally = ValueOf<typeof tallyShape>;

export interface QuorumInputs {
  /** Not empty, without `/`. */
  readonly name: string;
  readonly tally: GivenBundle;
  readonly votes: readonly GivenBundle[];
  /** Votes that the decision needs, above 0. */
  readonly k: number;
  readonly commit?: GivenBundle;
}

export interface QuorumReport {
  readonly findings: readonly Finding[];
  readonly authorship: Verdict;
  readonly inclusion: Verdict;
  /** That the tally follows from the disclosed votes and reaches the threshold. */
  readonly count: Verdict;
  readonly tally: QuorumTally | undefined;
  readonly notes: readonly string[];
}

/** Why a name or threshold cannot be asked for (`CONFIG`). */
export function quorumFault(name: string, k: number): string | undefined {
  if (name === '' || name.includes('/')) return 'the name of a quorum is not empty and holds no "/"';
  return Number.isSafeInteger(k) && k > 0 ? undefined : 'the votes needed are a number above 0';
}

/** Checks a quorum. Bundles that are absent leave undone what depends on them; everything else is checked. */
export function checkQuorum({ name, tally, votes, k, commit }: QuorumInputs, heads: HeadChecker): QuorumReport {
  const findings: Finding[] = [];
  const counting: Finding[] = [];
  const reports: ProofReport[] = [];
  const check = (given: GivenBundle): ProofReport | undefined => {
    if (given.bundle === undefined) return undefined;
    const report = checkProof(given.bundle, heads, given.where);
    reports.push(report);
    findings.push(...report.findings);
    // 2.
    if (tally.bundle !== undefined)
      findings.push(...sameTreeFindings(given.bundle.sth, tally.bundle.sth, below(given.where, 'sth')));
    return report;
  };
  // 1. and 3.
  const read = payloadOf(check(tally), tallyShape, 'tally', `quorum/${name}/tally`, tally.where, findings);
  const disclosed = votes.map((given) => ({
    given,
    vote: payloadOf(
      check(given),
      voteShape,
      'vote',
      (vote: ValueOf<typeof voteShape>) => `quorum/${name}/vote/${vote.voter}`,
      given.where,
      findings,
    ),
  }));
  const notes: string[] = [];
  if (read !== undefined) {
    counting.push(...tallyFindings(read, disclosed, votes.length, k, tally.where));
    const recount = mostVoted(read);
    const agreed = recount !== undefined && recount.decision === read.decision && read.votes_for >= k;
    if (read.agreed !== agreed) notes.push(`the tally says agreed=${read.agreed}, which its own votes contradict`);
  }
  // 9.
  const committed = commit === undefined ? undefined : check(commit);
  if (commit !== undefined && committed?.record !== undefined && holds(committed.findings)) {
    const { kind, result } = committed.record.record;
    if (kind !== 'tool_result' || policyDigestOf(result) === undefined)
      findings.push(
        wrongRole(
          'governed commit',
          kind === 'tool_result' ? 'its result names no policy' : `it is of kind ${JSON.stringify(kind)}`,
          below(commit.where, 'record_bytes'),
        ),
      );
  }
  const complete = tally.bundle !== undefined && votes.every((given) => given.bundle !== undefined);
  const merged = (of: (report: ProofReport) => Verdict): Verdict => {
    const verdicts = reports.map(of);
    if (verdicts.includes('failed')) return 'failed';
    return complete && verdicts.every((verdict) => verdict === 'verified') ? 'verified' : 'undecided';
  };
  return {
    findings: [...findings, ...counting],
    authorship: merged((report) => report.authorship),
    inclusion: merged((report) => report.inclusion),
    count:
      counting.length > 0 ? 'failed' : read !== undefined && complete && holds(findings) ? 'verified' : 'undecided',
    tally: read,
    notes,
  };
}

/** 3. A bundle of another quorum does not hold; a record of another kind, or whose payload does not read, is the wrong input. */
function payloadOf<T>(
  report: ProofReport | undefined,
  shape: Shape<T>,
  what: string,
  expected: string | ((payload: T) => string),
  where: Where,
  findings: Finding[],
): T | undefined {
  const record: ReadableRecord | undefined = report?.record;
  if (report === undefined || record === undefined || !holds(report.findings)) return undefined;
  const at = below(where, 'record_bytes');
  if (record.record.kind !== 'value') {
    findings.push(wrongRole(what, `it is of kind ${JSON.stringify(record.record.kind)}`, at));
    return undefined;
  }
  const decoded = strictPayload(shape, record.record.result);
  if (!decoded.ok) {
    findings.push(wrongRole(what, payloadProblem(decoded.problems), at));
    return undefined;
  }
  const name = typeof expected === 'string' ? expected : expected(decoded.value);
  if (record.name !== name) {
    findings.push(
      catalogue.find('evidence/other-quorum', `the record is the ${what} of another quorum or voter`, {
        where: at,
        expected: name,
        actual: record.name,
      }),
    );
    return undefined;
  }
  return decoded.value;
}

interface Disclosed {
  readonly given: GivenBundle;
  readonly vote: ValueOf<typeof voteShape> | undefined;
}

/** 4 to 8. */
function tallyFindings(
  tally: QuorumTally,
  disclosed: readonly Disclosed[],
  bundles: number,
  k: number,
  where: Where,
): readonly Finding[] {
  const findings: Finding[] = [];
  const find = (message: string, expected?: string, actual?: string) =>
    findings.push(
      catalogue.find('evidence/quorum-count', message, {
        where,
        ...(expected === undefined ? {} : { expected }),
        ...(actual === undefined ? {} : { actual }),
      }),
    );
  const listed = tally.votes ?? [];
  // 4. A vote whose bundle could not be used is missing, which is reported where it was read.
  const unusable = disclosed.some(({ vote }) => vote === undefined);
  const decisions = new Map(
    disclosed.flatMap(({ vote }) => (vote === undefined ? [] : [[vote.voter, vote.decision] as const])),
  );
  const seen = new Set<string>();
  for (const { voter, decision } of listed) {
    if (seen.has(voter)) find(`the tally lists the voter ${JSON.stringify(voter)} twice`);
    seen.add(voter);
    const shown = decisions.get(voter);
    if (shown === undefined) {
      if (!unusable) find(`the vote of ${JSON.stringify(voter)} is listed and not disclosed`);
    } else if (shown !== decision)
      find(
        `the vote of ${JSON.stringify(voter)} is disclosed with another decision than the tally lists`,
        decision,
        shown,
      );
  }
  // 5.
  if (bundles !== listed.length || tally.total !== listed.length)
    find(
      'the votes given, the votes listed and the total are not one number',
      `${listed.length} listed`,
      `${bundles} given, total ${tally.total}`,
    );
  // 6. and 7.
  const most = mostVoted(tally);
  if (most === undefined || most.decision !== tally.decision || most.count !== tally.votes_for)
    find(
      'the decision or its count does not follow from the votes',
      most === undefined ? 'no vote' : `${most.decision} with ${most.count}`,
      `${tally.decision} with ${tally.votes_for}`,
    );
  if (most?.tied === true) find('another decision has as many votes');
  // 8.
  if (tally.votes_for < k)
    find('the decision has fewer votes than are needed', `at least ${k}`, String(tally.votes_for));
  return findings;
}

/** The decision with the most votes, the smallest by bytes on a tie. */
function mostVoted(tally: QuorumTally): { decision: string; count: number; tied: boolean } | undefined {
  const counts = new Map<string, number>();
  for (const { decision } of tally.votes ?? []) counts.set(decision, (counts.get(decision) ?? 0) + 1);
  let best: { decision: string; count: number; tied: boolean } | undefined;
  for (const [decision, count] of counts) {
    if (best === undefined || count > best.count) best = { decision, count, tied: false };
    else if (count === best.count)
      best = { decision: compareUtf8(decision, best.decision) < 0 ? decision : best.decision, count, tied: true };
  }
  return best;
}
