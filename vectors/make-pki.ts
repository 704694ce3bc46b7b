/**
 * The vectors of vectors/pki: for each rule of `src/pki` a case that keeps it and one that breaks only it. The answers stand here, written by
 * hand. `test/pki/vectors.test.ts` holds the files against this script.
 */

import * as f from '../test/pki/forge.ts';
import { write } from './place.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Params = { readonly [name: string]: Json };

export interface VectorCase {
  readonly name: string;
  readonly op: string;
  readonly params: Params;
  readonly answer: Json;
}

const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

const AT = '2026-06-15T12:00:00Z';
const ROOT = 'O=Vectors,CN=Root';
const CA = 'O=Vectors,CN=CA';
const SUB = 'O=Vectors,CN=Sub CA';
const LEAF = 'O=Vectors,CN=Leaf';
const [rootKey, caKey, subKey, leafKey, otherKey] = ['root', 'ca', 'sub', 'leaf', 'other'].map((seed) =>
  f.key(seed),
) as [f.Key, f.Key, f.Key, f.Key, f.Key];
const CA_USAGE = f.keyUsage(5, 6);
const SIGNS = f.keyUsage(0);
const P1 = '1.3.6.1.4.1.55555.2.1';
const P2 = '1.3.6.1.4.1.55555.2.2';
const ANY = '2.5.29.32.0';
const UNKNOWN = '1.3.6.1.4.1.55555.9.9';
const unknownCritical = f.ext(UNKNOWN, f.NULL, true);

type Some = Partial<f.CertificateRecipe>;
const rootCert = (change: Some = {}): Uint8Array =>
  f.certificate({
    subject: ROOT,
    issuer: ROOT,
    key: rootKey,
    issuerKey: rootKey,
    serial: 1,
    until: '2036-01-01T00:00:00Z',
    extensions: [f.basicConstraints(true), CA_USAGE],
    ...change,
  });
const caCert = (change: Some = {}): Uint8Array =>
  f.certificate({
    subject: CA,
    issuer: ROOT,
    key: caKey,
    issuerKey: rootKey,
    serial: 2,
    extensions: [f.basicConstraints(true), CA_USAGE],
    ...change,
  });
const subCert = (change: Some = {}): Uint8Array =>
  f.certificate({
    subject: SUB,
    issuer: CA,
    key: subKey,
    issuerKey: caKey,
    serial: 3,
    extensions: [f.basicConstraints(true), CA_USAGE],
    ...change,
  });
const leafCert = (change: Some = {}): Uint8Array =>
  f.certificate({
    subject: LEAF,
    issuer: CA,
    key: leafKey,
    issuerKey: caKey,
    serial: 100,
    extensions: [SIGNS],
    ...change,
  });
const withExtensions = (...extensions: readonly Uint8Array[]): Some => ({
  extensions: [f.basicConstraints(true), CA_USAGE, ...extensions],
});

interface PathRow {
  readonly leaf?: Uint8Array;
  readonly pool?: readonly Uint8Array[];
  readonly anchors?: readonly Uint8Array[];
  readonly crls?: readonly Uint8Array[];
  readonly ocsp?: readonly Uint8Array[];
  readonly params?: Params;
  readonly length?: number;
  readonly valid?: boolean;
  readonly policies?: readonly string[];
  readonly status?: readonly string[];
  readonly findings?: readonly string[];
  readonly unread?: string;
}

function pathCase(name: string, row: PathRow): VectorCase {
  const lists: Params =
    row.status === undefined
      ? {}
      : { revocation: true, crls_b64: (row.crls ?? []).map(b64), ocsp_b64: (row.ocsp ?? []).map(b64) };
  return {
    name,
    op: 'pki/path',
    params: {
      certificate_b64: b64(row.leaf ?? leafCert()),
      pool_b64: (row.pool ?? [caCert()]).map(b64),
      anchors_b64: (row.anchors ?? [rootCert()]).map(b64),
      at: AT,
      ...lists,
      ...row.params,
    },
    answer:
      row.unread === undefined
        ? {
            path: row.valid ?? (row.findings ?? []).length === 0,
            length: row.length ?? 2,
            policies: row.policies ?? [],
            notices: [],
            status: row.status ?? [],
            findings: [...(row.findings ?? [])].sort(),
          }
        : { unread: row.unread },
  };
}

/** A constraint on the CA and a name on the leaf. */
const named = (constraint: Uint8Array, name: string, findings: readonly string[] = []): PathRow => ({
  pool: [caCert(withExtensions(constraint))],
  leaf: leafCert({ extensions: [SIGNS, f.altNames(name)] }),
  findings,
});

const NAMES: readonly (readonly [form: string, tree: string, inside: string, outside: string])[] = [
  ['a host for mailboxes', 'email:bank.example', 'email:ann@bank.example', 'email:ann@sub.bank.example'],
  ['a domain for mailboxes', 'email:.bank.example', 'email:ann@sub.bank.example', 'email:ann@bank.example'],
  ['one mailbox', 'email:ann@bank.example', 'email:ann@BANK.example', 'email:Ann@bank.example'],
  ['DNS', 'dns:bank.example', 'dns:a.bank.example', 'dns:evilbank.example'],
  ['hosts of URIs', 'uri:.bank.example', 'uri:https://a.bank.example/x', 'uri:https://bank.example/x'],
  ['addresses', 'ip:0a000000ff000000', 'ip:0a010203', 'ip:0b010203'],
  ['directory names', 'dir:O=Vectors', 'dir:O=vectors,CN=x', 'dir:O=Others'],
];

