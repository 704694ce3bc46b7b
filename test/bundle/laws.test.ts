/** The laws of the architecture over bundles: less evidence never helps, nothing hostile is thrown, the same files give the same bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SIGNED_AT } from '../../scripts/demo/case.ts';
import { demoJournal, headOver as headOf } from '../../scripts/demo/journal.ts';
import { trustFile } from '../../scripts/demo/keys.ts';
import { stamp, timeRoot } from '../../scripts/demo/timestamps.ts';
import { readBundle } from '../../src/bundle/read.ts';
import { readZip, writeZip } from '../../src/bundle/zip.ts';
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import type { Claim } from '../../src/finding/finding.ts';
import { decode, encode } from '../../src/json/shape.ts';
import { headShape } from '../../src/log/head.ts';
import { sessionHeadBytes, sessionHeadShape } from '../../src/log/sessionHead.ts';
import type { InsideFile } from '../../src/verify/bundleRun.ts';
import { withTrust } from '../../src/verify/options.ts';
import { verify } from '../../src/verify/verify.ts';
import {
  AT,
  bundleOf,
  entriesOf,
  headOver,
  insideOf,
  judge,
  people,
  session,
  trustText,
} from '../../vectors/bundle-scenes.ts';

const RUNS = process.env['AUDIT_FUZZ'] === undefined ? 12 : 2000;
const fullTrust = trustFile(people, [base64(timeRoot)]);
const bytes = session('pay', 'paid');
const plain = insideOf(bytes);
const head = decode(sessionHeadShape, plain.find(({ role }) => role === 'head')?.bytes ?? new Uint8Array());
if (!head.ok) throw new Error('the head does not read');
/** A session with everything that supports it: two heads, a token over one, an approval of the same people. */
const inside: readonly InsideFile[] = [
  ...plain.map((file) => (file.role === 'trust' ? { ...file, bytes: utf8(fullTrust) } : file)),
  { path: 'inputs/journal.json', role: 'input', bytes: demoJournal(people) },
  { path: 'heads/early.json', role: 'head', bytes: headOver(session('pay')) },
  {
    path: 'heads/journal.json',
    role: 'head',
    bytes: encode(headShape, headOf(demoJournal(people), SIGNED_AT, people)),
  },
  {
    path: 'companions/head.tst',
    role: 'companion',
    bytes: stamp(sessionHeadBytes(head.value), '2026-11-30T11:59:30Z'),
  },
];
const bundle = await bundleOf(inside);
const RANK = { failed: 0, undecided: 1, verified: 2 } as const;

describe('bundles', () => {
  it('never claim more with less evidence inside', async () => {
    const support = inside.filter(({ role }) => role !== 'input' && role !== 'trust');
    const whole = new Map<string, Claim>();
    for (const claim of (await judge(await bundleOf(inside), fullTrust)).inputs[0]?.claims ?? [])
      whole.set(claim.claim, claim);
    expect(whole.get('s.jsonl: time')?.verdict).toBe('verified');
    await fc.assert(
      fc.asyncProperty(fc.subarray(support), async (kept) => {
        const files = inside.filter((file) => !support.includes(file) || kept.includes(file));
        for (const claim of (await judge(await bundleOf(files), fullTrust)).inputs[0]?.claims ?? []) {
          const before = whole.get(claim.claim);
          // A claim that is there only with less is not a better one of the same name.
          if (before !== undefined) expect(RANK[claim.verdict]).toBeLessThanOrEqual(RANK[before.verdict]);
        }
      }),
      { numRuns: Math.min(RUNS, 2 ** support.length) },
    );
  });

  it('never claim more with less trust', async () => {
    const { keys, ...rest } = JSON.parse(fullTrust) as { keys: object[] } & Record<string, unknown>;
    const before = await judge(bundle, fullTrust);
    for (const part of [
      { keys: keys.slice(0, 1), ...rest },
      { keys: keys.slice(1), ...rest },
      { ...rest, keys, approvers: {}, gates: [] },
      { format: rest['format'] },
    ]) {
      const after = await judge(bundle, JSON.stringify(part));
      for (const claim of after.inputs[0]?.claims ?? []) {
        const known = before.inputs[0]?.claims.find((row) => row.claim === claim.claim);
        if (known !== undefined) expect(RANK[claim.verdict]).toBeLessThanOrEqual(RANK[known.verdict]);
      }
      if (!JSON.stringify(part).includes('bundle')) expect(after.status).toBe(3);
    }
  });

  it('are the same bytes each time, whatever the order of the files', async () => {
    const again = await bundleOf([...inside].reverse());
    expect(again).toEqual(await bundleOf(inside));
  });

  it('give the same report however the bytes come', async () => {
    const { options } = await withTrust([{ path: 't.json', bytes: new TextEncoder().encode(trustText) }], { at: AT });
    const report = (size: number) =>
      verify(
        [
          {
            path: 'x',
            source: { size: bundle.length, read: (at, length) => bundle.slice(at, at + Math.min(size, length)) },
          },
        ],
        options,
      );
    expect(await report(997)).toEqual(await report(bundle.length));
  });

  it('are refused or read, and never throw, with bytes changed, cut out and put in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(bundle.length - 1), fc.nat(255), fc.nat(2)), {
          minLength: 1,
          maxLength: 5,
        }),
        async (edits) => {
          let edited = [...bundle];
          for (const [at, byte, how] of edits) {
            if (how === 0) edited[at % edited.length] = byte;
            else if (how === 1) edited.splice(at % edited.length, 1);
            else edited = [...edited.slice(0, at), byte, ...edited.slice(at)];
          }
          const changed = Uint8Array.from(edited);
          const report = await verify(
            [{ path: 'x', source: memorySource(changed) }],
            (await withTrust([], { at: AT })).options,
          );
          expect(report.inputs[0]?.findings.map(({ code }) => code)).not.toContain('input/internal-error');
          if (!Buffer.from(changed).equals(bundle)) expect(report.status).not.toBe(0);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('read what they hold or say why not, with any file exchanged for anything', async () => {
    const entries = entriesOf(bundle);
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
  });
});
