/**
 * Keys of signed notes (`interop.md` 1.1): the verifier key text, the key id, and signers. A key is imported once, asynchronously; checks
 * are synchronous from then on.
 */
import { base64, concat, hex, unbase64, utf8 } from '../bytes/encoding.ts';
import { importPublicKey, isUnusable } from '../crypto/keys.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { PrivateKey } from '../crypto/signature.ts';
import { type Fault, refuse } from './fault.ts';

/** Ed25519 over the text; timestamped Ed25519 cosignature; timestamped ML-DSA-44 cosignature. Others are kept and never verify. */
export const ED25519_NOTE = 0x01;
export const ED25519_COSIGNATURE = 0x04;
export const ML_DSA_44_COSIGNATURE = 0x06;

const KEY_LENGTH = new Map([
  [ED25519_NOTE, 32],
  [ED25519_COSIGNATURE, 32],
  [ML_DSA_44_COSIGNATURE, 1312],
]);

export interface NoteKey {
  readonly name: string;
  /** Four bytes, as eight lowercase hexadecimal digits. */
  readonly id: string;
  readonly type: number;
  readonly bytes: Uint8Array;
  /** The primitive, without time or domain; absent for a type that is kept but never verifies. */
  readonly verify?: (signature: Uint8Array, message: Uint8Array) => boolean;
}

/** The White_Space property; `\s` is another set (it has U+FEFF and lacks U+0085). */
const UNICODE_SPACE = /\p{White_Space}/u;

export function isKeyName(name: string): boolean {
  return name !== '' && !name.includes('+') && !UNICODE_SPACE.test(name);
}

/** SHA-256(name ‖ 0A ‖ type ‖ key), first four bytes. */
export function noteKeyId(name: string, type: number, key: Uint8Array): string {
  return hex(sha256(concat(utf8(name), Uint8Array.of(0x0a, type), key)).subarray(0, 4));
}

/** `name+id+base64(type ‖ key)`. */
export function formatVerifierKey({ name, id, type, bytes }: Pick<NoteKey, 'name' | 'id' | 'type' | 'bytes'>): string {
  return `${name}+${id}+${base64(concat(Uint8Array.of(type), bytes))}`;
}

/** A key from its verifier key text. A key of a type that is not supported has no `verify`. */
export async function parseVerifierKey(
  text: string,
): Promise<{ readonly ok: true; readonly value: NoteKey } | { readonly ok: false; readonly fault: Fault }> {
  const first = text.indexOf('+');
  const second = text.indexOf('+', first + 1);
  if (first < 0 || second < 0)
    return refuse('vkey', 'a verifier key is written name+id+base64', { actual: clip(text) });
  const name = text.slice(0, first);
  const id = text.slice(first + 1, second);
  const typed = unbase64(text.slice(second + 1));
  if (!isKeyName(name))
    return refuse('vkey', 'the name of the key is empty or holds white space', { actual: clip(text) });
  if (!/^[0-9a-f]{8}$/.test(id))
    return refuse('vkey-id', 'the id of the key is not eight lowercase hexadecimal digits', { actual: clip(id) });
  if (typed === undefined || typed.length === 0)
    return refuse('vkey', 'what follows the id of the key is not base64 of a type and a key', { actual: clip(text) });
  const type = typed[0] as number;
  const bytes = typed.slice(1);
  const length = KEY_LENGTH.get(type);
  if (length === undefined) return { ok: true, value: { name, id, type, bytes } };
  if (bytes.length !== length)
    return refuse('vkey-length', `a key of type ${type} has ${length} bytes`, {
      expected: String(length),
      actual: String(bytes.length),
    });
  const expected = noteKeyId(name, type, bytes);
  if (id !== expected) return refuse('vkey-id', 'the id is not that of this name and key', { expected, actual: id });
  if (type === ML_DSA_44_COSIGNATURE) {
    const { verifyMlDsa44 } = await import('../crypto/mldsa.ts');
    return {
      ok: true,
      value: { name, id, type, bytes, verify: (signature, message) => verifyMlDsa44(bytes, signature, message) },
    };
  }
  const key = await importPublicKey('ed25519', bytes);
  if (isUnusable(key)) return refuse('vkey-weak', `the key cannot be used: ${key.unusable}`);
  return { ok: true, value: { name, id, type, bytes, verify: (signature, message) => key.verify(signature, message) } };
}

function clip(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/** Who signs notes: a key under a name. */
export interface NoteSigner {
  readonly name: string;
  readonly id: string;
  readonly type: number;
  readonly bytes: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/**
 * A signer of Ed25519 notes or cosignatures. One key under two names is two signers, and the Ed25519 cosignature does not sign the name:
 * an operator needs one key per name.
 */
export function ed25519Signer(
  name: string,
  key: PrivateKey,
  type: typeof ED25519_NOTE | typeof ED25519_COSIGNATURE = ED25519_NOTE,
): NoteSigner {
  if (key.scheme !== 'ed25519') throw new RangeError(`notes are signed with ed25519, not ${key.scheme}`);
  return signer(name, type, key.publicKey.bytes, (message) => key.sign(message));
}

/** A signer of ML-DSA-44 cosignatures, from a 32-byte seed. */
export async function mlDsa44Signer(name: string, seed: Uint8Array): Promise<NoteSigner> {
  const { mlDsa44FromSeed } = await import('../crypto/mldsa.ts');
  const pair = mlDsa44FromSeed(seed);
  return signer(name, ML_DSA_44_COSIGNATURE, pair.publicKey, (message) => pair.sign(message));
}

function signer(name: string, type: number, bytes: Uint8Array, sign: (message: Uint8Array) => Uint8Array): NoteSigner {
  if (!isKeyName(name)) throw new RangeError(`${JSON.stringify(name)} is no name of a key`);
  return { name, type, bytes, id: noteKeyId(name, type, bytes), sign };
}
