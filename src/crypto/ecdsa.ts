/**
 * ECDSA over P-256 with SHA-256 by the acceptance rules of audit spec 0.8 rule 7: one spelling of a key (65 bytes, uncompressed), one
 * spelling of a signature (minimal DER, r and s in 1..n-1). A high s is accepted: key management services make them.
 */
import { p256 } from '@noble/curves/nist.js';
import { base64 } from '../bytes/encoding.ts';
import { nodeCrypto } from './node.ts';
import type { UnusableKey } from './signature.ts';

const ORDER = p256.Point.Fn.ORDER;

export type EcdsaCheck = (signature: Uint8Array, message: Uint8Array) => boolean;

function bigEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

function fixed32(value: bigint): Uint8Array {
  const bytes = new Uint8Array(32);
  let rest = value;
  for (let i = 31; i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 255n);
  return bytes;
}

/** r and s of a minimal DER `SEQUENCE { INTEGER r, INTEGER s }` with nothing after it; undefined for any other bytes. */
export function parseEcdsaDer(der: Uint8Array): { readonly r: bigint; readonly s: bigint } | undefined {
  // Two integers of at most 33 bytes: every length of a valid signature fits one byte below 0x80.
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || der.length > 72) return undefined;
  const integer = (at: number): { readonly value: bigint; readonly end: number } | undefined => {
    const length = der[at + 1];
    if (der[at] !== 0x02 || length === undefined || length === 0 || length > 33) return undefined;
    const end = at + 2 + length;
    if (end > der.length) return undefined;
    const first = der[at + 2] as number;
    if (first >= 0x80) return undefined;
    if (first === 0 && (length === 1 || (der[at + 3] as number) < 0x80)) return undefined;
    const value = bigEndian(der.subarray(at + 2, end));
    return value < ORDER ? { value, end } : undefined;
  };
  const r = integer(2);
  if (r === undefined) return undefined;
  const s = integer(r.end);
  return s === undefined || s.end !== der.length ? undefined : { r: r.value, s: s.value };
}

/** The DER form of 64 bytes r and s. */
export function derOf(compact: Uint8Array): Uint8Array {
  const integer = (bytes: Uint8Array): number[] => {
    let at = 0;
    while (at < 31 && bytes[at] === 0) at++;
    const digits = [...bytes.subarray(at)];
    if ((digits[0] as number) >= 0x80) digits.unshift(0);
    return [0x02, digits.length, ...digits];
  };
  const body = [...integer(compact.subarray(0, 32)), ...integer(compact.subarray(32))];
  return Uint8Array.from([0x30, body.length, ...body]);
}

/** Why the bytes are no key of this scheme; undefined if they are one. */
function unusable(key: Uint8Array): UnusableKey | undefined {
  if (key.length !== 65 || key[0] !== 0x04)
    return { unusable: 'an ECDSA P-256 key is the 65 bytes 0x04, X, Y (no compressed point, no SubjectPublicKeyInfo)' };
  try {
    p256.Point.fromBytes(key);
    return undefined;
  } catch {
    return { unusable: 'the key is not a point of the curve P-256' };
  }
}

/** The check in JavaScript alone. */
export function portableEcdsaCheck(key: Uint8Array): EcdsaCheck {
  return (signature, message) => {
    const parsed = parseEcdsaDer(signature);
    if (parsed === undefined) return false;
    const compact = new Uint8Array(64);
    compact.set(fixed32(parsed.r));
    compact.set(fixed32(parsed.s), 32);
    return p256.verify(compact, message, key, { lowS: false, prehash: true, format: 'compact' });
  };
}

/** The same by `node:crypto`; undefined outside Node. */
export function nodeEcdsaCheck(key: Uint8Array): EcdsaCheck | undefined {
  const node = nodeCrypto;
  if (node === undefined) return undefined;
  const url = (bytes: Uint8Array) => base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  const jwk = { kty: 'EC', crv: 'P-256', x: url(key.subarray(1, 33)), y: url(key.subarray(33)) };
  const handle = node.createPublicKey({ key: jwk, format: 'jwk' });
  return (signature, message) =>
    parseEcdsaDer(signature) !== undefined &&
    node.verify('sha256', message, { key: handle, dsaEncoding: 'der' }, signature);
}

/** The check under a key, or why the key cannot be used. */
export function ecdsaCheck(key: Uint8Array): EcdsaCheck | UnusableKey {
  return unusable(key) ?? nodeEcdsaCheck(key) ?? portableEcdsaCheck(key);
}

/** Whether 32 bytes are a private scalar of the curve. */
export function isEcdsaScalar(scalar: Uint8Array): boolean {
  const value = bigEndian(scalar);
  return scalar.length === 32 && value > 0n && value < ORDER;
}

/** The 65-byte public key of a private scalar. */
export function ecdsaPublicKey(scalar: Uint8Array): Uint8Array {
  return p256.getPublicKey(scalar, false);
}

/** The DER signature under a private scalar, its nonce by RFC 6979. */
export function signEcdsa(scalar: Uint8Array, message: Uint8Array): Uint8Array {
  return derOf(p256.sign(message, scalar, { prehash: true, lowS: false, format: 'compact' }));
}
