/**
 * Altered certificates, CRLs, OCSP responses and tokens: they never crash, hang or verify. A couple of thousand here; `make fuzz` runs 20,000.
 */
import { describe, expect, it } from 'vitest';
import { equalBytes } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { type Certificate, parseCertificate } from '../../src/pki/certificate.ts';
import { parseCrl } from '../../src/pki/crl.ts';
import { parseOcsp } from '../../src/pki/ocsp.ts';
import { buildPath } from '../../src/pki/pathBuilding.ts';
import { anchorOf } from '../../src/pki/pathValidation.ts';
import type { Read } from '../../src/pki/read.ts';
import { certificateStatus } from '../../src/pki/revocation.ts';
import { judgeTimestamp } from '../../src/pki/timestamp.ts';
import { parseTimestamp } from '../../src/pki/timestampToken.ts';
import { type Instant, parseInstant } from '../../src/time/instant.ts';
import { NO_TRUST } from '../../src/trust/trust.ts';
import { verifyInput } from '../../src/verify/verify.ts';
import * as f from './forge.ts';

const RUNS = process.env['AUDIT_FUZZ'] === undefined ? 400 : 4000;
const AT = parseInstant('2026-06-15T12:00:00Z') as Instant;

/** A small generator with a seed, so that a failure can be had again. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

type Draw = (below: number) => number;

/** Changes bytes without regard to what they mean. */
function alterBytes(bytes: Uint8Array, pick: Draw): Uint8Array {
  const at = pick(bytes.length);
  const length = 1 + pick(Math.min(16, bytes.length - at));
  switch (pick(6)) {
    case 0:
      return Uint8Array.from(bytes, (byte, i) => (i === at ? byte ^ (1 << pick(8)) : byte));
    case 1:
      return Uint8Array.from(bytes, (byte, i) => (i === at ? pick(256) : byte));
    case 2:
      return f.concat(bytes.subarray(0, at), bytes.subarray(at + length));
    case 3:
      return f.concat(bytes.subarray(0, at + length), bytes.subarray(at));
    case 4:
      return bytes.slice(0, at);
    default:
      return f.concat(
        bytes.subarray(0, at),
        Uint8Array.from({ length }, () => pick(256)),
        bytes.subarray(at),
      );
  }
}

interface Node {
  tag: number;
  content: Uint8Array;
  children: Node[] | undefined;
}

/** The tree of good DER; contents that are DER themselves are not entered. */
function tree(bytes: Uint8Array): Node[] {
  const nodes: Node[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at + 1] as number;
    const count = first < 0x80 ? 0 : first & 0x7f;
    let length = first < 0x80 ? first : 0;
    for (let i = 0; i < count; i++) length = length * 256 + (bytes[at + 2 + i] as number);
    const start = at + 2 + count;
    const content = bytes.subarray(start, start + length);
    const tag = bytes[at] as number;
    nodes.push({ tag, content, children: (tag & 0x20) === 0 ? undefined : tree(content) });
    at = start + length;
  }
  return nodes;
}

const encode = (node: Node): Uint8Array =>
  f.tlv(node.tag, ...(node.children === undefined ? [node.content] : node.children.map(encode)));

/** Changes one element and writes every length anew, so that the change reaches the readers behind the DER check. */
function alterTree(bytes: Uint8Array, pick: Draw): Uint8Array {
  const [top] = tree(bytes) as [Node];
  const parents: Node[] = [];
  const stack = [top];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if ((node.children?.length ?? 0) > 0) parents.push(node);
    stack.push(...(node.children ?? []));
  }
  const parent = parents[pick(parents.length)] as Node;
  const children = parent.children as Node[];
  const i = pick(children.length);
  const child = children[i] as Node;
  switch (pick(6)) {
    case 0:
      children.splice(i, 1);
      break;
    case 1:
      children.splice(i, 0, child);
      break;
    case 2:
      child.tag = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0a, 0x0c, 0x17, 0x18, 0x30, 0x31, 0x80, 0xa0, 0xa1, 0xa3][
        pick(16)
      ] as number;
      break;
    case 3:
      children[i] = {
        tag: child.tag,
        content: alterBytes(f.concat(child.content, Uint8Array.of(0)), pick),
        children: undefined,
      };
      break;
    case 4:
      children[i] =
        parents[pick(parents.length)] === top ? child : { tag: 0x30, content: new Uint8Array(), children: [child] };
      break;
    default:
      children.reverse();
  }
  return encode(top);
}

