/**
 * One signature check for certificates, CRLs, OCSP responses and tokens: RSA PKCS #1 v1.5 and PSS (RFC 8017), ECDSA on the NIST curves,
 * Ed25519 (audit 0.8 rules 3 and 4) and ML-DSA-65. All of it is synchronous: RSA verification is one modular power with a small exponent,
 * done here, so that Node and browsers give the same answer and no rule above has to await.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256, p384, p521 } from '@noble/curves/nist.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha384, sha512 } from '@noble/hashes/sha2.js';
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import { concat, equalBytes } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { HashName, SignatureAlgorithm, SubjectKey } from './algorithm.ts';
import { Cursor, checkInteger, contents, elementAt, Malformed, TAG } from './der.ts';

const HASHES: Readonly<Record<HashName, (bytes: Uint8Array) => Uint8Array>> = {
  sha1: (bytes) => sha1(bytes),
  sha256,
  sha384: (bytes) => sha384(bytes),
  sha512: (bytes) => sha512(bytes),
};

/** A digest by name. SHA-1 serves identifiers that others chose (OCSP certID, ESSCertID), never a signature. */
export function digest(hash: HashName, bytes: Uint8Array): Uint8Array {
  return HASHES[hash](bytes);
}

/** Largest RSA key that is used: longer ones only cost time. */
export const MAX_RSA_BITS = 8192;
const MAX_RSA_EXPONENT_BITS = 33;

/** Why a key may not verify here although its kind is known, in words; undefined when it may (RSA of 2048 bits or more, odd e >= 3). */
export function weakness(key: SubjectKey): string | undefined {
  switch (key.kind) {
    case 'unsupported':
      return key.reason;
    case 'rsa':
      if (key.bits < 2048) return `an RSA key of ${key.bits} bits is too short; 2048 is the least`;
      if (key.bits > MAX_RSA_BITS) return `an RSA key of ${key.bits} bits is longer than the limit of ${MAX_RSA_BITS}`;
      if (key.exponent % 2n === 0n || key.modulus % 2n === 0n) return 'an RSA key has an even modulus or exponent';
      if (key.exponent.toString(2).length > MAX_RSA_EXPONENT_BITS)
        return 'an RSA key has an exponent of more than 33 bits';
      return undefined;
    case 'ed25519':
      return ed25519Usable(key.bytes) ? undefined : 'an Ed25519 key is weak or no point of the curve';
    case 'ec':
      return ecUsable(key) ? undefined : 'an EC key is not a point of its curve';
    default:
      return undefined;
  }
}

const CURVES = { 'P-256': p256, 'P-384': p384, 'P-521': p521 } as const;

function ecUsable(key: SubjectKey & { readonly kind: 'ec' }): boolean {
  try {
    CURVES[key.curve].Point.fromBytes(key.point).assertValidity();
    return true;
  } catch {
    return false;
  }
}

/** audit 0.8 rule 4. */
function ed25519Usable(bytes: Uint8Array): boolean {
  try {
    const point = ed25519.Point.fromBytes(bytes, false);
    return !point.is0() && point.isTorsionFree();
  } catch {
    return false;
  }
}

/**
 * Whether `signature` over `message` is valid under `key`. Malformed signatures, weak keys and an algorithm of another key type are
 * false, never an error.
 */
export function verifySignature(
  key: SubjectKey,
  algorithm: SignatureAlgorithm,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (weakness(key) !== undefined) return false;
  switch (algorithm.kind) {
    case 'rsa-pkcs1':
      return key.kind === 'rsa' && verifyPkcs1(key, algorithm.hash, message, signature);
    case 'rsa-pss':
      return key.kind === 'rsa' && verifyPss(key, algorithm.hash, algorithm.saltLength, message, signature);
    case 'ecdsa':
      return key.kind === 'ec' && verifyEcdsa(key, algorithm.hash, message, signature);
    case 'ed25519':
      return key.kind === 'ed25519' && verifyEd25519(key.bytes, message, signature);
    case 'ml-dsa-65':
      return key.kind === 'ml-dsa-65' && verifyMlDsa(key.bytes, message, signature);
  }
}

type RsaKey = SubjectKey & { readonly kind: 'rsa' };

/** RSAVP1 (RFC 8017 5.2.2): the encoded message, as long as the modulus; undefined when the signature is out of range. */
function rsaEncoded(key: RsaKey, signature: Uint8Array): Uint8Array | undefined {
  const length = Math.ceil(key.bits / 8);
  if (signature.length !== length) return undefined;
  const s = toBigInt(signature);
  if (s >= key.modulus) return undefined;
  let power = 1n;
  let base = s;
  for (let e = key.exponent; e > 0n; e >>= 1n) {
    if ((e & 1n) === 1n) power = (power * base) % key.modulus;
    base = (base * base) % key.modulus;
  }
  return fromBigInt(power, length);
}

function toBigInt(bytes: Uint8Array): bigint {
  let text = '0x0';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return BigInt(text);
}

