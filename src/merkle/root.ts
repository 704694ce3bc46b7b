/**
 * The root of a tree whose leaves pass by once, in memory that does not grow with them: one hash per bit of the size (audit spec 2.1).
 */
import { sha256 } from '../crypto/sha256.ts';
import { EMPTY_ROOT, HASH_LENGTH, leafHash, nodeHash } from './hash.ts';

/** Takes leaf hashes in order and gives the root of those taken so far at any moment. */
export class RootBuilder {
  /** For each height the bytes of a node hash: 0x01, the root of a full subtree that waits for its right neighbour, that neighbour. */
  readonly #nodes: Uint8Array[] = [];
  #size = 0;

  /** Leaves taken. */
  get size(): number {
    return this.#size;
  }

  /** @param hash the 32-byte hash of the next leaf. Throws RangeError for another length. */
  append(hash: Uint8Array): void {
    if (hash.length !== HASH_LENGTH) throw new RangeError(`a leaf hash has ${HASH_LENGTH} bytes, not ${hash.length}`);
    let merged = hash;
    let height = 0;
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2) {
      const node = this.#nodes[height++] as Uint8Array;
      node.set(merged, 1 + HASH_LENGTH);
      merged = sha256(node);
    }
    let waiting = this.#nodes[height];
    if (waiting === undefined) {
      waiting = new Uint8Array(1 + 2 * HASH_LENGTH);
      waiting[0] = 1;
      this.#nodes.push(waiting);
    }
    waiting.set(merged, 1);
    this.#size++;
  }

  /** The root over the leaves taken so far, 32 bytes. */
  root(): Uint8Array {
    let root: Uint8Array | undefined;
    for (let height = 0, rest = this.#size; rest > 0; height++, rest = Math.floor(rest / 2)) {
      if (rest % 2 === 0) continue;
      const peak = (this.#nodes[height] as Uint8Array).slice(1, 1 + HASH_LENGTH);
      root = root === undefined ? peak : nodeHash(peak, root);
    }
    return new Uint8Array(root ?? EMPTY_ROOT);
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
