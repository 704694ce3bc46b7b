/**
 * Ed25519 by the acceptance rules of audit spec 0.8 (rules 3 and 4): the cofactorless check of RFC 8032 5.1.7 and keys that are neither
 * small-order, nor of mixed order, nor spelled in a second way. `@noble/curves` gives the point arithmetic; its own `verify` multiplies by
 * the cofactor in both modes and is not used. In Node the signature equation is left to `node:crypto`, which is cofactorless too
 * (approvals 7.1); the key check is always made here, once per key, because `node:crypto` makes none.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { base64, concat, equalBytes } from '../bytes/encoding.ts';
import { nodeCrypto } from './node.ts';
import type { UnusableKey } from './signature.ts';

const { Point } = ed25519;
type Point = ReturnType<typeof Point.fromBytes>;
const L = Point.Fn.ORDER;
/** 2^255 - 19. */
const P = Point.Fp.ORDER;

/** Whether the signature is good under one key. Malformed signatures are false. */
export type Ed25519Check = (signature: Uint8Array, message: Uint8Array) => boolean;

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] as number);
  return value;
}

/** The point of a usable key (audit spec 0.8 rule 4), or why there is none. */
export function usableEd25519Point(key: Uint8Array): Point | UnusableKey {
  if (key.length !== 32) return { unusable: `an Ed25519 key has 32 bytes, this one has ${key.length}` };
  const y = littleEndian(key) & ((1n << 255n) - 1n);
  if (y >= P) return { unusable: 'the key is a second spelling: its y coordinate is not below 2^255-19' };
  let point: Point;
  try {
    // Strict decoding: also refuses the sign bit where x is 0.
    point = Point.fromBytes(key, false);
  } catch {
    return { unusable: 'the key is not the encoding of a point of the curve' };
  }
  if (point.is0()) return { unusable: 'the key is the identity of the curve, under which anybody can sign' };
  if (point.isSmallOrder()) return { unusable: 'the key is a point of small order, under which anybody can sign' };
  if (!point.isTorsionFree())
    return { unusable: 'the key is a point of mixed order, which gives one secret several keys' };
  return point;
}

/** The check of audit spec 0.8 rule 3, written out. */
export function portableEd25519Check(key: Uint8Array, point: Point): Ed25519Check {
  const negated = point.negate();
  return (signature, message) => {
    if (signature.length !== 64) return false;
    const r = signature.subarray(0, 32);
    const s = littleEndian(signature.subarray(32));
    if (s >= L) return false;
    const k = littleEndian(sha512(concat(r, key, message))) % L;
    const expected = Point.BASE.multiplyUnsafe(s).add(negated.multiplyUnsafe(k));
    return equalBytes(expected.toBytes(), r);
  };
}

/** The same by `node:crypto`; undefined outside Node. The key must have passed `usableEd25519Point`. */
export function nodeEd25519Check(key: Uint8Array): Ed25519Check | undefined {
  const node = nodeCrypto;
  if (node === undefined) return undefined;
  const x = base64(key).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  const handle = node.createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return (signature, message) => signature.length === 64 && node.verify(null, message, handle, signature);
}

/** The check under a key, or why the key cannot be used. */
export function ed25519Check(key: Uint8Array): Ed25519Check | UnusableKey {
  const point = usableEd25519Point(key);
  if ('unusable' in point) return point;
  return nodeEd25519Check(key) ?? portableEd25519Check(key, point);
}

/** The public key of a 32-byte seed. */
export function ed25519PublicKey(seed: Uint8Array): Uint8Array {
  return ed25519.getPublicKey(seed);
}

/** The signature under a 32-byte seed (RFC 8032 5.1.6), 64 bytes. */
export function signEd25519(seed: Uint8Array, message: Uint8Array): Uint8Array {
  return ed25519.sign(message, seed);
}
