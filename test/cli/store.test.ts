/** `audit list`, `audit store verify|repair` over stores that hold what a crash or a hand left. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/durable/sqlite.ts';
import { draft } from '../../src/session/write/draft.ts';
import type { LineStore } from '../../src/store/lineStore.ts';
import { jsonlStore, sqliteStore } from '../../src/store/open.ts';
import type { Report } from '../../src/verify/report.ts';
import { info, user } from '../store/harness.ts';
import { audit } from './io.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-cli-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const KINDS = ['folder', 'database'] as const;
type Kind = (typeof KINDS)[number];
const pathOf = (kind: Kind) => join(folder, kind === 'folder' ? 'sessions' : 'sessions.db');
const open = async (kind: Kind): Promise<LineStore> =>
  kind === 'folder' ? jsonlStore(pathOf(kind)) : sqliteStore(pathOf(kind));
const asFolder = (path: string): void => {
  rmSync(path, { force: true });
  mkdirSync(path);
};
const pipe = (path: string): void => {
  rmSync(path, { force: true });
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
};
/** Acts as somebody who may read what is in the folder and write nothing there; whoever may do everything becomes somebody else for it. */
async function unwritable(act: () => Promise<void>): Promise<void> {
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
  chmodSync(folder, 0o555);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await act();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o755);
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
  }
}
const deadProcess = () => spawnSync(process.execPath, ['-e', '']).pid;

async function filled(kind: Kind): Promise<string> {
  const store = await open(kind);
  await store.create({ id: 's1', createdAt: '2026-10-02T12:00:00Z', cwd: '/srv/a', harness: { name: 'h' } });
  await store.append('s1', info('One'));
  await store.append('s1', user('hi'));
  await store.create({
    id: 's2',
    createdAt: '2026-10-02T13:00:00Z',
    cwd: '/srv/b',
    spawnedBy: 'call',
    parentSession: 's1',
  });
  await store.append('s2', user('hi'));
  await store.append('s1', draft('link', { rel: 'continued_in', session: 's2' }));
  await store.updateRef('main', null, { session: 's1' });
  await store.close();
  return pathOf(kind);
}

/** The path of a session's file. */
function fileOf(path: string, id: string): string {
  for (const project of readdirSync(path, { withFileTypes: true }))
    if (project.isDirectory())
      for (const name of readdirSync(join(path, project.name)))
        if (name.endsWith(`_${id}.jsonl`)) return join(path, project.name, name);
  throw new Error(`no file of ${id}`);
}

async function codes(path: string): Promise<{ status: number; codes: string[] }> {
  const { status, out } = await audit(['store', 'verify', path, '--format', 'json']);
  const report = JSON.parse(out) as { findings: { code: string }[] };
  return { status, codes: report.findings.map(({ code }) => code) };
}

