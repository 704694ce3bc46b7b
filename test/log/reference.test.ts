/** The library against a second implementation in Python's standard library (reference.py), in both directions. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64, hex, utf8 } from '../../src/bytes/encoding.ts';
import { checkpointText } from '../../src/log/checkpoint.ts';
import { cosign, signNote, verifyNote } from '../../src/log/note.ts';
import { ED25519_COSIGNATURE, ed25519Signer, formatVerifierKey, parseVerifierKey } from '../../src/log/noteKey.ts';
import { parsePolicy } from '../../src/log/policy.ts';
import { evaluateTlogProof, writeTlogProof } from '../../src/log/tlogProof.ts';
import { leafHash } from '../../src/merkle/hash.ts';
import { rootOfLeaves } from '../../src/merkle/root.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';
import { testKey } from './keys.ts';

const SCRIPT = fileURLToPath(new URL('reference.py', import.meta.url));

function reference(request: object): unknown {
  const input = JSON.stringify(request);
  return JSON.parse(
    execFileSync('python3', [SCRIPT], { input, maxBuffer: 1 << 28, stdio: ['pipe', 'pipe', 'pipe'] }).toString(),
  );
}

function refused(request: object): boolean {
  try {
    reference(request);
    return false;
  } catch {
    return true;
  }
}

const LOG = 'log.example/audit';
const log = ed25519Signer(LOG, await testKey('ed25519', 1));
const witness = ed25519Signer('witness.example/w', await testKey('ed25519', 2), ED25519_COSIGNATURE);
const leaves = Array.from({ length: 13 }, (_, i) => utf8(`entry ${i}\n`));
const tree = MerkleTree.ofLeaves(leaves);

describe('a second implementation', () => {
  it('finds the same roots over random leaf sets of up to 10,000', () => {
    const random = fc.sample(
      fc.tuple(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 70 })),
      { numRuns: 8, seed: 6962 },
    );
    const sets = [...random, [0, 0, 0] as const, [1, 1, 0] as const, [10_000, 7, 33] as const].map(
      ([size, salt, length]) =>
        Array.from({ length: size }, (_, i) => {
          const leaf = new Uint8Array(length + 4).fill(salt);
          new DataView(leaf.buffer).setUint32(length, i);
          return leaf;
        }),
    );
    const roots = reference({ op: 'roots', sets: sets.map((set) => set.map(hex)) });
    expect(sets.map((set) => hex(rootOfLeaves(set)))).toEqual(roots);
    expect(sets.map((set) => hex(MerkleTree.ofLeaves(set).root()))).toEqual(roots);
  });

  it('finds the same paths', () => {
    const indices = leaves.map((_, i) => i);
    const paths = indices.map((i) => ((tree.inclusion(i).path ?? []) as readonly Uint8Array[]).map(hex));
    expect(reference({ op: 'inclusion', leaves: leaves.map(hex), indices })).toEqual(paths);
  });

  it('accepts our checkpoint, cosignature and proof files, and refuses them changed', () => {
    const made = cosign(signNote(checkpointText(LOG, tree.size, tree.root()), log), witness, 1_790_000_000n);
    if (!made.ok) throw new Error(made.fault.reason);
    const vkeys = [formatVerifierKey(log), formatVerifierKey(witness)];
    const signers = [
      [LOG, null],
      ['witness.example/w', 1_790_000_000],
    ];
    expect(reference({ op: 'open', note: base64(made.value), vkeys })).toEqual({
      origin: LOG,
      size: 13,
      root: hex(tree.root()),
      signers,
    });
    const bent = made.value.map((byte, i) => (i === LOG.length + 1 ? byte ^ 1 : byte));
    expect(refused({ op: 'open', note: base64(bent), vkeys })).toBe(true);
    for (const i of [0, 7, 12]) {
      const path = (tree.inclusion(i).path ?? []) as readonly Uint8Array[];
      const proof = base64(writeTlogProof({ index: BigInt(i), path, note: made.value }));
      expect(reference({ op: 'check', proof, leaf: base64(leaves[i] as Uint8Array), vkeys })).toEqual(signers);
      expect(refused({ op: 'check', proof, leaf: base64(utf8('other')), vkeys })).toBe(true);
    }
  });

  it('makes checkpoints, cosignatures and proof files that we accept', async () => {
    const made = reference({
      op: 'make',
      origin: 'py.example/log',
      seeds: { 'py.example/log': '11'.repeat(32), 'w1.example': '22'.repeat(32), 'w2.example': '33'.repeat(32) },
      witnesses: [
        ['w1.example', 1_790_000_000],
        ['w2.example', 0],
      ],
      leaves: leaves.map(hex),
      indices: [0, 6, 12],
    }) as { note: string; proofs: readonly string[]; log: string; witnesses: readonly [string, string] };
    const keys = await Promise.all(
      [made.log, ...made.witnesses].map(async (vkey) => {
        const parsed = await parseVerifierKey(vkey);
        if (!parsed.ok) throw new Error(parsed.fault.message);
        return parsed.value;
      }),
    );
    expect(verifyNote(utf8(made.note), keys)).toMatchObject({ ok: true, value: { by: { length: 3 } } });
    const policy = await parsePolicy(
      utf8(
        `log ${made.log}\nwitness A ${made.witnesses[0]}\nwitness B ${made.witnesses[1]}\ngroup G all A B\nquorum G\n`,
      ),
    );
    if (!policy.ok) throw new Error(policy.fault.message);
    for (const [n, i] of [0, 6, 12].entries()) {
      const proof = utf8(made.proofs[n] as string);
      expect(evaluateTlogProof(proof, leafHash(leaves[i] as Uint8Array), policy.value)).toMatchObject({
        faults: [],
        included: true,
        cosigners: [{ name: 'A' }, { name: 'B' }],
      });
    }
  });
});
