/** For each rule of bundles (docs/spec/bundle.md) a bundle that keeps it and one that breaks only it, by the whole road. The answers are written by hand. */

import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/bundle/catalogue.ts';
import { signEnvelope, writeEnvelope } from '../../src/bundle/dsse.ts';
import { MANIFEST } from '../../src/bundle/manifest.ts';
import { canonicalOf, type Plain } from '../../src/bundle/statement.ts';
import { writeZip, type ZipEntry } from '../../src/bundle/zip.ts';
import { unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { formatPublicKey, generatePrivateKey, SCHEMES } from '../../src/crypto/keys.ts';
import { renderJson } from '../../src/report/json.ts';
import { makeBundle } from '../../src/verify/bundleMake.ts';
import {
  AT,
  bundleOf,
  entriesOf,
  exchanged,
  insideOf,
  judge,
  people,
  session,
  signedAnew,
  trustText,
  verdict,
} from '../../vectors/bundle-scenes.ts';

const maker = people.maker.key;
const base = await bundleOf(insideOf(session('pay')));
const entries = entriesOf(base);
const fileOf = (name: string): Uint8Array => entries.find((entry) => entry.name === name)?.bytes ?? new Uint8Array();
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
type Tree = { [name: string]: Plain };

interface Row {
  readonly name: string;
  readonly bundle: Uint8Array;
  readonly trust: string | null;
  readonly answer: { readonly status: number; readonly findings: readonly string[]; readonly claims: string };
}
const rows: Row[] = [];

/** A case: what weighs against the bundle, and the verdicts of authorship, contents and reproduction. */
function add(
  name: string,
  bundle: Uint8Array,
  status: number,
  findings: readonly string[],
  claims: string,
  trust: string | null = trustText,
): void {
  rows.push({ name, bundle, trust, answer: { status, findings, claims } });
}
const HOLDS = 'verified verified verified';
const UNREAD = 'undecided undecided undecided';

add('keeps: an honest bundle', base, 0, [], HOLDS);
add(
  'keeps: an honest bundle under other trust',
  base,
  0,
  ['bundle/other-trust'],
  HOLDS,
  trustText.replace('log of the shop', 'log'),
);
add('keeps: no trust file', base, 3, ['bundle/other-trust'], 'undecided undecided verified', null);

// The container and the manifest.
const flipped = base.slice();
flipped[70] = (flipped[70] as number) ^ 1;
add('breaks: a byte of a file, and with it the checksum', flipped, 4, ['bundle/container'], UNREAD);
add(
  'breaks: no manifest',
  writeZip(entries.filter(({ name }) => name !== MANIFEST)),
  4,
  ['bundle/no-manifest'],
  UNREAD,
);
const changedManifest = (change: (text: string) => string) =>
  exchanged(base, MANIFEST, (data) => utf8(change(textOf(data))));
add(
  'breaks: white space in the envelope',
  changedManifest((text) => text.replace('{', '{ ')),
  4,
  ['bundle/manifest'],
  UNREAD,
);
add(
  'breaks: a member of the envelope that nobody signed',
  changedManifest((text) => text.replace('{', '{"x":1,')),
  4,
  ['bundle/manifest'],
  UNREAD,
);
add(
  'breaks: a key id that is not that of the key',
  changedManifest((text) => text.replace(/"keyid":"[0-9a-f]{4}/, '"keyid":"0000')),
  1,
  ['bundle/key', 'bundle/page', 'bundle/signer-hint'],
  'failed undecided failed',
);

const body = JSON.parse(
  textOf(unbase64((JSON.parse(textOf(fileOf(MANIFEST))) as { payload: string }).payload) as Uint8Array),
) as {
  predicate: Tree;
  subject: Tree[];
} & Tree;
/** The manifest with a change, signed by its maker. */
async function stated(change: (statement: typeof body) => void, key = maker): Promise<Uint8Array> {
  const copy = structuredClone(body);
  change(copy);
  const envelope = await signEnvelope('application/vnd.in-toto+json', canonicalOf(copy), [key]);
  return exchanged(base, MANIFEST, () => writeEnvelope(envelope));
}
for (const [name, change] of [
  [
    'another predicate',
    (statement) => {
      statement['predicateType'] = 'https://audit.example.invalid/bundle/v2';
    },
  ],
  [
    'another format',
    ({ predicate }) => {
      predicate['format'] = 'audit.bundle.v2';
    },
  ],
  [
    'a member that is not known',
    ({ predicate }) => {
      predicate['more'] = true;
    },
  ],
  [
    'a time that is none',
    ({ predicate }) => {
      predicate['made'] = 'yesterday';
    },
  ],
  [
    'a role that its place does not have',
    ({ predicate }) => {
      for (const row of predicate['members'] as Tree[]) row['role'] = 'input';
    },
  ],
  [
    'fewer members than subjects',
    ({ predicate }) => {
      predicate['members'] = (predicate['members'] as Tree[]).slice(1);
    },
  ],
  [
    'a member twice',
    ({ predicate, subject }) => {
      const members = predicate['members'] as Tree[];
      members.splice(1, 1, members[0] as Tree);
      subject.splice(1, 1, subject[0] as Tree);
    },
  ],
  [
    'a replaced bundle without a digest',
    ({ predicate }) => {
      predicate['replaces'] = { digest: {}, removed: [] };
    },
  ],
  [
    'a subject without SHA-256',
    ({ subject }) => {
      (subject[0] as Tree)['digest'] = { md5: '00' };
    },
  ],
] as readonly (readonly [string, (statement: typeof body) => unknown])[])
  add(`breaks: ${name}`, await stated((statement) => void change(statement)), 4, ['bundle/manifest'], UNREAD);

// Who signed.
add(
  'breaks: another signer',
  await signedAnew(entries, people.log.key),
  1,
  ['bundle/key', 'bundle/page', 'bundle/signature'],
  'failed undecided failed',
);
const withEnd = (until: string) =>
  JSON.stringify({
    ...JSON.parse(trustText),
    keys: (JSON.parse(trustText) as { keys: object[] }).keys.map((key) => ({ ...key, until })),
  });
add(
  'breaks: a signer whose time was over',
  base,
  1,
  ['bundle/other-trust', 'bundle/signer-time', 'log/head-no-key'],
  'failed undecided verified',
  withEnd('2026-11-01T00:00:00Z'),
);
add('keeps: a signer whose time ends later', base, 0, ['bundle/other-trust'], HOLDS, withEnd('2027-11-01T00:00:00Z'));
const twice = await signEnvelope('application/vnd.in-toto+json', canonicalOf(body), [maker, people.log.key]);
add(
  'keeps: a second signature by nobody who is known',
  exchanged(base, MANIFEST, () => writeEnvelope(twice)),
  0,
  ['bundle/other-signature'],
  HOLDS,
);

// The files.
const without = (name: string) => writeZip(entries.filter((entry) => entry.name !== name));
add(
  'breaks: a head is missing',
  without('heads/h.json'),
  1,
  ['bundle/attestation', 'bundle/member-missing', 'bundle/page', 'bundle/report-differs'],
  'verified failed failed',
);
add(
  'breaks: a trust file was changed',
  exchanged(base, 'trust/t.json', (data) => utf8(textOf(data).replace('anna', 'anne'))),
  1,
  ['bundle/attestation', 'bundle/member-changed', 'bundle/report-differs'],
  'verified failed failed',
);
add(
  'breaks: a file was added',
  writeZip([...entries, { name: 'inputs/more.jsonl', bytes: session('more') }]),
  1,
  ['bundle/member-unlisted'],
  'verified failed verified',
);

// The report, its summary, the page, the key.
const anew = async (name: string, change: (text: string) => string) =>
  signedAnew(
    entries.map(
      (entry): ZipEntry => (entry.name === name ? { name, bytes: utf8(change(textOf(entry.bytes))) } : entry),
    ),
    maker,
  );
add(
  'breaks: a report that says more',
  await anew('report.json', (text) => text.replace('"verdict": "undecided"', '"verdict": "verified"')),
  1,
  ['bundle/attestation', 'bundle/report-differs'],
  'verified verified failed',
);
add(
  'breaks: a report that is no JSON',
  await anew('report.json', (text) => text.slice(1)),
  1,
  ['bundle/no-report'],
  'verified verified failed',
);
add(
  'breaks: no report',
  await signedAnew(
    entries.filter(({ name }) => name !== 'report.json'),
    maker,
  ),
  1,
  ['bundle/no-report'],
  'verified verified failed',
);
add(
  'keeps: a report of another version with other words',
  await otherVersion(),
  0,
  ['bundle/page', 'bundle/report-words'],
  HOLDS,
);
add(
  'breaks: a summary by somebody else',
  await signedAnew(
    entries.map((entry) => (entry.name === 'report.dsse.json' ? { ...entry, bytes: utf8('{}') } : entry)),
    maker,
  ),
  1,
  ['bundle/attestation'],
  'verified verified failed',
);
add('keeps: no summary', await withoutSummary(), 0, [], HOLDS);
add(
  'breaks: a page that says more',
  await anew('README.txt', (text) => `${text}All is well.\n`),
  1,
  ['bundle/page'],
  'verified verified failed',
);
add(
  'breaks: a key that did not sign',
  await anew(
    'maker.pem',
    () =>
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA7fkRp/qUsJoREbDX0daksUQaBGjbnEPF5i/tHXIEgmQ=\n-----END PUBLIC KEY-----\n',
  ),
  1,
  ['bundle/key'],
  'verified verified failed',
);

// A bundle in a bundle; a bundle made from another.
add(
  'breaks: a bundle in a bundle',
  await bundleOf([{ path: 'inputs/inner.bundle', role: 'input', bytes: base }]),
  3,
  ['bundle/nested', 'bundle/other-trust'],
  HOLDS,
);
const redacted = await makeBundle(
  insideOf(session('pay')).filter(({ role }) => role !== 'head'),
  { at: AT, require: null, expectIds: [] },
  maker,
  renderJson,
  { sha256: 'ab'.repeat(32), removed: ['heads/h.json'] },
);
add('keeps: a bundle that leaves out what an earlier one held', redacted.bytes, 0, ['bundle/redacted'], HOLDS);
add(
  'breaks: a session that does not hold',
  await bundleOf(
    insideOf(session('pay')).map((file) =>
      file.role === 'input' ? { ...file, bytes: utf8(textOf(file.bytes).replace('"pay"', '"bay"')) } : file,
    ),
  ),
  1,
  ['session/id-mismatch'],
  HOLDS,
);

async function otherVersion(): Promise<Uint8Array> {
  const bundle = await bundleOf(insideOf(session('pay')), maker, (report) =>
    renderJson({
      ...report,
      tool: { ...report.tool, version: '0.0.9' },
      inputs: report.inputs.map((input) => ({
        ...input,
        claims: input.claims.map((claim) => ({ ...claim, detail: 'in other words' })),
      })),
    }),
  );
  const others = entriesOf(bundle).filter(({ name }) => name !== 'report.dsse.json');
  return signedAnew(
    others.map((entry) => (entry.name === 'README.txt' ? { ...entry, bytes: utf8('Other words.\n') } : entry)),
    maker,
  );
}

async function withoutSummary(): Promise<Uint8Array> {
  const { readmeText } = await import('../../src/bundle/readme.ts');
  const { roleOf } = await import('../../src/bundle/manifest.ts');
  const { reportInside } = await import('../../src/verify/bundleRun.ts');
  const { dsseKeyId } = await import('../../src/bundle/dsse.ts');
  const left = entries.filter(({ name }) => name !== 'report.dsse.json' && name !== MANIFEST);
  const members = left
    .filter(({ name }) => name !== 'README.txt')
    .map((entry) => ({ ...entry, role: roleOf(entry.name) ?? ('input' as const) }));
  const files = members.map(({ name, bytes, role }) => ({ path: name, bytes, role }));
  const report = await reportInside(files, { at: AT, require: null, expectIds: [] });
  const page = readmeText({
    made: '2026-11-30T12:00:00Z',
    scheme: 'ed25519',
    keyid: await dsseKeyId(maker.publicKey),
    members,
    replaces: null,
    report,
  });
  return signedAnew([...members, { name: 'README.txt', bytes: utf8(page) }], maker);
}

describe('a bundle', () => {
  it.each(rows)('$name', async ({ bundle, trust, answer }) => {
    const report = await judge(bundle, trust);
    const found = (report.inputs[0]?.findings ?? []).flatMap(({ code, class: effect }) =>
      effect !== 'none' || code.startsWith('bundle/') ? [code] : [],
    );
    const claims = ['authorship', 'contents', 'reproduction'].map((name) => verdict(report, name)).join(' ');
    expect({ status: report.status, findings: [...new Set(found)].sort(), claims }).toEqual(answer);
  });

  it.each(SCHEMES)('is signed and verified under a key of the scheme %s', async (scheme) => {
    const key = await generatePrivateKey(scheme, (length) => new Uint8Array(length).fill(9));
    const signed = await bundleOf(insideOf(session('pay')), key);
    const { keys, ...rest } = JSON.parse(trustText) as { keys: object[] } & Record<string, unknown>;
    const own = { name: 'own', roles: ['bundle'], key: formatPublicKey(key.publicKey) };
    const report = await judge(signed, JSON.stringify({ ...rest, keys: [keys[0], own] }));
    expect([report.status, verdict(report, 'authorship'), verdict(report, 'reproduction')]).toEqual([
      0,
      'verified',
      'verified',
    ]);
  });

  it('has a case for every code of the catalogue', () => {
    const named = new Set(rows.flatMap((row) => row.answer.findings));
    expect(Object.keys(catalogue.entries).filter((code) => !named.has(code))).toEqual([]);
  });
});
