/** Policies, convergence certificates and governed actions (audit spec 4.9, steps numbered as there), with a checker that others run. */
import { concat, hex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { Finding, Where } from '../finding/finding.ts';
import type { ReadableRecord } from '../journal/record.ts';
import { boolean, decode, integer, list, object, raw, string, type ValueOf } from '../json/shape.ts';
import { HEAD_FORMAT } from '../log/head.ts';
import { catalogue } from './catalogue.ts';
import { type HeadChecker, treeDifference } from './heads.ts';
import { payloadProblem, policyDigestOf, strictPayload } from './payload.ts';
import { below } from './place.ts';
import { checkProof, holds, type ProofReport } from './proof.ts';
import type { ProofBundle } from './shapes.ts';

const DIGEST_PREFIX = utf8('gsm-policy-v1\n');

/** Hex digest of the bytes of a policy. */
export function policyDigest(policy: Uint8Array): string {
  return hex(sha256(concat(DIGEST_PREFIX, policy)));
}

export const policyName = (digest: string): string => `audit:policy:${digest}`;
export const convergenceName = (digest: string): string => `audit:convergence:${digest}`;

const policyLeafShape = object({ digest: string, policy: string });
const convergenceLeafShape = object({ digest: string, certificate: raw });
export const certificateShape = object({
  machine: string,
  policy_digest: string,
  converges: boolean,
  wfc: boolean,
  cc: boolean,
  max_repair_len: integer,
  pairs_total: integer,
  pairs_disjoint: integer,
  pairs_brute: integer,
  pairs_undeclared: integer,
  causal_order_required: list(object({ first: string, second: string })),
  not_idempotent: list(string),
  saturations: list(object({ rule: string, var: string, states: integer })),
  states: integer,
  compensation_free: boolean,
});
export type ConvergenceCertificate = ValueOf<typeof certificateShape>;

/** What a checker that the auditor supplies says of a policy text. "No verdict" is never read as "does not converge". */
export type CheckerVerdict =
  | { readonly verdict: 'converges' | 'does-not-converge'; readonly compensationFree?: boolean }
  | { readonly verdict: 'none'; readonly reason: string };
export type PolicyChecker = (policy: Uint8Array) => CheckerVerdict;

/** Something in a record, or that the record is not of the role it is given for. */
export type Role<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export interface PolicyLeaf {
  readonly digest: string;
  readonly policy: string;
}

/** The policy that a record holds, if it is a policy's leaf. */
export function policyOf({ name, record }: ReadableRecord): Role<PolicyLeaf> {
  if (record.kind !== 'value') return { ok: false, problem: `it is of kind ${JSON.stringify(record.kind)}` };
  const decoded = strictPayload(policyLeafShape, record.result);
  if (!decoded.ok) return { ok: false, problem: payloadProblem(decoded.problems) };
  if (name !== policyName(decoded.value.digest))
    return { ok: false, problem: `its name is not ${policyName(decoded.value.digest)}` };
  return { ok: true, value: decoded.value };
}

export interface ConvergenceLeaf {
  readonly digest: string;
  readonly certificate: ConvergenceCertificate;
  /** The earlier form, which records no delivery obligations. */
  readonly withoutObligations: boolean;
}

const OBLIGATIONS = ['pairs_undeclared', 'causal_order_required', 'not_idempotent', 'saturations'];

/** The convergence certificate that a record holds, if it is one's leaf. */
export function convergenceOf({ name, record }: ReadableRecord): Role<ConvergenceLeaf> {
  if (record.kind !== 'value') return { ok: false, problem: `it is of kind ${JSON.stringify(record.kind)}` };
  const decoded = strictPayload(convergenceLeafShape, record.result);
  if (!decoded.ok) return { ok: false, problem: payloadProblem(decoded.problems) };
  const { digest, certificate: text } = decoded.value;
  if (name !== convergenceName(digest)) return { ok: false, problem: `its name is not ${convergenceName(digest)}` };
  if (text === null) return { ok: false, problem: 'it holds no certificate' };
  const certificate = decode(certificateShape, text);
  if (!certificate.ok) return { ok: false, problem: `its certificate: ${payloadProblem(certificate.problems)}` };
  const written = new TextDecoder().decode(text);
  return {
    ok: true,
    value: {
      digest,
      certificate: certificate.value,
      withoutObligations: OBLIGATIONS.every((member) => !written.includes(`"${member}"`)),
    },
  };
}

export function wrongRole(wanted: string, problem: string, where: Where): Finding {
  return catalogue.find('evidence/wrong-role', `the record is no ${wanted}: ${problem}`, { where, expected: wanted });
}

/** Findings of a checker's answer where convergence is expected. */
export function convergesFindings(verdict: CheckerVerdict, where: Where): readonly Finding[] {
  if (verdict.verdict === 'converges') return [];
  if (verdict.verdict === 'none')
    return [catalogue.find('evidence/checker-no-verdict', `the checker gave no verdict: ${verdict.reason}`, { where })];
  return [catalogue.find('evidence/not-convergent', 'the checker says that the policy does not converge', { where })];
}

/** A policy's own digest: recomputed from the disclosed text. */
export function policyTextFindings(leaf: PolicyLeaf, where: Where): readonly Finding[] {
  const digest = policyDigest(utf8(leaf.policy));
  if (digest === leaf.digest) return [];
  return [
    catalogue.find('evidence/policy-digest', 'the disclosed policy is not the one that its digest names', {
      where,
      expected: leaf.digest,
      actual: digest,
    }),
  ];
}

/** A bundle with the name that findings give it; undefined where its file could not be used. */
export interface GivenBundle {
  readonly bundle: ProofBundle | undefined;
  readonly where: Where;
}

export interface GovernanceReport {
  readonly findings: readonly Finding[];
  /** The policy text that was proven, for a reader. */
  readonly policy: PolicyLeaf | undefined;
  readonly notes: readonly string[];
}

/** Checks a governed action against the leaf of its policy; runs what can be run where one of the two is missing. */
export function checkGovernedAction(
  action: GivenBundle,
  policy: GivenBundle,
  heads: HeadChecker,
  checker?: PolicyChecker,
): GovernanceReport {
  const findings: Finding[] = [];
  // 1.
  const actionReport = proven(action, heads, findings);
  const policyReport = proven(policy, heads, findings);
  // 2.
  findings.push(...sameTree(action, policy));
  // 3.
  let digest: string | undefined;
  if (actionReport?.record !== undefined) {
    if (actionReport.record.record.kind !== 'tool_result')
      findings.push(
        wrongRole('governed action', `it is of kind ${JSON.stringify(actionReport.record.record.kind)}`, action.where),
      );
    else {
      digest = policyDigestOf(actionReport.record.record.result);
      // 4.
      if (digest === undefined)
        findings.push(
          catalogue.find('evidence/ungoverned', 'the result of the action names no policy', { where: action.where }),
        );
    }
  }
  const leaf = roleOf(policyReport, policyOf, 'policy leaf', policy.where, findings);
  if (leaf !== undefined) {
    if (digest !== undefined && digest !== leaf.digest)
      findings.push(
        catalogue.find('evidence/other-policy', 'the action ran under another policy than the one given', {
          where: action.where,
          expected: leaf.digest,
          actual: digest,
        }),
      );
    // 5.
    findings.push(...policyTextFindings(leaf, policy.where));
    // 6.
    if (checker !== undefined) findings.push(...convergesFindings(checker(utf8(leaf.policy)), policy.where));
  }
  return { findings, policy: leaf, notes: [] };
}

/** Checks a convergence certificate against the leaf of its policy. */
export function checkConvergence(
  certificate: GivenBundle,
  policy: GivenBundle,
  heads: HeadChecker,
  checker?: PolicyChecker,
): GovernanceReport {
  const findings: Finding[] = [];
  const notes: string[] = [];
  // 1. and 2.
  const certificateReport = proven(certificate, heads, findings);
  const policyReport = proven(policy, heads, findings);
  findings.push(...sameTree(certificate, policy));
  // 3. and 6.
  const held = roleOf(certificateReport, convergenceOf, 'convergence certificate', certificate.where, findings);
  const leaf = roleOf(policyReport, policyOf, 'policy leaf', policy.where, findings);
  // 4.
  if (held !== undefined && leaf !== undefined && (held.digest === '' || held.digest !== leaf.digest))
    findings.push(
      catalogue.find('evidence/other-policy', 'the certificate is for another policy than the one given', {
        where: certificate.where,
        expected: leaf.digest,
        actual: held.digest,
      }),
    );
  if (held !== undefined) {
    findings.push(...certificateDigestFindings(held, certificate.where));
    if (held.withoutObligations)
      notes.push('the certificate is of the earlier form and records no delivery obligations');
  }
  // 5.
  if (leaf !== undefined) findings.push(...policyTextFindings(leaf, policy.where));
  // 7.
  if (leaf !== undefined && checker !== undefined)
    findings.push(...checkedCertificate(held, checker(utf8(leaf.policy)), certificate.where, policy.where));
  else if (held !== undefined && !held.certificate.converges)
    findings.push(
      catalogue.find('evidence/not-convergent', 'the certificate itself says that the policy does not converge', {
        where: certificate.where,
      }),
    );
  if (checker === undefined)
    notes.push('no checker was given: that the policy converges is the word of whoever made the certificate');
  return { findings, policy: leaf, notes };
}

/** The certificate's own `policy_digest` is that of its leaf. */
export function certificateDigestFindings(held: ConvergenceLeaf, where: Where): readonly Finding[] {
  if (held.certificate.policy_digest === held.digest) return [];
  return [
    catalogue.find('evidence/other-policy', 'the certificate inside the record is for another policy', {
      where,
      expected: held.digest,
      actual: held.certificate.policy_digest,
    }),
  ];
}

/** A checker's answer against what a certificate claims. */
export function checkedCertificate(
  held: ConvergenceLeaf | undefined,
  verdict: CheckerVerdict,
  certificateAt: Where,
  policyAt: Where,
): readonly Finding[] {
  const findings = [...convergesFindings(verdict, policyAt)];
  if (held === undefined || verdict.verdict === 'none') return findings;
  const { converges, compensation_free: free } = held.certificate;
  if (converges !== (verdict.verdict === 'converges'))
    findings.push(
      catalogue.find(
        'evidence/checker-disagrees',
        'the checker and the certificate disagree on whether the policy converges',
        {
          where: certificateAt,
          expected: verdict.verdict,
          actual: converges ? 'converges' : 'does-not-converge',
        },
      ),
    );
  if (verdict.compensationFree !== undefined && verdict.compensationFree !== free)
    findings.push(
      catalogue.find('evidence/checker-disagrees', 'the checker and the certificate disagree on compensation', {
        where: certificateAt,
        expected: `compensation_free=${verdict.compensationFree}`,
        actual: `compensation_free=${free}`,
      }),
    );
  return findings;
}

function proven(given: GivenBundle, heads: HeadChecker, findings: Finding[]): ProofReport | undefined {
  if (given.bundle === undefined) return undefined;
  const report = checkProof(given.bundle, heads, given.where);
  findings.push(...report.findings);
  return report;
}

/** The role of a record that its bundle proves. What a bundle does not prove is not reported as of the wrong role. */
function roleOf<T>(
  report: ProofReport | undefined,
  read: (record: ReadableRecord) => Role<T>,
  wanted: string,
  where: Where,
  findings: Finding[],
): T | undefined {
  if (report?.record === undefined) return undefined;
  const role = read(report.record);
  if (role.ok) return role.value;
  if (holds(report.findings)) findings.push(wrongRole(wanted, role.problem, below(where, 'record_bytes')));
  return undefined;
}

function sameTree(a: GivenBundle, b: GivenBundle): readonly Finding[] {
  if (a.bundle === undefined || b.bundle === undefined) return [];
  return sameTreeFindings(a.bundle.sth, b.bundle.sth, below(a.where, 'sth'));
}

/** That two heads are of the same tree. */
export function sameTreeFindings(head: ProofBundle['sth'], of: ProofBundle['sth'], where: Where): readonly Finding[] {
  // A head of another format says nothing; that is reported where the head is checked.
  if (head.format !== HEAD_FORMAT || of.format !== HEAD_FORMAT) return [];
  const difference = treeDifference(head, of);
  if (difference === undefined) return [];
  return [
    catalogue.find('evidence/other-tree', `the proof is under a head of another tree: its ${difference} differs`, {
      where: below(where, difference),
    }),
  ];
}
