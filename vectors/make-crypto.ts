/**
 * Writes vectors/crypto/signatures.json: for each scheme a good signature, and each way in which one or its key can be spelled otherwise
 * (audit spec 0.8). Keys are made from fixed bytes.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { base64, concat, hex, u32, unhex, utf8 } from '../src/bytes/encoding.ts';
import { importPrivateKey, isUnusable } from '../src/crypto/keys.ts';
import type { PrivateKey, SchemeName } from '../src/crypto/signature.ts';
import { writeCases } from './place.ts';

const MESSAGE = utf8('pay 1250.00 EUR to INV-7');
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

async function keyOf(scheme: SchemeName, fill = 7): Promise<PrivateKey> {
  const key = await importPrivateKey(scheme, new Uint8Array(scheme === 'ed25519+ml-dsa-65' ? 64 : 32).fill(fill));
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}

const cases: unknown[] = [];
function verify(
  name: string,
  scheme: SchemeName,
  key: Uint8Array,
  signature: Uint8Array,
  answer: boolean,
  message = MESSAGE,
) {
  const params = { scheme, key_b64: base64(key), signature_b64: base64(signature), message_b64: base64(message) };
  cases.push({ name: `${scheme}: ${name}`, op: 'crypto/verify', params, answer });
  if (scheme === 'ed25519' || scheme === 'ecdsa-p256')
    cases.push({ name: `${scheme}, portable: ${name}`, op: 'crypto/verify-portable', params, answer });
}
function keyCase(name: string, scheme: SchemeName, key: Uint8Array, ids: readonly string[]) {
  cases.push({
    name: `${scheme} key: ${name}`,
    op: 'crypto/key',
    params: { scheme, key_hex: hex(key) },
    answer: { usable: ids.length > 0, key_ids: ids },
  });
}
const change = (bytes: Uint8Array, at: number) => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));
const number = (bytes: Uint8Array) => BigInt(`0x${hex(bytes)}`);
const bigEndian = (value: bigint, length: number) => unhex(value.toString(16).padStart(length * 2, '0')) as Uint8Array;

for (const scheme of ['ed25519', 'ecdsa-p256', 'ml-dsa-65', 'ed25519+ml-dsa-65'] as const) {
  const key = await keyOf(scheme);
  const signature = key.sign(MESSAGE);
  const { bytes } = key.publicKey;
  verify('a good signature', scheme, bytes, signature, true);
  verify('another message', scheme, bytes, signature, false, utf8('pay 9250.00 EUR to INV-7'));
  verify('another key', scheme, (await keyOf(scheme, 8)).publicKey.bytes, signature, false);
  verify('its first byte changed', scheme, bytes, change(signature, 0), false);
  verify('its last byte changed', scheme, bytes, change(signature, signature.length - 1), false);
  verify('empty', scheme, bytes, new Uint8Array(), false);
  verify('a byte too many', scheme, bytes, concat(signature, Uint8Array.of(0)), false);
  verify('a byte too few', scheme, bytes, signature.slice(0, -1), false);
  keyCase('as it is', scheme, bytes, key.publicKey.identities);
  keyCase('a byte too many', scheme, concat(bytes, Uint8Array.of(0)), []);
  keyCase('a byte too few', scheme, bytes.slice(0, -1), []);
}

// Ed25519: S + L is the same number and another spelling.
{
  const key = await keyOf('ed25519');
  const signature = key.sign(MESSAGE);
  const s = number(signature.slice(32).toReversed()) + L;
  verify(
    'S + L in place of S',
    'ed25519',
    key.publicKey.bytes,
    concat(signature.slice(0, 32), bigEndian(s, 32).toReversed()),
    false,
  );
}

// Ed25519: R with a part of small order satisfies the equation times the cofactor, and not the equation.
{
  const { Point } = ed25519;
  const torsion = Point.fromBytes(
    unhex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05') as Uint8Array,
  );
  const [a, r] = [987654321n, 123456789n];
  const key = Point.BASE.multiply(a).toBytes();
  for (const [name, point, answer] of [
    ['R with a part of small order', Point.BASE.multiply(r).add(torsion), false],
    ['the same without it', Point.BASE.multiply(r), true],
  ] as const) {
    const encoded = point.toBytes();
    const k = number(sha512(concat(encoded, key, MESSAGE)).toReversed()) % L;
    verify(name, 'ed25519', key, concat(encoded, bigEndian((r + k * a) % L, 32).toReversed()), answer);
  }
}

// ECDSA: one spelling of each signature; a high s is accepted.
{
  const key = await keyOf('ecdsa-p256');
  const der = key.sign(MESSAGE);
  const rLength = der[3] as number;
  const [r, s] = [number(der.slice(4, 4 + rLength)), number(der.slice(6 + rLength))];
  const integer = (value: bigint, pad = 0) => {
    let digits = bigEndian(value, Math.ceil(value.toString(16).length / 2));
    if (((digits[0] as number) & 0x80) !== 0) digits = concat(Uint8Array.of(0), digits);
    digits = concat(new Uint8Array(pad), digits);
    return concat(Uint8Array.of(0x02, digits.length), digits);
  };
  const sequence = (...parts: Uint8Array[]) => {
    const body = concat(...parts);
    return concat(Uint8Array.of(0x30, body.length), body);
  };
  const is = (name: string, signature: Uint8Array, answer: boolean) =>
    verify(name, 'ecdsa-p256', key.publicKey.bytes, signature, answer);
  is('n - s in place of s', sequence(integer(r), integer(N - s)), true);
  is('r padded with a zero', sequence(integer(r, 1), integer(s)), false);
  is('s + n in place of s', sequence(integer(r), integer(s + N)), false);
  is('r zero', concat(Uint8Array.of(0x30, 5 + integer(s).length - 2, 2, 1, 0), integer(s)), false);
  is('a third integer', sequence(integer(r), integer(s), Uint8Array.of(2, 1, 1)), false);
  is('a long length', concat(Uint8Array.of(0x30, 0x81), der.slice(1)), false);
  is('raw r and s', concat(bigEndian(r, 32), bigEndian(s, 32)), false);
  const { bytes } = key.publicKey;
  keyCase('compressed', 'ecdsa-p256', concat(Uint8Array.of(2 + ((bytes[64] as number) & 1)), bytes.slice(1, 33)), []);
  keyCase('off the curve', 'ecdsa-p256', change(bytes, 64), []);
}

// Hybrid: both halves, each under its own label.
{
  const scheme = 'ed25519+ml-dsa-65';
  const key = await keyOf(scheme);
  const [classical, lattice] = [await keyOf('ed25519'), await keyOf('ml-dsa-65')];
  const signature = key.sign(MESSAGE);
  const { bytes } = key.publicKey;
  verify('a plain Ed25519 half', scheme, bytes, concat(u32(64), classical.sign(MESSAGE), signature.slice(68)), false);
  verify('a plain ML-DSA half', scheme, bytes, concat(signature.slice(0, 68), lattice.sign(MESSAGE)), false);
  verify('the Ed25519 half alone', scheme, bytes, signature.slice(0, 68), false);
  verify('a length past the end', scheme, bytes, concat(u32(0xffffffff), signature.slice(4)), false);
  verify('its half is no plain signature', 'ed25519', classical.publicKey.bytes, signature.slice(4, 68), false);
  verify('its half is no plain signature', 'ml-dsa-65', lattice.publicKey.bytes, signature.slice(68), false);
  keyCase('a length past the end', scheme, concat(u32(5000), bytes.slice(4)), []);
  keyCase('a weak Ed25519 half', scheme, concat(u32(32), Uint8Array.of(1), new Uint8Array(31), bytes.slice(36)), []);
}

const about = 'Signatures and keys of the four schemes of audit spec 0.8, and every other spelling of them.';
writeCases('crypto/signatures.json', about, cases);