function* namePaths(): Generator<VectorCase> {
  for (const [form, tree, inside, outside] of NAMES) {
    const permitted = tree.startsWith('dir:') ? f.nameConstraints([tree]) : f.nameConstraints([tree, 'dir:O=Vectors']);
    yield pathCase(`names: permitted ${form}, inside`, named(permitted, inside));
    yield pathCase(`names: permitted ${form}, outside`, named(permitted, outside, ['pki/name-constraints']));
    if (tree.startsWith('dir:')) continue;
    yield pathCase(`names: excluded ${form}, outside`, named(f.nameConstraints([], [tree]), outside));
    yield pathCase(
      `names: excluded ${form}, inside`,
      named(f.nameConstraints([], [tree]), inside, ['pki/name-constraints']),
    );
  }
  yield pathCase(
    'names: another form is not constrained',
    named(f.nameConstraints(['dns:bank.example']), 'email:ann@other.example'),
  );
  yield pathCase(
    'names: a constraint on otherName and such a name',
    named(f.nameConstraints(['upn:bank.example']), 'upn:ann@bank.example', ['pki/name-constraints-form']),
  );
  yield pathCase(
    'names: a URI without a host under a constraint',
    named(f.nameConstraints(['uri:bank.example']), 'uri:urn:x', ['pki/name-constraints-form']),
  );
  yield pathCase('names: a mailbox in the subject counts', {
    pool: [caCert(withExtensions(f.nameConstraints(['email:bank.example'])))],
    leaf: leafCert({ subject: 'O=Vectors,emailAddress=eve@other.example' }),
    findings: ['pki/name-constraints'],
  });
  yield pathCase('names: two CAs both permit, the intersection holds', {
    pool: [
      caCert(withExtensions(f.nameConstraints(['dns:bank.example']))),
      subCert(withExtensions(f.nameConstraints(['dns:a.bank.example']))),
    ],
    leaf: leafCert({ issuer: SUB, issuerKey: subKey, extensions: [f.altNames('dns:x.a.bank.example')] }),
    length: 3,
  });
  yield pathCase('names: a name permitted by one of two CAs only', {
    pool: [
      caCert(withExtensions(f.nameConstraints(['dns:bank.example']))),
      subCert(withExtensions(f.nameConstraints(['dns:a.bank.example']))),
    ],
    leaf: leafCert({ issuer: SUB, issuerKey: subKey, extensions: [f.altNames('dns:b.bank.example')] }),
    length: 3,
    findings: ['pki/name-constraints'],
  });
}

function* paths(): Generator<VectorCase> {
  yield pathCase('a path of leaf, CA and anchor', {});
  yield pathCase('the anchor itself', { leaf: rootCert(), length: 0 });
  yield pathCase('no anchor is given', { anchors: [], findings: ['pki/no-path'] });
  yield pathCase('the CA certificate is missing', { pool: [], length: 1, findings: ['pki/no-path'] });
  yield pathCase('self-signed and no anchor', {
    leaf: leafCert({ issuer: LEAF, issuerKey: leafKey }),
    length: 1,
    findings: ['pki/no-path'],
  });
  yield pathCase('an anchor of the right name and another key', {
    anchors: [rootCert({ key: otherKey, issuerKey: otherKey })],
    findings: ['pki/signature'],
  });
  yield pathCase('a leaf signed by another key', {
    leaf: leafCert({ issuerKey: otherKey }),
    findings: ['pki/signature'],
  });
  yield pathCase('SHA-1 with RSA', {
    leaf: leafCert({ algorithm: f.seq(f.oid('1.2.840.113549.1.1.5'), f.NULL) }),
    findings: ['pki/algorithm'],
  });
  yield pathCase('the last second of validity', { params: { at: '2027-01-01T00:00:00Z' } });
  yield pathCase('within the last second of validity', { params: { at: '2027-01-01T00:00:00.999999999Z' } });
  yield pathCase('a second after validity', { params: { at: '2027-01-01T00:00:01Z' }, findings: ['pki/expired'] });
  yield pathCase('the first second of validity', { params: { at: '2026-01-01T00:00:00Z' } });
  yield pathCase('before validity', { params: { at: '2025-12-31T23:59:59Z' }, findings: ['pki/not-yet-valid'] });
  yield pathCase('an expired CA', { pool: [caCert({ until: '2026-06-01T00:00:00Z' })], findings: ['pki/expired'] });
  yield pathCase('an expired anchor is said and no fault', {
    anchors: [rootCert({ until: '2026-06-01T00:00:00Z' })],
    valid: true,
    findings: ['pki/anchor-expired'],
  });
  yield pathCase('a CA without basicConstraints', {
    pool: [caCert({ extensions: [CA_USAGE] })],
    findings: ['pki/not-a-ca'],
  });
  yield pathCase('a CA whose basicConstraints say no', {
    pool: [caCert({ extensions: [f.basicConstraints(false), CA_USAGE] })],
    findings: ['pki/not-a-ca'],
  });
  yield pathCase('a version 1 intermediate', {
    pool: [caCert({ version: 0, extensions: [] })],
    findings: ['pki/not-a-ca'],
  });
  yield pathCase('a CA without key usage', { pool: [caCert({ extensions: [f.basicConstraints(true)] })] });
  yield pathCase('a CA that may not sign certificates', {
    pool: [caCert({ extensions: [f.basicConstraints(true), f.keyUsage(6)] })],
    findings: ['pki/key-usage'],
  });
  const deep = { leaf: leafCert({ issuer: SUB, issuerKey: subKey }), length: 3 };
  yield pathCase('a path length that is kept', {
    ...deep,
    pool: [caCert({ extensions: [f.basicConstraints(true, 1), CA_USAGE] }), subCert()],
  });
  yield pathCase('a path length that is passed', {
    ...deep,
    pool: [caCert({ extensions: [f.basicConstraints(true, 0), CA_USAGE] }), subCert()],
    findings: ['pki/path-length'],
  });
  yield pathCase('the path length of the anchor binds', {
    ...deep,
    anchors: [rootCert({ extensions: [f.basicConstraints(true, 1)] })],
    pool: [caCert(), subCert()],
    findings: ['pki/path-length'],
  });
  yield pathCase('an unknown extension that is not critical', {
    leaf: leafCert({ extensions: [SIGNS, f.ext(UNKNOWN, f.NULL)] }),
  });
  yield pathCase('an unknown critical extension of the leaf', {
    leaf: leafCert({ extensions: [SIGNS, unknownCritical] }),
    findings: ['pki/critical-extension'],
  });
  yield pathCase('an unknown critical extension of the CA', {
    pool: [caCert(withExtensions(unknownCritical))],
    findings: ['pki/critical-extension'],
  });
  const purpose = { purpose: '1.3.6.1.5.5.7.3.8' };
  yield pathCase('the purpose that is asked for', {
    leaf: leafCert({ extensions: [f.extendedKeyUsage(['1.3.6.1.5.5.7.3.8'])] }),
    params: purpose,
  });
  yield pathCase('another purpose', {
    leaf: leafCert({ extensions: [f.extendedKeyUsage(['1.3.6.1.5.5.7.3.4'])] }),
    params: purpose,
    findings: ['pki/purpose'],
  });
  yield pathCase('a CA limited to another purpose', {
    leaf: leafCert({ extensions: [f.extendedKeyUsage(['1.3.6.1.5.5.7.3.8'])] }),
    pool: [caCert(withExtensions(f.extendedKeyUsage(['1.3.6.1.5.5.7.3.4'])))],
    params: purpose,
    findings: ['pki/purpose'],
  });
  for (const kind of ['p384', 'p521', 'ed25519'] as const) {
    const signer = f.key('ca', kind);
    yield pathCase(`a CA key on ${kind}`, { pool: [caCert({ key: signer })], leaf: leafCert({ issuerKey: signer }) });
  }
  const levels = Array.from({ length: 13 }, (_, i) => f.key(`level ${i}`));
  const level = (i: number): string => (i === 0 ? ROOT : `CN=Level ${i}`);
  const long = levels.slice(1).map((key, i) =>
    f.certificate({
      subject: level(i + 1),
      issuer: level(i),
      key,
      issuerKey: i === 0 ? rootKey : (levels[i] as f.Key),
      extensions: [f.basicConstraints(true), CA_USAGE],
    }),
  );
  yield pathCase('twelve certificates are a path', {
    leaf: leafCert({ issuer: level(11), issuerKey: levels[11] as f.Key }),
    pool: long,
    length: 12,
  });
  yield pathCase('thirteen are one too many', {
    leaf: leafCert({ issuer: level(12), issuerKey: levels[12] as f.Key }),
    pool: long,
    length: 12,
    findings: ['pki/no-path', 'pki/path-limit'],
  });
  yield {
    name: 'a given path whose names do not chain',
    op: 'pki/chain',
    params: {
      path_b64: [leafCert({ issuer: 'CN=Somebody else' }), caCert()].map(b64),
      anchors_b64: [b64(rootCert())],
      at: AT,
    },
    answer: { valid: false, findings: ['pki/name-chaining'] },
  };
  yield {
    name: 'a given path whose names chain',
    op: 'pki/chain',
    params: { path_b64: [leafCert(), caCert()].map(b64), anchors_b64: [b64(rootCert())], at: AT },
    answer: { valid: true, findings: [] },
  };
}

