/**
 * The offline check of one gate (approvals 8.2), over a whole journal or over selected evidence. Steps are numbered as there. Nothing
 * stops at the first problem: what does not depend on it is still checked.
 */
import { equalBytes } from '../bytes/encoding.ts';
import type { Finding, Missing, Verdict } from '../finding/finding.ts';
import { names } from '../journal/names.ts';
import type { ReadableRecord } from '../journal/record.ts';
import { parseTimestamp } from '../journal/timestamp.ts';
import { checkEffect } from './auditEffect.ts';
import { checkTally } from './auditTally.ts';
import { catalogue } from './catalogue.ts';
import { evaluateGate, isBound } from './gate.ts';
import type { CallRequest, GateIndex } from './gateIndex.ts';
import type { Expectation } from './gatePatterns.ts';
import type { Policy, QuorumPolicy } from './policy.ts';
import { describePolicy, policyDifference, readStoredPolicy, sameList, validateKeys, writePolicy } from './policy.ts';
import { reasonText } from './reasons.ts';
import type { ReadTally, Recorded } from './recorded.ts';
import { gateReask, identGeneration, recordedOutcome } from './recorded.ts';
import type { Check, Count } from './tally.ts';
import { isDecisionOf, tallyApprovals } from './tally.ts';
import type { Deadline, Tally } from './values.ts';
import { passed, predatesV3, tallyPolicyBytes, usableRequesters } from './values.ts';
import type { DecisionJudge, Resolver, Verifier } from './verifier.ts';
import { CERTIFICATE_ALG } from './verifier.ts';

export interface GateAuditInput {
  readonly index: GateIndex;
  /** Tool-use id, or node key of a flow's gate. */
  readonly call: string;
  /** From the auditor, never from the evidence; undefined where none was given. */
  readonly expected: Expectation | undefined;
  /** The approvers' keys, from the auditor. */
  readonly resolver: Resolver | undefined;
  readonly judge?: DecisionJudge | undefined;
  /** A whole journal: what is not in it does not exist. */
  readonly whole: boolean;
}

/** How the gate stands after everything was looked at. */
export type GateEnd = 'passed' | 'denied' | 'expired' | 'waiting' | 'ungated' | 'unknown';

export interface GateAudit {
  readonly call: string;
  readonly tool: string;
  readonly request: CallRequest | undefined;
  readonly end: GateEnd;
  /** Whether a result or an attempt of the call is on record. */
  readonly ran: boolean;
  /** The policy that was counted under, and whose word it is. */
  readonly policy: Policy | undefined;
  readonly policyFrom: 'trust' | 'journal' | 'none';
  readonly outcome: ReadTally | undefined;
  /** The recount over the records that the outcome names; over all decisions where there is no outcome. */
  readonly count: Count | undefined;
  /** One verdict for each claim of a run's approvals; undefined where the gate has nothing to say on it. */
  readonly claims: { readonly count?: Verdict; readonly outcome?: Verdict; readonly disclosure?: Verdict };
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
}

/** Collects what the steps find, and what it does to each claim. */
export class Problems {
  readonly findings: Finding[] = [];
  readonly missing: Missing[] = [];
  readonly #claims = new Map<ClaimName, Verdict>();
  readonly call: string;
  constructor(call: string) {
    this.call = call;
  }

  add(
    claim: ClaimName,
    code: Parameters<typeof catalogue.find>[0],
    message: string,
    more: {
      readonly at?: { readonly name: string; readonly position: number } | undefined;
      readonly expected?: string;
      readonly actual?: string;
      readonly severity?: 'warning' | 'note';
    } = {},
  ): void {
    const { at, expected, actual, severity } = more;
    const finding = catalogue.find(code, message, {
      where: at === undefined ? { entry: this.call } : { entry: at.name, pointer: `/records/${at.position}` },
      ...(expected === undefined ? {} : { expected }),
      ...(actual === undefined ? {} : { actual }),
      ...(severity === undefined ? {} : { severity }),
    });
    this.findings.push(finding);
    // What cannot be used decides nothing; only what was read and does not hold fails a claim.
    if (finding.class !== 'none') this.decide(claim, finding.class === 'not_verified' ? 'failed' : 'undecided');
  }

