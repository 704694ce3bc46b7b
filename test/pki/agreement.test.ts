/**
 * `openssl verify`, `openssl ocsp` and `openssl ts` on the same bytes. Every generated chain, status and token must get the same answer, except
 * where a rule differs; then the rule is written beside the case, and the case fails if the two begin to agree.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseCertificate } from '../../src/pki/certificate.ts';
import { parseCrl } from '../../src/pki/crl.ts';
import { parseOcsp } from '../../src/pki/ocsp.ts';
import { buildPath } from '../../src/pki/pathBuilding.ts';
import { anchorOf } from '../../src/pki/pathValidation.ts';
import type { Read } from '../../src/pki/read.ts';
import { pathStatus } from '../../src/pki/revocation.ts';
import { judgeTimestamp } from '../../src/pki/timestamp.ts';
import { parseTimestamp } from '../../src/pki/timestampToken.ts';
import { type Instant, parseInstant } from '../../src/time/instant.ts';
import * as f from './forge.ts';

const available = (() => {
  try {
    return /^OpenSSL [3-9]/.test(execFileSync('openssl', ['version'], { encoding: 'utf8' }));
  } catch {
    return false;
  }
})();

const folder = mkdtempSync(join(tmpdir(), 'audit-pki-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const certificatesPem = (ders: readonly Uint8Array[]): string => ders.map((der) => f.pem('CERTIFICATE', der)).join('');
const must = <T>(read: Read<T>): T => {
  if (read.finding !== undefined) throw new Error(read.finding.message);
  return read.value;
};
const instant = (text: string): Instant => parseInstant(text) as Instant;
const epoch = (text: string): string => String(Date.parse(text) / 1000);

const AT = '2026-06-15T12:00:00Z';
const KINDS = ['p256', 'p384', 'p521', 'ed25519', 'rsa', 'pss'] as const;
type KeyKind = (typeof KINDS)[number];
const rsaKeys = new Map<string, f.Key>();

function keyOf(seed: string, kind: KeyKind): f.Key {
  if (kind !== 'rsa' && kind !== 'pss') return f.key(seed, kind);
  const id = `${kind} ${seed}`;
  const key =
    rsaKeys.get(id) ?? f.rsaKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, kind === 'pss');
  rsaKeys.set(id, key);
  return key;
}

/** A chain of anchor, one or two CAs and a leaf, with lists of every issuer; each part can be changed. */
interface Chain {
  readonly depth: 1 | 2;
  readonly keys: KeyKind;
  readonly anchor?: Partial<f.CertificateRecipe>;
  readonly ca?: Partial<f.CertificateRecipe>;
  readonly leaf?: Partial<f.CertificateRecipe>;
  readonly at?: string;
  /** Changes to the list of the leaf's issuer; null leaves it out. */
  readonly crl?: Partial<f.CrlRecipe> | null;
  readonly moreCrls?: readonly Partial<f.CrlRecipe>[];
  readonly status?: boolean;
  readonly policy?: string;
  readonly flags?: readonly string[];
}

const CA_USAGE = f.keyUsage(5, 6);
const CA_EXTENSIONS = [f.basicConstraints(true), CA_USAGE];
const UNKNOWN = '1.3.6.1.4.1.55555.9.9';
const P1 = '1.3.6.1.4.1.55555.2.1';
const P2 = '1.3.6.1.4.1.55555.2.2';

