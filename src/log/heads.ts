/**
 * Several authenticated heads of one tree held against each other (audit spec 3.7) and the choice among them (3.11). Heads are ordered by
 * size, never by arrival.
 */
import { equalBytes, hex } from '../bytes/encoding.ts';
import type { Finding, Where } from '../finding/finding.ts';
import { EMPTY_ROOT } from '../merkle/hash.ts';
import { FAULT_WORDS, growthFault, type Path } from '../merkle/proof.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';
import { DEFAULT_SKEW, type TreeHead } from './head.ts';

/** What heads of any form have in common. */
export interface ComparableHead {
  readonly size: number | bigint;
  readonly root: Uint8Array | null;
  readonly timestamp_nanos: bigint;
}

/** A head with the name under which findings speak of it. */
export interface NamedHead {
  readonly name: string;
  readonly head: ComparableHead;
}

/** A consistency proof between the roots of two sizes. */
export interface SuppliedConsistency {
  readonly first: number | bigint;
  readonly size: number | bigint;
  readonly path: Path;
}

export interface HeadComparison {
  /** Nanoseconds of clock tolerance between signers (audit spec 3.7 point 4). */
  readonly tolerance?: Instant;
  /** The root over the first `size` leaves where the leaves are at hand, otherwise undefined. */
  readonly rootAt?: (size: number) => Uint8Array | undefined;
  readonly proofs?: readonly SuppliedConsistency[];
}

export interface Compared {
  /** By size, then time. */
  readonly ordered: readonly NamedHead[];
  readonly findings: readonly Finding[];
  /** Heads of a time contradiction: what only they date does not count (audit spec 3.7 point 5). */
  readonly implicated: ReadonlySet<NamedHead>;
  /** Pairs of neighbouring sizes that nothing shows consistent. */
  readonly unproven: readonly (readonly [NamedHead, NamedHead])[];
  /** Pairs shown to be two histories. */
  readonly forks: readonly (readonly [NamedHead, NamedHead])[];
  /** Pairs of neighbouring sizes shown consistent. */
  readonly consistent: number;
}

/** Order by size, then by time, then by root: the same whatever the order of arrival. */
function bySize(a: NamedHead, b: NamedHead): number {
  const time = a.head.timestamp_nanos - b.head.timestamp_nanos;
  if (sizeOf(a) !== sizeOf(b)) return sizeOf(a) < sizeOf(b) ? -1 : 1;
  if (time !== 0n) return time < 0n ? -1 : 1;
  return rootText(a) < rootText(b) ? -1 : rootText(a) > rootText(b) ? 1 : 0;
}

const sizeOf = ({ head }: NamedHead): bigint => BigInt(head.size);

const rootText = ({ head }: NamedHead): string => (head.root === null ? 'none' : hex(head.root));

/** Holds heads of one run and kind against each other. They were authenticated before. */
export function compareHeads(heads: readonly NamedHead[], how: HeadComparison = {}, where: Where = {}): Compared {
  const ordered = [...heads].sort(bySize);
  const findings: Finding[] = [];
  const unproven: (readonly [NamedHead, NamedHead])[] = [];
  const forks: (readonly [NamedHead, NamedHead])[] = [];
  let consistent = 0;
  for (let i = 1; i < ordered.length; i++) {
    const [earlier, later] = [ordered[i - 1] as NamedHead, ordered[i] as NamedHead];
    if (sizeOf(earlier) === sizeOf(later)) {
      if (sameRoot(earlier, later)) continue;
      forks.push([earlier, later]);
      findings.push(
        catalogue.find(
          'log/fork',
          `two signed heads of size ${earlier.head.size} have different roots: two histories were signed`,
          {
            where,
            expected: `${earlier.name}: ${rootText(earlier)}`,
            actual: `${later.name}: ${rootText(later)}`,
          },
        ),
      );
      continue;
    }
    const shown = pairShown(earlier.head, later.head, how);
    if (shown === 'consistent') consistent++;
    else if (shown === 'unproven') {
      unproven.push([earlier, later]);
      findings.push(
        catalogue.find(
          'log/unproven-pair',
          `nothing given shows that the tree of size ${later.head.size} continues the tree of size ${earlier.head.size}`,
          { where, expected: 'a consistency proof between the two, or the leaves themselves' },
        ),
      );
    } else {
      forks.push([earlier, later]);
      findings.push(
        catalogue.find(
          'log/inconsistent',
          `the tree of size ${later.head.size} does not continue the tree of size ${earlier.head.size}: ${shown.reason}`,
          {
            where,
            expected: `${earlier.name}: ${rootText(earlier)}`,
            ...(shown.actual === undefined ? {} : { actual: shown.actual }),
          },
        ),
      );
    }
  }
  const contradictions = timeContradictions(ordered, how.tolerance ?? DEFAULT_SKEW);
  for (const [earlier, later] of contradictions.pairs)
    findings.push(
      catalogue.find(
        'log/time-contradiction',
        `the head of size ${later.head.size} is stamped before the smaller head of size ${earlier.head.size} by more than the tolerance`,
        {
          where,
          expected: `at or after ${formatInstant(earlier.head.timestamp_nanos - (how.tolerance ?? DEFAULT_SKEW))}`,
          actual: formatInstant(later.head.timestamp_nanos),
        },
      ),
    );
  return { ordered, findings, implicated: contradictions.implicated, unproven, forks, consistent };
}

