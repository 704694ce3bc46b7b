/** Where a gate stands (approvals 6). Records nothing; the steps are numbered as there. */
import type { ReadableRecord } from '../journal/record.ts';
import type { GateIndex } from './gateIndex.ts';
import type { Policy, QuorumPolicy } from './policy.ts';
import { validateKeys, validatePolicy } from './policy.ts';
import type { Reask, Recorded } from './recorded.ts';
import { gateReask, recordedOutcome } from './recorded.ts';
import type { Subject } from './subject.ts';
import type { Check } from './tally.ts';
import { tallyApprovals } from './tally.ts';
import type { Deadline, Tally } from './values.ts';
import { isLate, passed, usableRequesters } from './values.ts';
import type { DecisionJudge, Resolver } from './verifier.ts';

export type GateStatus = 'waiting' | 'decided' | 'single' | 'ungated' | 'misconfigured';

export interface GateStanding {
  readonly status: GateStatus;
  /** Of a recorded outcome, or counted now; undefined where nothing was counted. */
  readonly tally?: Tally;
  /** Whether `tally` is the recorded outcome. */
  readonly recorded: boolean;
  readonly checks: readonly Check[];
  /** Why the gate asks again. */
  readonly reask?: Reask;
  readonly error?: { readonly category: 'config' | 'storage'; readonly message: string };
  readonly ran: boolean;
  readonly denied: boolean;
  readonly singleDecided: boolean;
  readonly singleApproved: boolean;
  readonly expired: boolean;
  readonly deadline?: Deadline;
  /** Certificate-bound decisions that nothing here could judge. */
  readonly notEvaluated: readonly string[];
}

export interface GateQuestion {
  readonly index: GateIndex;
  readonly subject: Subject;
  /** The policy in force now; undefined for none. */
  readonly policy: Policy | undefined;
  readonly resolver: Resolver | undefined;
  readonly judge?: DecisionJudge | undefined;
  /** Position of the request record of a flow gate: decisions count after it. */
  readonly after?: number | undefined;
}

/** The texts of a result that a gate refused (journal 5.3). */
export const DENIAL_TEXT = 'tool call denied by human';
export const EXPIRY_TEXT = 'tool call denied: the approval gate expired';

/** Whether a result says that the gate denied the call, or that it expired. */
export function denialOf(result: ReadableRecord | undefined): 'denied' | 'expired' | undefined {
  if (result === undefined || !result.record.isError || result.record.result === undefined) return undefined;
  const text = new TextDecoder().decode(result.record.result);
  if (text === JSON.stringify(DENIAL_TEXT)) return 'denied';
  return text === JSON.stringify(EXPIRY_TEXT) ? 'expired' : undefined;
}

/** Whether any approver of the policy is certificate-bound. */
export function isBound(policy: Policy | undefined, resolver: Resolver | undefined): boolean {
  if (policy?.kind !== 'm-of-n' || resolver === undefined) return false;
  return policy.approvers.some((approver) => resolver(approver)?.certificateBound !== undefined);
}

