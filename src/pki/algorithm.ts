/**
 * Algorithm identifiers and the public keys of certificates: which ones are accepted, and how their parameters must stand
 * (RFC 3279, 4055, 5480, 5758, 8410, 9881). An algorithm that is not here verifies nothing; SHA-1 and MD5 signatures are among those.
 */
import { equalBytes, hex } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import {
  bitStringBytes,
  Cursor,
  checkBitString,
  contents,
  type Element,
  integerValue,
  Malformed,
  oidText,
  raw,
  smallInteger,
  TAG,
} from './der.ts';

export type HashName = 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** An AlgorithmIdentifier: OID and parameters as they stand. */
export interface Algorithm {
  readonly oid: string;
  /** The parameters' whole element, undefined when absent. */
  readonly parameters: Element | undefined;
  /** The whole AlgorithmIdentifier. */
  readonly der: Uint8Array;
}

export type SignatureAlgorithm =
  | { readonly kind: 'rsa-pkcs1'; readonly hash: HashName }
  | { readonly kind: 'rsa-pss'; readonly hash: HashName; readonly saltLength: number }
  | { readonly kind: 'ecdsa'; readonly hash: HashName }
  | { readonly kind: 'ed25519' }
  | { readonly kind: 'ml-dsa-65' };

export type Curve = 'P-256' | 'P-384' | 'P-521';

/** A key as `src/pki` can use it; `unsupported` keeps the reason in words. */
export type SubjectKey =
  | { readonly kind: 'rsa'; readonly modulus: bigint; readonly exponent: bigint; readonly bits: number }
  | { readonly kind: 'ec'; readonly curve: Curve; readonly point: Uint8Array }
  | { readonly kind: 'ed25519'; readonly bytes: Uint8Array }
  | { readonly kind: 'ml-dsa-65'; readonly bytes: Uint8Array }
  | { readonly kind: 'unsupported'; readonly reason: string };

/** SubjectPublicKeyInfo with its identities. */
export interface PublicKeyInfo {
  readonly der: Uint8Array;
  /** Hex SHA-256 of the DER, taken from the bytes (approver-identity 2). */
  readonly sha256: string;
  readonly algorithm: Algorithm;
  /** Contents of the BIT STRING without its first byte: what OCSP key hashes are over. */
  readonly bits: Uint8Array;
  readonly key: SubjectKey;
}

