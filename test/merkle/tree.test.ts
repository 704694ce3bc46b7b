import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, hex, u32 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { EMPTY_ROOT, leafHash } from '../../src/merkle/hash.ts';
import { consistencyFault, inclusionFault, type Path } from '../../src/merkle/proof.ts';
import { RootBuilder, rootOfHashes, rootOfLeaves } from '../../src/merkle/root.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';

const leaves = (n: number) => Array.from({ length: n }, (_, i) => leafHash(u32(i)));

/** The definition of RFC 6962 2.1, as it is written there. */
function reference(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return sha256(new Uint8Array());
  if (hashes.length === 1) return hashes[0] as Uint8Array;
  let k = 1;
  while (k * 2 < hashes.length) k *= 2;
  return sha256(concat(Uint8Array.of(1), reference(hashes.slice(0, k)), reference(hashes.slice(k))));
}

/** PATH(m, D[n]) and PROOF(m, D[n]) of RFC 6962 2.1.1 and 2.1.2. */
function referencePath(m: number, d: readonly Uint8Array[]): Uint8Array[] {
  if (d.length === 1) return [];
  let k = 1;
  while (k * 2 < d.length) k *= 2;
  return m < k
    ? [...referencePath(m, d.slice(0, k)), reference(d.slice(k))]
    : [...referencePath(m - k, d.slice(k)), reference(d.slice(0, k))];
}
function referenceSubproof(m: number, d: readonly Uint8Array[], whole: boolean): Uint8Array[] {
  if (m === d.length) return whole ? [] : [reference(d)];
  let k = 1;
  while (k * 2 < d.length) k *= 2;
  return m <= k
    ? [...referenceSubproof(m, d.slice(0, k), whole), reference(d.slice(k))]
    : [...referenceSubproof(m - k, d.slice(k), false), reference(d.slice(0, k))];
}
const hexes = (path: Path) => wholePath(path).map(hex);
/** A path that was made here lacks no hash. */
const wholePath = (path: Path) => (path ?? []) as readonly Uint8Array[];

