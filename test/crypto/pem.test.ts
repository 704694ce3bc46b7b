import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { importPrivateKey, importPublicKey, isUnusable } from '../../src/crypto/keys.ts';
import { type KeyBytes, publicBytes, readKeyDer, readPem, writeKeyDer, writePem } from '../../src/crypto/pem.ts';
import type { SchemeName } from '../../src/crypto/signature.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-pem-'));
afterAll(() => rmSync(folder, { recursive: true }));
const openssl = (...args: string[]) => spawnSync('openssl', args, { cwd: folder });
const hasOpenssl = openssl('version').status === 0;

function key(read: ReturnType<typeof readKeyDer>): KeyBytes {
  if ('unusable' in read) throw new Error(read.unusable);
  return read;
}

describe.each(['ed25519', 'ecdsa-p256', 'ml-dsa-65'] as const)('%s keys in DER', (scheme: SchemeName) => {
  const secret: KeyBytes = { scheme, bytes: new Uint8Array(32).fill(7), secret: true };

  it('come back from private and public DER and PEM', async () => {
    const open = await publicBytes(secret);
    if ('unusable' in open) throw new Error(open.unusable);
    for (const original of [secret, open]) {
      const der = (await writeKeyDer(original)) as Uint8Array;
      expect(readKeyDer(der)).toEqual(original);
      expect(readPem(writePem(der, original.secret))).toEqual(der);
    }
  });

  it('are refused when a byte is missing or left over', async () => {
    const der = (await writeKeyDer(secret)) as Uint8Array;
    expect(readKeyDer(der.slice(0, -1))).toHaveProperty('unusable');
    expect(readKeyDer(new Uint8Array([...der, 0]))).toHaveProperty('unusable');
    for (let length = 0; length < der.length; length++)
      expect(readKeyDer(der.slice(0, length))).toHaveProperty('unusable');
  });
});

it('a hybrid key has no DER', async () => {
  expect(await writeKeyDer({ scheme: 'ed25519+ml-dsa-65', bytes: new Uint8Array(64), secret: true })).toBeUndefined();
});

describe.skipIf(!hasOpenssl)('openssl', () => {
  it.each([
    ['ed25519', ['genpkey', '-algorithm', 'ed25519']],
    ['ecdsa-p256', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']],
  ] as const)('makes %s keys that are read, and signatures that verify', async (scheme, command) => {
    expect(openssl(...command, '-out', 'k.pem').status).toBe(0);
    expect(openssl('pkey', '-in', 'k.pem', '-pubout', '-out', 'p.pem').status).toBe(0);
    const secret = key(readKeyDer(readPem(readFileSync(join(folder, 'k.pem'), 'utf8')) as Uint8Array));
    const open = key(readKeyDer(readPem(readFileSync(join(folder, 'p.pem'), 'utf8')) as Uint8Array));
    expect([secret.scheme, open.scheme]).toEqual([scheme, scheme]);
    expect(await publicBytes(secret)).toEqual(open);
    writeFileSync(join(folder, 'm'), 'the message');
    const digest = scheme === 'ed25519' ? ['-rawin'] : ['-rawin', '-digest', 'sha256'];
    expect(openssl('pkeyutl', '-sign', '-inkey', 'k.pem', ...digest, '-in', 'm', '-out', 's').status).toBe(0);
    const imported = await importPublicKey(scheme, open.bytes);
    if (isUnusable(imported)) throw new Error(imported.unusable);
    const message = new Uint8Array(readFileSync(join(folder, 'm')));
    expect(imported.verify(new Uint8Array(readFileSync(join(folder, 's'))), message)).toBe(true);
    const signer = await importPrivateKey(scheme, secret.bytes);
    if (isUnusable(signer)) throw new Error(signer.unusable);
    writeFileSync(join(folder, 's2'), signer.sign(message));
    const verified = openssl(
      'pkeyutl',
      '-verify',
      '-pubin',
      '-inkey',
      'p.pem',
      ...digest,
      '-in',
      'm',
      '-sigfile',
      's2',
    );
    expect(verified.status, verified.stdout.toString() + verified.stderr.toString()).toBe(0);
  });

  it.each(['ed25519', 'ecdsa-p256'] as const)('reads %s keys that are written here', async (scheme) => {
    const der = (await writeKeyDer({ scheme, bytes: new Uint8Array(32).fill(9), secret: true })) as Uint8Array;
    writeFileSync(join(folder, 'w.pem'), writePem(der, true));
    const out = openssl('pkey', '-in', 'w.pem', '-noout', '-text');
    expect(out.status, out.stderr.toString()).toBe(0);
  });
});
