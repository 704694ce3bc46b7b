/**
 * The bank of the case matrix (approver-identity 22): ROOT, ICA, the leaf of alice, four lists a day from 12 to 18 October, one decision at
 * position 11 and its heads. Every case changes one thing. Keys come from seeds, so that all bytes are the same every time.
 */

import { decisionBytesV4 } from '../../src/approval/decision.ts';
import type { Subject } from '../../src/approval/subject.ts';
import { hex, unhex, utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { type GivenTime, type TimeTrust, timeBounds, type VettedHead } from '../../src/identity/anchored.ts';
import { canonicaliserOf } from '../../src/identity/canonical.ts';
import { type Judgement, judgeDecision } from '../../src/identity/decision.ts';
import { digestOf } from '../../src/identity/digests.ts';
import { type PolicyRecord, policyOf, policyProblems, policyShape } from '../../src/identity/policy.ts';
import { DEFAULT_READINGS, type Readings } from '../../src/identity/readings.ts';
import type { StatusMode } from '../../src/identity/status.ts';
import { statusArchive } from '../../src/identity/statusLists.ts';
import { EMPTY_RECORD, type ReadableRecord } from '../../src/journal/record.ts';
import { decode } from '../../src/json/shape.ts';
import { headHash, signedBytes, type TreeHead } from '../../src/log/head.ts';
import { type Certificate, parseCertificate } from '../../src/pki/certificate.ts';
import { type Crl, parseCrl } from '../../src/pki/crl.ts';
import { type OcspResponse, parseOcsp } from '../../src/pki/ocsp.ts';
import { parseTimestamp } from '../../src/pki/timestampToken.ts';
import { formatInstant, parseInstant } from '../../src/time/instant.ts';
import * as forge from '../pki/forge.ts';

type Bytes = Uint8Array;

export const EKU = '1.3.6.1.4.1.55555.1.1';
export const POLICY_OID = '1.3.6.1.4.1.55555.2.1';
export const RUN = 'run-1';
export const SUBJECT: Subject = {
  run: RUN,
  call: 'call-1',
  tool: 'wire_transfer',
  args: utf8('{"amount":"1500.00","iban":"DE00EXAMPLE"}'),
};
export const DECIDED = '2026-10-13T09:00:00.000Z';

export const rootKey = forge.key('identity root');
export const icaKey = forge.key('identity ica');
export const leafKey = forge.key('identity alice');
export const otherRootKey = forge.key('identity root 2');
export const ROOT_NAME = 'O=Bank,CN=ROOT';
export const ICA_NAME = 'O=Bank,CN=ICA';
export const LEAF_NAME = 'O=Bank,CN=Alice';

export const spkiHash = (key: forge.Key): string => digestOf(key.spki);

/** `13 06:00` and the like in October 2026, or a whole time. */
export function when(text: string): bigint {
  const short = /^(?:(\d\d) )?(\d\d:\d\d)(:\d\d)?$/.exec(text);
  const full = short === null ? text : `2026-10-${short[1] ?? '13'}T${short[2]}${short[3] ?? ':00'}Z`;
  const instant = parseInstant(full);
  if (instant === undefined) throw new Error(`no time: ${text}`);
  return instant;
}
export const stamp = (text: string): string => formatInstant(when(text));

export const caExtensions = (pathLength?: number): Bytes[] => [
  forge.basicConstraints(true, pathLength),
  forge.keyUsage(5, 6),
];

/** Extensions of the leaf by name, so that one can be replaced or left out. */
export const LEAF_EXTENSIONS: Readonly<Record<string, Bytes>> = {
  usage: forge.keyUsage(0),
  purpose: forge.extendedKeyUsage([EKU]),
  names: forge.altNames('email:alice@bank.example'),
  policies: forge.policies(POLICY_OID),
};

export const leafExtensions = (change: Readonly<Record<string, Bytes | undefined>> = {}): Bytes[] =>
  Object.values({ ...LEAF_EXTENSIONS, ...change }).filter((one) => one !== undefined);

const issued = new Map<string, Bytes>();

/** A certificate of a recipe, signed once: keys are told apart by their SubjectPublicKeyInfo. */
function issue(recipe: forge.CertificateRecipe): Bytes {
  const name = JSON.stringify(recipe, (_key, value) => (value instanceof Uint8Array ? hex(value) : value));
  const known = issued.get(name) ?? forge.certificate(recipe);
  issued.set(name, known);
  return known;
}

export function root(change: Partial<forge.CertificateRecipe> = {}): Bytes {
  return issue({
    subject: ROOT_NAME,
    issuer: ROOT_NAME,
    key: rootKey,
    issuerKey: rootKey,
    serial: 1,
    from: '2020-01-01T00:00:00Z',
    until: '2040-01-01T00:00:00Z',
    extensions: caExtensions(),
    ...change,
  });
}

export function ica(change: Partial<forge.CertificateRecipe> = {}): Bytes {
  return issue({
    subject: ICA_NAME,
    issuer: ROOT_NAME,
    key: icaKey,
    issuerKey: rootKey,
    serial: 7,
    from: '2021-01-01T00:00:00Z',
    until: '2036-01-01T00:00:00Z',
    extensions: caExtensions(),
    ...change,
  });
}

export function leaf(
  change: Partial<forge.CertificateRecipe> = {},
  extensions: Readonly<Record<string, Bytes | undefined>> = {},
): Bytes {
  return issue({
    subject: LEAF_NAME,
    issuer: ICA_NAME,
    key: leafKey,
    issuerKey: icaKey,
    serial: 77,
    from: '2026-01-01T00:00:00Z',
    until: '2026-12-31T23:59:59Z',
    extensions: leafExtensions(extensions),
    ...change,
  });
}

/** Policy P0 of section 22: the example of 5.1 without `ca_period_for`. */
export const P0 = {
  effective_from: '2026-09-01T00:00:00Z',
  anchors: [spkiHash(rootKey)],
  intermediates: [spkiHash(icaKey)],
  eku: EKU,
  policy_oid: POLICY_OID,
  id_kind: 'email',
  canonical: 'email-ascii/v1',
  rsa2048_until: '2030-12-31T00:00:00Z',
  max_chain: 4,
  max_leaf_lifetime: '8784h0m0s',
  not_before_backdate: '1h0m0s',
  skew: '2m0s',
  anchor_grace: '5m0s',
  clock_tolerance: '2s',
  w: '24h0m0s',
  min_w: '1h0m0s',
  max_status_age: '24h0m0s',
  exec_status_age: '4h0m0s',
  ca_period: '6h0m0s',
  coverage_tolerance: '30m0s',
  this_update_skew: '1m0s',
  consecutive_numbers: true,
  count_live: true,
};

export function policyRecord(change: Readonly<Record<string, unknown>> = {}): PolicyRecord {
  const decoded = decode(policyShape, utf8(JSON.stringify({ ...P0, ...change })));
  if (!decoded.ok) throw new Error(decoded.problems[0]?.message);
  return decoded.value;
}

/** What is in one list: entries, and changes to the list. Undefined leaves the list out. */
export type ListChange = (Partial<forge.CrlRecipe> & { readonly entry?: forge.EntryRecipe }) | undefined;

const madeCrls = new Map<string, Crl>();

export function crlOf(recipe: forge.CrlRecipe, signer: string): Crl {
  const { key: _, ...plain } = recipe;
  const name = `${signer} ${JSON.stringify(plain, (_key, value) => (value instanceof Uint8Array ? hex(value) : value))}`;
  const known = madeCrls.get(name);
  if (known !== undefined) return known;
  const crl = parseCrl(forge.crl(recipe)).value;
  if (crl === undefined) throw new Error('this is no list');
  madeCrls.set(name, crl);
  return crl;
}

/** Number of the list at a time of the series. */
export const FIRST_NUMBER = 995;
const STEP = 6n * 3_600_000_000_000n;

/** ICA's or ROOT's lists of 12 to 18 October. */
export function series(
  issuer: 'ica' | 'root',
  change: (number: number) => ListChange = () => ({}),
  last = 1013,
  first = FIRST_NUMBER + 1,
): Crl[] {
  const crls: Crl[] = [];
  for (let number = first; number <= last; number++) {
    const changed = change(number);
    if (changed === undefined) continue;
    const from = when('12 00:00') + BigInt(number - FIRST_NUMBER) * STEP;
    const { entry, ...more } = changed;
    crls.push(
      crlOf(
        {
          issuer: issuer === 'ica' ? ICA_NAME : ROOT_NAME,
          key: issuer === 'ica' ? icaKey : rootKey,
          from: formatInstant(from),
          until: formatInstant(from + 2n * STEP),
          number,
          ...(entry === undefined ? {} : { entries: [entry] }),
          ...more,
        },
        more.key === undefined ? issuer : 'other',
      ),
    );
  }
  return crls;
}

/** The lists from n on have the entry. */
export const listedFrom =
  (n: number, entry: Omit<forge.EntryRecipe, 'serial'>, to = 9999) =>
  (number: number): ListChange =>
    number >= n && number <= to ? { entry: { serial: 77, ...entry } } : {};
export const without =
  (...numbers: readonly number[]) =>
  (number: number): ListChange =>
    numbers.includes(number) ? undefined : {};
export const only =
  (...numbers: readonly number[]) =>
  (number: number): ListChange =>
    numbers.includes(number) ? {} : undefined;

/** A head as the log signed it: authenticity is the business of other tests. */
export function headOf(size: number, time: string): VettedHead {
  const head: TreeHead = {
    format: 'bide.audit.sth.v5',
    kind: 'journal',
    run_id: RUN,
    size,
    root: sha256(utf8(`root of ${size}`)),
    timestamp_nanos: when(time),
    journal: null,
    alg: 'ed25519',
    signature: null,
  };
  return { head, hash: hex(headHash(head)), size, time: when(time), covers: true };
}
export const HEAD = headOf(12, '09:00:30');

export const tsaKey = forge.key('identity tsa');
export const tsaRootKey = forge.key('identity tsa root');
export const tsaRoot = forge.certificate({
  subject: 'CN=TSA root',
  issuer: 'CN=TSA root',
  key: tsaRootKey,
  issuerKey: tsaRootKey,
  serial: 1,
  until: '2040-01-01T00:00:00Z',
  from: '2020-01-01T00:00:00Z',
  extensions: caExtensions(),
});
export const tsa = (critical = true): Bytes =>
  forge.certificate({
    subject: 'CN=TSA',
    issuer: 'CN=TSA root',
    key: tsaKey,
    issuerKey: tsaRootKey,
    serial: 5,
    from: '2025-01-01T00:00:00Z',
    until: '2031-01-01T00:00:00Z',
    extensions: [forge.keyUsage(0), forge.extendedKeyUsage(['1.3.6.1.5.5.7.3.8'], critical)],
  });

export function tokenOver(
  head: VettedHead,
  at: string,
  change: Partial<forge.TokenRecipe> = {},
  named: VettedHead | undefined = head,
): GivenTime {
  const certificate = change.certificate ?? tsa();
  const der = forge.token({
    message: signedBytes(head.head),
    certificate,
    key: tsaKey,
    issuer: 'CN=TSA root',
    serial: 5,
    at: stamp(at),
    ...change,
  });
  const token = parseTimestamp(der).value?.token;
  if (token === undefined) throw new Error('this is no token');
  return { headHash: named?.hash, proof: { kind: 'rfc3161', token } };
}

export function parsed(der: Bytes): Certificate {
  const { value, finding } = parseCertificate(der);
  if (value === undefined) throw new Error(finding?.message);
  return value;
}
export function ocspOf(der: Bytes): OcspResponse {
  const { value, finding } = parseOcsp(der);
  if (value === undefined) throw new Error(finding?.message);
  return value;
}

export interface Situation {
  readonly policy?: Readonly<Record<string, unknown>>;
  readonly leaf?: Bytes;
  /** Certificates of the decision; the leaf and ICA by default. */
  readonly carried?: readonly Bytes[] | null;
  readonly anchors?: readonly Bytes[];
  readonly intermediates?: readonly Bytes[];
  readonly signer?: forge.Key;
  readonly signed?: (subject: Subject, leafHash: Bytes) => Bytes;
  readonly subject?: Subject;
  readonly alg?: string;
  readonly decidedAt?: string;
  readonly approver?: string;
  readonly identifier?: string;
  readonly heads?: readonly VettedHead[];
  readonly times?: readonly GivenTime[];
  readonly receipts?: TimeTrust['receipts'];
  readonly accuracy?: bigint;
  readonly ica?: (number: number) => ListChange;
  readonly root?: (number: number) => ListChange;
  readonly crls?: readonly Crl[];
  readonly ocsp?: readonly OcspResponse[];
  readonly mode?: StatusMode;
  readonly at?: string;
  readonly namedHead?: string;
  readonly readings?: Partial<Readings>;
  readonly position?: number;
}

export function recordOf(situation: Situation): ReadableRecord {
  const { subject = SUBJECT, alg = 'x509', decidedAt = DECIDED, approver = 'alice' } = situation;
  const der = situation.leaf ?? leaf();
  const leafHash = sha256(der);
  const signer = situation.signer ?? leafKey;
  const message =
    situation.signed?.(subject, leafHash) ??
    decisionBytesV4(SUBJECT, { approver, approved: true, decidedAt }, leafHash);
  const carried = situation.carried === undefined ? [der, ica()] : situation.carried;
  return {
    position: situation.position ?? 11,
    name: `approval:call-1:${approver}`,
    bytes: new Uint8Array(),
    deviation: undefined,
    unknown: [],
    members: 0,
    record: {
      ...EMPTY_RECORD,
      name: `approval:call-1:${approver}`,
      kind: 'approval',
      toolUseId: 'call-1',
      approved: true,
      approver,
      approverAlg: alg,
      decidedAt,
      signature: signer.sign(message),
      approverCert: carried ?? undefined,
    },
  };
}

export function allCrls(situation: Situation): readonly Crl[] {
  return situation.crls ?? [...series('ica', situation.ica), ...series('root', situation.root)];
}

/** The decision of a situation, evaluated. */
export function evaluate(situation: Situation): Judgement {
  const record = policyRecord(situation.policy);
  const problems = policyProblems(record);
  if (problems.length > 0) throw new Error(problems.join('; '));
  const heads = situation.heads ?? [HEAD];
  const crls = allCrls(situation);
  const { bounds } = timeBounds(situation.times ?? [], heads, timeTrust(situation));
  return judgeDecision({
    subject: situation.subject ?? SUBJECT,
    record: recordOf(situation),
    policy: policyOf(record),
    canonicalise: canonicaliserOf(record.canonical),
    identifier: situation.identifier ?? 'alice@bank.example',
    anchors: (situation.anchors ?? [root()]).map(parsed),
    intermediates: (situation.intermediates ?? [ica()]).map(parsed),
    heads,
    bounds,
    archive: statusArchive(crls, situation.ocsp ?? []),
    mode: situation.mode ?? 'live',
    at: when(situation.at ?? '12:05'),
    namedHead: situation.namedHead,
    readings: { ...DEFAULT_READINGS, ...situation.readings },
  });
}

export function timeTrust(situation: Situation): TimeTrust {
  return {
    tsaAnchors: [parsed(tsaRoot)],
    tsaDefaultAccuracy: situation.accuracy ?? 0n,
    crls: [],
    receipts: situation.receipts ?? (() => ({ ok: false, findings: [] })),
  };
}

export const leafHashOf = (der: Bytes): Bytes => unhex(digestOf(der)) as Bytes;

/** `counts provisional at-or-after-decision 2026-10-13T12:00:00Z`, or the reason. */
export function inWords(judgement: Judgement): string {
  if (!judgement.counts) return judgement.cause?.reason ?? 'not evaluated';
  const { tier, basis, statusTime } = judgement;
  const short = { provisional: 'prov', 'logclock-final': 'logclock', 'independent-final': 'independent' }[
    tier ?? 'provisional'
  ];
  const s = statusTime === undefined ? '' : formatInstant(statusTime).slice(8, 16).replace('T', ' ');
  return `${short} ${basis === 'at-or-after-decision' ? 'after' : 'before'} ${s}`;
}
