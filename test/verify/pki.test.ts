/** Certificates, CRLs, OCSP responses and time-stamp tokens as inputs, with anchors in the trust file and a status archive beside them. */
import { describe, expect, it } from 'vitest';
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { type Instant, parseInstant } from '../../src/time/instant.ts';
import { readTrust } from '../../src/trust/read.ts';
import { detectKind } from '../../src/verify/kinds.ts';
import type { InputReport } from '../../src/verify/report.ts';
import { verify } from '../../src/verify/verify.ts';
import * as f from '../pki/forge.ts';

const AT = '2026-06-15T12:00:00Z';
const ROOT = 'O=Inputs,CN=Root';
const CA = 'O=Inputs,CN=CA';
const [root, ca, tsa, other] = ['root', 'ca', 'tsa', 'other'].map((seed) => f.key(seed)) as [
  f.Key,
  f.Key,
  f.Key,
  f.Key,
];
const EXTENSIONS = [f.basicConstraints(true), f.keyUsage(5, 6)];
const rootDer = f.certificate({
  subject: ROOT,
  issuer: ROOT,
  key: root,
  issuerKey: root,
  until: '2036-01-01T00:00:00Z',
  extensions: EXTENSIONS,
});
const caDer = f.certificate({ subject: CA, issuer: ROOT, key: ca, issuerKey: root, serial: 2, extensions: EXTENSIONS });
const leafDer = f.certificate({
  subject: 'O=Inputs,CN=Leaf',
  issuer: CA,
  key: f.key('leaf'),
  issuerKey: ca,
  serial: 100,
  extensions: [f.keyUsage(0)],
});
const rootCrl = f.crl({ issuer: ROOT, key: root, number: 1 });
const caCrl = f.crl({ issuer: CA, key: ca, number: 1 });
const revoking = f.crl({ issuer: CA, key: ca, number: 2, entries: [{ serial: 100, reason: 1 }] });
const ocspDer = f.ocsp({
  issuer: CA,
  issuerKey: ca,
  responder: CA,
  key: ca,
  answers: [{ serial: 100, status: 'good' }],
});
const message = utf8('a signed head\n');
const tsaDer = f.certificate({
  subject: 'O=Inputs,CN=TSA',
  issuer: CA,
  key: tsa,
  issuerKey: ca,
  serial: 200,
  extensions: [f.keyUsage(0), f.extendedKeyUsage(['1.3.6.1.5.5.7.3.8'], true)],
});
const token = f.token({ message, certificate: tsaDer, key: tsa, issuer: CA, serial: 200, nonce: 9 });

async function trustOf(anchors: unknown): Promise<Awaited<ReturnType<typeof readTrust>>['trust']> {
  const read = await readTrust([
    { name: 'trust.json', bytes: utf8(JSON.stringify({ format: 'audit.trust.v1', anchors })) },
  ]);
  expect(read.findings).toEqual([]);
  return read.trust;
}

interface Given {
  readonly anchors?: unknown;
  readonly beside?: readonly Uint8Array[];
  readonly at?: string | null;
  readonly require?: readonly string[];
}

async function judge(bytes: Uint8Array, given: Given = {}): Promise<InputReport> {
  const at = given.at === null ? undefined : (parseInstant(given.at ?? AT) as Instant);
  const report = await verify([{ path: 'input', source: memorySource(bytes) }], {
    trust: await trustOf(given.anchors ?? [base64(rootDer)]),
    ...(at === undefined ? {} : { at }),
    ...(given.require === undefined ? {} : { require: given.require }),
    companions: (given.beside ?? []).map((some, i) => ({ path: `beside ${i}`, source: memorySource(some) })),
  });
  const [one] = report.inputs as [InputReport];
  // Law 4: what stays open says what is missing, and nothing else does.
  const open = one.claims.filter(({ verdict }) => verdict === 'undecided').map(({ claim }) => claim);
  expect(new Set(one.missing.map(({ claim }) => claim))).toEqual(new Set(open));
  return one;
}

const verdicts = (report: InputReport): unknown =>
  Object.fromEntries(report.claims.map(({ claim, verdict }) => [claim, verdict]));
const codes = (report: InputReport): readonly string[] => report.findings.map(({ code }) => code);
const pem = (...ders: readonly Uint8Array[]): Uint8Array => utf8(ders.map((der) => f.pem('CERTIFICATE', der)).join(''));

