/** The verbs of `bide-audit` (audit spec 6.5); the module of a verb is loaded when it is called. */
import type { Verb } from './verb.ts';

const LOADERS: Readonly<Record<string, () => Promise<Verb>>> = {
  verify: async () => (await import('./verbs/proof.ts')).verifyVerb,
};

export const VERB_NAMES: readonly string[] = Object.keys(LOADERS);

/** The verb of a name, or undefined. */
export async function loadVerb(name: string): Promise<Verb | undefined> {
  return Object.hasOwn(LOADERS, name) ? LOADERS[name]?.() : undefined;
}
