/**
 * ML-DSA-65 (FIPS 204, pure) with the context of audit spec 0.8. This file loads a heavy library: it is imported dynamically, only when a
 * key of this scheme is.
 */
import { ml_dsa44, ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import { utf8 } from '../bytes/encoding.ts';
import type { UnusableKey } from './signature.ts';

export const ML_DSA_65_KEY_BYTES = 1952;
export const ML_DSA_65_SIGNATURE_BYTES = 3309;
/** The context string of every signature of the scheme (audit spec 0.8). */
export const ML_DSA_65_CONTEXT = utf8('bide.audit.mldsa65.v1');

/** Whether the signature is good under a key, for any context of at most 255 bytes. Wrong lengths are false. */
export function verifyMlDsa65(
  key: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
  context: Uint8Array = ML_DSA_65_CONTEXT,
): boolean {
  if (key.length !== ML_DSA_65_KEY_BYTES || signature.length !== ML_DSA_65_SIGNATURE_BYTES || context.length > 255)
    return false;
  return ml_dsa65.verify(signature, message, key, { context });
}

/** Why the bytes are no key of this scheme; undefined if they are one. */
export function unusableMlDsa65Key(key: Uint8Array): UnusableKey | undefined {
  if (key.length === ML_DSA_65_KEY_BYTES) return undefined;
  return { unusable: `an ML-DSA-65 key has ${ML_DSA_65_KEY_BYTES} bytes, this one has ${key.length}` };
}

/** The public key of a 32-byte seed, and a deterministic signer (FIPS 204 5.2, `rnd` all zero). */
export function mlDsa65FromSeed(seed: Uint8Array): {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
} {
  const { publicKey, secretKey } = ml_dsa65.keygen(seed);
  return {
    publicKey,
    sign: (message) => ml_dsa65.sign(message, secretKey, { context: ML_DSA_65_CONTEXT, extraEntropy: false }),
  };
}

/** Lengths of ML-DSA-44, which witnesses cosign with (C2SP tlog-cosignature); no scheme of the audit specification. */
export const ML_DSA_44_KEY_BYTES = 1312;
export const ML_DSA_44_SIGNATURE_BYTES = 2420;

/** Whether an ML-DSA-44 signature with the empty context is good. Wrong lengths are false. */
export function verifyMlDsa44(key: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
  if (key.length !== ML_DSA_44_KEY_BYTES || signature.length !== ML_DSA_44_SIGNATURE_BYTES) return false;
  return ml_dsa44.verify(signature, message, key);
}

/** The ML-DSA-44 public key of a 32-byte seed, and a deterministic signer with the empty context. */
export function mlDsa44FromSeed(seed: Uint8Array): {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
} {
  const { publicKey, secretKey } = ml_dsa44.keygen(seed);
  return { publicKey, sign: (message) => ml_dsa44.sign(message, secretKey, { extraEntropy: false }) };
}
