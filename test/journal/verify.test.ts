import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OWN_VECTORS, openFolder } from '../../conformance/folder.ts';
import { operations } from '../../conformance/operations/journal.ts';
import { libraryAnswerer, ownSuite, runSuite } from '../../conformance/run.ts';
import { utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { formatPublicKey } from '../../src/crypto/keys.ts';
import type { Verdict } from '../../src/finding/finding.ts';
import { counted } from '../../src/finding/words.ts';
import { catalogue } from '../../src/journal/catalogue.ts';
import { decodeRecord } from '../../src/journal/decode.ts';
import { encodeRecord } from '../../src/journal/encode.ts';
import { encodeExport, encodeLines } from '../../src/journal/export.ts';
import { recordLeafHash } from '../../src/journal/leaf.ts';
import { MemoryStore } from '../../src/journal/memory-store.ts';
import { encode } from '../../src/json/shape.ts';
import { headShape, signHead } from '../../src/log/head.ts';
import { rootOfHashes } from '../../src/merkle/root.ts';
import { readTrust } from '../../src/trust/read.ts';
import { NO_TRUST, type Trust } from '../../src/trust/trust.ts';
import type { VerifyOptions } from '../../src/verify/kind.ts';
import { verify } from '../../src/verify/verify.ts';
import { crashingProcess } from './crashes.ts';
import { approverKey, playToEnd, type Scenario, World } from './player.ts';

const FOLDER = new URL('scenarios/', import.meta.url);

/** The stored bytes of a scenario's run. */
async function played(name: string): Promise<{ run: string; records: Uint8Array[] }> {
  const scenario = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as Scenario;
  const store = new MemoryStore();
  let started = 0;
  await playToEnd(scenario, new World(), () => crashingProcess(store, `${scenario.run} ${started++}`));
  const records: Uint8Array[] = [];
  for await (const entry of store.load(scenario.run, -1n)) records.push(entry.data);
  return { run: scenario.run, records };
}

async function reportOf(file: Uint8Array, options: Partial<VerifyOptions> = {}) {
  const report = await verify([{ path: 'run.json', source: memorySource(file) }], { trust: NO_TRUST, ...options });
  const [input] = report.inputs;
  if (input === undefined) throw new Error('no input');
  const claims = Object.fromEntries(input.claims.map(({ claim, verdict }) => [claim, verdict]));
  return { status: report.status, input, claims, codes: [...new Set(input.findings.map(({ code }) => code))].sort() };
}

async function head(run: string, records: readonly Uint8Array[], size = records.length) {
  const key = (await approverKey('the log')).private;
  const hashes = records.slice(0, size).map((record) => recordLeafHash(record) as Uint8Array);
  const signed = signHead(
    { kind: 'journal', run_id: run, size, root: rootOfHashes(hashes), timestamp_nanos: 1_791_893_000_000_000_000n },
    key,
  );
  return { path: 'head.json', source: memorySource(encode(headShape, signed)) };
}

async function trusting(approvers: readonly string[] = [], gates?: unknown): Promise<Trust> {
  const log = formatPublicKey((await approverKey('the log')).public);
  const keys = await Promise.all(
    approvers.map(async (approver) => [approver, formatPublicKey((await approverKey(approver)).public)] as const),
  );
  const file = {
    format: 'audit.trust.v1',
    keys: [{ name: 'log', roles: ['log'], key: log }],
    ...(keys.length === 0 ? {} : { approvers: Object.fromEntries(keys) }),
    ...(gates === undefined ? {} : { gates }),
  };
  const { trust, findings } = await readTrust([{ name: 'trust.json', bytes: utf8(JSON.stringify(file)) }]);
  expect(findings).toEqual([]);
  return trust;
}

const AT = 1_791_900_000_000_000_000n;

describe('a journal export', () => {
  it('verifies in integrity and sequence from its bytes alone, and says what is open', async () => {
    const { run, records } = await played('gated-refund');
    const { status, claims, input, codes } = await reportOf(encodeExport(run, records));
    expect(codes).toEqual([]);
    expect(status).toBe(0);
    expect(claims).toEqual({
      integrity: 'verified',
      sequence: 'verified',
      approvals: 'undecided',
      completeness: 'undecided',
      authorship: 'undecided',
      time: 'undecided',
    });
    for (const { claim, verdict } of input.claims)
      expect(
        input.missing.some((row) => row.claim === claim),
        claim,
      ).toBe(verdict === 'undecided');
    expect(input.counts).toMatchObject({
      records: records.length,
      turns: 2,
      calls: 1,
      gates: 1,
      decisions: 1,
      halts: 0,
    });
    expect(input.timeline.length).toBe(records.length);
    expect(input.timeline.map(({ text }) => text).join('\n')).toContain('somebody, unsigned, approved refund (call-1)');
  });

  it('is the same journal as one stored record a line', async () => {
    const { records } = await played('charge');
    const { status, claims, input } = await reportOf(encodeLines(records));
    expect(status).toBe(0);
    expect(claims['sequence']).toBe('verified');
    expect(input.subject['run']).toBeNull();
  });

  it('is complete as far as a signed head reaches, and no further', async () => {
    const { run, records } = await played('charge');
    const trust = await trusting();
    const whole = await reportOf(encodeExport(run, records), { trust, heads: [await head(run, records)], at: AT });
    expect(whole.claims).toMatchObject({ completeness: 'verified', authorship: 'verified', time: 'undecided' });
    const part = await reportOf(encodeExport(run, records), { trust, heads: [await head(run, records, 3)], at: AT });
    expect(part.claims['completeness']).toBe('verified');
    expect(part.input.claims.find(({ claim }) => claim === 'completeness')?.scope).toContain(
      `${counted(records.length - 3, 'later record')} unattested`,
    );
    const cut = await reportOf(encodeExport(run, records.slice(0, 3)), {
      trust,
      heads: [await head(run, records)],
      at: AT,
    });
    expect(cut.claims).toMatchObject({ completeness: 'failed', authorship: 'failed' });
    expect(cut.codes).toContain('journal/not-under-head');
    const unknown = await reportOf(encodeExport(run, records), { heads: [await head(run, records)], at: AT });
    expect(unknown.claims).toMatchObject({ completeness: 'undecided', authorship: 'undecided' });
    const other = await reportOf(encodeExport('another', records), {
      trust,
      heads: [await head(run, records)],
      at: AT,
    });
    expect(other.claims['completeness']).toBe('undecided');
    expect(other.input.not_supplied.join()).toContain('not a journal head of this run');
    const nothing = await reportOf(encodeExport(run, records), { trust, heads: [await head(run, records, 0)], at: AT });
    expect(nothing.claims).toMatchObject({ completeness: 'undecided', authorship: 'undecided' });
    expect(nothing.input.not_supplied.join()).toContain('one that was given is of size 0');
  });

  it('has its approvals counted again under approver keys and the expected policy', async () => {
    const { run, records } = await played('quorum');
    const policy = { need: 2, approvers: ['finance', 'risk', 'ops'], exclude_principal: true };
    const trust = await trusting(['finance', 'risk', 'ops'], [{ tool: 'pay', policy }]);
    const good = await reportOf(encodeExport(run, records), { trust, at: AT });
    expect([good.codes, good.claims['approvals'], good.status]).toEqual([[], 'verified', 0]);
    const stranger = await trusting(['finance', 'ops'], [{ tool: 'pay', policy }]);
    expect((await reportOf(encodeExport(run, records), { trust: stranger, at: AT })).claims['approvals']).not.toBe(
      'verified',
    );
  });

  it('of another format is hashed and not read', async () => {
    const { run, records } = await played('charge');
    const header = utf8(new TextDecoder().decode(records[0]).replace('v1-dev', 'v9'));
    const trust = await trusting();
    const changed = [header, ...records.slice(1)];
    const { status, claims } = await reportOf(encodeExport(run, changed), {
      trust,
      heads: [await head(run, changed)],
      at: AT,
    });
    expect(status).toBe(4);
    expect(claims).toMatchObject({ integrity: 'verified', sequence: 'undecided', completeness: 'verified' });
  });

  it('that does not read as a whole still says what is wrong with the records that do', async () => {
    const { run, records } = await played('charge');
    const file = encodeExport(run, [
      utf8('{'),
      ...records.slice(1, 3),
      utf8(new TextDecoder().decode(records[3]).replace(',"salt"', ', "salt"')),
    ]);
    const { status, codes, claims } = await reportOf(file);
    expect(codes).toEqual(['journal/not-canonical', 'journal/record-not-json']);
    expect(claims).toMatchObject({ integrity: 'undecided', sequence: 'undecided' });
    expect(status).toBe(1);
  });
});

describe('findings about journals', () => {
  it('each have a case in the vectors that this build finds them in', async () => {
    const result = await runSuite(ownSuite('journal'), libraryAnswerer(new Map(Object.entries(operations))));
    expect(result.misses).toEqual([]);
    const found = openFolder(OWN_VECTORS)?.text('journal/rules.json') ?? '';
    const without = Object.keys(catalogue.entries).filter((code) => !found.includes(`"${code}"`));
    // Only a head beside the journal can show this one: it is found above.
    expect(without).toEqual(['journal/not-under-head']);
  });
});

/** One edit of a journal at one record; undefined where it does not apply. */
type Edit = (records: readonly Uint8Array[], at: number) => readonly Uint8Array[] | undefined;

const swap = (records: readonly Uint8Array[], a: number, b: number) => {
  const copy = [...records];
  [copy[a], copy[b]] = [records[b] as Uint8Array, records[a] as Uint8Array];
  return copy;
};
const put = (records: readonly Uint8Array[], at: number, record: Uint8Array) =>
  records.map((old, i) => (i === at ? record : old));
const reencoded =
  (change: (record: ReturnType<typeof decoded>) => ReturnType<typeof decoded>): Edit =>
  (records, at) => {
    const bytes = encodeRecord(change(decoded(records[at] as Uint8Array)));
    return Buffer.from(bytes).equals(records[at] as Uint8Array) ? undefined : put(records, at, bytes);
  };
function decoded(bytes: Uint8Array) {
  const read = decodeRecord(bytes);
  if (!read.ok) throw new Error(read.problem.message);
  return read.record;
}

const EDITS: Readonly<Record<string, Edit>> = {
  removed: (records, at) => records.filter((_, i) => i !== at),
  'put one later': (records, at) => (at + 1 < records.length ? swap(records, at, at + 1) : undefined),
  'put first': (records, at) =>
    at === 0 ? undefined : [records[at] as Uint8Array, ...records.filter((_, i) => i !== at)],
  twice: (records, at) => [...records.slice(0, at + 1), records[at] as Uint8Array, ...records.slice(at + 1)],
  'another kind': reencoded((record) => ({ ...record, kind: record.kind === 'value' ? 'signal' : 'value' })),
  'another name': reencoded((record) => ({ ...record, name: `${record.name}x` })),
  'another result': reencoded((record) => ({ ...record, result: utf8('"forged"') })),
  'another salt': reencoded((record) => ({ ...record, salt: new Uint8Array(32).fill(9) })),
  'no salt': reencoded((record) => ({ ...record, salt: undefined })),
  'verdict turned': reencoded((record) => ({ ...record, approved: !record.approved })),
  'another time': reencoded((record) => ({ ...record, recordedAt: '2020-01-01T00:00:00.000Z' })),
  'white space': (records, at) => put(records, at, utf8(`${new TextDecoder().decode(records[at])} `)),
};

const WORSE: Readonly<Record<Verdict, number>> = { verified: 0, undecided: 1, failed: 2 };

describe('a journal that was tampered with', () => {
  it('loses a claim for every kind of record and every kind of edit, and never gains one', async () => {
    const table: string[] = [];
    let cells = 0;
    let withoutHead = 0;
    for (const scenario of ['quorum', 'lost-connection', 'saga', 'steps', 'denied']) {
      const { run, records } = await played(scenario);
      const trust = await trusting(
        ['finance', 'risk', 'ops'],
        [{ tool: 'pay', policy: { need: 2, approvers: ['finance', 'risk', 'ops'], exclude_principal: true } }].slice(
          0,
          scenario === 'quorum' ? 1 : 0,
        ),
      );
      const heads = [await head(run, records)];
      const before = await reportOf(encodeExport(run, records), { trust, heads, at: AT });
      const bare = await reportOf(encodeExport(run, records), { trust, at: AT });
      const seen = new Set<string>();
      for (const [at, bytes] of records.entries()) {
        const { kind, name } = decoded(bytes);
        const about = `${kind} ${name.replace(/[:/@].*/, '') || name.split('/')[0]}`;
        if (seen.has(about)) continue;
        seen.add(about);
        const row: string[] = [];
        for (const [edit, change] of Object.entries(EDITS)) {
          const changed = change(records, at);
          if (changed === undefined) continue;
          const after = await reportOf(encodeExport(run, changed), { trust, heads, at: AT });
          const alone = await reportOf(encodeExport(run, changed), { trust, at: AT });
          const lost = Object.entries(before.claims).filter(
            ([claim, verdict]) => (after.claims[claim] ?? 'undecided') !== verdict,
          );
          const lostAlone = Object.entries(bare.claims).filter(
            ([claim, verdict]) => (alone.claims[claim] ?? 'undecided') !== verdict,
          );
          cells++;
          if (lostAlone.length > 0 || alone.status !== bare.status) withoutHead++;
          row.push(`${edit}: ${lost.map(([claim]) => claim).join('+')}${lostAlone.length > 0 ? '' : ' (head)'}`);
          expect(lost.length, `${scenario} ${name} ${edit}`).toBeGreaterThan(0);
          expect(after.status, `${scenario} ${name} ${edit}`).not.toBe(0);
          for (const [claim, verdict] of Object.entries(before.claims)) {
            const now = (after.claims[claim] ?? 'undecided') as Verdict;
            if (claim !== 'approvals')
              expect(WORSE[now], `${scenario} ${name} ${edit} ${claim}`).toBeGreaterThanOrEqual(
                WORSE[verdict as Verdict],
              );
          }
        }
        table.push(`${scenario.padEnd(16)} ${about.padEnd(26)} ${row.join(' | ')}`);
      }
    }
    console.log(`claims lost by tampering, (head) where only the signed head shows it\n${table.join('\n')}`);
    console.log(`${cells} edits; ${withoutHead} change the report without a head, all with one`);
    expect(withoutHead).toBeGreaterThan(cells / 2);
  });

  it('does not take a decision of another run or another call', async () => {
    const { run, records } = await played('quorum');
    const policy = { need: 2, approvers: ['finance', 'risk', 'ops'], exclude_principal: true };
    const trust = await trusting(['finance', 'risk', 'ops'], [{ tool: 'pay', policy }]);
    const elsewhere = await reportOf(encodeExport('quorum-2', records), { trust, at: AT });
    expect(elsewhere.claims['approvals']).toBe('failed');
    const turned = records.map((bytes) => utf8(new TextDecoder().decode(bytes).replaceAll('9000000', '90000000')));
    const inflated = await reportOf(encodeExport(run, turned), { trust, at: AT });
    expect(inflated.claims['approvals']).toBe('failed');
  });
});

it('every scenario that stands in the folder is played', () => {
  expect(readdirSync(FOLDER).length).toBeGreaterThanOrEqual(10);
});
