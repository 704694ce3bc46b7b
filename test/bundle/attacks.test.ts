/**
 * The attack table of docs/threat-model.md: who can do what, and which claim changes, or that none can. The page and this file have the same
 * rows, each under its letter and number.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { demoJournal } from '../../scripts/demo/journal.ts';
import { trustFile } from '../../scripts/demo/keys.ts';
import { stamp, timeRoot } from '../../scripts/demo/timestamps.ts';
import { writeZip } from '../../src/bundle/zip.ts';
import { base64, concat, decodeUtf8, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { renderJson } from '../../src/report/json.ts';
import { withTrust } from '../../src/verify/options.ts';
import type { InputReport, Report } from '../../src/verify/report.ts';
import { verify } from '../../src/verify/verify.ts';
import {
  AT,
  bundleOf,
  codes,
  entriesOf,
  exchanged,
  headOver,
  insideOf,
  judge,
  people,
  session,
  signedAnew,
  trustText,
  verdict,
} from '../../vectors/bundle-scenes.ts';
import { Draft, hash, message } from '../session/draft.ts';

const honest = session('pay 480.00', 'paid', 'done');
const head = headOver(honest);

/** A session with heads beside it, under the trust file of the verifier. */
async function under(bytes: Uint8Array, heads: readonly Uint8Array[], more: object = {}): Promise<Report> {
  const { options } = await withTrust([{ path: 't.json', bytes: utf8(trustText) }], {
    at: AT,
    heads: heads.map((file, i) => ({ path: `head ${i}`, source: memorySource(file) })),
    ...more,
  });
  return verify([{ path: 'session.jsonl', source: memorySource(bytes) }], options);
}

async function journal(bytes: Uint8Array, trust = trustText): Promise<Report> {
  const { options } = await withTrust([{ path: 't.json', bytes: utf8(trust) }], { at: AT });
  return verify([{ path: 'run.json', source: memorySource(bytes) }], options);
}

const lines = (bytes: Uint8Array): string[] => (decodeUtf8(bytes) as string).trimEnd().split('\n');
const file = (rows: readonly string[]): Uint8Array => utf8(`${rows.join('\n')}\n`);
const replaced = (bytes: Uint8Array, from: string, to: string): Uint8Array =>
  utf8((decodeUtf8(bytes) as string).replace(from, to));
const input = (report: Report): InputReport => report.inputs[0] as InputReport;

