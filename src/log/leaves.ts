/** Leaves at hand held against heads: the roots of their prefixes (audit spec 2.1, 7.5 rule 3) and inclusion among them. */
import { leafHash } from '../merkle/hash.ts';
import { FAULT_WORDS, type InclusionProof, inclusionFault, type MaybeHash } from '../merkle/proof.ts';
import { RootBuilder } from '../merkle/root.ts';

/**
 * The roots over the first `size` leaves, for each size asked for that the leaves reach. One pass over the leaves.
 *
 * @param leaves leaf data: tag and content
 */
export function prefixRoots(leaves: readonly Uint8Array[], sizes: Iterable<number>): ReadonlyMap<number, Uint8Array> {
  return hashPrefixRoots(leaves.map(leafHash), sizes);
}

/** The same over leaf hashes: of a journal with tombstones there is no more. */
export function hashPrefixRoots(
  hashes: readonly Uint8Array[],
  sizes: Iterable<number>,
): ReadonlyMap<number, Uint8Array> {
  const wanted = [...new Set(sizes)].filter((size) => size >= 0 && size <= hashes.length).sort((a, b) => a - b);
  const roots = new Map<number, Uint8Array>();
  const builder = new RootBuilder();
  for (const size of wanted) {
    for (const hash of hashes.slice(builder.size, size)) builder.append(hash);
    roots.set(size, builder.root());
  }
  return roots;
}

/** Why the leaf is not where the proof says, in words; undefined when it is. */
export function leafInclusionFault(root: MaybeHash, leaf: Uint8Array, proof: InclusionProof): string | undefined {
  const fault = inclusionFault(root, leafHash(leaf), proof.index, proof.size, proof.path);
  return fault === undefined ? undefined : FAULT_WORDS[fault];
}