function materialise(chain: Chain): {
  readonly anchor: Uint8Array;
  readonly pool: readonly Uint8Array[];
  readonly leaf: Uint8Array;
  readonly crls: readonly Uint8Array[];
} {
  const [root, ca, sub, own] = ['root', 'ca', 'sub', 'leaf'].map((seed) => keyOf(seed, chain.keys)) as [
    f.Key,
    f.Key,
    f.Key,
    f.Key,
  ];
  const issuers = [
    { name: 'O=Agree,CN=Root', key: root },
    { name: 'O=Agree,CN=CA', key: ca },
    { name: 'O=Agree,CN=Sub', key: sub },
  ];
  const above = issuers[chain.depth] as { name: string; key: f.Key };
  const anchor = f.certificate({
    subject: 'O=Agree,CN=Root',
    issuer: 'O=Agree,CN=Root',
    key: root,
    issuerKey: root,
    until: '2036-01-01T00:00:00Z',
    extensions: [...CA_EXTENSIONS, f.subjectKeyId('root')],
    ...chain.anchor,
  });
  const pool = [
    f.certificate({
      subject: 'O=Agree,CN=CA',
      issuer: 'O=Agree,CN=Root',
      key: ca,
      issuerKey: root,
      serial: 2,
      extensions: [...CA_EXTENSIONS, f.subjectKeyId('ca')],
      ...chain.ca,
    }),
    ...(chain.depth === 2
      ? [
          f.certificate({
            subject: 'O=Agree,CN=Sub',
            issuer: 'O=Agree,CN=CA',
            key: sub,
            issuerKey: ca,
            serial: 3,
            extensions: CA_EXTENSIONS,
          }),
        ]
      : []),
  ];
  const leaf = f.certificate({
    subject: 'O=Agree,CN=Leaf',
    issuer: above.name,
    key: own,
    issuerKey: above.key,
    serial: 100,
    extensions: [f.keyUsage(0)],
    ...chain.leaf,
  });
  const crls = (chain.status === true ? issuers : [])
    .slice(0, chain.depth)
    .map(({ name, key }) => f.crl({ issuer: name, key, number: 1 }));
  const base = { issuer: above.name, key: above.key, number: 1 };
  const own_ = chain.crl === null || chain.status !== true ? [] : [{ ...base, ...chain.crl }];
  const more = (chain.moreCrls ?? []).map((one) => ({ ...base, ...one }));
  return { anchor, pool, leaf, crls: [...crls, ...[...own_, ...more].map(f.crl)] };
}

type Material = ReturnType<typeof materialise>;

function ours(chain: Chain, { anchor, pool, leaf, crls }: Material): string {
  const at = instant(chain.at ?? AT);
  const read = parseCertificate(leaf);
  const read2 = pool.map((der) => parseCertificate(der));
  if (read.finding !== undefined) return read.finding.code;
  const certificates = read2.map(must);
  const judged = buildPath(
    read.value,
    { pool: certificates, anchors: [anchorOf(must(parseCertificate(anchor)))] },
    { at, ...(chain.policy === undefined ? {} : { initialPolicies: [chain.policy], initialExplicitPolicy: true }) },
  );
  if (!judged.valid || judged.anchor === undefined) return judged.findings.map(({ code }) => code).join(' ');
  if (chain.status !== true) return 'ok';
  const sources = { crls: crls.map((der) => must(parseCrl(der))), ocsp: [], pool: certificates };
  const statuses = pathStatus(judged.path, judged.anchor, sources, at).map(({ status }) => status);
  return statuses.every((status) => status === 'good') ? 'ok' : statuses.join(' ');
}

function theirs(chain: Chain, { anchor, pool, leaf, crls }: Material): string {
  const run = spawnSync(
    'openssl',
    [
      'verify',
      '-no-CApath',
      '-no-CAstore',
      ...['-CAfile', put('root.pem', certificatesPem([anchor]))],
      ...['-untrusted', put('pool.pem', certificatesPem(pool))],
      ...['-attime', epoch(chain.at ?? AT)],
      ...(chain.policy === undefined ? [] : ['-policy', chain.policy, '-policy_check', '-explicit_policy']),
      ...(chain.status === true
        ? [
            '-crl_check_all',
            '-extended_crl',
            '-use_deltas',
            '-CRLfile',
            put('crls.pem', crls.map((der) => f.pem('X509 CRL', der)).join('')),
          ]
        : []),
      ...(chain.flags ?? []),
      put('leaf.pem', certificatesPem([leaf])),
    ],
    { encoding: 'utf8' },
  );
  return run.status === 0 ? 'ok' : (/error \d+[^\n]*/.exec(run.stderr + run.stdout)?.[0] ?? run.stderr);
}

interface Scenario {
  readonly name: string;
  readonly change: Omit<Chain, 'depth' | 'keys'>;
  /** The rule that differs, where the answers do. */
  readonly differs?: string;
  /** Chains of only one CA. */
  readonly shallow?: true;
}