/** Row of the table: what is done, and what it changes. */
const ATTACKS: Readonly<Record<string, () => Promise<void>>> = {
  async W1() {
    const report = await under(replaced(honest, '480.00', '180.00'), [head]);
    expect([report.status, verdict(report, 'integrity')]).toEqual([1, 'failed']);
  },
  async W2() {
    // Every id is computed again: nothing in the file shows it, only the head does.
    const rewritten = session('pay 180.00', 'paid', 'done');
    expect((await under(rewritten, [])).status).toBe(0);
    const report = await under(rewritten, [head]);
    expect(codes(report)).toContain('log/session-history');
    expect([report.status, verdict(report, 'completeness'), verdict(report, 'authorship')]).toEqual([
      1,
      'failed',
      'failed',
    ]);
  },
  async W3() {
    const report = await under(replaced(honest, '11:59:00Z', '10:59:00Z'), [head]);
    expect(codes(report)).toContain('log/session-other');
    expect(report.status).toBe(1);
  },
  async W4() {
    // A lie written down before the head was signed is signed like any truth.
    const lie = session('nobody asked me to pay');
    const report = await under(lie, [headOver(lie)]);
    expect([report.status, verdict(report, 'authorship')]).toEqual([0, 'verified']);
  },
  async K1() {
    const report = await under(file(lines(honest).slice(0, -1)), [head]);
    expect(codes(report)).toContain('log/session-truncated');
    expect([report.status, verdict(report, 'completeness')]).toEqual([1, 'failed']);
  },
  async K2() {
    const longer = session('pay 480.00', 'paid', 'done', 'and another thing');
    const report = await under(longer, [head]);
    expect(verdict(report, 'completeness')).toBe('verified');
    expect(input(report).claims.find(({ claim }) => claim === 'completeness')?.scope).toContain(
      '1 later entry unattested',
    );
  },
  async K3() {
    const report = await under(honest, [], { require: ['completeness', 'authorship'] });
    expect([report.status, verdict(report, 'completeness'), verdict(report, 'authorship')]).toEqual([
      3,
      'undecided',
      'undecided',
    ]);
  },
  async K4() {
    // An old head over a file that was cut back to it: complete as of then, and nothing shows that there was more.
    const [early, now] = [session('pay 480.00'), session('pay 480.00', 'paid')];
    expect(lines(now).slice(0, 2)).toEqual(lines(early));
    const report = await under(early, [headOver(early)]);
    expect([report.status, verdict(report, 'completeness')]).toEqual([0, 'verified']);
    expect(input(report).not_supplied).toContain('a later head of this session');
    expect((await under(early, [headOver(early), headOver(now)])).status).toBe(1);
  },
  async K5() {
    const [header, ...rest] = lines(honest) as [string, ...string[]];
    const report = await under(file([header, ...rest.reverse()]), [head]);
    expect(report.status).toBe(1);
  },
  async K6() {
    const shown = 'the invoice';
    const pictured = new Draft({ media: 'sidecar' });
    pictured.item(message('pay this', `sidecar:${hash(shown)}`));
    const folder = (text: string) => ({
      media: [{ path: `media/${hash(shown).slice('sha256:'.length)}`, source: memorySource(utf8(text)) }],
    });
    const bytes = utf8(pictured.text());
    const trusted = await under(bytes, [], { require: ['media'], ...folder(shown) });
    expect([trusted.status, verdict(trusted, 'media')]).toEqual([0, 'verified']);
    const swapped = await under(bytes, [], folder('another invoice'));
    expect([swapped.status, codes(swapped), verdict(swapped, 'media')]).toEqual([
      1,
      ['session/blob-mismatch'],
      'failed',
    ]);
    expect(verdict(await under(bytes, []), 'media')).toBe('undecided');
  },
  async L1() {
    // Two histories under one key: each holds alone, together they convict the log.
    const other = session('pay 180.00', 'paid', 'done');
    expect((await under(honest, [head])).status).toBe(0);
    expect((await under(other, [headOver(other)])).status).toBe(0);
    expect((await under(honest, [head, headOver(other)])).status).toBe(1);
  },
  async L2() {
    const report = await under(honest, [head], { require: ['time'] });
    const time = input(report).claims.find(({ claim }) => claim === 'time');
    expect([report.status, time?.verdict, time?.grade]).toEqual([3, 'undecided', 'asserted']);
  },
  async L3() {
    const { options } = await withTrust([{ path: 't.json', bytes: utf8(trustText) }], {
      at: AT - 3_600_000_000_000n,
      heads: [{ path: 'head', source: memorySource(head) }],
    });
    const report = await verify([{ path: 's', source: memorySource(honest) }], options);
    expect(codes(report)).toContain('log/head-future');
  },
  async B1() {
    const better = (report: Report) =>
      renderJson(report).replace('"1 of 1 path', '"9 of 9 path').replaceAll('6 entries', '7 entries');
    const bundle = await bundleOf(insideOf(honest), people.maker.key, (report) =>
      better({ ...report, totals: { ...report.totals, verified: 7 } }),
    );
    const report = await judge(bundle);
    expect(codes(report)).toContain('bundle/report-differs');
    expect([report.status, verdict(report, 'authorship'), verdict(report, 'reproduction')]).toEqual([
      1,
      'verified',
      'failed',
    ]);
  },
  async B2() {
    // The maker trusts a log key of their own: the report inside holds under it, the claims of the verifier do not.
    const own = { ...people, log: people.maker };
    const files = insideOf(honest).map((row) =>
      row.role === 'head'
        ? { ...row, bytes: headOver(honest, people.maker.key) }
        : row.role === 'trust'
          ? { ...row, bytes: utf8(trustFile(own)) }
          : row,
    );
    const report = await judge(await bundleOf(files));
    expect(verdict(report, 'reproduction')).toBe('verified');
    expect([report.status, verdict(report, 's.jsonl: authorship')]).toEqual([1, 'failed']);
    expect(input(report).findings.map(({ code }) => code)).toContain('bundle/other-trust');
  },
  async B3() {
    // What the maker leaves out from the start leaves no trace; the head that was not given is listed as missing.
    const files = insideOf(honest).filter(({ role }) => role !== 'head');
    const report = await judge(await bundleOf(files));
    expect([report.status, verdict(report, 's.jsonl: completeness')]).toEqual([0, 'undecided']);
    expect(input(report).not_supplied.join()).toContain('a signed head of this session');
  },
  async B4() {
    const other = entriesOf(await bundleOf(insideOf(session('other'))));
    const entries = entriesOf(await bundleOf(insideOf(honest))).map((entry) =>
      entry.name === 'report.dsse.json' ? (other.find(({ name }) => name === entry.name) ?? entry) : entry,
    );
    const report = await judge(await signedAnew(entries, people.maker.key));
    expect(codes(report)).toContain('bundle/attestation');
    expect(report.status).toBe(1);
  },
  async B5() {
    const ended = JSON.stringify({
      ...JSON.parse(trustText),
      keys: (JSON.parse(trustText).keys as object[]).map((key) => ({ ...key, until: '2026-11-01T00:00:00Z' })),
    });
    const bundle = await bundleOf(insideOf(honest));
    expect(codes(await judge(bundle, ended))).toContain('bundle/signer-time');
    // The time is the maker's own word: a key that was withdrawn can still sign for the time before.
    const early = await signedAnew(entriesOf(bundle), people.maker.key, { made: AT - 40n * 86_400_000_000_000n });
    expect(verdict(await judge(early, ended), 'authorship')).toBe('verified');
    // A token over the manifest dates it; one from before the time that it names convicts it.
    const over = async (made: Uint8Array, at: string) => {
      const manifest = entriesOf(made).find(({ name }) => name === 'manifest.dsse.json')?.bytes ?? new Uint8Array();
      const companions = [{ path: 'token', source: memorySource(stamp(manifest, at)) }];
      return verdict(await judge(made, trustFile(people, [base64(timeRoot)]), { companions }), 'time');
    };
    expect(verdict(await judge(bundle), 'time')).toBe('undecided');
    expect(await over(bundle, '2026-11-30T12:00:05Z')).toBe('verified');
    expect(await over(bundle, '2026-11-01T00:00:00Z')).toBe('failed');
  },
  async B6() {
    const bundle = await bundleOf(insideOf(honest));
    const lies = (data: Uint8Array) => concat(data, utf8('Everything is fine.\n'));
    const entries = entriesOf(exchanged(bundle, 'README.txt', lies));
    const report = await judge(await signedAnew(entries, people.maker.key));
    expect(codes(report)).toContain('bundle/page');
    expect(report.status).toBe(1);
  },
  async A1() {
    const report = await journal(demoJournal(people, ['anna', 'anna']));
    expect([report.status, verdict(report, 'approvals')]).toEqual([1, 'failed']);
  },
  async A2() {
    // The engine signs for chiara with a key of its own.
    const forged = { ...people, approvers: new Map([...people.approvers, ['chiara', people.maker] as const]) };
    const report = await journal(demoJournal(forged));
    expect([report.status, verdict(report, 'approvals')]).toEqual([1, 'failed']);
  },
  async A3() {
    const bytes = demoJournal(people, ['anna', 'chiara'], '{"amount":"980.00","order":"1041"}');
    const report = await journal(bytes);
    expect([report.status, verdict(report, 'approvals')]).toEqual([1, 'failed']);
  },
  async A4() {
    // Whoever holds the key is the approver: a signature says nothing of who moved the hand.
    expect(verdict(await journal(demoJournal(people)), 'approvals')).toBe('verified');
  },
  async M1() {
    const bundle = await bundleOf(insideOf(honest));
    expect((await judge(exchanged(bundle, 'inputs/s.jsonl', () => session('other')))).status).toBe(1);
    const bytes = bundle.slice();
    bytes[60] = (bytes[60] as number) ^ 1;
    expect((await judge(bytes)).status).toBe(4);
  },
  async M2() {
    const report = await judge(await signedAnew(entriesOf(await bundleOf(insideOf(honest))), people.log.key));
    expect(codes(report)).toContain('bundle/signature');
    expect([report.status, verdict(report, 'authorship'), verdict(report, 'contents')]).toEqual([
      1,
      'failed',
      'undecided',
    ]);
  },
  async M3() {
    // Without the manifest there is no bundle; without a trust file nobody is known.
    const bundle = await bundleOf(insideOf(honest));
    const rest = entriesOf(bundle).filter(({ name }) => name !== 'manifest.dsse.json');
    expect((await judge(writeZip(rest))).status).toBe(4);
    const report = await judge(bundle, null);
    expect([report.status, verdict(report, 'authorship'), verdict(report, 'contents')]).toEqual([
      3,
      'undecided',
      'undecided',
    ]);
  },
};

const page = readFileSync(new URL('../../docs/threat-model.md', import.meta.url), 'utf8');

describe('the attack table', () => {
  it('has the same rows in the threat model', () => {
    const rows = [...page.matchAll(/^\| ([A-Z][0-9]) \|/gm)].map(([, row]) => row);
    expect(rows).toEqual(Object.keys(ATTACKS));
  });
  for (const [row, attack] of Object.entries(ATTACKS)) {
    const says = new RegExp(`^\\| ${row} \\| ([^|]+) \\|`, 'm').exec(page)?.[1];
    it(`${row}: ${says ?? 'not in the threat model'}`, attack);
  }
});