function fromBigInt(value: bigint, length: number): Uint8Array {
  const text = value.toString(16).padStart(2 * length, '0');
  return Uint8Array.from({ length }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

/** DigestInfo before the hash (RFC 8017 9.2 note 1). */
const DIGEST_INFO: Readonly<Record<HashName, readonly number[]>> = {
  sha1: [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14],
  sha256: [0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 3, 4, 2, 1, 0x05, 0x00, 0x04, 0x20],
  sha384: [0x30, 0x41, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 3, 4, 2, 2, 0x05, 0x00, 0x04, 0x30],
  sha512: [0x30, 0x51, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 3, 4, 2, 3, 0x05, 0x00, 0x04, 0x40],
};

/** RSASSA-PKCS1-v1_5 (RFC 8017 8.2.2): the expected encoding is built and compared whole, nothing is parsed. */
function verifyPkcs1(key: RsaKey, hash: HashName, message: Uint8Array, signature: Uint8Array): boolean {
  const encoded = rsaEncoded(key, signature);
  if (encoded === undefined || hash === 'sha1') return false;
  const tail = [...DIGEST_INFO[hash], ...digest(hash, message)];
  const expected = new Uint8Array(encoded.length).fill(0xff);
  expected.set([0x00, 0x01]);
  expected[encoded.length - tail.length - 1] = 0x00;
  expected.set(tail, encoded.length - tail.length);
  return equalBytes(encoded, expected);
}

/** EMSA-PSS-VERIFY (RFC 8017 9.1.2), in its steps. */
function verifyPss(
  key: RsaKey,
  hash: HashName,
  saltLength: number,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const encoded = rsaEncoded(key, signature);
  if (encoded === undefined || hash === 'sha1') return false;
  const bits = key.bits - 1;
  const length = Math.ceil(bits / 8);
  const em = encoded.subarray(encoded.length - length);
  if (encoded.length > length && encoded[0] !== 0) return false;
  const messageHash = digest(hash, message); // 2
  const hLength = messageHash.length;
  if (length < hLength + saltLength + 2) return false; // 3
  if (em[length - 1] !== 0xbc) return false; // 4
  const masked = em.subarray(0, length - hLength - 1); // 5
  const h = em.subarray(length - hLength - 1, length - 1);
  const spare = 8 * length - bits;
  if (((masked[0] as number) & ~(0xff >> spare) & 0xff) !== 0) return false; // 6
  const dbMask = mask(hash, h, masked.length); // 7
  const db = masked.map((byte, i) => byte ^ (dbMask[i] as number)); // 8
  db[0] = (db[0] as number) & (0xff >> spare); // 9
  const zeros = length - hLength - saltLength - 2;
  if (db.subarray(0, zeros).some((byte) => byte !== 0) || db[zeros] !== 1) return false; // 10
  const salt = db.subarray(db.length - saltLength, db.length); // 11
  const primed = new Uint8Array(8 + hLength + saltLength); // 12
  primed.set(messageHash, 8);
  primed.set(salt, 8 + hLength);
  return equalBytes(h, digest(hash, primed)); // 13, 14
}

/** MGF1 (RFC 8017 B.2.1). */
function mask(hash: HashName, seed: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  const block = new Uint8Array(seed.length + 4);
  block.set(seed);
  for (let at = 0, counter = 0; at < length; counter++) {
    new DataView(block.buffer).setUint32(seed.length, counter);
    const piece = digest(hash, block).subarray(0, length - at);
    out.set(piece, at);
    at += piece.length;
  }
  return out;
}

/** ECDSA with a strict DER signature; a high s is accepted (audit 0.8 rule 7). */
function verifyEcdsa(
  key: SubjectKey & { readonly kind: 'ec' },
  hash: HashName,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (hash === 'sha1' || !strictEcdsa(signature)) return false;
  try {
    const options = { prehash: false, lowS: false, format: 'der' } as const;
    return CURVES[key.curve].verify(signature, digest(hash, message), key.point, options);
  } catch {
    return false;
  }
}

function strictEcdsa(signature: Uint8Array): boolean {
  try {
    const outer = elementAt(signature, 0, signature.length);
    if (outer.tag !== TAG.sequence || outer.end !== signature.length) return false;
    const cursor = new Cursor(outer);
    for (const name of ['r', 's']) {
      const integer = cursor.next(name, TAG.integer);
      checkInteger(integer);
      if ((contents(integer)[0] as number) >= 0x80) return false;
    }
    cursor.finish('signature');
    return true;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

/** The cofactorless check: [S]B - [k]A, encoded, is R byte for byte. R is never decoded. */
function verifyEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  const order = ed25519.Point.Fn.ORDER;
  const r = signature.subarray(0, 32);
  const s = toBigInt(signature.slice(32).reverse());
  if (s >= order) return false;
  const k = toBigInt(sha512(concat(r, key, message)).reverse()) % order;
  try {
    const point = ed25519.Point.fromBytes(key, false);
    return equalBytes(ed25519.Point.BASE.multiplyUnsafe(s).subtract(point.multiplyUnsafe(k)).toBytes(), r);
  } catch {
    return false;
  }
}

function verifyMlDsa(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return ml_dsa65.verify(signature, message, key);
  } catch {
    return false;
  }
}
