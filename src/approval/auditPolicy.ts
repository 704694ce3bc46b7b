/** Under which policy and keys a gate is counted (approvals 8.2 steps 1, 3, 4, 6 and 13). */
import { equalBytes } from '../bytes/encoding.ts';
import type { ReadableRecord } from '../journal/record.ts';
import type { GateAudit, GateAuditInput } from './audit.ts';
import type { Problems } from './auditProblems.ts';
import type { GateIndex } from './gateIndex.ts';
import type { Expectation } from './gatePatterns.ts';
import type { Policy, QuorumPolicy } from './policy.ts';
import { describePolicy, readStoredPolicy, validateKeys, writePolicy } from './policy.ts';
import type { ReadTally, Recorded } from './recorded.ts';
import { gateReask } from './recorded.ts';
import type { Tally } from './values.ts';
import { passed, predatesV3, tallyPolicyBytes } from './values.ts';
import type { Resolver, Verifier } from './verifier.ts';
import { CERTIFICATE_ALG } from './verifier.ts';

/** The expected policy; else what the records themselves name. */
export function policyInForce(
  expected: Expectation | undefined,
  tally: Tally | undefined,
  result: ReadableRecord | undefined,
): { readonly policy: Policy | undefined; readonly policyFrom: GateAudit['policyFrom'] } {
  if (expected?.policy != null) return { policy: expected.policy, policyFrom: 'trust' };
  if (tally !== undefined) return { policy: { kind: 'm-of-n', ...policyPart(tally) }, policyFrom: 'journal' };
  const stored = result?.record.approval === undefined ? undefined : readStoredPolicy(result.record.approval).policy;
  return { policy: stored, policyFrom: stored === undefined ? 'none' : 'journal' };
}

export function policyPart({ need, approvers, excludePrincipal }: Tally): Omit<QuorumPolicy, 'kind'> {
  return { need, approvers, excludePrincipal };
}

export function reportPolicySource(input: GateAuditInput, from: GateAudit['policyFrom'], problems: Problems): void {
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

/** Signatures are over the run id (step 3): of records whose run is not known nothing can be counted. */
export function runIsNamed(index: GateIndex, problems: Problems): boolean {
  if (index.journal.run !== '') return true;
  problems.decide('count', 'undecided');
  problems.need('count', 'the id of the run (--run ID): signatures are over it', 'whoever exported the records');
  return false;
}

/** Step 1: whether the policy can be counted. Without any key the checks say so one by one; only contradictions are reported here. */
export function checkKeys(
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

/** Steps 4 and 6: what a gate would not act on. */
export function checkOutcome(recorded: Recorded, outcome: ReadTally, policy: QuorumPolicy, problems: Problems): void {
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
export function checkStoredPolicy(
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

/**
 * The auditor's resolver, with approvers who signed with a certificate and have no bare key marked as such: without the means to judge
 * them their decisions are not evaluated, which is not the same as wrong (approvals 4.8).
 */
export function awareOfCertificates({ resolver, judge, index, call }: GateAuditInput): Resolver | undefined {
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
