/**
 * Stores: a session appended entry by entry with a sync for each response, against the same bytes written and synced by plain calls; and
 * a store that is read, against reading and checking its bytes in memory.
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { compareBytes, concat } from '../src/bytes/encoding.ts';
import { memorySource } from '../src/bytes/source.ts';
import { LineReader } from '../src/session/lines.ts';
import { readSession } from '../src/session/read.ts';
import { draftOfLine, type EntryDraft } from '../src/session/write/draft.ts';
import { memberNamed, textMember } from '../src/session/write/value.ts';
import type { LineStore } from '../src/store/lineStore.ts';
import { jsonlStore, memoryStore, sqliteStore } from '../src/store/open.ts';
import { compare, fastest, type Measurement, time } from './bench.ts';
import { sessionFile } from './sessionFile.ts';

const TURNS = Number(process.env['AUDIT_BENCH_TURNS'] ?? 300);
/** `AUDIT_BENCH_STORE_MB=100` for the full size. */
const MEGABYTES = Number(process.env['AUDIT_BENCH_STORE_MB'] ?? 20);
const ROUNDS = 15;
const WARM_UP = 20;

interface Line {
  readonly bytes: Uint8Array;
  /** With its line feed. */
  readonly ended: Uint8Array;
  readonly id: string;
  readonly parent: string | null;
  readonly type: string;
  /** What a store that syncs for each response makes durable (session-store 1.18): a response, and the output of a call. */
  readonly isSynced: boolean;
}

interface Recording {
  /** With its line feed. */
  readonly header: Uint8Array;
  readonly lines: readonly Line[];
}

function recording(turns: number): Recording {
  const reader = new LineReader(memorySource(sessionFile({ turns, tools: true, size: 600, canonical: true })));
  const all: Uint8Array[] = [];
  while (reader.next()) all.push(reader.bytes.slice(reader.start, reader.end));
  const [header = new Uint8Array(0), ...rest] = all;
  const lines = rest.map((bytes) => {
    const draft = draftOfLine(bytes);
    const { type, id = '', parent = null } = draft;
    return { bytes, ended: ended(bytes), id, parent, type, isSynced: type === 'response' || isCallOutput(draft) };
  });
  return { header: ended(header), lines };
}

function isCallOutput({ type, body }: EntryDraft): boolean {
  const item = memberNamed(body, 'item');
  return type === 'item' && item?.kind === 'object' && textMember(item, 'type') === 'function_call_output';
}

function ended(line: Uint8Array): Uint8Array {
  return concat(line, Uint8Array.of(0x0a));
}

/**
 * Seconds that a writer takes for the lines of a recording, and to end. Each entry is made just before it is written, as a harness does, and
 * that is not counted: of thousands made beforehand each would have to be fetched from main memory first.
 */
async function write(
  { lines }: Recording,
  append: (line: Line, draft: EntryDraft, index: number) => unknown,
  end: () => unknown,
): Promise<number> {
  let seconds = 0;
  let index = 0;
  for (const line of lines) {
    const draft = draftOfLine(line.bytes);
    seconds += await time(() => append(line, draft, index++));
  }
  return seconds + (await time(end));
}

/**
 * The floor: one write a line, and the same syncs.
 *
 * @param work what is done before each line
 */
async function plainly(
  path: string,
  recorded: Recording,
  work?: (draft: EntryDraft) => Promise<unknown>,
): Promise<number> {
  const fd = openSync(path, 'wx');
  writeSync(fd, recorded.header);
  fsyncSync(fd);
  const put = ({ ended, isSynced }: Line): void => {
    writeSync(fd, ended);
    if (isSynced) fsyncSync(fd);
  };
  const append = work === undefined ? put : (line: Line, draft: EntryDraft) => work(draft).then(() => put(line));
  const seconds = await write(recorded, append, () => fsyncSync(fd));
  closeSync(fd);
  return seconds;
}

/**
 * The floor for a database: the same rows in the same tables, a transaction an entry, and the same syncs, by plain statements. What the
 * tables cost is the format's (session-store 5.2).
 */
async function plainRows(path: string, recorded: Recording): Promise<number> {
  const database = new Database(`${path}.db`);
  database.pragma('synchronous = FULL');
  database.pragma('wal_autocheckpoint = 4000');
  const of = (text: string) => database.prepare(text);
  const beat = of('UPDATE holders SET heartbeat = ?');
  const insert = of(
    'INSERT INTO entries (session_id, seq, id, parent, type, line) VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT))',
  );
  const update = of('UPDATE sessions SET updated_at = ?');
  const session = of('SELECT id FROM sessions').pluck().get() as string;
  const append = database.transaction(({ bytes, id, parent, type }: Line, seq: number) => {
    const now = `2026-10-02T12:00:00.${String(seq).padStart(9, '0')}Z`;
    beat.run(now);
    insert.run(session, seq, id, parent, type, bytes);
    update.run(now);
  }).immediate;
  let isFull = true;
  const put = (line: Line, _: EntryDraft, index: number): void => {
    if (line.isSynced !== isFull) database.pragma(`synchronous = ${line.isSynced ? 'FULL' : 'NORMAL'}`);
    isFull = line.isSynced;
    append(line, index + 1);
  };
  // A commit that is synced brings every earlier one to disk.
  const end = (): void => {
    database.pragma('synchronous = FULL');
    database.transaction(() => beat.run('2026-10-02T12:00:00.999999999Z')).immediate();
  };
  const seconds = await write(recorded, put, end);
  database.close();
  return seconds;
}