function* policyPaths(): Generator<VectorCase> {
  const both = (...oids: readonly string[]): PathRow => ({
    pool: [caCert(withExtensions(f.policies(...oids)))],
    leaf: leafCert({ extensions: [SIGNS, f.policies(...oids)] }),
  });
  yield pathCase('policies: one along the path', { ...both(P1), policies: [P1] });
  yield pathCase('policies: none is demanded', { ...both(P1), params: { policies: [P2] } });
  yield pathCase('policies: the demanded one', {
    ...both(P1),
    params: { policies: [P1], explicit_policy: true },
    policies: [P1],
  });
  yield pathCase('policies: another than the demanded one', {
    ...both(P1),
    params: { policies: [P2], explicit_policy: true },
    findings: ['pki/policy'],
  });
  yield pathCase('policies: none at all and one demanded', {
    params: { explicit_policy: true },
    findings: ['pki/policy'],
  });
  yield pathCase('policies: the CA demands one', {
    pool: [caCert(withExtensions(f.policies(P1), f.policyConstraints(0)))],
    findings: ['pki/policy'],
  });
  yield pathCase('policies: anyPolicy of the CA', {
    pool: [caCert(withExtensions(f.policies(ANY)))],
    leaf: leafCert({ extensions: [f.policies(P1)] }),
    params: { explicit_policy: true },
    policies: [P1],
  });
  yield pathCase('policies: anyPolicy is inhibited', {
    pool: [caCert(withExtensions(f.policies(ANY)))],
    leaf: leafCert({ extensions: [f.policies(P1)] }),
    params: { explicit_policy: true, inhibit_any_policy: true },
    findings: ['pki/policy'],
  });
  yield pathCase('policies: the CA inhibits anyPolicy below it', {
    pool: [caCert(withExtensions(f.policies(P1), f.inhibitAny(0)))],
    leaf: leafCert({ extensions: [f.policies(ANY)] }),
    params: { explicit_policy: true },
    findings: ['pki/policy'],
  });
  const mapped = {
    pool: [caCert(withExtensions(f.policies(P1), f.mappings([P1, P2])))],
    leaf: leafCert({ extensions: [f.policies(P2)] }),
  };
  yield pathCase('policies: mapped', { ...mapped, params: { policies: [P1], explicit_policy: true }, policies: [P1] });
  yield pathCase('policies: the policy that it was mapped to is not the demanded one', {
    ...mapped,
    params: { policies: [P2], explicit_policy: true },
    findings: ['pki/policy'],
  });
  yield pathCase('policies: mapping is inhibited', {
    ...mapped,
    params: { explicit_policy: true, inhibit_mapping: true },
    findings: ['pki/policy'],
  });
  yield pathCase('policies: mapped from anyPolicy', {
    pool: [caCert(withExtensions(f.policies(ANY), f.mappings([ANY, P2])))],
    leaf: leafCert({ extensions: [SIGNS, f.policies(P2)] }),
    findings: ['pki/policy-mapping'],
  });
}

