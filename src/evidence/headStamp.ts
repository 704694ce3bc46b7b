/**
 * A head and the time stamp over it: what is stamped (audit spec 5.1), and the head's own time against the token's (5.4). The token itself
 * is judged by `src/pki`.
 */
import { equalBytes } from '../bytes/encoding.ts';
import type { Finding, Where } from '../finding/finding.ts';
import { encode } from '../json/shape.ts';
import { DEFAULT_SKEW, headHash, headShape, signedBytes, type TreeHead } from '../log/head.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';

/** The bytes that a token is over: the signed canonical encoding of the head, without its signature. */
export function stampedBytes(head: TreeHead): Uint8Array {
  return signedBytes(head);
}

/**
 * What a token that is not over the stamped bytes is over, where it is one of the two other candidates of audit spec 5.1.
 *
 * @param hash the hash of the imprint's algorithm
 */
export function otherStamped(
  head: TreeHead,
  hash: (message: Uint8Array) => Uint8Array,
  imprint: Uint8Array,
): string | undefined {
  if (equalBytes(hash(encode(headShape, head)), imprint)) return "the head's JSON";
  return equalBytes(hash(headHash(head)), imprint) ? "the head's hash, hashed again" : undefined;
}

/** A gap past which a head looks as a back-dated one does; worth a note, wrong by itself it is not (audit spec 5.4). */
const LATE_STAMP: Instant = 3_600_000_000_000n;

/**
 * The time that a head names against the one at which a token says that it existed.
 *
 * @param accuracy nanoseconds, 0 where the token does not state it
 * @param tolerance nanoseconds between the two clocks
 */
export function headStampFindings(
  head: Pick<TreeHead, 'timestamp_nanos'>,
  genTime: Instant,
  accuracy: bigint,
  tolerance: Instant = DEFAULT_SKEW,
  where: Where = {},
): readonly Finding[] {
  const stamped = head.timestamp_nanos;
  const latest = genTime + accuracy + tolerance;
  if (stamped > latest)
    return [
      catalogue.find('evidence/stamp-contradicts-head', 'the head says that it is younger than the token over it', {
        where,
        expected: `at most ${formatInstant(latest)}`,
        actual: formatInstant(stamped),
      }),
    ];
  if (genTime - stamped <= LATE_STAMP) return [];
  return [
    catalogue.find('evidence/stamp-late', 'the head was stamped long after the time that it names itself', {
      where,
      expected: formatInstant(stamped),
      actual: formatInstant(genTime),
    }),
  ];
}