const leafWith = (...extensions: readonly Uint8Array[]): Pick<Chain, 'leaf'> => ({
  leaf: { extensions: [f.keyUsage(0), ...extensions] },
});
const caWith = (...extensions: readonly Uint8Array[]): Pick<Chain, 'ca'> => ({
  ca: { extensions: [...CA_EXTENSIONS, ...extensions] },
});
const named = (constraint: Uint8Array, name: string): Omit<Chain, 'depth' | 'keys'> => ({
  ...caWith(constraint),
  ...leafWith(f.altNames(name)),
});
const status = (change: Omit<Chain, 'depth' | 'keys' | 'status'>): Omit<Chain, 'depth' | 'keys'> => ({
  ...change,
  status: true,
});
const listing = (entry: Partial<f.EntryRecipe> = {}): Partial<f.CrlRecipe> => ({
  entries: [{ serial: 100, ...entry }],
});

const SCENARIOS: readonly Scenario[] = [
  { name: 'a plain chain', change: {} },
  { name: 'before the leaf is valid', change: { leaf: { from: '2026-07-01T00:00:00Z' } } },
  { name: 'after the leaf has expired', change: { leaf: { until: '2026-06-01T00:00:00Z' } } },
  { name: 'the CA has expired', change: { ca: { until: '2026-06-01T00:00:00Z' } } },
  { name: 'the first second of the leaf', change: { leaf: { from: AT } } },
  {
    name: 'the last second of the leaf',
    change: { leaf: { until: AT } },
    differs: 'RFC 5280 4.1.2.5: notAfter is the last second of validity; openssl counts it as past',
  },
  {
    name: 'the anchor has expired',
    change: { anchor: { until: '2026-06-01T00:00:00Z' } },
    differs: 'RFC 5280 6.1.1 (d): an anchor is a name and a key; openssl judges its dates',
  },
  { name: 'years after 2050', change: { leaf: { until: '2055-01-01T00:00:00Z' } } },
  { name: 'the CA has no basicConstraints', change: { ca: { extensions: [CA_USAGE] } } },
  { name: 'the CA is none', change: { ca: { extensions: [f.basicConstraints(false), CA_USAGE] } } },
  {
    name: 'the CA may not sign certificates',
    change: { ca: { extensions: [f.basicConstraints(true), f.keyUsage(6)] } },
  },
  { name: 'the CA has no key usage', change: { ca: { extensions: [f.basicConstraints(true)] } } },
  { name: 'path length 0 at the CA', change: { ca: { extensions: [f.basicConstraints(true, 0), CA_USAGE] } } },
  { name: 'path length 1 at the CA', change: { ca: { extensions: [f.basicConstraints(true, 1), CA_USAGE] } } },
  { name: 'path length 0 at the anchor', change: { anchor: { extensions: [f.basicConstraints(true, 0), CA_USAGE] } } },
  { name: 'path length 1 at the anchor', change: { anchor: { extensions: [f.basicConstraints(true, 1), CA_USAGE] } } },
  { name: 'the leaf is signed by another key', change: { leaf: { issuerKey: f.key('somebody') } } },
  { name: 'the CA is signed by another key', change: { ca: { issuerKey: f.key('somebody') } } },
  { name: 'the leaf names another issuer', change: { leaf: { issuer: 'O=Agree,CN=Nobody' } } },
  { name: 'the CA names another issuer', change: { ca: { issuer: 'O=Agree,CN=Nobody' } } },
  { name: 'names that differ in case and space', change: { ca: { issuer: 'O=AGREE,CN=  root ' } } },
  { name: 'an unknown extension', change: leafWith(f.ext(UNKNOWN, f.NULL)) },
  { name: 'an unknown critical extension of the leaf', change: leafWith(f.ext(UNKNOWN, f.NULL, true)) },
  { name: 'an unknown critical extension of the CA', change: caWith(f.ext(UNKNOWN, f.NULL, true)) },
  {
    name: 'key identifiers that fit',
    change: { leaf: {}, ca: { extensions: [...CA_EXTENSIONS, f.authorityKeyId('root')] } },
  },
  {
    name: 'key identifiers that contradict',
    change: { ca: { extensions: [...CA_EXTENSIONS, f.authorityKeyId('nobody')] } },
    differs:
      'RFC 5280 4.2.1.1: the identifier helps to find the issuer, whose key does verify; openssl passes over an issuer that it contradicts',
  },
  {
    name: 'critical FALSE written out',
    change: leafWith(f.seq(f.oid(UNKNOWN), Uint8Array.of(1, 1, 0), f.octets(f.NULL))),
    differs: 'X.690 11.5: DER leaves out defaults; openssl reads it',
  },
  { name: 'a leaf in version 1', change: { leaf: { version: 0, extensions: [] } } },
  { name: 'an empty subject', change: { leaf: { subject: '', extensions: [f.altNames('email:a@bank.example')] } } },
  { name: 'a negative serial number', change: { leaf: { serial: -5 } } },
  { name: 'DNS permitted, inside', change: named(f.nameConstraints(['dns:bank.example']), 'dns:a.bank.example') },
  {
    name: 'DNS permitted, the domain itself',
    change: named(f.nameConstraints(['dns:bank.example']), 'dns:bank.example'),
  },
  { name: 'DNS permitted, outside', change: named(f.nameConstraints(['dns:bank.example']), 'dns:evilbank.example') },
  { name: 'DNS excluded, inside', change: named(f.nameConstraints([], ['dns:bank.example']), 'dns:A.BANK.example') },
  { name: 'DNS excluded, outside', change: named(f.nameConstraints([], ['dns:bank.example']), 'dns:other.example') },
  { name: 'mailbox host, inside', change: named(f.nameConstraints(['email:bank.example']), 'email:ann@bank.example') },
  {
    name: 'mailbox host, below it',
    change: named(f.nameConstraints(['email:bank.example']), 'email:ann@a.bank.example'),
  },
  {
    name: 'mailbox domain, below it',
    change: named(f.nameConstraints(['email:.bank.example']), 'email:ann@a.bank.example'),
  },
  { name: 'one mailbox', change: named(f.nameConstraints(['email:ann@bank.example']), 'email:ann@bank.example') },
  { name: 'another mailbox', change: named(f.nameConstraints(['email:ann@bank.example']), 'email:eve@bank.example') },
  { name: 'URI host', change: named(f.nameConstraints(['uri:bank.example']), 'uri:https://bank.example/a') },
  { name: 'URI host, outside', change: named(f.nameConstraints(['uri:bank.example']), 'uri:https://a.bank.example/a') },
  { name: 'address, inside', change: named(f.nameConstraints(['ip:0a000000ff000000']), 'ip:0a010203') },
  { name: 'address, outside', change: named(f.nameConstraints(['ip:0a000000ff000000']), 'ip:0b010203') },
  { name: 'directory, inside', change: caWith(f.nameConstraints(['dir:O=Agree'])) },
  {
    name: 'directory, outside',
    change: { ...caWith(f.nameConstraints(['dir:O=Agree'])), leaf: { subject: 'O=Other,CN=Leaf' } },
  },
  {
    name: 'directory excluded',
    change: { ...caWith(f.nameConstraints([], ['dir:O=Other'])), leaf: { subject: 'O=Other,CN=Leaf' } },
  },
  {
    name: 'a mailbox in the subject, outside',
    change: {
      ...caWith(f.nameConstraints(['email:bank.example'])),
      leaf: { subject: 'O=Agree,emailAddress=eve@other.example' },
    },
  },
  {
    name: 'constraints on another form',
    change: named(f.nameConstraints(['dns:bank.example']), 'email:ann@other.example'),
  },
  {
    name: 'a constraint on a user principal name',
    change: named(f.nameConstraints(['upn:bank.example']), 'upn:ann@bank.example'),
  },
  {
    name: 'the demanded policy',
    change: { ...caWith(f.policies(P1)), ...leafWith(f.policies(P1)), policy: P1 },
    shallow: true,
  },
  {
    name: 'another policy',
    change: { ...caWith(f.policies(P1)), ...leafWith(f.policies(P1)), policy: P2 },
    shallow: true,
  },
  { name: 'the leaf lacks the policy', change: { ...caWith(f.policies(P1)), policy: P1 }, shallow: true },
  {
    name: 'a mapped policy',
    change: { ...caWith(f.policies(P1), f.mappings([P1, P2])), ...leafWith(f.policies(P2)), policy: P1 },
    shallow: true,
  },
  {
    name: 'a mapped policy, the other side',
    change: { ...caWith(f.policies(P1), f.mappings([P1, P2])), ...leafWith(f.policies(P2)), policy: P2 },
    shallow: true,
  },
  {
    name: 'anyPolicy of the CA',
    change: { ...caWith(f.policies('2.5.29.32.0')), ...leafWith(f.policies(P1)), policy: P1 },
    shallow: true,
  },
  {
    name: 'anyPolicy inhibited',
    change: { ...caWith(f.policies(P1), f.inhibitAny(0)), ...leafWith(f.policies('2.5.29.32.0')), policy: P1 },
    shallow: true,
  },
  { name: 'lists that do not name it', change: status({}) },
  { name: 'listed', change: status({ crl: listing() }) },
  { name: 'listed with a reason', change: status({ crl: listing({ reason: 1 }) }) },
  { name: 'on hold', change: status({ crl: listing({ reason: 6 }) }) },
  { name: 'another number listed', change: status({ crl: { entries: [{ serial: 101 }] } }) },
  { name: 'no list', change: status({ crl: null }) },
  { name: 'an expired list', change: status({ crl: { until: '2026-06-10T00:00:00Z' } }) },
  { name: 'a list of later', change: status({ crl: { from: '2026-06-20T00:00:00Z' } }) },
  {
    name: 'a list without nextUpdate',
    change: status({ crl: { until: null } }),
    differs: 'RFC 5280 5.1.2.5 requires nextUpdate, and without it age is undefined; openssl takes the list as current',
  },
  { name: 'a list signed by another key', change: status({ crl: { key: f.key('somebody') } }) },
  {
    name: 'a CA that may not sign lists',
    change: status({ ca: { extensions: [f.basicConstraints(true), f.keyUsage(5)] } }),
  },
  { name: 'a critical extension of the list', change: status({ crl: { extensions: [f.ext(UNKNOWN, f.NULL, true)] } }) },
  {
    name: 'a critical extension of an entry',
    change: status({ crl: { entries: [{ serial: 5, extensions: [f.ext(UNKNOWN, f.NULL, true)] }] } }),
  },
  { name: 'a list for CAs only', change: status({ crl: { extensions: [f.issuingPoint({ cas: true })] } }) },
  { name: 'a list for users only', change: status({ crl: { extensions: [f.issuingPoint({ users: true })] } }) },
  {
    name: 'a list for attribute certificates',
    change: status({ crl: { extensions: [f.issuingPoint({ attributes: true })] } }),
  },
  { name: 'a list for some reasons', change: status({ crl: { extensions: [f.issuingPoint({ reasons: [1, 2] })] } }) },
  {
    name: 'its distribution point',
    change: status({
      ...leafWith(f.distributionPoints(f.point(['uri:http://c.example/1']))),
      crl: { extensions: [f.issuingPoint({ names: ['uri:http://c.example/1'] })] },
    }),
  },
  {
    name: 'another distribution point',
    change: status({
      ...leafWith(f.distributionPoints(f.point(['uri:http://c.example/1']))),
      crl: { extensions: [f.issuingPoint({ names: ['uri:http://c.example/2'] })] },
    }),
  },
  {
    name: 'a delta that adds',
    change: status({
      ...leafWith(f.ext('2.5.29.46', f.seq(f.point(['uri:http://c.example/d'])))),
      moreCrls: [{ number: 2, base: 1, ...listing() }],
    }),
  },
  {
    name: 'a delta that adds nothing',
    change: status({
      ...leafWith(f.ext('2.5.29.46', f.seq(f.point(['uri:http://c.example/d'])))),
      moreCrls: [{ number: 2, base: 1 }],
    }),
  },
  {
    name: 'a delta that releases a hold',
    change: status({
      ...leafWith(f.ext('2.5.29.46', f.seq(f.point(['uri:http://c.example/d'])))),
      crl: listing({ reason: 6 }),
      moreCrls: [{ number: 2, base: 1, ...listing({ reason: 8 }) }],
    }),
  },
  {
    name: 'revoked in an old list, gone in the new',
    change: status({
      crl: { number: 1, from: '2026-06-02T00:00:00Z', ...listing({ reason: 1 }) },
      moreCrls: [{ number: 2, from: '2026-06-10T00:00:00Z' }],
    }),
    differs: 'a listing that is no hold is final here (approver-identity 14.3 rule 4); openssl asks the best list only',
  },
  {
    name: 'removeFromCRL in a complete list',
    change: status({ crl: { entries: [{ serial: 5, reason: 8 }] } }),
    differs:
      'RFC 5280 5.3.1: removeFromCRL stands in deltas only, so the list is not usable; openssl passes over the entry',
  },
];

