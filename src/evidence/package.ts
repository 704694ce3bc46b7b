/** Evidence packages: what one head proves, sealed by the log key (audit spec 4.11 "Verify", steps numbered as there). */
import { concat, equalBytes, hex, utf8 } from '../bytes/encoding.ts';
import { type Finding, mergeVerdicts, type Verdict, type Where } from '../finding/finding.ts';
import { encode } from '../json/shape.ts';
import { headOrderFindings } from '../log/head.ts';
import { actionRoles, statedRole } from './actions.ts';
import { catalogue } from './catalogue.ts';
import { tiedConsistency } from './currentGrant.ts';
import { FORMAT } from './formats.ts';
import { grantDigest, grantOfRecord, sameGrant } from './grants.ts';
import type { HeadChecker } from './heads.ts';
import { packageFormats } from './nestedFormats.ts';
import { below } from './place.ts';
import { sameTreeFindings } from './policies.ts';
import { checkProof, headIsOf, holds, type ProofReport } from './proof.ts';
import { type ApprovedPolicies, checkRunCertificate, type RunCertificateReport } from './runCertificate.ts';
import { type EvidencePackage, packageShape } from './shapes.ts';

const SEAL_TAG = utf8(`${FORMAT.seal}\0`);

/** The bytes that a seal signs: the package as decoded and written again, its signature null. */
export function sealedBytes(evidence: EvidencePackage): Uint8Array {
  return concat(SEAL_TAG, encode(packageShape, { ...evidence, signature: null }));
}

/** One row of the report: an action, a grant, the run certificate or the consistency proof. */
export interface PackageItem {
  readonly kind: string;
  readonly label: string;
  readonly ref: string;
  readonly verdict: Verdict;
  readonly note: string;
}

export interface PackageReport {
  readonly findings: readonly Finding[];
  readonly items: readonly PackageItem[];
  /** Of the head and the seal together: one log key's holder signed the head and assembled this selection. */
  readonly authorship: Verdict;
  /** Every action, grant and earlier head is shown under the head of the package. */
  readonly inclusion: Verdict;
  /** Undefined where the package holds none. */
  readonly runCertificate: RunCertificateReport | undefined;
  readonly consistency: Verdict | undefined;
  /** For each action, in their order: what its bundle shows. */
  readonly actions: readonly ProofReport[];
}

