import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openJournal, openJournalFile } from '../../cmd/journalFile.ts';
import { decodeUtf8, hex, utf8 } from '../../src/bytes/encoding.ts';
import { encodeRecord } from '../../src/journal/encode.ts';
import { MemoryStore } from '../../src/journal/memory-store.ts';
import { isReservedStepName, kindsOfName, names, parseChannel, parseSubRunLink } from '../../src/journal/names.ts';
import type { JournalStore } from '../../src/journal/port.ts';
import { EMPTY_RECORD } from '../../src/journal/record.ts';
import { limitsOf, replay } from '../../src/journal/replay.ts';
import { resolveHalt } from '../../src/journal/resolve.ts';
import {
  eventTurnRunId,
  isSessionRun,
  isSubRun,
  programSubRunId,
  rootRunId,
  sendTurnRunId,
  sessionRunId,
  subRunId,
} from '../../src/journal/run-id.ts';
import { jsonText, limitsValue } from '../../src/journal/write-values.ts';
import { JournalRefusal, JournalWriter } from '../../src/journal/writer.ts';
import { START, seededRandom, steppingClock } from './player.ts';

let folder = '';
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-store-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const STORES: readonly (readonly [string, () => JournalStore | Promise<JournalStore>])[] = [
  ['in memory', () => new MemoryStore()],
  [
    'in a file of lines',
    () => openJournalFile(join(folder, `${files++}.jsonl`), 'r', true, '2026-10-13T12:00:00.000Z'),
  ],
  ['in a database', () => openJournal(join(folder, `${files++}.db`), 'r', true, '2026-10-13T12:00:00.000Z')],
];
const line = (name: string, result = '1') =>
  encodeRecord({ ...EMPTY_RECORD, name, kind: 'value', result: utf8(result) });
async function all(store: JournalStore, after = -1n) {
  const entries = [];
  for await (const entry of store.load('r', after)) entries.push(entry);
  return entries;
}