  need(claim: ClaimName, item: string, who: string): void {
    this.missing.push({ claim, item, who, from: null });
  }

  decide(claim: ClaimName, verdict: Verdict): void {
    const before = this.#claims.get(claim);
    if (before === undefined || verdict === 'failed' || (verdict === 'undecided' && before === 'verified'))
      this.#claims.set(claim, verdict);
  }

  get claims(): GateAudit['claims'] {
    return Object.fromEntries(this.#claims) as GateAudit['claims'];
  }
}

export type ClaimName = 'count' | 'outcome' | 'disclosure';

/** Approvals 8.2 for one call. */
export function auditGate(input: GateAuditInput): GateAudit {
  const { index, call, expected } = input;
  const problems = new Problems(call);
  const request = index.request(call);
  const result = index.result(call);
  const attempts = index.attempts(call);
  const ran = result !== undefined || attempts.length > 0;
  const known = input.judge?.resolver ?? input.resolver;
  const resolver = awareOfCertificates(input);
  const misplaced = index.misplacedTallies(call);
  for (const record of misplaced)
    problems.add(
      'outcome',
      'approval/record-misplaced',
      `a record of kind ${record.record.kind} has the name of a count`,
      {
        at: record,
        expected: 'value',
        actual: record.record.kind,
      },
    );

  // 4, first half: the outcome, because the recorded policy is in it.
  const bound =
    isBound(expected?.policy ?? undefined, known) ||
    index.tallies(call).some(({ name }) => identGeneration(name, call) !== undefined);
  const recorded = recordedOutcome(index, call, bound);
  reportUnreadable(recorded, problems);
  const { outcome } = recorded;
  const { policy, policyFrom } = policyInForce(expected, outcome?.tally, result);
  const base = { call, tool: request?.subject.tool ?? '', request, ran, policy, policyFrom, outcome };
  const done = (end: GateEnd, count?: Count): GateAudit => ({
    ...base,
    end,
    count,
    claims: problems.claims,
    findings: problems.findings,
    missing: problems.missing,
  });

  if (expected?.policy === null && outcome === undefined && recorded.unreadable.length === 0) return done('ungated');
  // 2: the request.
  if (request === undefined)
    problems.add('count', 'approval/request-missing', `nothing in the journal asks for ${JSON.stringify(call)}`);
  const after = request?.flow === true ? request.position : -1;
  const single = index.singleDecision(call, after);
  if (policy?.kind === 'single') {
    reportPolicySource(input, policyFrom, problems);
    checkStoredPolicy(result, policy, undefined, problems);
    if (outcome !== undefined)
      problems.add(
        'count',
        'approval/policy-differs',
        'the gate counted several approvers where one decision is expected',
        {
          at: outcome,
          expected: describePolicy(policy),
          actual: describePolicy({ kind: 'm-of-n', ...policyPart(outcome.tally) }),
        },
      );
    const end = checkEffect({ index, call, result, attempts, outcome, single, policy, problems });
    // One decision was asked for and one is there; who made it, an unsigned record cannot show.
    if (policyFrom === 'trust' && single !== undefined) problems.decide('count', 'verified');
    boundByCount(end, ran, undefined, problems);
    return done(end);
  }
  // Not a gated call, as far as anything shows.
  if (policy === undefined && !index.showsGate(call)) return done('ungated');

  // 1: the expected policy under the auditor's keys.
  const countable =
    policy === undefined || (runIsNamed(index, problems) && checkKeys(policy, policyFrom, known, problems));
  reportPolicySource(input, policyFrom, problems);
  const deadline = checkDeadline(input, outcome, problems);
  const end = checkEffect({ index, call, result, attempts, outcome, single, policy, problems });
  if (outcome === undefined || policy === undefined) {
    if (policy !== undefined && policyFrom === 'trust') checkStoredPolicy(result, policy, undefined, problems);
    const count =
      policy === undefined || request === undefined
        ? undefined
        : countAll(input, request, policy, resolver, deadline, after);
    if (count !== undefined) reportChecks(count.checks, problems);
    return done(end, count);
  }

  // 4, second half; 5; 6; 8.
  checkOutcome(recorded, outcome, policy, problems);
  checkTally(outcome, policy, policyFrom, problems);
  checkStoredPolicy(result, policy, outcome.tally, problems);
  // 7.
  const named = disclosedDecisions(input, outcome, problems);
  checkOrder(index, recorded, outcome, request, named, after, problems);
  // 9.
  if (policy.excludePrincipal) checkRequesters(index, outcome, request, expected, problems);
  // 11.
  const count =
    request === undefined || !countable
      ? undefined
      : tallyApprovals({
          subject: request.subject,
          policy,
          resolver,
          decisions: named,
          requesters: index.requesters,
          deadline,
          judge: input.judge,
          journal: index.journal,
        });
  if (count !== undefined) {
    compareCounts(outcome, count, problems);
    reportChecks(count.checks, problems);
  }
  if (countable) reportUnread(input, request, policy, resolver, deadline, outcome, after, problems);
  checkHolds(index, call, recorded, named, problems);
  checkNotes(index, call, outcome, problems);
  // 15.
  if (input.whole && request !== undefined) {
    const standing = evaluateGate({
      index,
      subject: request.subject,
      policy,
      resolver: known,
      judge: input.judge,
      after,
    });
    if (standing.status === 'misconfigured' && standing.error?.category === 'config' && policyFrom === 'trust')
      problems.add('count', 'approval/policy-invalid', `the gate cannot be evaluated: ${standing.error.message}`);
  }
  if (!input.whole && result === undefined && !(request?.flow === true && !passed(outcome.tally)))
    problems.add('disclosure', 'approval/result-missing', 'the evidence does not hold the result of the call', {
      expected: request?.flow === true ? call : names.tool(call),
    });
  problems.decide('disclosure', 'verified');
  problems.decide('outcome', 'verified');
  // Where no approval is asked for, a count that was made all the same is nothing to rely on.
  if (expected?.policy !== null) {
    problems.decide('count', 'verified');
    boundByCount(end, ran, count, problems);
  }
  return done(end, count);
}

/** The expected policy; else what the records themselves name. */
function policyInForce(
  expected: Expectation | undefined,
  tally: Tally | undefined,
  result: ReadableRecord | undefined,
): { readonly policy: Policy | undefined; readonly policyFrom: GateAudit['policyFrom'] } {
  if (expected?.policy != null) return { policy: expected.policy, policyFrom: 'trust' };
  if (tally !== undefined) return { policy: { kind: 'm-of-n', ...policyPart(tally) }, policyFrom: 'journal' };
  const stored = result?.record.approval === undefined ? undefined : readStoredPolicy(result.record.approval).policy;
  return { policy: stored, policyFrom: stored === undefined ? 'none' : 'journal' };
}

function policyPart({ need, approvers, excludePrincipal }: Tally): Omit<QuorumPolicy, 'kind'> {
  return { need, approvers, excludePrincipal };
}

/**
 * The auditor's resolver, with approvers who signed with a certificate and have no bare key marked as such: without the means to judge
 * them their decisions are not evaluated, which is not the same as wrong (approvals 4.8).
 */
function awareOfCertificates({ resolver, judge, index, call }: GateAuditInput): Resolver | undefined {
  if (judge !== undefined) return judge.resolver;
  const bound = new Map<string, Verifier>();
  for (const { record } of index.decisions(call)) {
    if (record.approverCert === undefined && record.approverAlg !== CERTIFICATE_ALG) continue;
    bound.set(record.approver, {
      alg: CERTIFICATE_ALG,
      keyIds: [`unjudged:${record.approver}`],
      verify: () => false,
      identifier: record.approver,
      certificateBound: { rosterDigest: '' },
    });
  }
  if (bound.size === 0) return resolver;
  return (approver) => resolver?.(approver) ?? bound.get(approver);
}

function reportUnreadable(recorded: Recorded, problems: Problems): void {
  for (const record of recorded.unreadable)
    problems.add('outcome', 'approval/tally-malformed', `the count does not read: ${record.problem}`, { at: record });
  for (const record of recorded.unplaced)
    problems.add('outcome', 'approval/tally-unplaced', 'the count has no place among those of the gate', {
      at: record,
      ...(record.tally.supersedes === '' ? {} : { actual: `supersedes ${record.tally.supersedes}` }),
    });
  for (const name of recorded.brokenChain)
    problems.add(
      'disclosure',
      'approval/superseded-missing',
      `the superseded count ${JSON.stringify(name)} is not there`,
      {
        at: recorded.outcome,
        expected: name,
      },
    );
}

/**
 * A call that ran on a recorded pass is as well approved as the recount says: where that does not pass, the call ran without an approval;
 * where it could not be made, nothing is shown about it.
 */
function boundByCount(end: GateEnd, ran: boolean, count: Count | undefined, problems: Problems): void {
  if (end !== 'passed' || !ran) return;
  const verdict = problems.claims.count;
  if (verdict === 'verified') return;
  const unchecked = count?.checks.some(({ reason }) => reason === 'no_key' || reason === 'not_evaluated') === true;
  if (verdict === 'failed' && count !== undefined && !passed(count.tally) && !unchecked) {
    const { approved, need } = count.tally;
    problems.add(
      'outcome',
      'approval/ran-without-approval',
      `${JSON.stringify(problems.call)} ran, and counted again from the signatures ${approved} of ${need} needed approvals stand`,
      { expected: `${need} approvals`, actual: String(approved) },
    );
  } else if (verdict !== 'failed' || count === undefined || unchecked) problems.decide('outcome', 'undecided');
}

/** Signatures are over the run id (step 3): of records whose run is not known nothing can be counted. */
function runIsNamed(index: GateIndex, problems: Problems): boolean {
  if (index.journal.run !== '') return true;
  problems.decide('count', 'undecided');
  problems.need('count', 'the id of the run (--run ID): signatures are over it', 'whoever exported the records');
  return false;
}

/** Step 1: whether the policy can be counted. Without any key the checks say so one by one; only contradictions are reported here. */
function checkKeys(
  policy: Policy,
  from: GateAudit['policyFrom'],
  resolver: Resolver | undefined,
  problems: Problems,
): boolean {
  const message = validateKeys(policy, resolver ?? (() => undefined));
  if (message === undefined) return true;
  const where = from === 'trust' ? 'the expected policy' : 'the recorded policy';
  problems.add('count', 'approval/policy-invalid', `${where} cannot be counted: ${message}`, {
    actual: describePolicy(policy),
  });
  problems.need('count', 'a policy and approver keys that fit together', 'you, in the trust file');
  return false;
}

function reportPolicySource(input: GateAuditInput, from: GateAudit['policyFrom'], problems: Problems): void {
  if (from === 'trust' || input.expected?.policy === null) return;
  problems.add(
    'count',
    'approval/policy-unknown',
    `no trust file says which policy ${JSON.stringify(input.call)} had to meet; the journal's own is used`,
  );
  problems.need(
    'count',
    `the policy that ${JSON.stringify(input.call)} had to meet (a gate in a trust file)`,
    'you, from the rules of the house',
  );
}

/** Steps 4 and 6: what a gate would not act on. */
function checkOutcome(recorded: Recorded, outcome: ReadTally, policy: QuorumPolicy, problems: Problems): void {
  const reask = gateReask(outcome.tally, policy.excludePrincipal);
  if (reask !== undefined)
    problems.add(
      'outcome',
      'approval/not-acted-on',
      reask === 'format'
        ? 'the count passed under a decision format that no gate acts on any more'
        : 'the count passed without excluding the requester, which the policy asks for',
      {
        at: outcome,
        actual: reask === 'format' ? outcome.tally.decisionFormat || 'no decision_format' : 'exclude_principal absent',
      },
    );
  else if (!passed(outcome.tally) && predatesV3(outcome.tally) && recorded.generation === undefined)
    problems.add('count', 'approval/tally-inconsistent', 'the count names no decision format that is accepted', {
      at: outcome,
      expected: 'bide.approval.v3',
      actual: outcome.tally.decisionFormat || 'none',
    });
}

/** Step 13. */
function checkStoredPolicy(
  result: ReadableRecord | undefined,
  policy: Policy,
  tally: Tally | undefined,
  problems: Problems,
): void {
  if (result?.record.approval === undefined) return;
  const stored = readStoredPolicy(result.record.approval);
  if (stored.problem !== undefined)
    problems.add(
      'outcome',
      'approval/stored-policy-contradictory',
      `the policy stored with the result: ${stored.problem}`,
      {
        at: result,
      },
    );
  if (stored.policy === undefined) return;
  const [found, wanted] = [
    writePolicy(stored.policy),
    tally === undefined ? writePolicy(policy) : tallyPolicyBytes(tally),
  ];
  if (!equalBytes(found, wanted))
    problems.add('outcome', 'approval/stored-policy-differs', 'the result was recorded under another policy', {
      at: result,
      expected: new TextDecoder().decode(wanted),
      actual: new TextDecoder().decode(found),
    });
}

/** Step 7: the decision records that the outcome names, in journal order; what is missing is reported. */
function disclosedDecisions(input: GateAuditInput, outcome: ReadTally, problems: Problems): readonly ReadableRecord[] {
  const { index, call } = input;
  const named: ReadableRecord[] = [];
  let before = -1;
  const seen = new Set<string>();
  for (const name of outcome.tally.records) {
    if (seen.has(name)) {
      problems.add('disclosure', 'approval/tally-inconsistent', `the count names ${JSON.stringify(name)} twice`, {
        at: outcome,
      });
      continue;
    }
    seen.add(name);
    const stored = index.byName(name);
    if (stored?.tombstone !== undefined)
      problems.add('disclosure', 'approval/decision-redacted', `the decision ${JSON.stringify(name)} was redacted`, {
        at: stored,
      });
    else if (stored === undefined || !isDecisionOf(stored, call)) {
      const redacted = index.tombstones > 0 && stored === undefined ? ' or was redacted' : '';
      problems.add(
        'disclosure',
        'approval/decision-omitted',
        `the decision ${JSON.stringify(name)} is not there${redacted}`,
        {
          at: outcome,
          expected: name,
        },
      );
    } else {
      if (stored.position < before)
        problems.add('disclosure', 'approval/order', 'the count does not name the decisions in journal order', {
          at: stored,
        });
      before = stored.position;
      named.push(stored);
    }
  }
  return named.sort((a, b) => a.position - b.position);
}

/** Step 5. */
function checkOrder(
  index: GateIndex,
  recorded: Recorded,
  outcome: ReadTally,
  request: CallRequest | undefined,
  named: readonly ReadableRecord[],
  after: number,
  problems: Problems,
): void {
  const before = (
    first: { readonly name: string; readonly position: number } | undefined,
    second: { readonly name: string; readonly position: number } | undefined,
    what: string,
  ) => {
    if (first === undefined || second === undefined || first.position < second.position) return;
    problems.add('outcome', 'approval/order', `${what}: ${second.name} stands before ${first.name}`, { at: second });
  };
  before(request, outcome, 'the count came before the call was asked for');
  for (const decision of named) {
    before(decision, outcome, 'the count names a decision that came after it');
    if (decision.position <= after)
      problems.add('outcome', 'approval/order', 'a decision counts that stands before the request of the flow node', {
        at: decision,
      });
  }
  const chain = [...recorded.superseded, outcome];
  for (const [i, tally] of chain.entries())
    before(tally, chain[i + 1], 'a count stands before the one that it supersedes');
  const deadline = index.deadline(problems.call);
  if (deadline !== undefined && deadline.position > outcome.position)
    problems.add('outcome', 'approval/order', 'the deadline was recorded after the count', { at: outcome });
}

/** Step 9. */
function checkRequesters(
  index: GateIndex,
  outcome: ReadTally,
  request: CallRequest | undefined,
  expected: Expectation | undefined,
  problems: Problems,
): void {
  const { requesters: reading } = index;
  for (const record of index.misplacedPrincipals)
    problems.add('count', 'approval/record-misplaced', `the principal is a record of kind ${record.record.kind}`, {
      at: record,
      expected: 'value',
      actual: record.record.kind,
    });
  const usable = usableRequesters(reading);
  if (reading.status !== 'read' || usable === undefined) {
    const why =
      reading.status === 'none'
        ? 'there is none'
        : reading.status === 'unreadable'
          ? reading.problem
          : 'a requester is missing or not printable ASCII';
    problems.add('count', 'approval/requester-unreadable', `the run's principal cannot be used: ${why}`);
    return;
  }
  if (request !== undefined && reading.position > request.position)
    problems.add('outcome', 'approval/order', 'the run\u2019s principal was recorded after the call was asked for', {
      at: { name: 'run:principal', position: reading.position },
    });
  if (!sameList(usable, outcome.tally.requesters))
    problems.add('count', 'approval/requester-differs', 'the count names other requesters than the run', {
      at: outcome,
      expected: usable.join(', '),
      actual: outcome.tally.requesters.join(', ') || 'none',
    });
  if (expected?.requester !== undefined && usable.at(-1) !== expected.requester)
    problems.add('count', 'approval/requester-differs', 'the run acts for somebody else than expected', {
      expected: expected.requester,
      actual: usable.at(-1) ?? 'nobody',
    });
}

/** Step 10. Gives the deadline that the recount goes by. */
function checkDeadline(
  input: GateAuditInput,
  outcome: ReadTally | undefined,
  problems: Problems,
): Deadline | undefined {
  const { index, call, expected, whole } = input;
  const deadline = index.deadline(call);
  const named = outcome?.tally.expiresAt ?? '';
  if (deadline === undefined) {
    if (outcome === undefined) return undefined;
    if (named === '' && expected?.timeoutMs === undefined) return undefined;
    if (whole || expected?.timeoutMs !== undefined) {
      problems.add(
        'disclosure',
        'approval/deadline-missing',
        'the gate has a deadline and the record of it is not there',
        {
          at: outcome,
          ...(named === '' ? {} : { actual: named }),
        },
      );
    }
    const instant = parseTimestamp(named);
    if (named === '') return undefined;
    if (instant === undefined)
      return { status: 'unreadable', position: -1, problem: 'the count names no canonical time' };
    return { status: 'read', position: -1, call, requestedAt: '', expiresAt: named, instant, timeoutMs: 0n };
  }
  if (deadline.status === 'unreadable') {
    problems.add('count', 'approval/deadline-unreadable', `the deadline of the gate: ${deadline.problem}`, {
      at: index.journal.records[deadline.position],
    });
    return deadline;
  }
  const at = { name: call, position: deadline.position };
  if (deadline.call !== call)
    problems.add('count', 'approval/deadline-differs', 'the record of the deadline names another call', {
      at,
      expected: call,
      actual: deadline.call || 'none',
    });
  const requested = parseTimestamp(deadline.requestedAt);
  if (requested === undefined || requested + deadline.timeoutMs * 1_000_000n !== deadline.instant)
    problems.add('count', 'approval/deadline-differs', 'the request time plus the timeout is not the deadline', {
      at,
      expected: `${deadline.requestedAt} + ${deadline.timeoutMs} ms`,
      actual: deadline.expiresAt,
    });
  if (outcome !== undefined && named !== deadline.expiresAt)
    problems.add('count', 'approval/deadline-differs', 'the count and the record of the deadline differ', {
      at: outcome,
      expected: deadline.expiresAt,
      actual: named || 'none',
    });
  if (expected?.timeoutMs !== undefined && expected.timeoutMs !== deadline.timeoutMs)
    problems.add('count', 'approval/timeout-differs', 'the gate had another timeout than expected', {
      at,
      expected: `${expected.timeoutMs} ms`,
      actual: `${deadline.timeoutMs} ms`,
    });
  return deadline;
}

/** Step 11: the lists in order, and everything else that the recount gives. */
function compareCounts(outcome: ReadTally, count: Count, problems: Problems): void {
  const [recorded, again] = [outcome.tally, count.tally];
  const differences: string[] = [];
  const lists = [
    ['approved_by', recorded.approvedBy, again.approvedBy],
    ['denied_by', recorded.deniedBy, again.deniedBy],
    ['pending', recorded.pending, again.pending],
    ['excluded', recorded.excluded, again.excluded],
    ['requesters', recorded.requesters, again.requesters],
  ] as const;
  for (const [name, found, wanted] of lists) {
    if (name === 'requesters' && !recorded.excludePrincipal) continue;
    if (!sameList(found, wanted)) differences.push(name);
  }
  if (recorded.approved !== again.approved) differences.push('approved');
  if (recorded.denied !== again.denied) differences.push('denied');
  const stands = recorded.expired || passed({ ...again, expired: false }) === passed(recorded);
  if (differences.length === 0 && stands) return;
  const unchecked = count.checks.filter(({ reason }) => reason === 'no_key' || reason === 'not_evaluated');
  const listed = new Set([...recorded.approvedBy, ...recorded.deniedBy]);
  const onlyUnchecked = unchecked.length > 0 && agreesIfChecked(recorded, count, new Set(unchecked));
  if (!onlyUnchecked) {
    problems.add(
      'count',
      'approval/count-differs',
      `the recount gives another ${differences.join(', ') || 'outcome'}`,
      {
        at: outcome,
        expected: inWords(again),
        actual: inWords(recorded),
      },
    );
    return;
  }
  for (const check of unchecked.filter(({ approver }) => listed.has(approver))) {
    const approver = JSON.stringify(check.approver);
    if (check.reason === 'no_key') {
      problems.add('count', 'approval/key-missing', `the decision of ${approver} cannot be checked: no key is known`, {
        at: check,
      });
      problems.need(
        'count',
        `the public key of approver ${approver} at the time`,
        `${check.approver}, or whoever keeps the approvers' keys`,
      );
    } else {
      problems.add('count', 'approval/certificate-not-evaluated', `the certificate of ${approver} was not judged`, {
        at: check,
      });
      problems.need(
        'count',
        `certificate policy, anchors, roster and status for ${approver}`,
        'whoever runs the approvers\u2019 PKI',
      );
    }
  }
}

/** Whether the recorded lists are what the recount would give if the decisions that could not be checked were good. */
function agreesIfChecked(recorded: Tally, count: Count, unchecked: ReadonlySet<Check>): boolean {
  const decided = new Set<string>();
  const by = { approved: [] as string[], denied: [] as string[] };
  for (const check of count.checks) {
    if (decided.has(check.approver) || !(check.counted || unchecked.has(check))) continue;
    decided.add(check.approver);
    by[check.approved ? 'approved' : 'denied'].push(check.approver);
  }
  const pending = count.tally.pending.filter((approver) => !decided.has(approver));
  return (
    sameList(by.approved, recorded.approvedBy) &&
    sameList(by.denied, recorded.deniedBy) &&
    sameList(pending, recorded.pending) &&
    sameList(count.tally.excluded, recorded.excluded) &&
    (!recorded.excludePrincipal || sameList(count.tally.requesters, recorded.requesters))
  );
}

function inWords(tally: Tally): string {
  const of = (list: readonly string[]) => (list.length === 0 ? 'nobody' : list.join(', '));
  return `approved by ${of(tally.approvedBy)}; denied by ${of(tally.deniedBy)}; pending ${of(tally.pending)}; excluded ${of(tally.excluded)}`;
}

/** Each decision that does not count, with its reason. */
function reportChecks(checks: readonly Check[], problems: Problems): void {
  for (const check of checks) {
    if (check.reason === undefined) continue;
    const verdict = check.approved ? 'approval' : 'denial';
    const suspicious = !['superseded', 'late', 'no_key', 'not_evaluated', 'not_eligible'].includes(check.reason);
    const detail = check.detail === undefined ? '' : ` (${check.detail})`;
    problems.add(
      'count',
      'approval/decision-uncounted',
      `the ${verdict} by ${JSON.stringify(check.approver)} does not count: ${reasonText(check.reason)}${detail}`,
      { at: check, actual: check.reason, ...(suspicious ? { severity: 'warning' as const } : {}) },
    );
  }
}

function countAll(
  { index, call, judge }: GateAuditInput,
  request: CallRequest,
  policy: QuorumPolicy,
  resolver: Resolver | undefined,
  deadline: Deadline | undefined,
  after: number,
  before = Number.POSITIVE_INFINITY,
): Count {
  return tallyApprovals({
    subject: request.subject,
    policy,
    resolver,
    decisions: index.decisions(call, after).filter(({ position }) => position < before),
    requesters: index.requesters,
    deadline,
    judge,
    journal: index.journal,
  });
}

/** Step 17: decisions before the outcome that it does not name, and whether they would have changed it. */
function reportUnread(
  input: GateAuditInput,
  request: CallRequest | undefined,
  policy: QuorumPolicy,
  resolver: Resolver | undefined,
  deadline: Deadline | undefined,
  outcome: ReadTally,
  after: number,
  problems: Problems,
): void {
  const read = new Set(outcome.tally.records);
  const generation = identGeneration(outcome.name, input.call) ?? 0;
  const unread = input.index
    .decisions(input.call, after)
    .filter(({ name, position }) => position < outcome.position && !read.has(name));
  // A later generation counts only what came after its hold: earlier decisions are no oversight.
  if (unread.length === 0 || request === undefined || generation > 0) return;
  const all = countAll(input, request, policy, resolver, deadline, after, outcome.position);
  const changes = !outcome.tally.expired && passed(all.tally) !== passed(outcome.tally);
  for (const decision of unread) {
    const approver = JSON.stringify(decision.record.approver);
    problems.add(
      'count',
      'approval/decision-not-read',
      `the count does not name the ${decision.record.approved ? 'approval' : 'denial'} by ${approver}${changes ? '; with it, the result would have been another' : ''}`,
      { at: decision, ...(changes ? { severity: 'warning' as const } : {}) },
    );
  }
}

/** Approver-identity 17 rule 4: a generation after a hold counts decisions after that hold. */
function checkHolds(
  index: GateIndex,
  call: string,
  recorded: Recorded,
  named: readonly ReadableRecord[],
  problems: Problems,
): void {
  const { generation, outcome } = recorded;
  if (generation === undefined || generation === 0 || outcome === undefined) return;
  const hold = index.holds(call).find((candidate) => candidate.generation === generation - 1);
  const counted = new Set([...outcome.tally.approvedBy, ...outcome.tally.deniedBy]);
  for (const decision of named) {
    if (hold !== undefined && decision.position < hold.position && counted.has(decision.record.approver))
      problems.add('count', 'approval/decision-before-hold', 'the count names a decision from before the hold', {
        at: decision,
      });
  }
}

/** Step 18: notes decide nothing; one that tells another policy is shown. */
function checkNotes(index: GateIndex, call: string, outcome: ReadTally, problems: Problems): void {
  const known = new Set(index.tallies(call).map(({ name }) => name));
  for (const note of index.notes(call)) {
    const supersedes = note.members.get('supersedes');
    const need = note.members.get('need');
    const approvers = note.members.get('approvers');
    const listed =
      approvers?.kind === 'array'
        ? approvers.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []))
        : undefined;
    if (supersedes?.kind === 'string' && !known.has(supersedes.value))
      problems.add('outcome', 'approval/note-contradicts', 'a re-ask note supersedes a count that is not there', {
        at: note,
        actual: supersedes.value,
      });
    const asked = {
      need: need?.kind === 'number' ? Number(need.text) : outcome.tally.need,
      approvers: listed ?? outcome.tally.approvers,
      excludePrincipal: note.members.get('exclude_principal')?.kind === 'true',
    };
    const difference = policyDifference(asked, { kind: 'm-of-n', ...policyPart(outcome.tally) });
    // A separation-of-duties re-ask follows a first note that did not exclude.
    const reasked = outcome.tally.supersedes !== '' && difference === 'exclude_principal';
    if (difference !== undefined && !reasked && (need !== undefined || listed !== undefined))
      problems.add('outcome', 'approval/note-contradicts', `a pause note differs from the count on ${difference}`, {
        at: note,
      });
  }
}