const good = (change: Partial<f.CrlRecipe> = {}): Uint8Array => f.crl({ issuer: CA, key: caKey, number: 1, ...change });
const rootCrl = f.crl({ issuer: ROOT, key: rootKey, number: 1 });
const listing = (entry: Partial<f.EntryRecipe> = {}): Partial<f.CrlRecipe> => ({
  entries: [{ serial: 100, ...entry }],
});
const REVOKED = { status: ['revoked', 'good'], findings: ['pki/revoked'], valid: true } as const;
const UNKNOWN_STATUS = { status: ['unknown', 'good'], valid: true } as const;

function* statuses(): Generator<VectorCase> {
  const status = (name: string, crls: readonly Uint8Array[], row: PathRow): VectorCase =>
    pathCase(`status: ${name}`, { crls: [rootCrl, ...crls], valid: true, ...row });
  const GOOD = { status: ['good', 'good'] };
  yield status('on no list', [good()], GOOD);
  yield status('another number on the list', [good({ entries: [{ serial: 101 }] })], GOOD);
  yield status('listed', [good(listing())], REVOKED);
  yield status(
    'listed with a reason and an invalidity date',
    [good(listing({ reason: 1, invalidity: '2026-04-01T00:00:00Z' }))],
    REVOKED,
  );
  yield status('on hold', [good(listing({ reason: 6 }))], { status: ['on-hold', 'good'], findings: ['pki/on-hold'] });
  yield status('no list', [], { ...UNKNOWN_STATUS, findings: ['pki/status-unknown'] });
  yield status('an expired list', [good({ until: '2026-06-10T00:00:00Z' })], {
    status: ['stale', 'good'],
    findings: ['pki/crl-stale', 'pki/status-stale'],
  });
  yield status('a list without nextUpdate', [good({ until: null })], {
    status: ['stale', 'good'],
    findings: ['pki/crl-stale', 'pki/status-stale'],
  });
  yield status('listed in an expired list', [good({ until: '2026-06-10T00:00:00Z', ...listing() })], {
    status: ['revoked', 'good'],
    findings: ['pki/crl-stale', 'pki/revoked'],
  });
  yield status('a list of later', [good({ from: '2026-06-20T00:00:00Z' })], {
    ...UNKNOWN_STATUS,
    findings: ['pki/crl-not-yet-valid', 'pki/status-unknown'],
  });
  yield status('a list signed by another key', [good({ key: otherKey })], {
    ...UNKNOWN_STATUS,
    findings: ['pki/crl-signature', 'pki/status-unknown'],
  });
  yield status('an issuer that may not sign lists', [good()], {
    pool: [caCert({ extensions: [f.basicConstraints(true), f.keyUsage(5)] })],
    ...UNKNOWN_STATUS,
    findings: ['pki/crl-key-usage', 'pki/status-unknown'],
  });
  yield status('a critical extension of the list', [good({ extensions: [unknownCritical] })], {
    ...UNKNOWN_STATUS,
    findings: ['pki/crl-critical-extension', 'pki/status-unknown'],
  });
  yield status(
    'a critical extension of some entry',
    [good({ entries: [{ serial: 5, extensions: [unknownCritical] }] })],
    { ...UNKNOWN_STATUS, findings: ['pki/crl-critical-extension', 'pki/status-unknown'] },
  );
  yield status('removeFromCRL in a complete list', [good({ entries: [{ serial: 5, reason: 8 }] })], {
    ...UNKNOWN_STATUS,
    findings: ['pki/crl-entry', 'pki/status-unknown'],
  });
  const foreign = { serial: 7, extensions: [f.ext('2.5.29.29', f.seq(f.general(`dir:${ROOT}`)), true)] };
  yield status('entries of another issuer without the mark', [good({ entries: [foreign] })], {
    ...UNKNOWN_STATUS,
    findings: ['pki/crl-entry', 'pki/status-unknown'],
  });
  yield status('a list of CA certificates only', [good({ extensions: [f.issuingPoint({ cas: true })] })], {
    ...UNKNOWN_STATUS,
    findings: ['pki/crl-scope', 'pki/status-unknown'],
  });
  yield status('a list of user certificates only', [good({ extensions: [f.issuingPoint({ users: true })] })], GOOD);
  yield status(
    'a list of attribute certificates only',
    [good({ extensions: [f.issuingPoint({ attributes: true })] })],
    { ...UNKNOWN_STATUS, findings: ['pki/crl-scope', 'pki/status-unknown'] },
  );
  const pointed = leafCert({ extensions: [SIGNS, f.distributionPoints(f.point(['uri:http://crl.example/1']))] });
  yield status(
    'the list of its distribution point',
    [good({ extensions: [f.issuingPoint({ names: ['uri:http://crl.example/1'] })] })],
    { leaf: pointed, status: ['good', 'good'], findings: ['pki/crl-scope'] },
  );
  yield status(
    'the list of another distribution point',
    [good({ extensions: [f.issuingPoint({ names: ['uri:http://crl.example/2'] })] })],
    { leaf: pointed, ...UNKNOWN_STATUS, findings: ['pki/crl-scope', 'pki/status-unknown'] },
  );
  const some = good({ extensions: [f.issuingPoint({ reasons: [1, 2] })] });
  const rest = good({ number: 2, extensions: [f.issuingPoint({ reasons: [3, 4, 5, 6, 7, 8] })] });
  yield status('some reasons only', [some], { ...UNKNOWN_STATUS, findings: ['pki/status-unknown'] });
  yield status('all reasons over two lists', [some, rest], GOOD);
  const indirectLeaf = leafCert({ extensions: [SIGNS, f.distributionPoints(f.point([], undefined, [`dir:${ROOT}`]))] });
  const issuerEntry = f.ext('2.5.29.29', f.seq(f.general(`dir:${CA}`)), true);
  const indirect = (entries: readonly f.EntryRecipe[], scope = f.issuingPoint({ indirect: true })): Uint8Array =>
    f.crl({ issuer: ROOT, key: rootKey, number: 2, entries, extensions: [scope] });
  yield status('indirect: not listed', [indirect([])], { leaf: indirectLeaf, ...GOOD });
  yield status('indirect: listed under its issuer', [indirect([{ serial: 100, extensions: [issuerEntry] }])], {
    leaf: indirectLeaf,
    ...REVOKED,
  });
  yield status(
    'indirect: the issuer stands for the entries after it',
    [indirect([{ serial: 7, extensions: [issuerEntry] }, { serial: 100 }])],
    { leaf: indirectLeaf, ...REVOKED },
  );
  yield status('indirect: the same number of the list issuer is another certificate', [indirect([{ serial: 100 }])], {
    leaf: indirectLeaf,
    ...GOOD,
  });
  yield status('indirect: not marked as such', [indirect([], f.issuingPoint({ users: true }))], {
    leaf: indirectLeaf,
    ...UNKNOWN_STATUS,
    findings: ['pki/crl-scope', 'pki/status-unknown'],
  });
  const base = good({ entries: [{ serial: 100, reason: 6 }] });
  const delta = (change: Partial<f.CrlRecipe>): Uint8Array =>
    good({ number: 2, base: 1, from: '2026-06-05T00:00:00Z', ...change });
  yield status('delta: adds', [good(), delta(listing())], REVOKED);
  yield status('delta: takes a hold back', [base, delta(listing({ reason: 8 }))], GOOD);
  yield status('delta: of a later base', [good(), delta({ number: 9, base: 5 })], {
    status: ['good', 'good'],
    findings: ['pki/crl-delta-base'],
  });
  yield status('delta: alone', [delta({})], { ...UNKNOWN_STATUS, findings: ['pki/status-unknown'] });
  yield status('delta: keeps an expired base current', [good({ until: '2026-06-10T00:00:00Z' }), delta({})], GOOD);
  yield status('delta: signed by another key', [good(), delta({ key: otherKey })], {
    status: ['good', 'good'],
    findings: ['pki/crl-signature'],
  });
  const crlSigner = f.certificate({
    subject: CA,
    issuer: ROOT,
    key: otherKey,
    issuerKey: rootKey,
    serial: 50,
    extensions: [f.keyUsage(6)],
  });
  yield status('another key of the issuer, with a certificate', [good({ key: otherKey })], {
    pool: [caCert(), crlSigner],
    ...GOOD,
  });
  const stranger = f.crl({ issuer: 'CN=Stranger', key: otherKey, extensions: [f.issuingPoint({ indirect: true })] });
  yield status('an indirect list of nobody that is known', [stranger], {
    leaf: leafCert({ extensions: [SIGNS, f.distributionPoints(f.point([], undefined, ['dir:CN=Stranger']))] }),
    ...UNKNOWN_STATUS,
    findings: ['pki/crl-issuer', 'pki/status-unknown'],
  });
}