describe.each(STORES)('a journal store %s', (_, open) => {
  it('takes each name once, and gives every writer the first bytes (A1, A6)', async () => {
    const store = await open();
    const first = line('x', '1');
    expect((await store.insert('r', 'x', first)).inserted).toBe(true);
    const second = await store.insert('r', 'x', line('x', '2'));
    expect([second.inserted, hex(second.entry.data)]).toEqual([false, hex(first)]);
    const racing = await Promise.all(
      Array.from({ length: 20 }, (__, i) => store.insert('r', 'race', line('race', String(i)))),
    );
    expect(racing.filter(({ inserted }) => inserted).length).toBe(1);
    expect(new Set(racing.map(({ entry }) => hex(entry.data))).size).toBe(1);
    expect((await all(store)).map(({ name }) => name)).toEqual(['x', 'race']);
  });

  it('loads in order, from after a position on, and lets the reader write meanwhile (A2, A4, A8)', async () => {
    const store = await open();
    for (const name of ['a', 'b', 'c']) await store.insert('r', name, line(name));
    const entries = await all(store);
    expect(entries.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(entries.every(({ seq }, i) => i === 0 || seq > (entries[i - 1]?.seq ?? 0n))).toBe(true);
    expect((await all(store, entries[0]?.seq)).map(({ name }) => name)).toEqual(['b', 'c']);
    for await (const { name } of store.load('r', -1n)) {
      await store.insert('r', `${name}'`, line(`${name}'`));
      if (name === 'b') break;
    }
    expect(await store.get('r', "a'")).toBeDefined();
    expect(await store.get('r', 'absent')).toBeUndefined();
    expect(await store.get('other', 'a')).toBeUndefined();
  });

  it('keeps its bytes whatever is done to the caller’s (A5)', async () => {
    const store = await open();
    const given = line('x');
    const before = hex(given);
    await store.insert('r', 'x', given);
    given.fill(0);
    expect(hex((await store.get('r', 'x'))?.data ?? given)).toBe(before);
  });
});

function writer(store: JournalStore, seed = 'writer'): JournalWriter {
  return new JournalWriter('r', { store, random: seededRandom(seed), now: steppingClock(START) });
}

describe('a journal writer', () => {
  it('puts one header first, however many write first', async () => {
    const store = new MemoryStore();
    await Promise.all(
      Array.from({ length: 16 }, (_, i) => writer(store, `w${i}`).record({ name: `s${i}`, kind: 'value' })),
    );
    const loaded = await all(store);
    expect(loaded[0]?.name).toBe('@journal');
    expect(loaded.filter(({ name }) => name === '@journal').length).toBe(1);
    expect(loaded.length).toBe(17);
  });

  it.each(['bide.journal.v999', 'bide.journal.v1', 'bide.journal.v1-dev.1'])(
    'refuses a run of format %s and writes nothing',
    async (format) => {
      const store = new MemoryStore();
      await store.insert(
        'r',
        '@journal',
        encodeRecord({ ...EMPTY_RECORD, name: '@journal', kind: 'header', format, salt: new Uint8Array(32) }),
      );
      for (const act of [
        () => writer(store).record({ name: 'x', kind: 'value' }),
        () => writer(store).step('x', true, async () => utf8('1')),
        () => writer(store).load(),
      ])
        await expect(act()).rejects.toBeInstanceOf(JournalRefusal);
      expect((await all(store)).length).toBe(1);
    },
  );

  it('refuses a run without a header, and one whose row was copied under another name', async () => {
    const headless = new MemoryStore();
    await headless.insert('r', 'x', line('x'));
    await expect(writer(headless).record({ name: 'y', kind: 'value' })).rejects.toThrow(/header/);
    const copied = new MemoryStore();
    await writer(copied).record({ name: 'x', kind: 'value' });
    await copied.insert('r', 'run:complete', line('x'));
    await expect(writer(copied).get('run:complete')).rejects.toThrow(/holds a record named x/);
    await expect(writer(copied).load()).rejects.toThrow(/another name/);
  });

  it('salts every record anew and tells its own from another’s', async () => {
    const store = new MemoryStore();
    const first = await writer(store, 'a').record({ name: 'x', kind: 'value', result: utf8('1') });
    const second = await writer(store, 'b').record({ name: 'x', kind: 'value', result: utf8('1') });
    expect([first.won, second.won]).toEqual([true, false]);
    const salts = (await all(store)).map(({ data }) => /"salt":"([^"]+)"/.exec(decodeUtf8(data) ?? '')?.[1]);
    expect(new Set(salts).size).toBe(salts.length);
  });

  it('runs a memoized step once, and halts one that may have fired', async () => {
    const store = new MemoryStore();
    let ran = 0;
    const run = async () => utf8(String(++ran));
    await writer(store).step('x', false, run);
    await writer(store, 'again').step('x', false, run);
    expect(ran).toBe(1);
    await expect(
      writer(store).step('y', false, async () => {
        throw new Error('lost');
      }),
    ).rejects.toThrow('lost');
    expect(await writer(store, 'later').step('y', false, run)).toEqual({ done: false, halted: 'attempt:step:y' });
    expect(ran).toBe(1);
  });

  it('claims again after an attempt that never began, under the next number', async () => {
    const store = new MemoryStore();
    const one = writer(store);
    const claim = await one.claimNext('attempt:step:pay', 'pay');
    expect(claim).toMatchObject({ won: true, marker: 'attempt:step:pay' });
    expect(await writer(store, 'other').claimNext('attempt:step:pay', 'pay')).toMatchObject({ won: false });
    if (claim.won) await one.notStarted(claim.marker, claim.claim, 'pay');
    expect(await writer(store, 'third').claimNext('attempt:step:pay', 'pay')).toMatchObject({
      won: true,
      marker: 'attempt:retry:1:step:pay',
    });
  });

  it('records a claim whose insert failed as never begun, before its next claim of anything', async () => {
    const inner = new MemoryStore();
    let fail = false;
    const store: JournalStore = {
      insert: async (run, name, data) => {
        const inserted = await inner.insert(run, name, data);
        if (fail && name.startsWith('attempt:step')) throw new Error('the connection was lost');
        return inserted;
      },
      get: (run, name) => inner.get(run, name),
      load: (run, after) => inner.load(run, after),
    };
    const one = writer(store);
    fail = true;
    await expect(one.claimNext('attempt:step:pay', 'pay')).rejects.toThrow('lost');
    fail = false;
    expect(await one.claimNext('attempt:step:pay', 'pay')).toMatchObject({
      won: true,
      marker: 'attempt:retry:1:step:pay',
    });
  });

  it('takes limits of the start and of every amendment in order', async () => {
    const store = new MemoryStore();
    const one = writer(store);
    await one.start({ input: jsonText('Go.'), maxTurns: 8, tokenBudget: 100, startedAt: one.now() });
    await one.record({ name: names.limits(0), kind: 'value', result: limitsValue(12, undefined) });
    await one.record({ name: names.limits(1), kind: 'value', result: limitsValue(undefined, 0) });
    const journal = await one.load();
    expect(journal === undefined ? undefined : limitsOf(replay(journal))).toEqual({ maxTurns: 12, tokenBudget: 0 });
  });

  it('resolves a halt only when there is one, it is old enough, and nobody else does', async () => {
    const store = new MemoryStore();
    const one = writer(store);
    const base = { kind: 'step', op: 'pay', cause: 'crashed', result: utf8('"paid"') } as const;
    expect(await resolveHalt(one, { ...base, nowMs: 0n })).toEqual({ status: 'no_live_attempt' });
    await one.claimNext('attempt:step:pay', 'pay');
    const now = START / 1_000_000n + 100n;
    await expect(resolveHalt(one, { ...base, op: '', nowMs: now })).rejects.toThrow(JournalRefusal);
    await expect(resolveHalt(one, { ...base, op: 'run:start', nowMs: now })).rejects.toThrow(JournalRefusal);
    await expect(resolveHalt(one, { ...base, cause: 'contended', nowMs: now })).rejects.toThrow(JournalRefusal);
    expect(await resolveHalt(one, { ...base, minimumAgeMs: 60_000n, nowMs: now })).toEqual({ status: 'too_young' });
    expect(await resolveHalt(one, { ...base, nowMs: now })).toEqual({ status: 'recorded' });
    expect(await resolveHalt(one, { ...base, nowMs: now })).toEqual({ status: 'agreed' });
    expect(await resolveHalt(one, { ...base, result: utf8('"no"'), nowMs: now })).toMatchObject({
      status: 'already_resolved',
    });
  });
});

