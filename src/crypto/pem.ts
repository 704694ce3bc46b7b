/**
 * Keys as other programs keep them: SubjectPublicKeyInfo (RFC 5280 4.1, RFC 8410, RFC 5480, RFC 9881) and PKCS#8 (RFC 5958), in DER or PEM.
 * Hybrid keys have no such form. Only the shapes of the three plain schemes are read, and only in DER.
 */
import { base64, concat, equalBytes, unbase64, unhex, utf8 } from '../bytes/encoding.ts';
import { importPrivateKey, importPublicKey, isUnusable } from './keys.ts';
import type { SchemeName, UnusableKey } from './signature.ts';

const hexBytes = (digits: string): Uint8Array => unhex(digits) as Uint8Array;

/** DER of each AlgorithmIdentifier. */
const ALGORITHMS: readonly (readonly [SchemeName, Uint8Array])[] = [
  ['ed25519', hexBytes('300506032b6570')],
  ['ecdsa-p256', hexBytes('301306072a8648ce3d020106082a8648ce3d030107')],
  ['ml-dsa-65', hexBytes('300b0609608648016503040312')],
];

export interface KeyBytes {
  readonly scheme: SchemeName;
  /** The public key bytes of audit spec 0.8, or the private bytes of `keys.ts`. */
  readonly bytes: Uint8Array;
  readonly secret: boolean;
}

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly whole: Uint8Array;
}

/** The elements of DER content one after the other; undefined if a length is not minimal or reaches past the end. */
function elements(der: Uint8Array): readonly Element[] | undefined {
  const found: Element[] = [];
  for (let at = 0; at < der.length; ) {
    const tag = der[at] as number;
    const first = der[at + 1];
    if (first === undefined || (tag & 0x1f) === 0x1f) return undefined;
    let length = first;
    let start = at + 2;
    if (first >= 0x80) {
      const digits = first - 0x80;
      if (digits < 1 || digits > 3 || start + digits > der.length) return undefined;
      length = 0;
      for (let i = 0; i < digits; i++) length = length * 256 + (der[start + i] as number);
      if (length < 0x80 || (digits > 1 && length < 256 ** (digits - 1))) return undefined;
      start += digits;
    }
    if (start + length > der.length) return undefined;
    found.push({ tag, content: der.subarray(start, start + length), whole: der.subarray(at, start + length) });
    at = start + length;
  }
  return found;
}

function sequence(der: Uint8Array): readonly Element[] | undefined {
  const outer = elements(der);
  return outer?.length === 1 && outer[0]?.tag === 0x30 ? elements(outer[0].content) : undefined;
}

function wrap(tag: number, content: Uint8Array): Uint8Array {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return concat(Uint8Array.of(tag, ...size), content);
}

function schemeOf(algorithm: Element | undefined): SchemeName | undefined {
  if (algorithm === undefined) return undefined;
  return ALGORITHMS.find(([, der]) => equalBytes(der, algorithm.whole))?.[0];
}

const ZERO = hexBytes('020100');
const ONE = hexBytes('020101');

/** SubjectPublicKeyInfo or PKCS#8 in DER. */
export function readKeyDer(der: Uint8Array): KeyBytes | UnusableKey {
  const parts = sequence(der);
  const [first, second, third] = parts ?? [];
  if (first === undefined || second === undefined) return { unusable: 'it is no key in DER' };
  if (first.tag === 0x30) {
    const scheme = schemeOf(first);
    if (scheme === undefined) return { unusable: 'its algorithm is none of Ed25519, ECDSA P-256, ML-DSA-65' };
    if (second.tag !== 0x03 || second.content[0] !== 0 || parts?.length !== 2)
      return { unusable: 'it is no SubjectPublicKeyInfo' };
    return { scheme, bytes: second.content.slice(1), secret: false };
  }
  const scheme = schemeOf(second);
  const version = equalBytes(first.whole, ZERO) || equalBytes(first.whole, ONE);
  if (!version || third?.tag !== 0x04) return { unusable: 'it is neither SubjectPublicKeyInfo nor PKCS#8' };
  if (scheme === undefined) return { unusable: 'its algorithm is none of Ed25519, ECDSA P-256, ML-DSA-65' };
  const bytes = privateBytes(scheme, third.content);
  return bytes === undefined
    ? { unusable: 'its private part is not of the algorithm\u2019s form' }
    : { scheme, bytes, secret: true };
}

function privateBytes(scheme: SchemeName, content: Uint8Array): Uint8Array | undefined {
  const own = (tag: number, parts: readonly Element[] | undefined) =>
    parts?.find((part) => part.tag === tag && part.content.length === 32)?.content.slice();
  if (scheme === 'ed25519') return own(0x04, elements(content));
  if (scheme === 'ecdsa-p256') {
    // ECPrivateKey (RFC 5915): version 1, the scalar, then optional parameters and public key.
    const inner = sequence(content);
    return inner?.[0] !== undefined && equalBytes(inner[0].whole, ONE) ? own(0x04, inner) : undefined;
  }
  // The seed alone, or beside the expanded key (RFC 9881 6).
  return own(0x80, elements(content)) ?? own(0x04, sequence(content));
}

/** The DER of a key; undefined for a hybrid, which has none. */
export async function writeKeyDer(key: KeyBytes): Promise<Uint8Array | undefined> {
  const algorithm = ALGORITHMS.find(([scheme]) => scheme === key.scheme)?.[1];
  if (algorithm === undefined) return undefined;
  if (!key.secret) return wrap(0x30, concat(algorithm, wrap(0x03, concat(Uint8Array.of(0), key.bytes))));
  let inner: Uint8Array;
  if (key.scheme === 'ed25519') inner = wrap(0x04, key.bytes);
  else if (key.scheme === 'ml-dsa-65') inner = wrap(0x80, key.bytes);
  else {
    const { ecdsaPublicKey } = await import('./ecdsa.ts');
    const point = wrap(0xa1, wrap(0x03, concat(Uint8Array.of(0), ecdsaPublicKey(key.bytes))));
    inner = wrap(0x30, concat(ONE, wrap(0x04, key.bytes), point));
  }
  return wrap(0x30, concat(ZERO, algorithm, wrap(0x04, inner)));
}

const PEM = /^-----BEGIN (PUBLIC KEY|PRIVATE KEY)-----\r?\n([A-Za-z0-9+/=\r\n]+?)\r?\n?-----END \1-----\s*$/;

/** The DER of one PEM block of a public or private key. */
export function readPem(text: string): Uint8Array | undefined {
  const match = text.length > 65_536 ? null : PEM.exec(text.trim());
  return match === null ? undefined : unbase64((match[2] as string).replace(/[\r\n]/g, ''));
}

export function writePem(der: Uint8Array, secret: boolean): string {
  const label = secret ? 'PRIVATE KEY' : 'PUBLIC KEY';
  const lines = base64(der).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** The public key of a private one, as bytes. */
export async function publicBytes(key: KeyBytes): Promise<KeyBytes | UnusableKey> {
  if (!key.secret) {
    const imported = await importPublicKey(key.scheme, key.bytes);
    return isUnusable(imported) ? imported : key;
  }
  const imported = await importPrivateKey(key.scheme, key.bytes);
  return isUnusable(imported) ? imported : { scheme: key.scheme, bytes: imported.publicKey.bytes, secret: false };
}

/** Whether bytes begin as PEM does. */
export function looksLikePem(bytes: Uint8Array): boolean {
  return utf8('-----BEGIN ').every((byte, i) => bytes[i] === byte);
}
