/** Keys for the tests of this folder, always the same. */
import { importPrivateKey, isUnusable, privateKeyLength } from '../../src/crypto/keys.ts';
import type { PrivateKey, SchemeName } from '../../src/crypto/signature.ts';

export async function testKey(scheme: SchemeName, fill: number): Promise<PrivateKey> {
  const key = await importPrivateKey(scheme, new Uint8Array(privateKeyLength(scheme)).fill(fill));
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}