const answer = (change: Partial<f.OcspRecipe> = {}, single: Partial<f.AnswerRecipe> = {}): Uint8Array =>
  f.ocsp({
    issuer: CA,
    issuerKey: caKey,
    responder: CA,
    key: caKey,
    answers: [{ serial: 100, status: 'good', ...single }],
    ...change,
  });
const RESPONDER = 'O=Vectors,CN=Responder';
const responderCert = (change: Some = {}): Uint8Array =>
  f.certificate({
    subject: RESPONDER,
    issuer: CA,
    key: otherKey,
    issuerKey: caKey,
    serial: 60,
    extensions: [f.extendedKeyUsage(['1.3.6.1.5.5.7.3.9']), f.ext('1.3.6.1.5.5.7.48.1.5', f.NULL)],
    ...change,
  });
const delegated = (certificate: Uint8Array): Uint8Array =>
  answer({ responder: RESPONDER, key: otherKey, certificates: [certificate] });

function* responses(): Generator<VectorCase> {
  const ocsp = (name: string, response: Uint8Array, row: PathRow): VectorCase =>
    pathCase(`ocsp: ${name}`, { crls: [rootCrl], ocsp: [response], valid: true, ...row });
  const scoped = (findings: readonly string[]): readonly string[] => [...findings, 'pki/ocsp-scope'];
  const refused = (...findings: readonly string[]): PathRow => ({
    status: ['unknown', 'good'],
    findings: scoped([...findings, 'pki/status-unknown']),
  });
  const fine: PathRow = { status: ['good', 'good'], findings: scoped([]) };
  yield ocsp('good, by the issuer', answer(), fine);
  yield ocsp('good, hashes by SHA-256, responder by key', answer({ hash: 'sha256', byKey: true }), fine);
  yield ocsp('revoked', answer({}, { status: { revoked: '2026-05-01T00:00:00Z', reason: 1 } }), {
    status: ['revoked', 'good'],
    findings: scoped(['pki/revoked']),
  });
  yield ocsp('unknown', answer({}, { status: 'unknown' }), refused('pki/ocsp-unknown'));
  yield ocsp('an error', f.seq(f.tlv(0x0a, Uint8Array.of(3))), {
    status: ['unknown', 'good'],
    findings: ['pki/ocsp-unsuccessful', 'pki/status-unknown'],
  });
  yield ocsp('about another certificate', answer({}, { serial: 7 }), refused());
  yield ocsp('signed by another key', answer({ key: otherKey }), refused('pki/ocsp-signature'));
  yield ocsp('a delegate', delegated(responderCert()), fine);
  yield ocsp(
    'a delegate without OCSPSigning',
    delegated(responderCert({ extensions: [SIGNS] })),
    refused('pki/ocsp-responder'),
  );
  yield ocsp(
    'a delegate of another CA',
    delegated(responderCert({ issuerKey: subKey })),
    refused('pki/ocsp-responder'),
  );
  yield ocsp(
    'a delegate that has expired',
    delegated(responderCert({ until: '2026-06-01T00:00:00Z' })),
    refused('pki/ocsp-responder'),
  );
  yield ocsp(
    'a delegate whose status is not known',
    delegated(responderCert({ extensions: [f.extendedKeyUsage(['1.3.6.1.5.5.7.3.9'])] })),
    refused('pki/ocsp-responder'),
  );
  yield ocsp('expired', answer({}, { until: '2026-06-10T00:00:00Z' }), {
    status: ['stale', 'good'],
    findings: scoped(['pki/ocsp-stale', 'pki/status-stale']),
  });
  yield ocsp('without nextUpdate', answer({}, { until: null }), {
    status: ['stale', 'good'],
    findings: scoped(['pki/ocsp-stale', 'pki/status-stale']),
  });
  yield ocsp(
    'of later',
    answer({ produced: '2026-06-20T00:00:00Z' }, { from: '2026-06-20T00:00:00Z' }),
    refused('pki/ocsp-not-yet-valid'),
  );
  yield ocsp('a critical extension', answer({ extensions: [unknownCritical] }), refused('pki/critical-extension'));
}

