/** Writers that are killed at random moments: nothing acknowledged is lost, everything opens, the torn tail is told of. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memorySource } from '../../src/bytes/source.ts';
import { readSession } from '../../src/session/read.ts';
import { isCondition } from '../../src/store/errors.ts';
import type { LineStore } from '../../src/store/lineStore.ts';
import { jsonlStore, sqliteStore } from '../../src/store/open.ts';
import { DISK, ids, user } from './harness.ts';

/** Kills for each kind of store; in lanes beside one another. */
const KILLS = process.env['AUDIT_FUZZ'] === undefined ? 20 : 200;
const LANES = 4;

let folder = '';
let built = '';
let program = '';
beforeAll(async () => {
  folder = mkdtempSync(join(DISK, 'audit-killed-'));
  // Beside the packages, so that the program finds SQLite's.
  mkdirSync('node_modules/.cache', { recursive: true });
  built = mkdtempSync('node_modules/.cache/audit-child-');
  await build({
    logLevel: 'error',
    configFile: false,
    publicDir: false,
    build: { ssr: 'test/store/child.ts', outDir: built, target: 'node20', emptyOutDir: false },
  });
  program = join(built, readdirSync(built).find((name) => /^child\.m?js$/.test(name)) ?? '');
});
afterAll(() => {
  for (const made of [folder, built]) if (made !== '') rmSync(made, { recursive: true, force: true });
});

interface Writer {
  readonly process: ChildProcess;
  /** The first line that it said. */
  readonly first: Promise<string>;
  /** It has acknowledged something. */
  readonly works: Promise<unknown>;
  /** Every whole line that it said, once it has ended. */
  readonly said: Promise<string[]>;
}

function writer(...args: string[]): Writer {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  const lines = (count: number): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (text.split('\n').length > count) resolve(text.split('\n')[0] ?? '');
      };
      child.stdout.on('data', look);
      child.once('close', () => resolve(text.split('\n')[0] ?? ''));
    });
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const said = new Promise<string[]>((resolve) => child.once('close', () => resolve(text.split('\n').slice(0, -1))));
  return { process: child, first: lines(1), works: lines(2), said };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Lets a writer work for a random time, kills it, and gives what it said. */
async function killed(run: Writer, longest = 40): Promise<string[]> {
  const [first] = await Promise.all([run.first, run.works]);
  await pause(Math.random() * longest);
  run.process.kill('SIGKILL');
  const said = await run.said;
  expect(first).toBe('ready');
  return said.slice(1);
}

async function openStore(kind: string, path: string, onStaleLock: () => void): Promise<LineStore> {
  return kind === 'sqlite' ? sqliteStore(path, { onStaleLock }) : jsonlStore(path, { onStaleLock });
}

/** The file of a session in a folder store. */
function sessionFile(path: string, id: string): string {
  const [name = ''] = readdirSync(join(path, 'default')).filter((candidate) => candidate.endsWith(`_${id}.jsonl`));
  return join(path, 'default', name);
}

/** Each session meets two kills, so that the second writer takes it over from a dead one. */
async function lane(kind: string, path: string, kills: number): Promise<{ acknowledged: number; torn: number }> {
  const acknowledged = new Map<string, string[]>();
  let torn = 0;
  for (let kill = 0; kill < kills; kill++) {
    const id = `s${kill >> 1}`;
    const said = acknowledged.get(id) ?? [];
    if (kill % 2 === 0) {
      const made = await openStore(kind, path, () => undefined);
      await made.create({ id });
      await made.close();
      acknowledged.set(id, said);
    }
    said.push(...(await killed(writer(kind, path, 'append', id))));
    // What a crash of the machine leaves in the middle of a write, more often than a kill does.
    const isTorn = kind === 'jsonl' && kill % 2 === 1;
    if (isTorn) appendFileSync(sessionFile(path, id), '{"id":"sha256:0123');
    let stale = 0;
    const store = await openStore(kind, path, () => stale++);
    const before = kind === 'jsonl' ? (await store.read(id)).truncated : undefined;
    const session = await store.open(id);
    expect(stale).toBe(1);
    // A reader and the writer that opens say the same of the tail.
    expect(session.truncated).toEqual(before);
    if (session.truncated !== undefined) torn++;
    if (isTorn) expect(session.truncated).toBeDefined();
    const held = new Set(ids(session));
    expect(said.filter((entry) => !held.has(entry))).toEqual([]);
    expect((await store.write(id, user(`after kill ${kill}`))).durable).toBe(true);
    said.push(session.leafId ?? '');
    await store.close();
  }
  const reader = await openStore(kind, path, () => undefined);
  for (const [id, said] of acknowledged) {
    const session = await reader.read(id);
    expect(session.truncated).toBeUndefined();
    const held = new Set(ids(session));
    expect(said.filter((entry) => !held.has(entry))).toEqual([]);
  }
  await reader.close();
  return { acknowledged: [...acknowledged.values()].flat().length, torn };
}

