/**
 * The case matrix of approver-identity 22, rows C, I, U, W, S, T, R, G, E, F, P and X01 to X06, as situations of the bank: the matrix test evaluates
 * them, and `vectors/make-identity.ts` writes them down.
 */
import { generateKeyPairSync } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { decisionBytesV3, decisionBytesV4 } from '../../src/approval/decision.ts';
import { utf8 } from '../../src/bytes/encoding.ts';
import { formatInstant } from '../../src/time/instant.ts';
import * as forge from '../pki/forge.ts';
import {
  caExtensions,
  crlOf,
  DECIDED,
  HEAD,
  headOf,
  ICA_NAME,
  ica,
  icaKey,
  type ListChange,
  leaf,
  leafKey,
  listedFrom,
  only,
  otherRootKey,
  ROOT_NAME,
  root,
  rootKey,
  type Situation,
  SUBJECT,
  series,
  spkiHash,
  tokenOver,
  tsa,
  tsaKey,
  when,
  without,
} from './bank.ts';

export interface Row {
  readonly id: string;
  readonly situation: Situation;
  /** As `inWords` says it. */
  readonly is: string;
  readonly e?: string;
  readonly a?: string;
  /** S of the leaf, where the least of the chain is ROOT's (15.5). */
  readonly leafS?: string;
  readonly window?: string;
  readonly notes?: readonly string[];
}

export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

const made: (() => Section)[] = [];
const section = (title: string, rows: () => readonly Row[]): void => {
  made.push(() => ({ title, rows: rows() }));
};

const row = (id: string, situation: Situation, is: string, more: Omit<Row, 'id' | 'situation' | 'is'> = {}): Row => ({
  id,
  situation,
  is,
  ...more,
});
const GOOD = 'prov after 13 12:00';
const audit = (at: string): Situation => ({ mode: 'audit', at });
const live = (at: string): Situation => ({ mode: 'live', at });
const exec = (at: string): Situation => ({ mode: 'exec', at });
const FINAL = 'logclock after 14 12:00';

const ROOT2 = 'O=Other,CN=ROOT2';
const root2 = () =>
  forge.certificate({
    subject: ROOT2,
    issuer: ROOT2,
    key: otherRootKey,
    issuerKey: otherRootKey,
    serial: 2,
    from: '2020-01-01T00:00:00Z',
    until: '2040-01-01T00:00:00Z',
    extensions: caExtensions(),
  });
const cross = (change: Partial<forge.CertificateRecipe> = {}) =>
  ica({ issuer: ROOT2, issuerKey: otherRootKey, serial: 8, ...change });
const twoRoots = { anchors: [spkiHash(rootKey), spkiHash(otherRootKey)] };
const crossed = (change: Partial<forge.CertificateRecipe> = {}, policy: object = {}): Situation => ({
  policy: { ...twoRoots, ...policy },
  anchors: [root(), root2()],
  intermediates: [ica(), cross(change)],
});

/** ICA replaced, in the decision and in the policy file. */
const withIca = (change: Partial<forge.CertificateRecipe>, policy: object = {}): Situation => {
  const der = ica(change);
  return { policy: { ...policy }, intermediates: [der], carried: [leaf(), der] };
};
const withLeaf = (der: Uint8Array, more: Situation = {}): Situation => ({ leaf: der, ...more });

/** The length of an ECDSA signature varies with its numbers: the padding and its contents are tried until the sum fits. */
function padded(size: number): Uint8Array {
  const pad = (n: number, fill: number) =>
    leaf({}, { pad: forge.ext('1.3.6.1.4.1.55555.9', forge.octets(new Uint8Array(n).fill(fill))) });
  const least = size - pad(15_000, 0).length + 15_000 - 2;
  for (let fill = 0; fill < 64; fill++)
    for (let n = least; n < least + 5; n++) {
      const der = pad(n, fill);
      if (der.length === size) return der;
    }
  throw new Error('no leaf of that size');
}

const weakIca = forge.key('identity ica 3');
const fiveCas = (): { carried: Uint8Array[]; pinned: Uint8Array[]; policy: Readonly<Record<string, unknown>> } => {
  const keys = [0, 1, 2, 3].map((i) => forge.key(`identity level ${i}`));
  const cas = keys.map((key, i) =>
    forge.certificate({
      subject: `CN=Level ${i}`,
      issuer: i === 0 ? ROOT_NAME : `CN=Level ${i - 1}`,
      key,
      issuerKey: i === 0 ? rootKey : (keys[i - 1] as forge.Key),
      serial: 100 + i,
      until: '2036-01-01T00:00:00Z',
      extensions: caExtensions(),
    }),
  );
  const last = keys[3] as forge.Key;
  const der = leaf({ issuer: 'CN=Level 3', issuerKey: last });
  return { carried: [der, ...[...cas].reverse()], pinned: cas, policy: { intermediates: keys.map(spkiHash) } };
};
const five = fiveCas();

