/**
 * The counting rule (approvals 4), in the order in which it is written there. Pure: no clock, no storage. Deadline and requesters are
 * given, so that a caller can count over selected evidence.
 */
import type { Missing } from '../finding/finding.ts';
import type { Journal, ReadableRecord } from '../journal/record.ts';
import { parseTimestamp } from '../journal/timestamp.ts';
import { decisionBytesV2, decisionBytesV3 } from './decision.ts';
import type { QuorumPolicy } from './policy.ts';
import { foldApprover } from './policy.ts';
import type { Reason } from './reasons.ts';
import type { Subject } from './subject.ts';
import type { Deadline, RequesterReading, Tally } from './values.ts';
import { isLate, usableRequesters } from './values.ts';
import type { CertificateAnswer, DecisionJudge, Resolver, Verifier } from './verifier.ts';

export interface CountInput {
  readonly subject: Subject;
  /** Not validated here. */
  readonly policy: QuorumPolicy;
  readonly resolver: Resolver | undefined;
  /** The decision records of the call that are considered, in journal order: for a flow gate only those after its request. */
  readonly decisions: readonly ReadableRecord[];
  /** Read only where the policy excludes the requester. */
  readonly requesters: RequesterReading;
  readonly deadline?: Deadline | undefined;
  /** For certificate-bound approvers; without it their decisions are not evaluated. */
  readonly judge?: DecisionJudge | undefined;
  /** The journal that the judge looks into. */
  readonly journal?: Journal | undefined;
}

/** What became of one decision record. */
export interface Check {
  readonly name: string;
  readonly position: number;
  readonly approver: string;
  readonly approved: boolean;
  readonly counted: boolean;
  /** Undefined if it counts. */
  readonly reason?: Reason;
  /** More about the reason, in words that are safe to print. */
  readonly detail?: string;
  /** What would decide a decision that was not evaluated, where a judge said so. */
  readonly lacks?: Omit<Missing, 'claim'>;
  /** How sure the approver's identity is, of a counted certificate-bound decision. */
  readonly tier?: string;
}

export interface Count {
  readonly tally: Tally;
  readonly checks: readonly Check[];
  /** What a judge would have needed; empty when every decision was judged. */
  readonly notEvaluated: readonly string[];
}

/** Whether a record is a decision record of a call (approvals 0.4): nothing about its name is part of the test. */
export function isDecisionOf(record: ReadableRecord, call: string): boolean {
  return record.record.kind === 'approval' && record.record.toolUseId === call && record.record.approver !== '';
}

/** Counts the decisions on one call. */
export function tallyApprovals(input: CountInput): Count {
  const { policy, subject, deadline } = input;
  const eligible = new Set(policy.approvers);
  const approvers = [...eligible];
  const { verifiers, excluded } = seats(approvers, input.resolver);
  const requesters = policy.excludePrincipal ? excludeRequesters(approvers, input, verifiers, excluded) : [];

  const decided = new Set<string>();
  const notEvaluated: string[] = [];
  const checks: Check[] = [];
  const keyHashes = new Map<string, string>();
  for (const stored of input.decisions) {
    const { record } = stored;
    const { approver, approved } = record;
    const place = { name: stored.name, position: stored.position, approver, approved };
    let answer: CertificateAnswer | undefined;
    let detail: string | undefined;
    let lacks: Check['lacks'];
    const reason = ((): Reason | undefined => {
      // 1 to 4.
      if (!eligible.has(approver)) return 'not_eligible';
      if (decided.has(approver)) return 'superseded';
      const exclusion = excluded.get(approver);
      if (exclusion !== undefined) return exclusion;
      const verifier = verifiers.get(approver);
      if (verifier === undefined) return 'no_key';
      // 5. A certificate-bound approver is held to 7, 8 and 9, and then to the judge.
      const bound = verifier.certificateBound !== undefined;
      // 6.
      if (!bound && !acceptsAlg(verifier, record.approverAlg)) return 'alg';
      // 7 and 8.
      if (record.decidedAt === '') {
        if (!bound && isSignedUnderV2(subject, stored, verifier)) detail = 'signed under bide.approval.v2';
        return 'no_decided_at';
      }
      if (parseTimestamp(record.decidedAt) === undefined) return 'decided_at';
      // 9.
      if (isLate(record.recordedAt, deadline)) return 'late';
      if (bound) {
        if (!hasChain(stored)) return 'no_cert';
        answer = judged(input, stored, verifier);
        if (answer.verdict === 'not_evaluated') {
          notEvaluated.push(answer.missing);
          const { missing: item, who, from = null } = answer;
          if (who !== undefined) {
            lacks = { item, who, from };
            detail = `missing: ${item}`;
          }
          return 'not_evaluated';
        }
        if (answer.verdict === 'counts') return undefined;
        detail = answer.detail;
        return answer.reason;
      }
      // 10.
      const message = decisionBytesV3(subject, { approver, approved, decidedAt: record.decidedAt });
      const good = record.signature !== undefined && verifier.verify(message, record.signature, record.approverAlg);
      return good ? undefined : 'bad_sig';
    })();
    if (reason === undefined) decided.add(approver);
    if (answer?.verdict === 'counts') keyHashes.set(approver, answer.keyHash);
    checks.push({
      ...place,
      counted: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      ...(detail === undefined ? {} : { detail }),
      ...(lacks === undefined ? {} : { lacks }),
      ...(answer?.verdict === 'counts' && answer.tier !== undefined ? { tier: answer.tier } : {}),
    });
  }
  const settled = sharedLeafKeys(checks, keyHashes, decided);

  const by = (verdict: boolean) => settled.filter((c) => c.counted && c.approved === verdict).map((c) => c.approver);
  const [approvedBy, deniedBy] = [by(true), by(false)];
  return {
    checks: settled,
    notEvaluated,
    tally: {
      need: policy.need,
      approvers: policy.approvers,
      approved: approvedBy.length,
      denied: deniedBy.length,
      approvedBy,
      deniedBy,
      pending: approvers.filter((approver) => !excluded.has(approver) && !decided.has(approver)),
      excluded: approvers.filter((approver) => excluded.has(approver)),
      excludePrincipal: policy.excludePrincipal,
      requesters,
      records: input.decisions.map(({ name }) => name),
      decisionFormat: '',
      supersedes: '',
      expired: false,
      expiresAt: '',
    },
  };
}

