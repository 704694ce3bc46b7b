/**
 * Checking inclusion and consistency proofs (audit spec 2.2 and 2.3, steps numbered as there). Pure functions over sizes, indices and
 * hashes; nothing malformed throws, every fault is named.
 */
import { equalBytes } from '../bytes/encoding.ts';
import { HASH_LENGTH, nodeHash } from './hash.ts';

/** A hash of an artifact; `null` where there is none, which no tree has. */
export type MaybeHash = Uint8Array | null;

/** A path of sibling hashes; `null` where the artifact has none, which is not the same as an empty list (audit spec 0.5 rule 11). */
export type Path = readonly MaybeHash[] | null;

export interface InclusionProof {
  readonly index: number;
  readonly size: number;
  readonly path: Path;
}

export interface ConsistencyProof {
  /** Size of the earlier tree. */
  readonly first: number;
  readonly size: number;
  readonly path: Path;
}

/**
 * Why a proof does not hold: `range` (the index or the earlier size is not below the size), `hash-length` (a hash is not 32 bytes),
 * `path-length` (too many or too few hashes), `from-nothing` (it begins with the empty tree, see `growthFault`), `root` (it leads to
 * another root), `earlier-root` (it leads from another earlier root).
 */
export type ProofFault = 'range' | 'hash-length' | 'path-length' | 'from-nothing' | 'root' | 'earlier-root';

/** Each fault in words, to be put after "the proof does not hold: ". */
export const FAULT_WORDS: Readonly<Record<ProofFault, string>> = {
  range: 'its position or earlier size lies outside the tree that it names',
  'hash-length': 'a hash in it, or a root, is not 32 bytes long',
  'path-length': 'it has too many or too few hashes for its position and size',
  'from-nothing': 'it begins with the tree without leaves, which shows nothing',
  root: 'its hashes lead to another root',
  'earlier-root': 'its hashes lead from another earlier root',
};

/** Sizes and positions: a number that is a safe integer, or a bigint of up to 63 bits. Anything else is out of range. */
export type Count = number | bigint;

function whole(count: Count): bigint | undefined {
  if (typeof count === 'number') return Number.isSafeInteger(count) ? BigInt(count) : undefined;
  return count < 1n << 63n ? count : undefined;
}

const is32 = (hash: MaybeHash): hash is Uint8Array => hash?.length === HASH_LENGTH;

const NOTHING = new Uint8Array();

/**
 * Why the leaf is not at `index` of the tree of `size` leaves under `root`; undefined when it is.
 *
 * @param leaf the 32-byte hash of the leaf
 */
export function inclusionFault(
  root: MaybeHash,
  leaf: MaybeHash,
  index: Count,
  size: Count,
  path: Path,
): ProofFault | undefined {
  // 1.
  let fn = whole(index);
  let sn = whole(size);
  if (fn === undefined || sn === undefined || fn < 0n || fn >= sn) return 'range';
  // 2.
  const hashes = path ?? [];
  if (!is32(root) || !is32(leaf) || !hashes.every(is32)) return 'hash-length';
  // 3.
  sn -= 1n;
  let r = leaf;
  // 4.
  for (const p of hashes) {
    if (sn === 0n) return 'path-length';
    if ((fn & 1n) === 1n || fn === sn) {
      r = nodeHash(p, r);
      while (fn !== 0n && (fn & 1n) === 0n) {
        fn >>= 1n;
        sn >>= 1n;
      }
    } else r = nodeHash(r, p);
    fn >>= 1n;
    sn >>= 1n;
  }
  // 5.
  if (sn !== 0n) return 'path-length';
  return equalBytes(r, root) ? undefined : 'root';
}

/**
 * Why the tree of `first` leaves under `root1` is not a beginning of the tree of `size` leaves under `root2`; undefined when it is.
 * A `first` of 0 proves nothing about `root1`: callers tie `first` to the size of the head that they know (audit spec 2.3 step 3).
 */
export function consistencyFault(
  first: Count,
  size: Count,
  path: Path,
  root1: MaybeHash,
  root2: MaybeHash,
): ProofFault | undefined {
  const hashes = path ?? [];
  // 1.
  const m = whole(first);
  const n = whole(size);
  if (m === undefined || n === undefined || m < 0n || m > n) return 'range';
  // 2.
  if (m === n) {
    if (hashes.length !== 0) return 'path-length';
    return equalBytes(root1 ?? NOTHING, root2 ?? NOTHING) ? undefined : 'root';
  }
  // 3. and 4.
  if (m === 0n) return hashes.length === 0 ? undefined : 'path-length';
  if (hashes.length === 0) return 'path-length';
  // 5.
  if (!is32(root1) || !is32(root2) || !hashes.every(is32)) return 'hash-length';
  // 6.
  let inner = bitLength((m - 1n) ^ (n - 1n));
  const border = onesOf((m - 1n) >> BigInt(inner));
  const shift = trailingZeros(m);
  inner -= shift;
  // 7.
  const isPowerOfTwo = (m & (m - 1n)) === 0n;
  const seed = isPowerOfTwo ? root1 : (hashes[0] as Uint8Array);
  const start = isPowerOfTwo ? 0 : 1;
  // 8.
  if (hashes.length !== start + inner + border) return 'path-length';
  // 9.
  const p = hashes.slice(start);
  const mask = (m - 1n) >> BigInt(shift);
  let a = seed;
  let b = seed;
  // 10. and 11.
  p.forEach((hash, i) => {
    if (i >= inner || ((mask >> BigInt(i)) & 1n) === 1n) {
      a = nodeHash(hash, a);
      b = nodeHash(hash, b);
    } else b = nodeHash(b, hash);
  });
  // 12.
  if (!equalBytes(a, root1)) return 'earlier-root';
  return equalBytes(b, root2) ? undefined : 'root';
}

/**
 * The same for who relies on the earlier tree: a proof from the empty tree looks at no earlier root and is refused (audit spec 2.3
 * step 3; RFC 6962 2.1.2 has 0 < m).
 */
export function growthFault(
  first: Count,
  size: Count,
  path: Path,
  root1: MaybeHash,
  root2: MaybeHash,
): ProofFault | undefined {
  return whole(first) === 0n ? 'from-nothing' : consistencyFault(first, size, path, root1, root2);
}

function bitLength(n: bigint): number {
  return n === 0n ? 0 : n.toString(2).length;
}

function onesOf(n: bigint): number {
  let ones = 0;
  for (const bit of n.toString(2)) if (bit === '1') ones++;
  return ones;
}

function trailingZeros(n: bigint): number {
  let zeros = 0;
  for (let rest = n; (rest & 1n) === 0n; rest >>= 1n) zeros++;
  return zeros;
}
