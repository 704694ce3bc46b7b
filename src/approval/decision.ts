/**
 * The bytes that an approver signs (approvals 2.3 to 2.5), and signing them. Version 3 is the decision of an approver with a bare key,
 * version 4 that of a certificate-bound one; version 2 had no decision time, is recognised and never counts.
 */
import { concat, hex, u32, utf8 } from '../bytes/encoding.ts';
import { createSha256 } from '../crypto/sha256.ts';
import type { PrivateKey } from '../crypto/signature.ts';
import { parseTimestamp } from '../journal/timestamp.ts';
import { ambiguousArguments, argumentsDigest } from './arguments.ts';
import { isPrintableId } from './policy.ts';
import type { Subject } from './subject.ts';

const TAG_V2 = utf8('bide.approval.v2\n');
const TAG_V3 = utf8('bide.approval.v3\n');
const TAG_V4 = utf8('bide.approval.v4\n');

export interface Verdict {
  readonly approver: string;
  readonly approved: boolean;
  /** Canonical timestamp of journal 4.12, as it is signed. */
  readonly decidedAt: string;
}

function len32(bytes: Uint8Array): Uint8Array {
  return concat(u32(bytes.length), bytes);
}

/** Fields 2 to 7 of approvals 2.3. */
function fields(subject: Subject, approver: string, approved: boolean): Uint8Array {
  return concat(
    len32(utf8(subject.run)),
    len32(utf8(subject.call)),
    len32(utf8(subject.tool)),
    argumentsDigest(subject.args),
    len32(utf8(approver)),
    Uint8Array.of(approved ? 1 : 0),
  );
}

/** `bide.approval.v3`: what an approver with a bare key signs. */
export function decisionBytesV3(subject: Subject, verdict: Verdict): Uint8Array {
  return concat(TAG_V3, fields(subject, verdict.approver, verdict.approved), len32(utf8(verdict.decidedAt)));
}

/** `bide.approval.v4`: what a certificate-bound approver signs. `leafHash` is SHA-256 of the leaf certificate's DER. */
export function decisionBytesV4(subject: Subject, verdict: Verdict, leafHash: Uint8Array): Uint8Array {
  return concat(
    TAG_V4,
    fields(subject, verdict.approver, verdict.approved),
    len32(leafHash),
    len32(utf8(verdict.decidedAt)),
  );
}

/** `bide.approval.v2`: only to explain old records (approvals 2.5). */
export function decisionBytesV2(subject: Subject, verdict: Omit<Verdict, 'decidedAt'>): Uint8Array {
  return concat(TAG_V2, fields(subject, verdict.approver, verdict.approved));
}

/** A decision as it goes into a record (approvals 3.4 step 7). */
export interface SignedDecision extends Verdict {
  readonly call: string;
  readonly alg: string;
  readonly signature: Uint8Array;
}

/**
 * Signs a decision under a bare key (version 3).
 *
 * @returns the decision, or what of approvals 3.4 steps 1 and 2 it lacks, or why the arguments are ambiguous (2.1.2 trap 5).
 */
export function signDecision(
  subject: Subject,
  verdict: Verdict,
  key: PrivateKey,
): SignedDecision | { readonly problem: string } {
  if (subject.run === '' || subject.call === '') return { problem: 'a decision names the run and the call' };
  if (!isPrintableId(verdict.approver)) return { problem: 'the approver id is not printable ASCII without spaces' };
  if (parseTimestamp(verdict.decidedAt) === undefined)
    return { problem: 'the decision time is not of the form 2026-10-13T12:14:03.123Z' };
  if (verdict.decidedAt === '0001-01-01T00:00:00.000Z') return { problem: 'the decision time is the zero time' };
  const ambiguous = ambiguousArguments(subject.args);
  if (ambiguous !== undefined) return { problem: `the arguments would be read differently by others: ${ambiguous}` };
  return { ...verdict, call: subject.call, alg: key.scheme, signature: key.sign(decisionBytesV3(subject, verdict)) };
}

/** The 64 hex digits that this program puts into the name of a decision record (approvals 3.2, producer's rule). Opaque to a reader. */
export function decisionDigest(decision: SignedDecision, leafHash?: Uint8Array): string {
  const hash = createSha256()
    .update(Uint8Array.of(decision.approved ? 1 : 0))
    .update(len32(utf8(decision.alg)))
    .update(len32(utf8(decision.decidedAt)));
  if (leafHash !== undefined) hash.update(len32(leafHash));
  return hex(hash.digest());
}

/** The digits used when another record already holds that name. */
export function signatureDigest(decision: SignedDecision): string {
  const hash = createSha256()
    .update(Uint8Array.of(decision.approved ? 1 : 0))
    .update(len32(utf8(decision.alg)));
  return hex(hash.update(decision.signature).digest());
}
