/**
 * Certificate-bound approvers on the road: the judge under the trust files, heads and status archive given, and what it found as claims,
 * timeline and missing items for people (approver-identity 18, 19). Loaded only when the trust speaks of certificates.
 */

import type { GateAudit } from '../approval/audit.ts';
import { trustResolver } from '../approval/verifier.ts';
import { readAll } from '../bytes/source.ts';
import type { Claim, Finding, Missing, Verdict } from '../finding/finding.ts';
import { mergeVerdicts } from '../finding/finding.ts';
import { counted } from '../finding/words.ts';
import type { GivenTime } from '../identity/anchored.ts';
import { catalogue } from '../identity/catalogue.ts';
import type { Judgement } from '../identity/decision.ts';
import { digestOf } from '../identity/digests.ts';
import { inWords, reliedOn, reproducibleUntil, whatWouldChange } from '../identity/explain.ts';
import type { DecisionIdentity, GateIdentity } from '../identity/gateAudit.ts';
import { IdentityJudge } from '../identity/judge.ts';
import type { IdentityPolicy } from '../identity/policy.ts';
import { readIdentitySections } from '../identity/policyFile.ts';
import { DEFAULT_READINGS } from '../identity/readings.ts';
import type { Journal } from '../journal/record.ts';
import { ANCHOR_RECEIPT_FORMAT, anchorReceiptVerifier } from '../log/anchor.ts';
import type { TreeHead } from '../log/head.ts';
import { trustedAnchorRoots } from '../log/trustSections.ts';
import { parseTimestamp } from '../pki/timestampToken.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { logRing } from './artifact.ts';
import { headsBeside } from './beside.ts';
import type { Input, TimelineRow, VerifyContext } from './kind.ts';
import { pkiSources } from './pkiSources.ts';
import { topFormat } from './topFormat.ts';

/** The judge of a journal's certificate-bound decisions, and what is wrong with what it judges by. */
export interface Certified {
  readonly judge: IdentityJudge;
  readonly findings: readonly Finding[];
}

/**
 * Undefined where no trust file has a policy of certificates.
 *
 * @param proven the head of a package, whose proofs show every record of the selection.
 */
export function certifiedBy(context: VerifyContext, journal: Journal, proven?: TreeHead): Certified | undefined {
  const { trust } = context;
  const read = readIdentitySections(trust);
  if (read === undefined) return undefined;
  const sources = pkiSources(context);
  const times: GivenTime[] = sources.others.flatMap(timeOf);
  const anchorRoots = trustedAnchorRoots(trust);
  const beside = headsBeside(context).map(({ path, value }) => ({ head: value, part: path }));
  const heads = proven === undefined ? beside : [{ head: proven, part: 'the package' }, ...beside];
  const asOf =
    context.now() ??
    latest(
      heads.map(({ head }) => head.timestamp_nanos),
      sources.crls.map((crl) => crl.thisUpdate),
    );
  const judge = new IdentityJudge(journal, {
    trust: read.trust,
    ring: [...logRing(context), ...read.trust.logKeys],
    heads,
    times,
    receipts: anchorReceiptVerifier(anchorRoots.roots),
    crls: sources.crls,
    ocsp: sources.ocsp,
    asOf,
    readings: DEFAULT_READINGS,
    bare: trustResolver(trust),
    ...(proven === undefined ? {} : { proven }),
  });
  return { judge, findings: [...read.findings, ...sources.findings, ...anchorRoots.findings] };
}

/** Without an instant to judge by, the latest time in the evidence is it (18.2). */
function latest(...lists: readonly (readonly Instant[])[]): Instant {
  return (
    lists
      .flat()
      .sort((a, b) => (a < b ? -1 : 1))
      .at(-1) ?? 0n
  );
}

/** A token or a receipt among the files of the archive. */
function timeOf({ source }: Input): readonly GivenTime[] {
  if (source.size > 1 << 20) return [];
  const bytes = readAll(source);
  if (topFormat(new TextDecoder().decode(bytes.subarray(0, 4096))) === ANCHOR_RECEIPT_FORMAT)
    return [{ headHash: undefined, proof: { kind: 'anchor-receipt', receipt: bytes, sha256: digestOf(bytes) } }];
  const token = bytes[0] === 0x30 ? parseTimestamp(bytes).value?.token : undefined;
  return token === undefined ? [] : [{ headHash: undefined, proof: { kind: 'rfc3161', token } }];
}

/** What the certificates of a run say, beside the count. */
export interface CertifiedClaims {
  readonly identity: Claim | undefined;
  /** What the count can at most be where a gate's people are not identified. */
  readonly count: Verdict | undefined;
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
  readonly timeline: readonly TimelineRow[];
  readonly notSupplied: readonly string[];
  /** Records that a signed head covers; 0 without one. */
  readonly attested: number;
}

