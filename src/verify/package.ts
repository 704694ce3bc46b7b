/**
 * Kind `package`: an evidence package, and each thing that it asserts (audit spec 4.11, 4.12). Gates that it discloses are counted again
 * under the policies and keys of the trust file.
 */

import type { GateAudit } from '../approval/audit.ts';
import { GateIndex } from '../approval/gateIndex.ts';
import { readGates } from '../approval/gatePatterns.ts';
import { trustResolver } from '../approval/verifier.ts';
import { checkGate, disclose } from '../evidence/approvals.ts';
import { checkPackage, type PackageReport } from '../evidence/package.ts';
import { isProven } from '../evidence/proof.ts';
import { type EvidencePackage, packageShape } from '../evidence/shapes.ts';
import { type Claim, type Finding, type Missing, mergeVerdicts, type Verdict } from '../finding/finding.ts';
import { counted } from '../finding/words.ts';
import { HEADER_FORMAT } from '../journal/names.ts';
import type { ReadableRecord } from '../journal/record.ts';
import { certificateMeans } from './approvals.ts';
import { authorshipClaim, authorshipMissing, claimOf, headChecker, isOfFamily, readAs } from './artifact.ts';
import { approvedPolicies } from './beside.ts';
import { judgeChain } from './grants.ts';
import { headTime } from './headTime.ts';
import type { KindVerifier, Outcome, TimelineRow, VerifyContext } from './kind.ts';
import { besideHead } from './otherStatements.ts';
import { certificateClaims, certificateMissing } from './runCertificate.ts';

const REQUIRED = ['authorship', 'inclusion'] as const;

export const verifier: KindVerifier = {
  kind: 'package',
  detect: (prefix) => isOfFamily(prefix, 'bide.audit.evidence'),
  async verify(input, context): Promise<Outcome> {
    const read = readAs(packageShape, input, REQUIRED);
    if (!read.ok) return read.outcome;
    const evidence = read.value;
    const heads = headChecker(context);
    const report = checkPackage(evidence, approvedPolicies(context) ?? 'unknown', heads);
    const gates = await disclosedGates(evidence, report, context);
    const findings = [...report.findings, ...gates.findings];
    const time = await headTime(evidence.sth, findings, context);
    const beside = besideHead(evidence.sth, report.authorship, context);
    const asserted = assertedClaims(evidence, report, context);
    const items = report.items;
    const verified = items.filter(({ verdict }) => verdict === 'verified').length;
    const authorship = authorshipClaim(evidence.sth, report.authorship, heads.hasKey);
    return {
      subject: {
        format: evidence.format,
        run: evidence.run_id,
        label: evidence.label,
        size: evidence.sth.size,
        actions: evidence.actions?.length ?? 0,
      },
      counts: { items: items.length, verified, gates: gates.count },
      claims: [
        {
          ...authorship,
          detail:
            report.authorship === 'verified'
              ? 'head and seal are by one key of the log that you trust'
              : authorship.detail,
        },
        claimOf(
          'inclusion',
          report.inclusion,
          `${items.filter(({ kind }) => kind !== 'run-certificate' && kind !== 'consistency').length} actions and grants of run ${JSON.stringify(evidence.run_id)}, under a head of ${evidence.sth.size} records`,
          report.inclusion === 'verified'
            ? 'each is a record of the signed tree and is called what it is'
            : report.inclusion === 'failed'
              ? 'one is not a record of the signed tree, or is called something else'
              : 'nothing decides it',
        ),
        ...asserted.claims,
        ...gates.claims,
        {
          claim: 'completeness',
          verdict: 'undecided',
          grade: 'none',
          scope: `${evidence.actions?.length ?? 0} of at most ${evidence.sth.size} records`,
          detail: 'a package shows what was selected; its producer may have left out others',
        },
        time.claim,
        ...beside.claims,
      ],
      required: [...REQUIRED, ...asserted.claims.map(({ claim }) => claim), ...gates.claims.map(({ claim }) => claim)],
      findings: [...findings, ...asserted.findings, ...time.findings, ...beside.findings],
      missing: [
        ...authorshipMissing(report.authorship, heads.hasKey),
        ...(report.inclusion === 'undecided'
          ? [
              {
                claim: 'inclusion',
                item: heads.hasKey
                  ? 'a package with an action that can be judged'
                  : 'the public key of the log, in a trust file',
                who: 'whoever made the package',
                from: null,
              },
            ]
          : []),
        ...asserted.missing,
        ...gates.missing,
        {
          claim: 'completeness',
          item: 'the whole journal, a proof of absence, or a run certificate',
          who: 'the keeper of the journal',
          from: null,
        },
        ...time.missing,
        ...beside.missing,
      ],
      notSupplied: [...(beside.notSupplied ?? []), ...gates.notSupplied],
      timeline: gates.timeline,
    };
  },
};