describe('detection by content', () => {
  const INPUTS = [
    ['certificate', leafDer],
    ['certificate', f.certificate({ subject: ROOT, issuer: ROOT, key: root, issuerKey: root, version: 0 })],
    ['certificate', pem(leafDer)],
    [
      'certificate',
      utf8(`a key and its certificate\n${f.pem('PRIVATE KEY', message)}${f.pem('CERTIFICATE', leafDer)}`),
    ],
    ['crl', caCrl],
    ['crl', f.crl({ issuer: CA, key: ca, version: 0 })],
    ['crl', utf8(f.pem('X509 CRL', caCrl))],
    ['ocsp', ocspDer],
    ['timestamp', token],
    ['timestamp', f.response(0, token)],
    ['timestamp', f.response(2, undefined, 'no')],
  ] as const;
  for (const [i, [kind, bytes]] of INPUTS.entries())
    it(`input ${i + 1} is seen as ${kind}`, async () => {
      expect((await detectKind({ path: 'any', source: memorySource(bytes) }))?.kind).toBe(kind);
    });

  it('text that begins like DER, a request and a key are none of them', async () => {
    for (const bytes of [
      utf8('0123456789'),
      f.request(message, 1),
      f.key('root').spki,
      utf8('-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n'),
    ]) {
      const kind = (await detectKind({ path: 'any', source: memorySource(bytes) }))?.kind;
      expect(['certificate', 'crl', 'ocsp', 'timestamp']).not.toContain(kind);
    }
  });
});

describe('lists from after a time stamp', () => {
  const holding = (from: string, until: string) =>
    f.crl({ issuer: CA, key: ca, number: 7, from, until, entries: [{ serial: 200, reason: 6 }] });

  it('that date a hold before it are not hidden by others beside them', async () => {
    const held = holding('2026-07-01T00:00:00Z', '2026-07-08T00:00:00Z');
    const around = ['2026-06-20T00:00:00Z', '2026-11-01T00:00:00Z'].map((from) =>
      f.crl({ issuer: 'CN=Somebody', key: other, from, until: '2026-12-01T00:00:00Z' }),
    );
    const beside = [caDer, rootDer, rootCrl, message];
    expect(await judge(token, { beside: [...beside, held] })).toMatchObject({ result: 'not_verified' });
    expect(await judge(token, { beside: [...beside, ...around, held] })).toMatchObject({ result: 'not_verified' });
  });

  it('say nothing of a certificate that had expired by then', async () => {
    const late = [
      f.crl({ issuer: CA, key: ca, number: 9, from: '2027-06-01T00:00:00Z', until: '2027-07-01T00:00:00Z' }),
      f.crl({ issuer: ROOT, key: root, number: 9, from: '2027-06-01T00:00:00Z', until: '2027-07-01T00:00:00Z' }),
    ];
    const report = await judge(token, { beside: [caDer, message, ...late] });
    expect(verdicts(report)).toMatchObject({ authorship: 'verified', status: 'undecided' });
  });
});

