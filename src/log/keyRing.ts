/**
 * The keys of a log over time (audit spec 3.8): a head is judged by the key that was in force at its own time, never by trying all keys
 * in turn, so that a key which leaked after its time cannot date heads into somebody else's.
 */
import type { PublicKey } from '../crypto/signature.ts';
import type { Finding, Where } from '../finding/finding.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import type { TrustedKey } from '../trust/trust.ts';
import { catalogue } from './catalogue.ts';
import { headFindings, type TreeHead, unusableHead } from './head.ts';

/** One key and the interval in which it signed; both ends inclusive, absent ends open. */
export interface RingEntry {
  readonly name: string;
  readonly key: PublicKey;
  readonly from?: Instant;
  readonly to?: Instant;
}

export type KeyRing = readonly RingEntry[];

/** A ring of one key for all time. */
export function ringOf(key: PublicKey, name: string = key.identities.join(' and ')): KeyRing {
  return [{ name, key }];
}

/** The ring of keys of a trust file, whose intervals end exclusively. */
export function ringOfTrusted(keys: readonly TrustedKey[]): KeyRing {
  return keys.map(({ name, key, from, until }) => ({
    name,
    key,
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { to: until - 1n }),
  }));
}

/** The entries whose interval holds an instant. */
export function inForce(ring: KeyRing, at: Instant): KeyRing {
  return ring.filter(({ from, to }) => (from === undefined || from <= at) && (to === undefined || at <= to));
}

export type Authentication =
  | { readonly ok: true; readonly by: RingEntry }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/**
 * Whether a head is authentic under the ring (steps 2 to 4 of audit spec 3.8), and under which entry. The ring is not empty; who has no
 * key at all has nothing to check and says so instead.
 */
export function authenticateHead(head: TreeHead | null | undefined, ring: KeyRing, where: Where = {}): Authentication {
  const unusable = unusableHead(head, where);
  if (unusable !== undefined) return { ok: false, findings: [unusable] };
  const present = head as TreeHead;
  const entries = inForce(ring, present.timestamp_nanos);
  if (entries.length === 0)
    return {
      ok: false,
      findings: [
        catalogue.find(
          'log/head-no-key',
          `no trusted key of the log covers ${formatInstant(present.timestamp_nanos)}`,
          {
            where,
            expected: ring.map(intervalText).join('; '),
            actual: formatInstant(present.timestamp_nanos),
          },
        ),
      ],
    };
  // Several logs may be trusted at one time; the scheme is compared before any signature (audit spec 0.8 rule 1).
  const ofScheme = entries.filter(({ key }) => key.scheme === present.alg);
  for (const entry of ofScheme) {
    if (headFindings(present, entry.key, where).length === 0) return { ok: true, by: entry };
  }
  return { ok: false, findings: headFindings(present, ((ofScheme[0] ?? entries[0]) as RingEntry).key, where) };
}

function intervalText({ name, from, to }: RingEntry): string {
  return `${name} from ${from === undefined ? 'the beginning' : formatInstant(from)} to ${to === undefined ? 'now on' : formatInstant(to)}`;
}
