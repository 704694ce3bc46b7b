/** Questions about stores, answered by one in memory. */
import { codeOf } from '../../src/store/errors.ts';
import type { LineStore } from '../../src/store/lineStore.ts';
import { memoryStore } from '../../src/store/open.ts';
import type { Json, Operation } from '../suite.ts';

const texts = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

async function storeWith(names: readonly string[]): Promise<LineStore> {
  const store = memoryStore();
  await store.create({ id: 's' });
  for (const name of names) await store.updateRef(name, null, { session: 's' });
  return store;
}

export const operations: Record<string, Operation> = {
  'store/create_ref': async ({ name, beside }) => {
    const store = await storeWith(texts(beside));
    try {
      await store.updateRef(String(name), null, { session: 's' });
      return 'created';
    } catch (error) {
      return codeOf(error) ?? String(error);
    }
  },
  'store/list_refs': async ({ prefix, names }) => {
    const store = await storeWith(texts(names));
    const found: string[] = [];
    for await (const ref of store.listRefs(String(prefix))) found.push(ref.name);
    return found;
  },
};