describe.each(['jsonl', 'sqlite'])('a writer to %s', (kind) => {
  it(`is killed ${KILLS} times and nothing that it acknowledged is lost`, { timeout: KILLS * 3_000 }, async () => {
    const lanes = Array.from({ length: LANES }, (_, at) =>
      lane(kind, join(folder, `${kind}-${at}${kind === 'sqlite' ? '.db' : ''}`), Math.ceil(KILLS / LANES)),
    );
    const outcomes = await Promise.all(lanes);
    const sum = (of: 'acknowledged' | 'torn') => outcomes.reduce((total, outcome) => total + outcome[of], 0);
    expect(sum('acknowledged')).toBeGreaterThan(KILLS);
    if (kind === 'sqlite') expect(sum('torn')).toBe(0);
    console.log(
      `${kind}: ${KILLS} kills, ${sum('acknowledged')} entries acknowledged and kept, ${sum('torn')} torn tails`,
    );
  });

  it('is the only one; when it is killed another takes the session over', async () => {
    const path = join(folder, `fight-${kind}${kind === 'sqlite' ? '.db' : ''}`);
    const made = await openStore(kind, path, () => undefined);
    await made.create({ id: 's' });
    await made.close();
    const two = [writer(kind, path, 'append', 's'), writer(kind, path, 'append', 's')];
    const firsts = await Promise.all(two.map(({ first }) => first));
    expect([...firsts].sort()).toEqual(['ready', 'refused session_locked']);
    const winner = two[firsts.indexOf('ready')] as Writer;
    const here = await openStore(kind, path, () => undefined);
    await expect(here.open('s')).rejects.toSatisfy((error) => isCondition(error, 'session_locked'));
    expect((await here.lockHolder('s'))?.pid).toBe(winner.process.pid);
    winner.process.kill('SIGKILL');
    await winner.said;
    expect((await here.write('s', user('mine now'))).outcome).toBe('continued');
    await here.close();
  });
});

it('a writer that raises headers is killed: every header is the old one or the new, and whole', async () => {
  const path = join(folder, 'raise');
  mkdirSync(join(path, 'default'), { recursive: true });
  const raised: string[] = [];
  for (let kill = 0; kill < KILLS / 5; kill++) raised.push(...(await killed(writer('jsonl', path, 'raise'), 200)));
  const store = jsonlStore(path);
  for (const line of raised) {
    const [id = '', entry = ''] = line.split(' ');
    const session = await store.read(id);
    expect([session.header.format, session.find(entry)]).toEqual(['agentsession/0.14', 0]);
  }
  for (const name of readdirSync(join(path, 'default')).filter((name) => name.endsWith('.jsonl'))) {
    const bytes = new Uint8Array(readFileSync(join(path, 'default', name)));
    // The file before the store came to it may itself have been cut by the kill.
    if (!bytes.includes(0x0a)) continue;
    const { session } = readSession(memorySource(bytes));
    expect(session?.header.format).toMatch(/^agentsession\/0\.(9|14)$/);
  }
  expect(raised.length).toBeGreaterThan(0);
  await store.close();
});

it('two writers that break each other’s lock lose nothing that either was told is kept, and leave no broken line', async () => {
  const path = join(folder, 'contend');
  const store = jsonlStore(path);
  await store.create({ id: 's' });
  await store.close();
  const writers = [1, 2].map(() => writer('jsonl', path, 'contend', 's'));
  const said = await Promise.all(writers.map(async (each) => (await each.said).slice(1)));
  for (const lines of said) expect(lines.length).toBeGreaterThan(20);
  const { session, findings } = readSession(memorySource(new Uint8Array(readFileSync(sessionFile(path, 's')))));
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const kept = new Set(session === undefined ? [] : ids(session));
  expect(said.flat().filter((id) => !kept.has(id))).toEqual([]);
});

it('an append that the system refuses half way is cut back, reported, and the session goes on from what was acknowledged', async () => {
  const path = join(folder, 'full');
  const made = jsonlStore(path);
  await made.create({ id: 's' });
  await made.close();
  // No file of this process may be longer than 300 KiB; a write across that is cut short.
  const command = `trap '' XFSZ; ulimit -f 300; exec "$0" "$@"`;
  const { stdout } = spawnSync('bash', ['-c', command, process.execPath, program, 'jsonl', path, 'append', 's'], {
    encoding: 'utf8',
  });
  const [first, ...said] = stdout.split('\n').slice(0, -1);
  expect([first, said.pop()]).toEqual(['ready', expect.stringMatching(/^refused .*the append failed: EFBIG/)]);
  const store = jsonlStore(path);
  const session = await store.open('s');
  expect([session.truncated, ids(session)]).toEqual([undefined, said]);
  expect((await store.write('s', user('more'))).outcome).toBe('continued');
  await store.close();
});

it('a last line cut at any byte is told of and cut off, and the entries before it stay', async () => {
  const path = join(folder, 'torn');
  const store = jsonlStore(path);
  await store.create({ id: 's' });
  const kept = await store.append('s', user('kept'));
  await store.append('s', user('lost: ä€𝄞'));
  await store.close();
  const file = sessionFile(path, 's');
  const whole = readFileSync(file);
  const start = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
  for (let end = start; end <= whole.length; end += end > start + 3 && end < whole.length - 60 ? 17 : 1) {
    writeFileSync(file, whole);
    truncateSync(file, end);
    const reader = jsonlStore(path, { readOnly: true });
    const read = await reader.read('s');
    const opened = await reader.open('s');
    expect(readFileSync(file).length).toBe(end);
    const isTorn = end > start && end < whole.length - 1;
    expect([read.truncated !== undefined, opened.truncated !== undefined]).toEqual([isTorn, isTorn]);
    const later = jsonlStore(path);
    const session = await later.open('s');
    expect(session.truncated).toEqual(read.truncated);
    expect(ids(session)[0]).toBe(kept);
    expect(session.size).toBe(end >= whole.length - 1 ? 2 : 1);
    await later.append('s', user('next'));
    await later.close();
    expect((await reader.read('s')).truncated).toBeUndefined();
    expect((await reader.read('s')).size).toBe(end >= whole.length - 1 ? 3 : 2);
  }
});
