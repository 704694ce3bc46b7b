/** What the readers say of certificates, beside what `@peculiar/x509` and Node say of the same bytes; and the laws of status. */
import 'reflect-metadata';
import { X509Certificate as NodeCertificate } from 'node:crypto';
import { ContentInfo, SignedData } from '@peculiar/asn1-cms';
import { BasicOCSPResponse, OCSPResponse } from '@peculiar/asn1-ocsp';
import { AsnConvert } from '@peculiar/asn1-schema';
import { TSTInfo } from '@peculiar/asn1-tsp';
import * as peculiar from '@peculiar/x509';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openFolder, SHARED_VECTORS } from '../../conformance/folder.ts';
import { hex } from '../../src/bytes/encoding.ts';
import { parseCertificate } from '../../src/pki/certificate.ts';
import { parseCrl } from '../../src/pki/crl.ts';
import { Cursor, elementAt, integerValue, oidText } from '../../src/pki/der.ts';
import { parseOcsp } from '../../src/pki/ocsp.ts';
import { buildPath, validPaths } from '../../src/pki/pathBuilding.ts';
import { anchorOf, bareAnchorOf, validatePath } from '../../src/pki/pathValidation.ts';
import type { Read } from '../../src/pki/read.ts';
import { pathStatus } from '../../src/pki/revocation.ts';
import { parseTimestamp } from '../../src/pki/timestampToken.ts';
import { formatInstant, type Instant, parseInstant } from '../../src/time/instant.ts';
import * as f from './forge.ts';

const folder = openFolder(`${SHARED_VECTORS}/pkits`);
const must = <T>(read: Read<T>): T => {
  if (read.finding !== undefined) throw new Error(read.finding.message);
  return read.value;
};
const AT = parseInstant('2026-06-15T12:00:00Z') as Instant;

describe.skipIf(folder === undefined)(
  'the certificates and lists of PKITS (skipped when they are not beside the project)',
  () => {
    const files = folder?.files() ?? [];

    it('are read as @peculiar/x509 and Node read them', () => {
      let read = 0;
      for (const file of files.filter((name) => name.endsWith('.crt'))) {
        const der = folder?.bytes(file) ?? new Uint8Array();
        const ours = must(parseCertificate(der, file));
        const theirs = new peculiar.X509Certificate(Uint8Array.from(der));
        const node = new NodeCertificate(der);
        read++;
        expect(formatInstant(ours.notBefore), file).toBe(
          formatInstant(BigInt(theirs.notBefore.getTime()) * 1_000_000n),
        );
        expect(formatInstant(ours.notAfter), file).toBe(formatInstant(BigInt(theirs.notAfter.getTime()) * 1_000_000n));
        expect(hex(ours.publicKey.der), file).toBe(hex(new Uint8Array(theirs.publicKey.rawData)));
        expect(hex(ours.subject.der), file).toBe(hex(new Uint8Array(theirs.subjectName.toArrayBuffer())));
        expect(hex(ours.issuer.der), file).toBe(hex(new Uint8Array(theirs.issuerName.toArrayBuffer())));
        // The library drops a leading zero byte.
        expect(ours.serialHex.replace(/^00(?=.)/, ''), file).toBe(theirs.serialNumber);
        expect([...ours.extensions.keys()], file).toEqual(theirs.extensions.map(({ type }) => type));
        expect(
          [...ours.extensions.values()].map(({ critical }) => critical),
          file,
        ).toEqual(theirs.extensions.map(({ critical }) => critical));
        expect(ours.basicConstraints?.ca ?? false, file).toBe(
          theirs.getExtension(peculiar.BasicConstraintsExtension)?.ca ?? false,
        );
        expect(ours.sha256, file).toBe(node.fingerprint256.replace(/:/g, '').toLowerCase());
      }
      expect(read).toBeGreaterThan(400);
    });

    it('have the entries that @peculiar/x509 finds in them', () => {
      for (const file of files.filter((name) => name.endsWith('.crl'))) {
        const der = folder?.bytes(file) ?? new Uint8Array();
        const ours = must(parseCrl(der, file));
        const theirs = new peculiar.X509Crl(Uint8Array.from(der));
        expect(
          [...ours.entries()].map(({ serial, revocationDate }) => [hex(serial), formatInstant(revocationDate)]),
          file,
        ).toEqual(
          theirs.entries.map(({ serialNumber, revocationDate }) => [
            serialNumber,
            formatInstant(BigInt(revocationDate.getTime()) * 1_000_000n),
          ]),
        );
        for (const entry of ours.entries())
          expect(ours.entriesFor(entry.serial).map(({ byte }) => byte)).toContain(entry.byte);
        expect(ours.entriesFor(Uint8Array.of(0x55, 0x66, 0x77))).toEqual([]);
      }
    });
  },
);

