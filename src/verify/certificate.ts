/**
 * Kind `certificate`: has this certificate a valid path to an anchor at the instant, and what do the lists say of it (RFC 5280 6.1, 6.3)?
 * In a PEM file the first certificate is judged and the others are candidates for its path, as openssl's users expect.
 */
import { type Claim, type Finding, type Missing, mergeVerdicts, type Verdict } from '../finding/finding.ts';
import { catalogue } from '../pki/catalogue.ts';
import { type Certificate, parseCertificate } from '../pki/certificate.ts';
import { buildPath, type JudgedPath } from '../pki/pathBuilding.ts';
import { pathStatus, type StatusJudgement } from '../pki/revocation.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { claimOf, unreadOutcome } from './artifact.ts';
import { sniffAsn1 } from './asn1Sniff.ts';
import type { KindVerifier, Outcome } from './kind.ts';
import { allWords } from './opensslWords.ts';
import { inputBlocks, missingOf, type PkiSources, pkiSources } from './pkiSources.ts';

const REQUIRED = ['path'] as const;

export const verifier: KindVerifier = {
  kind: 'certificate',
  detect: (prefix) => sniffAsn1(prefix) === 'certificate',
  verify(input, context) {
    const blocks = inputBlocks(input, 'CERTIFICATE');
    if (blocks.value === undefined) return unreadOutcome([blocks.finding], REQUIRED);
    const findings: Finding[] = [];
    const certificates: Certificate[] = [];
    for (const [i, { der, label, byte }] of blocks.value.entries()) {
      if (!label.endsWith('CERTIFICATE')) continue;
      const read = parseCertificate(der, `certificate ${i + 1}`);
      if (read.value !== undefined) certificates.push(read.value);
      else
        findings.push(
          byte > 0 || i > 0 ? { ...read.finding, where: { byte, part: `certificate ${i + 1}` } } : read.finding,
        );
    }
    const [target] = certificates;
    if (target === undefined || findings.length > 0) return unreadOutcome(findings, REQUIRED);
    const sources = pkiSources(context);
    if (sources.findings.some((finding) => finding.class === 'unusable'))
      return unreadOutcome(sources.findings, REQUIRED);
    return judge(target, certificates.slice(1), sources, context.now());
  },
};

function judge(
  target: Certificate,
  beside: readonly Certificate[],
  sources: PkiSources,
  at: Instant | undefined,
): Outcome {
  const pool = [...beside, ...sources.certificates];
  const path = buildPath(target, { pool, anchors: sources.anchors }, { at });
  const dateless =
    at === undefined ? [catalogue.find('pki/no-instant', 'no instant to judge validity by was given')] : [];
  const statuses =
    at === undefined || path.anchor === undefined
      ? []
      : pathStatus(
          path.path,
          path.anchor,
          { crls: sources.crls, ocsp: sources.ocsp, pool: [...pool, ...path.path] },
          at,
        );
  const claims = [pathClaim(path, at), statusClaim(path, statuses, at)];
  // Unknown status is a claim that stays open, not a fault: the caller decides whether it is required.
  const statusFindings = statuses
    .flatMap(({ findings }) => findings)
    .map((finding): Finding => (finding.class === 'no_verdict' ? { ...finding, class: 'none' } : finding));
  return {
    subject: subjectOf(target, path),
    counts: { certificates: path.path.length, crls: sources.crls.length, ocsp_responses: sources.ocsp.length },
    claims,
    required: REQUIRED,
    findings: [...sources.findings, ...dateless, ...path.findings, ...statusFindings],
    missing: missingOf(claims, missing(path, statuses, at)),
    notSupplied: [
      ...(sources.crls.length + sources.ocsp.length === 0
        ? ['CRLs and OCSP responses: a revocation would show only in them']
        : []),
      'later lists: a revocation that reaches back before the instant would show in them',
    ],
  };
}

function subjectOf(target: Certificate, path: JudgedPath): Outcome['subject'] {
  return {
    format: `X.509 v${target.version}`,
    subject: target.subject.text,
    issuer: target.issuer.text,
    serial: target.serialHex,
    not_before: formatInstant(target.notBefore),
    not_after: formatInstant(target.notAfter),
    sha256: target.sha256,
    key_sha256: target.publicKey.sha256,
    depth: path.anchor === undefined ? null : path.path.length,
    anchor: path.anchor?.name.text ?? null,
  };
}