/** The chain of grants, the run certificate and the consistency proof, where the package holds them. */
function assertedClaims(
  evidence: EvidencePackage,
  report: PackageReport,
  context: VerifyContext,
): { readonly claims: readonly Claim[]; readonly missing: readonly Missing[]; readonly findings: readonly Finding[] } {
  const claims: Claim[] = [];
  const missing: Missing[] = [];
  const findings: Finding[] = [];
  const chain = evidence.grants?.chain ?? [];
  if (chain.length > 0 && report.inclusion !== 'undecided') {
    const judged = judgeChain(chain, context, { pointer: '/grants/chain' });
    const verdict = mergeVerdicts([judged.signed, judged.attenuation]);
    // That the key of an issuer is not at hand is said by the claim; the package is not the worse for it.
    findings.push(...judged.findings.filter((finding) => finding.code !== 'evidence/grant-issuer'));
    claims.push(
      claimOf(
        'grants',
        verdict,
        `${chain.length} grants, ${chain[0]?.grant.issuer} to ${chain.at(-1)?.grant.subject}`,
        {
          verified: 'each is signed by the issuer that it names, and none allows more than the one above it',
          failed: 'one is not by the issuer that it names, or allows more than the one above it',
          undecided: `that they are in the tree says nothing of who granted: no key that is in force is known for ${judged.unknown.join(', ')}`,
        }[verdict],
      ),
    );
    if (verdict === 'undecided')
      missing.push({
        claim: 'grants',
        item: `the public key of ${judged.unknown.join(', ')}, as an issuer in a trust file`,
        who: 'the issuer',
        from: null,
      });
  }
  if (evidence.run_certificate !== null && report.runCertificate !== undefined) {
    claims.push(...certificateClaims(evidence.run_certificate, report.runCertificate));
    missing.push(...certificateMissing(report.runCertificate));
  }
  if (evidence.consistency !== null && report.consistency !== undefined) {
    claims.push(
      claimOf(
        'consistency',
        report.consistency,
        `from size ${evidence.consistency.from.size} to size ${evidence.sth.size}`,
        report.consistency === 'verified'
          ? 'history was only appended to between the two heads'
          : 'the later tree is not shown to continue the earlier',
      ),
    );
    if (report.consistency === 'undecided')
      missing.push(...authorshipMissing('undecided', false).map((row) => ({ ...row, claim: 'consistency' })));
  }
  return { claims, missing, findings };
}

interface Gates {
  readonly count: number;
  readonly claims: readonly Claim[];
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
  readonly timeline: readonly TimelineRow[];
  readonly notSupplied: readonly string[];
}

