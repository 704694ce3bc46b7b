/** Run certificates: under which policies a run was governed, and that each is certified (audit spec 4.10, steps numbered as there). */
import { equalBytes, hex } from '../bytes/encoding.ts';
import type { PrivateKey } from '../crypto/signature.ts';
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import { HEAD_FORMAT, headOrderFindings, type TreeHead } from '../log/head.ts';
import { keyLeafData } from '../merkle/keySet.ts';
import { rootOfLeaves } from '../merkle/root.ts';
import type { Instant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';
import { FORMAT } from './formats.ts';
import { type HeadChecker, rootOf } from './heads.ts';
import { type JournalTree, journalFindings, proveRecord, selectRecord, wrongHead } from './journalTree.ts';
import { projectKeys, signKeySetHead, USED_POLICY_KEYS } from './keySets.ts';
import { runCertificateFormats } from './nestedFormats.ts';
import { below, type Reading } from './place.ts';
import {
  type ConvergenceCertificate,
  certificateDigestFindings,
  convergenceName,
  convergenceOf,
  policyName,
  policyOf,
  policyTextFindings,
  sameTreeFindings,
  wrongRole,
} from './policies.ts';
import { checkProof, headIsOf, holds } from './proof.ts';
import type { ProofBundle, RunCertificate } from './shapes.ts';

/** What a run certificate claims, exactly and in this order. */
export const RUN_PROPERTIES = ['only-approved-policies', 'policies-convergence-certified'] as const;

/** The allowlist of an auditor; `unknown` where it could not be read, so that only that question stays open. */
export type ApprovedPolicies = ReadonlySet<string> | 'unknown';

export interface CertifiedPolicy {
  readonly digest: string;
  readonly policy: string;
  readonly certificate: ConvergenceCertificate;
}

export interface RunCertificateReport {
  readonly findings: readonly Finding[];
  readonly authorship: Verdict;
  readonly onlyApprovedPolicies: Verdict;
  readonly convergenceCertified: Verdict;
  /** Policies that were read, in the order of the certificate; proven only as far as the findings allow. */
  readonly policies: readonly CertifiedPolicy[];
}

/** Checks a run certificate. The timestamp rule is the head checker's; the order of the two heads is checked here. */
export function checkRunCertificate(
  certificate: RunCertificate,
  approved: ApprovedPolicies,
  heads: HeadChecker,
  where: Where = {},
): RunCertificateReport {
  // 1.
  const formats = runCertificateFormats(certificate, where);
  if (formats.length > 0)
    return {
      findings: formats,
      authorship: 'undecided',
      onlyApprovedPolicies: 'undecided',
      convergenceCertified: 'undecided',
      policies: [],
    };
  const { sth, used_policy_absence: absence } = certificate;
  const findings: Finding[] = [];
  // 2.
  const properties = certificate.properties ?? [];
  if (properties.length !== 2 || RUN_PROPERTIES.some((property, i) => properties[i] !== property))
    findings.push(
      catalogue.find('evidence/certificate-properties', 'the certificate does not claim exactly the two properties', {
        where: below(where, 'properties'),
        expected: RUN_PROPERTIES.join(', '),
        actual: properties.join(', '),
      }),
    );
  // 3.
  const head = heads.check(sth, below(where, 'sth'));
  findings.push(...head.findings);
  if (head.usable) findings.push(...headIsOf(sth, 'journal', certificate.run_id, where));
  // 4. and 5.
  const only = approvedOnly(certificate, approved, heads, where);
  const certified = certifiedConvergence(certificate, heads, where);
  if (sth.format === HEAD_FORMAT && absence.format === HEAD_FORMAT)
    findings.push(...headOrderFindings(sth, absence, below(where, 'used_policy_absence')));
  return {
    findings: [...findings, ...only.findings, ...certified.findings],
    authorship: head.authorship,
    onlyApprovedPolicies: only.verdict,
    convergenceCertified: certified.verdict,
    policies: certified.policies,
  };
}

function verdictOf(findings: readonly Finding[]): Verdict {
  if (findings.some((finding) => finding.class === 'not_verified')) return 'failed';
  return holds(findings) ? 'verified' : 'undecided';
}

/** 4. Only approved policies. */
function approvedOnly(
  certificate: RunCertificate,
  approved: ApprovedPolicies,
  heads: HeadChecker,
  where: Where,
): { readonly findings: readonly Finding[]; readonly verdict: Verdict } {
  const { sth, used_policy_absence: absence } = certificate;
  const used = certificate.used_policies ?? [];
  const at = below(where, 'used_policy_absence');
  // (a)
  const report = heads.check(absence, at);
  const findings: Finding[] = [...report.findings];
  if (report.usable) {
    if (absence.kind !== USED_POLICY_KEYS.kind)
      findings.push(
        catalogue.find('evidence/head-kind', 'the head of the used policies is of another kind of tree', {
          where: below(at, 'kind'),
          expected: USED_POLICY_KEYS.kind,
          actual: absence.kind,
        }),
      );
    if (absence.run_id !== certificate.run_id)
      findings.push(
        catalogue.find('evidence/head-run', 'the head of the used policies is of another run', {
          where: below(at, 'run_id'),
          expected: certificate.run_id,
          actual: absence.run_id,
        }),
      );
    // (b)
    const source = absence.journal;
    if (
      sth.format === HEAD_FORMAT &&
      source !== null &&
      (source.size !== sth.size || !equalBytes(rootOf(source), rootOf(sth)))
    )
      findings.push(
        catalogue.find(
          'evidence/certificate-source',
          'the used policies were projected from another journal than the signed one',
          {
            where: below(at, 'journal'),
            expected: `size ${sth.size}, root ${hex(rootOf(sth))}`,
            actual: `size ${source.size}, root ${hex(rootOf(source))}`,
          },
        ),
      );
    // (c)
    const root = rootOfLeaves(used.map((digest) => keyLeafData(USED_POLICY_KEYS.prefix + digest)));
    if (used.length !== absence.size || !equalBytes(root, rootOf(absence)))
      findings.push(
        catalogue.find(
          'evidence/used-policies',
          'the policies listed are not the ones that the signed set holds: one is hidden, added, repeated or out of order',
          {
            where: below(where, 'used_policies'),
            expected: `${absence.size} policies with the root ${hex(rootOf(absence))}`,
            actual: `${used.length} policies with the root ${hex(root)}`,
          },
        ),
      );
  }
  // (d)
  if (approved === 'unknown')
    findings.push(
      catalogue.find(
        'evidence/no-allowlist',
        'the approved policies are not known, so it is not known whether only they were used',
        {
          where: below(where, 'used_policies'),
        },
      ),
    );
  else
    used.forEach((digest, i) => {
      if (!approved.has(digest))
        findings.push(
          catalogue.find('evidence/policy-not-approved', 'a policy was used that is not approved', {
            where: below(where, 'used_policies', i),
            actual: digest,
          }),
        );
    });
  return { findings, verdict: verdictOf(findings) };
}

/** 5. Convergence certified. */
function certifiedConvergence(
  certificate: RunCertificate,
  heads: HeadChecker,
  where: Where,
): { readonly findings: readonly Finding[]; readonly verdict: Verdict; readonly policies: readonly CertifiedPolicy[] } {
  const used = certificate.used_policies ?? [];
  const entries = certificate.convergence ?? [];
  const findings: Finding[] = [];
  const policies: CertifiedPolicy[] = [];
  // (a)
  if (entries.length !== used.length)
    findings.push(
      catalogue.find('evidence/certificate-entries', 'there is not one convergence entry for each used policy', {
        where: below(where, 'convergence'),
        expected: String(used.length),
        actual: String(entries.length),
      }),
    );
  // (b)
  entries.forEach((entry, i) => {
    const at = below(where, 'convergence', i);
    const digest = used[i];
    if (digest !== undefined && entry.digest !== digest)
      findings.push(
        catalogue.find('evidence/other-policy', 'the convergence entry is for another policy than the one used', {
          where: below(at, 'digest'),
          expected: digest,
          actual: entry.digest,
        }),
      );
    const leafAt = below(at, 'policy_leaf');
    const heldAt = below(at, 'certificate');
    const leafRecord = provenRecord(entry.policy_leaf, certificate.sth, heads, leafAt, findings);
    const heldRecord = provenRecord(entry.certificate, certificate.sth, heads, heldAt, findings);
    const leaf = leafRecord === undefined ? undefined : policyOf(leafRecord);
    const held = heldRecord === undefined ? undefined : convergenceOf(heldRecord);
    if (leaf?.ok === false) findings.push(notFor('policy leaf', leaf.problem, leafAt));
    if (held?.ok === false) findings.push(notFor('convergence certificate', held.problem, heldAt));
    if (leaf?.ok === true) {
      if (leaf.value.digest !== entry.digest)
        findings.push(notFor('leaf of this policy', `it is for ${leaf.value.digest}`, leafAt));
      findings.push(...policyTextFindings(leaf.value, leafAt));
    }
    if (held?.ok === true) {
      if (held.value.digest !== entry.digest)
        findings.push(notFor('certificate of this policy', `it is for ${held.value.digest}`, heldAt));
      findings.push(...certificateDigestFindings(held.value, heldAt));
      if (!held.value.certificate.converges)
        findings.push(
          catalogue.find('evidence/not-convergent', 'the certificate itself says that the policy does not converge', {
            where: heldAt,
          }),
        );
    }
    if (leaf?.ok === true && held?.ok === true)
      policies.push({ digest: entry.digest, policy: leaf.value.policy, certificate: held.value.certificate });
  });
  return { findings, verdict: verdictOf(findings), policies };
}

/** Inside a certificate a record of another role does not hold, rather than being a wrong input (audit spec 4.10 step 5). */
function notFor(wanted: string, problem: string, where: Where): Finding {
  return { ...wrongRole(wanted, problem, where), class: 'not_verified', severity: 'error' };
}

function provenRecord(bundle: ProofBundle, sth: TreeHead, heads: HeadChecker, where: Where, findings: Finding[]) {
  const report = checkProof(bundle, heads, where);
  findings.push(...report.findings, ...sameTreeFindings(bundle.sth, sth, below(where, 'sth')));
  return holds(report.findings) ? report.record : undefined;
}

/** Produces a run certificate over a whole journal. The head is one that the caller authenticated, and the key is its log's. */
export function produceRunCertificate(
  of: JournalTree,
  head: TreeHead,
  approved: ReadonlySet<string>,
  key: PrivateKey,
  time: Instant,
): Reading<RunCertificate> {
  const findings: Finding[] = [...wrongHead(journalFindings(of, head))];
  const refuse = (message: string, expected: string, actual: string) =>
    findings.push(catalogue.find('evidence/cannot-certify', message, { expected, actual }));
  if (head.size !== of.tree.size)
    refuse('the head does not cover the whole journal', String(of.tree.size), String(head.size));
  if (time < head.timestamp_nanos)
    refuse(
      'the head of the used policies would be stamped before the head',
      `at least ${head.timestamp_nanos}`,
      String(time),
    );
  if (head.alg !== key.scheme) refuse('the signer is not the key of the head', head.alg, key.scheme);
  const keys = projectKeys(of.journal, USED_POLICY_KEYS);
  if (!keys.ok) return { ok: false, findings: [...findings, ...keys.findings] };
  const used = keys.value.keys.map((name) => name.slice(USED_POLICY_KEYS.prefix.length));
  const convergence: NonNullable<RunCertificate['convergence']>[number][] = [];
  for (const digest of used) {
    if (!approved.has(digest)) refuse('a used policy is not approved', 'an approved policy', digest);
    const leaf = proveNamed(of, policyName(digest), head);
    const held = proveNamed(of, convergenceName(digest), head);
    if (!leaf.ok) findings.push(...leaf.findings);
    if (!held.ok) findings.push(...held.findings);
    if (leaf.ok && held.ok) convergence.push({ digest, policy_leaf: leaf.value, certificate: held.value });
  }
  if (findings.length > 0) return { ok: false, findings };
  const absence = signKeySetHead(of, USED_POLICY_KEYS, key, time);
  if (!absence.ok) return absence;
  return {
    ok: true,
    value: {
      format: FORMAT.runCertificate,
      run_id: of.journal.run,
      properties: [...RUN_PROPERTIES],
      used_policies: used,
      used_policy_absence: absence.value,
      convergence,
      sth: head,
    },
  };
}

/** The proof of the value record of a reserved name. */
export function proveNamed(of: JournalTree, name: string, head: TreeHead): Reading<ProofBundle> {
  const record = selectRecord(of.journal, { by: 'step', name });
  if (record === undefined)
    return {
      ok: false,
      findings: [catalogue.find('evidence/no-such-record', `the journal holds no record ${name}`, { expected: name })],
    };
  return proveRecord(of, record.position, head);
}
