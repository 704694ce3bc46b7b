/** Signatures of certificates, lists and tokens against Node's own crypto and the Wycheproof vectors. */
import { constants, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openFolder, SHARED_VECTORS } from '../../conformance/folder.ts';
import { unhex } from '../../src/bytes/encoding.ts';
import { readPublicKey, type SignatureAlgorithm, type SubjectKey } from '../../src/pki/algorithm.ts';
import { elementAt } from '../../src/pki/der.ts';
import { verifySignature, weakness } from '../../src/pki/signature.ts';
import * as f from './forge.ts';

const keyOf = (spki: Uint8Array): SubjectKey => readPublicKey(elementAt(spki, 0, spki.length)).key;
const bytes = (text: string): Uint8Array => unhex(text) ?? new Uint8Array();

interface Wycheproof {
  readonly testGroups: readonly {
    readonly publicKeyDer: string;
    readonly tests: readonly {
      readonly tcId: number;
      readonly msg: string;
      readonly sig: string;
      readonly result: string;
      readonly ctx?: string;
    }[];
  }[];
}

const folder = openFolder(`${SHARED_VECTORS}/wycheproof`);
const SETS: readonly (readonly [string, SignatureAlgorithm])[] = [
  ['ecdsa_secp256r1_sha256_test.json', { kind: 'ecdsa', hash: 'sha256' }],
  ['ed25519_test.json', { kind: 'ed25519' }],
  ['mldsa_65_verify_test.json', { kind: 'ml-dsa-65' }],
];

describe.skipIf(folder === undefined)('Wycheproof (skipped when the vectors are not beside the project)', () => {
  for (const [file, algorithm] of SETS)
    it(file, () => {
      const data = folder?.json(file) as Wycheproof;
      let asked = 0;
      for (const { publicKeyDer, tests } of data.testGroups) {
        const spki = bytes(publicKeyDer);
        if (spki.length === 0) continue;
        const key = keyOf(spki);
        for (const { tcId, msg, sig, result, ctx } of tests) {
          // Certificates sign without a context string.
          if (ctx !== undefined && ctx !== '') continue;
          asked++;
          expect(verifySignature(key, algorithm, bytes(msg), bytes(sig)), `${file} ${tcId}`).toBe(result === 'valid');
        }
      }
      expect(asked).toBeGreaterThan(50);
    });
});

const message = new TextEncoder().encode('a certificate');
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const odd = generateKeyPairSync('rsa', { modulusLength: 2049 });
const spkiOf = (key: typeof publicKey): Uint8Array => Uint8Array.from(key.export({ type: 'spki', format: 'der' }));
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING } as const;

describe('RSA', () => {
  for (const hash of ['sha256', 'sha384', 'sha512'] as const) {
    it(`PKCS #1 v1.5 with ${hash} verifies what Node signs, and nothing else`, () => {
      const signature = sign(hash, message, privateKey);
      const key = keyOf(spkiOf(publicKey));
      expect(verifySignature(key, { kind: 'rsa-pkcs1', hash }, message, signature)).toBe(true);
      expect(verifySignature(key, { kind: 'rsa-pkcs1', hash }, message.subarray(1), signature)).toBe(false);
      expect(
        verifySignature(key, { kind: 'rsa-pkcs1', hash: hash === 'sha256' ? 'sha512' : 'sha256' }, message, signature),
      ).toBe(false);
      expect(verifySignature(key, { kind: 'rsa-pss', hash, saltLength: 32 }, message, signature)).toBe(false);
      for (let at = 0; at < signature.length; at += 17) {
        const altered = Uint8Array.from(signature, (byte, i) => (i === at ? byte ^ 1 : byte));
        expect(verifySignature(key, { kind: 'rsa-pkcs1', hash }, message, altered)).toBe(
          verify(hash, message, publicKey, altered),
        );
      }
    });

    for (const saltLength of [0, 20, 32])
      it(`PSS with ${hash} and a salt of ${saltLength} verifies what Node signs, and nothing else`, () => {
        for (const pair of [{ privateKey, publicKey }, odd]) {
          const signature = sign(hash, message, { key: pair.privateKey, ...PSS, saltLength });
          const key = keyOf(spkiOf(pair.publicKey));
          expect(verifySignature(key, { kind: 'rsa-pss', hash, saltLength }, message, signature)).toBe(true);
          expect(verifySignature(key, { kind: 'rsa-pss', hash, saltLength: saltLength + 1 }, message, signature)).toBe(
            false,
          );
          expect(verifySignature(key, { kind: 'rsa-pss', hash, saltLength }, message.subarray(1), signature)).toBe(
            false,
          );
        }
      });
  }

  it('a short key, an even exponent and a signature past the modulus verify nothing', () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const key = keyOf(spkiOf(short.publicKey));
    expect(weakness(key)).toContain('1024');
    expect(
      verifySignature(key, { kind: 'rsa-pkcs1', hash: 'sha256' }, message, sign('sha256', message, short.privateKey)),
    ).toBe(false);
    const good = keyOf(spkiOf(publicKey)) as SubjectKey & { readonly kind: 'rsa' };
    expect(weakness({ ...good, exponent: 4n })).toContain('even');
    const past = new Uint8Array(256).fill(0xff);
    expect(verifySignature(good, { kind: 'rsa-pkcs1', hash: 'sha256' }, message, past)).toBe(false);
    expect(verifySignature(good, { kind: 'rsa-pkcs1', hash: 'sha1' }, message, sign('sha1', message, privateKey))).toBe(
      false,
    );
  });
});

describe('elliptic curves', () => {
  for (const [kind, hash] of [
    ['p256', 'sha256'],
    ['p384', 'sha384'],
    ['p521', 'sha512'],
  ] as const)
    it(`${kind} agrees with Node`, () => {
      const key = f.key('signature', kind);
      const signature = key.sign(message);
      const node = createPublicKey({ key: Buffer.from(key.spki), format: 'der', type: 'spki' });
      for (let at = -1; at < signature.length; at += kind === 'p256' ? 1 : 7) {
        const altered = Uint8Array.from(signature, (byte, i) => (i === at ? byte ^ 1 : byte));
        expect(verifySignature(keyOf(key.spki), { kind: 'ecdsa', hash }, message, altered), `byte ${at}`).toBe(
          verify(hash, message, node, altered),
        );
      }
    });

  it('a point off the curve, a compressed point and another curve are no keys', () => {
    const { spki } = f.key('signature');
    const off = Uint8Array.from(spki, (byte, i) => (i === spki.length - 1 ? byte ^ 1 : byte));
    expect(weakness(keyOf(off))).toContain('not a point');
    const secp256k1 = f.seq(
      f.seq(f.oid('1.2.840.10045.2.1'), f.oid('1.3.132.0.10')),
      f.bits(spki.subarray(spki.length - 65)),
    );
    expect(keyOf(secp256k1).kind).toBe('unsupported');
    const compressed = f.seq(
      f.seq(f.oid('1.2.840.10045.2.1'), f.oid('1.2.840.10045.3.1.7')),
      f.bits(f.concat(Uint8Array.of(2), spki.subarray(spki.length - 64, spki.length - 32))),
    );
    expect(keyOf(compressed).kind).toBe('unsupported');
  });

  it('a weak Ed25519 key verifies nothing', () => {
    const identity = new Uint8Array(32);
    identity[0] = 1;
    expect(weakness({ kind: 'ed25519', bytes: identity })).toBeDefined();
  });
});