/** Every gate that the disclosed records show, counted again. */
async function disclosedGates(
  evidence: EvidencePackage,
  report: PackageReport,
  context: VerifyContext,
): Promise<Gates> {
  const disclosure = disclose(evidence, report.actions);
  const { index } = disclosure;
  const shown = indexOfAll(evidence, report);
  const calls = [...shown.calls].filter((call) => shown.tallies(call).length > 0);
  if (calls.length === 0) return { count: 0, claims: [], findings: [], missing: [], timeline: [], notSupplied: [] };
  const { gates, findings: patterns } = readGates(context.trust);
  const findings: Finding[] = [...patterns, ...disclosure.findings];
  const resolver = trustResolver(context.trust);
  const missing: Missing[] = [];
  const verdicts = new Map<'count' | 'outcome' | 'disclosure', Verdict[]>([
    ['count', []],
    ['outcome', []],
    ['disclosure', []],
  ]);
  const unproven = !report.actions.every(isProven);
  // Heads and times are nobody's before the head of the package is authentic.
  const by =
    report.authorship === 'verified' ? await certificateMeans(context, index.journal, evidence.sth) : undefined;
  const audits: GateAudit[] = [];
  for (const call of calls) {
    const tool = index.request(call)?.subject.tool ?? '';
    const answer = gates.expected(evidence.sth.run_id, call, tool);
    if (answer !== undefined && 'conflict' in answer) findings.push(answer.conflict);
    const expected = answer === undefined || 'conflict' in answer ? undefined : answer;
    const judge = by?.judge.forCall === undefined ? by?.judge : by.judge.forCall(call);
    const approval = checkGate({ ...disclosure, findings: [] }, { call, expected, resolver, judge });
    if (approval.audit !== undefined) audits.push(approval.audit);
    // A gate that was denied or expired is no fault of the evidence of it: that the call was not approved is what it shows.
    const refused = approval.audit?.end === 'denied' || approval.audit?.end === 'expired';
    const own = approval.findings.map((finding) =>
      refused && finding.code === 'evidence/approval-not-passed'
        ? { ...finding, class: 'none' as const, severity: 'note' as const }
        : finding,
    );
    findings.push(...own);
    missing.push(...(approval.audit?.missing ?? []));
    const against = own.filter((finding) => finding.class !== 'none' && finding.code.startsWith('evidence/approval'));
    for (const [claim, of] of verdicts) {
      const recounted = approval.audit?.claims[claim] ?? 'undecided';
      // Without a key of the log no record is proven, and nothing that is counted is more than the file's recounted word.
      const open = report.authorship !== 'verified' || (unproven && recounted === 'verified');
      of.push(
        recounted === 'failed' && report.authorship === 'verified'
          ? 'failed'
          : open
            ? 'undecided'
            : against.length > 0 && claim !== 'count'
              ? 'failed'
              : recounted,
      );
    }
  }
  const certified = by?.claims(audits);
  if (certified?.count !== undefined) verdicts.get('count')?.push(certified.count);
  for (const finding of certified?.findings ?? []) {
    const { pointer: _, ...where } = finding.where;
    findings.push({ ...finding, where });
  }
  missing.push(...(certified?.missing ?? []));
  if (certified?.count === 'undecided') missing.push(...certified.missing.map((row) => ({ ...row, claim: 'count' })));
  const scope = `${counted(calls.length, 'gate')}: ${calls.join(', ')}`;
  const claims = [...verdicts].map(([claim, of]) => {
    const verdict = mergeVerdicts(of);
    return claimOf(claim, verdict, scope, DETAIL[claim][verdict]);
  });
  if (certified?.identity !== undefined) claims.push(certified.identity);
  for (const { claim, verdict } of claims)
    if (verdict === 'undecided' && !missing.some((row) => row.claim === claim))
      missing.push({
        claim,
        item: 'the public key of the log, the approvers’ keys and the policies of the gates, in a trust file',
        who: 'you',
        from: null,
      });
  return {
    count: calls.length,
    claims,
    findings: report.authorship === 'verified' ? findings : [],
    missing,
    timeline: certified?.timeline ?? [],
    notSupplied: certified?.notSupplied ?? [],
  };
}

/** Every record that reads, proven or not: a gate that is shown and not proven is judged too, and fails. */
function indexOfAll(evidence: EvidencePackage, report: PackageReport): GateIndex {
  const records = report.actions.flatMap((action): ReadableRecord[] =>
    action.record === undefined ? [] : [action.record],
  );
  records.sort((a, b) => a.position - b.position);
  return new GateIndex({ run: evidence.sth.run_id, format: HEADER_FORMAT, records });
}

const DETAIL: Readonly<Record<'count' | 'outcome' | 'disclosure', Readonly<Record<Verdict, string>>>> = {
  count: {
    verified: 'counting the signatures again gives what was recorded',
    failed: 'counting the signatures again does not give what was recorded',
    undecided: 'the signatures could not be counted',
  },
  outcome: {
    verified: 'what ran agrees with what was decided',
    failed: 'what ran does not agree with what was decided',
    undecided: 'what was decided is not known',
  },
  disclosure: {
    verified: 'every record that a count names is there',
    failed: 'a record that a count names is not there',
    undecided: 'which records a count names is not known',
  },
};