const sha1Leaf = () => {
  const algorithm = forge.seq(forge.oid('1.2.840.10045.4.1'));
  return leaf({ algorithm });
};

section('22.1 certificates', () => [
  row('C01 baseline', {}, GOOD, { window: '24h0m0s', notes: [] }),
  row('C02 no chain', { carried: null }, 'no_cert'),
  row('C03 empty chain', { carried: [] }, 'no_cert'),
  row(
    'C04 nine certificates',
    { policy: { max_chain: 8 }, carried: [leaf(), ...Array.from({ length: 8 }, () => ica())] },
    'no_cert',
  ),
  row('C05 a leaf of 16384 bytes', withLeaf(padded(16_384)), GOOD),
  row('C05 a leaf of 16385 bytes', withLeaf(padded(16_385)), 'no_cert'),
  row('C06 a byte after the leaf', { carried: [forge.concat(leaf(), Uint8Array.of(0)), ica()] }, 'no_cert'),
  row(
    'C07 a leaf of indefinite length',
    { carried: [forge.concat(Uint8Array.of(0x30, 0x80), leaf().subarray(4), Uint8Array.of(0, 0)), ica()] },
    'no_cert',
  ),
  row(
    'C08 a v3 decision',
    {
      carried: null,
      alg: 'ed25519',
      signed: (subject) => decisionBytesV3(subject, { approver: 'alice', approved: true, decidedAt: DECIDED }),
    },
    'no_cert',
  ),
  row('C09 ICA under another root', withIca({ issuer: ROOT2, issuerKey: otherRootKey }), 'cert_chain'),
  row('C10 an intermediate that is not pinned', { policy: { intermediates: [] }, intermediates: [] }, 'cert_chain'),
  row('C11 two anchors', crossed(), 'cert_chain'),
  row('C12 the second path expired', crossed({ until: '2026-10-01T00:00:00Z' }), GOOD),
  row(
    'C13 the second root distrusted',
    crossed({}, { distrust: { [spkiHash(otherRootKey)]: '2026-10-01T00:00:00Z' } }),
    GOOD,
  ),
  row('C14 one root in two certificates', { anchors: [root(), root({ serial: 99 })] }, GOOD),
  row(
    'C15 five, carried',
    { leaf: five.carried[0] as Uint8Array, carried: five.carried, policy: five.policy },
    'no_cert',
  ),
  row(
    'C15 five, built',
    {
      leaf: five.carried[0] as Uint8Array,
      carried: [five.carried[0] as Uint8Array],
      intermediates: five.pinned,
      policy: five.policy,
    },
    'cert_chain',
  ),
  row(
    'C16 an intermediate that is no CA',
    withIca({ extensions: [forge.basicConstraints(false), forge.keyUsage(5, 6)] }),
    'cert_chain',
  ),
  row('C17 path length exceeded', pathLength(), 'cert_chain'),
  row(
    'C18 other names permitted',
    withIca({ extensions: [...caExtensions(), forge.nameConstraints(['email:other.example'])] }),
    'cert_chain',
  ),
  row('C19 name constraints required, none', { policy: { require_name_constraints: true } }, 'cert_chain'),
  row(
    'C19 name constraints required, there',
    withIca(
      { extensions: [...caExtensions(), forge.nameConstraints(['email:bank.example'])] },
      { require_name_constraints: true },
    ),
    GOOD,
  ),
  row('C20 ICA expires between D and A', withIca({ until: '2026-10-13T09:00:10Z' }), 'cert_chain'),
  row('C21 the certificate of ROOT expired', { anchors: [root({ until: '2025-01-01T00:00:00Z' })] }, GOOD),
  row(
    'C22 ICA distrusted at A',
    { policy: { distrust: { [spkiHash(icaKey)]: '2026-10-13T09:00:30Z' } } },
    'cert_chain',
  ),
  row('C22 ICA distrusted after A', { policy: { distrust: { [spkiHash(icaKey)]: '2026-10-13T09:00:31Z' } } }, GOOD),
  row('C22 ICA distrusted always', { policy: { distrust: { [spkiHash(icaKey)]: '' } } }, 'cert_chain'),
  row(
    'C23 an unknown critical extension',
    withLeaf(leaf({}, { more: forge.ext('1.3.6.1.4.1.55555.7', forge.NULL, true) })),
    'cert_chain',
  ),
  row('C24 the leaf has the key of an anchor', withLeaf(leaf({ key: rootKey }), { signer: rootKey }), 'cert_chain'),
  row('C25 an extra certificate', { carried: [leaf(), ica(), ica({ key: weakIca, subject: 'CN=Extra' })] }, GOOD, {
    notes: ['chain-extra-certificate'],
  }),
  row('C26 SHA-1', withLeaf(sha1Leaf()), 'cert_chain'),
  row('C27 the leaf only', { carried: [leaf()] }, GOOD),
]);

