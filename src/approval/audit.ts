/**
 * The offline check of one gate (approvals 8.2), over a whole journal or over selected evidence. Steps are numbered as there. Nothing
 * stops at the first problem: what does not depend on it is still checked.
 */
import type { Finding, Missing, Verdict } from '../finding/finding.ts';
import { names } from '../journal/names.ts';
import { boundByCount, compareCounts, countAll, reportChecks, reportUnread } from './auditCount.ts';
import { checkEffect } from './auditEffect.ts';
import {
  awareOfCertificates,
  checkKeys,
  checkOutcome,
  checkStoredPolicy,
  policyInForce,
  policyPart,
  reportPolicySource,
  runIsNamed,
} from './auditPolicy.ts';
import { Problems } from './auditProblems.ts';
import {
  checkDeadline,
  checkHolds,
  checkNotes,
  checkOrder,
  checkRequesters,
  disclosedDecisions,
} from './auditRecords.ts';
import { checkTally } from './auditTally.ts';
import { evaluateGate, isBound } from './gate.ts';
import type { CallRequest, GateIndex } from './gateIndex.ts';
import type { Expectation } from './gatePatterns.ts';
import type { Policy } from './policy.ts';
import { describePolicy } from './policy.ts';
import type { ReadTally, Recorded } from './recorded.ts';
import { identGeneration, recordedOutcome } from './recorded.ts';
import type { Count } from './tally.ts';
import { tallyApprovals } from './tally.ts';
import { passed } from './values.ts';
import type { DecisionJudge, Resolver } from './verifier.ts';

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
