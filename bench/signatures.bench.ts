/**
 * Signature checks: the library's, as keys do them, against `node:crypto` alone where it has the scheme; the portable implementation, which
 * browsers use, against both; ML-DSA and the hybrid in checks a second.
 */
import { createPublicKey, verify } from 'node:crypto';
import { utf8 } from '../src/bytes/encoding.ts';
import { portableEcdsaCheck } from '../src/crypto/ecdsa.ts';
import { portableEd25519Check, usableEd25519Point } from '../src/crypto/ed25519.ts';
import { importPrivateKey, isUnusable } from '../src/crypto/keys.ts';
import { writeKeyDer } from '../src/crypto/pem.ts';
import type { PrivateKey, SchemeName } from '../src/crypto/signature.ts';
import { compare, type Measurement, time } from './bench.ts';

const MESSAGE = utf8('bide.approval.v3\n'.padEnd(120, 'x'));

async function keyOf(scheme: SchemeName): Promise<PrivateKey> {
  const length = scheme === 'ed25519+ml-dsa-65' ? 64 : 32;
  const key = await importPrivateKey(scheme, new Uint8Array(length).fill(7));
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}

function repeat(times: number, check: () => boolean): () => void {
  return () => {
    for (let i = 0; i < times; i++) if (!check()) throw new Error('a good signature was refused');
  };
}

async function againstNode(
  scheme: 'ed25519' | 'ecdsa-p256',
  times: number,
): Promise<{ ratio: number; detail: string }> {
  const key = await keyOf(scheme);
  const signature = key.sign(MESSAGE);
  const der = (await writeKeyDer({ scheme, bytes: key.publicKey.bytes, secret: false })) as Uint8Array;
  const handle = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
  const digest = scheme === 'ed25519' ? null : 'sha256';
  const { a, b } = await compare(
    repeat(times, () => key.publicKey.verify(signature, MESSAGE)),
    repeat(times, () => verify(digest, MESSAGE, handle, signature)),
  );
  const point = scheme === 'ed25519' ? usableEd25519Point(key.publicKey.bytes) : undefined;
  const portable =
    point !== undefined && !('unusable' in point)
      ? portableEd25519Check(key.publicKey.bytes, point)
      : portableEcdsaCheck(key.publicKey.bytes);
  const slow = await time(repeat(times / 10, () => portable(signature, MESSAGE)));
  const rate = (seconds: number, n: number) => Math.round(n / seconds);
  return {
    ratio: a / b,
    detail: `${rate(a, times)} checks a second, node:crypto alone ${rate(b, times)}, in JavaScript alone ${rate(slow, times / 10)}`,
  };
}

async function alone(scheme: SchemeName, times: number): Promise<{ ratio: number; detail: string }> {
  const [key, plain] = [await keyOf(scheme), await keyOf('ed25519')];
  const [signature, other] = [key.sign(MESSAGE), plain.sign(MESSAGE)];
  const { a, b } = await compare(
    repeat(times, () => key.publicKey.verify(signature, MESSAGE)),
    repeat(times, () => plain.publicKey.verify(other, MESSAGE)),
    3,
  );
  return { ratio: a / b, detail: `${Math.round(times / a)} checks a second; node:crypto of Node 20 does not have it` };
}

export const benches: readonly Measurement[] = [
  {
    name: 'Ed25519 signature checks, against node:crypto',
    most: 1.5,
    measure: () => againstNode('ed25519', 2000),
  },
  {
    name: 'ECDSA P-256 signature checks, against node:crypto',
    most: 1.5,
    measure: () => againstNode('ecdsa-p256', 2000),
  },
  { name: 'ML-DSA-65 signature checks, against Ed25519', measure: () => alone('ml-dsa-65', 60) },
  { name: 'hybrid signature checks, against Ed25519', measure: () => alone('ed25519+ml-dsa-65', 60) },
];
