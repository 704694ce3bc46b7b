/** What a producer checks before it writes a decision record (approvals 3.3 and 3.4). Pure: it reads the journal's records, and writes none. */
import { equalBytes } from '../bytes/encoding.ts';
import { names } from '../journal/names.ts';
import type { JournalRecord, ReadableRecord } from '../journal/record.ts';
import { EMPTY_RECORD } from '../journal/record.ts';
import { formatTimestamp, parseTimestamp } from '../journal/timestamp.ts';
import type { Instant } from '../time/instant.ts';
import type { SignedDecision } from './decision.ts';
import { decisionBytesV3, decisionDigest, signatureDigest } from './decision.ts';
import type { GateIndex } from './gateIndex.ts';
import { isPrintableId } from './policy.ts';
import { recordedOutcome } from './recorded.ts';
import { isLate } from './values.ts';
import type { Resolver } from './verifier.ts';

export type Submission =
  /** To be written under its name. */
  | { readonly outcome: 'write'; readonly record: JournalRecord }
  /** The same decision is on record: nothing is to be done. */
  | { readonly outcome: 'held'; readonly name: string }
  | { readonly outcome: 'refused'; readonly problem: string };

export interface SubmissionInput {
  readonly index: GateIndex;
  readonly decision: SignedDecision;
  readonly now: Instant;
  /** Checks the decision against the journal too (approvals 3.4 step 6); without it a signature is not looked at. */
  readonly resolver?: Resolver;
}

/** The first record that holds exactly this decision (approvals 3.3). Held does not mean valid. */
export function heldDecision(index: GateIndex, decision: SignedDecision): ReadableRecord | undefined {
  return index
    .decisions(decision.call)
    .find(
      (record) => sameDecision(record, decision) && equalBytes(record.record.signature ?? NONE, decision.signature),
    );
}

const NONE = new Uint8Array();

/** Approver, verdict, scheme and time are equal; the signature need not be. */
function sameDecision({ record }: ReadableRecord, decision: SignedDecision): boolean {
  return (
    record.approver === decision.approver &&
    record.approved === decision.approved &&
    record.approverAlg === decision.alg &&
    record.decidedAt === decision.decidedAt &&
    record.approverCert === undefined
  );
}

/** Approvals 3.4 for an approver with a bare key, in the order of its steps. */
export function submitDecision({ index, decision, now, resolver }: SubmissionInput): Submission {
  const refused = (problem: string): Submission => ({ outcome: 'refused', problem });
  const { call, approver } = decision;
  // 1 and 2.
  if (call === '' || decision.alg === '' || decision.signature.length === 0)
    return refused('a decision names its call and its scheme, and is signed');
  if (!isPrintableId(approver)) return refused('the approver id is not printable ASCII without spaces');
  if (parseTimestamp(decision.decidedAt) === undefined || decision.decidedAt === '0001-01-01T00:00:00.000Z')
    return refused('the decision time is not of the form 2026-10-13T12:14:03.123Z');
  const recordedAt = formatTimestamp(now);
  if (recordedAt === undefined) return refused('the clock is outside the years 1 to 9999');
  // 4.
  if (recordedOutcome(index, call, false).outcome?.tally.expired === true || isLate(recordedAt, index.deadline(call)))
    return refused('approval expired');
  // 5.
  const request = index.request(call);
  if (call.startsWith('node:') && request === undefined)
    return refused('the flow node has not asked for an approval yet');
  const after = request?.flow === true ? request.position : -1;
  const early = index.decisions(call).find((record) => record.position < after && sameDecision(record, decision));
  if (early !== undefined) return refused('the same decision stands before the request; sign again at a new time');
  // 6.
  const same = index.decisions(call, after).find((record) => sameDecision(record, decision));
  if (resolver !== undefined) {
    const problem = invalid({ index, decision, resolver }, after);
    if (problem !== undefined) return refused(problem);
    if (same !== undefined) return { outcome: 'held', name: same.name };
  }
  const held = heldDecision(index, decision);
  if (held !== undefined && held.position > after) return { outcome: 'held', name: held.name };
  // 7.
  const name = names.signedDecision(call, approver, decisionDigest(decision));
  const free =
    index.byName(name) === undefined ? name : names.signedDecision(call, approver, signatureDigest(decision));
  if (index.byName(free) !== undefined) return refused('both names that the decision can have are taken');
  return {
    outcome: 'write',
    record: {
      ...EMPTY_RECORD,
      name: free,
      kind: 'approval',
      toolUseId: call,
      approved: decision.approved,
      approver,
      approverAlg: decision.alg,
      signature: decision.signature,
      decidedAt: decision.decidedAt,
      recordedAt,
    },
  };
}

/** Why a decision cannot count on the call as recorded, or is a second one of its approver. */
function invalid(
  { index, decision, resolver }: Required<Pick<SubmissionInput, 'index' | 'decision' | 'resolver'>>,
  after: number,
): string | undefined {
  const request = index.request(decision.call);
  if (request === undefined) return 'invalid approval: no such call';
  const verifier = resolver(decision.approver);
  if (verifier === undefined) return 'invalid approval: the approver is not known';
  const good = (alg: string, approved: boolean, decidedAt: string, signature: Uint8Array | undefined) =>
    (alg === verifier.alg || verifier.otherAlgs?.includes(alg) === true) &&
    signature !== undefined &&
    parseTimestamp(decidedAt) !== undefined &&
    verifier.verify(
      decisionBytesV3(request.subject, { approver: decision.approver, approved, decidedAt }),
      signature,
      alg,
    );
  if (!good(decision.alg, decision.approved, decision.decidedAt, decision.signature))
    return 'invalid approval: the signature does not verify for this call';
  const other = index
    .decisions(decision.call, after)
    .find(
      (record) =>
        record.record.approver === decision.approver &&
        !sameDecision(record, decision) &&
        good(record.record.approverAlg, record.record.approved, record.record.decidedAt, record.record.signature),
    );
  return other === undefined ? undefined : 'already decided';
}
