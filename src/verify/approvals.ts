/**
 * The claims on the approvals of a run: count, outcome, identity and disclosure (architecture, claims table). The journal kind takes one
 * claim from here; `audit approvals` shows all four with a timeline.
 */

import type { GateAudit } from '../approval/audit.ts';
import { describePolicy } from '../approval/policy.ts';
import { reasonText } from '../approval/reasons.ts';
import type { Recount } from '../approval/recount.ts';
import { byGravity, recountGates } from '../approval/recount.ts';
import type { DecisionJudge } from '../approval/verifier.ts';
import type { Claim, Missing, Verdict } from '../finding/finding.ts';
import { mergeVerdicts } from '../finding/finding.ts';
import { counted } from '../finding/words.ts';
import { formatFindings, looksLikeRecordLines, readExport, readLines } from '../journal/export.ts';
import type { Journal } from '../journal/record.ts';
import type { TreeHead } from '../log/head.ts';
import type { Trust } from '../trust/trust.ts';
import { claimOf, isOfFamily, tooLargeOutcome, unreadOutcome, wholeInput } from './artifact.ts';
import type { CertifiedClaims } from './certified.ts';
import type { KindVerifier, Outcome, TimelineRow, VerifyContext } from './kind.ts';

export const APPROVALS_REQUIRED = ['count', 'outcome'] as const;

/** Recounts the gates of a run and says what may be relied on. */
export function approvalsOutcome(journal: Journal, trust: Trust, by?: CertificateMeans): Outcome {
  const { judge } = by ?? {};
  const recount = recountGates(journal, trust, judge);
  const { gates } = recount;
  const certified = by?.claims(gates);
  const count = countClaim(recount);
  const claims = [
    bounded(count, certified?.count),
    outcomeClaim(recount),
    certified?.identity ?? identityClaim(gates),
    disclosureClaim(recount),
  ];
  return {
    subject: { run: journal.run === '' ? null : journal.run },
    counts: countsOf(recount),
    claims,
    required: APPROVALS_REQUIRED,
    findings: byGravity([
      ...recount.findings,
      ...(certified?.findings ?? []),
      ...gates.flatMap(({ findings }) => findings),
    ]),
    missing: distinct([
      ...recount.missing,
      ...(certified?.missing ?? []),
      // What identifies the people decides the count too.
      ...(certified?.count === 'undecided' ? certified.missing.map((row) => ({ ...row, claim: 'count' })) : []),
      ...missingOf(recount, claims, certified?.identity !== undefined),
    ]),
    notSupplied: [
      ...notSupplied(recount, trust, judge, journal.records.length - (certified?.attested ?? 0)),
      ...(certified?.notSupplied ?? []),
    ],
    timeline: [...gates.flatMap((gate) => timelineOf(gate, journal)), ...(certified?.timeline ?? [])],
  };
}

/** What judges certificate-bound decisions, and what it has to say once the gates are counted; `certified.ts` makes it. */
export interface CertificateMeans {
  readonly judge: DecisionJudge;
  claims(gates: readonly GateAudit[]): CertifiedClaims;
}

/** The means that the trust and the companions give; undefined where no trust file has a policy of certificates. */
export async function certificateMeans(
  context: VerifyContext,
  journal: Journal,
  proven?: TreeHead,
): Promise<CertificateMeans | undefined> {
  if (!context.trust.sections.has('certificate_policies')) return undefined;
  const { certifiedBy, certifiedClaims } = await import('./certified.ts');
  const certified = certifiedBy(context, journal, proven);
  if (certified === undefined) return undefined;
  return { judge: certified.judge, claims: (gates) => certifiedClaims(certified, gates) };
}

/** A count of people who are not identified is no better than their identification. */
function bounded(claim: Claim, by: Verdict | undefined): Claim {
  if (by === undefined || mergeVerdicts([claim.verdict, by]) === claim.verdict) return claim;
  const detail =
    by === 'failed'
      ? 'the count gives the recorded result, and the certificates or the records about them do not hold'
      : 'the count gives the recorded result, and who the approvers are is not shown';
  return claimOf('count', by, claim.scope, detail);
}

/** All of it as the one claim `approvals` of a journal. */
export function approvalsClaim(outcome: Outcome): Claim {
  const parts = outcome.claims.filter(({ claim }) => claim !== 'identity');
  const [count] = parts;
  const verdict = mergeVerdicts(parts.map((part) => part.verdict));
  const worst = parts.find((part) => part.verdict === verdict) ?? count;
  return claimOf('approvals', verdict, count?.scope ?? 'nothing', worst?.detail ?? 'nothing was counted');
}

/** `audit approvals`: a journal export, or one stored record a line, judged for its approvals alone. */
export const approvalsVerifier: KindVerifier = {
  kind: 'journal',
  detect: (prefix) => isOfFamily(prefix, 'bide.audit.journal-export') || looksLikeRecordLines(prefix.bytes),
  async verify(input, context) {
    const bytes = wholeInput(input);
    if (bytes === undefined) return tooLargeOutcome(APPROVALS_REQUIRED);
    const reading = looksLikeRecordLines(bytes) ? readLines(context.run ?? '', bytes) : readExport(bytes);
    const format = reading.journal === undefined ? [] : formatFindings(reading.journal);
    if (reading.journal === undefined || format.length > 0)
      return unreadOutcome([...reading.findings, ...format], APPROVALS_REQUIRED);
    return approvalsOutcome(reading.journal, context.trust, await certificateMeans(context, reading.journal));
  },
};

