/**
 * The root of a tree whose leaves pass by once, in memory that does not grow with them: one hash per bit of the size (audit spec 2.1).
 */
import { concat } from '../bytes/encoding.ts';
import { EMPTY_ROOT, HASH_LENGTH, leafHash, nodeHash } from './hash.ts';

/** Takes leaf hashes in order and gives the root of those taken so far at any moment. */
export class RootBuilder {
  /** Roots of the full subtrees, biggest first: one for each one bit of the size. */
  readonly #peaks: Uint8Array[] = [];
  #size = 0;

  /** Leaves taken. */
  get size(): number {
    return this.#size;
  }

  /** @param hash the 32-byte hash of the next leaf. Throws RangeError for another length. */
  append(hash: Uint8Array): void {
    if (hash.length !== HASH_LENGTH) throw new RangeError(`a leaf hash has ${HASH_LENGTH} bytes, not ${hash.length}`);
    let merged = hash;
    for (let rest = this.#size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
      merged = nodeHash(this.#peaks.pop() as Uint8Array, merged);
    }
    this.#peaks.push(merged === hash ? concat(hash) : merged);
    this.#size++;
  }

  /** The root over the leaves taken so far, 32 bytes. */
  root(): Uint8Array {
    let root: Uint8Array | undefined;
    for (let i = this.#peaks.length - 1; i >= 0; i--) {
      const peak = this.#peaks[i] as Uint8Array;
      root = root === undefined ? peak : nodeHash(peak, root);
    }
    return concat(root ?? EMPTY_ROOT);
  }
}

/** The root over leaf hashes. */
export function rootOfHashes(hashes: Iterable<Uint8Array>): Uint8Array {
  const builder = new RootBuilder();
  for (const hash of hashes) builder.append(hash);
  return builder.root();
}

/** The root over leaves, each given as its leaf data (audit spec 1.1: tag and content). */
export function rootOfLeaves(leaves: Iterable<Uint8Array>): Uint8Array {
  const builder = new RootBuilder();
  for (const leaf of leaves) builder.append(leafHash(leaf));
  return builder.root();
}