describe('a certificate as input', () => {
  it('has a path; its status stays open without lists, and is said to', async () => {
    const report = await judge(leafDer, { beside: [caDer] });
    expect(report).toMatchObject({
      kind: 'certificate',
      result: 'verified',
      required: ['path'],
      subject: { serial: '64', depth: 2 },
    });
    expect(verdicts(report)).toEqual({ path: 'verified', status: 'undecided' });
    expect(report.missing.map(({ claim }) => claim)).toEqual(['status', 'status']);
    expect(report.not_supplied[0]).toContain('CRLs');
    expect(await judge(leafDer, { beside: [caDer], require: ['path', 'status'] })).toMatchObject({
      result: 'no_verdict',
    });
  });

  it('has its whole status with the lists of every issuer, until the first of them ends', async () => {
    const report = await judge(pem(leafDer, caDer), { beside: [rootCrl, caCrl], require: ['path', 'status'] });
    expect(report).toMatchObject({ result: 'verified', counts: { certificates: 2, crls: 2 } });
    expect(verdicts(report)).toEqual({ path: 'verified', status: 'verified' });
    expect(report.claims.map((claim) => claim.reproducible_until)).toEqual([
      '2027-01-01T00:00:00Z',
      '2026-07-01T00:00:00Z',
    ]);
    const byOcsp = await judge(pem(leafDer, caDer), { beside: [rootCrl, ocspDer] });
    expect(verdicts(byOcsp)).toEqual({ path: 'verified', status: 'verified' });
  });

  it('that is revoked fails, required or not, and removing the list never makes its status better', async () => {
    const report = await judge(leafDer, { beside: [caDer, rootCrl, revoking] });
    expect(report).toMatchObject({ result: 'not_verified' });
    expect(verdicts(report)).toEqual({ path: 'verified', status: 'failed' });
    expect(codes(report)).toContain('pki/revoked');
    expect(verdicts(await judge(leafDer, { beside: [caDer, rootCrl] }))).toEqual({
      path: 'verified',
      status: 'undecided',
    });
  });

  it('speaks as openssl does: number, depth, words', async () => {
    const expired = await judge(leafDer, { beside: [caDer], at: '2027-06-01T00:00:00Z' });
    expect(expired.claims[0]?.detail).toBe(
      'error 10 at 1 depth lookup: certificate has expired; error 10 at 0 depth lookup: certificate has expired',
    );
    const lost = await judge(leafDer);
    expect(lost).toMatchObject({ result: 'no_verdict' });
    expect(lost.claims[0]?.detail).toBe('error 20 at 0 depth lookup: unable to get local issuer certificate');
    const self = await judge(f.certificate({ subject: 'CN=Me', issuer: 'CN=Me', key: other, issuerKey: other }));
    expect(self.claims[0]?.detail).toBe('error 18 at 0 depth lookup: self-signed certificate');
  });

  it('without an instant is not judged as valid', async () => {
    const report = await judge(leafDer, { beside: [caDer], at: null });
    expect(report).toMatchObject({ result: 'no_verdict' });
    expect(codes(report)).toEqual(['pki/no-instant']);
  });

  it('that is itself an anchor says so, and has no status', async () => {
    const report = await judge(rootDer);
    expect(verdicts(report)).toEqual({ path: 'verified', status: 'undecided' });
    expect(report.claims[0]?.detail).toContain('itself a trust anchor');
  });

  it('anchors are taken as base64, as PEM, and as objects; one that does not read makes nothing verified', async () => {
    for (const anchors of [[f.pem('CERTIFICATE', rootDer)], [{ certificate: base64(rootDer), about: 'root' }]])
      expect(await judge(leafDer, { anchors, beside: [caDer] })).toMatchObject({ result: 'verified' });
    for (const anchors of [['not base64!'], [{}], [base64(leafDer.subarray(1))]])
      expect(await judge(leafDer, { anchors, beside: [caDer] })).toMatchObject({ result: 'unusable_input' });
  });

  it('a companion that does not read is said and is as good as absent', async () => {
    const report = await judge(leafDer, { beside: [caDer, caCrl.subarray(0, 100)] });
    expect(report.result).toBe('verified');
    expect(report.findings.find(({ code }) => code === 'pki/not-der')).toMatchObject({
      class: 'none',
      where: { part: 'beside 1' },
    });
  });

  it('that is cut off is unusable', async () => {
    const report = await judge(leafDer.subarray(0, 200));
    expect(report).toMatchObject({ kind: 'certificate', result: 'unusable_input' });
    expect(codes(report)).toEqual(['pki/not-der']);
  });
});

describe('a CRL as input', () => {
  it('is authentic under its CA, current at the instant, and its entries are counted', async () => {
    const report = await judge(revoking, { beside: [caDer] });
    expect(report).toMatchObject({ kind: 'crl', result: 'verified', counts: { entries: 1 }, subject: { number: '2' } });
    expect(verdicts(report)).toEqual({ authorship: 'verified', current: 'verified', entries: 'verified' });
  });

  it('without its CA is undecided, under another key fails, late is not current', async () => {
    expect(verdicts(await judge(caCrl))).toMatchObject({ authorship: 'undecided', current: 'undecided' });
    for (const bytes of [caCrl, ocspDer])
      expect(verdicts(await judge(bytes, { beside: [caDer], at: null }))).toMatchObject({
        authorship: 'undecided',
        current: 'undecided',
      });
    expect(await judge(f.crl({ issuer: CA, key: other }), { beside: [caDer] })).toMatchObject({
      result: 'not_verified',
    });
    const late = await judge(caCrl, { beside: [caDer], at: '2026-08-01T00:00:00Z' });
    expect(late).toMatchObject({ result: 'verified' });
    expect(verdicts(late)).toMatchObject({ authorship: 'verified', current: 'undecided' });
    expect(codes(late)).toContain('pki/crl-stale');
  });

  it('series are held against the lists beside it', async () => {
    const report = await judge(f.crl({ issuer: CA, key: ca, number: 5 }), { beside: [caDer, caCrl] });
    expect(codes(report)).toContain('pki/crl-series-gap');
  });
});

