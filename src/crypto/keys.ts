/**
 * Keys of the four signature schemes (audit spec 0.8): import, text form, identities, signing and generation. A scheme's library is loaded
 * when the first key of it is imported; from then on every check is synchronous.
 *
 * A private key is the smallest thing that makes it: the 32-byte seed of Ed25519 and of ML-DSA-65, the 32-byte scalar of ECDSA, and for
 * the hybrid the Ed25519 seed followed by the ML-DSA seed. The specification gives private keys no text form; this program writes
 * `private:<scheme>:<hex>`, which no reader of public keys accepts.
 */
import { concat, hex, u32, unhex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from './sha256.ts';
import type { PrivateKey, PublicKey, SchemeName, UnusableKey } from './signature.ts';

export const SCHEMES: readonly SchemeName[] = ['ed25519', 'ecdsa-p256', 'ml-dsa-65', 'ed25519+ml-dsa-65'];

/** Labels of the two halves of a hybrid signature. */
const HYBRID_ED25519 = utf8('bide.hybrid.ed25519.v1\0');
const HYBRID_MLDSA = utf8('bide.hybrid.mldsa65.v1\0');

/** Fills an array with random bytes. Injected, so that tests and vectors are the same every time. */
export type RandomSource = (length: number) => Uint8Array;

/** The platform's own random bytes (Web Crypto, in Node and in browsers). */
export const secureRandom: RandomSource = (length) => globalThis.crypto.getRandomValues(new Uint8Array(length));

export function isScheme(name: string): name is SchemeName {
  return (SCHEMES as readonly string[]).includes(name);
}

export function isUnusable(key: PublicKey | PrivateKey | UnusableKey): key is UnusableKey {
  return 'unusable' in key;
}

/** `<scheme>:<hex of SHA-256 of the key bytes>` (audit spec 0.8, "Key identity"). */
export function keyId(scheme: SchemeName, bytes: Uint8Array): string {
  return `${scheme}:${hex(sha256(bytes))}`;
}

/** `<scheme>:<hex of the key bytes>` (audit spec 0.8, "Key text form"). */
export function formatPublicKey(key: PublicKey): string {
  return `${key.scheme}:${hex(key.bytes)}`;
}

/** Splits `len32(first) ‖ rest` (audit spec 0.8 rule 6); undefined if the length reaches past the end. */
function splitHybrid(bytes: Uint8Array): readonly [Uint8Array, Uint8Array] | undefined {
  if (bytes.length < 4) return undefined;
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
  return length > bytes.length - 4 ? undefined : [bytes.subarray(4, 4 + length), bytes.subarray(4 + length)];
}

/**
 * A public key from the bytes of audit spec 0.8.
 *
 * @returns the key, or why it cannot be used: wrong length, not a point, a weak Ed25519 key (rule 4).
 */
export async function importPublicKey(scheme: SchemeName, bytes: Uint8Array): Promise<PublicKey | UnusableKey> {
  const copy = bytes.slice();
  switch (scheme) {
    case 'ed25519': {
      const { ed25519Check } = await import('./ed25519.ts');
      const check = ed25519Check(copy);
      return typeof check === 'function' ? publicKey(scheme, copy, check) : check;
    }
    case 'ecdsa-p256': {
      const { ecdsaCheck } = await import('./ecdsa.ts');
      const check = ecdsaCheck(copy);
      return typeof check === 'function' ? publicKey(scheme, copy, check) : check;
    }
    case 'ml-dsa-65': {
      const { unusableMlDsa65Key, verifyMlDsa65 } = await import('./mldsa.ts');
      return (
        unusableMlDsa65Key(copy) ??
        publicKey(scheme, copy, (signature, message) => verifyMlDsa65(copy, signature, message))
      );
    }
    case 'ed25519+ml-dsa-65': {
      const halves = splitHybrid(copy);
      if (halves === undefined) return { unusable: 'the length at the start of the hybrid key reaches past its end' };
      const [classical, lattice] = [
        await importPublicKey('ed25519', halves[0]),
        await importPublicKey('ml-dsa-65', halves[1]),
      ];
      if (isUnusable(classical)) return { unusable: `Ed25519 half: ${classical.unusable}` };
      if (isUnusable(lattice)) return { unusable: `ML-DSA half: ${lattice.unusable}` };
      return {
        scheme,
        bytes: copy,
        identities: [...classical.identities, ...lattice.identities],
        verify(signature, message) {
          const parts = splitHybrid(signature);
          return (
            parts !== undefined &&
            classical.verify(parts[0], concat(HYBRID_ED25519, message)) &&
            lattice.verify(parts[1], concat(HYBRID_MLDSA, message))
          );
        },
      };
    }
  }
}

function publicKey(scheme: SchemeName, bytes: Uint8Array, verify: PublicKey['verify']): PublicKey {
  return { scheme, bytes, identities: [keyId(scheme, bytes)], verify };
}

/**
 * A public key from its text form: `<scheme>:<hex>`, or bare 64-digit hexadecimal for Ed25519. Surrounding white space is ignored.
 */
export async function parsePublicKey(text: string): Promise<PublicKey | UnusableKey> {
  const trimmed = text.trim();
  const colon = trimmed.indexOf(':');
  const scheme = colon < 0 ? 'ed25519' : trimmed.slice(0, colon);
  const bytes = unhex(trimmed.slice(colon + 1));
  if (colon < 0 && bytes?.length !== 32)
    return { unusable: 'a key is written <scheme>:<hex>, or as 64 hexadecimal digits for Ed25519' };
  if (!isScheme(scheme)) return { unusable: `no signature scheme is called ${JSON.stringify(scheme.slice(0, 40))}` };
  if (bytes === undefined) return { unusable: 'what follows the scheme is not hexadecimal' };
  return importPublicKey(scheme, bytes);
}

/** Length of the private bytes of a scheme. */
export function privateKeyLength(scheme: SchemeName): number {
  return scheme === 'ed25519+ml-dsa-65' ? 64 : 32;
}

/** A private key from the bytes described at the head of this file. */
export async function importPrivateKey(scheme: SchemeName, bytes: Uint8Array): Promise<PrivateKey | UnusableKey> {
  const secret = bytes.slice();
  if (secret.length !== privateKeyLength(scheme))
    return {
      unusable: `a private key of ${scheme} has ${privateKeyLength(scheme)} bytes, this one has ${secret.length}`,
    };
  switch (scheme) {
    case 'ed25519': {
      const { ed25519PublicKey, signEd25519 } = await import('./ed25519.ts');
      return privateKey(scheme, ed25519PublicKey(secret), (message) => signEd25519(secret, message));
    }
    case 'ecdsa-p256': {
      const { ecdsaPublicKey, isEcdsaScalar, signEcdsa } = await import('./ecdsa.ts');
      if (!isEcdsaScalar(secret)) return { unusable: 'the private scalar is not in 1..n-1' };
      return privateKey(scheme, ecdsaPublicKey(secret), (message) => signEcdsa(secret, message));
    }
    case 'ml-dsa-65': {
      const { mlDsa65FromSeed } = await import('./mldsa.ts');
      const pair = mlDsa65FromSeed(secret);
      return privateKey(scheme, pair.publicKey, (message) => pair.sign(message));
    }
    case 'ed25519+ml-dsa-65': {
      const { ed25519PublicKey, signEd25519 } = await import('./ed25519.ts');
      const { mlDsa65FromSeed } = await import('./mldsa.ts');
      const seed = secret.subarray(0, 32);
      const pair = mlDsa65FromSeed(secret.subarray(32));
      return privateKey(scheme, concat(u32(32), ed25519PublicKey(seed), pair.publicKey), (message) =>
        concat(u32(64), signEd25519(seed, concat(HYBRID_ED25519, message)), pair.sign(concat(HYBRID_MLDSA, message))),
      );
    }
  }
}

async function privateKey(
  scheme: SchemeName,
  publicBytes: Uint8Array,
  sign: (message: Uint8Array) => Uint8Array,
): Promise<PrivateKey | UnusableKey> {
  const imported = await importPublicKey(scheme, publicBytes);
  return isUnusable(imported) ? imported : { scheme, publicKey: imported, sign };
}

/** The private bytes of a new key. For ECDSA the draw is repeated until it is a scalar of the curve. */
export async function generatePrivateBytes(
  scheme: SchemeName,
  random: RandomSource = secureRandom,
): Promise<Uint8Array> {
  if (scheme !== 'ecdsa-p256') return random(privateKeyLength(scheme));
  const { isEcdsaScalar } = await import('./ecdsa.ts');
  for (let draw = 0; draw < 128; draw++) {
    const bytes = random(32);
    if (isEcdsaScalar(bytes)) return bytes;
  }
  throw new Error('the random source gave no usable scalar in 128 draws');
}

/** A new key from the random source. */
export async function generatePrivateKey(scheme: SchemeName, random: RandomSource = secureRandom): Promise<PrivateKey> {
  const key = await importPrivateKey(scheme, await generatePrivateBytes(scheme, random));
  if (isUnusable(key)) throw new Error(`the random source gave an unusable key: ${key.unusable}`);
  return key;
}

const PRIVATE = 'private:';

/** `private:<scheme>:<hex>`. */
export function formatPrivateKey(scheme: SchemeName, bytes: Uint8Array): string {
  return `${PRIVATE}${scheme}:${hex(bytes)}`;
}

/** The scheme and private bytes of `private:<scheme>:<hex>`. */
export function parsePrivateText(
  text: string,
): { readonly scheme: SchemeName; readonly bytes: Uint8Array } | UnusableKey {
  const trimmed = text.trim();
  if (!trimmed.startsWith(PRIVATE)) return { unusable: 'a private key is written private:<scheme>:<hex>' };
  const rest = trimmed.slice(PRIVATE.length);
  const colon = rest.indexOf(':');
  const scheme = rest.slice(0, Math.max(colon, 0));
  if (!isScheme(scheme)) return { unusable: `no signature scheme is called ${JSON.stringify(scheme.slice(0, 40))}` };
  const bytes = unhex(rest.slice(colon + 1));
  return bytes === undefined ? { unusable: 'what follows the scheme is not hexadecimal' } : { scheme, bytes };
}

/** A private key from `private:<scheme>:<hex>`. */
export async function parsePrivateKey(text: string): Promise<PrivateKey | UnusableKey> {
  const parsed = parsePrivateText(text);
  return 'unusable' in parsed ? parsed : importPrivateKey(parsed.scheme, parsed.bytes);
}
