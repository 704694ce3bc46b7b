import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hex, unhex } from '../../src/bytes/encoding.ts';
import { portableEcdsaCheck } from '../../src/crypto/ecdsa.ts';
import { portableEd25519Check, usableEd25519Point } from '../../src/crypto/ed25519.ts';
import {
  formatPrivateKey,
  formatPublicKey,
  generatePrivateBytes,
  generatePrivateKey,
  importPrivateKey,
  importPublicKey,
  isUnusable,
  parsePrivateKey,
  parsePublicKey,
  privateKeyLength,
  SCHEMES,
} from '../../src/crypto/keys.ts';
import type { PrivateKey, PublicKey, SchemeName } from '../../src/crypto/signature.ts';

const MESSAGE = new TextEncoder().encode('pay 1250.00 EUR');

/** A random source that counts: the same bytes every time. */
function counting(start: number): (length: number) => Uint8Array {
  return (length) => Uint8Array.from({ length }, (_, i) => (start + i * 7) & 255);
}

function usable<Key extends PublicKey | PrivateKey>(key: Key | { readonly unusable: string }): Key {
  if ('unusable' in key) throw new Error(key.unusable);
  return key;
}

describe.each(SCHEMES)('keys of %s', (scheme) => {
  it('sign what they verify, and nothing else', async () => {
    const key = await generatePrivateKey(scheme, counting(1));
    const other = await generatePrivateKey(scheme, counting(2));
    const signature = key.sign(MESSAGE);
    expect(key.publicKey.verify(signature, MESSAGE)).toBe(true);
    expect(other.publicKey.verify(signature, MESSAGE)).toBe(false);
    expect(key.publicKey.verify(signature, new Uint8Array([...MESSAGE, 0]))).toBe(false);
    expect(key.publicKey.verify(new Uint8Array(0), MESSAGE)).toBe(false);
    expect(key.publicKey.verify(signature.slice(1), MESSAGE)).toBe(false);
    expect(key.publicKey.verify(new Uint8Array([...signature, 0]), MESSAGE)).toBe(false);
    for (let at = 0; at < signature.length; at += Math.ceil(signature.length / 40)) {
      const changed = signature.slice();
      changed[at] = (changed[at] as number) ^ 1;
      expect(key.publicKey.verify(changed, MESSAGE), `byte ${at}`).toBe(false);
    }
  });

  it('come back from their text forms', async () => {
    const bytes = await generatePrivateBytes(scheme, counting(3));
    const key = usable(await importPrivateKey(scheme, bytes));
    const text = formatPublicKey(key.publicKey);
    expect(text.startsWith(`${scheme}:`)).toBe(true);
    const spelled = `${scheme}:${text.slice(scheme.length + 1).toUpperCase()}`;
    expect(usable(await parsePublicKey(`  ${spelled}\n`)).identities).toEqual(key.publicKey.identities);
    const again = usable(await parsePrivateKey(`${formatPrivateKey(scheme, bytes)}\n`));
    expect(again.publicKey.bytes).toEqual(key.publicKey.bytes);
    expect(await parsePublicKey(formatPrivateKey(scheme, bytes))).toHaveProperty('unusable');
  });

  it('are refused at any other length', async () => {
    const key = await generatePrivateKey(scheme, counting(4));
    const long = new Uint8Array(key.publicKey.bytes.length + 1);
    long.set(key.publicKey.bytes);
    expect(await importPublicKey(scheme, long)).toHaveProperty('unusable');
    expect(await importPublicKey(scheme, key.publicKey.bytes.subarray(0, -1))).toHaveProperty('unusable');
    expect(await importPublicKey(scheme, new Uint8Array(0))).toHaveProperty('unusable');
    expect(await importPrivateKey(scheme, new Uint8Array(privateKeyLength(scheme) + 1))).toHaveProperty('unusable');
  });

  it('are not changed by changing the bytes they were made from', async () => {
    const bytes = (await generatePrivateKey(scheme, counting(5))).publicKey.bytes.slice();
    const key = usable(await importPublicKey(scheme, bytes));
    bytes.fill(0);
    expect(hex(key.bytes)).not.toBe(hex(bytes));
  });
});