describe('a Merkle tree', () => {
  it('has the root that the recursive definition gives, at every size, streamed or kept', () => {
    const all = leaves(70);
    const tree = MerkleTree.ofHashes(all);
    const stream = new RootBuilder();
    for (let n = 0; n <= all.length; n++) {
      const expected = hex(reference(all.slice(0, n)));
      expect(hex(tree.root(n))).toBe(expected);
      expect(hex(stream.root())).toBe(expected);
      expect(hex(rootOfHashes(all.slice(0, n)))).toBe(expected);
      if (n < all.length) stream.append(all[n] as Uint8Array);
    }
    expect(hex(tree.root(0))).toBe(hex(EMPTY_ROOT));
    expect(hex(rootOfLeaves([u32(0), u32(1)]))).toBe(hex(reference(all.slice(0, 2))));
  });

  it('gives the paths of the recursive definitions, of every earlier size too', () => {
    const all = leaves(19);
    const tree = MerkleTree.ofHashes(all);
    for (let n = 1; n <= all.length; n++) {
      const part = all.slice(0, n);
      for (let i = 0; i < n; i++) expect(hexes(tree.inclusion(i, n).path)).toEqual(hexes(referencePath(i, part)));
      for (let m = 1; m < n; m++)
        expect(hexes(tree.consistency(m, n).path)).toEqual(hexes(referenceSubproof(m, part, true)));
    }
  });

  it('makes proofs that hold, and no change of index, size, leaf, root or path is accepted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), fc.nat(), fc.nat(255), (n, pick, where, flip) => {
        const tree = MerkleTree.ofHashes(leaves(n));
        const index = pick % n;
        const proof = tree.inclusion(index);
        const leaf = tree.leaf(index);
        const root = tree.root();
        expect(inclusionFault(root, leaf, index, n, proof.path)).toBeUndefined();
        const path = wholePath(proof.path);
        const other = (bytes: Uint8Array) => bytes.map((byte, i) => (i === where % 32 ? byte ^ (flip || 1) : byte));
        expect(inclusionFault(other(root), leaf, index, n, path)).toBe('root');
        expect(inclusionFault(root, other(leaf), index, n, path)).toBe('root');
        expect(inclusionFault(root, leaf, index, n, [...path, root])).toBe('path-length');
        expect(inclusionFault(root, leaf, n, n, path)).toBe('range');
        expect(inclusionFault(root, leaf, -1, n, path)).toBe('range');
        if (path.length > 0) {
          const at = where % path.length;
          expect(inclusionFault(root, leaf, index, n, path.slice(1))).toBe('path-length');
          expect(
            inclusionFault(
              root,
              leaf,
              index,
              n,
              path.map((p, i) => (i === at ? other(p) : p)),
            ),
          ).toBe('root');
          expect(
            inclusionFault(
              root,
              leaf,
              index,
              n,
              path.map((p, i) => (i === at ? p.subarray(1) : p)),
            ),
          ).toBe('hash-length');
          for (let j = Math.max(0, index - 3); j < Math.min(n, index + 4); j++)
            if (j !== index) expect(inclusionFault(root, leaf, j, n, path)).toBeDefined();
        }
      }),
      { numRuns: 150 },
    );
  });

  it('shows one size to be the beginning of another, and no change is accepted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300 }), fc.nat(), fc.nat(), (n, pick, where) => {
        const tree = MerkleTree.ofHashes(leaves(n));
        const first = 1 + (pick % (n - 1));
        const path = wholePath(tree.consistency(first).path);
        const [root1, root2] = [tree.root(first), tree.root()];
        const other = (bytes: Uint8Array) => bytes.map((byte, i) => (i === where % 32 ? byte ^ 1 : byte));
        expect(consistencyFault(first, n, path, root1, root2)).toBeUndefined();
        expect(consistencyFault(first, n, path, other(root1), root2)).toBeDefined();
        expect(consistencyFault(first, n, path, root1, other(root2))).toBe('root');
        expect(consistencyFault(first, n, path.slice(1), root1, root2)).toBe('path-length');
        expect(consistencyFault(first, n, [...path, root1], root1, root2)).toBe('path-length');
        const at = where % path.length;
        const bent = path.map((p, i) => (i === at ? other(p) : p));
        expect(consistencyFault(first, n, bent, root1, root2)).toBeDefined();
        expect(consistencyFault(n + 1, n, path, root1, root2)).toBe('range');
      }),
      { numRuns: 150 },
    );
  });

  it('says that any tree begins with the empty one, whatever its root, and nothing else with an empty path', () => {
    const root = MerkleTree.ofHashes(leaves(4)).root();
    expect(consistencyFault(0, 4, null, new Uint8Array(32), root)).toBeUndefined();
    expect(consistencyFault(0, 4, [root], EMPTY_ROOT, root)).toBe('path-length');
    expect(consistencyFault(2, 4, [], root, root)).toBe('path-length');
    expect(consistencyFault(4, 4, [], root, root)).toBeUndefined();
    expect(consistencyFault(4, 4, [], EMPTY_ROOT, root)).toBe('root');
  });

  it('checks positions past 2^53 exactly, and refuses numbers that are not whole', () => {
    // Every leaf and node of a tree of 2^60 equal leaves is known without building it.
    const zeros = [leafHash(new Uint8Array())];
    for (let i = 0; i < 60; i++)
      zeros.push(sha256(concat(Uint8Array.of(1), zeros[i] as Uint8Array, zeros[i] as Uint8Array)));
    const path = zeros.slice(0, 60);
    const [leaf, root] = [zeros[0] as Uint8Array, zeros[60] as Uint8Array];
    expect(inclusionFault(root, leaf, (1n << 60n) - 1n, 1n << 60n, path)).toBeUndefined();
    expect(inclusionFault(root, leaf, 2 ** 53 - 1, 1n << 60n, path)).toBeUndefined();
    expect(inclusionFault(root, leaf, 2 ** 53, 1n << 60n, path)).toBe('range');
    expect(inclusionFault(root, leaf, 0.5, 1n << 60n, path)).toBe('range');
    expect(inclusionFault(root, leaf, 0, 1n << 63n, path)).toBe('range');
    expect(consistencyFault(1n << 59n, 1n << 60n, [zeros[59] as Uint8Array], zeros[59] as Uint8Array, root)).toBe(
      undefined,
    );
  });

  it('refuses a hash of another length and a size that it never had', () => {
    const tree = MerkleTree.ofHashes(leaves(3));
    expect(() => tree.append(new Uint8Array(31))).toThrow(RangeError);
    expect(() => new RootBuilder().append(new Uint8Array(33))).toThrow(RangeError);
    expect(() => tree.root(4)).toThrow(RangeError);
    expect(() => tree.inclusion(3)).toThrow(RangeError);
    expect(() => tree.inclusion(2, 2)).toThrow(RangeError);
    expect(() => tree.consistency(3, 2)).toThrow(RangeError);
    expect(() => tree.leaf(3)).toThrow(RangeError);
  });
});