function* lists(): Generator<VectorCase> {
  const list = (
    name: string,
    crls: readonly Uint8Array[],
    authentic: boolean | null,
    findings: readonly string[],
    change: { pool?: readonly Uint8Array[]; entries?: number } = {},
  ): VectorCase => ({
    name: `list: ${name}`,
    op: 'pki/crl',
    params: {
      crls_b64: crls.map(b64),
      anchors_b64: [b64(rootCert())],
      pool_b64: (change.pool ?? [caCert()]).map(b64),
      at: AT,
    },
    answer: { authentic, entries: change.entries ?? 0, findings: [...findings].sort() },
  });
  yield list('signed by a CA with a path', [good()], true, []);
  yield list('signed by the anchor', [rootCrl], true, []);
  yield list('entries are counted', [good({ entries: [{ serial: 1 }, { serial: 2 }] })], true, [], { entries: 2 });
  yield list('signed by another key', [good({ key: otherKey })], false, ['pki/crl-signature']);
  yield list('nobody of that name', [f.crl({ issuer: 'CN=Stranger', key: otherKey })], null, ['pki/crl-issuer']);
  yield list('may not sign lists', [good()], false, ['pki/crl-key-usage'], {
    pool: [caCert({ extensions: [f.basicConstraints(true), f.keyUsage(5)] })],
  });
  yield list('its CA has no path', [good()], null, ['pki/crl-issuer', 'pki/no-path'], {
    pool: [caCert({ issuer: 'CN=Nobody' })],
  });
  yield list('expired', [good({ until: '2026-06-10T00:00:00Z' })], true, ['pki/crl-stale']);
  yield list('of later', [good({ from: '2026-06-20T00:00:00Z' })], true, ['pki/crl-not-yet-valid']);
  yield list('an unknown critical extension', [good({ extensions: [unknownCritical] })], true, [
    'pki/crl-critical-extension',
  ]);
  yield list('removeFromCRL', [good({ entries: [{ serial: 5, reason: 8 }] })], true, ['pki/crl-entry'], { entries: 1 });
  const foreign = { serial: 7, extensions: [f.ext('2.5.29.29', f.seq(f.general(`dir:${ROOT}`)), true)] };
  yield list('entries of another issuer without the mark', [good({ entries: [foreign] })], true, ['pki/crl-entry'], {
    entries: 1,
  });
  yield list('a number twice', [good(), good({ entries: [{ serial: 9 }] })], true, ['pki/crl-number-reused']);
  yield list('the same list twice is one', [good(), good()], true, []);
  yield list('a number is missing', [good(), good({ number: 3 })], true, ['pki/crl-series-gap']);
  yield list('numbers that follow', [good(), good({ number: 2 })], true, []);
}

const TSA = 'O=Vectors,CN=TSA';
const tsaKey = f.key('tsa');
const STAMPING = f.extendedKeyUsage(['1.3.6.1.5.5.7.3.8'], true);
const tsaCert = (change: Some = {}): Uint8Array =>
  f.certificate({
    subject: TSA,
    issuer: CA,
    key: tsaKey,
    issuerKey: caKey,
    serial: 200,
    extensions: [SIGNS, STAMPING],
    ...change,
  });
const MESSAGE = text('what is stamped\n');
const caCrls = [rootCrl, good()];

