/** `verify-run` and `verify-evidence`: run certificates and evidence packages (audit spec 4.10, 4.11, 6.5). */
import { utf8 } from '../../../src/bytes/encoding.ts';
import { HeadChecker } from '../../../src/evidence/heads.ts';
import { checkPackage, type PackageReport } from '../../../src/evidence/package.ts';
import { checkedCertificate } from '../../../src/evidence/policies.ts';
import { type ApprovedPolicies, checkRunCertificate } from '../../../src/evidence/runCertificate.ts';
import { type EvidencePackage, packageShape, runCertificateShape } from '../../../src/evidence/shapes.ts';
import type { KeyRing } from '../../../src/log/keyRing.ts';
import { CHECKER_FLAG, checkerOf } from '../checker.ts';
import { headsOfPackage, headsOfRunCertificate } from '../headsIn.ts';
import { Inputs } from '../inputs.ts';
import type { Session } from '../session.ts';
import type { Verb } from '../verb.ts';
import { PUBKEY_FLAG } from './proof.ts';

export const APPROVED_FLAGS = {
  approved: { kind: 'list', help: 'the digest of a policy that you approve; may be repeated' },
  'approved-file': { kind: 'string', help: 'a file of approved digests, one a line' },
} as const;

export const verifyRunVerb: Verb = {
  name: 'verify-run',
  summary: 'Checks a run certificate: only approved policies, each certified.',
  flags: {
    cert: { kind: 'string', help: 'the run certificate', required: true },
    ...PUBKEY_FLAG,
    ...APPROVED_FLAGS,
    ...CHECKER_FLAG,
  },
  usage: (flags) =>
    flags.has('approved') || flags.has('approved-file') ? undefined : '-approved or -approved-file is needed',
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const path = flags.text('cert');
    const certificate = inputs.artifact(path, runCertificateShape, headsOfRunCertificate);
    const ring = await inputs.ring();
    const approved = inputs.approved();
    if (certificate === undefined) return;
    // Where the allowlist could not be read, the certificate is checked against itself, so that tampering is still found.
    const allowed: ApprovedPolicies =
      typeof approved === 'string' ? new Set(certificate.used_policies ?? []) : approved;
    const report = checkRunCertificate(certificate, allowed, new HeadChecker({ ring }));
    session.take(report.findings, path);
    const checker = checkerOf(flags, session, io);
    for (const policy of report.policies) {
      if (checker === undefined) continue;
      const held = { digest: policy.digest, certificate: policy.certificate, withoutObligations: false };
      const at = { entry: policy.digest };
      session.take(checkedCertificate(held, checker(utf8(policy.policy)), at, at), path);
    }
    if (checker === undefined) session.note('no checker was given: the convergence claims were not checked');
    session.report = {
      ok: session.status === 0,
      only_approved_policies: report.onlyApprovedPolicies,
      convergence_certified: report.convergenceCertified,
      reasons: report.findings.filter((finding) => finding.class !== 'none').map((finding) => finding.message),
      policies: report.policies,
      findings: session.findings,
    };
    if (session.status === 0)
      session.ok(
        `run ${certificate.run_id} used ${report.policies.length} policies, all approved and certified, up to ${certificate.sth.size} records`,
      );
  },
};

/** Checks a package and prints its items; shared with `verify-approvals`. */
export function checkEvidence(
  evidence: EvidencePackage,
  path: string,
  inputs: Inputs,
  ring: KeyRing,
  session: Session,
): PackageReport {
  const approved = inputs.approved();
  const allowed = approved === 'unknown' ? new Set(evidence.run_certificate?.used_policies ?? []) : approved;
  const report = checkPackage(evidence, allowed, new HeadChecker({ ring }));
  session.take(report.findings, path);
  for (const item of report.items)
    session.item(
      item.verdict === 'verified' ? 'PASS' : item.verdict === 'failed' ? 'FAIL' : 'INFO',
      `${item.kind} ${item.label}${item.ref === '' || item.ref === item.label ? '' : ` (${item.ref})`}${item.note === '' ? '' : `: ${item.note}`}`,
    );
  return report;
}

/** The structured report of a package, as audit spec 4.11 names its members. */
export function packageReport(evidence: EvidencePackage, report: PackageReport, session: Session): object {
  return {
    ok: session.status === 0,
    run_id: evidence.run_id,
    label: evidence.label,
    sth_verified: report.authorship === 'verified',
    problems: report.findings.filter((finding) => finding.class !== 'none').map((finding) => finding.message),
    items: report.items.map((item) => ({
      kind: item.kind,
      label: item.label,
      ref: item.ref,
      verified: item.verdict === 'verified',
      note: item.note,
    })),
    findings: session.findings,
  };
}

export const verifyEvidenceVerb: Verb = {
  name: 'verify-evidence',
  summary: 'Checks an evidence package: its seal, its head and every item.',
  flags: {
    evidence: { kind: 'string', help: 'the evidence package', required: true },
    ...PUBKEY_FLAG,
    ...APPROVED_FLAGS,
  },
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const path = flags.text('evidence');
    const evidence = inputs.artifact(path, packageShape, headsOfPackage);
    const ring = await inputs.ring();
    if (evidence === undefined) {
      inputs.approved();
      return;
    }
    const report = checkEvidence(evidence, path, inputs, ring, session);
    session.report = packageReport(evidence, report, session);
    if (session.status === 0)
      session.ok(
        `${report.items.length} items of run ${evidence.run_id}, under a head of ${evidence.sth.size} records`,
      );
  },
};