/** Seats (approvals 4.2): who can decide at all, and who is out because of a key. */
function seats(
  approvers: readonly string[],
  resolver: Resolver | undefined,
): { readonly verifiers: ReadonlyMap<string, Verifier>; readonly excluded: Map<string, Reason> } {
  const verifiers = new Map<string, Verifier>();
  const excluded = new Map<string, Reason>();
  const owners = new Map<string, string>();
  for (const approver of approvers) {
    const verifier = resolver?.(approver);
    if (verifier === undefined) continue;
    verifiers.set(approver, verifier);
    if (verifier.keyIds.length === 0 || verifier.keyIds.includes('')) {
      excluded.set(approver, 'no_key_id');
      continue;
    }
    for (const id of verifier.keyIds) {
      const owner = owners.get(id);
      if (owner === undefined) owners.set(id, approver);
      else if (owner !== approver) {
        excluded.set(owner, 'shared_key');
        excluded.set(approver, 'shared_key');
      }
    }
  }
  return { verifiers, excluded };
}

/** Requesters (approvals 4.3). Adds to `excluded`; gives the requesters that the tally names. */
function excludeRequesters(
  approvers: readonly string[],
  { requesters: reading, judge }: CountInput,
  verifiers: ReadonlyMap<string, Verifier>,
  excluded: Map<string, Reason>,
): readonly string[] {
  const requesters = usableRequesters(reading);
  const folded = new Set(requesters?.map(foldApprover));
  const people = new Set(requesters?.map((requester) => judge?.identifierOf?.(requester)));
  for (const approver of approvers) {
    if (excluded.has(approver)) continue;
    if (requesters === undefined) excluded.set(approver, 'no_requester');
    else {
      const person = verifiers.get(approver)?.identifier;
      if (folded.has(foldApprover(approver)) || (person !== undefined && people.has(person)))
        excluded.set(approver, 'requester');
    }
  }
  return requesters ?? [];
}

/** An old record, explained and never counted (approvals 2.5). */
function isSignedUnderV2(subject: Subject, { record }: ReadableRecord, verifier: Verifier): boolean {
  const { approver, approved, signature, approverAlg } = record;
  if (signature === undefined) return false;
  return verifier.verify(decisionBytesV2(subject, { approver, approved }), signature, approverAlg);
}

function acceptsAlg(verifier: Verifier, alg: string): boolean {
  return alg === verifier.alg || verifier.otherAlgs?.includes(alg) === true;
}

/** Bounds of a chain, whatever a policy adds (approver-identity 3.1). */
const MAX_CERTIFICATES = 8;
const MAX_CERTIFICATE_BYTES = 16_384;

function hasChain({ record }: ReadableRecord): boolean {
  const chain = record.approverCert ?? [];
  return (
    chain.length > 0 &&
    chain.length <= MAX_CERTIFICATES &&
    chain.every((der) => der.length > 0 && der.length <= MAX_CERTIFICATE_BYTES)
  );
}

function judged(input: CountInput, record: ReadableRecord, verifier: Verifier): CertificateAnswer {
  if (input.judge === undefined || input.journal === undefined)
    return { verdict: 'not_evaluated', missing: `the means to judge the certificate of ${record.record.approver}` };
  return input.judge.judge({ journal: input.journal, subject: input.subject, record, verifier });
}

/** Two counted decisions of different approvers under one leaf key: neither counts (approver-identity 16 rule 2). */
function sharedLeafKeys(
  checks: readonly Check[],
  keyHashes: ReadonlyMap<string, string>,
  decided: Set<string>,
): readonly Check[] {
  const holders = new Map<string, string[]>();
  for (const [approver, hash] of keyHashes) holders.set(hash, [...(holders.get(hash) ?? []), approver]);
  const fallen = new Set([...holders.values()].filter((list) => list.length > 1).flat());
  if (fallen.size === 0) return checks;
  for (const approver of fallen) decided.delete(approver);
  return checks.map((check) =>
    check.counted && fallen.has(check.approver) ? { ...check, counted: false, reason: 'shared_key' } : check,
  );
}

/** The tally that a gate journals of a count that ended (approvals 5.1). */
export function terminalTally(
  count: Count,
  more: { readonly supersedes?: string; readonly deadline?: Deadline | undefined; readonly expired?: boolean } = {},
): Tally {
  return {
    ...count.tally,
    decisionFormat: 'bide.approval.v3',
    supersedes: more.supersedes ?? '',
    expired: more.expired ?? false,
    expiresAt: more.deadline?.status === 'read' ? more.deadline.expiresAt : '',
  };
}
