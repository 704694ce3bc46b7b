/** The audit vectors and keys that the tests of this folder share, read in place. */
// needs: vectors made elsewhere
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED_VECTORS } from '../../conformance/folder.ts';
import { unhex } from '../../src/bytes/encoding.ts';
import { importPrivateKey, isUnusable, parsePublicKey } from '../../src/crypto/keys.ts';
import type { PrivateKey, PublicKey } from '../../src/crypto/signature.ts';

const VECTORS: unknown = JSON.parse(readFileSync(join(SHARED_VECTORS, 'bide', 'audit-vectors.json'), 'utf8'));

/** The value at a path of the audit vectors. */
export function vector<T = string>(...path: readonly (string | number)[]): T {
  let value = VECTORS;
  for (const name of path) value = (value as Readonly<Record<string | number, unknown>>)[name];
  if (value === undefined) throw new Error(`no vector at ${path.join('.')}`);
  return value as T;
}

export async function publicKey(text: string): Promise<PublicKey> {
  const key = await parsePublicKey(text);
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}

export async function privateKey(seedHex: string): Promise<PrivateKey> {
  const key = await importPrivateKey('ed25519', unhex(seedHex) as Uint8Array);
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}

/** The log's key of the vectors. */
export const logKey = () => privateKey(vector('computed', 'keys', 'log', 'seed_hex'));

/** A time after every head of the vectors. */
export const AFTER = 1_900_000_000_000_000_000n;
