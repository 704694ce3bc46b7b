/** Artifacts of the audit layer (`bide/audit-vectors.json`), group by group. */
import { type Case, equals, type Folder, type Json, type Suite } from '../suite.ts';

/** The value at a path of the vectors. */
type Pick = <T = string>(...path: readonly (string | number)[]) => T;

function suite(name: string, cases: (pick: Pick, folder: Folder) => Iterable<Case>): Suite {
  return {
    name: `bide/audit/${name}`,
    folder: 'bide',
    cases(folder) {
      const root = folder.json('audit-vectors.json');
      const pick: Pick = <T>(...path: readonly (string | number)[]): T => {
        let value = root;
        for (const step of path) value = (value as Readonly<Record<string | number, unknown>>)[step];
        if (value === undefined) throw new Error(`no vector at ${path.join('.')}`);
        return value as T;
      };
      return cases(pick, folder);
    },
  };
}

function ask(name: string, op: string, params: Case['params'], answer: Json): Case {
  return { name, op, params, expect: equals(answer) };
}

const LOG_KEY = ['computed', 'keys', 'log', 'public_key_text'] as const;

export const suites: readonly Suite[] = [
  suite('proofs', function* (pick) {
    const key = pick(...LOG_KEY);
    const verify = (name: string, document: string, expected: string) =>
      ask(name, 'evidence/verify-proof', { document, key }, { class: expected });
    yield verify('leaf 3', pick('computed', 'proof_bundle_leaf_3'), 'verified');
    yield verify('single leaf', pick('computed', 'proof_bundle_single_leaf_tree', 'json'), 'verified');
    type Negative = { readonly name: string; readonly document: string; readonly class: string };
    for (const item of pick<readonly Negative[]>('computed', 'negative_proof_bundles', 'cases'))
      yield verify(item.name, item.document, item.class);
    type RecordCase = { readonly name: string; readonly bundle_json: string; readonly class: string };
    for (const item of pick<readonly RecordCase[]>('computed', 'record_bytes_cases'))
      yield verify(`record: ${item.name}`, item.bundle_json, item.class);
  }),
];
