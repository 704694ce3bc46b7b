/**
 * What an approver's decisions are checked with (approvals 4.1), and the door through which certificate-bound decisions are judged by the
 * module that knows certificates (approvals 4.8).
 */
import type { PublicKey } from '../crypto/signature.ts';
import type { Journal, ReadableRecord } from '../journal/record.ts';
import type { Trust } from '../trust/trust.ts';
import type { Reason } from './reasons.ts';
import type { Subject } from './subject.ts';

/** Checks decisions of one approver. */
export interface Verifier {
  /** A scheme of audit spec 0.8, or `x509` for a certificate-bound approver. */
  readonly alg: string;
  /** Key identities; a verifier without them seats nobody (approvals 4.2). */
  readonly keyIds: readonly string[];
  /** Other schemes that a decision may be journaled under: an approver whose key was rotated to another scheme. */
  readonly otherAlgs?: readonly string[];
  /**
   * Whether the signature is good over the message. Not asked of a certificate-bound approver.
   *
   * @param alg the scheme that the record names; `alg` or one of `otherAlgs`.
   */
  verify(message: Uint8Array, signature: Uint8Array, alg?: string): boolean;
  /** The canonical identifier of the person, where an identity map names them. */
  readonly identifier?: string;
  /** Present on a certificate-bound approver. */
  readonly certificateBound?: { readonly rosterDigest: string };
}

/** Approver id, exact bytes, to verifier; undefined for an approver that is not known. */
export type Resolver = (approver: string) => Verifier | undefined;

/** The scheme name that a certificate-bound approver reports. */
export const CERTIFICATE_ALG = 'x509';

/** A verifier that accepts a signature under any of one approver's keys, each under its own scheme. Undefined without a key. */
export function keyVerifier(keys: readonly PublicKey[]): Verifier | undefined {
  const [first] = keys;
  if (first === undefined) return undefined;
  const otherAlgs = [...new Set(keys.map((key) => key.scheme))].filter((scheme) => scheme !== first.scheme);
  return {
    alg: first.scheme,
    keyIds: keys.flatMap((key) => key.identities),
    verify: (message, signature, alg = first.scheme) =>
      keys.some((key) => key.scheme === alg && key.verify(signature, message)),
    ...(otherAlgs.length === 0 ? {} : { otherAlgs }),
  };
}

/** The resolver of a trust file's `approvers`; undefined when it names none. */
export function trustResolver(trust: Trust): Resolver | undefined {
  if (trust.approvers.length === 0) return undefined;
  const keys = new Map<string, PublicKey[]>();
  for (const { approver, key } of trust.approvers) keys.set(approver, [...(keys.get(approver) ?? []), key]);
  const verifiers = new Map([...keys].map(([approver, own]) => [approver, keyVerifier(own)]));
  return (approver) => verifiers.get(approver);
}

/** What a judge is asked: one decision record of one certificate-bound approver on one call. */
export interface CertificateQuestion {
  readonly journal: Journal;
  readonly subject: Subject;
  readonly record: ReadableRecord;
  readonly verifier: Verifier;
}

/** What it answers. `not_evaluated` says that the means to judge are missing: the gate is then undecided, never verified. */
export type CertificateAnswer =
  | { readonly verdict: 'counts'; readonly tier?: string; readonly basis?: string; readonly keyHash: string }
  | { readonly verdict: 'does_not_count'; readonly reason: Reason; readonly detail: string }
  | {
      readonly verdict: 'not_evaluated';
      readonly missing: string;
      /** Who can supply it, and from when it can exist, where the judge knows. */
      readonly who?: string;
      readonly from?: string | null;
    };

/**
 * Judges certificate-bound decisions (approver-identity 7). `src/identity` implements it; whoever calls this module passes it in. Must be
 * pure and synchronous: signatures that can only be checked asynchronously are checked before.
 */
export interface DecisionJudge {
  /** The resolver over bare keys and the identity map together. */
  readonly resolver: Resolver;
  judge(question: CertificateQuestion): CertificateAnswer;
  /** The judge of one call, where policies and rosters differ from call to call; undefined where none applies to it. */
  forCall?(call: string): DecisionJudge | undefined;
  /** The canonical identifier that the configured mapping gives a requester; absent where there is no mapping (approver-identity 16 rule 3). */
  identifierOf?(requester: string): string | undefined;
}