describe('numbers and identifiers in DER', () => {
  it('an INTEGER is read as it was written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 200n), max: 1n << 200n }), (n) => {
        const der = f.int(n);
        expect(integerValue(elementAt(der, 0, der.length))).toBe(n);
      }),
    );
  });

  it('an OBJECT IDENTIFIER is read as it was written', () => {
    const arcs = fc.tuple(
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 0, max: 39 }),
      fc.array(fc.bigInt({ min: 0n, max: 1n << 80n }), { maxLength: 8 }),
    );
    fc.assert(
      fc.property(arcs, ([first, second, rest]) => {
        const text = [first, second, ...rest].join('.');
        const der = f.oid(text);
        expect(oidText(elementAt(der, 0, der.length))).toBe(text);
      }),
    );
  });

  it('a cursor gives the members of a sequence and then nothing', () => {
    const der = f.seq(f.int(1), f.NULL);
    const cursor = new Cursor(elementAt(der, 0, der.length));
    expect(cursor.next('a').tag).toBe(2);
    expect(cursor.next('b').tag).toBe(5);
    expect(cursor.done).toBe(true);
    expect(() => cursor.next('c')).toThrow('c is missing');
  });
});

const [root, ca, other] = ['root', 'ca', 'other'].map((seed) => f.key(seed)) as [f.Key, f.Key, f.Key];
const ROOT = 'O=Laws,CN=Root';
const CA = 'O=Laws,CN=CA';
const EXTENSIONS = [f.basicConstraints(true), f.keyUsage(5, 6)];
const rootDer = f.certificate({ subject: ROOT, issuer: ROOT, key: root, issuerKey: root, extensions: EXTENSIONS });
const root2Der = f.certificate({ subject: ROOT, issuer: ROOT, key: other, issuerKey: other, extensions: EXTENSIONS });
const caDer = f.certificate({ subject: CA, issuer: ROOT, key: ca, issuerKey: root, serial: 2, extensions: EXTENSIONS });
const crossDer = f.certificate({
  subject: CA,
  issuer: ROOT,
  key: ca,
  issuerKey: other,
  serial: 2,
  extensions: EXTENSIONS,
});
const leafDer = f.certificate({
  subject: 'O=Laws,CN=Leaf',
  issuer: CA,
  key: f.key('leaf'),
  issuerKey: ca,
  serial: 100,
  extensions: [f.keyUsage(0)],
});
const [leaf, caCertificate] = [must(parseCertificate(leafDer)), must(parseCertificate(caDer))];
const anchor = anchorOf(must(parseCertificate(rootDer)));
const built = buildPath(leaf, { pool: [caCertificate], anchors: [anchor] }, { at: AT });

const ocspOf = (serials: readonly number[]): Uint8Array =>
  f.ocsp({
    issuer: CA,
    issuerKey: ca,
    responder: CA,
    key: ca,
    certificates: [caDer],
    answers: serials.map((serial) => ({
      serial,
      status: serial % 3 === 0 ? 'good' : serial % 3 === 1 ? 'unknown' : { revoked: '2026-05-01T00:00:00Z', reason: 1 },
    })),
  });

