/**
 * A tree that is kept: it takes leaves at its end and gives the root, inclusion paths and consistency paths of every size that it ever
 * had (audit spec 2.2 and 2.3, "Produce"; RFC 6962 2.1.1 and 2.1.2).
 *
 * The hashes of all full subtrees lie in one flat array per level: level 0 holds the leaf hashes, and hash i of level l covers the leaves
 * from i * 2^l on. Every tree of an earlier size is made of those and of at most one hash per level on its right edge.
 */

import { EMPTY_ROOT, HASH_LENGTH, leafHash, nodeHash, nodeHashAt } from './hash.ts';
import type { ConsistencyProof, InclusionProof } from './proof.ts';

interface Level {
  hashes: Uint8Array;
  count: number;
}

export class MerkleTree {
  readonly #levels: Level[] = [];
  #size = 0;

  /** A tree over leaf hashes. */
  static ofHashes(hashes: Iterable<Uint8Array>): MerkleTree {
    const tree = new MerkleTree();
    for (const hash of hashes) tree.append(hash);
    return tree;
  }

  /** A tree over leaves, each given as its leaf data. */
  static ofLeaves(leaves: Iterable<Uint8Array>): MerkleTree {
    const tree = new MerkleTree();
    for (const leaf of leaves) tree.append(leafHash(leaf));
    return tree;
  }

  /** Leaves in the tree. */
  get size(): number {
    return this.#size;
  }

  /** @param hash the 32-byte hash of the next leaf. Throws RangeError for another length. */
  append(hash: Uint8Array): void {
    if (hash.length !== HASH_LENGTH) throw new RangeError(`a leaf hash has ${HASH_LENGTH} bytes, not ${hash.length}`);
    let level = this.#push(0, hash);
    this.#size++;
    for (let height = 1; level.count % 2 === 0; height++) {
      level = this.#push(height, nodeHashAt(level.hashes, (level.count - 2) * HASH_LENGTH));
    }
  }

  /** The hash of leaf `index`. */
  leaf(index: number): Uint8Array {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.#size)
      throw new RangeError(`leaf ${index} is not in a tree of ${this.#size}`);
    return this.#node(0, index).slice();
  }

  /** The root of the first `size` leaves (all of them by default), 0 <= size <= this.size. */
  root(size: number = this.#size): Uint8Array {
    this.#guard(size);
    return size === 0 ? EMPTY_ROOT.slice() : this.#root(0, size);
  }

  /** The proof that leaf `index` is in the tree of the first `size` leaves, 0 <= index < size <= this.size. */
  inclusion(index: number, size: number = this.#size): InclusionProof {
    this.#guard(size);
    if (!Number.isSafeInteger(index) || index < 0 || index >= size)
      throw new RangeError(`leaf ${index} is not in a tree of ${size}`);
    const path: Uint8Array[] = [];
    let start = 0;
    let end = size;
    while (end - start > 1) {
      const middle = start + split(end - start);
      if (index < middle) {
        path.push(this.#root(middle, end));
        end = middle;
      } else {
        path.push(this.#root(start, middle));
        start = middle;
      }
    }
    return { index, size, path: path.length === 0 ? null : path.reverse() };
  }

  /** The proof that the first `first` leaves are a beginning of the first `size`, 0 <= first <= size <= this.size. */
  consistency(first: number, size: number = this.#size): ConsistencyProof {
    this.#guard(size);
    this.#guard(first);
    if (first > size) throw new RangeError(`a tree of ${size} has no beginning of ${first}`);
    if (first === 0 || first === size) return { first, size, path: null };
    const path: Uint8Array[] = [];
    let start = 0;
    let end = size;
    let isWholeOfFirst = true;
    while (first < end) {
      const middle = start + split(end - start);
      if (first <= middle) {
        path.push(this.#root(middle, end));
        end = middle;
      } else {
        path.push(this.#root(start, middle));
        start = middle;
        isWholeOfFirst = false;
      }
    }
    if (!isWholeOfFirst) path.push(this.#root(start, end));
    return { first, size, path: path.reverse() };
  }

  #guard(size: number): void {
    if (!Number.isSafeInteger(size) || size < 0 || size > this.#size)
      throw new RangeError(`a tree of ${this.#size} leaves has no size ${size}`);
  }

  #push(height: number, hash: Uint8Array): Level {
    let level = this.#levels[height];
    if (level === undefined) {
      level = { hashes: new Uint8Array(4 * HASH_LENGTH), count: 0 };
      this.#levels.push(level);
    }
    const offset = level.count * HASH_LENGTH;
    if (offset === level.hashes.length) {
      const grown = new Uint8Array(2 * offset);
      grown.set(level.hashes);
      level.hashes = grown;
    }
    level.hashes.set(hash, offset);
    level.count++;
    return level;
  }

  #node(height: number, index: number): Uint8Array {
    const offset = index * HASH_LENGTH;
    return (this.#levels[height] as Level).hashes.subarray(offset, offset + HASH_LENGTH);
  }

  /** Root of the leaves [start, end), a subtree of a tree of some size: its left parts are full and stored. */
  #root(start: number, end: number): Uint8Array {
    const peaks: Uint8Array[] = [];
    let at = start;
    while (at < end) {
      let height = 0;
      let span = 1;
      for (; 2 * span <= end - at; span *= 2) height++;
      peaks.push(this.#node(height, at / span));
      at += span;
    }
    let root = peaks.pop() as Uint8Array;
    for (let peak = peaks.pop(); peak !== undefined; peak = peaks.pop()) root = nodeHash(peak, root);
    // A copy: what stands here is a view of the tree's memory, or a kind of array that only Node has.
    return new Uint8Array(root);
  }
}

/** The largest power of two strictly below n, n >= 2. */
function split(n: number): number {
  let power = 1;
  while (2 * power < n) power *= 2;
  return power;
}
