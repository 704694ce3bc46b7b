/** Time-stamp tokens over a head: the checks of audit spec 5.3 and 5.4, the signer's path judged by whoever knows certificates. */
import { equalBytes, hex } from '../bytes/encoding.ts';
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import { encode } from '../json/shape.ts';
import { DEFAULT_SKEW, headHash, headShape, signedBytes, type TreeHead } from '../log/head.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';
import { IMPRINT_HASHES } from './timestampRequest.ts';
import { readTimeStampToken, type TokenSigner, type TstInfo } from './timestampToken.ts';

/** Judges steps 8 to 11: the signature, the purpose of the certificate, its path to an anchor at genTime and its revocation. */
export type SignerJudge = (signer: TokenSigner) => readonly Finding[] | Promise<readonly Finding[]>;

export interface TimeStampRules {
  /** Allowed policies; any where absent. */
  readonly policies?: readonly string[];
  /** Of the request, where it is at hand. */
  readonly nonce?: bigint;
  /** Nanoseconds between the clock of the log and the time-stamping authority's. */
  readonly tolerance?: Instant;
  /** Certificates that the auditor holds, DER. */
  readonly certificates?: readonly Uint8Array[];
  /** Absent: the path of the signer stays unjudged, and so does the time. */
  readonly judge?: SignerJudge;
}

export interface TimeStampReport {
  readonly findings: readonly Finding[];
  /** That the head existed by `time` + `accuracy`. */
  readonly verdict: Verdict;
  readonly info: TstInfo | undefined;
  /** Hex SHA-256 of the token, as `time_evidence` records it. */
  readonly evidence: string | undefined;
}

/** A gap past which a head looks as a back-dated one does; worth a note, wrong by itself it is not (audit spec 5.4). */
const LATE_STAMP: Instant = 3_600_000_000_000n;

/** Checks a token (or the response around it) over an authenticated head. */
export async function checkTimeStamp(
  bytes: Uint8Array,
  head: TreeHead,
  rules: TimeStampRules = {},
  where: Where = {},
): Promise<TimeStampReport> {
  const read = readTimeStampToken(bytes, rules.certificates);
  if ('unreadable' in read)
    return nothing(
      catalogue.find(
        'evidence/token-unreadable',
        read.ber ? `the token is BER and not DER: ${read.unreadable}` : `the token cannot be read: ${read.unreadable}`,
        { where },
      ),
    );
  if ('refused' in read) return nothing(catalogue.find('evidence/token-refused', read.refused, { where }));
  const { token } = read;
  const findings: Finding[] = token.faults.map((fault) => catalogue.find('evidence/token-structure', fault, { where }));
  if (token.info !== undefined) findings.push(...infoFindings(token.info, head, rules, where));
  if (token.sha1Only)
    findings.push(
      catalogue.find('evidence/token-sha1', "the token names its signer's certificate by a SHA-1 hash only", { where }),
    );
  if (token.signer !== undefined && rules.judge !== undefined) findings.push(...(await rules.judge(token.signer)));
  else if (token.faults.length === 0)
    findings.push(
      catalogue.find(
        'evidence/token-signer-unjudged',
        'the signature and the path of the time-stamping authority were not judged',
        {
          where,
        },
      ),
    );
  const failed = findings.some((finding) => finding.class === 'not_verified');
  const open = findings.some((finding) => finding.class !== 'none');
  return {
    findings,
    verdict: failed ? 'failed' : open ? 'undecided' : 'verified',
    info: token.info,
    evidence: token.evidence,
  };
}

function nothing(finding: Finding): TimeStampReport {
  return {
    findings: [finding],
    verdict: finding.class === 'not_verified' ? 'failed' : 'undecided',
    info: undefined,
    evidence: undefined,
  };
}

/** Steps 3 to 5, and the head's own time (5.4). */
function infoFindings(info: TstInfo, head: TreeHead, rules: TimeStampRules, where: Where): readonly Finding[] {
  const findings: Finding[] = [];
  const hash = IMPRINT_HASHES.find((candidate) => candidate.oid === info.imprint.oid);
  const expected = hash?.hash(signedBytes(head));
  if (hash !== undefined && expected !== undefined && !equalBytes(expected, info.imprint.hash)) {
    const other = otherImprint(head, hash.hash, info.imprint.hash);
    findings.push(
      catalogue.find(
        'evidence/token-imprint',
        other === undefined
          ? 'the token is over something else than this head'
          : `the token is over ${other}, which is not what a head is stamped by`,
        { where, expected: hex(expected), actual: hex(info.imprint.hash) },
      ),
    );
  }
  if (rules.policies !== undefined && rules.policies.length > 0 && !rules.policies.includes(info.policy))
    findings.push(
      catalogue.find('evidence/token-policy', 'the token was issued under a policy that is not allowed', {
        where,
        expected: rules.policies.join(' or '),
        actual: info.policy,
      }),
    );
  if (rules.nonce !== undefined && info.nonce !== rules.nonce)
    findings.push(
      catalogue.find('evidence/token-nonce', 'the token does not answer this request: its nonce is another', {
        where,
        expected: rules.nonce.toString(16),
        actual: info.nonce?.toString(16) ?? 'none',
      }),
    );
  if (info.accuracy === undefined)
    findings.push(
      catalogue.find('evidence/token-accuracy', 'the token does not state how accurate its time is', { where }),
    );
  const latest = info.genTime + (info.accuracy ?? 0n);
  const stamped = head.timestamp_nanos;
  if (stamped > latest + (rules.tolerance ?? DEFAULT_SKEW))
    findings.push(
      catalogue.find('evidence/token-head-time', 'the head says that it is younger than the token over it', {
        where,
        expected: `at most ${formatInstant(latest + (rules.tolerance ?? DEFAULT_SKEW))}`,
        actual: formatInstant(stamped),
      }),
    );
  else if (info.genTime - stamped > LATE_STAMP)
    findings.push(
      catalogue.find('evidence/token-late', 'the head was stamped long after the time that it names itself', {
        where,
        expected: formatInstant(stamped),
        actual: formatInstant(info.genTime),
      }),
    );
  return findings;
}

/** Whether the imprint is one of the two other candidates of audit spec 5.1. */
function otherImprint(
  head: TreeHead,
  hash: (message: Uint8Array) => Uint8Array,
  imprint: Uint8Array,
): string | undefined {
  if (equalBytes(hash(encode(headShape, head)), imprint)) return "the head's JSON";
  return equalBytes(hash(headHash(head)), imprint) ? "the head's hash, hashed again" : undefined;
}