function sameRoot(a: NamedHead, b: NamedHead): boolean {
  return rootText(a) === rootText(b);
}

type Shown = 'consistent' | 'unproven' | { readonly reason: string; readonly actual?: string };

function pairShown(earlier: ComparableHead, later: ComparableHead, how: HeadComparison): Shown {
  // No proof is needed from nothing, and none looks at its root (audit spec 2.3 step 3), so that root is looked at here.
  if (BigInt(earlier.size) === 0n)
    return isRoot(earlier.root, EMPTY_ROOT)
      ? 'consistent'
      : { reason: 'the root of the tree without leaves is not that of nothing' };
  const prefix = how.rootAt?.(Number(earlier.size));
  const whole = how.rootAt?.(Number(later.size));
  if (prefix !== undefined && whole !== undefined) {
    if (!isRoot(earlier.root, prefix))
      return { reason: 'the leaves give another root for the earlier size', actual: hex(prefix) };
    if (!isRoot(later.root, whole))
      return { reason: 'the leaves give another root for the later size', actual: hex(whole) };
    return 'consistent';
  }
  const proofs = (how.proofs ?? []).filter(
    (proof) => BigInt(proof.first) === BigInt(earlier.size) && BigInt(proof.size) === BigInt(later.size),
  );
  let fault: string | undefined;
  for (const proof of proofs) {
    const found = growthFault(proof.first, proof.size, proof.path, earlier.root, later.root);
    if (found === undefined) return 'consistent';
    fault = FAULT_WORDS[found];
  }
  return fault === undefined ? 'unproven' : { reason: `the proof between them does not hold: ${fault}` };
}

function isRoot(root: Uint8Array | null, expected: Uint8Array): boolean {
  return root !== null && equalBytes(root, expected);
}

/**
 * Pairs s1 < s2 with t2 < t1 - tolerance (audit spec 3.7 point 4). Every implicated head is in the set; of the pairs, each later head is
 * named once, with the latest-stamped smaller head.
 */
function timeContradictions(
  ordered: readonly NamedHead[],
  tolerance: Instant,
): {
  readonly pairs: readonly (readonly [NamedHead, NamedHead])[];
  readonly implicated: ReadonlySet<NamedHead>;
} {
  const pairs: (readonly [NamedHead, NamedHead])[] = [];
  const implicated = new Set<NamedHead>();
  const isBefore = (later: NamedHead, earlier: NamedHead) =>
    later.head.timestamp_nanos < earlier.head.timestamp_nanos - tolerance;
  let latest: NamedHead | undefined;
  let ofThisSize: NamedHead[] = [];
  for (const entry of ordered) {
    if (ofThisSize[0] !== undefined && sizeOf(ofThisSize[0]) < sizeOf(entry)) {
      latest = latestOf(latest, ofThisSize);
      ofThisSize = [];
    }
    ofThisSize.push(entry);
    if (latest !== undefined && isBefore(entry, latest)) {
      implicated.add(entry);
      pairs.push([latest, entry]);
    }
  }
  let earliest: NamedHead | undefined;
  ofThisSize = [];
  for (const entry of [...ordered].reverse()) {
    if (ofThisSize[0] !== undefined && sizeOf(ofThisSize[0]) > sizeOf(entry)) {
      earliest = earliestOf(earliest, ofThisSize);
      ofThisSize = [];
    }
    ofThisSize.push(entry);
    if (earliest !== undefined && isBefore(earliest, entry)) implicated.add(entry);
  }
  return { pairs, implicated };
}

function latestOf(first: NamedHead | undefined, rest: readonly NamedHead[]): NamedHead | undefined {
  return rest.reduce<NamedHead | undefined>(
    (best, entry) => (best === undefined || entry.head.timestamp_nanos > best.head.timestamp_nanos ? entry : best),
    first,
  );
}

function earliestOf(first: NamedHead | undefined, rest: readonly NamedHead[]): NamedHead | undefined {
  return rest.reduce<NamedHead | undefined>(
    (best, entry) => (best === undefined || entry.head.timestamp_nanos < best.head.timestamp_nanos ? entry : best),
    first,
  );
}

/** The head that covers most (audit spec 3.11): of the greatest size, the earliest stamped. No artifact proves that it is the last. */
export function widestHead(heads: readonly TreeHead[]): TreeHead | undefined {
  return heads.reduce<TreeHead | undefined>(
    (best, head) =>
      best === undefined ||
      head.size > best.size ||
      (head.size === best.size && head.timestamp_nanos < best.timestamp_nanos)
        ? head
        : best,
    undefined,
  );
}

/** The first covering head of leaf `index` (`approver-identity.md` 11.1): of the smallest size above it, the earliest stamped. */
export function firstCovering(heads: readonly TreeHead[], index: number): TreeHead | undefined {
  return heads.reduce<TreeHead | undefined>(
    (best, head) =>
      head.size > index &&
      (best === undefined ||
        head.size < best.size ||
        (head.size === best.size && head.timestamp_nanos < best.timestamp_nanos))
        ? head
        : best,
    undefined,
  );
}
