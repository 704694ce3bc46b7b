import { describe, expect, it } from 'vitest';
import { decodeUtf8, u32 } from '../../src/bytes/encoding.ts';
import { checkpointText } from '../../src/log/checkpoint.ts';
import {
  checkEquivocation,
  type Divergence,
  EQUIVOCATION_FORMAT,
  type Equivocation,
  equivocationShape,
  findDivergence,
  writeEquivocation,
} from '../../src/log/equivocation.ts';
import { type HeadContent, signHead } from '../../src/log/head.ts';
import { ringOf } from '../../src/log/keyRing.ts';
import { signNote } from '../../src/log/note.ts';
import { ed25519Signer } from '../../src/log/noteKey.ts';
import { readStrictly } from '../../src/log/read.ts';
import { signSessionHead } from '../../src/log/sessionHead.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';
import { testKey } from './keys.ts';

const key = await testKey('ed25519', 1);
const ring = ringOf(key.publicKey, 'log');
const tree = (n: number, changed = -1) =>
  MerkleTree.ofLeaves(Array.from({ length: n }, (_, i) => u32(i === changed ? 999 : i)));
const [honest, forked, longFork] = [tree(7), tree(7, 3), tree(9, 3)];
const head = (of: MerkleTree, more: Partial<HeadContent> = {}, by = key) =>
  signHead({ kind: 'journal', run_id: 'r', size: of.size, root: of.root(), timestamp_nanos: 5n, ...more }, by);
const codes = (findings: readonly { readonly code: string }[]) => findings.map((finding) => finding.code);
const none: Equivocation = {
  format: EQUIVOCATION_FORMAT,
  heads: null,
  session_heads: null,
  checkpoints: null,
  divergence: null,
};
const judge = (file: Partial<Equivocation>, keys = ring) => checkEquivocation({ ...none, ...file }, keys);

