/** Why a decision record does not count (approvals 4.6), with the original's texts where they are known. */

export const REASON_TEXTS = {
  not_eligible: 'not an eligible approver',
  superseded: "superseded by the approver's earlier valid decision",
  no_key: 'no key for this approver',
  bad_sig: 'signature does not verify for this call',
  shared_key: "the approver's signing key also serves another approver",
  no_key_id: "the approver's verifier reports no key identity",
  alg: "signed under another scheme than the approver's key",
  no_decided_at:
    'no signed decision time: signed under an earlier decision format than bide.approval.v3, which this version does not accept',
  decided_at: 'the signed decision time is not in canonical form (2006-01-02T15:04:05.000Z)',
  requester: 'the approver asked for this run, or for a run above it, and the policy excludes who asked',
  no_requester:
    'the policy excludes the requester, and the run, or a run above it, records no requester principal in printable ASCII',
  late: "recorded after the gate's deadline (approval-deadline), or with no recorded time on a gate that has one",
  after_expiry: 'not counted: written after the gate expired',
  no_cert: 'the approver is certificate-bound and the decision carries no usable certificate chain',
  cert_chain:
    "the certificate chain does not verify to exactly one chain under this gate's trust anchors and pinned intermediates",
  cert_identity: "the certificate does not carry the approver's identity as its one identifier",
  cert_usage:
    'the certificate is not usable for approving (key usage, extended key usage, policy, key type or CA flag)',
  cert_window: "the decision time, or the time it became provable, is outside the certificate's validity",
  revoked: 'a certificate of the chain was revoked at or before the time the decision became provable',
  status_unknown: 'no usable revocation status covers a certificate of the chain',
  status_stale: 'the revocation status available is older than the policy allows',
  no_covering_head: 'no signed tree head covers the decision yet, so when it became provable is not known',
  head_times: 'the head that first covers the decision has a time contradicted by another head of the run',
  not_read_by_gate: 'not read by the gate: the recorded tally does not name it',
  not_evaluated: 'the approver is certificate-bound and nothing here can judge certificates',
} as const;

export type Reason = keyof typeof REASON_TEXTS;

/** A reason in words. */
export function reasonText(reason: Reason): string {
  return REASON_TEXTS[reason];
}