describe.each(KINDS)('a %s of sessions', (kind) => {
  it('is listed newest first, with filters', async () => {
    const path = await filled(kind);
    const ids = async (...args: string[]) => {
      const { out, status } = await audit(['list', path, '--json', ...args]);
      expect(status).toBe(0);
      return out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { id: string }).id);
    };
    expect(await ids()).toEqual(['s2', 's1']);
    expect(await ids('--current')).toEqual(['s2']);
    expect(await ids('--cwd', '/srv/a')).toEqual(['s1']);
    expect(await ids('--harness', 'h')).toEqual(['s1']);
    expect(await ids('--parent', 's1')).toEqual(['s2']);
    expect(await ids('--top-level')).toEqual(['s1']);
    expect(await ids('--after', '2026-10-02T12:00:00Z')).toEqual(['s2']);
    expect(await ids('--before', '2026-10-02T15:00:00+02:00')).toEqual(['s1']);
    expect(await ids('--limit', '1')).toEqual(['s2']);
    expect((await audit(['list', path])).out).toContain('One');
    for (const wrong of [
      ['--limit', '0'],
      ['--after', 'noon'],
    ])
      expect((await audit(['list', path, ...wrong])).status).toBe(2);
  });

  it('that is whole verifies, and nothing of it is to be repaired', async () => {
    const path = await filled(kind);
    expect(await codes(path)).toEqual({ status: 0, codes: [] });
    const { status, out } = await audit(['store', 'repair', path]);
    expect([status, out]).toEqual([0, 'nothing to repair\n']);
  });

  it('whose entry was changed does not verify', async () => {
    const path = await filled(kind);
    if (kind === 'folder') {
      const file = fileOf(path, 's1');
      writeFileSync(file, readFileSync(file, 'utf8').replace('"text":"hi"', '"text":"ho"'));
    } else {
      const database = await openSqlite(path, { commit: 'durable' });
      database.exec(`UPDATE entries SET line = replace(line, '"text":"hi"', '"text":"ho"') WHERE session_id = 's1'`);
      database.close();
    }
    expect((await codes(path)).status).toBe(1);
  });

  it('tells of a ref to nothing, of media that is missing or is another', async () => {
    const path = await filled(kind);
    const store = await open(kind);
    await store.create({ id: 'm', media: 'sidecar' });
    const hash = await store.putBlob(new TextEncoder().encode('picture'));
    const image = (of: string) =>
      draft('item', {
        item: { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: `sidecar:${of}` }] },
      });
    await store.append('m', image(hash));
    await store.create({ id: 'gone' });
    await store.updateRef('lost', null, { session: 'gone' });
    await store.delete('gone');
    await store.close();
    expect(await codes(path)).toEqual({ status: 0, codes: ['store/ref-dangling'] });
    const { inputs } = JSON.parse((await audit(['store', 'verify', path, '--format', 'json'])).out) as Report;
    expect(inputs.flatMap(({ claims }) => claims.filter(({ claim }) => claim === 'media'))).toMatchObject([
      { verdict: 'verified', scope: '1 of 1 media file' },
    ]);
    const again = await open(kind);
    await again.append('m', image(`sha256:${'0'.repeat(64)}`));
    await again.close();
    expect(await codes(path)).toEqual({ status: 3, codes: ['store/ref-dangling', 'store/blob-missing'] });
    if (kind === 'folder') writeFileSync(join(path, '.blobs', hash.slice(7)), 'another');
    else {
      const database = await openSqlite(path, { commit: 'durable' });
      database.prepare('UPDATE blobs SET data = ?').run(Buffer.from('another'));
      database.close();
    }
    expect(await codes(path)).toEqual({
      status: 1,
      codes: ['store/ref-dangling', 'store/blob-mismatch', 'store/blob-missing'],
    });
    const healed = await open(kind);
    await healed.putBlob(new TextEncoder().encode('picture'));
    await healed.close();
    expect((await codes(path)).codes).toEqual(['store/ref-dangling', 'store/blob-missing']);
  });

  it('tells of holders: one at work is left alone, the lock of a dead one is removed', async () => {
    const path = await filled(kind);
    const store = await open(kind);
    await store.open('s1');
    expect(await codes(path)).toEqual({ status: 0, codes: ['store/held'] });
    const held = await audit(['store', 'repair', path]);
    expect([held.status, held.out.split('\n')[0]]).toEqual([
      0,
      expect.stringMatching(/^left as it is: process \d+ on /),
    ]);
    await store.append('s1', user('on'));
    await store.close();
    const dead = deadProcess();
    if (kind === 'folder')
      writeFileSync(
        `${fileOf(path, 's1')}.lock`,
        JSON.stringify({ pid: dead, host: hostname(), since: '2026-10-02T12:00:00Z' }),
      );
    else {
      const database = await openSqlite(path, { commit: 'durable' });
      database
        .prepare("INSERT INTO holders VALUES ('s1', ?, ?, 'token', '2026-10-02T12:00:00Z', '')")
        .run(dead, hostname());
      database.close();
    }
    expect(await codes(path)).toEqual({ status: 0, codes: ['store/stale-lock'] });
    expect((await audit(['store', 'repair', path, '--dry-run'])).out).toMatch(/^would be repaired: process /);
    expect((await codes(path)).codes).toEqual(['store/stale-lock']);
    expect((await audit(['store', 'repair', path])).out).toMatch(/^repaired: process /);
    expect((await codes(path)).codes).toEqual([]);
  });
});