describe('a proof of equivocation', () => {
  it('of one size with two roots holds by itself', () => {
    const file = writeEquivocation({ heads: [head(honest), head(forked)] });
    const read = readStrictly(equivocationShape, file as Uint8Array);
    expect(read.ok && judge(read.value)).toMatchObject({
      findings: [],
      signed: true,
      contradictory: true,
      sizes: [7n, 7n],
    });
  });

  it('of two sizes holds by one position with two leaves', () => {
    const divergence = findDivergence(honest, longFork) as Divergence;
    expect(divergence.index).toBe(3);
    const heads = [head(honest), head(longFork)] as const;
    expect(writeEquivocation({ heads })).toBeUndefined();
    const file = writeEquivocation({ heads }, divergence);
    const read = readStrictly(equivocationShape, file as Uint8Array);
    expect(read.ok && judge(read.value)).toMatchObject({ findings: [], contradictory: true });
    const swapped = { ...divergence, first: divergence.second, second: divergence.first };
    expect(codes(judge({ heads, divergence: swapped }).findings)).toEqual(['log/equivocation-harmless']);
    const same = { ...divergence, index: 2, first: { leaf_hash: honest.leaf(2), path: honest.inclusion(2).path } };
    const agreed = { ...same, second: { leaf_hash: longFork.leaf(2), path: longFork.inclusion(2).path } };
    expect(codes(judge({ heads, divergence: agreed }).findings)).toEqual(['log/equivocation-harmless']);
    expect(findDivergence(honest, tree(9))).toBeUndefined();
  });

  it('accuses nobody of what both can be true', () => {
    const harmless = (a: ReturnType<typeof head>, b: ReturnType<typeof head>) =>
      codes(judge({ heads: [a, b] }).findings);
    expect(harmless(head(honest), head(honest, { timestamp_nanos: 9n }))).toEqual(['log/equivocation-harmless']);
    expect(harmless(head(honest), head(forked, { run_id: 'other' }))).toEqual(['log/equivocation-harmless']);
    expect(harmless(head(honest), head(forked, { kind: 'events' }))).toEqual(['log/equivocation-harmless']);
    expect(harmless(head(honest), head(tree(9)))).toEqual(['log/equivocation-harmless']);
  });

  it('about key sets holds only for one journal, or for two journals of one size', () => {
    const set = (of: MerkleTree, size: number, root = honest.root()) =>
      head(of, { kind: 'absence/tool-use', journal: { size, root } });
    expect(judge({ heads: [set(honest, 7), set(forked, 7)] }).contradictory).toBe(true);
    expect(judge({ heads: [set(honest, 7), set(tree(9), 7)] }).contradictory).toBe(true);
    expect(judge({ heads: [set(honest, 7), set(honest, 7, forked.root())] }).contradictory).toBe(true);
    expect(judge({ heads: [set(honest, 7), set(forked, 8)] }).contradictory).toBe(false);
    expect(judge({ heads: [set(honest, 7), set(honest, 7)] }).contradictory).toBe(false);
  });

  it('is judged for its signatures and its contradiction apart', async () => {
    const stranger = await testKey('ed25519', 2);
    const forged = head(forked, {}, stranger);
    const report = judge({ heads: [head(honest), forged] });
    expect(report).toMatchObject({ signed: false, contradictory: true });
    expect(codes(report.findings)).toEqual(['log/head-signature']);
    expect(report.findings[0]?.where.part).toBe('second statement');
    expect(judge({ heads: [head(honest), head(forked)] }, [])).toMatchObject({ findings: [], signed: undefined });
  });

  it('holds over session heads and over checkpoints too', () => {
    const content = (n: number, digit: string) => ({
      session: 's',
      ident: new Uint8Array(32),
      declared: 'agentsession/0.14',
      entries: n,
      id: () => `sha256:${digit.repeat(64)}`,
    });
    const heads = [signSessionHead(content(3, 'a'), 1n, key), signSessionHead(content(3, 'b'), 2n, key)] as const;
    expect(judge({ session_heads: heads })).toMatchObject({ findings: [], signed: true, contradictory: true });
    const moved = signSessionHead({ ...content(3, 'b'), declared: 'agentsession/0.13' }, 2n, key);
    expect(judge({ session_heads: [heads[0], moved] }).contradictory).toBe(false);
    const note = (of: MerkleTree, origin = 'log.example') =>
      decodeUtf8(signNote(checkpointText(origin, of.size, of.root()), ed25519Signer(origin, key))) as string;
    const file = writeEquivocation({ checkpoints: [note(honest), note(forked)] });
    const read = readStrictly(equivocationShape, file as Uint8Array);
    expect(read.ok && judge(read.value)).toMatchObject({ findings: [], signed: true, contradictory: true });
    expect(judge({ checkpoints: [note(honest), note(forked, 'other.example')] }).contradictory).toBe(false);
    expect(codes(judge({ checkpoints: [note(honest), note(forked).replace('7\n', '8\n')] }).findings)).toContain(
      'log/note-signature',
    );
    expect(codes(judge({ checkpoints: [note(honest), 'x'] }).findings)).toEqual(['log/note-malformed']);
    expect(codes(judge({ checkpoints: [note(honest), 'x\n\n\u2014 a AAAAAAA=\n'] }).findings)).toEqual([
      'log/checkpoint-malformed',
    ]);
  });

  it('has exactly two statements of one kind', () => {
    for (const file of [
      {},
      { heads: [head(honest)] },
      { heads: [head(honest), head(forked)], checkpoints: ['a', 'b'] },
    ])
      expect(codes(judge(file).findings)).toEqual(['log/two-statements']);
  });

  it('does not survive the change of any byte', () => {
    const bytes = writeEquivocation(
      { heads: [head(honest), head(longFork)] },
      findDivergence(honest, longFork),
    ) as Uint8Array;
    for (let i = 0; i < bytes.length; i++) {
      const read = readStrictly(
        equivocationShape,
        bytes.map((byte, at) => (at === i ? byte ^ 1 : byte)),
      );
      expect(read.ok && judge(read.value).findings.length === 0).toBe(false);
    }
  });
});