function pathClaim(path: JudgedPath, at: Instant | undefined): Claim {
  const against = path.findings.filter((finding) => finding.class !== 'none');
  const failed = against.some((finding) => finding.class === 'not_verified');
  const verdict: Verdict = failed ? 'failed' : path.valid && at !== undefined ? 'verified' : 'undecided';
  const chain = [
    ...path.path.map(({ subject }) => subject.text),
    ...(path.anchor === undefined ? [] : [path.anchor.name.text]),
  ];
  const scope = `depth 0 to ${path.path.length}: ${chain.join(' <- ')}`;
  const instant = at === undefined ? 'no instant was given' : `at ${formatInstant(at)}`;
  const detail =
    verdict === 'verified'
      ? path.path.length === 0
        ? `it is itself a trust anchor, ${instant}`
        : `a valid path to a trust anchor, ${instant}`
      : allWords(against) || instant;
  const claim = claimOf('path', verdict, scope, detail);
  const ends = path.path.map(({ notAfter }) => notAfter);
  return verdict !== 'verified' || ends.length === 0
    ? claim
    : { ...claim, reproducible_until: formatInstant(earliest(ends)) };
}

function statusClaim(path: JudgedPath, statuses: readonly StatusJudgement[], at: Instant | undefined): Claim {
  const verdicts = statuses.map(
    ({ status }): Verdict =>
      status === 'good' ? 'verified' : status === 'revoked' || status === 'on-hold' ? 'failed' : 'undecided',
  );
  const verdict =
    path.valid && path.path.length > 0 ? mergeVerdicts(verdicts) : verdicts.includes('failed') ? 'failed' : 'undecided';
  const good = verdicts.filter((one) => one === 'verified').length;
  const words = statuses.map(({ status }, depth) => `depth ${depth} ${status}`).join(', ');
  const claim = claimOf(
    'status',
    verdict,
    `${good} of ${path.path.length} certificates`,
    words === '' ? 'no status was judged' : words,
  );
  const ends = statuses.flatMap(({ evidence }) =>
    evidence.flatMap(({ nextUpdate }) => (nextUpdate === undefined ? [] : [nextUpdate])),
  );
  if (verdict !== 'verified' || at === undefined || ends.length === 0) return claim;
  return { ...claim, reproducible_until: formatInstant(earliest(ends)) };
}

function earliest(instants: readonly Instant[]): Instant {
  return [...instants].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))[0] as Instant;
}

function missing(path: JudgedPath, statuses: readonly StatusJudgement[], at: Instant | undefined): readonly Missing[] {
  const rows: Missing[] = [];
  const open = path.findings.find((finding) => finding.code === 'pki/no-path');
  if (open !== undefined)
    rows.push({
      claim: 'path',
      item: open.expected ?? 'the issuer certificate or a trust anchor',
      who: 'the CA, or whoever maintains the anchors',
      from: null,
    });
  if (at === undefined) rows.push({ claim: 'path', item: 'the instant to judge by (--at)', who: 'you', from: null });
  for (const [depth, { status }] of statuses.entries()) {
    const certificate = path.path[depth];
    if (certificate === undefined || (status !== 'unknown' && status !== 'stale')) continue;
    const when = at === undefined ? '' : ` that was current at ${formatInstant(at)}`;
    rows.push({
      claim: 'status',
      item: `a CRL or OCSP response of ${certificate.issuer.text}${when}, for depth ${depth}`,
      who: certificate.issuer.text,
      from: null,
    });
  }
  if (statuses.length === 0 && path.path.length > 0)
    rows.push({ claim: 'status', item: 'an instant and a path', who: 'you', from: null });
  if (path.path.length === 0)
    rows.push({
      claim: 'status',
      item: 'a statement of whoever maintains the anchors: no list covers a trust anchor',
      who: 'whoever maintains the anchors',
      from: null,
    });
  return rows;
}