/** Pairs of changes that are tried at once. */
const PAIRS = process.env['AUDIT_FUZZ'] === undefined ? 100 : 1000;

describe.skipIf(!available)('agreement with openssl verify (skipped when openssl 3 is missing)', () => {
  let count = 0;
  for (const { name, change, differs, shallow } of SCENARIOS)
    it(differs === undefined ? name : `${name}: differs, ${differs}`, () => {
      const disagreements: string[] = [];
      for (const depth of [1, 2] as const) {
        if (depth === 2 && shallow === true) continue;
        for (const keys of depth === 1
          ? (['p256', 'rsa', KINDS[(name.length % 4) + 1] as KeyKind] as const)
          : (['p256', 'pss'] as const)) {
          count++;
          const chain: Chain = { depth, keys, ...change };
          const material = materialise(chain);
          const [us, them] = [ours(chain, material), theirs(chain, material)];
          if ((us === 'ok') !== (them === 'ok'))
            disagreements.push(`depth ${depth}, ${keys}: here ${us}, openssl ${them}`);
        }
      }
      if (differs === undefined) expect(disagreements).toEqual([]);
      else expect(disagreements.length).toBeGreaterThan(0);
    });

  it('two changes at once, on different parts of the chain', { timeout: 600_000 }, () => {
    const pairs = SCENARIOS.flatMap((a, i) => SCENARIOS.slice(i + 1).map((b) => [a, b] as const)).filter(
      ([a, b]) =>
        a.differs === undefined &&
        b.differs === undefined &&
        Object.keys(a.change).every((part) => part === 'status' || !(part in b.change)) &&
        // A delta beside a complete list of another scope: its listing is final here, and openssl does not apply it.
        !('crl' in { ...a.change, ...b.change } && 'moreCrls' in { ...a.change, ...b.change }),
    );
    const step = Math.max(1, Math.floor(pairs.length / PAIRS));
    for (const [i, [a, b]] of pairs.entries()) {
      if (i % step !== 0) continue;
      count++;
      const shallow = a.shallow === true || b.shallow === true;
      const chain: Chain = { depth: shallow || i % 2 === 0 ? 1 : 2, keys: 'p256', ...a.change, ...b.change };
      const material = materialise(chain);
      const [us, them] = [ours(chain, material), theirs(chain, material)];
      expect(us === 'ok', `${a.name} + ${b.name}: here ${us}, openssl ${them}`).toBe(them === 'ok');
    }
  });

  it('was asked of at least 300 chains', () => {
    expect(count).toBeGreaterThanOrEqual(300);
  });
});

