/** Structures made to cost time: thousands of policies, names, entries and sets stay within seconds. */
import { describe, expect, it } from 'vitest';
import { parseCertificate } from '../../src/pki/certificate.ts';
import { parseCrl } from '../../src/pki/crl.ts';
import { buildPath } from '../../src/pki/pathBuilding.ts';
import { anchorOf } from '../../src/pki/pathValidation.ts';
import type { Read } from '../../src/pki/read.ts';
import { type Instant, parseInstant } from '../../src/time/instant.ts';
import * as f from './forge.ts';

const AT = parseInstant('2026-06-15T12:00:00Z') as Instant;
const must = <T>(read: Read<T>): T => {
  if (read.finding !== undefined) throw new Error(read.finding.message);
  return read.value;
};
const within = (seconds: number, action: () => void): void => {
  const started = performance.now();
  action();
  expect((performance.now() - started) / 1000).toBeLessThan(seconds);
};

const keys = Array.from({ length: 8 }, (_, i) => f.key(`hostile ${i}`));
const name = (i: number): string => `CN=Level ${i}`;

/** A chain of CAs that all carry the same extensions, and a leaf. */
function chain(extensions: readonly Uint8Array[], leafExtensions: readonly Uint8Array[]) {
  const certificates = keys.map((key, i) =>
    must(
      parseCertificate(
        f.certificate({
          subject: name(i),
          issuer: name(Math.max(0, i - 1)),
          key,
          issuerKey: keys[Math.max(0, i - 1)] as f.Key,
          serial: i,
          extensions:
            i === keys.length - 1 ? leafExtensions : [f.basicConstraints(true), ...(i === 0 ? [] : extensions)],
        }),
      ),
    ),
  );
  const [root, ...pool] = certificates;
  return () =>
    buildPath(
      certificates[keys.length - 1] as (typeof certificates)[0],
      { pool, anchors: root === undefined ? [] : [anchorOf(root)] },
      { at: AT, initialExplicitPolicy: true },
    );
}

describe('hostile sizes', () => {
  it('policies that all map to each other do not multiply', () => {
    const oids = Array.from({ length: 40 }, (_, i) => `1.2.3.${i}`);
    const pairs = oids.flatMap((a) => oids.map((b) => [a, b] as const));
    const judge = chain([f.policies(...oids), f.mappings(...pairs)], [f.policies(...oids)]);
    within(50, () => expect(judge()).toMatchObject({ valid: true }));
  });

  it('two thousand policies in each CA are followed', () => {
    const oids = Array.from({ length: 2000 }, (_, i) => `1.2.3.${i}`);
    const judge = chain([f.policies(...oids)], [f.policies(...oids)]);
    within(50, () => expect(judge()).toMatchObject({ valid: true }));
  });

  it('thousands of names under thousands of constraints are refused, not tried', () => {
    const names = Array.from({ length: 1500 }, (_, i) => `dns:a${i}.example`);
    const judge = chain([f.nameConstraints([...names, 'dir:CN=x'])], [f.altNames(...names)]);
    within(50, () => expect(judge().findings.map(({ code }) => code)).toContain('pki/name-constraints-form'));
  });

  it('a list that names one serial number a hundred thousand times is one question', () => {
    const entries = Array.from({ length: 100_000 }, () => ({ serial: 7, reason: 6 }));
    const crl = must(parseCrl(f.crl({ issuer: name(0), key: keys[0] as f.Key, entries })));
    within(50, () => {
      expect(crl.entriesFor(Uint8Array.of(7)).length).toBe(100_000);
      expect(crl.entriesFor(Uint8Array.of(8))).toEqual([]);
    });
  });

  it('nested sets and long names are read in one pass', () => {
    let nested = f.set(...Array.from({ length: 3000 }, (_, i) => f.int(i)));
    for (let i = 0; i < 50; i++) nested = f.set(nested);
    within(50, () => expect(parseCertificate(f.seq(nested)).finding?.code).toBe('pki/structure'));
    const long = Array.from({ length: 500 }, (_, i) => `OU=${' '.repeat(30)}${i}`).join(',');
    const der = f.certificate({ subject: long, issuer: long, key: keys[0] as f.Key, issuerKey: keys[0] as f.Key });
    within(50, () => expect(must(parseCertificate(der)).subject.rdns.length).toBe(500));
  });
});
