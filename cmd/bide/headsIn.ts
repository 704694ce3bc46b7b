/** Every head that is reachable in an artifact, at any depth but not inside record bytes (audit spec 6.3). */
import type {
  AbsenceBundle,
  CurrentGrantProof,
  EvidencePackage,
  ProofBundle,
  RunCertificate,
} from '../../src/evidence/shapes.ts';
import type { AnchorEntry } from '../../src/log/anchor.ts';
import type { TreeHead } from '../../src/log/head.ts';
import type { PlacedHead } from './inputs.ts';

export const noHeads = (): readonly PlacedHead[] => [];

export const headItself = (head: TreeHead): readonly PlacedHead[] => [{ head, pointer: '' }];

export const headOfProof = (bundle: ProofBundle, at = ''): readonly PlacedHead[] => [
  { head: bundle.sth, pointer: `${at}/sth` },
];

export const headOfAbsence = (bundle: AbsenceBundle): readonly PlacedHead[] => [{ head: bundle.sth, pointer: '/sth' }];

export const headOfAnchorEntry = (entry: AnchorEntry): readonly PlacedHead[] =>
  entry.sth === null ? [] : [{ head: entry.sth, pointer: '/sth' }];

export const headOfCurrentGrant = (proof: CurrentGrantProof): readonly PlacedHead[] => headOfProof(proof.leaf, '/leaf');

export function headsOfRunCertificate(certificate: RunCertificate, at = ''): readonly PlacedHead[] {
  return [
    { head: certificate.sth, pointer: `${at}/sth` },
    { head: certificate.used_policy_absence, pointer: `${at}/used_policy_absence` },
    ...(certificate.convergence ?? []).flatMap((entry, i) => [
      ...headOfProof(entry.policy_leaf, `${at}/convergence/${i}/policy_leaf`),
      ...headOfProof(entry.certificate, `${at}/convergence/${i}/certificate`),
    ]),
  ];
}

export function headsOfPackage(evidence: EvidencePackage): readonly PlacedHead[] {
  const { run_certificate: certificate, consistency } = evidence;
  return [
    { head: evidence.sth, pointer: '/sth' },
    ...(evidence.actions ?? []).flatMap((action, i) => headOfProof(action.bundle, `/actions/${i}/bundle`)),
    ...(evidence.grants?.anchored ?? []).flatMap((bundle, i) => headOfProof(bundle, `/grants/anchored/${i}`)),
    ...(certificate === null ? [] : headsOfRunCertificate(certificate, '/run_certificate')),
    ...(consistency === null ? [] : [{ head: consistency.from, pointer: '/consistency/from' }]),
  ];
}
