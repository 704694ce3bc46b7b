/** The laws of the architecture over bundles: less evidence never helps, nothing hostile is thrown, the same files give the same bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBundle } from '../../src/bundle/read.ts';
import { readZip, writeZip } from '../../src/bundle/zip.ts';
import { memorySource } from '../../src/bytes/source.ts';
import type { Claim } from '../../src/finding/finding.ts';
import type { InsideFile } from '../../src/verify/bundleRun.ts';
import { withTrust } from '../../src/verify/options.ts';
import { verify } from '../../src/verify/verify.ts';
import { AT, bundleOf, demo, entriesOf, judge, trustText } from '../../vectors/bundle-scenes.ts';

const RUNS = process.env['AUDIT_FUZZ'] === undefined ? 12 : 2000;
const trustOf = (files: readonly InsideFile[]): string =>
  new TextDecoder().decode(files.find(({ role }) => role === 'trust')?.bytes);
const fullTrust = trustOf(demo.inside);
const RANK = { failed: 0, undecided: 1, verified: 2 } as const;

describe('bundles', () => {
  it('never claim more with less evidence inside', async () => {
    const support = demo.inside.filter(({ role }) => role !== 'input' && role !== 'trust');
    const whole = new Map<string, Claim>();
    for (const claim of (await judge(await bundleOf(demo.inside), fullTrust)).inputs[0]?.claims ?? [])
      whole.set(claim.claim, claim);
    expect(whole.get('session.jsonl: time')?.verdict).toBe('verified');
    await fc.assert(
      fc.asyncProperty(fc.subarray(support), async (kept) => {
        const files = demo.inside.filter((file) => !support.includes(file) || kept.includes(file));
        for (const claim of (await judge(await bundleOf(files), fullTrust)).inputs[0]?.claims ?? []) {
          const before = whole.get(claim.claim);
          // A claim that is there only with less is not a better one of the same name.
          if (before !== undefined) expect(RANK[claim.verdict]).toBeLessThanOrEqual(RANK[before.verdict]);
        }
      }),
      { numRuns: Math.min(RUNS, 2 ** support.length) },
    );
  }, 60_000);

  it('never claim more with less trust', async () => {
    const { keys, ...rest } = JSON.parse(fullTrust) as { keys: object[] } & Record<string, unknown>;
    const before = await judge(demo.bundle.bytes, fullTrust);
    for (const part of [
      { keys: keys.slice(0, 1), ...rest },
      { keys: keys.slice(1), ...rest },
      { ...rest, keys, approvers: {}, gates: [] },
      { format: rest['format'] },
    ]) {
      const after = await judge(demo.bundle.bytes, JSON.stringify(part));
      for (const claim of after.inputs[0]?.claims ?? []) {
        const known = before.inputs[0]?.claims.find((row) => row.claim === claim.claim);
        if (known !== undefined) expect(RANK[claim.verdict]).toBeLessThanOrEqual(RANK[known.verdict]);
      }
      expect(after.status).not.toBe(0);
    }
  });

  it('are the same bytes each time, whatever the order of the files', async () => {
    const again = await bundleOf([...demo.inside].reverse());
    expect(again).toEqual(await bundleOf(demo.inside));
  });

  it('give the same report however the bytes come', async () => {
    const bytes = demo.bundle.bytes;
    const { options } = await withTrust([{ path: 't.json', bytes: new TextEncoder().encode(trustText) }], { at: AT });
    const report = (size: number) =>
      verify(
        [
          {
            path: 'x',
            source: { size: bytes.length, read: (at, length) => bytes.slice(at, at + Math.min(size, length)) },
          },
        ],
        options,
      );
    expect(await report(997)).toEqual(await report(bytes.length));
  });

  it('are refused or read, and never throw, with bytes changed, cut out and put in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(demo.bundle.bytes.length - 1), fc.nat(255), fc.nat(2)), {
          minLength: 1,
          maxLength: 5,
        }),
        async (edits) => {
          let bytes = [...demo.bundle.bytes];
          for (const [at, byte, how] of edits) {
            if (how === 0) bytes[at % bytes.length] = byte;
            else if (how === 1) bytes.splice(at % bytes.length, 1);
            else bytes = [...bytes.slice(0, at), byte, ...bytes.slice(at)];
          }
          const changed = Uint8Array.from(bytes);
          const report = await verify(
            [{ path: 'x', source: memorySource(changed) }],
            (await withTrust([], { at: AT })).options,
          );
          expect(report.inputs[0]?.findings.map(({ code }) => code)).not.toContain('input/internal-error');
          if (!Buffer.from(changed).equals(demo.bundle.bytes)) expect(report.status).not.toBe(0);
        },
      ),
      { numRuns: RUNS },
    );
  }, 60_000);

  it('read what they hold or say why not, with any file exchanged for anything', async () => {
    const entries = entriesOf(demo.bundle.bytes);
    await fc.assert(
      fc.asyncProperty(fc.nat(entries.length - 1), fc.uint8Array({ maxLength: 60 }), async (which, data) => {
        const changed = writeZip(entries.map((entry, i) => (i === which ? { ...entry, bytes: data } : entry)));
        expect(readZip(changed).ok).toBe(true);
        readBundle(changed);
        const report = await judge(changed);
        expect([1, 4]).toContain(report.status);
        expect(report.inputs[0]?.findings.map(({ code }) => code)).not.toContain('input/internal-error');
      }),
      { numRuns: RUNS },
    );
  }, 60_000);
});
