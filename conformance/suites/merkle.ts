/** RFC 6962 trees: the proofs of `merkle/`, and the trees and consistency proofs of `bide/audit-vectors.json` and `interop/`. */
import { hex, unbase64, utf8 } from '../../src/bytes/encoding.ts';
import type { Case, Folder, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

const hexOf = (base64: string | null): string => hex(unbase64(base64 ?? '') ?? new Uint8Array());
const hexPath = (path: readonly string[] | null): Json => path?.map(hexOf) ?? null;

/** Of the literal consistency proofs, the one that its source changed by a bit in the last hash, for the witness to refuse. */
const CHANGED = 'litewitness-4';

/** A proof is to be refused or accepted; which fault refuses it is left open. */
const refused =
  (wantErr: boolean): Case['expect'] =>
  (answer) =>
    (answer !== null) === wantErr
      ? undefined
      : wantErr
        ? 'the proof was accepted'
        : `the proof was refused: ${String(answer)}`;

interface Inclusion {
  readonly leafIdx: number;
  readonly treeSize: number;
  readonly root: string | null;
  readonly leafHash: string | null;
  readonly proof: readonly string[] | null;
  readonly wantErr: boolean;
}
interface Consistency {
  readonly size1: number;
  readonly size2: number;
  readonly root1: string | null;
  readonly root2: string | null;
  readonly proof: readonly string[] | null;
  readonly wantErr: boolean;
}

/** Numbers past 2^53 are written in full in the files; their text is taken, not the number that JSON.parse makes of it. */
function exact(folder: Folder, file: string, member: string): string {
  return new RegExp(`"${member}":\\s*(-?[0-9]+)`).exec(folder.text(file))?.[1] ?? '';
}

const transparencyDev: Suite = {
  name: 'merkle/proofs',
  folder: 'merkle',
  *cases(folder) {
    for (const file of folder.files().filter((name) => name.endsWith('.json'))) {
      if (file.startsWith('inclusion/')) {
        const item = folder.json(file) as Inclusion;
        yield {
          name: file,
          op: 'merkle/verify-inclusion',
          params: {
            root: hexOf(item.root),
            leaf_hash: hexOf(item.leafHash),
            index: exact(folder, file, 'leafIdx'),
            size: exact(folder, file, 'treeSize'),
            path: hexPath(item.proof),
          },
          expect: refused(item.wantErr),
        };
      } else {
        const item = folder.json(file) as Consistency;
        yield {
          name: file,
          op: 'merkle/verify-growth',
          params: {
            first: exact(folder, file, 'size1'),
            size: exact(folder, file, 'size2'),
            path: hexPath(item.proof),
            root1: hexOf(item.root1),
            root2: hexOf(item.root2),
          },
          expect: refused(item.wantErr),
        };
      }
    }
  },
};

interface AuditVectors {
  readonly public: {
    readonly rfc6962_reference_tree: {
      readonly leaves_hex: readonly string[];
      readonly roots_hex_by_size: readonly string[];
    };
    readonly consistency: {
      readonly hand_derived_1_to_2: {
        readonly proof_hex: readonly string[];
        readonly root1_hex: string;
        readonly root2_hex: string;
      };
    };
  };
  readonly computed: {
    readonly journal: {
      readonly records: readonly { readonly leaf_hash_hex: string }[];
      readonly roots_hex: { readonly [size: string]: string };
    };
    readonly inclusion_size_7: readonly { readonly index: number; readonly path_hex: readonly string[] }[];
    readonly consistency_to_7: readonly { readonly first: number; readonly path_hex: readonly string[] | null }[];
    readonly absence_ordering: {
      readonly sorted_keys: readonly string[];
      readonly leaf_hashes_hex: readonly string[];
      readonly root_hex: string;
      readonly absent_between: { readonly key: string; readonly left_index: number; readonly right_index: number };
    };
  };
}

function audit(name: string, cases: (vectors: AuditVectors) => Iterable<Case>): Suite {
  return {
    name: `bide/audit/${name}`,
    folder: 'bide',
    cases: (folder) => cases(folder.json('audit-vectors.json') as AuditVectors),
  };
}

export const suites: readonly Suite[] = [
  transparencyDev,
  audit('tree', function* ({ public: given, computed }) {
    const reference = given.rfc6962_reference_tree;
    for (const [size, root] of reference.roots_hex_by_size.entries())
      yield {
        name: `reference root of size ${size}`,
        op: 'merkle/root',
        params: { leaves: reference.leaves_hex.slice(0, size) },
        expect: equals(root),
      };
    const { proof_hex, root1_hex, root2_hex } = given.consistency.hand_derived_1_to_2;
    yield {
      name: 'consistency derived by hand, 1 to 2',
      op: 'merkle/verify-consistency',
      params: { first: 1, size: 2, path: proof_hex, root1: root1_hex, root2: root2_hex },
      expect: equals(null),
    };
    for (const [i, letter] of ['a', 'b'].entries())
      yield {
        name: `leaf hash derived by hand of ${letter}`,
        op: 'merkle/leaf-hash',
        params: { data: hex(utf8(letter)) },
        expect: equals(i === 0 ? root1_hex : (proof_hex[0] as string)),
      };
    const hashes = computed.journal.records.map((record) => record.leaf_hash_hex);
    for (const [size, root] of Object.entries(computed.journal.roots_hex))
      yield {
        name: `journal root of size ${size}`,
        op: 'merkle/root',
        params: { hashes: hashes.slice(0, Number(size)) },
        expect: equals(root),
      };
    const root = computed.journal.roots_hex['7'] as string;
    for (const { index, path_hex } of computed.inclusion_size_7) {
      yield {
        name: `inclusion of ${index} in 7, made`,
        op: 'merkle/prove-inclusion',
        params: { hashes, index },
        expect: equals(path_hex),
      };
      yield {
        name: `inclusion of ${index} in 7, checked`,
        op: 'merkle/verify-inclusion',
        params: { root, leaf_hash: hashes[index] as string, index, size: 7, path: path_hex },
        expect: equals(null),
      };
    }
    for (const { first, path_hex } of computed.consistency_to_7) {
      const empty = path_hex === null || path_hex.length === 0;
      yield {
        name: `consistency of ${first} to 7, made`,
        op: 'merkle/prove-consistency',
        params: { hashes, first },
        expect: equals(empty ? null : path_hex),
      };
      yield {
        name: `consistency of ${first} to 7, checked`,
        op: 'merkle/verify-consistency',
        params: {
          first,
          size: 7,
          path: path_hex,
          root1: computed.journal.roots_hex[String(first)] as string,
          root2: root,
        },
        expect: equals(null),
      };
    }
    const { sorted_keys, leaf_hashes_hex, root_hex, absent_between } = computed.absence_ordering;
    yield {
      name: 'keys sort by their UTF-8 bytes',
      op: 'merkle/key-set',
      params: { keys: [...sorted_keys].reverse() },
      expect: equals({ keys: sorted_keys, root: root_hex }),
    };
    for (const [i, key] of sorted_keys.entries())
      yield {
        name: `leaf hash of key ${i}`,
        op: 'merkle/key-leaf-hash',
        params: { key },
        expect: equals(leaf_hashes_hex[i] as string),
      };
    yield {
      name: 'neighbours of an absent key',
      op: 'merkle/prove-absence',
      params: { keys: sorted_keys, key: absent_between.key },
      expect: (answer) => {
        const of = answer as { readonly left: { readonly index: number }; readonly right: { readonly index: number } };
        return equals([absent_between.left_index, absent_between.right_index])([of.left.index, of.right.index]);
      },
    };
  }),
  {
    name: 'interop/consistency',
    folder: 'interop',
    *cases(folder) {
      type Row = {
        readonly size1: number;
        readonly size2: number;
        readonly root1: string;
        readonly root2: string;
        readonly proof: readonly string[];
      };
      const { leafHashes, roots } = folder.json('checkpoints.json') as {
        readonly leafHashes: readonly string[];
        readonly roots: { readonly [size: string]: string };
      };
      for (const [size, root] of Object.entries(roots))
        yield {
          name: `root of size ${size}`,
          op: 'merkle/root',
          params: { hashes: leafHashes.slice(0, Number(size)) },
          expect: equals(root),
        };
      for (const { size1, size2, root1, root2, proof } of (
        folder.json('proofs.json') as { readonly consistency: readonly Row[] }
      ).consistency) {
        yield {
          name: `${size1} to ${size2}, checked`,
          op: 'merkle/verify-consistency',
          params: { first: size1, size: size2, path: proof, root1, root2 },
          expect: equals(null),
        };
        yield {
          name: `${size1} to ${size2}, made`,
          op: 'merkle/prove-consistency',
          params: { hashes: leafHashes.slice(0, size2), first: size1 },
          expect: equals(proof.length === 0 ? null : proof),
        };
      }
    },
  },
  {
    name: 'interop/literal consistency',
    folder: 'interop',
    *cases(folder) {
      type Proof = { readonly old: number; readonly proof: readonly string[]; readonly checkpointNote: string };
      const { cases, consistency } = folder.json('literal-notes.json') as {
        readonly cases: readonly { readonly id: string; readonly note: string }[];
        readonly consistency: readonly Proof[];
      };
      /** Size and root as the text of a note has them. */
      const tree = (id: string) => {
        const note = cases.find((one) => one.id === id)?.note ?? '';
        const [, size = '', root = ''] = new TextDecoder().decode(unbase64(note)).split('\n');
        return { size: Number(size), root: hexOf(root) };
      };
      const known = new Map(
        consistency.map(({ checkpointNote }) => tree(checkpointNote)).map(({ size, root }) => [size, root]),
      );
      for (const { old, proof, checkpointNote } of consistency) {
        const { size, root } = tree(checkpointNote);
        // The witness that these were sent to had seen the tree of the old size; a first checkpoint comes without a proof.
        yield {
          name: `${checkpointNote}: ${old} to ${size}`,
          op: old === 0 ? 'merkle/verify-consistency' : 'merkle/verify-growth',
          params: { first: old, size, path: proof.map(hexOf), root1: known.get(old) ?? '', root2: root },
          expect: refused((old > 0 && proof.length === 0) || checkpointNote === CHANGED),
        };
      }
    },
  },
];