const CA = 'O=Agree,CN=CA';
const [root, ca, other, tsa] = ['root', 'ca', 'other', 'tsa'].map((seed) => f.key(seed)) as [
  f.Key,
  f.Key,
  f.Key,
  f.Key,
];
const rootDer = f.certificate({
  subject: 'O=Agree,CN=Root',
  issuer: 'O=Agree,CN=Root',
  key: root,
  issuerKey: root,
  until: '2036-01-01T00:00:00Z',
  extensions: CA_EXTENSIONS,
});
const caDer = f.certificate({
  subject: CA,
  issuer: 'O=Agree,CN=Root',
  key: ca,
  issuerKey: root,
  serial: 2,
  extensions: CA_EXTENSIONS,
});
const leafDer = f.certificate({
  subject: 'O=Agree,CN=Leaf',
  issuer: CA,
  key: f.key('leaf'),
  issuerKey: ca,
  serial: 100,
  extensions: [f.keyUsage(0)],
});

interface OcspScenario {
  readonly name: string;
  readonly response?: Partial<f.OcspRecipe>;
  readonly answer?: Partial<f.AnswerRecipe>;
  readonly differs?: string;
}

const responder = (
  extensions: readonly Uint8Array[],
  issuerKey = ca,
  change: Partial<f.CertificateRecipe> = {},
): Partial<f.OcspRecipe> => ({
  responder: 'O=Agree,CN=Responder',
  key: other,
  certificates: [
    f.certificate({
      subject: 'O=Agree,CN=Responder',
      issuer: CA,
      key: other,
      issuerKey,
      serial: 60,
      extensions,
      ...change,
    }),
  ],
});
const OCSP_SIGNING = f.extendedKeyUsage(['1.3.6.1.5.5.7.3.9']);
const NO_CHECK = f.ext('1.3.6.1.5.5.7.48.1.5', f.NULL);

