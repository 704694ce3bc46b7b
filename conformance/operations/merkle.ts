/** Questions about trees and proofs, answered by `src/merkle`. Hashes are hexadecimal; sizes are numbers or decimal text. */
import { hex, unhex } from '../../src/bytes/encoding.ts';
import { leafHash } from '../../src/merkle/hash.ts';
import { type AbsenceProof, absenceFault, KeySet, keyLeafData } from '../../src/merkle/keySet.ts';
import {
  type Count,
  consistencyFault,
  growthFault,
  type InclusionProof,
  inclusionFault,
  type Path,
} from '../../src/merkle/proof.ts';
import { rootOfHashes } from '../../src/merkle/root.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';
import type { Json, Operation } from '../suite.ts';

type Members = { readonly [name: string]: Json };

const bytes = (value: Json | undefined): Uint8Array =>
  unhex(typeof value === 'string' ? value : '') ?? new Uint8Array();
const list = (value: Json | undefined): readonly Uint8Array[] =>
  Array.isArray(value) ? (value as readonly Json[]).map(bytes) : [];
const path = (value: Json | undefined): Path => (Array.isArray(value) ? list(value) : null);
const hexes = (value: Path): Json => value?.map((hash) => (hash === null ? null : hex(hash))) ?? null;

function count(value: Json | undefined): Count {
  if (typeof value === 'string' && /^-?[0-9]+$/.test(value)) return BigInt(value);
  return typeof value === 'number' ? value : Number.NaN;
}

function neighbour(value: Json | undefined): AbsenceProof['left'] {
  if (value === null || value === undefined) return null;
  const of = value as Members;
  const proof: InclusionProof = { index: Number(of['index']), size: Number(of['size']), path: path(of['path']) };
  return { key: String(of['key']), proof };
}

const shown = (of: AbsenceProof['left']): Json =>
  of === null ? null : { key: of.key, index: of.proof.index, size: of.proof.size, path: hexes(of.proof.path) };

export const operations: Record<string, Operation> = {
  'merkle/leaf-hash': (params) => hex(leafHash(bytes(params['data']))),
  'merkle/key-leaf-hash': (params) => hex(leafHash(keyLeafData(String(params['key'])))),
  /** The root over leaf hashes, or over leaves given as their data. */
  'merkle/root': (params) =>
    hex(rootOfHashes(params['leaves'] === undefined ? list(params['hashes']) : list(params['leaves']).map(leafHash))),
  'merkle/prove-inclusion': (params) =>
    hexes(MerkleTree.ofHashes(list(params['hashes'])).inclusion(Number(params['index'])).path),
  'merkle/prove-consistency': (params) =>
    hexes(MerkleTree.ofHashes(list(params['hashes'])).consistency(Number(params['first'])).path),
  /** Null when the proof holds, otherwise the fault. */
  'merkle/verify-inclusion': (params) =>
    inclusionFault(
      bytes(params['root']),
      bytes(params['leaf_hash']),
      count(params['index']),
      count(params['size']),
      path(params['path']),
    ) ?? null,
  /** For one who relies on the earlier tree: from the empty tree nothing is shown. */
  'merkle/verify-growth': (params) =>
    growthFault(
      count(params['first']),
      count(params['size']),
      path(params['path']),
      bytes(params['root1']),
      bytes(params['root2']),
    ) ?? null,
  'merkle/verify-consistency': (params) =>
    consistencyFault(
      count(params['first']),
      count(params['size']),
      path(params['path']),
      bytes(params['root1']),
      bytes(params['root2']),
    ) ?? null,
  'merkle/key-set': (params) => {
    const set = new KeySet((params['keys'] as readonly Json[]).map(String));
    return { keys: set.keys, root: hex(set.root()) };
  },
  'merkle/prove-absence': (params) => {
    const proof = new KeySet((params['keys'] as readonly Json[]).map(String)).absence(String(params['key']));
    return proof === undefined ? null : { size: proof.size, left: shown(proof.left), right: shown(proof.right) };
  },
  'merkle/verify-absence': (params) => {
    const fault = absenceFault(bytes(params['root']), {
      key: String(params['key']),
      size: Number(params['size']),
      left: neighbour(params['left']),
      right: neighbour(params['right']),
    });
    return fault === undefined ? null : fault.part === undefined ? fault.fault : `${fault.part}: ${fault.fault}`;
  },
};