function* tokens(): Generator<VectorCase> {
  const stamp = (change: Partial<f.TokenRecipe> = {}): Uint8Array =>
    f.token({ message: MESSAGE, certificate: tsaCert(), key: tsaKey, issuer: CA, serial: 200, ...change });
  const by = (certificate: Uint8Array): Uint8Array => stamp({ certificate });
  const imprint = Buffer.from(f.sha('sha256', MESSAGE)).toString('hex');
  const NOTHING_SHOWN = {
    gen_time: AT,
    accuracy_nanos: '1000000000',
    policy: '1.2.3.4.1',
    nonce: null,
    imprint_hash: 'sha256',
  } as const;
  const row = (
    name: string,
    token: Uint8Array,
    findings: readonly string[],
    change: {
      readonly verified?: boolean;
      readonly params?: Params;
      readonly shown?: Params;
      readonly inner?: Uint8Array;
      readonly unread?: string;
    } = {},
  ): VectorCase => ({
    name: `token: ${name}`,
    op: 'pki/timestamp',
    params: {
      token_b64: b64(token),
      imprint_hex: imprint,
      anchors_b64: [b64(rootCert())],
      pool_b64: [b64(caCert())],
      crls_b64: caCrls.map(b64),
      ...change.params,
    },
    answer:
      change.unread === undefined
        ? {
            verified: change.verified ?? findings.length === 0,
            findings: [...findings].sort(),
            ...NOTHING_SHOWN,
            ...change.shown,
            time_evidence: Buffer.from(f.sha('sha256', change.inner ?? token)).toString('hex'),
          }
        : { unread: change.unread },
  });
  yield row('good', stamp(), []);
  yield row('in a response', f.response(0, stamp()), [], { inner: stamp() });
  yield row('granted with modifications', f.response(1, stamp()), [], { inner: stamp() });
  yield row('a refusal', f.response(2, undefined, 'no'), [], { unread: 'pki/token-refused' });
  yield row('over other bytes', stamp({ message: text('other') }), ['pki/token-imprint']);
  yield row('an imprint by SHA-1', stamp({ hash: 'sha1' }), ['pki/token-imprint-algorithm'], {
    shown: { imprint_hash: 'sha1' },
  });
  yield row('an accepted policy', stamp(), [], { params: { policies: ['1.2.3.4.1'] } });
  yield row('another policy', stamp(), ['pki/token-policy'], { params: { policies: ['1.2.3.4.2'] } });
  const asked = (nonce: number): Params => ({ request_b64: b64(f.request(MESSAGE, nonce)) });
  yield row('the nonce of the request', stamp({ nonce: 7 }), [], { params: asked(7), shown: { nonce: '7' } });
  yield row('another nonce', stamp({ nonce: 8 }), ['pki/token-nonce'], { params: asked(7), shown: { nonce: '8' } });
  yield row('no nonce though asked', stamp(), ['pki/token-nonce'], { params: asked(7) });
  yield row('a critical extension', stamp({ extensions: [unknownCritical] }), ['pki/token-extension']);
  yield row('no accuracy', stamp({ accuracy: null }), ['pki/token-accuracy-absent'], {
    verified: true,
    shown: { accuracy_nanos: '0' },
  });
  yield row(
    'accuracy in parts',
    stamp({ accuracy: f.seq(f.int(1), f.retag(0x80, f.int(500)), f.retag(0x81, f.int(7))) }),
    [],
    { shown: { accuracy_nanos: '1500007000' } },
  );
  yield row('millis of 1000', stamp({ accuracy: f.seq(f.retag(0x80, f.int(1000))) }), [], {
    unread: 'pki/token-structure',
  });
  yield row('no signed attributes', stamp({ attributes: () => [] }), ['pki/token-attributes', 'pki/token-signer']);
  yield row('no content type', stamp({ attributes: (all) => all.slice(1) }), ['pki/token-attributes']);
  yield row('an attribute twice', stamp({ attributes: (all) => [...all, all[0] as Uint8Array] }), [
    'pki/token-attributes',
  ]);
  yield row('attributes out of order', stamp({ sorted: false }), ['pki/token-attributes']);
  yield row(
    'contents other than signed',
    stamp({ contentAfter: () => innerContent('2026-06-15T12:00:01Z') }),
    ['pki/token-digest'],
    { shown: { gen_time: '2026-06-15T12:00:01Z' } },
  );
  yield row('a digest by SHA-1', stamp({ digestHash: 'sha1' }), ['pki/algorithm']);
  yield row('named by SHA-1 only', stamp({ ess: 'v1' }), ['pki/token-ess-sha1'], { verified: true });
  yield row('named by both', stamp({ ess: 'both' }), []);
  yield row('another certificate named', stamp({ essOver: caCert() }), ['pki/token-signer']);
  yield row('no certificate', stamp({ certificates: [] }), ['pki/token-signer']);
  yield row('the certificate is supplied', stamp({ certificates: [] }), [], {
    params: { pool_b64: [caCert(), tsaCert()].map(b64) },
  });
  yield row(
    'injected certificates change nothing',
    stamp({ certificates: [tsaCert(), tsaCert({ key: otherKey }), leafCert()] }),
    [],
  );
  yield row('a signature by another key', stamp({ key: otherKey }), ['pki/token-signature']);
  yield row(
    'not for time stamping',
    by(tsaCert({ extensions: [SIGNS, f.extendedKeyUsage(['1.3.6.1.5.5.7.3.4'], true)] })),
    ['pki/purpose', 'pki/token-usage'],
  );
  yield row(
    'for more than time stamping',
    by(tsaCert({ extensions: [SIGNS, f.extendedKeyUsage(['1.3.6.1.5.5.7.3.8', '1.3.6.1.5.5.7.3.4'], true)] })),
    ['pki/token-usage'],
  );
  yield row(
    'its usage is not critical',
    by(tsaCert({ extensions: [SIGNS, f.extendedKeyUsage(['1.3.6.1.5.5.7.3.8'])] })),
    ['pki/token-usage'],
  );
  yield row('a key that may not sign', by(tsaCert({ extensions: [f.keyUsage(2), STAMPING] })), ['pki/token-usage']);
  yield row('a CA', by(tsaCert({ extensions: [f.basicConstraints(true), SIGNS, STAMPING] })), ['pki/token-usage']);
  yield row('no path', stamp(), ['pki/no-path'], { params: { anchors_b64: [] } });
  yield row('expired before it stamped', by(tsaCert({ until: '2026-06-01T00:00:00Z' })), ['pki/expired']);
  yield row('no lists', stamp(), ['pki/token-status-unchecked'], { verified: true, params: { crls_b64: [] } });
  const revoked = (date: string): Params => ({
    crls_b64: [
      rootCrl,
      good({ from: '2026-06-16T00:00:00Z', entries: [{ serial: 200, date }] }),
      f.crl({ issuer: ROOT, key: rootKey, number: 2, from: '2026-06-16T00:00:00Z' }),
    ].map(b64),
  });
  yield row('revoked before it stamped', stamp(), ['pki/revoked'], { params: revoked('2026-06-10T00:00:00Z') });
  yield row('revoked after it stamped', stamp(), [], { params: revoked('2026-06-15T18:00:00Z') });
  yield row('version 1', stamp({ version: 1 }), ['pki/token-structure']);
  yield row('two signers', stamp({ signers: 2 }), ['pki/token-structure']);
  yield row('other contents', stamp({ contentType: '1.2.840.113549.1.7.1' }), [], { unread: 'pki/token-structure' });
}

