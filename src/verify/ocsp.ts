/** Kind `ocsp`: who signed this response, and what it says of which certificates (RFC 6960). */
import { hex } from '../bytes/encoding.ts';
import { type Claim, type Finding, type Missing, mergeVerdicts, type Verdict } from '../finding/finding.ts';
import { catalogue } from '../pki/catalogue.ts';
import {
  type BasicResponse,
  type IssuerContext,
  issuedBy,
  parseOcsp,
  responderOf,
  responseStatusName,
  type SingleResponse,
} from '../pki/ocsp.ts';
import { buildPath } from '../pki/pathBuilding.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { claimOf, unreadOutcome } from './artifact.ts';
import { sniffAsn1 } from './asn1Sniff.ts';
import type { KindVerifier, Outcome } from './kind.ts';
import { inputBlocks, missingOf, type PkiSources, pkiSources } from './pkiSources.ts';

const REQUIRED = ['authorship'] as const;
/** Answers that a claim tells in words. */
const TOLD = 20;

export const verifier: KindVerifier = {
  kind: 'ocsp',
  detect: (prefix) => sniffAsn1(prefix) === 'ocsp',
  verify(input, context): Outcome {
    const blocks = inputBlocks(input, 'OCSP RESPONSE');
    if (blocks.value === undefined) return unreadOutcome([blocks.finding], REQUIRED);
    const block = blocks.value.find(({ label }) => label === 'OCSP RESPONSE');
    const read = block === undefined ? undefined : parseOcsp(block.der);
    if (read?.value === undefined) return unreadOutcome(read === undefined ? [] : [read.finding], REQUIRED);
    const sources = pkiSources(context);
    if (sources.findings.some((finding) => finding.class === 'unusable'))
      return unreadOutcome(sources.findings, REQUIRED);
    const { basic, responseStatus, sha256 } = read.value;
    const part = `OCSP response ${sha256.slice(0, 16)}`;
    const subject = { format: 'OCSP response', status: responseStatusName(responseStatus), sha256 };
    if (basic !== undefined) return judge(basic, part, subject, sources, context.now());
    const refused = catalogue.find('pki/ocsp-unsuccessful', `the responder says ${subject.status}`, {
      where: { part },
    });
    return { ...unreadOutcome([...sources.findings, refused], REQUIRED), subject };
  },
};

function judge(
  basic: BasicResponse,
  part: string,
  subject: Outcome['subject'],
  sources: PkiSources,
  at: Instant | undefined,
): Outcome {
  const { authorship, findings, missing } = judgeAuthorship(basic, part, sources, at);
  for (const oid of new Set([...basic.unknownCritical, ...basic.responses.flatMap((one) => one.unknownCritical)]))
    findings.push(
      catalogue.find('pki/critical-extension', 'the response has a critical extension without a rule here', {
        where: { part },
        actual: oid,
      }),
    );
  const dates = at === undefined ? [] : dateFindings(basic.responses, part, at);
  const current: Verdict =
    authorship === 'verified' && at !== undefined && dates.length === 0 ? 'verified' : 'undecided';
  const wanted = at === undefined ? '' : ` that was current at ${formatInstant(at)}`;
  missing.push(
    { claim: 'current', item: `a response with a known signer${wanted}`, who: 'the responder', from: null },
    ...(basic.responses.length === 0
      ? [{ claim: 'authorship', item: 'a response with answers', who: 'the responder', from: null }]
      : []),
  );
  const told = tell(basic.responses);
  const claims: readonly Claim[] = [
    claimOf('authorship', authorship, `${basic.responses.length} answers`, told),
    claimOf('current', current, told, at === undefined ? 'no instant was given' : `at ${formatInstant(at)}`),
  ];
  return {
    subject: {
      ...subject,
      produced_at: formatInstant(basic.producedAt),
      responder: basic.responder.name?.text ?? 'by key',
    },
    counts: { responses: basic.responses.length, certificates: basic.certificates.length },
    claims,
    required: REQUIRED,
    findings: [...sources.findings, ...findings, ...dates],
    missing: missingOf(claims, missing),
    notSupplied: ['CRLs for the certificate of the responder: its own revocation would show only in them'],
  };
}

