/** Operations on artifacts: each is read from its text and checked under keys in their text form. */
import { utf8 } from '../../src/bytes/encoding.ts';
import { isUnusable, parsePublicKey } from '../../src/crypto/keys.ts';
import { HeadChecker } from '../../src/evidence/heads.ts';
import { outcomeClass } from '../../src/evidence/outcome.ts';
import { readArtifact } from '../../src/evidence/place.ts';
import { checkProof } from '../../src/evidence/proof.ts';
import { proofShape } from '../../src/evidence/shapes.ts';
import { type KeyRing, ringOf } from '../../src/log/keyRing.ts';
import type { Json, Operation } from '../suite.ts';

type Params = Parameters<Operation>[0];

const text = (params: Params, name: string): string => String(params[name]);

async function ring(params: Params): Promise<KeyRing> {
  const key = await parsePublicKey(text(params, 'key'));
  if (isUnusable(key)) throw new Error(key.unusable);
  return ringOf(key);
}

export const operations: Readonly<Record<string, Operation>> = {
  async 'evidence/verify-proof'(params): Promise<Json> {
    const read = readArtifact(proofShape, utf8(text(params, 'document')));
    if (!read.ok) return { class: outcomeClass(read.findings) };
    return { class: outcomeClass(checkProof(read.value, new HeadChecker({ ring: await ring(params) })).findings) };
  },
};