describe('an OCSP response as input', () => {
  it('is authentic when the issuer of its answers signed it', async () => {
    const report = await judge(ocspDer, { beside: [caDer] });
    expect(report).toMatchObject({ kind: 'ocsp', result: 'verified', counts: { responses: 1 } });
    expect(verdicts(report)).toEqual({ authorship: 'verified', current: 'verified' });
    expect(report.claims[0]?.detail).toBe('serial 64 good');
  });

  it('without the issuer is undecided, by another key fails, an error says nothing', async () => {
    expect(await judge(ocspDer)).toMatchObject({ result: 'no_verdict' });
    const forged = f.ocsp({
      issuer: CA,
      issuerKey: ca,
      responder: CA,
      key: other,
      answers: [{ serial: 100, status: 'good' }],
    });
    const report = await judge(forged, { beside: [caDer] });
    expect(report).toMatchObject({ result: 'not_verified' });
    expect(codes(report)).toEqual(['pki/ocsp-signature']);
    expect(await judge(f.seq(f.tlv(0x0a, Uint8Array.of(3))), { beside: [caDer] })).toMatchObject({
      result: 'no_verdict',
    });
  });
});

describe('a time-stamp token as input', () => {
  it('stamps the companion with its hash; the time is the word of the authority', async () => {
    const report = await judge(token, { beside: [caDer, message, rootCrl, caCrl] });
    expect(report).toMatchObject({
      kind: 'timestamp',
      result: 'verified',
      subject: { gen_time: '2026-06-15T12:00:00Z', nonce: '9' },
    });
    expect(verdicts(report)).toEqual({
      authorship: 'verified',
      imprint: 'verified',
      time: 'undecided',
      status: 'verified',
    });
    expect(report.claims[2]).toMatchObject({ grade: 'asserted' });
  });

  it('without the stamped bytes proves nothing about any', async () => {
    const report = await judge(token, { beside: [caDer] });
    expect(report).toMatchObject({ result: 'no_verdict' });
    expect(verdicts(report)).toEqual({
      authorship: 'verified',
      imprint: 'undecided',
      time: 'undecided',
      status: 'undecided',
    });
  });

  it('is held against the nonce of a request for the same bytes', async () => {
    expect(await judge(token, { beside: [caDer, message, f.request(message, 9)] })).toMatchObject({
      result: 'verified',
    });
    const report = await judge(token, { beside: [caDer, message, f.request(message, 8)] });
    expect(report).toMatchObject({ result: 'not_verified' });
    expect(codes(report)).toContain('pki/token-nonce');
  });

  it('a refusal is no token, and BER is called BER', async () => {
    expect(codes(await judge(f.response(2, undefined, 'no')))).toEqual(['pki/token-refused']);
    const ber = f.concat(Uint8Array.of(0x30, 0x80), token.subarray(4), Uint8Array.of(0, 0));
    const report = await judge(ber);
    expect(report).toMatchObject({ kind: 'timestamp', result: 'unusable_input' });
    expect(report.findings[0]?.message).toContain('BER');
  });
});

describe('less supporting evidence never gives a better claim (law 1)', () => {
  const SUPPORT = [caDer, rootCrl, caCrl, ocspDer, message, f.request(message, 9)];
  const INPUTS = { certificate: leafDer, crl: caCrl, ocsp: ocspDer, timestamp: token };
  for (const [kind, bytes] of Object.entries(INPUTS))
    it(`${kind}: over every selection of what lies beside it, and without anchors`, async () => {
      const verified: ReadonlySet<string>[] = [];
      for (let mask = 0; mask < 1 << SUPPORT.length; mask++) {
        const beside = SUPPORT.filter((_, i) => (mask & (1 << i)) !== 0);
        const claims = async (anchors?: readonly string[]): Promise<ReadonlySet<string>> => {
          const report = await judge(bytes, { beside, ...(anchors === undefined ? {} : { anchors }) });
          expect(report.result).not.toBe('not_verified');
          return new Set(report.claims.filter(({ verdict }) => verdict === 'verified').map(({ claim }) => claim));
        };
        const all = await claims();
        verified.push(all);
        for (let i = 0; i < SUPPORT.length; i++)
          if ((mask & (1 << i)) !== 0)
            for (const claim of verified[mask & ~(1 << i)] ?? [])
              expect(all.has(claim), `${claim} without ${i}`).toBe(true);
        if (mask % 8 === 7)
          for (const claim of await claims([])) expect(all.has(claim), `${claim} without an anchor`).toBe(true);
      }
      expect(verified.at(-1)?.size).toBeGreaterThan(verified[0]?.size ?? 0);
    });
});
