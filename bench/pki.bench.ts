/** A CRL of 100,000 entries, parsed once: reading it, asking it, and judging chains against it, beside openssl on the same bytes. (`@peculiar/x509` refuses a list of this size.) */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCertificate } from '../src/pki/certificate.ts';
import { type Crl, parseCrl } from '../src/pki/crl.ts';
import { buildPath } from '../src/pki/pathBuilding.ts';
import { anchorOf } from '../src/pki/pathValidation.ts';
import type { Read } from '../src/pki/read.ts';
import { certificateStatus } from '../src/pki/revocation.ts';
import { type Instant, parseInstant } from '../src/time/instant.ts';
import * as f from '../test/pki/forge.ts';
import { compare, type Measurement, time } from './bench.ts';

const ENTRIES = Number(process.env['AUDIT_BENCH_ENTRIES'] ?? 100_000);
const CHAINS = 200;
const AT = '2026-06-15T12:00:00Z';

const must = <T>(read: Read<T>): T => {
  if (read.finding !== undefined) throw new Error(read.finding.message);
  return read.value;
};

const [root, ca] = [f.key('root'), f.key('ca')];
const CA = 'O=Bench,CN=CA';
const EXTENSIONS = [f.basicConstraints(true), f.keyUsage(5, 6)];

function material(): {
  readonly rootDer: Uint8Array;
  readonly caDer: Uint8Array;
  readonly leaves: readonly Uint8Array[];
  readonly crlDer: Uint8Array;
} {
  const name = 'O=Bench,CN=Root';
  const rootDer = f.certificate({ subject: name, issuer: name, key: root, issuerKey: root, extensions: EXTENSIONS });
  const caDer = f.certificate({
    subject: CA,
    issuer: name,
    key: ca,
    issuerKey: root,
    serial: 2,
    extensions: EXTENSIONS,
  });
  // Serial numbers of sixteen bytes, as CAs make them; every other entry has a reason.
  const serial = (i: number): bigint => (1n << 120n) + BigInt(i) * 0x9e3779b97f4a7c15n;
  const entries = Array.from({ length: ENTRIES }, (_, i) => ({
    serial: serial(2 * i),
    ...(i % 2 === 0 ? { reason: 4 } : {}),
  }));
  const crlDer = f.crl({ issuer: CA, key: ca, number: 1, entries });
  const leaves = Array.from({ length: CHAINS }, (_, i) =>
    f.certificate({
      subject: `O=Bench,CN=Leaf ${i}`,
      issuer: CA,
      key: root,
      issuerKey: ca,
      serial: serial(2 * i + (i % 2)),
      extensions: [f.keyUsage(0)],
    }),
  );
  return { rootDer, caDer, leaves, crlDer };
}

let made: ReturnType<typeof material> | undefined;
const given = (): ReturnType<typeof material> => {
  made ??= material();
  return made;
};

/** The list read, indexed and asked once. */
function readAndAsk(der: Uint8Array): Crl {
  const crl = must(parseCrl(der));
  crl.entriesFor(Uint8Array.of(1));
  return crl;
}

export const benches: readonly Measurement[] = [
  {
    name: `a CRL of ${ENTRIES} entries read and indexed, against openssl crl reading it`,
    most: 2,
    async measure() {
      const { crlDer } = given();
      const folder = mkdtempSync(join(tmpdir(), 'audit-bench-'));
      const path = join(folder, 'crl.der');
      writeFileSync(path, crlDer);
      try {
        const openssl = () => spawnSync('openssl', ['crl', '-inform', 'DER', '-in', path, '-noout']);
        const { a, b } = await compare(() => readAndAsk(crlDer), openssl, 5);
        const size = (crlDer.length / 1e6).toFixed(1);
        return {
          ratio: a / b,
          detail: `${(a * 1000).toFixed(0)} ms for ${size} MB; openssl ${(b * 1000).toFixed(0)} ms`,
        };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
  {
    name: `a chain against a CRL of ${ENTRIES} entries, parsed once, against openssl verify -crl_check`,
    most: 0.5,
    async measure() {
      const { rootDer, caDer, leaves, crlDer } = given();
      const folder = mkdtempSync(join(tmpdir(), 'audit-bench-'));
      try {
        const put = (name: string, label: string, der: Uint8Array): string => {
          const path = join(folder, name);
          writeFileSync(path, f.pem(label, der));
          return path;
        };
        const files = leaves.slice(0, 20).map((der, i) => put(`leaf${i}.pem`, 'CERTIFICATE', der));
        const options = [
          '-CAfile',
          put('root.pem', 'CERTIFICATE', rootDer),
          '-untrusted',
          put('ca.pem', 'CERTIFICATE', caDer),
          '-CRLfile',
          put('crl.pem', 'X509 CRL', crlDer),
          '-crl_check',
          '-attime',
          String(Date.parse(AT) / 1000),
        ];
        const openssl = await time(() => spawnSync('openssl', ['verify', ...options, ...files]));
        const at = parseInstant(AT) as Instant;
        let revoked = 0;
        const ours = await time(() => {
          const crl = readAndAsk(crlDer);
          const pool = [must(parseCertificate(caDer))];
          const anchor = anchorOf(must(parseCertificate(rootDer)));
          for (const der of leaves) {
            const { path } = buildPath(must(parseCertificate(der)), { pool, anchors: [anchor] }, { at });
            if (certificateStatus(path, 0, anchor, { crls: [crl], ocsp: [], pool }, at).status === 'revoked') revoked++;
          }
        });
        if (revoked !== CHAINS / 2) throw new Error(`${revoked} revoked`);
        const [mine, theirs] = [ours / CHAINS, openssl / files.length];
        return {
          ratio: mine / theirs,
          detail: `${(mine * 1000).toFixed(1)} ms a chain over ${CHAINS}, the list included; openssl ${(theirs * 1000).toFixed(1)} ms over ${files.length}`,
        };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
];
