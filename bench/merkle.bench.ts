/** Trees of a million leaves against the hashes that they are made of, proofs from one, and heads over a million entries of a session. */
import { hex } from '../src/bytes/encoding.ts';
import { importPrivateKey, isUnusable } from '../src/crypto/keys.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import { bindSession, type SessionContent, signSessionHead } from '../src/log/sessionHead.ts';
import { leafHash } from '../src/merkle/hash.ts';
import { consistencyFault, inclusionFault } from '../src/merkle/proof.ts';
import { RootBuilder } from '../src/merkle/root.ts';
import { MerkleTree } from '../src/merkle/tree.ts';
import { compare, type Measurement, time } from './bench.ts';

const LEAVES = Number(process.env['AUDIT_BENCH_LEAVES'] ?? 1_000_000);
const ROUNDS = 3;

/** 2n - 1 hashes of 65 bytes: what a tree over n leaves of 64 bytes cannot do without. */
function bareHashes(): void {
  const bytes = new Uint8Array(65);
  for (let i = 0; i < 2 * LEAVES - 1; i++) sha256(bytes);
}

/** Leaves of 64 bytes; one buffer serves them all. */
function eachLeaf(take: (leaf: Uint8Array) => void): void {
  const leaf = new Uint8Array(64);
  const view = new DataView(leaf.buffer);
  for (let i = 0; i < LEAVES; i++) {
    view.setUint32(0, i);
    take(leaf);
  }
}

const rate = (count: number, seconds: number) => `${Math.round(count / seconds / 1000)} thousand a second`;

export const benches: readonly Measurement[] = [
  {
    name: `root over ${LEAVES} leaves, streamed, against 2n-1 bare hashes`,
    most: 1.5,
    async measure() {
      const streamed = () => {
        const builder = new RootBuilder();
        eachLeaf((leaf) => builder.append(leafHash(leaf)));
        builder.root();
      };
      const { a, b } = await compare(streamed, bareHashes, ROUNDS);
      return { ratio: a / b, detail: `${a.toFixed(2)} s, ${rate(LEAVES, a)}; bare ${b.toFixed(2)} s` };
    },
  },
  {
    name: `a kept tree of ${LEAVES} leaves, against 2n-1 bare hashes`,
    most: 2,
    async measure() {
      const kept = () => {
        const tree = new MerkleTree();
        eachLeaf((leaf) => tree.append(leafHash(leaf)));
        tree.root();
      };
      const { a, b } = await compare(kept, bareHashes, ROUNDS);
      return { ratio: a / b, detail: `${a.toFixed(2)} s, ${rate(LEAVES, a)}; bare ${b.toFixed(2)} s` };
    },
  },
  {
    name: `10000 inclusion proofs from a tree of ${LEAVES}, made and checked, against the hashes of checking`,
    most: 3,
    async measure() {
      const tree = new MerkleTree();
      eachLeaf((leaf) => tree.append(leafHash(leaf)));
      const root = tree.root();
      const count = 10_000;
      const proofs = () => {
        for (let i = 0; i < count; i++) {
          const index = (i * 7919) % LEAVES;
          const { path } = tree.inclusion(index);
          if (inclusionFault(root, tree.leaf(index), index, LEAVES, path) !== undefined) throw new Error('no proof');
        }
      };
      const depth = Math.ceil(Math.log2(LEAVES));
      const node = new Uint8Array(65);
      const hashes = () => {
        for (let i = 0; i < count * depth; i++) sha256(node);
      };
      const { a, b } = await compare(proofs, hashes, ROUNDS);
      const growth = await time(() => {
        for (let i = 1; i <= 1000; i++) {
          const first = (i * 7919) % LEAVES || 1;
          const { path } = tree.consistency(first);
          if (consistencyFault(first, LEAVES, path, tree.root(first), root) !== undefined) throw new Error('no proof');
        }
      });
      return {
        ratio: a / b,
        detail: `${((a / count) * 1e6).toFixed(0)} µs a proof; consistency ${(growth * 1000).toFixed(0)} µs a proof`,
      };
    },
  },
  {
    name: `a head over a session of ${LEAVES} entries, signed and verified, against the tree alone`,
    most: 1.7,
    async measure() {
      const key = await importPrivateKey('ed25519', new Uint8Array(32).fill(1));
      if (isUnusable(key)) throw new Error(key.unusable);
      // As a session keeps them: 32 bytes after 32 bytes.
      const ids = new Uint8Array(32 * LEAVES);
      const view = new DataView(ids.buffer);
      for (let i = 0; i < LEAVES; i++) view.setUint32(32 * i, i);
      const idBytes = (entry: number) => ids.subarray(32 * entry, 32 * entry + 32);
      const content: SessionContent = {
        session: 's',
        ident: new Uint8Array(32),
        declared: 'agentsession/0.14',
        entries: LEAVES,
        id: (entry) => `sha256:${hex(idBytes(entry))}`,
        idBytes,
      };
      const headed = () => {
        const head = signSessionHead(content, 1n, key);
        if (bindSession(content, head).findings.length > 0) throw new Error('the head does not hold');
      };
      const tree = () => {
        for (let side = 0; side < 2; side++) {
          const builder = new RootBuilder();
          eachLeaf((leaf) => builder.append(leafHash(leaf)));
          builder.root();
        }
      };
      const { a, b } = await compare(headed, tree, 2);
      return { ratio: a / b, detail: `${a.toFixed(2)} s for both; two trees ${b.toFixed(2)} s` };
    },
  },
];
