/**
 * Kind `timestamp`: does this RFC 3161 token stamp the bytes given beside it, and did an authority that leads to an anchor say so (audit 5)?
 * The stamped bytes are the companion whose hash is the imprint; a request among the companions with the same imprint gives the nonce.
 */
import { equalBytes, hex } from '../bytes/encoding.ts';
import { readAll } from '../bytes/source.ts';
import type { Claim, Missing, Verdict } from '../finding/finding.ts';
import { catalogue } from '../pki/catalogue.ts';
import { digest } from '../pki/signature.ts';
import { judgeTimestamp, type TimestampJudgement } from '../pki/timestamp.ts';
import { failureName, parseTimestamp, type TimestampToken } from '../pki/timestampToken.ts';
import { formatInstant } from '../time/instant.ts';
import { claimOf, unreadOutcome } from './artifact.ts';
import { sniffAsn1 } from './asn1Sniff.ts';
import type { Input, KindVerifier, Outcome } from './kind.ts';
import { inputBlocks, missingOf, pkiSources } from './pkiSources.ts';

const REQUIRED = ['authorship', 'imprint'] as const;
/** Largest companion that is hashed in search of the stamped bytes. */
const MAX_STAMPED = 1 << 28;

export const verifier: KindVerifier = {
  kind: 'timestamp',
  detect: (prefix) => sniffAsn1(prefix) === 'timestamp',
  verify(input, context): Outcome {
    const blocks = inputBlocks(input, 'TIMESTAMP');
    const der = blocks.value?.[0]?.der;
    if (der === undefined) return unreadOutcome(blocks.finding === undefined ? [] : [blocks.finding], REQUIRED);
    const read = parseTimestamp(der);
    if (read.value === undefined) return unreadOutcome([read.finding], REQUIRED);
    const sources = pkiSources(context);
    if (sources.findings.some((finding) => finding.class === 'unusable'))
      return unreadOutcome(sources.findings, REQUIRED);
    const { token, status, statusText, failures } = read.value;
    if (token === undefined) {
      const words = [...failures.map(failureName), ...statusText].join(', ');
      return unreadOutcome(
        [
          catalogue.find(
            'pki/token-refused',
            `the authority refused with status ${status}: ${words || 'no reason given'}`,
          ),
        ],
        REQUIRED,
      );
    }
    const stamped = stampedCompanion(token, sources.others);
    const request = sources.requests.find(({ imprint }) => sameImprint(imprint, token.info.imprint));
    const judgement = judgeTimestamp(token, {
      ...(stamped === undefined ? {} : { stamped: stamped.bytes }),
      ...(request?.nonce === undefined ? {} : { nonce: request.nonce }),
      anchors: sources.anchors,
      pool: sources.certificates,
      crls: sources.crls,
      ocsp: sources.ocsp,
    });
    const { info } = token;
    const claims = claimsOf(judgement, stamped?.path);
    return {
      subject: {
        format: 'RFC 3161 token',
        gen_time: formatInstant(info.genTime),
        accuracy_nanos: judgement.accuracyStated ? Number(judgement.accuracy) : null,
        policy: info.policy,
        serial: info.serial.toString(16),
        imprint: info.imprint === undefined ? null : hex(info.imprint.digest),
        imprint_hash: info.imprint?.hash ?? info.imprintOid,
        nonce: info.nonce?.toString(16) ?? null,
        signer: judgement.signer?.subject.text ?? null,
        time_evidence: token.sha256,
      },
      counts: { certificates: token.certificates.length, crls: sources.crls.length + token.crls.length },
      claims,
      required: REQUIRED,
      findings: [...sources.findings, ...judgement.findings],
      missing: missingOf(claims, lacking(judgement, token)),
      notSupplied: [
        ...(request === undefined ? ['the request: without it the nonce is not compared'] : []),
        ...(judgement.statusChecked
          ? []
          : ['CRLs of the issuers of the time-stamp authority: a revocation would show only in them']),
      ],
    };
  },
};