const alter = (bytes: Uint8Array, pick: Draw): Uint8Array =>
  pick(2) === 0 ? alterBytes(bytes, pick) : alterTree(bytes, pick);

const must = <T>(read: Read<T>): T => {
  if (read.finding !== undefined) throw new Error(read.finding.message);
  return read.value;
};

const CA = 'O=Fuzz,CN=CA';
const [root, ca, own, tsa] = ['root', 'ca', 'leaf', 'tsa'].map((seed) => f.key(seed)) as [f.Key, f.Key, f.Key, f.Key];
const CA_EXTENSIONS = [
  f.basicConstraints(true, 1),
  f.keyUsage(5, 6),
  f.nameConstraints(['dns:bank.example', 'dir:O=Fuzz']),
  f.policies('1.2.3'),
  f.mappings(['1.2.3', '1.2.4']),
  f.policyConstraints(3, 3),
  f.inhibitAny(2),
  f.subjectKeyId('ca'),
];
const rootDer = f.certificate({
  subject: 'O=Fuzz,CN=Root',
  issuer: 'O=Fuzz,CN=Root',
  key: root,
  issuerKey: root,
  extensions: [f.basicConstraints(true)],
});
const caDer = f.certificate({
  subject: CA,
  issuer: 'O=Fuzz,CN=Root',
  key: ca,
  issuerKey: root,
  serial: 2,
  extensions: CA_EXTENSIONS,
});
const leafDer = f.certificate({
  subject: 'O=Fuzz,CN=Leaf',
  issuer: CA,
  key: own,
  issuerKey: ca,
  serial: 100,
  extensions: [
    f.keyUsage(0),
    f.altNames('dns:a.bank.example'),
    f.policies('1.2.4'),
    f.authorityKeyId('ca'),
    f.distributionPoints(f.point(['uri:http://c.example/1'], [1, 2], ['dir:O=Fuzz'])),
  ],
});
const crlDer = f.crl({
  issuer: CA,
  key: ca,
  number: 4,
  entries: [{ serial: 5, reason: 1, invalidity: '2026-01-01T00:00:00Z' }, { serial: 6 }],
  extensions: [f.issuingPoint({ users: true })],
});
const ocspDer = f.ocsp({
  issuer: CA,
  issuerKey: ca,
  responder: CA,
  key: ca,
  answers: [
    { serial: 100, status: 'good' },
    { serial: 5, status: { revoked: '2026-05-01T00:00:00Z', reason: 1 } },
  ],
});
const tsaDer = f.certificate({
  subject: 'O=Fuzz,CN=TSA',
  issuer: CA,
  key: tsa,
  issuerKey: ca,
  serial: 200,
  extensions: [f.keyUsage(0), f.extendedKeyUsage(['1.3.6.1.5.5.7.3.8'], true)],
});
const message = new TextEncoder().encode('stamped');
const tokenDer = f.response(
  0,
  f.token({
    message,
    certificate: tsaDer,
    key: tsa,
    issuer: CA,
    serial: 200,
    nonce: 77,
    certificates: [tsaDer, caDer],
  }),
);

const anchors = [anchorOf(must(parseCertificate(rootDer)))];
const [caCertificate, leaf] = [must(parseCertificate(caDer)), must(parseCertificate(leafDer))];
const goodPath = buildPath(leaf, { pool: [caCertificate], anchors }, { at: AT });

/** Whether the altered thing still counts, by kind. */
const COUNTS: Readonly<Record<string, { readonly der: Uint8Array; readonly counts: (der: Uint8Array) => boolean }>> = {
  'a leaf': { der: leafDer, counts: (der) => counts(parseCertificate(der), (one) => pathOf(one, caCertificate)) },
  'a CA': { der: caDer, counts: (der) => counts(parseCertificate(der), (one) => pathOf(leaf, one)) },
  'a CRL': { der: crlDer, counts: (der) => counts(parseCrl(der), (crl) => status({ crls: [crl], ocsp: [] })) },
  'an OCSP response': {
    der: ocspDer,
    counts: (der) => counts(parseOcsp(der), (ocsp) => status({ crls: [], ocsp: [ocsp] })),
  },
  'a token': { der: tokenDer, counts: stamps },
};