function verdictsOf(gates: readonly GateAudit[], claim: keyof GateAudit['claims']): readonly Verdict[] {
  return gates.flatMap((gate) => gate.claims[claim] ?? []);
}

/** Trust files that contradict each other, and counts of unknown calls, leave what they are about open. */
function withLoose(recount: Recount, verdicts: readonly Verdict[]): Verdict {
  const loose = recount.findings.map(({ class: cls }): Verdict => (cls === 'not_verified' ? 'failed' : 'undecided'));
  return mergeVerdicts([...verdicts, ...loose]);
}

function countClaim(recount: Recount): Claim {
  const { gates } = recount;
  const verdicts = verdictsOf(gates, 'count');
  const verdict = withLoose(recount, verdicts);
  const settled = gates.filter(({ claims }) => claims.count !== undefined);
  const good = settled.filter(({ claims }) => claims.count === 'verified').length;
  const waiting = gates.filter(({ end }) => end === 'waiting').length;
  const scope = `${good} of ${counted(settled.length, 'settled gate')} recounted${waiting === 0 ? '' : `, ${waiting} still waiting`}`;
  const failed = settled.filter(({ claims }) => claims.count === 'failed').length;
  const detail =
    verdict === 'verified'
      ? recountedWords(settled)
      : verdict === 'failed'
        ? counted(
            Math.max(failed, 1),
            'gate does not give the recorded count again',
            'gates do not give the recorded count again',
          )
        : settled.length === 0
          ? 'no settled gate was found to count'
          : 'a key, a policy or the means to judge a certificate is missing';
  return claimOf('count', verdict, scope, detail);
}

/** What was counted again. A decision without a signature is as good as whoever wrote the journal. */
function recountedWords(settled: readonly GateAudit[]): string {
  const unsigned = settled.filter(({ policy }) => policy?.kind === 'single').length;
  const signed = 'counted again from the signatures, each gives the recorded count under the policy that you expect';
  const word = `${counted(unsigned, 'gate wants', 'gates want')} one decision without a signature, and it is there; who made it, the journal cannot show`;
  if (unsigned === 0) return signed;
  return unsigned === settled.length ? word : `${signed}; ${word}`;
}

function outcomeClaim(recount: Recount): Claim {
  const { gates } = recount;
  const verdict = withLoose(recount, verdictsOf(gates, 'outcome'));
  const bad = gates.filter(({ claims }) => claims.outcome === 'failed');
  const unapproved = gates.filter(({ findings }) =>
    findings.some(({ code }) => code === 'approval/ran-without-approval' || code === 'approval/ran-after-denial'),
  ).length;
  const scope = `${counted(gates.length, 'gated call')}, ${counted(recount.ungated, 'call')} without a gate`;
  const detail =
    verdict === 'verified'
      ? 'nothing that needed an approval ran without it, and what was refused did not run'
      : unapproved > 0
        ? `${counted(unapproved, 'call')} ran without, or against, the decision of the people asked`
        : verdict === 'failed'
          ? `what ran does not agree with what was decided at ${counted(Math.max(bad.length, 1), 'gate')}`
          : gates.length === 0
            ? 'no gated call was found'
            : 'calls ran on recorded counts that could not be counted again';
  return claimOf('outcome', verdict, scope, detail);
}

function disclosureClaim(recount: Recount): Claim {
  const verdict = withLoose(recount, verdictsOf(recount.gates, 'disclosure'));
  const named = recount.gates.reduce((sum, { outcome }) => sum + (outcome?.tally.records.length ?? 0), 0);
  const detail =
    verdict === 'verified'
      ? 'every record that a count names is there'
      : verdict === 'failed'
        ? 'a record that a count names is missing, redacted or out of order'
        : 'no count names any record';
  return claimOf('disclosure', verdict, `${counted(named, 'decision')} named by counts`, detail);
}

/** How sure it is that a key is a person. A bare key proves only itself: whose it is, the trust file says. */
function identityClaim(gates: readonly GateAudit[]): Claim {
  const counted = gates.flatMap(({ count }) => count?.checks.filter((check) => check.counted) ?? []);
  const tiers = new Map<string, number>();
  for (const { tier = 'bare key' } of counted) tiers.set(tier, (tiers.get(tier) ?? 0) + 1);
  const scope = counted.length === 0 ? 'no counted decision' : [...tiers].map(([tier, n]) => `${n} ${tier}`).join(', ');
  const certified = counted.length > 0 && counted.every(({ tier }) => tier !== undefined);
  if (certified)
    return claimOf('identity', 'verified', scope, 'each counted decision carries a certificate that was judged');
  return {
    claim: 'identity',
    verdict: 'undecided',
    grade: counted.length === 0 ? 'none' : 'asserted',
    scope,
    detail: 'that a key belongs to the approver it is listed under is the word of the trust file',
  };
}