type Imprint = TimestampToken['info']['imprint'];

function sameImprint(a: Imprint, b: Imprint): boolean {
  return a !== undefined && b !== undefined && a.hash === b.hash && equalBytes(a.digest, b.digest);
}

function stampedCompanion(
  token: TimestampToken,
  others: readonly Input[],
): { readonly path: string; readonly bytes: Uint8Array } | undefined {
  const { imprint } = token.info;
  if (imprint === undefined) return undefined;
  for (const { path, source } of others) {
    if (source.size > MAX_STAMPED) continue;
    const bytes = readAll(source);
    if (equalBytes(digest(imprint.hash, bytes), imprint.digest)) return { path, bytes };
  }
  return undefined;
}

function claimsOf(judgement: TimestampJudgement, path: string | undefined): readonly Claim[] {
  const { signer, signed, stamps, trusted, genTime, accuracy, accuracyStated, findings } = judgement;
  const failed = findings.some((finding) => finding.class === 'not_verified');
  const authorship: Verdict = failed ? 'failed' : signed && trusted === true ? 'verified' : 'undecided';
  const who = signer?.subject.text ?? 'a signer that could not be told';
  const spread = accuracyStated ? `accurate to ${Number(accuracy) / 1e9} s` : 'accuracy not stated';
  const detail =
    authorship === 'verified'
      ? `signed by ${who}, with a path to a trust anchor at that time`
      : authorship === 'failed'
        ? 'the token does not hold'
        : 'no path to a trust anchor';
  return [
    claimOf('authorship', authorship, `token of ${who}`, detail),
    claimOf(
      'imprint',
      stamps === undefined ? 'undecided' : stamps ? 'verified' : 'failed',
      path ?? 'no file',
      stamps === true ? 'these bytes are what the token stamps' : 'no file given has the stamped hash',
    ),
    {
      claim: 'time',
      verdict: authorship === 'failed' ? 'failed' : 'undecided',
      grade: ({ verified: 'asserted', failed: 'rechecked', undecided: 'none' } as const)[authorship],
      scope: `at or before ${formatInstant(genTime + accuracy)}`,
      detail: `${who} says that the stamped bytes existed by ${formatInstant(genTime)}, ${spread}`,
    },
    claimOf(
      'status',
      judgement.statusChecked ? 'verified' : 'undecided',
      `the path of ${who}`,
      judgement.statusChecked
        ? 'not revoked with effect at or before the time'
        : 'revocation was not checked for every certificate',
    ),
  ];
}

function lacking(judgement: TimestampJudgement, token: TimestampToken): readonly Missing[] {
  const rows: Missing[] = [];
  const { path, stamps, trusted } = judgement;
  const open = path?.findings.find((finding) => finding.code === 'pki/no-path');
  if (trusted !== true && open !== undefined)
    rows.push({
      claim: 'authorship',
      item: open.expected ?? 'a trust anchor',
      who: 'the time-stamp authority',
      from: null,
    });
  else if (trusted !== true)
    rows.push({
      claim: 'authorship',
      item: 'the certificate of the time-stamp authority and its trust anchor',
      who: 'the time-stamp authority',
      from: null,
    });
  if (stamps === undefined)
    rows.push({
      claim: 'imprint',
      item: `the bytes with the ${token.info.imprint?.hash ?? 'stamped'} hash in the token`,
      who: 'whoever had them stamped',
      from: null,
    });
  rows.push({
    claim: 'time',
    item: 'nothing can make it more than the word of the authority',
    who: 'nobody',
    from: null,
  });
  if (!judgement.statusChecked)
    rows.push({
      claim: 'status',
      item: `CRLs current at ${formatInstant(token.info.genTime)} or later, of every issuer of the path`,
      who: 'the issuers of the time-stamp authority',
      from: formatInstant(token.info.genTime),
    });
  return rows;
}