function pathLength(): Situation {
  const sub = forge.key('identity sub ca');
  const top = ica({ extensions: caExtensions(0) });
  const below = forge.certificate({
    subject: 'CN=Sub',
    issuer: ICA_NAME,
    key: sub,
    issuerKey: icaKey,
    serial: 20,
    until: '2036-01-01T00:00:00Z',
    extensions: caExtensions(),
  });
  const der = leaf({ issuer: 'CN=Sub', issuerKey: sub });
  return {
    leaf: der,
    carried: [der, below, top],
    intermediates: [top, below],
    policy: { intermediates: [spkiHash(icaKey), spkiHash(sub)] },
  };
}

const named = (...names: readonly string[]) =>
  withLeaf(leaf({}, { names: names.length === 0 ? undefined : forge.altNames(...names) }));

section('22.2 identity', () => [
  row(
    'I01 in the subject only',
    withLeaf(leaf({ subject: 'CN=Alice,emailAddress=alice@bank.example' }, { names: undefined })),
    'cert_identity',
  ),
  row(
    'I02 a mail address and a URI',
    named('email:alice@bank.example', 'uri:https://bank.example/alice'),
    'cert_identity',
  ),
  row('I03 the same address twice', named('email:alice@bank.example', 'email:alice@bank.example'), 'cert_identity'),
  row('I04 a URI only', named('uri:https://bank.example/alice'), 'cert_identity'),
  row('I05 somebody else', named('email:bob@bank.example'), 'cert_identity'),
  row('I06 other letter case', named('email:Alice@BANK.example'), GOOD),
  row('I07 a look-alike', named('email:аlice@bank.example'), 'cert_identity'),
  row('I08 a NUL', named('email:alice@bank.example\0.evil'), 'cert_identity'),
  row(
    'I09 another address in the subject',
    withLeaf(leaf({ subject: 'CN=Alice,emailAddress=eve@bank.example' })),
    'cert_identity',
  ),
  row(
    'I09 the same address in the subject',
    withLeaf(leaf({ subject: 'CN=Alice,emailAddress=Alice@bank.example' })),
    GOOD,
  ),
  row('I10 a dot at the end', named('email:alice@bank.example.'), 'cert_identity'),
  row(
    'a principal name',
    { ...named('upn:alice@bank'), policy: { id_kind: 'upn', canonical: 'upn-ascii/v1' }, identifier: 'alice@bank' },
    GOOD,
  ),
  row(
    'a URI',
    {
      ...named('uri:HTTPS://Bank.example/Alice'),
      policy: { id_kind: 'uri', canonical: 'uri-ascii/v1' },
      identifier: 'https://bank.example/Alice',
    },
    GOOD,
  ),
  row('no canonicaliser', { policy: { canonical: 'email/v9' } }, 'not evaluated', {
    notes: ['canonicaliser-unknown'],
  }),
]);

const pems = new Map<number, forge.Key>();
function rsa(bits: number): forge.Key {
  const known = pems.get(bits) ?? forge.rsaKey(generateKeyPairSync('rsa', { modulusLength: bits }).privateKey);
  pems.set(bits, known);
  return known;
}
const keyed = (key: forge.Key, more: Situation = {}): Situation => withLeaf(leaf({ key }), { signer: key, ...more });
const k256: forge.Key = {
  spki: forge.seq(
    forge.seq(forge.oid('1.2.840.10045.2.1'), forge.oid('1.3.132.0.10')),
    forge.bits(secp256k1.getPublicKey(new Uint8Array(32).fill(7), false)),
  ),
  algorithm: leafKey.algorithm,
  sign: (message) => leafKey.sign(message),
};
const usage = (...bits: readonly number[]) =>
  withLeaf(leaf({}, { usage: bits.length === 0 ? undefined : forge.keyUsage(...bits) }));
const purpose = (...oids: readonly string[]) =>
  withLeaf(leaf({}, { purpose: oids.length === 0 ? undefined : forge.extendedKeyUsage(oids) }));
const EMAIL = '1.3.6.1.5.5.7.3.4';
const ANY = '2.5.29.32.0';

