import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatFindings, readEntries } from '../../src/journal/export.ts';
import { MemoryStore } from '../../src/journal/memory-store.ts';
import type { JournalStore } from '../../src/journal/port.ts';
import { replay, statusOf } from '../../src/journal/replay.ts';
import { recordRules, sequenceRules } from '../../src/journal/rules.ts';
import { Crashes, type CrashPoint, crashingProcess, Turnstile } from './crashes.ts';
import { type Drive, Driver, playToEnd, type Scenario, World } from './player.ts';

const FOLDER = new URL('scenarios/', import.meta.url);
const SCENARIOS = readdirSync(FOLDER)
  .sort()
  .map(
    (file) => [file.replace('.json', ''), JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Scenario] as const,
  );
const INTERLEAVED: ReadonlySet<string> = new Set([
  'charge',
  'two-effects-side-by-side',
  'gated-refund',
  'steps',
  'cancelled',
  'saga',
]);

async function objections(store: JournalStore, run: string): Promise<readonly string[]> {
  const entries = [];
  for await (const entry of store.load(run, -1n)) entries.push(entry);
  const { journal, findings } = readEntries(run, entries);
  if (journal === undefined) return findings.map(({ code }) => code);
  const played = replay(journal);
  return [...formatFindings(journal), ...recordRules(played), ...sequenceRules(played)]
    .filter(({ class: cls }) => cls !== 'none')
    .map(({ code, message, where }) => `${code} ${where.entry}: ${message}`);
}

function firedTwice(world: World): readonly string[] {
  return [...world.fired]
    .filter(([effect, times]) => times > 1 && !effect.startsWith('safe:'))
    .map(([effect]) => effect);
}

/** Plays with the given crashes, whichever process they hit, and gives what is wrong. */
async function play(
  scenario: Scenario,
  points: readonly CrashPoint[],
): Promise<{ end: Drive; wrong: readonly string[]; writes: number }> {
  const store = new MemoryStore();
  const world = new World();
  const crashes = new Crashes(points);
  let started = 0;
  const end = await playToEnd(scenario, world, () => crashingProcess(store, `${scenario.run} ${started++}`, crashes));
  const twice = firedTwice(world).map((effect) => `${effect} fired twice`);
  return { end, wrong: [...twice, ...(await objections(store, scenario.run))], writes: crashes.writes };
}

describe('an unsafe side effect fires at most once', () => {
  it.each(SCENARIOS)('%s: without a crash the run ends and its journal verifies', async (_, scenario) => {
    const { end, wrong } = await play(scenario, []);
    expect(wrong).toEqual([]);
    expect(['completed', 'aborted', 'cancelled']).toContain(end);
  });

  it.each(SCENARIOS)('%s: whatever write one process dies before or after', async (_, scenario) => {
    const { writes } = await play(scenario, []);
    expect(writes).toBeGreaterThan(4);
    for (let write = 0; write < writes; write++) {
      for (const when of ['before', 'after'] as const) {
        const { wrong } = await play(scenario, [{ write, when }]);
        expect(wrong, `crash ${when} write ${write}`).toEqual([]);
      }
    }
  });

  it.each(SCENARIOS)('%s: whatever writes two processes die at, one after the other', async (_, scenario) => {
    const { writes } = await play(scenario, []);
    for (let first = 0; first < writes; first++) {
      for (let second = 0; second < writes; second++) {
        for (const [a, b] of [
          ['before', 'after'],
          ['after', 'before'],
          ['after', 'after'],
          ['before', 'before'],
        ] as const) {
          const { wrong } = await play(scenario, [
            { write: first, when: a },
            { write: second, when: b },
          ]);
          expect(wrong, `crash ${a} write ${first}, then ${b} write ${second}`).toEqual([]);
        }
      }
    }
  });

  it.each(SCENARIOS.filter(([name]) => INTERLEAVED.has(name)))(
    '%s: however two drivers take turns',
    async (_, scenario) => {
      for (let first = 0; first < 40; first++) {
        for (let second = 0; second < 40; second += 3) {
          const { wrong, reached } = await interleave(scenario, first, second);
          expect(wrong, `A does ${first} operations, then B ${second}`).toEqual([]);
          if (!reached) break;
        }
      }
    },
  );
});

/** A store that breaks its first promise: every writer is told that its own bytes were stored. */
class LyingStore extends MemoryStore {
  override async insert(run: string, name: string, data: Uint8Array) {
    const { entry } = await super.insert(run, name, data);
    return { entry: { ...entry, data }, inserted: true };
  }
}

it('needs a store that takes each name once: over one that lies, two drivers fire twice', async () => {
  const scenario = SCENARIOS.find(([name]) => name === 'charge')?.[1] as Scenario;
  const wrong: string[] = [];
  for (let first = 8; first < 20; first++)
    for (let second = 8; second < 20; second++)
      wrong.push(...(await interleave(scenario, first, second, new LyingStore())).wrong);
  expect(wrong).toContain('c1 fired twice');
});

/** A does some operations, then B some, then A to its end, then B; then one process alone goes on to the end of the run. */
async function interleave(scenario: Scenario, first: number, second: number, store: JournalStore = new MemoryStore()) {
  const world = new World();
  const turnstile = new Turnstile();
  const run = async (who: string) => {
    const driver = new Driver(scenario, world, turnstile.wrap(who, crashingProcess(store, `${scenario.run} ${who}`)));
    try {
      await driver.drive();
    } finally {
      turnstile.finished(who);
    }
  };
  const both = [run('A'), run('B')];
  await turnstile.let('A', first);
  const did = await turnstile.let('B', second);
  await turnstile.let('A', Number.POSITIVE_INFINITY);
  await turnstile.let('B', Number.POSITIVE_INFINITY);
  await Promise.all(both);
  let later = 0;
  await playToEnd(scenario, world, () => crashingProcess(store, `${scenario.run} after ${later++}`));
  const twice = firedTwice(world).map((effect) => `${effect} fired twice`);
  return { wrong: [...twice, ...(await objections(store, scenario.run))], reached: did === second };
}

it('says of each scenario how its run ended', async () => {
  const ends = new Map<string, string>();
  for (const [name, scenario] of SCENARIOS) {
    const store = new MemoryStore();
    let started = 0;
    await playToEnd(scenario, new World(), () => crashingProcess(store, `${scenario.run} ${started++}`));
    const entries = [];
    for await (const entry of store.load(scenario.run, -1n)) entries.push(entry);
    const { journal } = readEntries(scenario.run, entries);
    ends.set(name, journal === undefined ? 'unreadable' : statusOf(replay(journal)).status);
  }
  expect(Object.fromEntries(ends)).toEqual({
    'cancelled-saga': 'cancelled',
    cancelled: 'cancelled',
    charge: 'completed',
    denied: 'completed',
    'gated-refund': 'completed',
    'known-failure': 'completed',
    'lost-connection': 'completed',
    quorum: 'completed',
    'read-only': 'completed',
    saga: 'aborted',
    steps: 'completed',
    'two-effects-side-by-side': 'completed',
  });
});
