/** The recount held against the recorded count, and what it means for a call that ran (approvals 8.2 steps 11, 12 and 17). */

import type { GateAuditInput, GateEnd } from './audit.ts';
import type { Problems } from './auditProblems.ts';
import type { CallRequest } from './gateIndex.ts';
import type { QuorumPolicy } from './policy.ts';
import { sameList } from './policy.ts';
import { reasonText } from './reasons.ts';
import type { ReadTally } from './recorded.ts';
import { identGeneration } from './recorded.ts';
import type { Check, Count } from './tally.ts';
import { tallyApprovals } from './tally.ts';
import type { Deadline, Tally } from './values.ts';
import { passed } from './values.ts';
import type { Resolver } from './verifier.ts';

/**
 * A call that ran on a recorded pass is as well approved as the recount says: where that does not pass, the call ran without an approval;
 * where it could not be made, nothing is shown about it.
 */
export function boundByCount(end: GateEnd, ran: boolean, count: Count | undefined, problems: Problems): void {
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

/** Step 11: the lists in order, and everything else that the recount gives. */
export function compareCounts(outcome: ReadTally, count: Count, problems: Problems): void {
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
  const unchecked = count.checks.filter(({ reason }) => reason === 'no_key' || reason === 'not_evaluated');
  const listed = new Set([...recorded.approvedBy, ...recorded.deniedBy]);
  if (differences.length === 0 && stands) {
    // The gate read these and did not count them; with the key, each may show that it had to.
    reportUnchecked(
      unchecked.filter(({ approver }) => !listed.has(approver)),
      problems,
    );
    return;
  }
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
  reportUnchecked(
    unchecked.filter(({ approver }) => listed.has(approver)),
    problems,
  );
}

/** Decisions without which the count stays open, each with what would decide it. */
function reportUnchecked(checks: readonly Check[], problems: Problems): void {
  for (const check of checks) {
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
      const { item, who, from } = check.lacks ?? {
        item: `certificate policy, anchors, roster and status for ${approver}`,
        who: 'whoever runs the approvers\u2019 PKI',
        from: null,
      };
      problems.need('count', item, who, from);
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
export function reportChecks(checks: readonly Check[], problems: Problems): void {
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

export function countAll(
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
export function reportUnread(
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