section('22.3 usage, window, signature', () => [
  row('U01 keyEncipherment only', usage(2), 'cert_usage'),
  row('U01 nonRepudiation only', usage(1), GOOD),
  row('U01 no key usage', usage(), 'cert_usage'),
  row('U01 also keyCertSign', usage(0, 5), 'cert_usage'),
  row('U02 no extended key usage', purpose(), 'cert_usage'),
  row('U02 any extended key usage', purpose('2.5.29.37.0'), 'cert_usage'),
  row('U03 mail protection, not allowed', purpose(EMAIL), 'cert_usage'),
  row('U03 mail protection, allowed', { ...purpose(EMAIL), policy: { allow_email_protection_eku: true } }, GOOD),
  row('U04 no policy', withLeaf(leaf({}, { policies: undefined })), 'cert_usage'),
  row('U04 any policy', withLeaf(leaf({}, { policies: forge.policies(ANY) })), 'cert_usage'),
  row('U05 policies on CAs required, none', { policy: { require_policy_on_cas: true } }, 'cert_usage'),
  row(
    'U05 policies on CAs required, any',
    withIca({ extensions: [...caExtensions(), forge.policies(ANY)] }, { require_policy_on_cas: true }),
    GOOD,
  ),
  row('U06 a CA as leaf', withLeaf(leaf({}, { ca: forge.basicConstraints(true) })), 'cert_usage'),
  row('U07 RSA 2048 until 2030', keyed(rsa(2048)), GOOD),
  row('U07 RSA 2048 until A', keyed(rsa(2048), { policy: { rsa2048_until: '2026-10-13T09:00:30Z' } }), 'cert_usage'),
  row('U07 RSA 2048 without a date', keyed(rsa(2048), { policy: { rsa2048_until: '' } }), 'cert_usage'),
  row('U07 RSA 3072 without a date', keyed(rsa(3072), { policy: { rsa2048_until: '' } }), GOOD),
  row('U08 RSA 1024', keyed(rsa(1024)), 'cert_usage'),
  row('U08 secp256k1', keyed(k256), 'cert_usage'),
  row('U08 P-384', keyed(forge.key('identity alice', 'p384')), GOOD),
  row('U08 P-521', keyed(forge.key('identity alice', 'p521')), GOOD),
  row('U08 Ed25519', keyed(forge.key('identity alice', 'ed25519')), GOOD),
  row(
    'U09 the longest lifetime',
    withLeaf(leaf({ from: '2026-01-01T00:00:00Z', until: '2027-01-02T01:00:00Z' })),
    GOOD,
  ),
  row(
    'U09 a second longer',
    withLeaf(leaf({ from: '2026-01-01T00:00:00Z', until: '2027-01-02T01:00:01Z' })),
    'cert_usage',
  ),
  row(
    'U09 a second longer, read as a window',
    withLeaf(leaf({ from: '2026-01-01T00:00:00Z', until: '2027-01-02T01:00:01Z' }), {
      readings: { lifetime: 'window' },
    }),
    'cert_window',
  ),
  row(
    'U10 a CA for servers',
    withIca({ extensions: [...caExtensions(), forge.extendedKeyUsage(['1.3.6.1.5.5.7.3.1'])] }),
    'cert_usage',
  ),
  row('W01 notBefore within the skew', withLeaf(leaf({ from: '2026-10-13T09:01:30Z' })), GOOD),
  row('W01 notBefore outside', withLeaf(leaf({ from: '2026-10-13T09:02:31Z' })), 'cert_window'),
  row('W02 expired before D', withLeaf(leaf({ until: '2026-10-13T08:57:30Z' })), 'cert_window'),
  row(
    'W03 provable just after expiry',
    withLeaf(leaf({ until: '2026-10-13T08:56:30Z' }), { decidedAt: '2026-10-13T08:56:00.000Z' }),
    GOOD,
    { window: '0s', notes: ['anchored-after-expiry'] },
  ),
  row(
    'W04 the grace is too short',
    withLeaf(leaf({ until: '2026-10-13T08:56:30Z' }), {
      decidedAt: '2026-10-13T08:56:00.000Z',
      policy: { anchor_grace: '3m0s' },
    }),
    'cert_window',
  ),
  row('W05 decided after it was provable', { decidedAt: '2026-10-13T09:02:31.000Z' }, 'cert_window'),
  row('W05 within the skew', { decidedAt: '2026-10-13T09:02:30.000Z' }, GOOD),
  row(
    'W06 provable too late after D',
    withLeaf(leaf({ until: '2026-10-13T08:58:00Z' }), { decidedAt: '2026-10-13T08:50:00.000Z' }),
    'cert_window',
  ),
  row(
    'S01 signed as v3',
    { signed: (subject) => decisionBytesV3(subject, { approver: 'alice', approved: true, decidedAt: DECIDED }) },
    'bad_sig',
  ),
  row(
    'S02 another certificate of the key',
    {
      signed: (subject) =>
        decisionBytesV4(subject, { approver: 'alice', approved: true, decidedAt: DECIDED }, new Uint8Array(32)),
    },
    'bad_sig',
  ),
  row(
    'S03 other arguments',
    { subject: { ...SUBJECT, args: utf8('{"amount":"9500.00","iban":"DE00EXAMPLE"}') } },
    'bad_sig',
  ),
  row('S04 ed25519', { alg: 'ed25519' }, 'alg'),
  row('S04 ecdsa-p256', { alg: 'ecdsa-p256' }, 'alg'),
  row('S04 ecdsa-p256, read as the key of the leaf', { alg: 'ecdsa-p256', readings: { alg: 'leaf' } }, GOOD),
  row('S04 x509', { alg: 'x509' }, GOOD),
  row('RSA-PSS by the other reading', { ...keyed(pss()), readings: { rsa: 'pss' } }, GOOD),
  row('RSA-PSS by the rule', keyed(pss()), 'bad_sig'),
]);

