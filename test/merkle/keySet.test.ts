import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareUtf8 } from '../../src/bytes/encoding.ts';
import { leafHash } from '../../src/merkle/hash.ts';
import { type AbsenceProof, absenceFault, KeySet, keyLeafData } from '../../src/merkle/keySet.ts';
import { inclusionFault } from '../../src/merkle/proof.ts';

const key = fc.string({ unit: 'grapheme', maxLength: 6 });

describe('a set of keys', () => {
  it('shows every other key absent and every own key present', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 40 }), fc.array(key, { maxLength: 20 }), (members, others) => {
        const set = new KeySet(members);
        expect(set.keys).toEqual([...new Set(members)].sort(compareUtf8));
        for (const member of set.keys) {
          expect(set.absence(member)).toBeUndefined();
          const proof = set.inclusion(member);
          expect(proof).toBeDefined();
          if (proof !== undefined)
            expect(
              inclusionFault(set.root(), leafHash(keyLeafData(member)), proof.index, proof.size, proof.path),
            ).toBeUndefined();
        }
        for (const other of others.filter((candidate) => !members.includes(candidate))) {
          expect(set.inclusion(other)).toBeUndefined();
          expect(absenceFault(set.root(), set.absence(other) as AbsenceProof)).toBeUndefined();
        }
      }),
      { numRuns: 100 },
    );
  });

  it('orders U+FFFF before U+10000, as their bytes do and UTF-16 units do not', () => {
    expect(new KeySet(['\u{10000}', '\uffff']).keys).toEqual(['\uffff', '\u{10000}']);
  });

  it('names what is wrong with a proof of absence', () => {
    const set = new KeySet(['b', 'd', 'f', 'h']);
    const root = set.root();
    const between = set.absence('e') as AbsenceProof & { left: object; right: object };
    const low = set.absence('a') as AbsenceProof;
    const high = set.absence('z') as AbsenceProof;
    const right = (proof: AbsenceProof) => proof.right as NonNullable<AbsenceProof['right']>;
    const left = (proof: AbsenceProof) => proof.left as NonNullable<AbsenceProof['left']>;
    expect(absenceFault(root, { ...between, size: -1 })).toEqual({ fault: 'size' });
    expect(absenceFault(root, { ...between, size: 5 })).toEqual({ fault: 'neighbour-size', part: 'left' });
    expect(absenceFault(root, { ...between, key: 'd' })).toEqual({ fault: 'order', part: 'left' });
    expect(absenceFault(root, { ...between, key: 'f' })).toEqual({ fault: 'order', part: 'right' });
    expect(absenceFault(root, { key: 'e', size: 4, left: left(between), right: null })).toEqual({
      fault: 'not-at-end',
      part: 'left',
    });
    expect(absenceFault(root, { key: 'e', size: 4, left: null, right: right(between) })).toEqual({
      fault: 'not-at-end',
      part: 'right',
    });
    expect(absenceFault(root, { key: 'e', size: 4, left: null, right: null })).toEqual({ fault: 'no-neighbour' });
    expect(absenceFault(root, { key: 'c', size: 4, left: right(low), right: left(high) })).toEqual({
      fault: 'not-adjacent',
    });
    expect(absenceFault(root, { ...between, left: { ...left(between), key: 'c' } })).toEqual({
      fault: 'root',
      part: 'left',
    });
    const empty = new KeySet([]);
    expect(absenceFault(empty.root(), { key: 'x', size: 0, left: null, right: null })).toBeUndefined();
    expect(absenceFault(root, { key: 'x', size: 0, left: null, right: null })).toEqual({ fault: 'root' });
    expect(absenceFault(empty.root(), { ...low, size: 0 })).toEqual({ fault: 'neighbour-in-empty-set', part: 'right' });
    expect(absenceFault(empty.root(), { ...high, size: 0 })).toEqual({ fault: 'neighbour-in-empty-set', part: 'left' });
  });
});