/** Approvals 6. */
export function evaluateGate(question: GateQuestion): GateStanding {
  const { index, subject, policy, resolver } = question;
  const { call } = subject;
  const after = question.after ?? -1;
  // 1.
  const deadline = index.deadline(call);
  const base: GateStanding = {
    status: 'waiting',
    recorded: false,
    checks: [],
    ran: false,
    denied: false,
    singleDecided: false,
    singleApproved: false,
    expired: false,
    notEvaluated: [],
    ...(deadline === undefined ? {} : { deadline }),
  };
  const bound = isBound(policy, resolver) || index.tallies(call).some(({ name }) => name.includes(':ident'));
  const recorded = recordedOutcome(index, call, bound);
  const single = index.singleDecision(call, after);
  const deniedSingly = single !== undefined && !single.record.approved;
  const outcome = recorded.outcome;
  const refused = outcome !== undefined && !passed(outcome.tally);
  const result = index.result(call);
  // 2.
  if (result !== undefined)
    return {
      ...base,
      status: 'decided',
      ran: true,
      denied: deniedSingly || refused || denialOf(result) !== undefined,
      ...(outcome === undefined ? {} : { tally: outcome.tally, recorded: true }),
      expired: outcome?.tally.expired === true,
    };
  const storage = unreadableError(recorded);
  // 3. A tally that does not read stops here: what it would have said is not known.
  if (!deniedSingly && storage !== undefined) return { ...base, status: 'misconfigured', error: storage };
  if (deniedSingly || refused) {
    const standing = { ...base, status: 'decided' as const, denied: true, expired: outcome?.tally.expired === true };
    if (outcome === undefined) return standing;
    return {
      ...standing,
      tally: outcome.tally,
      recorded: true,
      ...recount(question, recorded, policy, after, deadline),
    };
  }
  // 4 and 5.
  if (policy === undefined) return { ...base, status: 'ungated' };
  if (policy.kind === 'single')
    return {
      ...base,
      status: 'single',
      singleDecided: single !== undefined,
      singleApproved: single?.record.approved === true,
    };
  // 6.
  const error = misconfiguration(question, policy, resolver);
  if (error !== undefined) return { ...base, status: 'misconfigured', error: { category: 'config', message: error } };
  // 7.
  if (outcome !== undefined) {
    const reask = gateReask(outcome.tally, policy.excludePrincipal);
    if (reask === undefined)
      return {
        ...base,
        status: 'decided',
        tally: outcome.tally,
        recorded: true,
        ...recount(question, recorded, policy, after, deadline),
      };
    if (bound)
      return {
        ...base,
        status: 'misconfigured',
        error: {
          category: 'config',
          message: 'the recorded count did not exclude the requester and the policy now does; no re-ask can be named',
        },
      };
    const fresh = countNow(question, policy, after, deadline);
    return { ...base, ...fresh, tally: { ...fresh.tally, supersedes: outcome.name }, reask };
  }
  // 8.
  return {
    ...base,
    ...countNow(question, policy, after, deadline),
    ...(recorded.reask === undefined ? {} : { reask: recorded.reask }),
  };
}

function unreadableError(recorded: Recorded): GateStanding['error'] {
  const [first] = recorded.unreadable;
  if (first === undefined) return undefined;
  return { category: 'storage', message: `the tally ${JSON.stringify(first.name)} does not read: ${first.problem}` };
}

/** Step 6, a to d. */
function misconfiguration(
  { index, subject }: GateQuestion,
  policy: QuorumPolicy,
  resolver: Resolver | undefined,
): string | undefined {
  const invalid = validatePolicy(policy) ?? validateKeys(policy, resolver);
  if (invalid !== undefined) return invalid;
  if (!policy.excludePrincipal) return undefined;
  const { requesters } = index;
  const usable = usableRequesters(requesters);
  if (requesters.status !== 'read' || usable === undefined)
    return 'the policy excludes the requester and the run records no usable requester';
  const request = index.request(subject.call);
  if (request !== undefined && requesters.position > request.position)
    return 'the requester was recorded after the call was asked for';
  const count = tallyApprovals({ subject, policy, resolver, decisions: [], requesters });
  if (policy.need > policy.approvers.length - count.tally.excluded.length)
    return 'without the requester too few approvers are left';
  return undefined;
}

function countNow(
  { index, subject, resolver, judge }: GateQuestion,
  policy: QuorumPolicy,
  after: number,
  deadline: Deadline | undefined,
): { readonly tally: Tally; readonly checks: readonly Check[]; readonly notEvaluated: readonly string[] } {
  return tallyApprovals({
    subject,
    policy,
    resolver,
    decisions: index.decisions(subject.call, after),
    requesters: index.requesters,
    deadline,
    judge,
    journal: index.journal,
  });
}

/** The checks next to a recorded outcome: a recount in which what the tally never read does not count (step 7). */
function recount(
  question: GateQuestion,
  recorded: Recorded,
  policy: Policy | undefined,
  after: number,
  deadline: Deadline | undefined,
): { readonly checks: readonly Check[]; readonly notEvaluated: readonly string[] } {
  const { outcome } = recorded;
  if (outcome === undefined || policy?.kind !== 'm-of-n') return { checks: [], notEvaluated: [] };
  const read = new Set(outcome.tally.records);
  const { checks, notEvaluated } = countNow(question, policy, after, deadline);
  const recordedAt = new Map(
    question.index.decisions(question.subject.call).map((r) => [r.position, r.record.recordedAt]),
  );
  return {
    notEvaluated,
    checks: checks.map((check) => {
      if (read.has(check.name)) return check;
      const late = isLate(recordedAt.get(check.position) ?? '', deadline);
      if (outcome.tally.expired && !late) return { ...check, counted: false, reason: 'after_expiry' };
      return check.counted ? { ...check, counted: false, reason: 'not_read_by_gate' } : check;
    }),
  };
}