function pss(): forge.Key {
  const secret = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  return forge.rsaKey(secret, true);
}

const receipt = (time: string): Situation => ({
  times: [
    { headHash: HEAD.hash, proof: { kind: 'anchor-receipt', receipt: utf8('receipt'), sha256: 'ab'.repeat(32) } },
  ],
  receipts: () => ({ ok: true, time: when(time), accuracy: 0n }),
});

section('22.4 time', () => [
  row('T01 the newest head is of size 11', { heads: [headOf(11, '09:00:30')] }, 'no_covering_head'),
  row('T02 two heads', { heads: [headOf(15, '09:00:40'), HEAD] }, GOOD, { a: '09:00:30' }),
  row('T03 two heads of one size', { heads: [headOf(12, '09:05:00'), HEAD] }, GOOD, { a: '09:00:30' }),
  row(
    'T03 the one that the record names',
    { heads: [headOf(12, '09:05:00'), HEAD], namedHead: headOf(12, '09:05:00').hash },
    GOOD,
    { a: '09:05:00' },
  ),
  row('T04 a larger head before', { heads: [HEAD, headOf(20, '09:00:27')] }, 'head_times'),
  row('T04 within the tolerance', { heads: [HEAD, headOf(20, '09:00:28')] }, GOOD),
  row('T05 a smaller head after', { heads: [HEAD, headOf(9, '09:00:33')] }, 'head_times'),
  row('T05 within the tolerance', { heads: [HEAD, headOf(9, '09:00:32')] }, GOOD),
  row('T06 other heads', { heads: [HEAD, headOf(15, '09:10:00'), headOf(20, '09:05:00')] }, GOOD, {
    notes: ['head-times-elsewhere'],
  }),
  row('T08 independent time asked for', { policy: { independent_time: true } }, 'no_covering_head'),
  row(
    'T08 read as a cap',
    { policy: { independent_time: true }, ...audit('14 13:00'), readings: { independent_time: 'cap' } },
    'prov after 14 12:00',
  ),
  row('T09 a token', { times: [tokenOver(HEAD, '09:01:30')], ...audit('14 13:00') }, 'independent after 14 12:00', {
    a: '09:01:31',
    notes: ['tsa-status-unknown'],
  }),
  row('T10 a later token', { times: [tokenOver(HEAD, '12:30')], ...live('13:00') }, 'prov before 13 12:00', {
    a: '12:30:01',
  }),
  row(
    'T11 a later token, audited',
    { times: [tokenOver(HEAD, '12:30')], ...audit('15 13:00') },
    'independent after 14 18:00',
  ),
  row('T12 a token over another head', { times: [tokenOver(headOf(20, '10:00'), '09:01:30', {}, HEAD)] }, GOOD, {
    a: '09:00:30',
  }),
  row(
    'T13 an authority whose purpose is not critical',
    { times: [tokenOver(HEAD, '09:01:30', { certificate: tsa(false) })] },
    GOOD,
    { a: '09:00:30' },
  ),
  row('T14 signed over the wrong encoding', { times: [tokenOver(HEAD, '09:01:30', { key: wrongEncoding() })] }, GOOD, {
    a: '09:00:30',
  }),
  row('T15 a receipt', { ...receipt('09:02:00'), ...audit('14 13:00') }, 'independent after 14 12:00', {
    a: '09:02:00',
  }),
  row('T16 a token before the head', { times: [tokenOver(HEAD, '08:59:00')] }, GOOD, {
    a: '08:59:01',
    notes: ['head-clock-ahead', 'tsa-status-unknown'],
  }),
  row(
    'T18 a token on a later head',
    { heads: [HEAD, headOf(15, '09:02:50')], times: [tokenOver(headOf(15, '09:02:50'), '09:03:00')] },
    GOOD,
    { a: '09:03:01', notes: ['time-from-later-head', 'tsa-status-unknown'] },
  ),
  row('T19 no accuracy', { times: [tokenOver(HEAD, '09:01:30', { accuracy: null })] }, GOOD, {
    a: '09:01:30',
    notes: ['tsa-accuracy-absent', 'tsa-status-unknown'],
  }),
  row(
    'T19 the default accuracy',
    { times: [tokenOver(HEAD, '09:01:30', { accuracy: null })], accuracy: 2_000_000_000n },
    GOOD,
    { a: '09:01:32' },
  ),
]);

function wrongEncoding(): forge.Key {
  // The attributes are signed as a SET; this key signs them as they are sent, under the tag [0].
  return { ...tsaKey, sign: (message) => tsaKey.sign(forge.retag(0xa0, message)) };
}