function countsOf({ gates, ungated }: Recount): Readonly<Record<string, number>> {
  const ends = (end: GateAudit['end']) => gates.filter((gate) => gate.end === end).length;
  const checks = gates.flatMap(({ count }) => count?.checks ?? []);
  return {
    gates: gates.length,
    calls_without_gate: ungated,
    passed: ends('passed'),
    denied: ends('denied'),
    expired: ends('expired'),
    waiting: ends('waiting'),
    decisions: checks.length,
    decisions_counted: checks.filter(({ counted }) => counted).length,
    decisions_not_counted: checks.filter(({ counted }) => !counted).length,
  };
}

function missingOf(
  { gates, missing: known }: Recount,
  claims: readonly Claim[],
  identified: boolean,
): readonly Missing[] {
  const missing: Missing[] = [];
  const add = (claim: string, item: string, who: string) => missing.push({ claim, item, who, from: null });
  for (const { claim, verdict } of claims) {
    if (verdict !== 'undecided' || (claim === 'identity' && identified)) continue;
    if (claim === 'identity')
      add(
        claim,
        'certificates that bind each key to a person, or the approver\u2019s own confirmation of the key',
        'whoever enrols the approvers',
      );
    else if (gates.length === 0)
      add(claim, 'a gate in a trust file that names the calls which need approval', 'you, from the rules of the house');
    else if (gates.every(({ claims: own }) => own[claim as keyof GateAudit['claims']] === undefined)) {
      if (gates.some(({ end }) => end === 'waiting'))
        add(claim, 'the recorded count of a gate that still waits', 'the run, once its approvers have decided');
      else add(claim, 'the record of the count, and the decisions that it names', 'the operator of the run');
    } else if (claim === 'outcome') {
      for (const { item, who } of distinct(known)) add(claim, item, who);
      if (known.length === 0) add(claim, 'the record that asked for each call', 'the operator of the run');
    }
  }
  return missing;
}

function distinct(missing: readonly Missing[]): readonly Missing[] {
  const seen = new Set<string>();
  return missing.filter(({ claim, item }) => {
    const key = `${claim}\n${item}`;
    return !seen.has(key) && seen.add(key).size > 0;
  });
}

function notSupplied(
  recount: Recount,
  trust: Trust,
  judge: DecisionJudge | undefined,
  unattested: number,
): readonly string[] {
  const items: string[] =
    unattested > 0 ? ['a signed head of this journal: records, and whole gates, may have been left out'] : [];
  if (!recount.expectationsGiven) items.push('the policies that calls must meet (gates of a trust file)');
  if (trust.approvers.length === 0) items.push('the public keys of the approvers');
  const bound = recount.gates.some(({ count }) => (count?.notEvaluated.length ?? 0) > 0);
  if (bound && judge === undefined) items.push('what judges certificates: policies, anchors, rosters, status');
  return items;
}

function timelineOf(gate: GateAudit, journal: Journal): readonly TimelineRow[] {
  const lane = gate.call;
  const rows: TimelineRow[] = [];
  const policy = gate.policy === undefined ? 'policy unknown' : describePolicy(gate.policy);
  const from = gate.policyFrom === 'trust' ? '' : gate.policyFrom === 'journal' ? ', by the journal\u2019s word' : '';
  if (gate.request !== undefined)
    rows.push({
      time: null,
      type: 'call',
      text: `${gate.tool} was asked for (needs ${policy}${from})`,
      entry: gate.request.name,
      lane,
    });
  for (const check of gate.count?.checks ?? []) {
    const record = journal.records[check.position]?.record;
    const said = check.approved ? 'approved' : 'denied';
    const why = check.reason === undefined ? '' : `, not counted: ${reasonText(check.reason)}`;
    rows.push({
      time: record?.decidedAt === undefined || record.decidedAt === '' ? null : record.decidedAt,
      type: 'decision',
      text: `${check.approver} ${said}${why}`,
      entry: check.name,
      lane,
      ...(check.counted ? { tier: check.tier ?? 'bare key' } : {}),
      verdict: check.counted
        ? 'verified'
        : check.reason === 'no_key' || check.reason === 'not_evaluated'
          ? 'undecided'
          : 'failed',
    });
  }
  if (gate.outcome !== undefined) {
    const { tally } = gate.outcome;
    rows.push({
      time: null,
      type: 'approval',
      text: `counted: ${tally.approved} of ${tally.need} approved, ${tally.denied} denied`,
      entry: gate.outcome.name,
      lane,
      ...(gate.claims.count === undefined ? {} : { verdict: gate.claims.count }),
    });
  }
  rows.push({
    time: null,
    type: 'call',
    text: `${gate.end}${gate.ran ? ', and the call has a result or was tried' : ', and nothing ran'}`,
    lane,
    ...(gate.claims.outcome === undefined ? {} : { verdict: gate.claims.outcome }),
  });
  return rows;
}