describe('responses and tokens', () => {
  it('an OCSP response is read as @peculiar/asn1-ocsp reads it', () => {
    const der = ocspOf([3, 4, 5, 300]);
    const ours = must(parseOcsp(der)).basic;
    const outer = AsnConvert.parse(Uint8Array.from(der), OCSPResponse);
    const theirs = AsnConvert.parse(outer.responseBytes?.response.buffer ?? new ArrayBuffer(0), BasicOCSPResponse);
    const data = theirs.tbsResponseData;
    expect(ours?.producedAt).toBe(BigInt(data.producedAt.getTime()) * 1_000_000n);
    expect(ours?.responses.map(({ serial, answer }) => [hex(serial), answer])).toEqual(
      data.responses.map(({ certID, certStatus }) => [
        hex(new Uint8Array(certID.serialNumber)),
        certStatus.good !== undefined ? 'good' : certStatus.revoked !== undefined ? 'revoked' : 'unknown',
      ]),
    );
    expect(ours?.certificates.length).toBe(theirs.certs?.length);
    expect(hex(ours?.signature ?? new Uint8Array())).toBe(hex(new Uint8Array(theirs.signature)));
    expect(hex(ours?.tbs ?? new Uint8Array())).toBe(hex(new Uint8Array(AsnConvert.serialize(data))));
  });

  it('a token is read as @peculiar/asn1-cms and asn1-tsp read it', () => {
    const der = f.token({
      message: leafDer,
      certificate: caDer,
      key: ca,
      issuer: ROOT,
      serial: 2,
      nonce: 99,
      hash: 'sha512',
    });
    const ours = must(parseTimestamp(der)).token;
    const theirs = AsnConvert.parse(AsnConvert.parse(Uint8Array.from(der), ContentInfo).content, SignedData);
    const content = theirs.encapContentInfo.eContent?.single?.buffer ?? new ArrayBuffer(0);
    const info = AsnConvert.parse(content, TSTInfo);
    expect(hex(ours?.content ?? new Uint8Array())).toBe(hex(new Uint8Array(content)));
    expect(ours?.info.genTime).toBe(BigInt(info.genTime.getTime()) * 1_000_000n);
    expect(ours?.info.policy).toBe(info.policy);
    expect(ours?.info.nonce?.toString(16)).toBe(hex(new Uint8Array(info.nonce ?? new ArrayBuffer(0))));
    expect(hex(ours?.info.imprint?.digest ?? new Uint8Array())).toBe(
      hex(new Uint8Array(info.messageImprint.hashedMessage.buffer)),
    );
    expect(ours?.signers.map(({ signedAttributes }) => signedAttributes?.attributes.map(({ type }) => type))).toEqual(
      [...theirs.signerInfos].map(({ signedAttrs }) => signedAttrs?.map(({ attrType }) => attrType)),
    );
    expect(hex(ours?.signers[0]?.signature ?? new Uint8Array())).toBe(
      hex(new Uint8Array(theirs.signerInfos[0]?.signature.buffer ?? new ArrayBuffer(0))),
    );
  });
});

const day = (n: number): string => `2026-06-${String(n).padStart(2, '0')}T00:00:00Z`;
/** Lists of the CA of all sorts: current or not, complete or delta, signed right or not, with or without the leaf. */
const someCrl = fc
  .record({
    from: fc.integer({ min: 1, max: 20 }),
    length: fc.integer({ min: 1, max: 9 }),
    number: fc.integer({ min: 1, max: 4 }),
    delta: fc.boolean(),
    signer: fc.constantFrom(ca, ca, ca, other),
    entry: fc.constantFrom(undefined, undefined, 0, 1, 4, 6, 8),
    scope: fc.constantFrom(undefined, undefined, { users: true }, { cas: true }, { reasons: [1, 2, 3] }),
  })
  .map(({ from, length, number, delta, signer, entry, scope }) =>
    must(
      parseCrl(
        f.crl({
          issuer: CA,
          key: signer,
          from: day(from),
          until: day(from + length),
          number: delta ? number + 1 : number,
          ...(delta ? { base: number } : {}),
          entries: entry === undefined ? [] : [{ serial: 100, date: '2026-05-01T00:00:00Z', reason: entry }],
          extensions: scope === undefined ? [] : [f.issuingPoint(scope)],
        }),
      ),
    ),
  );