const kc = (date: string, more: Partial<forge.EntryRecipe> = {}) => ({ date: stampOf(date), reason: 1, ...more });
const code = (reason: number | undefined, date: string, invalidity?: string) => ({
  date: stampOf(date),
  ...(reason === undefined ? {} : { reason }),
  ...(invalidity === undefined ? {} : { invalidity: stampOf(invalidity) }),
});
const stampOf = (text: string) => formatInstant(when(text));
const holds = { policy: { allow_holds: true } };
const grace = { policy: { routine_grace: '5m0s' } };
const monthly = (last: 'october' | 'november'): Situation => {
  const lists = [
    { number: 1, from: '2026-10-01T00:00:00Z', until: '2026-11-02T00:00:00Z' },
    { number: 2, from: '2026-10-31T00:00:00Z', until: '2026-12-02T00:00:00Z' },
  ];
  return {
    policy: {
      ca_period_for: { [spkiHash(rootKey)]: '720h0m0s' },
      max_status_age_for: { [spkiHash(rootKey)]: '800h0m0s' },
    },
    root: (number) => (last === 'october' ? [lists[0]] : lists)[number - 996],
  };
};

section('22.5 revocation and status', () => [
  row('R01', live('09:01'), 'prov before 13 06:00'),
  row('R02', { ...live('09:01'), policy: { count_live: false } }, 'status_stale'),
  row('R03', { ...live('12:05'), policy: { count_live: false } }, GOOD),
  row('R04', audit('14 09:00'), 'prov after 14 06:00'),
  row('R05', audit('14 13:00'), FINAL),
  row(
    'R06',
    { ...audit('18 13:00'), crls: [...series('ica', undefined, 1022), ...series('root', undefined, 1022)] },
    FINAL,
  ),
  row(
    'R07',
    { ...live('09:05'), heads: [headOf(12, '05:59:30')], decidedAt: '2026-10-13T05:59:00.000Z' },
    'prov before 13 06:00',
  ),
  row(
    'R08',
    { ...live('09:05'), heads: [headOf(12, '05:59:00')], decidedAt: '2026-10-13T05:58:30.000Z' },
    'prov after 13 06:00',
  ),
  row('R09 the list is there', live('11:59:00'), GOOD),
  row('R09 a second before', live('11:58:59'), 'prov before 13 06:00'),
  row('R10 no list', { ...live('09:01'), ica: () => undefined }, 'status_unknown'),
  row('R10 a later list only', { ...live('09:01'), ica: only(1001) }, 'status_unknown'),
  row('R11 until nextUpdate', { ...live('18:00'), ica: only(1000) }, 'prov before 13 06:00'),
  row('R11 after nextUpdate', { ...live('18:01'), ica: only(1000) }, 'status_stale'),
  row('R12', { ...live('09:01'), policy: { max_status_age: '3h0m0s' } }, 'status_stale'),
  row('R13', { ...audit('20 00:00'), ica: only(1000) }, 'prov before 13 06:00'),
  row('R14', { ...audit('20 00:00'), ica: only(1000), policy: { count_live: false } }, 'status_stale'),
  row('R15', { ...audit('20 00:00'), ica: only(997) }, 'status_stale'),
  row('R16', { ...live('12:05'), ica: listedFrom(1001, kc('08:00')) }, 'revoked', { e: '08:00' }),
  row('R17 at A', { ica: listedFrom(1001, kc('09:00:30')) }, 'revoked', { e: '09:00:30' }),
  row('R17 after A', { ica: listedFrom(1001, kc('09:00:31')) }, GOOD, { notes: ['revoked-within-window'] }),
  row('R18', { ...audit('14 13:00'), ica: listedFrom(1003, code(1, '22:00', '07:00')) }, 'revoked', { e: '07:00' }),
  row('R19', { ica: listedFrom(1001, code(1, '08:00', '10:00')) }, 'revoked', { e: '08:00' }),
  row('R20', { ...audit('15 13:00'), ica: listedFrom(1003, kc('22:00')) }, 'prov after 14 12:00', {
    leafS: '15 12:00',
    notes: ['revoked-within-window'],
  }),
  row('R21', { ...audit('15 13:00'), ica: listedFrom(1003, code(1, '22:00', '20:00')) }, FINAL),
  row('R22', { ...audit('16 13:00'), ica: listedFrom(1007, kc('14 20:00')) }, FINAL),
  row('R23', { ...audit('15 13:00'), ica: listedFrom(1003, code(4, '22:00')) }, FINAL),
  row('R24', { ica: listedFrom(1001, code(4, '09:00:10')) }, 'revoked'),
  row('R25', { ...grace, ica: listedFrom(1001, code(4, '09:00:10')) }, GOOD),
  row('R26', { ...grace, ica: listedFrom(1001, code(4, '08:59:50')) }, 'revoked'),
  row('R27', { ...grace, ica: listedFrom(1001, code(1, '09:00:10')) }, 'revoked'),
  row('R28', { ...grace, ica: listedFrom(1001, code(4, '09:00:10', '08:00')) }, 'revoked', { e: '08:00' }),
  row('R29', { ...grace, ica: listedFrom(1001, code(undefined, '09:00:10')) }, 'revoked'),
  row('R30', { ica: listedFrom(1001, code(6, '08:00')) }, 'revoked', { e: '08:00' }),
  row('R31 holds not allowed', { ica: listedFrom(999, code(6, '12 23:00'), 999) }, 'revoked'),
  row('R31 holds allowed', { ...holds, ica: listedFrom(999, code(6, '12 23:00'), 999) }, GOOD),
  row('R32', { ...holds, ica: listedFrom(1000, code(6, '05:00')) }, 'revoked', { e: '05:00' }),
  row('R33', { ...holds, ...audit('14 13:00'), ica: listedFrom(1000, code(6, '05:00'), 1001) }, 'revoked', {
    e: '05:00',
  }),
  row('R34', { ...holds, ...audit('14 13:00'), ica: listedFrom(1002, code(6, '17:00'), 1002) }, FINAL),
  row(
    'R35',
    {
      ...holds,
      ica: (n) => (n === 1000 ? { entry: { serial: 77, ...code(6, '05:00') } } : listedFrom(1001, kc('11:00'))(n)),
    },
    'revoked',
    { e: '05:00' },
  ),
  row('R36', { ...audit('15 13:00'), ica: listedFrom(1002, kc('17:00'), 1002) }, 'prov after 14 12:00', {
    leafS: '15 12:00',
    notes: ['revocation-withdrawn', 'revoked-within-window'],
  }),
  row(
    'R37',
    { root: (n) => (n >= 1001 ? { entry: { serial: 7, date: stampOf('08:00'), reason: 2 } } : {}) },
    'revoked',
    { e: '08:00' },
  ),
  row('R38', { root: () => undefined }, 'status_unknown'),
  row('R39', { root: () => undefined, ica: listedFrom(1001, kc('08:00')) }, 'revoked'),
  row('R40', { ...monthly('october'), ...audit('14 13:00') }, 'prov before 01 00:00'),
  row('R41', { ...monthly('november'), mode: 'audit', at: '2026-11-01T00:00:00Z' }, FINAL),
  row('R42', { ...holds, ...audit('14 13:00'), ica: listedFrom(1002, code(6, '17:00')) }, 'prov after 14 12:00', {
    notes: ['held-within-window'],
  }),
  row('R43', { ...holds, ...audit('15 13:00'), ica: listedFrom(1002, code(6, '17:00'), 1006) }, FINAL, {
    leafS: '15 00:00',
  }),
  row(
    'R44',
    {
      ...audit('14 13:00'),
      ...withLeaf(leaf({ until: '2026-10-13T13:00:30Z' })),
      ica: listedFrom(1002, code(4, '12:30')),
    },
    'logclock after 13 18:00',
    { window: '4h0m0s' },
  ),
]);