function tell(answers: readonly SingleResponse[]): string {
  const rows = answers.slice(0, TOLD).map(({ serial, answer, revocationTime }) => {
    const since = revocationTime === undefined ? '' : ` at ${formatInstant(revocationTime)}`;
    return `serial ${hex(serial)} ${answer}${since}`;
  });
  const rest = answers.length - rows.length;
  return rows.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

interface Authorship {
  readonly authorship: Verdict;
  readonly findings: Finding[];
  readonly missing: Missing[];
}

/** Every answer must be one of an issuer that is known, and signed for it. Each issuer is judged once. */
function judgeAuthorship(basic: BasicResponse, part: string, sources: PkiSources, at: Instant | undefined): Authorship {
  const pool = [...sources.certificates, ...basic.certificates];
  const issuers: IssuerContext[] = [
    ...sources.anchors,
    ...pool
      .filter((one) => one.basicConstraints?.ca === true)
      .map((certificate) => ({ name: certificate.subject, publicKey: certificate.publicKey, certificate })),
  ];
  const used = new Set<IssuerContext>();
  const verdicts: Verdict[] = [];
  const missing: Missing[] = [];
  const issuerOf = new Map<string, IssuerContext | undefined>();
  for (const answer of basic.responses) {
    const id = `${answer.hash} ${hex(answer.issuerNameHash)} ${hex(answer.issuerKeyHash)}`;
    if (!issuerOf.has(id))
      issuerOf.set(
        id,
        issuers.find((one) => issuedBy(answer, one)),
      );
    else if (issuerOf.get(id) === undefined) continue;
    const issuer = issuerOf.get(id);
    if (issuer !== undefined) used.add(issuer);
    else {
      verdicts.push('undecided');
      const item = `the certificate of the issuer of serial number ${hex(answer.serial)}`;
      missing.push({ claim: 'authorship', item, who: 'the CA', from: null });
    }
  }
  const findings: Finding[] = [];
  for (const issuer of used) verdicts.push(judgeIssuer(basic, issuer, pool, part, sources, at, findings, missing));
  return { authorship: mergeVerdicts(verdicts), findings, missing };
}

/** Whether the response is signed for one issuer, by a signer with a path to an anchor. */
function judgeIssuer(
  basic: BasicResponse,
  issuer: IssuerContext,
  pool: PkiSources['certificates'],
  part: string,
  sources: PkiSources,
  at: Instant | undefined,
  findings: Finding[],
  missing: Missing[],
): Verdict {
  const responder = responderOf(basic, issuer, pool);
  if (responder.problem !== undefined) {
    const code = responder.problem === 'signature' ? 'pki/ocsp-signature' : 'pki/ocsp-responder';
    findings.push(catalogue.find(code, responder.detail, { where: { part } }));
    return 'failed';
  }
  const signer = responder.delegate ?? issuer.certificate;
  const path = signer === undefined ? undefined : buildPath(signer, { pool, anchors: sources.anchors }, { at });
  findings.push(...(path?.findings ?? []));
  if (path?.findings.some((finding) => finding.class === 'not_verified') === true) return 'failed';
  if (at === undefined) {
    missing.push({ claim: 'authorship', item: 'the instant to judge by (--at)', who: 'you', from: null });
    return 'undecided';
  }
  // Without a certificate the issuer is an anchor given as a bare key.
  if (path === undefined || path.valid) return 'verified';
  const item = `a trust anchor above ${issuer.name.text}`;
  missing.push({ claim: 'authorship', item, who: 'whoever maintains the anchors', from: null });
  return 'undecided';
}

/** Answers that are not of the instant: said once for each kind of fault, without an effect of their own. */
function dateFindings(answers: readonly SingleResponse[], part: string, at: Instant): readonly Finding[] {
  const found = new Map<string, Finding>();
  const say = (code: 'pki/ocsp-not-yet-valid' | 'pki/ocsp-stale', message: string): void => {
    if (!found.has(code))
      found.set(code, catalogue.find(code, message, { where: { part }, class: 'none', severity: 'warning' }));
  };
  for (const { thisUpdate, nextUpdate } of answers) {
    if (thisUpdate > at)
      say('pki/ocsp-not-yet-valid', `an answer is from ${formatInstant(thisUpdate)}, after the instant`);
    else if (nextUpdate === undefined) say('pki/ocsp-stale', 'an answer has no nextUpdate');
    else if (nextUpdate < at) say('pki/ocsp-stale', `an answer expired at ${formatInstant(nextUpdate)}`);
  }
  return [...found.values()];
}