export const HASH_OIDS: ReadonlyMap<string, HashName> = new Map([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

export const HASH_LENGTH: Readonly<Record<HashName, number>> = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 };

const RSA = '1.2.840.113549.1.1.1';
const RSA_PSS = '1.2.840.113549.1.1.10';
const EC = '1.2.840.10045.2.1';
const ED25519 = '1.3.101.112';
const ML_DSA_65 = '2.16.840.1.101.3.4.3.18';

const CURVES: ReadonlyMap<string, { readonly curve: Curve; readonly length: number }> = new Map([
  ['1.2.840.10045.3.1.7', { curve: 'P-256', length: 65 }],
  ['1.3.132.0.34', { curve: 'P-384', length: 97 }],
  ['1.3.132.0.35', { curve: 'P-521', length: 133 }],
]);

const SIGNATURES: ReadonlyMap<string, SignatureAlgorithm & { readonly parameters: 'null' | 'absent' }> = new Map([
  ['1.2.840.113549.1.1.11', { kind: 'rsa-pkcs1', hash: 'sha256', parameters: 'null' }],
  ['1.2.840.113549.1.1.12', { kind: 'rsa-pkcs1', hash: 'sha384', parameters: 'null' }],
  ['1.2.840.113549.1.1.13', { kind: 'rsa-pkcs1', hash: 'sha512', parameters: 'null' }],
  ['1.2.840.10045.4.3.2', { kind: 'ecdsa', hash: 'sha256', parameters: 'absent' }],
  ['1.2.840.10045.4.3.3', { kind: 'ecdsa', hash: 'sha384', parameters: 'absent' }],
  ['1.2.840.10045.4.3.4', { kind: 'ecdsa', hash: 'sha512', parameters: 'absent' }],
  [ED25519, { kind: 'ed25519', parameters: 'absent' }],
  [ML_DSA_65, { kind: 'ml-dsa-65', parameters: 'absent' }],
]);

/** Names for people of algorithms that are met but not accepted. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.1.1.4', 'MD5 with RSA'],
  ['1.2.840.113549.1.1.5', 'SHA-1 with RSA'],
  ['1.2.840.10040.4.1', 'DSA'],
  ['1.2.840.10040.4.3', 'SHA-1 with DSA'],
  ['2.16.840.1.101.3.4.3.2', 'SHA-256 with DSA'],
  ['1.2.840.10045.4.1', 'SHA-1 with ECDSA'],
  ['1.3.101.113', 'Ed448'],
]);

export function algorithmName(oid: string): string {
  return NAMES.get(oid) ?? oid;
}

/** Reads an AlgorithmIdentifier. */
export function readAlgorithm(element: Element): Algorithm {
  if (element.tag !== TAG.sequence) throw new Malformed('an algorithm identifier is not a SEQUENCE', element.start);
  const cursor = new Cursor(element);
  const oid = oidText(cursor.next('algorithm', TAG.oid));
  const parameters = cursor.done ? undefined : cursor.next('parameters');
  cursor.finish('algorithm identifier');
  return { oid, parameters, der: raw(element) };
}

/** A digest's AlgorithmIdentifier: NULL and absent parameters are equal (interop 4). Undefined for an unknown digest. */
export function hashOf(algorithm: Algorithm): HashName | undefined {
  if (algorithm.parameters !== undefined && algorithm.parameters.tag !== TAG.null) return undefined;
  return HASH_OIDS.get(algorithm.oid);
}

/** The signature algorithm, or in words why it is not accepted. */
export function signatureAlgorithm(algorithm: Algorithm): SignatureAlgorithm | { readonly refused: string } {
  if (algorithm.oid === RSA_PSS) return readPss(algorithm);
  const known = SIGNATURES.get(algorithm.oid);
  if (known === undefined) return { refused: `${algorithmName(algorithm.oid)} is not an accepted signature algorithm` };
  const found =
    algorithm.parameters === undefined ? 'absent' : algorithm.parameters.tag === TAG.null ? 'null' : 'other';
  if (found !== known.parameters) return { refused: `the parameters of ${algorithm.oid} must be ${known.parameters}` };
  return known;
}

/** RSASSA-PSS-params (RFC 4055 3.1): one hash for message and mask, MGF1, trailer 1. */
function readPss(algorithm: Algorithm): SignatureAlgorithm | { readonly refused: string } {
  const refused = { refused: 'RSASSA-PSS is accepted with SHA-256, SHA-384 or SHA-512 for message and mask alike' };
  try {
    if (algorithm.parameters?.tag !== TAG.sequence) return refused;
    const cursor = new Cursor(algorithm.parameters);
    const inner = (tag: number): Element | undefined => {
      const outer = cursor.optional(tag);
      if (outer === undefined) return undefined;
      const members = new Cursor(outer);
      const element = members.next('PSS parameter');
      members.finish('PSS parameter');
      return element;
    };
    const [hashElement, maskElement, saltElement, trailerElement] = [
      inner(0xa0),
      inner(0xa1),
      inner(0xa2),
      inner(0xa3),
    ];
    cursor.finish('PSS parameters');
    if (hashElement === undefined || maskElement === undefined || trailerElement !== undefined) return refused;
    const hash = hashOf(readAlgorithm(hashElement));
    const mask = readAlgorithm(maskElement);
    if (mask.oid !== '1.2.840.113549.1.1.8' || mask.parameters === undefined) return refused;
    const maskHash = hashOf(readAlgorithm(mask.parameters));
    if (hash === undefined || hash === 'sha1' || hash !== maskHash || saltElement === undefined) return refused;
    return { kind: 'rsa-pss', hash, saltLength: smallInteger(saltElement, 'salt length', 512) };
  } catch (error) {
    if (error instanceof Malformed) return refused;
    throw error;
  }
}

/** Reads a SubjectPublicKeyInfo. A key of an unknown kind is kept as `unsupported`. */
export function readPublicKey(element: Element): PublicKeyInfo {
  const cursor = new Cursor(element);
  const algorithm = readAlgorithm(cursor.next('key algorithm', TAG.sequence));
  const bitString = cursor.next('public key', TAG.bitString);
  cursor.finish('SubjectPublicKeyInfo');
  checkBitString(bitString);
  const bits = contents(bitString).subarray(1);
  const der = raw(element);
  return { der, sha256: hex(sha256(der)), algorithm, bits, key: readKey(algorithm, bitString) };
}

function readKey(algorithm: Algorithm, bitString: Element): SubjectKey {
  const unsupported = (reason: string): SubjectKey => ({ kind: 'unsupported', reason });
  const { oid, parameters } = algorithm;
  if (oid === RSA) {
    if (parameters?.tag !== TAG.null) return unsupported('an RSA key must have NULL parameters');
    return readRsa(bitString) ?? unsupported('an RSA key is not a modulus and an exponent');
  }
  if (oid === EC) {
    const named = parameters?.tag === TAG.oid ? CURVES.get(oidText(parameters)) : undefined;
    if (named === undefined) return unsupported('an EC key must name the curve P-256, P-384 or P-521');
    const point = bitStringBytes(bitString, 'EC point');
    if (point.length !== named.length || point[0] !== 4) return unsupported('an EC key must be an uncompressed point');
    return { kind: 'ec', curve: named.curve, point };
  }
  if (oid === ED25519 || oid === ML_DSA_65) {
    const bytes = bitStringBytes(bitString, 'public key');
    const kind = oid === ED25519 ? 'ed25519' : 'ml-dsa-65';
    if (parameters !== undefined || bytes.length !== (kind === 'ed25519' ? 32 : 1952))
      return unsupported(`an ${kind} key has another length or parameters`);
    return { kind, bytes };
  }
  return unsupported(`${algorithmName(oid)} keys are not accepted`);
}

function readRsa(bitString: Element): SubjectKey | undefined {
  const bytes = bitStringBytes(bitString, 'RSA key');
  try {
    const cursor = new Cursor({ bytes, tag: 0, start: 0, content: 0, end: bytes.length }).enter('RSA key');
    const [modulus, exponent] = [cursor.next('modulus', TAG.integer), cursor.next('exponent', TAG.integer)];
    cursor.finish('RSA key');
    const [n, e] = [integerValue(modulus), integerValue(exponent)];
    if (n <= 0n || e <= 2n) return undefined;
    return { kind: 'rsa', modulus: n, exponent: e, bits: n.toString(2).length };
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** Whether two AlgorithmIdentifiers are the same bytes (RFC 5280 4.1.1.2). */
export function sameAlgorithm(a: Algorithm, b: Algorithm): boolean {
  return equalBytes(a.der, b.der);
}
