/** Programs that know nothing of this one: python3 and openssl take the envelope, and the page inside the bundle is followed to the letter. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { MANIFEST } from '../../src/bundle/manifest.ts';
import { importPrivateKey, isUnusable } from '../../src/crypto/keys.ts';
import {
  bundleOf,
  demo,
  entriesOf,
  exchanged,
  insideOf,
  people,
  session,
  signedAnew,
} from '../../vectors/bundle-scenes.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-bundle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const has = (program: string) => spawnSync(program, ['--version']).error === undefined;
const TOOLS = ['unzip', 'jq', 'sha256sum', 'openssl'].every(has);

/** Verifies a DSSE envelope with the standard library of Python and openssl, from the words of the DSSE specification alone. */
const DSSE_IN_PYTHON = `
import base64, json, subprocess, sys
envelope = json.load(open(sys.argv[1]))
body = base64.b64decode(envelope["payload"], validate=True)
kind = envelope["payloadType"].encode()
pae = b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(body), body)
open(sys.argv[3], "wb").write(pae)
open(sys.argv[4], "wb").write(base64.b64decode(envelope["signatures"][0]["sig"], validate=True))
how = ["pkeyutl", "-verify", "-pubin", "-inkey", sys.argv[2], "-rawin", "-in", sys.argv[3], "-sigfile", sys.argv[4]]
if sys.argv[5] == "ecdsa":
    how = ["dgst", "-sha256", "-verify", sys.argv[2], "-signature", sys.argv[4], sys.argv[3]]
done = subprocess.run(["openssl"] + how, capture_output=True)
if done.returncode != 0: sys.exit("the signature does not verify")
print(json.loads(body)["predicateType"], len(json.loads(body)["subject"]))
`;

function inPython(bundle: Uint8Array, member: string, how: string) {
  const file = (name: string) => entriesOf(bundle).find((entry) => entry.name === name)?.bytes ?? new Uint8Array();
  writeFileSync(join(folder, 'envelope.json'), file(member));
  writeFileSync(join(folder, 'key.pem'), file('maker.pem'));
  const ran = spawnSync(
    'python3',
    ['-c', DSSE_IN_PYTHON, ...['envelope.json', 'key.pem', 'pae', 'sig'].map((name) => join(folder, name)), how],
    { encoding: 'utf8' },
  );
  return { status: ran.status, says: ran.status === 0 ? ran.stdout.trim() : ran.stderr.trim() };
}

async function ecdsa() {
  const key = await importPrivateKey('ecdsa-p256', new Uint8Array(32).fill(7));
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}

describe.skipIf(!has('python3') || !has('openssl'))('another implementation of DSSE', () => {
  it('accepts the manifest and the summary, signed with Ed25519 or with ECDSA', async () => {
    const bundle = await bundleOf(insideOf(session('pay')));
    expect(inPython(bundle, MANIFEST, 'ed25519')).toEqual({
      status: 0,
      says: 'https://audit.example.invalid/bundle/v1 7',
    });
    expect(inPython(bundle, 'report.dsse.json', 'ed25519').status).toBe(0);
    const other = await bundleOf(insideOf(session('pay')), await ecdsa());
    expect(inPython(other, MANIFEST, 'ecdsa').status).toBe(0);
  });

  it('refuses one that was changed', async () => {
    const bundle = await bundleOf(insideOf(session('pay')));
    const forged = await signedAnew(entriesOf(bundle), people.log.key);
    expect(inPython(forged, MANIFEST, 'ed25519').says).toBe('the signature does not verify');
  });
});

/** The commands of the page: lines that begin with four spaces, one script for all, which stops at the first that fails. */
function followed(bundle: Uint8Array, name: string): { readonly status: number | null; readonly out: string } {
  const place = join(folder, name);
  execFileSync('mkdir', [place]);
  writeFileSync(join(place, 'audit.bundle'), bundle);
  const page = new TextDecoder().decode(entriesOf(bundle).find((entry) => entry.name === 'README.txt')?.bytes);
  const start = page.indexOf('HOW TO CHECK IT WITHOUT THE PROGRAM');
  const commands = page
    .slice(start)
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .map((line) => line.slice(4));
  expect(commands.length).toBeGreaterThan(10);
  const ran = spawnSync('sh', ['-e', '-c', commands.join('\n')], { cwd: place, encoding: 'utf8' });
  return { status: ran.status, out: `${ran.stdout}${ran.stderr}` };
}

describe.skipIf(!TOOLS)('the page inside a bundle', () => {
  const bundle = demo.bundle.bytes;

  it('leads unzip, jq, sha256sum and openssl to the same answer', () => {
    const { status, out } = followed(bundle, 'good');
    expect([status, out]).toEqual([0, expect.stringContaining('Signature Verified Successfully')]);
    for (const { path, result } of demo.bundle.report.inputs) expect(out).toContain(`${result}  ${path}`);
    const page = new TextDecoder().decode(entriesOf(bundle).find(({ name }) => name === 'README.txt')?.bytes);
    const keyid = /^ {3}([0-9a-f]{64})$/m.exec(page)?.[1] ?? 'none';
    expect(out).toContain(keyid);
    expect(out).toContain('verified  integrity: 6 entries');
  });

  it('leads them to a refusal where a file was changed, added or taken out, or the manifest was', async () => {
    const change = (data: Uint8Array) => data.map((byte, at) => (at === data.length - 40 ? byte ^ 1 : byte));
    expect(followed(exchanged(bundle, 'inputs/session.jsonl', change), 'changed').status).not.toBe(0);
    const { writeZip } = await import('../../src/bundle/zip.ts');
    const more = writeZip([...entriesOf(bundle), { name: 'inputs/other.json', bytes: new Uint8Array(3) }]);
    expect(followed(more, 'more').status).not.toBe(0);
    const less = writeZip(entriesOf(bundle).filter(({ name }) => name !== 'heads/session-head.json'));
    expect(followed(less, 'less').status).not.toBe(0);
    const signedByOther = await signedAnew(entriesOf(bundle), people.log.key);
    expect(followed(signedByOther, 'other').status).not.toBe(0);
  });
});
