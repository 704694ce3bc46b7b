/**
 * What a judgement means to somebody who is no cryptographer: in words, what it rests on byte for byte, what is missing and from when that can
 * exist, until when the given bytes give the same answer, and what would change it.
 */
import { reasonText } from '../approval/reasons.ts';
import type { Missing } from '../finding/finding.ts';
import { formatDuration } from '../time/duration.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import type { CertificateFacts, Judgement } from './decision.ts';
import type { IdentityPolicy } from './policy.ts';

/** One thing that a judgement relies on, by the hash of its bytes. */
export interface Relied {
  readonly what:
    | 'certificate'
    | 'anchor key'
    | 'signed head'
    | 'time-stamp token'
    | 'anchor receipt'
    | 'revocation list';
  readonly sha256: string;
}

/** The exact bytes that a decision that counts rests on. */
export function reliedOn({ path, anchored, certificates }: Judgement): readonly Relied[] {
  const relied: Relied[] = [];
  for (const { sha256 } of path?.certificates ?? []) relied.push({ what: 'certificate', sha256 });
  if (path !== undefined) relied.push({ what: 'anchor key', sha256: path.anchorKey });
  if (anchored !== undefined) {
    relied.push({ what: 'signed head', sha256: anchored.head.hash });
    if (anchored.evidence !== undefined)
      relied.push({
        what: anchored.source === 'rfc3161' ? 'time-stamp token' : 'anchor receipt',
        sha256: anchored.evidence,
      });
  }
  for (const { answer } of certificates) {
    if (answer.result === 'good') relied.push({ what: 'revocation list', sha256: answer.rests.id });
    if (answer.result === 'revoked') relied.push({ what: 'revocation list', sha256: answer.list });
  }
  return relied;
}

const SOURCE_WORDS = {
  'log-signer-clock': 'by the clock of the log, which is the word of its keeper',
  rfc3161: 'by a time-stamp authority',
  'anchor-receipt': 'by another log that published it',
} as const;

/** A judgement in a few sentences. */
export function inWords(judgement: Judgement, policy: IdentityPolicy): string {
  const { anchored, tier, basis, statusTime, window, cause } = judgement;
  if (!judgement.counts) {
    if (cause === undefined) return 'it was not judged: the form of the identifiers is not known';
    return `it does not count: ${reasonText(cause.reason)} (${cause.detail})`;
  }
  if (anchored === undefined || statusTime === undefined || window === undefined) return 'it counts';
  const when = `It is shown to have existed by ${formatInstant(anchored.a)}, ${SOURCE_WORDS[anchored.source]}.`;
  const status =
    basis === 'at-or-after-decision'
      ? `A list of ${formatInstant(statusTime)}, from after the decision, does not revoke any certificate of the chain.`
      : `The newest list is of ${formatInstant(statusTime)}, from before the decision: that the certificates were good when it was made is not shown yet.`;
  const firm =
    tier === 'provisional'
      ? `The answer is provisional: the CA has ${formatDuration(policy.w)} after the decision to report a loss of the key, and the lists given do not yet settle that time.`
      : `The answer is final: the lists cover the ${formatDuration(window)} in which the CA promises to report a loss of the key.`;
  return `${when} ${status} ${firm}`;
}

/** The instant from which a list can settle the certificate finally: thisUpdate at or after it (15.4). */
function finalFrom({ answer, issuerKey }: CertificateFacts, policy: IdentityPolicy): Instant | undefined {
  return answer.result === 'good' && !answer.final ? answer.target + policy.thisUpdateSkew(issuerKey) : undefined;
}

/** What would make a provisional decision final, or what would turn a final one; in words. */
export function whatWouldChange(judgement: Judgement, policy: IdentityPolicy): string {
  const { anchored, tier, certificates, cause } = judgement;
  if (!judgement.counts) {
    if (cause?.reason === 'revoked') return 'nothing: a revocation that reaches back before the decision stays one';
    return judgement.class === 'wait'
      ? 'the missing item would decide it'
      : 'nothing that can be supplied later: a new decision would be needed';
  }
  const a = anchored === undefined ? 'then' : formatInstant(anchored.a);
  if (tier !== 'provisional')
    return `only a revocation that the CA dates back before ${a} against its own promise, or proof that the log's clock was wrong`;
  const open = certificates.flatMap((facts) => {
    const from = finalFrom(facts, policy);
    if (from === undefined) return [];
    return [
      `a list of the CA with the key ${facts.issuerKey} with thisUpdate at or after ${formatInstant(from)}, without a gap before it`,
    ];
  });
  const firmer = open.length === 0 ? '' : `it becomes final by ${[...new Set(open)].join(' and ')}; `;
  return `${firmer}it falls by a list that dates a revocation at or before ${a}`;
}

/**
 * Until when the same bytes give the same answer: a provisional one is expected to be settled by then, and a time stamp stands by itself
 * as long as the certificate of its authority is valid. Undefined where there is no end.
 */
export function reproducibleUntil(judgement: Judgement, policy: IdentityPolicy): Instant | undefined {
  const { anchored, tier, certificates } = judgement;
  const ends: Instant[] = [];
  if (judgement.counts && tier === 'provisional' && anchored !== undefined)
    for (const facts of certificates)
      if (facts.answer.result === 'good' && !facts.answer.final)
        ends.push(anchored.a + policy.w + policy.caPeriod(facts.issuerKey));
  const until = anchored?.bound?.until;
  if (until !== undefined) ends.push(until);
  return ends.reduce<Instant | undefined>(
    (least, end) => (least === undefined || end < least ? end : least),
    undefined,
  );
}

/** The smallest items that would decide a judgement that waits (law 4). */
export function missingFor(
  judgement: Judgement,
  policy: IdentityPolicy,
  about: { readonly approver: string; readonly position: number; readonly run: string; readonly recordedAt: string },
  claim: string,
): readonly Missing[] {
  const { cause, anchored, certificates } = judgement;
  if (judgement.counts) return [];
  const canonical = judgement.notes.find(({ note }) => note === 'canonicaliser-unknown');
  if (canonical !== undefined)
    return [
      {
        claim,
        item: `a mapping of the canonicaliser ${JSON.stringify(canonical.detail)} (canonicalisers)`,
        who: 'you, in the policies of certificates',
        from: null,
      },
    ];
  if (judgement.class !== 'wait' || cause === undefined) return [];
  if (cause.reason === 'no_covering_head') {
    const independent = anchored !== undefined;
    return [
      {
        claim,
        item: independent
          ? `a time-stamp token or anchor receipt over the signed head ${anchored.head.hash}`
          : `a signed head of run ${JSON.stringify(about.run)} of size ${about.position + 1} or more`,
        who: independent ? 'a time-stamp authority, through the keeper of the log' : 'the keeper of the log',
        from: independent ? formatInstant(anchored.head.time) : about.recordedAt === '' ? null : about.recordedAt,
      },
    ];
  }
  if (anchored === undefined) return [];
  return certificates.flatMap(({ answer, issuerKey }) => {
    if (answer.result !== 'unknown' && answer.result !== 'stale') return [];
    const from = formatInstant(anchored.a + policy.thisUpdateSkew(issuerKey));
    return [
      {
        claim,
        item: `a CRL of the CA with the key ${issuerKey} with thisUpdate at or after ${from} (decision of ${about.approver})`,
        who: 'the CA, or whoever keeps the status archive',
        from,
      },
    ];
  });
}