const RESPONSES: readonly OcspScenario[] = [
  { name: 'good by the issuer' },
  {
    name: 'good with SHA-256 hashes',
    response: { hash: 'sha256' },
    differs: 'openssl compares the hash that its own request would use; here any hash of the certID counts',
  },
  { name: 'good, responder by key', response: { byKey: true } },
  { name: 'revoked', answer: { status: { revoked: '2026-05-01T00:00:00Z' } } },
  { name: 'revoked with a reason', answer: { status: { revoked: '2026-05-01T00:00:00Z', reason: 1 } } },
  { name: 'unknown', answer: { status: 'unknown' } },
  { name: 'about another certificate', answer: { serial: 7 } },
  { name: 'signed by another key', response: { key: other } },
  { name: 'a delegate', response: responder([OCSP_SIGNING, NO_CHECK]) },
  { name: 'a delegate without OCSPSigning', response: responder([f.keyUsage(0)]) },
  { name: 'a delegate of another CA', response: responder([OCSP_SIGNING, NO_CHECK], f.key('somebody')) },
  {
    name: 'a delegate that has expired',
    response: responder([OCSP_SIGNING, NO_CHECK], ca, { until: '2026-06-01T00:00:00Z' }),
  },
];

describe.skipIf(!available)('agreement with openssl ocsp (skipped when openssl 3 is missing)', () => {
  for (const { name, response, answer, differs } of RESPONSES)
    it(differs === undefined ? name : `${name}: differs, ${differs}`, () => {
      const der = f.ocsp({
        issuer: CA,
        issuerKey: ca,
        responder: CA,
        key: ca,
        answers: [{ serial: 100, status: 'good', ...answer }],
        ...response,
      });
      const at = instant(AT);
      const [leaf, issuer] = [must(parseCertificate(leafDer)), must(parseCertificate(caDer))];
      const path = buildPath(leaf, { pool: [issuer], anchors: [anchorOf(must(parseCertificate(rootDer)))] }, { at });
      if (path.anchor === undefined) throw new Error('no path');
      const [mine] = pathStatus(path.path, path.anchor, { crls: [], ocsp: [must(parseOcsp(der))], pool: [issuer] }, at);
      const run = spawnSync(
        'openssl',
        [
          ...[
            'ocsp',
            '-respin',
            put('r.der', der),
            '-issuer',
            put('ca.pem', certificatesPem([caDer])),
            '-cert',
            put('leaf.pem', certificatesPem([leafDer])),
          ],
          ...[
            '-CAfile',
            put('root.pem', certificatesPem([rootDer])),
            '-verify_other',
            join(folder, 'ca.pem'),
            '-attime',
            epoch(AT),
            '-no_nonce',
          ],
          // openssl judges the dates of answers by the clock of the machine.
          ...['-validity_period', '3000000000'],
        ],
        { encoding: 'utf8' },
      );
      const said = run.stdout + run.stderr;
      const verified = said.includes('Response verify OK');
      const them = verified ? (/leaf\.pem: (good|revoked|unknown)/.exec(said)?.[1] ?? 'unknown') : 'unknown';
      if (differs === undefined) expect(them, said).toBe(mine?.status);
      else expect(them, said).not.toBe(mine?.status);
    });
});

