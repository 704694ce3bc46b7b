/** `agentsession/` as far as stores go: names of refs, which of them may stand beside one another, and their listing. */
import type { Case, Folder, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

interface Expected {
  readonly vectors: {
    readonly ref_names: {
      readonly accepted: readonly string[];
      readonly refused: readonly string[];
      readonly clashes: {
        readonly existing: readonly string[];
        readonly refused: readonly string[];
        readonly accepted: readonly string[];
      };
      readonly list_by_prefix: { readonly prefix: string; readonly gives: readonly string[] };
    };
  };
}

/** Names that are no answer to the prefix of the listing. */
const OTHERS = ['cha', 'a/chat', 'zchat'];

function* cases(folder: Folder): Iterable<Case> {
  const { accepted, refused, clashes, list_by_prefix } = (folder.json('expected.json') as Expected).vectors.ref_names;
  const create = (name: string, beside: readonly string[], answer: string): Case => ({
    name: `${beside.length === 0 ? 'name' : 'beside others'}: ${JSON.stringify(name)}`,
    op: 'store/create_ref',
    params: { name, beside },
    expect: equals(answer),
  });
  for (const name of accepted) yield create(name, [], 'created');
  for (const name of refused) yield create(name, [], 'ref_name');
  for (const name of clashes.accepted) yield create(name, clashes.existing, 'created');
  for (const name of clashes.refused) yield create(name, clashes.existing, 'ref_name');
  const { prefix, gives } = list_by_prefix;
  yield {
    name: `list by ${prefix}`,
    op: 'store/list_refs',
    params: { prefix, names: [...OTHERS, ...[...gives].reverse()] },
    expect: equals(gives),
  };
}

export const suites: readonly Suite[] = [{ name: 'agentsession: refs', folder: 'agentsession', cases }];
