/**
 * The formats of artifacts inside artifacts. They are looked at before anything else, at every depth: where one is another version's, its
 * rules are not known and nothing of the whole is judged (audit spec 0.3, 4.8 step 1, 4.10 step 1, 4.11 step 1).
 */
import type { Finding, Where } from '../finding/finding.ts';
import { HEAD_FORMAT, type TreeHead } from '../log/head.ts';
import { FORMAT } from './formats.ts';
import { below, formatFinding } from './place.ts';
import type { CurrentGrantProof, EvidencePackage, ProofBundle, RunCertificate } from './shapes.ts';

function one(artifact: string, expected: string, actual: string, where: Where): readonly Finding[] {
  const finding = formatFinding(artifact, expected, actual, where);
  return finding === undefined ? [] : [finding];
}

export function headFormats(head: TreeHead, where: Where): readonly Finding[] {
  return one('tree head', HEAD_FORMAT, head.format, where);
}

export function proofFormats(bundle: ProofBundle, where: Where): readonly Finding[] {
  const own = one('proof bundle', FORMAT.proof, bundle.format, where);
  return own.length > 0 ? own : headFormats(bundle.sth, below(where, 'sth'));
}

export function currentGrantFormats(proof: CurrentGrantProof, where: Where): readonly Finding[] {
  const own = one('current-grant proof', FORMAT.currentGrant, proof.format, where);
  return own.length > 0 ? own : proofFormats(proof.leaf, below(where, 'leaf'));
}

export function runCertificateFormats(certificate: RunCertificate, where: Where): readonly Finding[] {
  const own = one('run certificate', FORMAT.runCertificate, certificate.format, where);
  if (own.length > 0) return own;
  return [
    ...headFormats(certificate.sth, below(where, 'sth')),
    ...headFormats(certificate.used_policy_absence, below(where, 'used_policy_absence')),
    ...(certificate.convergence ?? []).flatMap((entry, i) => [
      ...proofFormats(entry.policy_leaf, below(where, 'convergence', i, 'policy_leaf')),
      ...proofFormats(entry.certificate, below(where, 'convergence', i, 'certificate')),
    ]),
  ];
}

export function packageFormats(evidence: EvidencePackage, where: Where): readonly Finding[] {
  const own = one('evidence package', FORMAT.package, evidence.format, where);
  if (own.length > 0) return own;
  const { grants, run_certificate: certificate, consistency } = evidence;
  return [
    ...headFormats(evidence.sth, below(where, 'sth')),
    ...(evidence.actions ?? []).flatMap((action, i) =>
      proofFormats(action.bundle, below(where, 'actions', i, 'bundle')),
    ),
    ...(grants?.anchored ?? []).flatMap((bundle, i) => proofFormats(bundle, below(where, 'grants', 'anchored', i))),
    ...(certificate === null ? [] : runCertificateFormats(certificate, below(where, 'run_certificate'))),
    ...(consistency === null ? [] : headFormats(consistency.from, below(where, 'consistency', 'from'))),
  ];
}