describe.each(KINDS)('the lock of a %s', (kind) => {
  it('of a writer that is known to be gone is broken by name', async () => {
    const path = await filled(kind);
    if (kind === 'folder')
      writeFileSync(
        `${fileOf(path, 's1')}.lock`,
        JSON.stringify({ pid: 12, host: 'elsewhere.example', since: '2026-10-02T12:00:00Z' }),
      );
    else {
      const database = await openSqlite(path, { commit: 'durable' });
      database.exec(
        "INSERT INTO holders VALUES ('s1', 12, 'elsewhere.example', 'token', '2026-10-02T12:00:00Z', '2026-10-02T12:00:00Z')",
      );
      database.close();
    }
    expect((await codes(path)).codes).toEqual(['store/held']);
    expect((await audit(['store', 'break-lock', path, 's2'])).out).toMatch(
      /^free: session s2; a lock that does not say/,
    );
    expect((await codes(path)).codes).toEqual(['store/held']);
    const { status, out } = await audit(['store', 'break-lock', path, 's1']);
    expect([status, out]).toEqual([
      0,
      'free: session s1; process 12 on elsewhere.example held it since 2026-10-02T12:00:00Z\n',
    ]);
    expect(await codes(path)).toEqual({ status: 0, codes: [] });
    const store = await open(kind);
    await store.append('s1', user('on'));
    await store.close();
  });

  it('of no session is no lock, and a session and a store have to be named', async () => {
    const path = await filled(kind);
    const { status, err } = await audit(['store', 'break-lock', path, 'none']);
    expect([status, err]).toEqual([4, expect.stringContaining('there is no session none')]);
    for (const args of [[], [path], [path, 's1', 's2']])
      expect((await audit(['store', 'break-lock', ...args])).status).toBe(2);
  });
});