describe('ids of runs', () => {
  it('tell sub-runs of agents and programs from turns of sessions', () => {
    const program = programSubRunId(subRunId('r', 'c 1'), 'kyc check');
    expect(program).toBe('r>c%201>step:kyc%20check');
    expect([isSubRun(program), rootRunId(program)]).toEqual([true, 'r']);
    for (const id of [sessionRunId('s'), sendTurnRunId('s', 3), eventTurnRunId('s', '@k')]) {
      expect([isSessionRun(id), isSubRun(id), rootRunId(id)], id).toEqual([true, false, id]);
      expect([isSubRun(subRunId(id, 'c1')), rootRunId(subRunId(id, 'c1'))]).toEqual([true, id]);
    }
  });
});

describe('names of records', () => {
  it('say which kinds go with them', () => {
    expect(kindsOfName(names.tool('a b'))).toEqual(['tool_result', 'saga_fail']);
    expect(kindsOfName('tool:a b')).toEqual([]);
    expect(kindsOfName(names.channel('orders:é', 'k'))).toEqual(['signal']);
    expect(kindsOfName('a developer’s step')).toEqual(['value']);
    expect(kindsOfName('audit:grant:x')).toBeUndefined();
    expect(kindsOfName('@later/1')).toBeUndefined();
  });

  it('of channels count bytes', () => {
    expect(names.channel('é', 'k:1')).toBe('chan:2:é:k:1');
    expect(parseChannel('chan:2:é:k:1')).toEqual({ ack: false, channel: 'é', key: 'k:1' });
    expect(parseChannel('chan:1:é:k')).toBeUndefined();
  });

  it('of sub-runs give back call and name', () => {
    expect(parseSubRunLink(names.subRun('c1', 'kyc check'))).toEqual({ call: 'c1', sub: 'kyc check' });
  });

  it('that the engine keeps for itself are no steps', () => {
    for (const name of ['@x', 'run:x', 'approval-deadline:c', 'approval-pending:c', 'turn/0', 'node:a'])
      expect(isReservedStepName(name)).toBe(true);
    expect(isReservedStepName('pay')).toBe(false);
  });
});

it('a file that holds a record twice is not opened for writing', async () => {
  const path = join(folder, 'twice.jsonl');
  const store = openJournalFile(path, 'r', true, '2026-10-13T12:00:00.000Z');
  await writer(store).record({ name: 'x', kind: 'value' });
  store.close();
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(path, `${[...lines, lines[1]].join('\n')}\n`);
  expect(() => openJournalFile(path, 'r', false, '2026-10-13T12:00:00.000Z')).toThrow(/has the name of record 1/);
});
