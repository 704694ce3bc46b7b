import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { u32 } from '../../src/bytes/encoding.ts';
import { HEAD_FORMAT, type TreeHead } from '../../src/log/head.ts';
import { type ComparableHead, compareHeads, firstCovering, type NamedHead, widestHead } from '../../src/log/heads.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';

const tree = MerkleTree.ofLeaves(Array.from({ length: 20 }, (_, i) => u32(i)));
const other = MerkleTree.ofLeaves(Array.from({ length: 20 }, (_, i) => u32(i + 1)));

function head(size: number, time: number, from = tree): TreeHead {
  return {
    format: HEAD_FORMAT,
    kind: 'journal',
    run_id: 'r',
    size,
    root: from.root(size),
    timestamp_nanos: BigInt(time),
    journal: null,
    alg: 'ed25519',
    signature: null,
  };
}
const named = (...heads: readonly TreeHead[]): NamedHead[] => heads.map((one, i) => ({ name: `head ${i}`, head: one }));
const codes = (findings: readonly { readonly code: string }[]) => findings.map((finding) => finding.code);

describe('heads of one run', () => {
  it('of one size with two roots are a fork, whatever their times', () => {
    const compared = compareHeads(named(head(4, 10), head(4, 20, other)));
    expect(codes(compared.findings)).toEqual(['log/fork']);
    expect(compared.forks).toHaveLength(1);
    expect(compareHeads(named(head(4, 10), head(4, 9999))).findings).toEqual([]);
  });

  it('of two sizes are consistent by a proof or by the leaves, and unproven without', () => {
    const pair = named(head(7, 2), head(3, 1));
    expect(codes(compareHeads(pair).findings)).toEqual(['log/unproven-pair']);
    expect(compareHeads(pair, { proofs: [tree.consistency(3, 7)] })).toMatchObject({ findings: [], consistent: 1 });
    expect(compareHeads(pair, { rootAt: (size) => tree.root(size) })).toMatchObject({ findings: [], consistent: 1 });
    const forked = named(head(7, 2, other), head(3, 1));
    expect(codes(compareHeads(forked, { proofs: [other.consistency(3, 7)] }).findings)).toEqual(['log/inconsistent']);
    expect(codes(compareHeads(forked, { rootAt: (size) => tree.root(size) }).findings)).toEqual(['log/inconsistent']);
    expect(codes(compareHeads(pair, { proofs: [tree.consistency(3, 8)] }).findings)).toEqual(['log/unproven-pair']);
  });

  it('that begin with a false root of nothing are inconsistent', () => {
    expect(compareHeads(named(head(0, 1), head(3, 2))).findings).toEqual([]);
    expect(codes(compareHeads(named({ ...head(0, 1), root: new Uint8Array(32) }, head(3, 2))).findings)).toEqual([
      'log/inconsistent',
    ]);
  });

  it('contradict each other exactly when a bigger one is stamped before a smaller one by more than the tolerance', () => {
    const rootAt = (size: number) => tree.root(size);
    const exact = compareHeads(named(head(3, 100), head(7, 90)), { tolerance: 10n, rootAt });
    expect(exact.findings).toEqual([]);
    const over = compareHeads(named(head(3, 101), head(7, 90)), { tolerance: 10n, rootAt });
    expect(codes(over.findings)).toEqual(['log/time-contradiction']);
    expect(over.implicated.size).toBe(2);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 60 })), { maxLength: 12 }),
        fc.integer({ min: 0, max: 10 }),
        (sizes, tolerance) => {
          const heads = named(...sizes.map(([size, time]) => head(size, time)));
          const { implicated } = compareHeads(heads, { tolerance: BigInt(tolerance), rootAt });
          const contradicts = (a: ComparableHead, b: ComparableHead) =>
            a.size < b.size && b.timestamp_nanos < a.timestamp_nanos - BigInt(tolerance);
          for (const one of heads) {
            const expected = heads.some((two) => contradicts(one.head, two.head) || contradicts(two.head, one.head));
            expect(implicated.has(one)).toBe(expected);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('give the same answer in whatever order they arrive', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(named(head(3, 1), head(7, 2), head(7, 3), head(4, 9), head(2, 50))), (some) => {
        const how = { tolerance: 5n };
        expect(compareHeads(some, how)).toEqual(compareHeads([...some].reverse(), how));
      }),
      { numRuns: 100 },
    );
  });

  it('are chosen by size: the widest, and the first that covers a leaf', () => {
    const heads = [head(7, 5), head(9, 8), head(9, 6), head(3, 90)];
    expect(widestHead(heads)).toBe(heads[2]);
    expect(widestHead([])).toBeUndefined();
    expect(firstCovering(heads, 2)).toBe(heads[3]);
    expect(firstCovering(heads, 3)).toBe(heads[0]);
    expect(firstCovering(heads, 8)).toBe(heads[2]);
    expect(firstCovering(heads, 9)).toBeUndefined();
  });
});