export function certifiedClaims({ judge, findings }: Certified, gates: readonly GateAudit[]): CertifiedClaims {
  const run = judge.audit(gates);
  // A gate that still waits says nothing yet; nothing checked is nothing verified (law 2).
  const settled = run.gates.filter(({ gate, verdict }) => gate.outcome !== undefined || verdict === 'failed');
  const verdict = settled.length === 0 ? undefined : mergeVerdicts(settled.map(verdictOf));
  const silent = verdict === 'verified' && settled.every(({ decisions }) => decisions.length === 0);
  return {
    identity: verdict === undefined || silent ? undefined : identityClaim(settled, verdict),
    count: verdict,
    findings: [
      ...findings,
      ...run.findings,
      ...run.gates.flatMap((gate) => [...gate.findings, ...gate.decisions.flatMap(standing)]),
    ],
    missing: run.missing,
    attested: run.attested,
    timeline: run.gates.flatMap(timelineOf),
    notSupplied:
      run.gates.length === 0
        ? []
        : [
            'later revocation lists of the CAs: one could still date a revocation back before a decision',
            'other signed heads of the run, and time stamps over them: one could contradict the times used here, or move them',
          ],
  };
}

/** What may be relied on of one counted decision, as a note of the report: every format shows notes. */
function standing({ record, approver, audit, policy }: DecisionIdentity): readonly Finding[] {
  if (audit?.counts !== true) return [];
  return [
    catalogue.find('identity/decision-stands', inFull(approver, audit, policy), {
      where: { entry: record.name, pointer: `/records/${record.position}` },
      actual: `${audit.tier}, ${audit.basis}`,
    }),
  ];
}

function verdictOf({ verdict }: GateIdentity): Verdict {
  return verdict === 'verified' ? 'verified' : verdict === 'failed' ? 'failed' : 'undecided';
}

function identityClaim(gates: readonly GateIdentity[], verdict: Verdict): Claim {
  const decisions = gates.flatMap((gate) => gate.decisions);
  const good = decisions.filter(({ audit }) => audit?.counts === true);
  const tiers = new Map<string, number>();
  for (const { audit } of good) tiers.set(audit?.tier ?? '', (tiers.get(audit?.tier ?? '') ?? 0) + 1);
  const scope = `${good.length} of ${counted(decisions.length, 'counted certificate-bound decision')}${tiers.size === 0 ? '' : `: ${[...tiers].map(([tier, n]) => `${n} ${tier}`).join(', ')}`}`;
  const ends = good.flatMap(({ audit, policy }) =>
    audit === undefined ? [] : (reproducibleUntil(audit, policy) ?? []),
  );
  const end = ends.reduce<Instant | undefined>(
    (least, one) => (least === undefined || one < least ? one : least),
    undefined,
  );
  const provisional = (tiers.get('provisional') ?? 0) > 0;
  const detail =
    verdict === 'failed'
      ? 'a counted decision is not the certified act of the person it is counted for, or the records about it do not hold'
      : verdict === 'undecided'
        ? 'something is missing to say whose decisions these are'
        : provisional
          ? 'each counted decision carries a certificate that was good as far as the lists given reach; a later list could still say otherwise'
          : 'each counted decision carries a certificate that was good when the decision became provable, and the time to report a loss has passed';
  return {
    claim: 'identity',
    verdict,
    grade: verdict === 'undecided' ? 'none' : 'rechecked',
    scope,
    detail,
    ...(end === undefined || verdict === 'undecided' ? {} : { reproducible_until: formatInstant(end) }),
  };
}

/** For each counted decision: tier, basis, times, the bytes relied on, what would change it, and the same under the other policies. */
function timelineOf({ gate, decisions }: GateIdentity): readonly TimelineRow[] {
  return decisions.flatMap((decision) => [
    rowOf(gate.call, decision),
    ...decision.others.map(({ id, policy, judgement }): TimelineRow => {
      const text = `under the policy ${id}: ${inWords(judgement, policy)} (EN 319 102-1: ${judgement.en})`;
      return { time: null, type: 'identity', text, entry: decision.record.name, lane: gate.call };
    }),
  ]);
}

/** A judgement with its term, the bytes relied on, until when they suffice, and what would change it. */
function inFull(approver: string, audit: Judgement, policy: IdentityPolicy): string {
  const until = reproducibleUntil(audit, policy);
  return [
    `${approver}${audit.identifier === undefined ? '' : ` (${audit.identifier})`}: ${inWords(audit, policy)}`,
    `EN 319 102-1: ${audit.en}.`,
    ...(audit.counts
      ? [
          `Relied on: ${reliedOn(audit)
            .map(({ what, sha256 }) => `${what} ${sha256}`)
            .join(', ')}.`,
        ]
      : []),
    ...(until === undefined ? [] : [`The same bytes give this answer until ${formatInstant(until)}.`]),
    `What would change it: ${whatWouldChange(audit, policy)}.`,
  ].join(' ');
}

function rowOf(call: string, { approver, record, audit, policy }: DecisionIdentity): TimelineRow {
  const place = { entry: record.name, lane: call };
  if (audit === undefined)
    return {
      time: null,
      type: 'identity',
      text: `${approver}: not judged, the identity map does not name the approver`,
      verdict: 'undecided',
      ...place,
    };
  return {
    time: audit.anchored === undefined ? null : formatInstant(audit.anchored.a),
    type: 'identity',
    text: inFull(approver, audit, policy),
    verdict: audit.counts
      ? 'verified'
      : audit.class === 'permanent' || audit.class === 'integrity'
        ? 'failed'
        : 'undecided',
    ...(audit.tier === undefined ? {} : { tier: audit.tier }),
    ...place,
  };
}
