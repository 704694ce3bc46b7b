/**
 * Writes vectors/trust/read.json: trust files that keep each rule of docs/trust-file.md, and ones that break only it.
 */
import { writeCases } from './place.ts';

const LOG = 'ed25519:03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8';
const OPS = '9928da325ec993b3adcc9aec76b2229a6f38d399b9f4560da8df6ad6f3943a23';
const WEAK = `ed25519:01${'00'.repeat(31)}`;
const key = { name: 'log', key: LOG, roles: ['log'] };
const of = (value: object) => JSON.stringify({ format: 'audit.trust.v1', ...value });

const rows: readonly (readonly [name: string, files: readonly string[], codes: readonly string[]])[] = [
  ['nothing', [of({})], []],
  ['no file at all', [], []],
  [
    'every member',
    [
      of({
        about: 'x',
        keys: [key],
        approvers: { ops: OPS },
        gates: [],
        anchors: {},
        rosters: {},
        certificate_policies: [],
        witness_policies: [],
        requirements: { journal: ['integrity'] },
      }),
    ],
    [],
  ],
  [
    'a key with its validity',
    [of({ keys: [{ ...key, from: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:00.000000001Z' }] })],
    [],
  ],
  ['a rotated approver', [of({ approvers: { ops: [OPS, LOG] } })], []],
  ['cut off', [of({}).slice(0, -1)], ['trust/not-json']],
  ['not UTF-8 text', ['\ufeff{}'], ['trust/not-json']],
  ['no format', ['{"keys":[]}'], ['trust/format']],
  ['a later format', ['{"format":"audit.trust.v2"}'], ['trust/format']],
  ['not an object', ['7'], ['trust/format']],
  ['an unknown member', [of({ key: [] })], ['trust/unknown-member']],
  [
    'a misspelled end of validity',
    [of({ keys: [{ ...key, untill: '2027-01-01T00:00:00Z' }] })],
    ['trust/unknown-member'],
  ],
  ['a member in capitals', [of({ Keys: [] })], ['trust/unknown-member']],
  ['a member twice', ['{"format":"audit.trust.v1","keys":[],"keys":[]}'], ['trust/repeated-member']],
  [
    'a member twice, once with an escape, in a section of another module',
    ['{"format":"audit.trust.v1","rosters":[[{"a":1,"\\u0061":1}]]}'],
    ['trust/repeated-member'],
  ],
  ['keys that are no list', [of({ keys: {} })], ['trust/shape']],
  ['a key without roles', [of({ keys: [{ name: 'log', key: LOG }] })], ['trust/shape']],
  ['an unknown role', [of({ keys: [{ ...key, roles: ['root'] }] })], ['trust/shape']],
  [
    'an end before the beginning',
    [of({ keys: [{ ...key, from: '2027-01-01T00:00:00Z', until: '2026-01-01T00:00:00Z' }] })],
    ['trust/shape'],
  ],
  ['a time without a zone', [of({ keys: [{ ...key, from: '2027-01-01T00:00:00' }] })], ['trust/shape']],
  ['a weak key', [of({ keys: [{ ...key, key: WEAK }] })], ['trust/unusable-key']],
  ['a key of an unknown scheme', [of({ approvers: { ops: 'rsa:00' } })], ['trust/unusable-key']],
  ['a private key', [of({ approvers: { ops: `private:ed25519:${'11'.repeat(32)}` } })], ['trust/unusable-key']],
  ['two keys of one name', [of({ keys: [key, { ...key, roles: ['bundle'] }] })], ['trust/repeated-key-name']],
  ['an approver with a space', [of({ approvers: { 'the ops': OPS } })], ['trust/approver-id']],
  ['two approvers that differ in case', [of({ approvers: { ops: OPS, Ops: LOG } })], ['trust/approver-id']],
  ['two files that agree', [of({ keys: [key] }), of({ keys: [key] })], []],
  [
    'two files that differ on a key',
    [of({ keys: [key] }), of({ keys: [{ ...key, roles: ['bundle'] }] })],
    ['trust/conflict'],
  ],
  [
    'two files that differ on an approver',
    [of({ approvers: { ops: OPS } }), of({ approvers: { ops: LOG } })],
    ['trust/conflict'],
  ],
];

const cases = rows.map(([name, files, codes]) => ({ name, op: 'trust/read', params: { files }, answer: { codes } }));
const about = 'Trust files, each as its text, and the codes of what is wrong with them.';
writeCases('trust/read.json', about, cases);
