import { describe, expect, it } from 'vitest';
import { utf8 } from '../../src/bytes/encoding.ts';
import {
  anchorEntry,
  anchorEntryFindings,
  anchorLeafData,
  anchorReceiptVerifier,
  writeAnchorReceipt,
} from '../../src/log/anchor.ts';
import { headHash, signHead } from '../../src/log/head.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';
import { testKey } from './keys.ts';

const key = await testKey('ed25519', 1);
const heads = [3, 7, 9].map((size) =>
  signHead(
    { kind: 'journal', run_id: 'a>b', size, root: new Uint8Array(32).fill(size), timestamp_nanos: BigInt(size) },
    key,
  ),
);
const entries = heads.map((head, seq) => anchorEntry(seq, head));
const tree = MerkleTree.ofLeaves(entries.map(anchorLeafData));
const [entry, head] = [entries[1] as (typeof entries)[1], heads[1] as (typeof heads)[1]];
const codes = (findings: readonly { readonly code: string }[]) => findings.map((finding) => finding.code);

describe('an anchor entry', () => {
  it('holds against the root of its log', () => {
    expect(anchorEntryFindings(entry, tree.inclusion(1), tree.root())).toEqual([]);
  });

  it('names every fault: format, position, run, inclusion', () => {
    const proof = tree.inclusion(1);
    expect(codes(anchorEntryFindings({ ...entry, format: 'x' }, proof, tree.root()))).toEqual(['log/format']);
    expect(codes(anchorEntryFindings({ ...entry, sth: null }, proof, tree.root()))).toEqual(['log/head-format']);
    expect(codes(anchorEntryFindings({ ...entry, seq: 2 }, proof, tree.root()))).toEqual([
      'log/anchor-position',
      'log/anchor-inclusion',
    ]);
    expect(codes(anchorEntryFindings({ ...entry, run_id: 'b' }, proof, tree.root()))).toEqual([
      'log/anchor-run',
      'log/anchor-inclusion',
    ]);
    expect(codes(anchorEntryFindings(entry, proof, tree.root(2)))).toEqual(['log/anchor-inclusion']);
    expect(codes(anchorEntryFindings(entry, tree.inclusion(2), tree.root()))).toEqual([
      'log/anchor-position',
      'log/anchor-inclusion',
    ]);
    const halved = { ...entry, run_id: '\ud800', sth: { ...head, run_id: '\ud800' } };
    expect(codes(anchorEntryFindings(halved, proof, tree.root()))).toEqual(['log/malformed']);
  });

  it('is never made of an unsigned or malformed head', () => {
    expect(() => anchorEntry(0, { ...head, signature: null })).toThrow(RangeError);
    expect(() => anchorEntry(0, { ...head, size: -1 })).toThrow(RangeError);
    expect(() => anchorEntry(-1, head)).toThrow(RangeError);
  });
});

describe('an anchor receipt', () => {
  const root = { name: 'anchor', size: 3, root: tree.root(), published: 1_000n, accuracy: 5n };
  const receipt = writeAnchorReceipt(entry, tree.inclusion(1));
  const verify = anchorReceiptVerifier([{ ...root, published: 2_000n }, root]);

  it('dates its head by the earliest trusted publication of the root', () => {
    expect(verify(receipt, headHash(head))).toEqual({ ok: true, time: 1_000n, accuracy: 5n });
  });

  it('dates nothing for another head, another root, a size that is not trusted, or other bytes', () => {
    const fault = (result: ReturnType<typeof verify>) => (result.ok ? [] : codes(result.findings));
    expect(fault(verify(receipt, headHash(heads[0] as typeof head)))).toEqual(['log/receipt-other-head']);
    expect(fault(anchorReceiptVerifier([{ ...root, size: 4 }])(receipt, headHash(head)))).toEqual([
      'log/receipt-no-root',
    ]);
    expect(fault(anchorReceiptVerifier([{ ...root, root: new Uint8Array(32) }])(receipt, headHash(head)))).toEqual([
      'log/anchor-inclusion',
    ]);
    expect(fault(verify(utf8('{}'), headHash(head)))).toEqual(['log/format']);
    expect(fault(verify(utf8('{"format":"audit.anchor-receipt.v1"}'), headHash(head)))).toEqual(['log/malformed']);
    for (let i = 0; i < receipt.length; i++) {
      const bent = receipt.map((byte, at) => (at === i ? byte ^ 1 : byte));
      expect(verify(bent, headHash(head)).ok).toBe(false);
    }
  });
});
