/** Kind `run-certificate`: under which policies a run was governed (audit spec 4.10). The approved policies come from the trust file. */
import { checkRunCertificate, type RunCertificateReport } from '../evidence/runCertificate.ts';
import { type RunCertificate, runCertificateShape } from '../evidence/shapes.ts';
import type { Claim, Finding, Missing, Verdict } from '../finding/finding.ts';
import { authorshipClaim, authorshipMissing, claimOf, headChecker, isOfFamily, readAs } from './artifact.ts';
import { approvedPolicies } from './beside.ts';
import { headTime } from './headTime.ts';
import type { KindVerifier, Outcome } from './kind.ts';
import { besideHead } from './otherStatements.ts';

const REQUIRED = ['authorship', 'inclusion', 'only-approved-policies', 'policies-convergence-certified'] as const;

export const verifier: KindVerifier = {
  kind: 'run-certificate',
  detect: (prefix) => isOfFamily(prefix, 'bide.audit.runcert'),
  async verify(input, context): Promise<Outcome> {
    const read = readAs(runCertificateShape, input, REQUIRED);
    if (!read.ok) return read.outcome;
    const certificate = read.value;
    const heads = headChecker(context);
    const report = checkRunCertificate(certificate, approvedPolicies(context) ?? 'unknown', heads);
    const time = await headTime(certificate.sth, report.findings, context);
    const beside = besideHead(certificate.sth, report.authorship, context);
    const used = certificate.used_policies ?? [];
    const inclusion = inclusionOf(report.findings);
    return {
      subject: {
        format: certificate.format,
        run: certificate.run_id,
        size: certificate.sth.size,
        policies: used.length,
      },
      counts: { policies: used.length, certified: report.policies.length, heads: 2 },
      claims: [
        authorshipClaim(certificate.sth, report.authorship, heads.hasKey),
        claimOf(
          'inclusion',
          inclusion,
          `${used.length} used policies, ${(certificate.convergence ?? []).length} certificates`,
          inclusion === 'verified'
            ? 'the set of used policies and every leaf are under their heads'
            : 'not everything shown is under its head',
        ),
        ...certificateClaims(certificate, report),
        time.claim,
        ...beside.claims,
      ],
      required: REQUIRED,
      findings: [...report.findings, ...time.findings, ...beside.findings],
      missing: [
        ...authorshipMissing(report.authorship, heads.hasKey),
        ...(inclusion === 'undecided'
          ? [{ claim: 'inclusion', item: 'a certificate whose parts can be read', who: 'whoever made it', from: null }]
          : []),
        ...certificateMissing(report),
        ...time.missing,
        ...beside.missing,
      ],
      notSupplied: [
        ...beside.notSupplied,
        'a checker: that a policy converges is the word of whoever made its certificate',
      ],
    };
  },
};

const OUTSIDE: ReadonlySet<string> = new Set([
  'evidence/not-included',
  'evidence/proof-size',
  'evidence/other-tree',
  'evidence/head-kind',
  'evidence/head-run',
  'evidence/used-policies',
  'evidence/certificate-source',
]);

/** That everything shown is under the heads shown; whoever signed those. */
function inclusionOf(findings: readonly Finding[]): Verdict {
  if (findings.some((finding) => OUTSIDE.has(finding.code))) return 'failed';
  return findings.some((finding) => finding.class === 'unusable') ? 'undecided' : 'verified';
}

/** The two properties that a run certificate asserts; shared with packages that hold one. */
export function certificateClaims(certificate: RunCertificate, report: RunCertificateReport): readonly Claim[] {
  const scope = `run ${JSON.stringify(certificate.run_id)} up to ${certificate.sth.size} records, governed actions only`;
  const only = report.onlyApprovedPolicies;
  const certified = report.convergenceCertified;
  return [
    claimOf(
      'only-approved-policies',
      only,
      scope,
      only === 'verified'
        ? 'every policy that was used is one that you approve'
        : only === 'failed'
          ? 'a policy that you do not approve was used, or one is hidden'
          : 'which policies you approve is not known',
    ),
    claimOf(
      'policies-convergence-certified',
      certified,
      scope,
      certified === 'verified'
        ? 'each policy that was used has a certificate in the same tree'
        : certified === 'failed'
          ? 'a policy that was used is not certified'
          : 'a certificate could not be read',
    ),
  ];
}

export function certificateMissing(report: RunCertificateReport): readonly Missing[] {
  const missing: Missing[] = [];
  if (report.onlyApprovedPolicies === 'undecided')
    missing.push({
      claim: 'only-approved-policies',
      item: 'the digests of the policies that you approve: approved_policies in a trust file',
      who: 'you',
      from: null,
    });
  if (report.convergenceCertified === 'undecided')
    missing.push({
      claim: 'policies-convergence-certified',
      item: 'certificates in a form that can be read',
      who: 'whoever made the run certificate',
      from: null,
    });
  return missing;
}