interface Place {
  readonly name: string;
  open(path: string): LineStore | Promise<LineStore>;
  /** Readies what the floor writes to; gives what ends that. */
  ready(path: string): Promise<() => Promise<void>>;
  plainly(path: string, recorded: Recording): Promise<number>;
}

const PLACES: readonly Place[] = [
  {
    name: 'a folder',
    open: (path) => jsonlStore(path, { sync: 'on_response' }),
    ready: async () => async () => {},
    plainly,
  },
  {
    name: 'SQLite',
    open: (path) => sqliteStore(`${path}.db`, { sync: 'on_response' }),
    ready: async (path) => {
      const store = await sqliteStore(`${path}.db`);
      await store.create({ createdAt: '2026-10-02T12:00:00Z' });
      // Open until the floor is done: it holds its session, as a writer does.
      return () => store.close();
    },
    plainly: plainRows,
  },
];

async function inFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'audit-bench-store-'));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Seconds that it takes to append a recording to a new session. */
async function appendAll(store: LineStore, recorded: Recording): Promise<number> {
  // A header without promises: what is promised would be synced at each entry, here the responses alone are.
  const { header } = await store.create({ createdAt: '2026-10-02T12:00:00Z' });
  return write(
    recorded,
    (_, draft) => store.append(header.id, draft),
    () => store.sync(header.id),
  );
}

/** Both sides have written the same bytes. */
async function checkSame(store: LineStore, { lines }: Recording): Promise<void> {
  for await (const found of store.list()) {
    if (!('header' in found)) throw found.failure;
    const session = await store.read(found.header.id);
    const differs = lines.findIndex(({ bytes }, i) => compareBytes(session.bytes(i), bytes) !== 0);
    if (session.size !== lines.length || differs >= 0) throw new Error(`entry ${differs} is not what was recorded`);
  }
}

function appends({ name, open, ready, plainly }: Place): Measurement {
  return {
    name: `append to ${name}, synced for each response, against plain writes and syncs`,
    most: 2,
    measure: () =>
      inFolder(async (folder) => {
        const recorded = recording(TURNS);
        // What is measured is a writer at work, not how its code is compiled.
        for (let round = 0; round < WARM_UP; round++) await appendAll(memoryStore(), recorded);
        const appending = async (round: number): Promise<number> => {
          const store = await open(join(folder, `store-${round}`));
          const seconds = await appendAll(store, recorded);
          if (round === 0) await checkSame(store, recorded);
          await store.close();
          return seconds;
        };
        const writing = async (round: number): Promise<number> => {
          const plain = join(folder, `plain-${round}`);
          const end = await ready(plain);
          const seconds = await plainly(plain, recorded);
          await end();
          return seconds;
        };
        const { a, b } = await fastest(appending, writing, ROUNDS);
        const count = recorded.lines.length;
        const rate = (seconds: number) => Math.round(count / seconds);
        return { ratio: a / b, detail: `${rate(a)} entries a second against ${rate(b)}, ${count} entries` };
      }),
  };
}

function reads({ name, open }: Place): Measurement {
  return {
    name: `read a session of ${MEGABYTES} MB from ${name}, against checking its bytes in memory`,
    most: 1.5,
    measure: () =>
      inFolder(async (folder) => {
        const one = sessionFile({ turns: 200, tools: true, size: 600, canonical: true });
        const bytes = sessionFile({
          turns: Math.ceil((200 * MEGABYTES * 1e6) / one.length),
          tools: true,
          size: 600,
          canonical: true,
        });
        const store = await open(join(folder, 'store'));
        const { header } = await store.import(memorySource(bytes));
        await store.release(header.id);
        const { a, b } = await compare(
          () => store.read(header.id),
          () => readSession(memorySource(bytes)),
          ROUNDS,
        );
        await store.close();
        const rate = (seconds: number) => Math.round(bytes.length / 1e6 / seconds);
        return { ratio: a / b, detail: `${rate(a)} MB/s against ${rate(b)} MB/s in memory` };
      }),
  };
}

/**
 * What the folder costs beside the checks: whoever works between two syncs is woken to cold memory, which a writer of ready bytes is not, so
 * the floor does the same work here.
 */
const appendsBesideChecks: Measurement = {
  name: 'append to a folder, synced for each response, against the same checks in memory with plain writes and syncs',
  most: 1.3,
  measure: () =>
    inFolder(async (folder) => {
      const recorded = recording(TURNS);
      const count = recorded.lines.length;
      let checks = Number.POSITIVE_INFINITY;
      for (let round = 0; round < WARM_UP; round++) checks = Math.min(checks, await appendAll(memoryStore(), recorded));
      const appending = async (round: number): Promise<number> => {
        const store = jsonlStore(join(folder, `store-${round}`), { sync: 'on_response' });
        const seconds = await appendAll(store, recorded);
        await store.close();
        return seconds;
      };
      const working = async (round: number): Promise<number> => {
        const memory = memoryStore();
        const { header } = await memory.create({ createdAt: '2026-10-02T12:00:00Z' });
        return plainly(join(folder, `plain-${round}`), recorded, (draft) => memory.append(header.id, draft));
      };
      const { a, b } = await fastest(appending, working, ROUNDS);
      const each = (seconds: number) => `${((seconds / count) * 1e6).toFixed(0)} µs`;
      return {
        ratio: a / b,
        detail: `${each(a)} an entry against ${each(b)}; the checks alone, without a sync: ${each(checks)}`,
      };
    }),
};

export const benches: readonly Measurement[] = [appendsBesideChecks, ...PLACES.map(appends), ...PLACES.map(reads)];