describe('key texts', () => {
  it.each([
    ['', 'nothing'],
    ['ed25519', 'a scheme alone'],
    ['ed25519:', 'no bytes'],
    ['ed25519:zz', 'not hexadecimal'],
    ['ED25519:03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8', 'the scheme in capitals'],
    ['rsa:00', 'an unknown scheme'],
    ['__proto__:00', 'a name that objects know'],
    ['03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531', 'bare and short'],
    ['x509:00', 'a certificate is no key'],
    ['ecdsa-p256:03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8ff', 'a compressed point'],
  ])('%s is refused (%s)', async (text) => {
    expect(await parsePublicKey(text)).toHaveProperty('unusable');
  });

  it('may leave out the scheme for Ed25519', async () => {
    const key = usable(await parsePublicKey('03A107BFF3CE10BE1D70DD18E74BC09967E4D6309BA50D5F1DDC8664125531B8'));
    expect(key.identities).toEqual(['ed25519:56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c']);
  });
});

describe('hybrid signatures', () => {
  it('need both halves, and a half is no signature of its own scheme', async () => {
    const bytes = counting(6)(64);
    const hybrid = usable(await importPrivateKey('ed25519+ml-dsa-65', bytes));
    const plain = usable(await importPrivateKey('ed25519', bytes.slice(0, 32)));
    const lattice = usable(await importPrivateKey('ml-dsa-65', bytes.slice(32)));
    expect(hybrid.publicKey.identities).toEqual([...plain.publicKey.identities, ...lattice.publicKey.identities]);
    const signature = hybrid.sign(MESSAGE);
    expect(plain.publicKey.verify(signature.slice(4, 68), MESSAGE)).toBe(false);
    expect(lattice.publicKey.verify(signature.slice(68), MESSAGE)).toBe(false);
    const swapped = signature.slice();
    swapped.set(plain.sign(MESSAGE), 4);
    expect(hybrid.publicKey.verify(swapped, MESSAGE)).toBe(false);
    const long = signature.slice();
    long.set([0xff, 0xff, 0xff, 0xff]);
    expect(hybrid.publicKey.verify(long, MESSAGE)).toBe(false);
  });

  it('are refused as keys when the Ed25519 half is weak', async () => {
    const lattice = await generatePrivateKey('ml-dsa-65', counting(7));
    const key = new Uint8Array(1988);
    key[3] = 32;
    key[4] = 1;
    key.set(lattice.publicKey.bytes, 36);
    expect(await importPublicKey('ed25519+ml-dsa-65', key)).toHaveProperty('unusable');
  });
});

describe('the two implementations of a scheme', () => {
  const cases: readonly [SchemeName, (key: PublicKey) => PublicKey['verify']][] = [
    [
      'ed25519',
      (key) => {
        const point = usableEd25519Point(key.bytes);
        if ('unusable' in point) throw new Error(point.unusable);
        return portableEd25519Check(key.bytes, point);
      },
    ],
    ['ecdsa-p256', (key) => portableEcdsaCheck(key.bytes)],
  ];
  it.each(cases)('agree for %s on good and damaged signatures', async (scheme, portable) => {
    const key = await generatePrivateKey(scheme, counting(8));
    const check = portable(key.publicKey);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat({ max: 71 }), fc.nat({ max: 255 }), (message, at, mask) => {
        const signature = key.sign(message);
        if (at < signature.length) signature[at] = (signature[at] as number) ^ mask;
        const expected = mask === 0 || at >= signature.length;
        expect(check(signature, message)).toBe(expected);
        expect(key.publicKey.verify(signature, message)).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });
});

it('ECDSA draws again when the random source gives no scalar', async () => {
  let draws = 0;
  const bytes = await generatePrivateBytes('ecdsa-p256', (length) =>
    new Uint8Array(length).fill(++draws < 3 ? 0xff : 9),
  );
  expect(draws).toBe(3);
  expect(isUnusable(await importPrivateKey('ecdsa-p256', bytes))).toBe(false);
  await expect(generatePrivateBytes('ecdsa-p256', (length) => new Uint8Array(length))).rejects.toThrow('128 draws');
});

it('the sign bit of a key with x = 0, small order, mixed order and second spellings are each refused with their reason', async () => {
  const reasons = await Promise.all(
    [
      '0100000000000000000000000000000000000000000000000000000000000000',
      '0100000000000000000000000000000000000000000000000000000000000080',
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      '0200000000000000000000000000000000000000000000000000000000000000',
    ].map((text) => importPublicKey('ed25519', unhex(text) as Uint8Array)),
  );
  expect(reasons.map((reason) => ('unusable' in reason ? reason.unusable : ''))).toEqual([
    expect.stringContaining('identity'),
    expect.stringContaining('not the encoding'),
    expect.stringContaining('small order'),
    expect.stringContaining('second spelling'),
    expect.stringContaining('not the encoding'),
  ]);
});