function innerContent(at: string): Uint8Array {
  return f.seq(
    f.int(1),
    f.oid('1.2.3.4.1'),
    f.seq(f.seq(f.oid('2.16.840.1.101.3.4.2.1'), f.NULL), f.octets(f.sha('sha256', MESSAGE))),
    f.int(4711),
    f.gtime(at),
    f.seq(f.int(1)),
  );
}

function* readings(): Generator<VectorCase> {
  const unread = (name: string, leaf: Uint8Array, code: string): VectorCase =>
    pathCase(`reading: ${name}`, { leaf, unread: code });
  const whole = leafCert();
  yield unread('a byte after the end', f.concat(whole, Uint8Array.of(0)), 'pki/not-der');
  yield unread('cut off', whole.subarray(0, whole.length - 1), 'pki/not-der');
  yield unread(
    'an indefinite length',
    f.concat(Uint8Array.of(0x30, 0x80), whole.subarray(4), Uint8Array.of(0, 0)),
    'pki/not-der',
  );
  yield unread(
    'a length that could be shorter',
    f.concat(Uint8Array.of(0x30, 0x83, 0), whole.subarray(2)),
    'pki/not-der',
  );
  yield unread(
    'a serial number with a padding byte',
    leafCert({
      serial: 1,
      extensions: [f.ext(UNKNOWN, f.NULL), f.seq(f.oid(UNKNOWN), f.tlv(0x02, Uint8Array.of(0, 1)))],
    }),
    'pki/not-der',
  );
  yield unread(
    'critical FALSE written out',
    leafCert({ extensions: [f.seq(f.oid(UNKNOWN), Uint8Array.of(1, 1, 0), f.octets(f.NULL))] }),
    'pki/structure',
  );
  yield unread(
    'basicConstraints FALSE written out',
    leafCert({ extensions: [f.ext('2.5.29.19', f.seq(Uint8Array.of(1, 1, 0)), true)] }),
    'pki/structure',
  );
  yield unread(
    'basicConstraints with a member too many',
    leafCert({ extensions: [f.ext('2.5.29.19', f.seq(f.TRUE, f.int(1), f.NULL), true)] }),
    'pki/structure',
  );
  yield unread(
    'an extension twice',
    leafCert({ extensions: [f.ext(UNKNOWN, f.NULL), f.ext(UNKNOWN, f.NULL)] }),
    'pki/structure',
  );
  yield unread('two algorithms', leafCert({ innerAlgorithm: f.seq(f.oid('1.2.840.10045.4.3.3')) }), 'pki/structure');
  yield unread('extensions in version 1', leafCert({ version: 0 }), 'pki/structure');
  yield unread('extensions in version 2', leafCert({ version: 1 }), 'pki/structure');
  yield unread('a CRL', good(), 'pki/structure');
  yield unread('nothing', new Uint8Array(), 'pki/not-der');
  yield unread(
    'more than 64 KiB',
    leafCert({ extensions: [f.ext(UNKNOWN, f.octets(new Uint8Array(70_000)))] }),
    'pki/limit',
  );
  let nested: Uint8Array = f.NULL;
  for (let i = 0; i < 80; i++) nested = f.seq(nested);
  yield unread('eighty levels', nested, 'pki/limit');
  const pem = (name: string, value: string, answer: Json): VectorCase => ({
    name: `pem: ${name}`,
    op: 'pki/pem',
    params: { text: value },
    answer,
  });
  const block = f.pem('CERTIFICATE', whole);
  yield pem('a block', block, { blocks: ['CERTIFICATE'] });
  yield pem('two blocks with text between', `first\n${block}\nsecond\n${f.pem('X509 CRL', good())}`, {
    blocks: ['CERTIFICATE', 'X509 CRL'],
  });
  yield pem('lines that end in CR LF', block.replace(/\n/g, '\r\n'), { blocks: ['CERTIFICATE'] });
  yield pem('no block', 'nothing here\n', { unread: 'pki/pem' });
  yield pem('no end', block.slice(0, 200), { unread: 'pki/pem' });
  yield pem('another end', block.replace('END CERTIFICATE', 'END X509 CRL'), { unread: 'pki/pem' });
  yield pem('not base64', block.replace(/\n[A-Za-z0-9+/]{4}/, '\n****'), { unread: 'pki/pem' });
}

/** File name to its cases. */
export const files: Readonly<Record<string, { readonly about: string; readonly cases: readonly VectorCase[] }>> = {
  'paths.json': {
    about: 'Path building and validation (RFC 5280 6.1): names, policies, usage, lengths, dates.',
    cases: [...paths(), ...namePaths(), ...policyPaths()],
  },
  'status.json': {
    about: 'Revocation status from CRLs (RFC 5280 6.3.3) and OCSP responses (RFC 6960).',
    cases: [...statuses(), ...responses(), ...lists()],
  },
  'tokens.json': { about: 'Time-stamp tokens (RFC 3161, audit 5.3).', cases: [...tokens()] },
  'reading.json': { about: 'Strict DER and PEM.', cases: [...readings()] },
};

/** The bytes of one file. */
export function fileText(name: string): string {
  const { about, cases } = files[name] as (typeof files)[string];
  return `{"about": ${JSON.stringify(about)}, "cases": [\n${cases.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]}\n`;
}

for (const name of Object.keys(files)) write(`pki/${name}`, fileText(name));
