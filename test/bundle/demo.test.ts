/** The demonstration is what it says that it is: `make demo` shows these files. */
import { describe, expect, it } from 'vitest';
import { decodeUtf8, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { withTrust } from '../../src/verify/options.ts';
import { verify } from '../../src/verify/verify.ts';
import { AT, codes, demo, exchanged, judge, verdict } from '../../vectors/bundle-scenes.ts';

const trust = decodeUtf8(demo.files.get('trust.json') ?? new Uint8Array()) as string;

describe('the demonstration', () => {
  it('is verified, and says of everything that it leaves open what would decide it', async () => {
    const report = await judge(demo.bundle.bytes, trust);
    const [input] = report.inputs;
    expect([report.status, codes(report)]).toEqual([0, []]);
    const open = (input?.claims ?? []).filter((claim) => claim.verdict !== 'verified').map(({ claim }) => claim);
    expect(open.sort()).toEqual(['payment.json: completeness', 'session.jsonl: requests', 'time']);
    for (const claim of open) expect(input?.missing.some((row) => row.claim === claim)).toBe(true);
    for (const claim of ['journal.json: approvals', 'session.jsonl: completeness', 'session.jsonl: time'])
      expect([claim, verdict(report, claim)]).toEqual([claim, 'verified']);
  }, 20_000);

  it('binds both approvers to certificates whose withdrawal would show', async () => {
    const journal = demo.files.get('journal.json') ?? new Uint8Array();
    const companions = [...demo.files].flatMap(([path, bytes]) =>
      path.startsWith('archive/') ? [{ path, source: memorySource(bytes) }] : [],
    );
    const heads = ['decisions-head.json', 'journal-head.json'].map((path) => ({
      path,
      source: memorySource(demo.files.get(path) ?? new Uint8Array()),
    }));
    const claimUnder = async (text: string) => {
      const { options } = await withTrust([{ path: 't.json', bytes: utf8(text) }], { at: AT, heads, companions });
      const report = await verify([{ path: 'journal.json', source: memorySource(journal) }], options);
      return verdict(report, 'approvals');
    };
    expect(await claimUnder(trust)).toBe('verified');
    const stranger = trust.replace('anna@shop.example', 'other@shop.example');
    expect(await claimUnder(stranger)).not.toBe('verified');
  }, 20_000);

  it('is not verified with the amount changed', async () => {
    const edited = exchanged(demo.bundle.bytes, 'inputs/session.jsonl', (data) =>
      utf8((decodeUtf8(data) as string).replaceAll('480.00', '180.00')),
    );
    const report = await judge(edited, trust);
    expect(report.status).toBe(1);
    expect(codes(report)).toEqual(expect.arrayContaining(['bundle/member-changed', 'session/id-mismatch']));
  }, 20_000);
});