const counts = <T>(read: Read<T>, judge: (value: T) => boolean): boolean =>
  read.finding === undefined && judge(read.value);
const pathOf = (target: Certificate, issuer: Certificate): boolean =>
  buildPath(target, { pool: [issuer], anchors }, { at: AT }).valid;
const status = (sources: Pick<Parameters<typeof certificateStatus>[3], 'crls' | 'ocsp'>): boolean =>
  certificateStatus(goodPath.path, 0, anchors[0] as (typeof anchors)[0], { ...sources, pool: [caCertificate] }, AT)
    .status === 'good';

const original = must(parseTimestamp(tokenDer)).token;

/** A token that verifies must say what the original says: what is outside of its signature may change, what is inside may not. */
function stamps(der: Uint8Array): boolean {
  const token = parseTimestamp(der).value?.token;
  if (token === undefined || original === undefined) return false;
  const judged = judgeTimestamp(token, { stamped: message, anchors, pool: [caCertificate], crls: [], ocsp: [] });
  const verified = judged.signed && judged.trusted === true && judged.stamps === true;
  if (!verified) return false;
  const [signer, first] = [token.signers[0], original.signers[0]];
  const same =
    equalBytes(token.content, original.content) &&
    signer?.signedAttributes !== undefined &&
    first?.signedAttributes !== undefined &&
    equalBytes(signer.signedAttributes.tbs, first.signedAttributes.tbs) &&
    equalBytes(judged.signer?.der ?? new Uint8Array(), tsaDer);
  return !same;
}

describe('altered bytes', { timeout: 900_000 }, () => {
  for (const [name, { der, counts: judge }] of Object.entries(COUNTS)) {
    it(`${name}: unaltered it counts`, () => {
      if (name === 'a token')
        expect(
          judgeTimestamp(original as NonNullable<typeof original>, {
            stamped: message,
            anchors,
            pool: [],
            crls: [],
            ocsp: [],
          }),
        ).toMatchObject({ signed: true, trusted: true, stamps: true });
      else expect(judge(der)).toBe(true);
    });

    it(`${name}: altered it never counts, crashes or hangs`, () => {
      for (let seed = 0; seed < RUNS; seed++) {
        const pick = random(seed * 7919 + name.length);
        const altered = alter(der, pick);
        if (equalBytes(altered, der)) continue;
        const started = performance.now();
        expect(judge(altered), `seed ${seed}`).toBe(false);
        expect(performance.now() - started, `seed ${seed} took long`).toBeLessThan(5_000);
      }
    });
  }

  it('altered and signed anew they are judged without a crash', () => {
    const resign = (der: Uint8Array, pick: Draw): Uint8Array => {
      const [top] = tree(der) as [Node];
      const [tbs, algorithm] = (top.children ?? []).map(encode) as [Uint8Array, Uint8Array];
      const altered = alterTree(tbs, pick);
      return f.seq(altered, algorithm, f.bits(ca.sign(altered)));
    };
    for (let seed = 0; seed < RUNS; seed++) {
      const pick = random(seed * 31 + 5);
      const certificate = parseCertificate(resign(leafDer, pick)).value;
      if (certificate !== undefined) pathOf(certificate, caCertificate);
      const crl = parseCrl(resign(crlDer, pick)).value;
      if (crl !== undefined) expect([...crl.entries()].length).toBe(crl.size);
      if (crl !== undefined) status({ crls: [crl], ocsp: [] });
    }
  });

  it('as inputs they give a report without a failure of the program', async () => {
    const companions = [caDer, crlDer, ocspDer, message].map((bytes, i) => ({
      path: `companion ${i}`,
      source: memorySource(bytes),
    }));
    for (let seed = 0; seed < RUNS / 4; seed++) {
      const pick = random(seed + 1);
      const { der } = Object.values(COUNTS)[pick(5)] as { readonly der: Uint8Array };
      const input = { path: 'altered', source: memorySource(alter(der, pick)) };
      const report = await verifyInput(input, { trust: NO_TRUST, at: AT, companions });
      expect(
        report.findings.map(({ code }) => code),
        `seed ${seed}`,
      ).not.toContain('input/internal-error');
      expect(report.result, `seed ${seed}`).not.toBe('verified');
    }
  });
});