const statusWith = (crls: readonly ReturnType<typeof parseCrl>['value'][]): string =>
  pathStatus(
    built.path,
    anchor,
    { crls: crls.filter((crl) => crl !== undefined), ocsp: [], pool: [caCertificate] },
    AT,
  )[0]?.status ?? 'none';

describe('the laws of status', () => {
  it('more lists never turn "revoked" into anything else', () => {
    fc.assert(
      fc.property(
        fc.array(someCrl, { minLength: 1, maxLength: 4 }),
        fc.array(someCrl, { maxLength: 3 }),
        (some, more) => {
          if (statusWith(some) !== 'revoked') return;
          expect(statusWith([...some, ...more])).toBe('revoked');
          expect(statusWith([...more, ...some])).toBe('revoked');
        },
      ),
      { numRuns: 150 },
    );
  });

  it('lists of which none covers the instant never make it good', () => {
    fc.assert(
      fc.property(fc.array(someCrl, { maxLength: 4 }), (some) => {
        const others = some.filter((crl) => crl.thisUpdate > AT || (crl.nextUpdate ?? AT) < AT);
        expect(statusWith(others)).not.toBe('good');
      }),
      { numRuns: 100 },
    );
  });

  it('the order of lists does not matter', () => {
    fc.assert(
      fc.property(fc.array(someCrl, { maxLength: 4 }), (some) => {
        expect(statusWith([...some].reverse())).toBe(statusWith(some));
      }),
      { numRuns: 150 },
    );
  });
});

describe('paths', () => {
  it('without an anchor nothing is valid, whatever holds', () => {
    expect(validatePath([leaf, caCertificate], undefined, { at: AT })).toMatchObject({ valid: false, findings: [] });
  });

  it('removing the issuer or the anchor never makes a path', () => {
    expect(built.valid).toBe(true);
    expect(buildPath(leaf, { pool: [], anchors: [anchor] }, { at: AT }).valid).toBe(false);
    expect(buildPath(leaf, { pool: [caCertificate], anchors: [] }, { at: AT }).valid).toBe(false);
  });

  it('a cross-signed CA has two paths, and both are found', () => {
    const anchors = [anchor, bareAnchorOf(must(parseCertificate(root2Der)))];
    const pool = [caCertificate, must(parseCertificate(crossDer)), caCertificate];
    const found = validPaths(leaf, { pool, anchors }, { at: AT, strictIssuers: true });
    expect(found.complete).toBe(true);
    expect(found.paths.map(({ path, anchor: by }) => [path.length, by?.publicKey.sha256])).toEqual([
      [2, anchor.publicKey.sha256],
      [2, anchors[1]?.publicKey.sha256],
    ]);
  });

  it('strict issuers match by the bytes of their names', () => {
    const shouting = must(
      parseCertificate(
        f.certificate({
          subject: 'O=LAWS,CN=CA',
          issuer: ROOT,
          key: ca,
          issuerKey: root,
          serial: 2,
          extensions: EXTENSIONS,
        }),
      ),
    );
    const sources = { pool: [shouting], anchors: [anchor] };
    expect(buildPath(leaf, sources, { at: AT }).valid).toBe(true);
    expect(validPaths(leaf, sources, { at: AT, strictIssuers: true }).paths).toEqual([]);
  });

  it('sixty CAs of one name in a circle cost a bounded number of steps', () => {
    const keys = Array.from({ length: 60 }, (_, i) => f.key(`maze ${i}`));
    const maze = keys.map((key, i) =>
      must(
        parseCertificate(
          f.certificate({
            subject: CA,
            issuer: CA,
            key,
            issuerKey: keys[(i + 1) % keys.length] as f.Key,
            serial: i,
            extensions: EXTENSIONS,
          }),
        ),
      ),
    );
    const lost = must(
      parseCertificate(
        f.certificate({
          subject: 'CN=Lost',
          issuer: CA,
          key: other,
          issuerKey: keys[0] as f.Key,
          extensions: [f.keyUsage(0)],
        }),
      ),
    );
    const started = performance.now();
    const judged = buildPath(lost, { pool: maze, anchors: [anchor] }, { at: AT });
    expect(judged.valid).toBe(false);
    expect(judged.findings.map(({ code }) => code)).toContain('pki/no-path');
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});
