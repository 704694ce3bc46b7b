/** What the stores on disk show to other programs, and how they keep to their rules against hands and other writers (session-store 4, 5). */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memorySource } from '../../src/bytes/source.ts';
import { openSqlite } from '../../src/durable/sqlite.ts';
import { readSession } from '../../src/session/read.ts';
import { draft, type EntryDraft } from '../../src/session/write/draft.ts';
import { createdName, idOfFile, isFileId, projectKey } from '../../src/store/layout.ts';
import { endingOf, headerIdent } from '../../src/store/lineScan.ts';
import { jsonlStore, sqliteStore } from '../../src/store/open.ts';
import { conflictOf } from '../../src/store/refs.ts';
import { all, DISK, ids, info, leafLabelOn, leafOf, Place, refusal, user } from './harness.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(DISK, 'audit-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const HEADER = (format: string, rest = '') =>
  `{"created_at":"2026-10-02T12:00:00Z","format":"agentsession/${format}","id":"s","payload":"openresponses/2026-04-24","type":"session"${rest}}`;

describe('names of files', () => {
  it.each([
    ['', 'default'],
    [undefined, 'default'],
    ['/', 'default'],
    ['/srv/app/x', 'srv-app-x'],
    ['C:\\x', 'C--x'],
    ['//a', 'a'],
    ['..', 'default'],
    ['/..', 'default'],
    ['a/../b', 'a-..-b'],
  ])('the folder of %j is %j', (cwd, key) => {
    expect(projectKey(cwd, '/')).toBe(key);
  });

  it('a time is in UTC, cut to milliseconds', () => {
    expect(createdName('2026-10-02T14:00:00.123987+02:00')).toBe('2026-10-02T12-00-00.123Z');
    expect(createdName('2026-10-02t12:00:00z')).toBe('2026-10-02T12-00-00.000Z');
    expect(createdName('yesterday')).toBeUndefined();
  });

  it('an id is everything between the first underscore and the ending', () => {
    expect(idOfFile('2026_a_b.jsonl')).toBe('a_b');
    for (const none of ['a.jsonl', '_.jsonl', 'x_y.jsonl.lock', 'x_y.json']) expect(idOfFile(none)).toBeUndefined();
    for (const bad of ['', 'a/b', '..\\x', '*', 'a?', 'a[b', 'a\0b', 'x'.repeat(201)])
      expect(isFileId(bad)).toBe(false);
  });

  it('a session that no file could be named for is refused at once', async () => {
    const store = jsonlStore(folder);
    expect(await refusal(() => store.create({ id: '../outside' }))).toBe('bad_header');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a folder of sessions', () => {
  const create = async (cwd = '/srv/x') => {
    const store = jsonlStore(folder, { now: () => Date.parse('2026-10-02T12:00:00.5Z') });
    await store.create({ id: 's', cwd });
    return { store, file: join(folder, 'srv-x', '2026-10-02T12-00-00.500Z_s.jsonl') };
  };

  it('has the layout that other programs read', async () => {
    const { store, file } = await create();
    await store.append('s', user('hi'));
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^\{"created_at":.*"type":"session"\}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(`${file}.lock`, 'utf8'))).toEqual({
      pid: process.pid,
      host: hostname(),
      since: '2026-10-02T12:00:00.500Z',
    });
    expect(statSync(`${file}.lock`).mode & 0o777).toBe(0o600);
    await store.updateRef('chat/one', null, { session: 's' }, 'first');
    expect(JSON.parse(readFileSync(join(folder, 'refs.json'), 'utf8'))).toEqual({
      seq: 1,
      refs: { 'chat/one': { session: 's', entry: '', ident: headerIdent(new TextEncoder().encode(lines[0])) } },
    });
    expect(JSON.parse(readFileSync(join(folder, 'refs.log'), 'utf8'))).toMatchObject({
      seq: 1,
      name: 'chat/one',
      old: { session: '' },
      new: { session: 's' },
      reason: 'first',
    });
    await store.close();
    expect(readdirSync(join(folder, 'srv-x'))).toEqual(['2026-10-02T12-00-00.500Z_s.jsonl']);
  });

  it('a writer whose lock was broken and taken by another is refused until it releases', async () => {
    const { store } = await create();
    const other = jsonlStore(folder);
    await other.breakLock('s');
    await other.append('s', user('theirs'));
    for (let i = 0; i < 2; i++) expect(await refusal(() => store.append('s', user('mine')))).toBe('session_locked');
    await store.release('s');
    expect((await other.lockHolder('s'))?.pid).toBe(process.pid);
    await other.close();
    expect((await store.write('s', user('mine'))).outcome).toBe('continued');
    expect((await store.read('s')).size).toBe(2);
    await store.close();
  });

  it('a writer whose lock was broken is refused at once, though nothing is to be durable: not even into a file that is gone', async () => {
    for (const isGone of [false, true]) {
      const [mine, theirs] = [jsonlStore(folder, { sync: 'never' }), jsonlStore(folder)];
      const { header } = await mine.create({});
      await theirs.breakLock(header.id);
      await theirs.open(header.id);
      if (isGone) await theirs.delete(header.id);
      for (let i = 0; i < 2; i++)
        expect(await refusal(() => mine.append(header.id, user('mine')))).toBe('session_locked');
      await mine.close().catch(() => undefined);
      await theirs.close();
    }
  });

  it('a writer whose lock was moved away, or has a second name, takes nothing from the writer that came after', async () => {
    for (const how of ['moved', 'second name'] as const) {
      const [mine, theirs] = [jsonlStore(folder), jsonlStore(folder)];
      const { header } = await mine.create({ id: how.slice(0, 2) });
      const file = join(
        folder,
        'default',
        readdirSync(join(folder, 'default')).find((name) => name.endsWith('.lock')) ?? '',
      );
      if (how === 'moved') renameSync(file, `${file}.aside`);
      else {
        linkSync(file, `${file}.backup`);
        await theirs.breakLock(header.id);
      }
      await theirs.append(header.id, user('theirs'));
      expect(await refusal(() => mine.append(header.id, user('mine')))).toBe('concurrent_writer');
      expect(await refusal(() => mine.delete(header.id))).toBe('session_locked');
      // Another session in the place of the file: what is appended to the old one would be nowhere.
      await theirs.delete(header.id);
      await theirs.create({ id: header.id });
      const again = jsonlStore(folder);
      expect(await refusal(() => again.open(header.id))).toBe('session_locked');
      await Promise.all([mine.close(), again.close()]);
      await theirs.append(header.id, user('theirs'));
      expect((await theirs.read(header.id)).size).toBe(1);
      await theirs.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('a file that was removed or replaced under its writer takes no more entries', async () => {
    const { store, file } = await create();
    await store.append('s', user('a'));
    const bytes = readFileSync(file);
    rmSync(file);
    expect(await refusal(() => store.append('s', user('b')))).toBe('no_session');
    writeFileSync(file, bytes);
    expect((await store.write('s', user('b'))).outcome).toBe('continued');
    writeFileSync(`${file}.new`, bytes);
    renameSync(`${file}.new`, file);
    expect(await refusal(() => store.append('s', user('c')))).toBe('no_session');
    expect((await store.write('s', user('c'))).outcome).toBe('continued');
    expect((await store.read('s')).size).toBe(2);
    await store.close();
  });

  it('a writer beside which somebody wrote without a lock is refused until it releases', async () => {
    const { store, file } = await create();
    await store.append('s', user('a'));
    const foreign = readFileSync(file, 'utf8').split('\n')[1] ?? '';
    writeFileSync(file, `${readFileSync(file, 'utf8')}${foreign}\n`);
    for (let i = 0; i < 2; i++) expect(await refusal(() => store.append('s', user('b')))).toBe('concurrent_writer');
    await store.release('s');
    expect((await store.write('s', user('b'))).outcome).toBe('continued');
    expect((await store.open('s')).repeated).toHaveLength(1);
    await store.close();
  });

  it('a sync policy is kept, and what was durable is said', async () => {
    const durable = async (
      sync: 'every_append' | 'on_response' | 'never',
      entries: readonly EntryDraft[],
      records: string[] = [],
    ) => {
      const store = jsonlStore(join(folder, `${sync}${records.length}`), { sync, checks: 'written' });
      await store.create({ id: 's', records });
      const said: boolean[] = [];
      for (const entry of entries) said.push((await store.write('s', entry)).durable);
      await store.close();
      return said;
    };
    const output = draft('item', { item: { type: 'function_call_output', call_id: 'c', output: '1' } });
    const response = draft('response', { response_id: 'r', model: 'm', status: 'completed' });
    const dispatching = [user('a'), response, output, draft('outcome', { outcome: 'x' })];
    expect(await durable('every_append', dispatching)).toEqual([true, true, true, true]);
    expect(await durable('on_response', dispatching)).toEqual([false, true, true, false]);
    expect(await durable('never', dispatching)).toEqual([false, false, false, false]);
    expect(await durable('never', dispatching, ['outcome'])).toEqual([false, false, false, true]);
  });

  it('a held entry is as durable as what it was', async () => {
    const store = jsonlStore(folder, { sync: 'never' });
    await store.create({ id: 's' });
    const entry = user('a', { parent: null, ts: '2026-10-02T12:00:00Z' });
    expect(await store.write('s', entry)).toMatchObject({ outcome: 'continued', durable: false });
    expect(await store.write('s', entry)).toMatchObject({ outcome: 'held', durable: false });
    await store.sync('s');
    expect(await store.write('s', entry)).toMatchObject({ outcome: 'held', durable: true });
    await store.close();
  });

  it('a missing folder is an empty store to a reader, and nothing is made', async () => {
    const reader = jsonlStore(join(folder, 'none'), { readOnly: true });
    expect(await all(reader.list())).toEqual([]);
    expect(await refusal(() => reader.read('s'))).toBe('no_session');
    expect(await all(reader.listRefs(''))).toEqual([]);
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });

  it('a session that does not read is told of after the others, and does not hide them', async () => {
    const { store } = await create();
    writeFileSync(join(folder, 'srv-x', '2026-10-02T12-00-00.000Z_bad.jsonl'), 'no header\n');
    const found = await all(store.list());
    expect(found.map((row) => ('header' in row ? row.header.id : row.path?.slice(-9)))).toEqual(['s', 'bad.jsonl']);
    expect(await refusal(() => store.read('bad'))).toBe('unsupported_format');
    writeFileSync(join(folder, 'srv-x', '2026-10-02T12-00-00.000Z_bad.jsonl'), 'no header');
    expect(await refusal(() => store.open('bad'))).toBe('unsupported_format');
    expect(readFileSync(join(folder, 'srv-x', '2026-10-02T12-00-00.000Z_bad.jsonl'), 'utf8')).toBe('no header');
    await store.delete('bad');
    expect(await all(store.list())).toHaveLength(1);
    await store.close();
  });
});

describe('a header of an earlier format', () => {
  const place = (header: string, ...lines: string[]) => {
    mkdirSync(join(folder, 'default'), { recursive: true });
    const file = join(folder, 'default', '2026-10-02T12-00-00.000Z_s.jsonl');
    writeFileSync(file, [header, ...lines].map((line) => `${line}\n`).join(''), { mode: 0o640 });
    return file;
  };

  it('is raised by the first append and by nothing before it; every other byte stays', async () => {
    const kept = `{"id":"sha256:4a048e9fd95f92376717677433330ce703b61ef3b56381db083376a49fa57425","name":"Demo","parent":null,"ts":"2026-11-01T09:00:00Z","type":"info"}`;
    const file = place(HEADER('0.9', ', "x:b" : 1.0'), kept);
    const before = readFileSync(file, 'utf8');
    const store = jsonlStore(folder);
    await store.open('s');
    expect(
      await store.write('s', draft('info', { name: 'Demo' }, { parent: null, ts: '2026-11-01T09:00:00Z' })),
    ).toMatchObject({ outcome: 'held' });
    expect(await refusal(() => store.append('s', draft('item', {})))).toBe('bad_entry');
    expect(readFileSync(file, 'utf8')).toBe(before);
    await store.append('s', user('a'));
    const [header, first] = readFileSync(file, 'utf8').split('\n');
    expect(first).toBe(kept);
    expect(JSON.parse(header ?? '')).toEqual({
      ...JSON.parse(before.split('\n')[0] ?? ''),
      format: 'agentsession/0.14',
    });
    expect(statSync(file).mode & 0o777).toBe(0o640);
    await store.append('s', user('b'));
    const reader = jsonlStore(folder, { readOnly: true });
    expect((await reader.read('s')).size).toBe(3);
    await store.close();
  });

  it('a leftover of a raise that a crash stopped changes nothing', async () => {
    const file = place(HEADER('0.9'));
    writeFileSync(`${file}.tmp`, 'half a file');
    const store = jsonlStore(folder);
    await store.append('s', user('a'));
    expect((await store.read('s')).header.format).toBe('agentsession/0.14');
    expect(existsSync(`${file}.tmp`)).toBe(false);
    await store.close();
  });

  it('that may not be raised, or is below 0.5, is read and refuses appends', async () => {
    const file = place(HEADER('0.12', ',"redacted_from":{"session":"x"}'));
    const store = jsonlStore(folder);
    expect((await store.read('s')).header.format).toBe('agentsession/0.12');
    expect(await refusal(() => store.append('s', user('a')))).toBe('no_raise');
    await store.release('s');
    writeFileSync(file, `${HEADER('0.4')}\n`);
    expect((await store.read('s')).header.format).toBe('agentsession/0.4');
    expect(await refusal(() => store.append('s', user('a')))).toBe('unsupported_format');
    await store.close();
  });

  it('is a reset to a follower of the file', async () => {
    place(HEADER('0.9'));
    const store = jsonlStore(folder);
    const changes = store.follow('s')[Symbol.asyncIterator]();
    expect((await changes.next()).value.kind).toBe('snapshot');
    await store.append('s', user('a'));
    const { value } = await changes.next();
    expect([value.kind, value.session.size]).toEqual(['reset', 1]);
    await changes.return?.(undefined);
    await store.close();
  });
});

describe('leaf marks', () => {
  it.each(['memory', 'jsonl', 'sqlite'] as const)(
    'keep the head of a reader where the writer has it, whatever is appended: %s',
    { timeout: 60_000 },
    async (kind) => {
      const step = fc.oneof(
        fc.record({ act: fc.constant('append' as const), parent: fc.option(fc.nat(20)) }),
        fc.record({ act: fc.constant('head' as const), to: fc.option(fc.nat(20)) }),
        fc.record({ act: fc.constant('clear' as const), of: fc.nat(20) }),
        fc.record({ act: fc.constant('mark' as const), of: fc.nat(20) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
          const at = new Place(kind);
          try {
            const store = await at.open({ sync: 'never' });
            const live = await store.create({ id: 's' });
            const named = (index: number): string | null => ids(live)[index % Math.max(1, live.size)] ?? null;
            for (const [number, action] of steps.entries()) {
              if (action.act === 'append')
                await store.write(
                  's',
                  user(`n${number}`, action.parent === null ? {} : { parent: named(action.parent) }),
                );
              else if (action.act === 'mark') await store.write('s', leafLabelOn(named(action.of)));
              else if (action.act === 'clear' && live.size > 0)
                await store.write('s', draft('label', { label: null, target: named(action.of) }));
              else if (action.act === 'head')
                await refusal(() => store.setHead('s', live.leafId, action.to === null ? null : named(action.to)));
              const read = await store.read('s');
              expect([read.size, leafOf(read)]).toEqual([live.size, live.leafId]);
            }
            expect(await refusal(() => store.read('s'))).toBe('none');
          } finally {
            await at.end();
          }
        }),
        { numRuns: process.env['AUDIT_FUZZ'] === undefined ? (kind === 'memory' ? 60 : 15) : 1000 },
      );
    },
  );
});

describe('refs', () => {
  const name = fc
    .array(fc.constantFrom('a', 'A', 'b', 'ab', 'B'), { minLength: 1, maxLength: 3 })
    .map((segments) => segments.join('/'));

  it('conflict by the rule of prefixes, whichever of the two was first', () => {
    fc.assert(
      fc.property(name, name, (one, two) => {
        if (one === two) return;
        const prefixes = (of: string) => of.split('/').map((_, at, all) => all.slice(0, at + 1).join('/'));
        const nested = one.startsWith(`${two}/`) || two.startsWith(`${one}/`);
        const cased = prefixes(one).some((a) =>
          prefixes(two).some((b) => a !== b && a.toLowerCase() === b.toLowerCase()),
        );
        expect(conflictOf(one, [two]) !== undefined).toBe(nested || cased);
        expect(conflictOf(two, [one]) !== undefined).toBe(nested || cased);
      }),
    );
  });

  it('of a folder: a record that the document does not hold is completed by the next update', async () => {
    const store = jsonlStore(folder);
    await store.create({ id: 's' });
    await store.updateRef('a', null, { session: 's' });
    const before = readFileSync(join(folder, 'refs.json'));
    await store.updateRef('b', null, { session: 's' });
    writeFileSync(join(folder, 'refs.json'), before);
    await store.updateRef('c', null, { session: 's' });
    expect((await all(store.listRefs(''))).map((ref) => ref.name)).toEqual(['a', 'b', 'c']);
    expect(JSON.parse(readFileSync(join(folder, 'refs.json'), 'utf8')).seq).toBe(3);
    writeFileSync(join(folder, 'refs.log'), `${readFileSync(join(folder, 'refs.log'), 'utf8')}{"seq":4,"na`);
    await store.updateRef('c', { session: 's' }, null);
    expect(await all(store.refLog('c'))).toHaveLength(2);
    writeFileSync(join(folder, 'refs.log'), 'damage\n');
    expect(await refusal(() => store.resolveRef('a'))).toBe('corrupt');
    await store.close();
  });

  it('of a folder: records that an older document lacks all count, and no update loses them', async () => {
    const store = jsonlStore(folder);
    await store.create({ id: 's' });
    await store.updateRef('a', null, { session: 's' });
    const older = readFileSync(join(folder, 'refs.json'));
    for (const ref of ['b', 'c']) await store.updateRef(ref, null, { session: 's' });
    await store.updateRef('a', { session: 's' }, null);
    const names = async () => (await all(store.listRefs(''))).map((ref) => ref.name);
    writeFileSync(join(folder, 'refs.json'), older);
    expect(await names()).toEqual(['b', 'c']);
    rmSync(join(folder, 'refs.json'));
    expect(await names()).toEqual(['b', 'c']);
    await store.updateRef('d', null, { session: 's' });
    expect(await names()).toEqual(['b', 'c', 'd']);
    expect(JSON.parse(readFileSync(join(folder, 'refs.json'), 'utf8')).seq).toBe(5);
    // Without the records in between it cannot be told what the refs were.
    const [first = '', , third = ''] = readFileSync(join(folder, 'refs.log'), 'utf8').split('\n');
    writeFileSync(join(folder, 'refs.json'), older);
    writeFileSync(join(folder, 'refs.log'), `${first}\n${third}\n`);
    expect(await refusal(names)).toBe('corrupt');
    await store.close();
  });

  it.each(['null', '{"seq":2}', '{"seq":2,"refs":[]}', '{"seq":1e999,"refs":{}}', '{"seq":2,"refs":{"a":{}}}'])(
    'of a folder: a document that is %s is damage to every reader, and no update writes over it',
    async (text) => {
      const store = jsonlStore(folder);
      await store.create({ id: 's' });
      for (const ref of ['a', 'b']) await store.updateRef(ref, null, { session: 's' });
      for (const log of ['a log', 'no log']) {
        writeFileSync(join(folder, 'refs.json'), text);
        if (log === 'no log') rmSync(join(folder, 'refs.log'));
        expect(await refusal(() => store.resolveRef('a'))).toBe('corrupt');
        expect(await refusal(() => store.updateRef('c', null, { session: 's' }))).toBe('corrupt');
        expect(readFileSync(join(folder, 'refs.json'), 'utf8')).toBe(text);
        expect([...store.troubles()].map(({ finding }) => finding.code)).toContain('store/refs-damaged');
      }
      await store.close();
    },
  );

  it.each(['{"sesion":"s"}', '{}', '{"session":7}', '{"session":"s","entry":7}', '{"session":"s","ident":null}'])(
    'of a folder: a record whose target is %s removes nothing',
    async (target) => {
      const store = jsonlStore(folder);
      await store.create({ id: 's' });
      await store.updateRef('a', null, { session: 's' });
      const record = `{"seq":2,"name":"a","old":{"session":"s"},"new":${target},"at":"","reason":""}\n`;
      writeFileSync(join(folder, 'refs.log'), readFileSync(join(folder, 'refs.log'), 'utf8') + record);
      expect(await refusal(() => store.resolveRef('a'))).toBe('corrupt');
      expect(await refusal(() => all(store.refLog('a')))).toBe('corrupt');
      await store.close();
    },
  );
});

describe('media of a folder', () => {
  it('are not taken for kept where something that is no file has their name, or the name of their folder', async () => {
    const store = jsonlStore(folder);
    await store.create({ id: 's', media: 'sidecar' });
    const data = new TextEncoder().encode('picture');
    const hash = await store.putBlob(data);
    const image = draft('item', {
      item: { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: `sidecar:${hash}` }] },
    });
    const blob = join(folder, '.blobs', hash.slice(7));
    const spoil = [
      () => {
        rmSync(blob);
        mkdirSync(blob);
      },
      () => {
        rmSync(join(folder, '.blobs'), { recursive: true });
        writeFileSync(join(folder, '.blobs'), '');
      },
    ];
    for (const act of spoil) {
      act();
      expect(await refusal(() => store.putBlob(data))).toBe('corrupt');
      expect(await refusal(() => store.blob(hash))).toBe('no_blob');
      expect((await store.write('s', image)).unresolved).toEqual([hash]);
      expect(await store.sweepBlobs(-1)).toBe(0);
    }
    await store.close();
  });
});

describe('the end of a file', () => {
  const text = (content: string) => new TextEncoder().encode(content);
  it.each([
    ['H\n{"a":1}\n', 10, false, false],
    ['H\n{"a":1}', 9, true, false],
    ['H\n{"a":1}\n{"b', 10, false, true],
    ['H\n{"a":1}\n{"b\n', 10, false, true],
    ['H\n{"a":1}\n  ', 10, false, true],
    ['H\n{"a":1}\n  \n', 10, false, true],
    ['H\n{"a":1}\n{"b\n\n', 15, false, false],
    ['H\n', 2, false, false],
    ['{"ty', 4, true, false],
    ['', 0, false, false],
  ])('%j', (content, end, lacksLineFeed, torn) => {
    expect(endingOf(text(content))).toEqual({ end, lacksLineFeed, torn });
  });

  it('is judged as a reader judges it, cut anywhere', async () => {
    const store = jsonlStore(folder);
    await store.create({ id: 's' });
    for (const entry of [info('ä"\\'), user('𝄞'), draft('acme:x', { a: [1, { b: null }] })])
      await store.append('s', entry);
    const [file = ''] = readdirSync(join(folder, 'default')).filter((entry) => entry.endsWith('.jsonl'));
    const bytes = new Uint8Array(readFileSync(join(folder, 'default', file)));
    await store.close();
    const start = bytes.indexOf(0x0a) + 1;
    for (let end = start; end <= bytes.length; end++) {
      const cut = bytes.subarray(0, end);
      const { session } = readSession(memorySource(cut));
      expect([end, endingOf(cut).torn]).toEqual([end, session?.truncated !== undefined]);
      if (session?.truncated !== undefined) expect(endingOf(cut).end).toBe(session.truncated.offset);
    }
  });
});

describe('a database of sessions', () => {
  const path = () => join(folder, 's.db');

  it('has the tables that other programs read', async () => {
    const store = await sqliteStore(path(), { now: () => Date.parse('2026-10-02T12:00:00.5Z') });
    await store.create({ id: 's', cwd: '/srv/x', createdAt: '2026-10-02T14:00:00+02:00' });
    await store.append('s', info('Name'));
    const database = await openSqlite(path(), { commit: 'lazy', readOnly: true });
    expect(
      database
        .prepare('SELECT id, created_at, updated_at, cwd, parent_session, name, superseded_by FROM sessions')
        .all(),
    ).toEqual([
      {
        id: 's',
        created_at: '2026-10-02T12:00:00.000000000Z',
        updated_at: '2026-10-02T12:00:00.500000000Z',
        cwd: '/srv/x',
        parent_session: '',
        name: 'Name',
        superseded_by: '',
      },
    ]);
    expect(database.prepare('SELECT session_id, seq, parent, type FROM entries').all()).toEqual([
      { session_id: 's', seq: 1, parent: null, type: 'info' },
    ]);
    expect(
      database.prepare('SELECT pid, host, typeof(line) AS line FROM holders JOIN entries USING (session_id)').all(),
    ).toEqual([{ pid: process.pid, host: hostname(), line: 'text' }]);
    database.close();
    await store.close();
    const tool = spawnSync(
      'sqlite3',
      [path(), 'SELECT header FROM sessions; SELECT count(*) FROM holders; PRAGMA integrity_check;'],
      { encoding: 'utf8' },
    );
    if (tool.error === undefined) expect(tool.stdout).toMatch(/^\{"created_at".*\}\n0\nok\n$/);
  });

  it('a hold that was taken away refuses every append until it is released', async () => {
    const store = await sqliteStore(path());
    await store.create({ id: 's' });
    const other = await sqliteStore(path());
    await other.breakLock('s');
    await other.append('s', user('theirs'));
    for (let i = 0; i < 2; i++) expect(await refusal(() => store.append('s', user('mine')))).toBe('session_locked');
    expect(await refusal(() => store.delete('s'))).toBe('session_locked');
    await store.release('s');
    await other.close();
    expect((await store.write('s', user('mine'))).outcome).toBe('continued');
    await store.close();
  });

  it('a row that somebody wrote without a hold is told of as such', async () => {
    const store = await sqliteStore(path());
    await store.create({ id: 's' });
    await store.append('s', user('a'));
    const database = await openSqlite(path(), { commit: 'lazy' });
    database.exec("INSERT INTO entries SELECT session_id, 2, 'x', parent, type, line FROM entries");
    for (let i = 0; i < 2; i++) expect(await refusal(() => store.append('s', user('b')))).toBe('concurrent_writer');
    database.exec('DELETE FROM entries WHERE seq = 2');
    database.close();
    await store.release('s');
    expect((await store.write('s', user('b'))).outcome).toBe('continued');
    await store.close();
  });

  it('a header is raised in the transaction of the append', async () => {
    const store = await sqliteStore(path());
    await store.import(memorySource(new TextEncoder().encode(`${HEADER('0.14')}\n`)));
    await store.close();
    const database = await openSqlite(path(), { commit: 'lazy' });
    database.exec(`UPDATE sessions SET header = replace(header, '0.14', '0.9')`);
    database.close();
    const later = await sqliteStore(path());
    const changes = later.follow('s')[Symbol.asyncIterator]();
    await changes.next();
    await later.append('s', user('a'));
    expect((await changes.next()).value.kind).toBe('appended');
    await changes.return?.(undefined);
    expect((await later.read('s')).header.format).toBe('agentsession/0.14');
    await later.close();
  });

  it('rows with numbers that no store gives are read once each, or told of', async () => {
    const store = await sqliteStore(path());
    await store.create({ id: 's' });
    await store.append('s', info('a'));
    await store.close();
    const database = await openSqlite(path(), { commit: 'lazy' });
    for (const [seq, id] of [
      ['9007199254740993', 'x'],
      ['9223372036854775807', 'y'],
      ['-5', 'z'],
    ])
      database.exec(
        `INSERT INTO entries SELECT session_id, ${seq}, '${id}', parent, type, line FROM entries WHERE seq = 1`,
      );
    database.close();
    const reader = await sqliteStore(path(), { readOnly: true });
    expect((await reader.read('s')).size).toBe(1);
    const codes = [...reader.troubles()].map(({ finding }) => finding.code);
    expect(codes.length).toBeGreaterThanOrEqual(3);
    expect(new Set(codes)).toEqual(new Set(['store/row-differs']));
    await reader.close();
  });

  it('a reader sees what a writer appends; a snapshot is how it stood when it was opened', async () => {
    const writer = await sqliteStore(path());
    await writer.create({ id: 's' });
    await writer.close();
    const reader = await sqliteStore(path(), { readOnly: true });
    const snapshot = await sqliteStore(path(), { readOnly: true, snapshot: true });
    const later = await sqliteStore(path());
    await later.append('s', user('a'));
    expect((await reader.read('s')).size).toBe(1);
    expect((await snapshot.read('s')).size).toBe(0);
    // With a log beside it the copy would lack what stands there.
    const next = await sqliteStore(path(), { readOnly: true, snapshot: true });
    expect((await next.read('s')).size).toBe(1);
    for (const store of [reader, snapshot, next, later]) await store.close();
  });

  it("another program's tables are left alone", async () => {
    const database = await openSqlite(path(), { commit: 'lazy' });
    database.exec('CREATE TABLE entries (mine TEXT)');
    expect(await refusal(() => sqliteStore(path()))).toBe('layout');
    expect(database.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['entries']);
    database.close();
    await expect(sqliteStore(join(folder, 'none.db'), { readOnly: true })).rejects.toThrow();
    expect(existsSync(join(folder, 'none.db'))).toBe(false);
  });

  it('columns that an earlier release did not have are filled from the lines', async () => {
    const store = await sqliteStore(path());
    await store.create({ id: 's' });
    await store.append('s', info('Old'));
    await store.append('s', draft('link', { rel: 'continued_in', session: 'next' }));
    await store.close();
    const database = await openSqlite(path(), { commit: 'lazy' });
    database.exec(
      'ALTER TABLE sessions DROP COLUMN name; ALTER TABLE sessions DROP COLUMN superseded_by; DROP TABLE refs; DROP TABLE blobs; DROP TABLE ref_log',
    );
    database.close();
    const reader = await sqliteStore(path(), { readOnly: true });
    expect(await all(reader.listRefs(''))).toEqual([]);
    await reader.close();
    const later = await sqliteStore(path());
    expect(await all(later.list({ withNames: true }))).toMatchObject([{ name: 'Old', supersededBy: 'next' }]);
    await later.close();
  });
});
