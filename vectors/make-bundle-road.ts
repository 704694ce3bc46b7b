/**
 * Writes vectors/bundle/road.json: bundles through the whole road under a trust file (docs/spec/bundle.md 4 to 6): who signed, which files are
 * inside, and what the program says of them now against what stands in the bundle. The answers stand here, written by hand.
 */
import { signEnvelope, writeEnvelope } from '../src/bundle/dsse.ts';
import { MANIFEST } from '../src/bundle/manifest.ts';
import { writeZip, type ZipEntry } from '../src/bundle/zip.ts';
import { base64, unbase64, utf8 } from '../src/bytes/encoding.ts';
import { renderJson } from '../src/report/json.ts';
import { makeBundle } from '../src/verify/bundleMake.ts';
import {
  AT,
  bundleOf,
  entriesOf,
  exchanged,
  insideOf,
  people,
  session,
  signedAnew,
  textOf,
  trustText,
} from './bundle-scenes.ts';
import { writeCases } from './place.ts';

const maker = people.maker.key;
const base = await bundleOf(insideOf(session('pay')));
const entries = entriesOf(base);
const rows: object[] = [];

/** A bundle, exit status, and every code that is reported. What was signed by nobody who is known leaves the claims about contents undecided. */
function road(
  name: string,
  bundle: Uint8Array,
  status: number,
  codes: readonly string[],
  trust: string | null = trustText,
): void {
  rows.push({
    name,
    op: 'audit/codes',
    params: {
      file_b64: base64(bundle),
      at: '2026-11-30T12:00:00Z',
      ...(trust === null ? {} : { trust: [trust] }),
    },
    answer: { status, kind: 'bundle', codes: codes.toSorted() },
  });
}

road('keeps: an honest bundle', base, 0, []);
road(
  'breaks: the trust file is another than the one inside',
  base,
  0,
  ['bundle/other-trust'],
  trustText.replace('log of the shop', 'log'),
);

// Who signed (4).

road('breaks: signed by somebody else', await signedAnew(entries, people.log.key), 1, [
  'bundle/key',
  'bundle/page',
  'bundle/signature',
  'claim/undecided',
]);
const hinted = exchanged(base, MANIFEST, (data) => utf8(textOf(data).replace(/"keyid":"[0-9a-f]{4}/, '"keyid":"0000')));
road('breaks: a key id that is not that of the key', hinted, 1, [
  'bundle/key',
  'bundle/page',
  'bundle/signer-hint',
  'claim/undecided',
]);
const keysUntil = (until: string): string => {
  const file = JSON.parse(trustText) as { readonly keys: readonly object[] };
  return JSON.stringify({ ...file, keys: file.keys.map((key) => ({ ...key, until })) });
};
road('keeps: a signer whose time ends later', base, 0, ['bundle/other-trust'], keysUntil('2027-11-01T00:00:00Z'));
road(
  'breaks: a signer whose time was over',
  base,
  1,
  ['bundle/other-trust', 'bundle/signer-time', 'claim/undecided', 'log/head-no-key'],
  keysUntil('2026-11-01T00:00:00Z'),
);
const manifest = JSON.parse(textOf(entries.find(({ name }) => name === MANIFEST)?.bytes ?? new Uint8Array())) as {
  readonly payload: string;
  readonly payloadType: string;
};
const payload = unbase64(manifest.payload) ?? new Uint8Array();
const twice = writeEnvelope(await signEnvelope(manifest.payloadType, payload, [maker, people.log.key]));
road(
  'breaks: a second signature by nobody who is known',
  exchanged(base, MANIFEST, () => twice),
  0,
  ['bundle/other-signature'],
);

// What the bundle says of its files, and what is found now (5, 6).

const anew = (name: string, change: (text: string) => string): Promise<Uint8Array> =>
  signedAnew(
    entries.map(
      (entry): ZipEntry => (entry.name === name ? { name, bytes: utf8(change(textOf(entry.bytes))) } : entry),
    ),
    maker,
  );
const without = (name: string): readonly ZipEntry[] => entries.filter((entry) => entry.name !== name);
road(
  'breaks: a report that says more',
  await anew('report.json', (text) => text.replace('"verdict": "undecided"', '"verdict": "verified"')),
  1,
  ['bundle/attestation', 'bundle/report-differs'],
);
road('breaks: a report that is no JSON', await anew('report.json', (text) => text.slice(1)), 1, ['bundle/no-report']);
road('breaks: no report', await signedAnew(without('report.json'), maker), 1, ['bundle/no-report']);
road('breaks: a summary by nobody', await anew('report.dsse.json', () => '{}'), 1, ['bundle/attestation']);
road('breaks: a page that says more', await anew('README.txt', (text) => `${text}All is well.\n`), 1, ['bundle/page']);
const strange =
  '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA7fkRp/qUsJoREbDX0daksUQaBGjbnEPF5i/tHXIEgmQ=\n-----END PUBLIC KEY-----\n';
road('breaks: a key that did not sign', await anew('maker.pem', () => strange), 1, ['bundle/key']);
road('breaks: a head is missing', writeZip(without('heads/h.json')), 1, [
  'bundle/attestation',
  'bundle/member-missing',
  'bundle/page',
  'bundle/report-differs',
]);

const older = entriesOf(
  await bundleOf(insideOf(session('pay')), maker, (report) =>
    renderJson({
      ...report,
      tool: { ...report.tool, version: '0.0.9' },
      inputs: report.inputs.map((input) => ({
        ...input,
        claims: input.claims.map((claim) => ({ ...claim, detail: 'in other words' })),
      })),
    }),
  ),
).filter(({ name }) => name !== 'report.dsse.json');
road('keeps: a report of another version in other words', await signedAnew(older, maker, { version: '0.0.9' }), 0, [
  'bundle/page',
  'bundle/report-words',
]);

road('breaks: a bundle in a bundle', await bundleOf([{ path: 'inputs/inner.bundle', role: 'input', bytes: base }]), 3, [
  'bundle/nested',
  'bundle/other-trust',
]);
const left = await makeBundle(
  insideOf(session('pay')).filter(({ role }) => role !== 'head'),
  { at: AT, require: null, expectIds: [] },
  maker,
  renderJson,
  { sha256: 'ab'.repeat(32), removed: ['heads/h.json'] },
);
road('keeps: a bundle that leaves out what an earlier one held', left.bytes, 0, ['bundle/redacted']);

writeCases(
  'bundle/road.json',
  'Bundles through the whole road under a trust file: exit status, kind, and the codes that are reported (docs/spec/bundle.md 4 to 6).',
  rows,
);