/** Checks a package whole. `none`: no allowlist was supplied, so nothing vouches for a run certificate in it. */
export function checkPackage(
  evidence: EvidencePackage,
  approved: ApprovedPolicies | 'none',
  heads: HeadChecker,
  where: Where = {},
): PackageReport {
  // 1.
  const formats = packageFormats(evidence, where);
  if (formats.length > 0)
    return {
      findings: formats,
      items: [],
      authorship: 'undecided',
      inclusion: 'undecided',
      runCertificate: undefined,
      consistency: undefined,
      actions: [],
    };
  const { sth } = evidence;
  const problems: Finding[] = [];
  // 2. and 3.
  const seal = sealFindings(evidence, heads, where);
  problems.push(...seal);
  // 4. and 5.
  const head = heads.check(sth, below(where, 'sth'));
  problems.push(...head.findings);
  if (head.usable) problems.push(...headIsOf(sth, 'journal', evidence.run_id, where));
  const sealed: Verdict = !heads.hasKey ? 'undecided' : seal.length === 0 ? 'verified' : 'failed';

  const items: PackageItem[] = [];
  const found: Finding[] = [];
  const add = (kind: string, label: string, ref: string, findings: readonly Finding[], proven: Verdict): Verdict => {
    const against = findings.filter((finding) => finding.class !== 'none');
    const verdict: Verdict = against.some((finding) => finding.class === 'not_verified')
      ? 'failed'
      : against.length > 0
        ? 'undecided'
        : proven;
    items.push({ kind, label, ref, verdict, note: against.map((finding) => finding.message).join('; ') });
    found.push(...findings);
    return verdict;
  };
  const inclusions: Verdict[] = [];

  // 6.
  const actions = (evidence.actions ?? []).map((action, i) => {
    const at = below(where, 'actions', i);
    const report = checkProof(action.bundle, heads, below(at, 'bundle'));
    const findings = [...report.findings, ...sameTreeFindings(action.bundle.sth, sth, below(at, 'bundle', 'sth'))];
    if (report.record !== undefined && statedRole(action, report.record) === undefined) {
      const role = actionRoles(report.record)[0];
      findings.push(
        catalogue.find('evidence/action-label', 'the action is called something that its record is not', {
          where: at,
          expected:
            role === undefined ? 'no action: a record of this kind is none' : `${role.kind} ${role.label} ${role.ref}`,
          actual: `${action.kind} ${action.label} ${action.ref}`,
        }),
      );
    }
    inclusions.push(add(action.kind, action.label, action.ref, findings, merge(report)));
    return report;
  });

  // 7.
  if (evidence.grants !== null) {
    const chain = evidence.grants.chain ?? [];
    const anchored = evidence.grants.anchored ?? [];
    const at = below(where, 'grants');
    if (chain.length === 0 || chain.length !== anchored.length)
      problems.push(
        catalogue.find('evidence/package-grants', 'there is not one proof for each grant of a chain that has any', {
          where: at,
          expected: `${chain.length} proofs`,
          actual: `${anchored.length} proofs`,
        }),
      );
    anchored.forEach((bundle, i) => {
      const there = below(at, 'anchored', i);
      const report = checkProof(bundle, heads, there);
      const findings = [...report.findings, ...sameTreeFindings(bundle.sth, sth, below(there, 'sth'))];
      const signed = chain[i];
      if (report.record !== undefined && signed !== undefined) {
        const held = grantOfRecord(report.record);
        if ('problem' in held || !sameGrant(held.grant, signed))
          findings.push(
            catalogue.find(
              'evidence/other-grant',
              'problem' in held
                ? `the record is no grant: ${held.problem}`
                : 'the record is another grant than the one in the chain',
              { where: there },
            ),
          );
      }
      const label = signed === undefined ? 'grant' : `grant ${signed.grant.issuer} -> ${signed.grant.subject}`;
      inclusions.push(
        add('grant', label, signed === undefined ? '' : grantDigest(signed.grant), findings, merge(report)),
      );
    });
  }

  // 8.
  let certified: RunCertificateReport | undefined;
  const certificate = evidence.run_certificate;
  if (certificate !== null) {
    const at = below(where, 'run_certificate');
    const findings: Finding[] = [];
    if (certificate.run_id !== evidence.run_id)
      findings.push(
        catalogue.find('evidence/head-run', 'the run certificate is of another run than the package', {
          where: below(at, 'run_id'),
          expected: evidence.run_id,
          actual: certificate.run_id,
        }),
      );
    findings.push(...sameTreeFindings(certificate.sth, sth, below(at, 'sth')));
    if (approved === 'none')
      problems.push(
        catalogue.find(
          'evidence/no-allowlist',
          'no list of approved policies was given, so nothing vouches for the run certificate',
          {
            where: at,
            class: 'not_verified',
            severity: 'error',
          },
        ),
      );
    const allowed = approved === 'none' ? new Set(certificate.used_policies ?? []) : approved;
    certified = checkRunCertificate(certificate, allowed, heads, at);
    findings.push(...certified.findings);
    add(
      'run-certificate',
      'run certificate',
      '',
      findings,
      mergeVerdicts([certified.authorship, certified.onlyApprovedPolicies, certified.convergenceCertified]),
    );
  }

  // 9.
  let consistency: Verdict | undefined;
  if (evidence.consistency !== null) {
    const { from, proof } = evidence.consistency;
    const at = below(where, 'consistency');
    const earlier = heads.check(from, below(at, 'from'));
    const findings: Finding[] = [...earlier.findings];
    if (earlier.usable) {
      findings.push(
        ...headIsOf(from, 'journal', evidence.run_id, below(at, 'from')),
        ...headOrderFindings(from, sth, below(at, 'from')),
        ...tiedConsistency(proof, from, sth, below(at, 'proof')),
      );
    }
    consistency = add('consistency', `from size ${from.size}`, '', findings, earlier.authorship);
  }

  // 10.
  if (items.length === 0)
    problems.push(
      catalogue.find('evidence/package-empty', 'the package holds no item, so it proves nothing', { where }),
    );
  const authorship = mergeVerdicts([head.authorship, sealed]);
  return {
    findings: [...problems, ...found],
    items,
    authorship,
    inclusion: !head.usable ? 'undecided' : mergeVerdicts(inclusions),
    runCertificate: certified,
    consistency,
    actions,
  };
}

/** Inclusion is arithmetic over the head's root; it is worth something only under a head that is authentic. */
function merge(report: ProofReport): Verdict {
  if (report.inclusion !== 'verified') return report.inclusion;
  return report.authorship === 'failed' || !holds(report.findings) ? 'failed' : report.authorship;
}

/** 2. and 3.: the package names the auditor's key, and that key sealed it. */
function sealFindings(evidence: EvidencePackage, heads: HeadChecker, where: Where): readonly Finding[] {
  if (!heads.hasKey) return [];
  const keys = heads.keysAt(evidence.sth).map((entry) => entry.key);
  const named = evidence.public_key ?? new Uint8Array();
  const key = keys.find((candidate) => candidate.scheme === evidence.alg && equalBytes(candidate.bytes, named));
  const findings: Finding[] = [];
  if (key === undefined)
    findings.push(
      catalogue.find('evidence/package-key', 'the package names another key than yours as the one that sealed it', {
        where: below(where, 'public_key'),
        expected:
          keys.map((candidate) => `${candidate.scheme}:${hex(candidate.bytes)}`).join(' or ') ||
          'a key in force at the time of the head',
        actual: `${evidence.alg}:${hex(named)}`,
      }),
    );
  const message = sealedBytes(evidence);
  const candidates = key === undefined ? keys : [key];
  if (
    !candidates.some(
      (candidate) =>
        candidate.scheme === evidence.alg && candidate.verify(evidence.signature ?? new Uint8Array(), message),
    )
  )
    findings.push(
      catalogue.find(
        'evidence/seal',
        'the seal does not hold: the package was changed after sealing, or another key sealed it',
        {
          where: below(where, 'signature'),
        },
      ),
    );
  return findings;
}
