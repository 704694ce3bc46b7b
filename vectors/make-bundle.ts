/**
 * Writes vectors/bundle/reading.json: for each rule of the form of a bundle (docs/spec/bundle.md 1 to 3) one that keeps it and one that breaks only it.
 * The files inside are too small to be anything: what they are worth is another matter. The answers stand here, written by hand.
 */

import type { Json } from '../conformance/suite.ts';
import { cast } from '../scripts/demo/keys.ts';
import { signEnvelope, writeEnvelope } from '../src/bundle/dsse.ts';
import { MANIFEST } from '../src/bundle/manifest.ts';
import { canonicalOf, type Plain } from '../src/bundle/statement.ts';
import { writeZip, type ZipEntry } from '../src/bundle/zip.ts';
import { base64, hex, utf8 } from '../src/bytes/encoding.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import { writeCases } from './place.ts';

const { maker } = await cast();
const FILES: readonly (readonly [name: string, role: string, text: string])[] = [
  ['README.txt', 'readme', 'Read me.\n'],
  ['heads/h.json', 'head', '{}\n'],
  ['inputs/a.json', 'input', '[1]\n'],
  ['report.json', 'report', '{}\n'],
];
const entries: readonly ZipEntry[] = FILES.map(([name, , text]) => ({ name, bytes: utf8(text) }));

type Tree = { [name: string]: Plain };
interface Statement extends Tree {
  predicate: Tree;
  subject: Tree[];
}

function statement(): Statement {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: entries.map(({ name, bytes }) => ({ name, digest: { sha256: hex(sha256(bytes)) } })),
    predicateType: 'https://audit.example.invalid/bundle/v1',
    predicate: {
      format: 'audit.bundle.v1',
      made: '2026-11-30T12:00:00Z',
      tool: { name: 'audit', version: '0.1.0' },
      settings: { require: null, expectIds: [] },
      members: FILES.map(([name, role, text]) => ({ name, role, bytes: utf8(text).length })),
      replaces: null,
    },
  };
}

async function sealed(change: (statement: Statement) => void = () => {}, type = 'application/vnd.in-toto+json') {
  const body = statement();
  change(body);
  return writeEnvelope(await signEnvelope(type, canonicalOf(body), [maker.key]));
}

const rows: { readonly name: string; readonly op: string; readonly params: Json; readonly answer: Json }[] = [];
function add(name: string, bundle: Uint8Array, answer: Json): void {
  rows.push({ name, op: 'bundle/read', params: { bundle_b64: base64(bundle) }, answer });
}
const archive = (manifest: Uint8Array, files = entries) => writeZip([...files, { name: MANIFEST, bytes: manifest }]);
const good = await sealed();
const HELD = { findings: [], members: FILES.map(([name]) => name), replaces: null };

add('keeps: the form', archive(good), HELD);
add('breaks: a container with something after its end', Uint8Array.from([...archive(good), 0]), {
  findings: ['bundle/container'],
});
add('breaks: no manifest', writeZip(entries), { findings: ['bundle/no-manifest'] });

const text = new TextDecoder().decode(good);
const UNREADABLE = { findings: ['bundle/manifest'] };
add('breaks: an envelope with white space', archive(utf8(text.replace('{', '{ '))), UNREADABLE);
add('breaks: an envelope with a member that nobody signed', archive(utf8(text.replace('{', '{"x":1,'))), UNREADABLE);
add('breaks: an envelope without its final line feed', archive(utf8(text.trimEnd())), UNREADABLE);
add('breaks: an envelope with a member twice', archive(utf8(text.replace('{', '{"payload":"",'))), UNREADABLE);
add('breaks: another payload type', archive(await sealed(undefined, 'application/json')), UNREADABLE);
const spaced = utf8(JSON.stringify(statement(), null, 1));
add(
  'breaks: a statement that is not canonical',
  archive(writeEnvelope(await signEnvelope('application/vnd.in-toto+json', spaced, [maker.key]))),
  UNREADABLE,
);