const expiring = (until: string) => withLeaf(leaf({ until: stampOf(until) }));
const keeps = (since: string) => (): ListChange => ({ extensions: [forge.ext('2.5.29.60', forge.gtime(since))] });
const form = (...extensions: readonly Uint8Array[]) => ({ ica: (): ListChange => ({ extensions }) });

section('22.6 series, expiry, forms of lists', () => [
  row('G01', { ...audit('14 13:00'), ica: without(1002) }, 'prov after 14 12:00', { notes: ['series-gap'] }),
  row('G02', { ...audit('14 13:00'), ica: without(998, 999) }, FINAL),
  row('G03', { ...audit('14 13:00'), ica: without(1000) }, 'prov after 14 12:00', { notes: ['series-gap'] }),
  row('G04', { ...audit('15 13:00'), ica: without(1006) }, FINAL),
  row('G05 numbers jump', { ...audit('14 13:00'), ica: jump }, 'prov after 14 12:00', { notes: ['series-gap'] }),
  row('G05 numbers may jump', { ...audit('14 13:00'), ica: jump, policy: { consecutive_numbers: false } }, FINAL),
  row('G06', { ...audit('14 13:00'), ica: (n) => (n === 1004 ? { number: 1003 } : {}) }, 'prov after 14 12:00', {
    notes: ['crl-number-reused', 'series-gap'],
  }),
  row('G08', { policy: { w: '0s', min_w: '0s' } }, 'logclock after 13 12:00', { window: '0s' }),
  row('E01', { ...audit('14 13:00'), ...expiring('09:30:30') }, GOOD, { window: '30m0s' }),
  row('E02', { ...audit('14 13:00'), ...expiring('13:00:30') }, 'logclock after 13 18:00', { window: '4h0m0s' }),
  row('E03', { ...audit('14 13:00'), ...expiring('13:00:30'), ica: without(1002) }, GOOD, { window: '4h0m0s' }),
  row('E04', { ...audit('14 13:00'), ...expiring('13:00:30'), policy: { retained: true } }, FINAL, {
    window: '24h0m0s',
  }),
  row('E05', { ...audit('14 13:00'), ...expiring('13:00:30'), ica: keeps('2026-01-01T00:00:00Z') }, FINAL, {
    window: '24h0m0s',
  }),
  row(
    'E06',
    { ...audit('14 13:00'), ...expiring('13:00:30'), ica: keeps('2026-10-14T00:00:00Z') },
    'logclock after 13 18:00',
    { window: '4h0m0s' },
  ),
  row('F01', { ica: () => ({ key: forge.key('identity other') }) }, 'status_unknown'),
  row('F02', { ica: () => ({ base: 900 }) }, 'status_unknown'),
  row('F03 indirect', form(forge.issuingPoint({ indirect: true })), 'status_unknown'),
  row('F03 some reasons', form(forge.issuingPoint({ reasons: [1] })), 'status_unknown'),
  row('F03 attribute certificates', form(forge.issuingPoint({ attributes: true })), 'status_unknown'),
  row('F04 CA certificates only', form(forge.issuingPoint({ cas: true })), 'status_unknown'),
  row('F04 user certificates only', form(forge.issuingPoint({ users: true })), GOOD),
  row('F05 no nextUpdate', { ica: () => ({ until: null }) }, 'status_unknown'),
  row('F05 no number', { crls: [...unnumbered(), ...series('root')] }, 'status_unknown'),
  row(
    'F06',
    { ica: () => ({ entry: { serial: 5, extensions: [forge.ext('1.3.6.1.4.1.55555.8', forge.NULL, true)] } }) },
    'status_unknown',
  ),
  row('F07', { ica: () => ({ entry: { serial: 5, reason: 8 } }) }, 'status_unknown'),
  row('F08', withIca({ extensions: [forge.basicConstraints(true), forge.keyUsage(5)] }), 'status_unknown'),
  row('F09', form(forge.issuingPoint({ names: ['uri:http://crl.bank.example/2'] })), 'status_unknown'),
  row(
    'F09 the point of the leaf',
    {
      ...withLeaf(leaf({}, { points: forge.distributionPoints(forge.point(['uri:http://crl.bank.example/2'])) })),
      ...form(forge.issuingPoint({ names: ['uri:http://crl.bank.example/2'] })),
    },
    GOOD,
  ),
]);

