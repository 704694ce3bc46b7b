/**
 * Reasons of certificate-bound decisions in the order in which they are reported, with their class (approver-identity 7.3) and the term of
 * EN 319 102-1 that says the same.
 */
import type { Reason } from '../approval/reasons.ts';

export type IdentityReason = Extract<
  Reason,
  | 'no_cert'
  | 'cert_chain'
  | 'cert_identity'
  | 'cert_usage'
  | 'cert_window'
  | 'alg'
  | 'bad_sig'
  | 'revoked'
  | 'status_unknown'
  | 'status_stale'
  | 'no_covering_head'
  | 'head_times'
>;

/** `permanent`: never counts; `wait`: more evidence can cure it; `integrity`: the log contradicts itself. */
export type ReasonClass = 'permanent' | 'wait' | 'integrity';

interface Row {
  readonly class: ReasonClass;
  /** Indication and sub-indication of EN 319 102-1. */
  readonly en: string;
}

/** Rows in order: of several reasons the first is reported. */
export const REASONS: Readonly<Record<IdentityReason, Row>> = {
  no_cert: { class: 'permanent', en: 'INDETERMINATE / NO_SIGNING_CERTIFICATE_FOUND' },
  cert_chain: { class: 'permanent', en: 'INDETERMINATE / NO_CERTIFICATE_CHAIN_FOUND' },
  cert_identity: { class: 'permanent', en: 'INDETERMINATE / SIG_CONSTRAINTS_FAILURE' },
  cert_usage: { class: 'permanent', en: 'INDETERMINATE / CHAIN_CONSTRAINTS_FAILURE' },
  cert_window: { class: 'permanent', en: 'INDETERMINATE / OUT_OF_BOUNDS_NO_POE' },
  alg: { class: 'permanent', en: 'INDETERMINATE / SIG_CONSTRAINTS_FAILURE' },
  bad_sig: { class: 'permanent', en: 'TOTAL-FAILED / SIG_CRYPTO_FAILURE' },
  revoked: { class: 'permanent', en: 'TOTAL-FAILED / REVOKED' },
  status_unknown: { class: 'wait', en: 'INDETERMINATE / TRY_LATER' },
  status_stale: { class: 'wait', en: 'INDETERMINATE / TRY_LATER' },
  no_covering_head: { class: 'wait', en: 'INDETERMINATE / NO_POE' },
  head_times: { class: 'integrity', en: 'INDETERMINATE / TIMESTAMP_ORDER_FAILURE' },
};

const ORDER = Object.keys(REASONS) as readonly IdentityReason[];

export interface Cause {
  readonly reason: IdentityReason;
  /** Our words and safe values; never text from a certificate (7.4). */
  readonly detail: string;
}

/** The cause that is reported. */
export function firstCause(causes: readonly Cause[]): Cause | undefined {
  return [...causes].sort((a, b) => ORDER.indexOf(a.reason) - ORDER.indexOf(b.reason))[0];
}

export type Tier = 'independent-final' | 'logclock-final' | 'provisional';

/** Tiers from the weakest up. */
export const TIERS: readonly Tier[] = ['provisional', 'logclock-final', 'independent-final'];

/** What EN 319 102-1 calls a decision that counts: without status from after the signature its revocation check asks to try later. */
export function countedTerm(basis: 'at-or-after-decision' | 'live-before-decision'): string {
  return basis === 'at-or-after-decision' ? 'TOTAL-PASSED' : 'INDETERMINATE / TRY_LATER';
}