const membersOf = ({ predicate }: Statement): Tree[] => predicate['members'] as Tree[];
const BROKEN: readonly (readonly [string, (statement: Statement) => void])[] = [
  [
    'another kind of statement',
    (body) => {
      body['_type'] = 'https://in-toto.io/Statement/v0.1';
    },
  ],
  [
    'another predicate',
    (body) => {
      body['predicateType'] = 'https://audit.example.invalid/bundle/v2';
    },
  ],
  [
    'another format',
    ({ predicate }) => {
      predicate['format'] = 'audit.bundle.v2';
    },
  ],
  [
    'a member of the predicate that is not known',
    ({ predicate }) => {
      predicate['more'] = true;
    },
  ],
  ['no time', ({ predicate }) => void delete predicate['made']],
  [
    'a time that is none',
    ({ predicate }) => {
      predicate['made'] = 'yesterday';
    },
  ],
  [
    'a tool without a version',
    ({ predicate }) => {
      predicate['tool'] = { name: 'audit' };
    },
  ],
  [
    'requirements that are no list',
    ({ predicate }) => {
      predicate['settings'] = { require: 'integrity', expectIds: [] };
    },
  ],
  [
    'expected ids that are no list',
    ({ predicate }) => {
      predicate['settings'] = { require: null, expectIds: null };
    },
  ],
  [
    'a role that does not stand in its place',
    (body) => void Object.assign(membersOf(body)[2] as Tree, { role: 'head' }),
  ],
  [
    'a place that no role has',
    (body) => {
      for (const row of [membersOf(body)[2], body.subject[2]]) Object.assign(row as Tree, { name: 'a.json' });
    },
  ],
  ['a size that is no number', (body) => void Object.assign(membersOf(body)[2] as Tree, { bytes: '4' })],
  ['fewer members than subjects', (body) => void membersOf(body).pop()],
  ['members in another order than the subjects', (body) => void membersOf(body).reverse()],
  [
    'a member twice',
    (body) => {
      membersOf(body)[1] = membersOf(body)[0] as Tree;
      body.subject[1] = body.subject[0] as Tree;
    },
  ],
  ['a subject without SHA-256', (body) => void Object.assign(body.subject[0] as Tree, { digest: { md5: '00' } })],
  [
    'a replaced bundle without a digest',
    ({ predicate }) => {
      predicate['replaces'] = { digest: {}, removed: [] };
    },
  ],
  [
    'a replaced bundle without its list',
    ({ predicate }) => {
      predicate['replaces'] = { digest: { sha256: 'ab'.repeat(32) } };
    },
  ],
];
for (const [name, change] of BROKEN) add(`breaks: ${name}`, archive(await sealed(change)), UNREADABLE);

const replacing = await sealed(({ predicate }) => {
  predicate['replaces'] = { digest: { sha256: 'ab'.repeat(32) }, removed: ['inputs/b.json'] };
});
add('keeps: a bundle that replaces another', archive(replacing), { ...HELD, replaces: 'ab'.repeat(32) });

const other = (name: string) => entries.map((entry) => (entry.name === name ? { name, bytes: utf8('[2]\n') } : entry));
add('breaks: a file that was changed', archive(good, other('inputs/a.json')), {
  ...HELD,
  findings: ['bundle/member-changed'],
});
const wrongSize = await sealed((body) => void Object.assign(membersOf(body)[2] as Tree, { bytes: 5 }));
add('breaks: a size that is another', archive(wrongSize), { ...HELD, findings: ['bundle/member-changed'] });
const less = entries.filter(({ name }) => name !== 'heads/h.json');
add('breaks: a file that is missing', archive(good, less), { ...HELD, findings: ['bundle/member-missing'] });
const more = [...entries, { name: 'inputs/b.json', bytes: utf8('[]\n') }];
add('breaks: a file that was added', archive(good, more), { ...HELD, findings: ['bundle/member-unlisted'] });

writeCases(
  'bundle/reading.json',
  'Bundles that keep, and that break, one rule of their form each (docs/spec/bundle.md): the findings, the names that the manifest lists, the digest that it replaces.',
  rows,
);