interface TokenScenario {
  readonly name: string;
  readonly change?: Partial<f.TokenRecipe>;
  readonly certificate?: Partial<f.CertificateRecipe>;
  readonly differs?: string;
}

const STAMPING = f.extendedKeyUsage(['1.3.6.1.5.5.7.3.8'], true);
const MESSAGE = new TextEncoder().encode('what is stamped\n');

const TOKENS: readonly TokenScenario[] = [
  { name: 'a plain token' },
  { name: 'imprint by SHA-384', change: { hash: 'sha384' } },
  { name: 'imprint by SHA-512', change: { hash: 'sha512' } },
  { name: 'over other bytes', change: { message: new TextEncoder().encode('other') } },
  { name: 'signed by another key', change: { key: other } },
  { name: 'another certificate named', change: { essOver: caDer } },
  { name: 'named by SHA-1', change: { ess: 'v1' } },
  { name: 'named by both', change: { ess: 'both' } },
  {
    name: 'no content type',
    change: { attributes: (all) => all.slice(1) },
    differs: 'RFC 5652 11.1: content-type stands among the signed attributes; openssl does not ask for it',
  },
  { name: 'no message digest', change: { attributes: (all) => [all[0], all[2]] as Uint8Array[] } },
  {
    name: 'a changed content',
    change: { contentAfter: (content) => Uint8Array.from(content, (byte, i) => (i === 8 ? byte ^ 1 : byte)) },
  },
  { name: 'injected certificates', change: { certificates: [leafDer, caDer] } },
  {
    name: 'not for time stamping',
    certificate: { extensions: [f.keyUsage(0), f.extendedKeyUsage(['1.3.6.1.5.5.7.3.4'], true)] },
  },
  {
    name: 'for more than time stamping',
    certificate: { extensions: [f.keyUsage(0), f.extendedKeyUsage(['1.3.6.1.5.5.7.3.8', '1.3.6.1.5.5.7.3.4'], true)] },
  },
  {
    name: 'its usage is not critical',
    certificate: { extensions: [f.keyUsage(0), f.extendedKeyUsage(['1.3.6.1.5.5.7.3.8'])] },
  },
  { name: 'a key that may not sign', certificate: { extensions: [f.keyUsage(2), STAMPING] } },
  { name: 'expired at the time', certificate: { until: '2026-06-01T00:00:00Z' } },
  { name: 'issued by somebody else', certificate: { issuerKey: f.key('somebody') } },
  { name: 'no accuracy', change: { accuracy: null } },
  { name: 'two signers', change: { signers: 2 } },
];

