/** Whether a recorded tally is the expected policy's and agrees with itself (approvals 8.2 steps 6 and 8). */
import type { GateAudit } from './audit.ts';
import type { Problems } from './auditProblems.ts';
import type { QuorumPolicy } from './policy.ts';
import { describePolicy, policyDifference } from './policy.ts';
import type { ReadTally } from './recorded.ts';
import type { Tally } from './values.ts';
import { passed, unreachable } from './values.ts';

export function checkTally(
  outcome: ReadTally,
  policy: QuorumPolicy,
  from: GateAudit['policyFrom'],
  problems: Problems,
): void {
  const { tally } = outcome;
  // 6.
  const difference = from === 'trust' ? policyDifference(tally, policy) : undefined;
  if (difference !== undefined)
    problems.add('count', 'approval/policy-differs', `the gate enforced another policy: ${difference}`, {
      at: outcome,
      expected: describePolicy(policy),
      actual: describePolicy({ kind: 'm-of-n', ...tally }),
    });
  // 8.
  for (const contradiction of contradictions(tally))
    problems.add('count', 'approval/tally-inconsistent', `the count contradicts itself: ${contradiction}`, {
      at: outcome,
    });
}

/** Approvals 8.2 step 8, and that a terminal tally is one: passed, expired or out of reach. */
export function contradictions(tally: Tally): readonly string[] {
  const found: string[] = [];
  const approvers = new Map(tally.approvers.map((approver, i) => [approver, i]));
  if (tally.approved !== tally.approvedBy.length)
    found.push(`${tally.approved} approvals and ${tally.approvedBy.length} names`);
  if (tally.denied !== tally.deniedBy.length) found.push(`${tally.denied} denials and ${tally.deniedBy.length} names`);
  const decided = [...tally.approvedBy, ...tally.deniedBy];
  if (new Set(decided).size !== decided.length) found.push('one approver decided twice');
  const everyone = [...decided, ...tally.pending, ...tally.excluded];
  if (new Set(everyone).size !== everyone.length && new Set(decided).size === decided.length)
    found.push('one approver has decided and is pending or excluded');
  for (const approver of everyone) {
    if (!approvers.has(approver)) found.push(`${JSON.stringify(approver)} is no approver`);
  }
  for (const [name, list] of [
    ['pending', tally.pending],
    ['excluded', tally.excluded],
  ] as const) {
    const places = list.map((approver) => approvers.get(approver) ?? -1);
    if (places.some((place, i) => i > 0 && place <= (places[i - 1] as number)))
      found.push(`"${name}" is not in the order of the policy`);
  }
  if (tally.expired && tally.expiresAt === '') found.push('it expired and names no deadline');
  if (!tally.expired && !passed(tally) && !unreachable(tally)) found.push('it ends a gate that was still open');
  if (tally.need < 1) found.push('it needs no approval at all');
  return found;
}
