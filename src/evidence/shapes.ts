/** The shapes of audit spec 4.2, members in their order of emission. One table serves strict reading and exact writing. */
import {
  bytes,
  formatted,
  int64,
  integer,
  list,
  map,
  nullable,
  object,
  omitEmpty,
  string,
  type ValueOf,
} from '../json/shape.ts';
import { consistencyShape, headShape, inclusionShape } from '../log/head.ts';
import { FORMAT } from './formats.ts';

export const proofShape = formatted('proof bundle', FORMAT.proof, {
  run_id: string,
  record_bytes: bytes,
  inclusion: inclusionShape,
  sth: headShape,
});
/** One record, its stored bytes, an inclusion proof and the signed head (audit spec 4.4). */
export type ProofBundle = ValueOf<typeof proofShape>;

const neighbourShape = object({ key: string, proof: inclusionShape });
const absenceProofShape = object({
  key: string,
  size: integer,
  left: omitEmpty(nullable(neighbourShape)),
  right: omitEmpty(nullable(neighbourShape)),
});
export const absenceShape = formatted('absence bundle', FORMAT.absence, {
  run_id: string,
  absence: absenceProofShape,
  sth: headShape,
});
/** Proof that a key is not in a signed key set (audit spec 4.5). */
export type AbsenceBundle = ValueOf<typeof absenceShape>;

export const eventInclusionShape = formatted('event inclusion proof', FORMAT.eventInclusion, {
  salt: bytes,
  index: integer,
  size: integer,
  path: list(bytes),
});
/** Proof that an event is in a signed stream; the event travels beside it (audit spec 4.6). */
export type EventInclusion = ValueOf<typeof eventInclusionShape>;

const grantShape = object({
  id: string,
  issuer: string,
  subject: string,
  scope: omitEmpty(map(string)),
  not_after_unix: omitEmpty(int64),
  parent_ref: omitEmpty(string),
});
export type Grant = ValueOf<typeof grantShape>;
export const signedGrantShape = object({ grant: grantShape, alg: string, sig: bytes });
/** A grant with the signature of its issuer (audit spec 4.7). */
export type SignedGrant = ValueOf<typeof signedGrantShape>;
export { grantShape };

export const currentGrantShape = formatted('current-grant proof', FORMAT.currentGrant, {
  leaf: proofShape,
  consistency: consistencyShape,
});
/** Proof that a grant is a ledger's last one (audit spec 4.8). */
export type CurrentGrantProof = ValueOf<typeof currentGrantShape>;

const convergenceEntryShape = object({ digest: string, policy_leaf: proofShape, certificate: proofShape });
export const runCertificateShape = formatted('run certificate', FORMAT.runCertificate, {
  run_id: string,
  properties: list(string),
  used_policies: list(string),
  used_policy_absence: headShape,
  convergence: list(convergenceEntryShape),
  sth: headShape,
});
/** What policies a run was governed by (audit spec 4.10). */
export type RunCertificate = ValueOf<typeof runCertificateShape>;

const actionShape = object({ label: string, kind: string, ref: omitEmpty(string), bundle: proofShape });
export type EvidenceAction = ValueOf<typeof actionShape>;
const grantsShape = object({ chain: list(signedGrantShape), anchored: list(proofShape) });
const packageConsistencyShape = object({ from: headShape, proof: consistencyShape });
export const packageShape = formatted('evidence package', FORMAT.package, {
  run_id: string,
  label: omitEmpty(string),
  alg: string,
  public_key: bytes,
  sth: headShape,
  actions: list(actionShape),
  grants: omitEmpty(nullable(grantsShape)),
  run_certificate: omitEmpty(nullable(runCertificateShape)),
  consistency: omitEmpty(nullable(packageConsistencyShape)),
  signature: bytes,
});
/** One file for a reader: actions under one head, sealed by the log key (audit spec 4.11). */
export type EvidencePackage = ValueOf<typeof packageShape>;