function jump(n: number): ListChange {
  return n < 1003 ? {} : { number: n + 1 + (n - 1003) };
}

section('22.7 precedence and execution', () => [
  row('P01', { ...withIca({ issuer: ROOT2, issuerKey: otherRootKey }), heads: [] }, 'cert_chain'),
  row('P02', { heads: [], ica: listedFrom(1001, kc('08:00')) }, 'no_covering_head'),
  row('P03', { subject: { ...SUBJECT, call: 'call-2' }, ica: listedFrom(1001, kc('08:00')) }, 'bad_sig'),
  row(
    'P04',
    withLeaf(leaf({}, { names: forge.altNames('email:bob@bank.example'), usage: undefined })),
    'cert_identity',
  ),
  row(
    'P05',
    { ...withLeaf(leaf({ until: '2026-10-13T08:00:00Z' })), subject: { ...SUBJECT, call: 'call-2' } },
    'cert_window',
  ),
  row('P06', { heads: [HEAD, headOf(20, '09:00:00')], ica: () => undefined }, 'head_times'),
  row('X01', exec('15:00'), GOOD),
  row('X02', { ...exec('17:00') }, 'status_stale'),
  row(
    'X03',
    { ...exec('17:00'), policy: { ca_overlap_for: { [spkiHash(icaKey)]: '1h0m0s', [spkiHash(rootKey)]: '1h0m0s' } } },
    GOOD,
    { notes: ['exec-status-overlap'] },
  ),
  row(
    'X04',
    {
      ...exec('19:30'),
      ica: (n) => (n <= 1001 ? {} : undefined),
      policy: { ca_overlap_for: { [spkiHash(icaKey)]: '1h0m0s' } },
    },
    'status_stale',
  ),
  row('X05', { ...exec('15:00'), ica: listedFrom(1001, code(4, '11:00')) }, GOOD),
  row('X06', { ...exec('15:00'), ica: listedFrom(1001, kc('08:00')) }, 'revoked'),
]);

function unnumbered() {
  return [crlOf({ issuer: ICA_NAME, key: icaKey, from: '2026-10-13T06:00:00Z', until: '2026-10-13T18:00:00Z' }, 'ica')];
}

/** All sections; made once asked, because later constants of this file stand in their rows. */
export const sections = (): readonly Section[] => made.map((make) => make());
