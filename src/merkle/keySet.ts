/**
 * Trees over a sorted set of keys, and proofs that a key is not in one (audit spec 1.4 and 4.5, steps numbered as there). Keys sort by
 * their UTF-8 bytes, which is not JavaScript's string order.
 */
import { compareBytes, concat, equalBytes, utf8 } from '../bytes/encoding.ts';
import { EMPTY_ROOT, leafHash } from './hash.ts';
import { type InclusionProof, inclusionFault, type MaybeHash, type ProofFault } from './proof.ts';
import { MerkleTree } from './tree.ts';

const KEY_LEAF_TAG = utf8('bide.audit.key-leaf.v1\0');

/** Leaf data of a key: the tag, then its UTF-8 bytes. */
export function keyLeafData(key: string): Uint8Array {
  return concat(KEY_LEAF_TAG, utf8(key));
}

/** A key beside the absent one, with the proof that it is in the set. */
export interface Neighbour {
  readonly key: string;
  readonly proof: InclusionProof;
}

/** The proof of absence: the two neighbours between which the key would stand. */
export interface AbsenceProof {
  readonly key: string;
  readonly size: number;
  /** The greatest key below, or `null` where the absent key would stand first. */
  readonly left: Neighbour | null;
  /** The least key above, or `null` where it would stand last. */
  readonly right: Neighbour | null;
}

/** A set of keys as a tree. */
export class KeySet {
  /** Distinct, sorted by UTF-8 bytes. */
  readonly keys: readonly string[];
  readonly #bytes: readonly Uint8Array[];
  readonly #tree: MerkleTree;

  /** @param keys in any order, repetitions allowed */
  constructor(keys: Iterable<string>) {
    const sorted = [...new Set(keys)]
      .map((key) => ({ key, bytes: utf8(key) }))
      .sort((a, b) => compareBytes(a.bytes, b.bytes));
    this.keys = sorted.map((entry) => entry.key);
    this.#bytes = sorted.map((entry) => entry.bytes);
    this.#tree = MerkleTree.ofLeaves(sorted.map((entry) => concat(KEY_LEAF_TAG, entry.bytes)));
  }

  get size(): number {
    return this.keys.length;
  }

  root(): Uint8Array {
    return this.#tree.root();
  }

  /** The proof that a key is in the set; undefined where it is not. */
  inclusion(key: string): InclusionProof | undefined {
    const at = this.#position(key);
    return this.keys[at] === key ? this.#tree.inclusion(at) : undefined;
  }

  /** The proof that the key is not in the set; undefined where it is in it. */
  absence(key: string): AbsenceProof | undefined {
    const at = this.#position(key);
    if (this.keys[at] === key) return undefined;
    return { key, size: this.size, left: this.#neighbour(at - 1), right: this.#neighbour(at) };
  }

  #neighbour(at: number): Neighbour | null {
    const key = this.keys[at];
    return key === undefined ? null : { key, proof: this.#tree.inclusion(at) };
  }

  /** Index of the first key that is not below `key`. */
  #position(key: string): number {
    const bytes = utf8(key);
    let low = 0;
    let high = this.keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.#bytes[middle] as Uint8Array, bytes) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Why a proof of absence does not hold. `part` names the neighbour where it is about one. */
export interface AbsenceFault {
  readonly fault:
    | ProofFault
    | 'size'
    | 'neighbour-in-empty-set'
    | 'neighbour-size'
    | 'order'
    | 'not-adjacent'
    | 'not-at-end'
    | 'no-neighbour';
  readonly part?: 'left' | 'right';
}

/** Why the key is not shown absent from the set under `root`; undefined when it is. */
export function absenceFault(root: MaybeHash, absence: AbsenceProof): AbsenceFault | undefined {
  const { size, left, right } = absence;
  // 1.
  if (!Number.isSafeInteger(size) || size < 0) return { fault: 'size' };
  if (size === 0) {
    if (left !== null) return { fault: 'neighbour-in-empty-set', part: 'left' };
    if (right !== null) return { fault: 'neighbour-in-empty-set', part: 'right' };
    return root !== null && equalBytes(root, EMPTY_ROOT) ? undefined : { fault: 'root' };
  }
  // 2. and 3.
  const key = utf8(absence.key);
  for (const part of ['left', 'right'] as const) {
    const neighbour = part === 'left' ? left : right;
    if (neighbour === null) continue;
    const { proof } = neighbour;
    if (proof.size !== size) return { fault: 'neighbour-size', part };
    const order = compareBytes(utf8(neighbour.key), key);
    if (part === 'left' ? order >= 0 : order <= 0) return { fault: 'order', part };
    const fault = inclusionFault(root, leafHash(keyLeafData(neighbour.key)), proof.index, proof.size, proof.path);
    if (fault !== undefined) return { fault, part };
  }
  // 4. and 5.
  if (left !== null && right !== null)
    return left.proof.index + 1 === right.proof.index ? undefined : { fault: 'not-adjacent' };
  if (right !== null) return right.proof.index === 0 ? undefined : { fault: 'not-at-end', part: 'right' };
  if (left !== null) return left.proof.index === size - 1 ? undefined : { fault: 'not-at-end', part: 'left' };
  return { fault: 'no-neighbour' };
}