describe('a folder of sessions', () => {
  it('frees a session of a lock that does not say whose it is, and of nothing that is no file', async () => {
    const path = await filled('folder');
    const lock = `${fileOf(path, 's1')}.lock`;
    writeFileSync(lock, '');
    expect((await audit(['store', 'break-lock', path, 's1'])).status).toBe(0);
    expect(existsSync(lock)).toBe(false);
    mkdirSync(lock);
    const { status, err } = await audit(['store', 'break-lock', path, 's1']);
    expect([status, err]).toEqual([4, expect.stringContaining('_s1.jsonl.lock is no file')]);
  });

  it('is rid of torn tails, leftovers and half an update of a ref, and of no whole entry', async () => {
    const path = await filled('folder');
    const file = fileOf(path, 's1');
    const whole = readFileSync(file);
    appendFileSync(file, '{"id":"sha256:12');
    writeFileSync(`${file}.tmp`, 'half');
    appendFileSync(join(path, 'refs.log'), '{"seq":2,"name":"ma');
    expect(await codes(path)).toEqual({ status: 1, codes: ['store/torn-tail', 'store/leftover', 'store/refs-behind'] });
    expect((await audit(['store', 'repair', path])).status).toBe(0);
    expect(readFileSync(file)).toEqual(whole);
    expect(existsSync(`${file}.tmp`)).toBe(false);
    expect(await codes(path)).toEqual({ status: 0, codes: [] });
  });

  it('that a process writes is left as it is, and repair says so', async () => {
    const path = await filled('folder');
    const file = fileOf(path, 's1');
    appendFileSync(file, '{"id":"sha256:12');
    writeFileSync(`${file}.tmp`, 'half');
    for (const [lock, who] of [
      [
        JSON.stringify({ pid: process.pid, host: hostname(), since: '2026-10-02T12:00:00Z' }),
        `process ${process.pid} on `,
      ],
      ['', 'somebody whom its lock does not name'],
    ] as const) {
      writeFileSync(`${file}.lock`, lock);
      const before = readFileSync(file);
      for (const args of [[], ['--dry-run']]) {
        const { status, out } = await audit(['store', 'repair', path, ...args]);
        expect(status).toBe(0);
        expect(out.split('\n').filter((line) => line.startsWith(`left as it is: held by ${who}`))).toHaveLength(2);
        expect(out).not.toMatch(/repaired/);
      }
      expect(readFileSync(file)).toEqual(before);
      expect(existsSync(`${file}.tmp`)).toBe(true);
    }
  });

  it('whose writer was killed in the middle of a line is rid of the line and of the lock', async () => {
    const path = await filled('folder');
    const file = fileOf(path, 's1');
    appendFileSync(file, '{"id":"sha256:12');
    writeFileSync(
      `${file}.lock`,
      JSON.stringify({ pid: deadProcess(), host: hostname(), since: '2026-10-02T12:00:00Z' }),
    );
    const { out } = await audit(['store', 'repair', path]);
    expect(out.split('\n').map((line) => line.split(':')[0])).toEqual(['repaired', 'repaired', '']);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('has what can be repaired repaired where a step of it fails', async () => {
    const path = await filled('folder');
    appendFileSync(fileOf(path, 's1'), '{"id":"sha256:12');
    appendFileSync(join(path, 'refs.log'), '{"seq":2,"name":"ma');
    const lock = fileOf(path, 's2').replace('.jsonl', '.jsonl.lock');
    writeFileSync(lock, JSON.stringify({ pid: deadProcess(), host: hostname(), since: '2026-10-02T12:00:00Z' }));
    // The folder cannot be guarded: nothing in it can be decided.
    writeFileSync(join(path, 'srv-b', '.agentsession-guard.d'), '');
    utimesSync(join(path, 'srv-b', '.agentsession-guard.d'), 0, 0);
    const { status, out } = await audit(['store', 'repair', path]);
    expect(status).toBe(4);
    expect(out).toMatch(/^could not be repaired: a part of the path is not a folder: process /m);
    expect(out.match(/^repaired: /gm)).toHaveLength(2);
  });

  it('whose refs are ahead in the log reads them so, and repair completes the document', async () => {
    const path = await filled('folder');
    const before = readFileSync(join(path, 'refs.json'));
    const store = jsonlStore(path);
    await store.updateRef('main', { session: 's1' }, { session: 's2' });
    writeFileSync(join(path, 'refs.json'), before);
    expect(await store.resolveRef('main')).toEqual({ session: 's2' });
    await store.close();
    expect(await codes(path)).toEqual({ status: 0, codes: ['store/refs-behind'] });
    await audit(['store', 'repair', path]);
    expect(readFileSync(join(path, 'refs.json'), 'utf8')).toContain('"s2"');
    expect(await codes(path)).toEqual({ status: 0, codes: [] });
    writeFileSync(join(path, 'refs.json'), '{"seq":2,"refs":{"main":7}}');
    expect(await codes(path)).toEqual({ status: 1, codes: ['store/refs-damaged'] });
    expect((await audit(['store', 'repair', path])).status).toBe(1);
  });

  it('tells of two files of one id, and of a file under the name of another session', async () => {
    const path = await filled('folder');
    mkdirSync(join(path, 'other'));
    copyFileSync(fileOf(path, 's1'), join(path, 'other', '2026-10-02T12-00-00.000Z_s1.jsonl'));
    expect(await codes(path)).toEqual({ status: 1, codes: ['store/id-twice'] });
    renameSync(
      join(path, 'other', '2026-10-02T12-00-00.000Z_s1.jsonl'),
      join(path, 'other', '2026-10-02T12-00-00.000Z_s9.jsonl'),
    );
    expect(await codes(path)).toEqual({ status: 1, codes: ['store/id-differs'] });
  });

  const HASH = 'a'.repeat(64);
  const strange: readonly (readonly [
    what: string,
    put: (path: string, file: string) => void,
    codes: readonly string[],
  ])[] = [
    ['a folder named as a session', (_, file) => mkdirSync(file.replace('_s1', '_x')), ['store/not-a-file']],
    ['a folder named as a lock', (_, file) => mkdirSync(`${file}.lock`), ['store/not-a-file']],
    ['a folder named as a temporary file', (_, file) => mkdirSync(`${file}.tmp`), ['store/not-a-file']],
    ['a pipe named as a session', (_, file) => pipe(file.replace('_s1', '_x')), ['store/not-a-file']],
    ['a pipe named as a lock', (_, file) => pipe(`${file}.lock`), ['store/not-a-file']],
    [
      'a link to itself',
      (_, file) => symlinkSync(file.replace('_s1', '_x'), file.replace('_s1', '_x')),
      ['store/not-a-file'],
    ],
    ['a link to itself in the place of a folder', (path) => symlinkSync(join(path, 'x'), join(path, 'x')), []],
    ['a folder named refs.json', (path) => asFolder(join(path, 'refs.json')), ['store/refs-damaged']],
    ['a pipe named refs.json', (path) => pipe(join(path, 'refs.json')), ['store/refs-damaged']],
    ['a folder named refs.log', (path) => asFolder(join(path, 'refs.log')), ['store/refs-damaged']],
    ['a file in place of the blobs', (path) => writeFileSync(join(path, '.blobs'), ''), ['store/not-a-file']],
    [
      'a folder named as a blob',
      (path) => mkdirSync(join(path, '.blobs', HASH), { recursive: true }),
      ['store/not-a-file'],
    ],
  ];
  it.skipIf(process.platform === 'win32').each(strange)(
    'with %s is checked all the same, and what else is wrong is repaired',
    async (_, put, expected) => {
      const path = await filled('folder');
      appendFileSync(fileOf(path, 's2'), '{"id":"sha256:12');
      put(path, fileOf(path, 's1'));
      const found = await codes(path);
      expect(found.codes.toSorted()).toEqual(['store/torn-tail', ...expected].toSorted());
      expect((await audit(['list', path])).out).toContain('s1');
      const repaired = await audit(['store', 'repair', path]);
      expect(repaired.out).toMatch(/^repaired: \S+ ends in 16 bytes/m);
      expect((await codes(path)).codes).toEqual(expected);
    },
  );
});

it('a file that is no session loses nothing by a repair, wherever it stands', async () => {
  const path = join(folder, 'sessions', 'default');
  mkdirSync(path, { recursive: true });
  const file = join(path, '2026-10-02T12-00-00.000Z_s.jsonl');
  writeFileSync(file, '{"note":"no session"}\nprecious tail');
  await audit(['store', 'repair', join(folder, 'sessions')]);
  expect(readFileSync(file, 'utf8')).toBe('{"note":"no session"}\nprecious tail');
});

describe('a database of sessions', () => {
  const readers = (path: string) => [
    ['store', 'verify', path],
    ['store', 'repair', path, '--dry-run'],
    ['list', path],
  ];

  it('is read without a file written beside it', async () => {
    const path = await filled('database');
    const bytes = readFileSync(path);
    for (const args of readers(path)) {
      expect((await audit(args)).status).toBe(0);
      expect(readdirSync(folder)).toEqual(['sessions.db']);
    }
    expect(readFileSync(path)).toEqual(bytes);
  });

  it('is read as its writers have left it, what stands in their log included', async () => {
    const path = await filled('database');
    const store = await sqliteStore(path);
    await store.append('s2', info('Two'));
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    for (const name of [path, link]) expect((await audit(['list', name])).out).toContain('Two');
    await store.close();
  });

  it.skipIf(process.platform === 'win32')(
    'is read where nothing can be written; with a log beside it, what to do is said',
    async () => {
      const path = await filled('database');
      const runs = join(folder, 'runs.db');
      const made = await audit(['journal', 'new', runs, '--run', 'r1', '--input', 'Refund.'], {
        clock: 1_791_882_000_000_000_000n,
      });
      expect(made.status).toBe(0);
      const journal = ['journal', 'status', runs];
      await unwritable(async () => {
        for (const args of [...readers(path), journal]) expect([args, (await audit(args)).status]).toEqual([args, 0]);
      });
      for (const name of [path, runs]) {
        const database = await openSqlite(name, { commit: 'durable' });
        database.exec('CREATE TABLE later (x)');
        copyFileSync(`${name}-wal`, join(folder, 'wal'));
        database.close();
        renameSync(join(folder, 'wal'), `${name}-wal`);
        chmodSync(`${name}-wal`, 0o644);
      }
      await unwritable(async () => {
        for (const args of [...readers(path), journal]) {
          const { status, err } = await audit(args);
          expect([args, status, err]).toEqual([args, 4, expect.stringContaining('copy it, with the ')]);
        }
      });
    },
  );

  it('tells of columns that are not what the lines say, and of rows that are missing', async () => {
    const path = await filled('database');
    const change = async (sql: string) => {
      const database = await openSqlite(path, { commit: 'durable' });
      database.exec(sql);
      database.close();
    };
    await change("UPDATE sessions SET name = 'Two' WHERE id = 's1'");
    await change("UPDATE entries SET type = 'info' WHERE session_id = 's2'");
    expect(await codes(path)).toEqual({ status: 1, codes: ['store/row-differs', 'store/row-differs'] });
    await change(
      "UPDATE sessions SET name = 'One' WHERE id = 's1'; UPDATE entries SET type = 'item' WHERE session_id = 's2'",
    );
    for (const [column, right] of [
      ['cwd', '/srv/b'],
      ['parent_session', 's1'],
      ['created_at', '2026-10-02T13:00:00.000000000Z'],
    ]) {
      await change(`UPDATE sessions SET ${column} = 'x' WHERE id = 's2'`);
      expect(await codes(path)).toEqual({ status: 1, codes: ['store/row-differs'] });
      await change(`UPDATE sessions SET ${column} = '${right}' WHERE id = 's2'`);
      expect(await codes(path)).toEqual({ status: 0, codes: [] });
    }
    await change("DELETE FROM entries WHERE session_id = 's1' AND seq = 2");
    expect((await codes(path)).codes).toContain('store/row-differs');
  });

  it('whose pages are damaged, or which is of something else, is told of', async () => {
    const path = await filled('database');
    const database = await openSqlite(path, { commit: 'durable' });
    database.pragma('foreign_keys = OFF');
    database.exec("INSERT INTO entries VALUES ('none', 1, 'x', NULL, 'item', '{}')");
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    expect((await codes(path)).codes).toContain('store/database-damaged');
    const other = join(folder, 'other.db');
    const foreign = await openSqlite(other, { commit: 'durable' });
    foreign.exec('CREATE TABLE sessions (id TEXT, mine TEXT)');
    foreign.close();
    const { status, err } = await audit(['store', 'verify', other]);
    expect([status, err]).toEqual([4, expect.stringContaining('another program')]);
    truncateSync(other, 100);
    expect((await audit(['store', 'verify', other])).status).toBe(4);
  });

  it('is what journals of runs may be kept in too', async () => {
    const path = join(folder, 'runs.db');
    const clock = 1_791_882_000_000_000_000n;
    const run = (...args: string[]) => audit(['journal', ...args], { clock });
    expect((await run('new', path, '--run', 'r1', '--input', 'Refund.')).status).toBe(0);
    expect((await run('new', path, '--run', 'r2', '--input', 'Other.')).status).toBe(0);
    expect((await run('new', path, '--run', 'r1', '--input', 'Again.')).status).toBe(4);
    expect((await run('append', path, '--run', 'r1', '--signal', 'paid', '--value', '1')).status).toBe(0);
    expect((await run('append', path, '--run', 'none', '--signal', 'paid', '--value', '1')).status).toBe(4);
    expect((await run('append', path, '--run', 'r1', '--end', 'complete')).status).toBe(0);
    expect((await run('status', path, '--run', 'r1')).out).toContain('completed');
    expect((await run('show', path)).status).toBe(4);
    expect((await run('show', path, '--run', 'r2')).out).toContain('start');
    expect((await audit(['list', path])).err).toContain('it holds run journals');
  });
});

it.each(['verify', 'repair'])('a folder that is no store says so to %s, and no more', async (act) => {
  mkdirSync(join(folder, 'texts'));
  writeFileSync(join(folder, 'texts', 'text'), 'text');
  for (const path of [folder, join(folder, 'texts')]) {
    const { status, err } = await audit(['store', act, path]);
    expect([status, err]).toEqual([3, expect.stringContaining(`${path} holds no session in the place of a store`)]);
  }
});

it('a database of another program gets no tables from a repair', async () => {
  const path = join(folder, 'other.db');
  const other = await openSqlite(path, { commit: 'durable' });
  other.exec('CREATE TABLE mine (x)');
  expect((await audit(['store', 'repair', path])).status).toBe(4);
  expect(other.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['mine']);
  other.close();
});

it('what is no store is refused by name', async () => {
  writeFileSync(join(folder, 'text'), 'text');
  for (const path of [join(folder, 'text'), join(folder, 'none')])
    expect((await audit(['store', 'verify', path])).status).toBe(4);
  expect((await audit(['store', 'verify'])).status).toBe(2);
  expect((await audit(['store', 'repair', folder, folder])).status).toBe(2);
});