describe.skipIf(!available)('agreement with openssl ts -verify (skipped when openssl 3 is missing)', () => {
  for (const { name, change, certificate, differs } of TOKENS)
    it(differs === undefined ? name : `${name}: differs, ${differs}`, () => {
      const own = f.certificate({
        subject: 'O=Agree,CN=TSA',
        issuer: CA,
        key: tsa,
        issuerKey: ca,
        serial: 200,
        extensions: [f.keyUsage(0), STAMPING],
        ...certificate,
      });
      const injected = change?.certificates === undefined ? {} : { certificates: [own, ...change.certificates] };
      const der = f.token({
        message: MESSAGE,
        certificate: own,
        key: tsa,
        issuer: CA,
        serial: 200,
        ...change,
        ...injected,
      });
      const read = parseTimestamp(der);
      const judged =
        read.value?.token === undefined
          ? undefined
          : judgeTimestamp(read.value.token, {
              stamped: MESSAGE,
              anchors: [anchorOf(must(parseCertificate(rootDer)))],
              pool: [must(parseCertificate(caDer))],
              crls: [],
              ocsp: [],
            });
      const us =
        judged?.signed === true &&
        judged.trusted === true &&
        judged.stamps === true &&
        !judged.findings.some((one) => one.class === 'not_verified');
      const run = spawnSync(
        'openssl',
        [
          'ts',
          '-verify',
          '-token_in',
          '-in',
          put('t.der', der),
          '-data',
          put('message', MESSAGE),
          '-CAfile',
          put('root.pem', certificatesPem([rootDer])),
          '-untrusted',
          put('ca.pem', certificatesPem([caDer])),
          '-attime',
          epoch(AT),
        ],
        { encoding: 'utf8' },
      );
      const them = run.status === 0 && `${run.stdout}${run.stderr}`.includes('Verification: OK');
      const why = `${JSON.stringify(judged?.findings.map(({ code }) => code) ?? read.finding?.message)} ${run.stderr}`;
      if (differs === undefined) expect(them, why).toBe(us);
      else expect(them, why).not.toBe(us);
    });
});
