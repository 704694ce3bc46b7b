/** The cases of a store of session lines, by the numbers of session-store 11. Every kind of store passes the same. */
import { expect } from 'vitest';
import { utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { buildContext } from '../../src/session/context.ts';
import { draft, draftOfLine } from '../../src/session/write/draft.ts';
import { continueRef, continueSession, resolveCurrent, sessionFor } from '../../src/store/continuing.ts';
import type { Change, Summary } from '../../src/store/contract.ts';
import { DanglingRef, RefMoved } from '../../src/store/errors.ts';
import type { LineStore } from '../../src/store/lineStore.ts';
import { all, config, ids, info, leafLabelOn, leafOf, type Place, refusal, refusedAs, user } from './harness.ts';

export interface StoreCase {
  /** Of session-store 11. */
  readonly number: number;
  readonly name: string;
  /** Needs a second store value on the same place: one in memory has none. */
  readonly shared?: true;
  readonly run: (store: LineStore, place: Place) => Promise<void>;
}

const NOWHERE = `sha256:${'0'.repeat(64)}`;
const AT = (second: number): string => `2026-10-02T12:00:${String(second).padStart(2, '0')}Z`;

async function listed(store: LineStore, filter: Parameters<LineStore['list']>[0]): Promise<string[]> {
  return (await all(store.list(filter))).map((found) => ('header' in found ? found.header.id : `failure`));
}

/** Three sessions to look for. */
async function three(store: LineStore): Promise<void> {
  await store.create({
    id: 's1',
    createdAt: AT(1),
    cwd: '/srv/a',
    harness: { name: 'one' },
    extra: { 'x:tag': { a: 1, b: [2] } },
  });
  await store.create({
    id: 's2',
    createdAt: AT(2),
    cwd: '/srv/b',
    parentSession: 's1',
    spawnedBy: 'call_1',
    harness: { name: 'one' },
  });
  await store.create({
    id: 's3',
    createdAt: AT(3),
    cwd: '/srv/a',
    parentSession: 's1',
    extra: { 'x:tag': { b: [2], a: 1 }, 'x:more': true },
  });
  await store.append('s3', info('Third'));
  await store.append('s1', info('First'));
  await store.append('s1', info('First, renamed'));
  await store.append('s1', info(''));
}

/** A session `o` with a -> b -> c, and d beside b. */
async function tree(
  store: LineStore,
  init: Parameters<LineStore['create']>[0] = {},
): Promise<{ a: string; b: string; c: string; d: string }> {
  await store.create({ id: 'o', createdAt: AT(0), ...init });
  const a = await store.append('o', user('a'));
  const b = await store.append('o', user('b'));
  const c = await store.append('o', user('c'));
  const d = await store.append('o', user('d', { parent: a }));
  return { a, b, c, d };
}

/** Takes changes until the iteration has given so many. */
async function take(changes: AsyncIterator<Change>, count: number): Promise<Change[]> {
  const taken: Change[] = [];
  while (taken.length < count) {
    const { value, done } = await changes.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

/** Whether nothing comes for a while. The pending step is given back, to be awaited later. */
async function quiet(
  changes: AsyncIterator<Change>,
  milliseconds = 60,
): Promise<{ quiet: boolean; next: Promise<IteratorResult<Change>> }> {
  const next = changes.next();
  next.catch(() => undefined);
  const still = Symbol('still');
  const first = await Promise.race([
    next.catch(() => undefined),
    new Promise((resolve) => setTimeout(() => resolve(still), milliseconds)),
  ]);
  return { quiet: first === still, next };
}

const file = (...lines: readonly (string | Uint8Array)[]) =>
  memorySource(Buffer.concat(lines.flatMap((line) => [typeof line === 'string' ? utf8(line) : line, utf8('\n')])));

/** The lines of a session as a file. */
async function exported(store: LineStore, id: string): Promise<Uint8Array[]> {
  const session = await store.read(id);
  return [session.header.raw.bytes, ...ids(session).map((_, index) => session.bytes(index))];
}

export const CASES: readonly StoreCase[] = [
  {
    number: 1,
    name: 'create fills id, format, payload and time',
    run: async (store) => {
      const { header } = await store.create({});
      expect(header.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      expect(header.format).toBe('agentsession/0.14');
      expect(header.payload).toMatch(/^openresponses\//);
      expect(header.createdAt).toBe('2026-10-02T12:00:00.000Z');
    },
  },
  {
    number: 2,
    name: 'open returns an equal header',
    run: async (store, place) => {
      const { header } = await store.create({ cwd: '/srv/x', extra: { 'x:a': [1] } });
      expect((await store.open(header.id)).header).toEqual(header);
      const later = await place.reopen(store);
      expect((await later.open(header.id)).header.raw.bytes).toEqual(header.raw.bytes);
    },
  },
  {
    number: 3,
    name: 'opening an unknown id is no_session',
    run: async (store) => {
      for (const id of ['none', '', '../x', 'a/b', '*', '__proto__'])
        expect(await refusal(() => store.open(id))).toBe('no_session');
    },
  },
  {
    number: 4,
    name: 'creating a held id is session_exists',
    run: async (store, place) => {
      await store.create({ id: 's' });
      place.now += 60_000;
      expect(await refusal(() => store.create({ id: 's' }))).toBe('session_exists');
      await store.release('s');
      expect(await refusal(() => store.create({ id: 's', cwd: '/elsewhere' }))).toBe('session_exists');
    },
  },
  {
    number: 5,
    name: 'a supplied id is kept',
    run: async (store) => {
      expect((await store.create({ id: 'mine_with_underscores' })).header.id).toBe('mine_with_underscores');
      expect((await store.read('mine_with_underscores')).header.id).toBe('mine_with_underscores');
      expect(await refusal(() => store.read('underscores'))).toBe('no_session');
    },
  },
  {
    number: 6,
    name: 'append returns an id, the session sees it and its leaf moves',
    run: async (store) => {
      const session = await store.create({ id: 's' });
      const result = await store.write('s', user('hi'));
      expect(result).toMatchObject({ outcome: 'continued', durable: true, reopen: false, unresolved: [] });
      expect(session.find(result.id)).toBe(0);
      expect(session.leafId).toBe(result.id);
    },
  },
  {
    number: 7,
    name: "the second entry's parent is the first",
    run: async (store) => {
      const session = await store.create({ id: 's' });
      const first = await store.append('s', user('a'));
      const second = session.find(await store.append('s', user('b'))) ?? -1;
      expect(session.parent(second)).toBe(session.find(first));
    },
  },
  {
    number: 8,
    name: 'after branch, the append becomes a second child of that entry',
    run: async (store) => {
      const session = await store.create({ id: 's' });
      const a = await store.append('s', user('a'));
      await store.append('s', user('b'));
      session.branch(a);
      const c = await store.append('s', user('c'));
      expect(session.parent(session.find(c) ?? -1)).toBe(session.find(a));
      expect(session.leafId).toBe(c);
      expect(leafOf(await store.read('s'))).toBe(c);
    },
  },
  {
    number: 9,
    name: 'after resetLeaf, the append is a second root',
    run: async (store) => {
      const session = await store.create({ id: 's' });
      await store.append('s', user('a'));
      session.resetLeaf();
      const b = await store.append('s', user('b'));
      expect(session.parent(session.find(b) ?? -1)).toBe(-1);
      expect(leafOf(await store.read('s'))).toBe(b);
    },
  },
  {
    number: 10,
    name: 'an extension entry round trips with its type',
    run: async (store, place) => {
      await store.create({ id: 's' });
      const id = await store.append('s', draft('acme:note', { text: 'x', deep: { a: [1, null] } }));
      const session = await (await place.reopen(store)).read('s');
      const index = session.find(id) ?? -1;
      expect(session.entry(index)).toMatchObject({ kind: 'extension', type: 'acme:note' });
      expect(new TextDecoder().decode(session.bytes(index))).toContain('"deep":{"a":[1,null]}');
    },
  },
  {
    number: 11,
    name: 'append to an unknown session is no_session',
    run: async (store) => {
      expect(await refusal(() => store.append('none', user('a')))).toBe('no_session');
    },
  },
  {
    number: 12,
    name: 'a caller-set id that is not the hash is bad_id',
    run: async (store) => {
      await store.create({ id: 's' });
      expect(await refusal(() => store.append('s', user('a', { id: NOWHERE })))).toBe('bad_id');
    },
  },
  {
    number: 13,
    name: 'an unknown parent is no_entry',
    run: async (store) => {
      await store.create({ id: 's' });
      expect(await refusal(() => store.append('s', user('a', { parent: NOWHERE })))).toBe('no_entry');
    },
  },
  {
    number: 14,
    name: 'an item entry without an item is refused',
    run: async (store) => {
      await store.create({ id: 's' });
      expect(await refusal(() => store.append('s', draft('item', {})))).toBe('bad_entry');
    },
  },
  {
    number: 15,
    name: 'failed appends leave the entry count as it was',
    run: async (store, place) => {
      const session = await store.create({ id: 's' });
      await store.append('s', user('a'));
      await refusal(() => store.append('s', draft('item', {})));
      await refusal(() => store.append('s', user('b', { parent: NOWHERE })));
      expect(session.size).toBe(1);
      expect((await (await place.reopen(store)).open('s')).size).toBe(1);
    },
  },
  {
    number: 16,
    name: 'the context at the branch builds from settings and items',
    run: async (store) => {
      const session = await store.create({ id: 's' });
      await store.append('s', config('m'));
      const a = await store.append('s', user('a'));
      await store.append('s', user('b'));
      session.branch(a);
      const built = buildContext(session, session.path(session.leaf));
      expect(built.ok && [built.context.settings.model, built.context.items.length]).toEqual(['m', 1]);
    },
  },
  {
    number: 17,
    name: 'the same entry again returns the first id',
    run: async (store) => {
      await store.create({ id: 's' });
      const first = await store.append('s', user('a', { parent: null, ts: AT(5) }));
      await store.append('s', user('b'));
      expect(await store.write('s', user('a', { parent: null, ts: AT(5) }))).toMatchObject({
        id: first,
        outcome: 'held',
      });
    },
  },
  {
    number: 18,
    name: 'session and storage hold it once',
    run: async (store, place) => {
      const session = await store.create({ id: 's' });
      for (let i = 0; i < 3; i++) await store.append('s', user('a', { parent: null, ts: AT(5) }));
      expect(session.size).toBe(1);
      const read = await (await place.reopen(store)).read('s');
      expect([read.size, read.repeated.length]).toEqual([1, 0]);
    },
  },
  {
    number: 19,
    name: 'a link without session and a label without target keep their ids',
    run: async (store) => {
      const { ids: kept, session } = await foreignLines(store);
      expect(ids(session)).toEqual(kept);
    },
  },
  {
    number: 20,
    name: 'the same after open and after reopening',
    run: async (store, place) => {
      const { ids: kept } = await foreignLines(store);
      expect(ids(await store.open('s'))).toEqual(kept);
      expect(ids(await (await place.reopen(store)).open('s'))).toEqual(kept);
    },
  },
  ...listCases(),
  {
    number: 41,
    name: 'a successor has parent session, cwd and name of the old one',
    run: async (store) => {
      await retire(store);
      const next = await continueSession(store, 's');
      expect(next.header).toMatchObject({ parentSession: 's', cwd: '/srv/a' });
      expect(
        (await all(store.list({ withNames: true }))).find(
          (found) => 'header' in found && found.header.id === next.header.id,
        ),
      ).toMatchObject({ name: 'Old' });
    },
  },
  {
    number: 42,
    name: 'its first entry is a config, the summary its one item',
    run: async (store) => {
      await retire(store);
      const next = await continueSession(store, 's', {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'sum' }],
      });
      expect(next.kind(0)).toBe('config');
      expect(next.entry(0)).toMatchObject({ model: 'm' });
      expect(ids(next).filter((_, index) => next.kind(index) === 'item')).toHaveLength(1);
    },
  },
  {
    number: 43,
    name: 'the old session reports its successor',
    run: async (store) => {
      await retire(store);
      const next = await continueSession(store, 's');
      expect((await store.open('s')).successor).toBe(next.header.id);
    },
  },
  {
    number: 44,
    name: 'a listing shows the successor; a current one only that',
    run: async (store) => {
      await retire(store);
      const next = await continueSession(store, 's');
      const found = (await all(store.list({ withNames: true }))) as Summary[];
      expect(found.find(({ header }) => header.id === 's')?.supersededBy).toBe(next.header.id);
      expect(await listed(store, { current: true })).toEqual([next.header.id]);
    },
  },
  {
    number: 45,
    name: 'a second continue is superseded, as is another continued_in',
    run: async (store) => {
      await retire(store);
      const next = await continueSession(store, 's');
      expect(await refusal(() => continueSession(store, 's'))).toBe('superseded');
      expect(await refusal(() => store.append('s', draft('link', { rel: 'continued_in', session: 'other' })))).toBe(
        'superseded',
      );
      expect(
        await refusal(() => store.append('s', draft('link', { rel: 'continued_in', session: next.header.id }))),
      ).toBe('none');
      expect(await listed(store, {})).toHaveLength(2);
    },
  },
  {
    number: 46,
    name: 'open after delete is no_session',
    run: async (store) => {
      await store.create({ id: 's' });
      await store.delete('s');
      expect(await refusal(() => store.open('s'))).toBe('no_session');
      expect(await refusal(() => store.read('s'))).toBe('no_session');
    },
  },
  {
    number: 47,
    name: 'a second delete is no_session',
    run: async (store) => {
      await store.create({ id: 's' });
      await store.delete('s');
      expect(await refusal(() => store.delete('s'))).toBe('no_session');
    },
  },
  {
    number: 48,
    name: 'a deleted session is not listed',
    run: async (store) => {
      await store.create({ id: 's' });
      await store.delete('s');
      expect(await listed(store, {})).toEqual([]);
    },
  },
  {
    number: 49,
    name: 'its id can be created again',
    run: async (store) => {
      await store.create({ id: 's' });
      await store.append('s', user('a'));
      await store.delete('s');
      expect((await store.create({ id: 's' })).size).toBe(0);
      expect((await store.read('s')).size).toBe(0);
    },
  },
  ...forkCases(),
  ...readCases(),
  ...followCases(),
  ...refCases(),
  ...persistenceCases(),
  ...headCases(),
];

/** Lines of another writer: members that ours would not write. */
async function foreignLines(store: LineStore) {
  const source = await store.create({ id: 's' });
  const kept: string[] = [];
  for (const members of ['"rel":"fork_of","type":"link"', '"label":"note","type":"label"'])
    kept.push(await store.append('s', draftOfLine(utf8(`{${members},"ts":"2026-10-02T12:00:00Z"}`))));
  return { ids: kept, session: source };
}

async function retire(store: LineStore): Promise<void> {
  await store.create({ id: 's', createdAt: AT(0), cwd: '/srv/a' });
  await store.append('s', config('m'));
  await store.append('s', user('a'));
  await store.append('s', info('Old'));
}

function listCases(): StoreCase[] {
  const finds = (
    number: number,
    name: string,
    filter: Parameters<LineStore['list']>[0],
    wanted: string[],
  ): StoreCase => ({
    number,
    name,
    run: async (store, place) => {
      await three(store);
      expect(await listed(store, filter)).toEqual(wanted);
      expect(await listed(await place.reopen(store), filter)).toEqual(wanted);
    },
  });
  return [
    finds(21, 'all, newest first', {}, ['s3', 's2', 's1']),
    finds(22, 'by cwd', { cwd: '/srv/a' }, ['s3', 's1']),
    finds(23, 'by parent session', { parentSession: 's1' }, ['s3', 's2']),
    finds(24, 'after, exclusive', { after: AT(2) }, ['s3']),
    finds(25, 'before, exclusive', { before: '2026-10-02T14:00:02+02:00' }, ['s1']),
    finds(26, 'limit', { limit: 2 }, ['s3', 's2']),
    {
      number: 27,
      name: 'with names, the last non-empty one',
      run: async (store) => {
        await three(store);
        expect(
          (await all(store.list({ withNames: true }))).map((found) => ('header' in found ? found.name : '')),
        ).toEqual(['Third', undefined, 'First, renamed']);
      },
    },
    {
      number: 28,
      name: 'names together with cwd',
      run: async (store) => {
        await three(store);
        expect(
          (await all(store.list({ withNames: true, cwd: '/srv/a' }))).map((found) =>
            'header' in found ? found.name : '',
          ),
        ).toEqual(['Third', 'First, renamed']);
      },
    },
    finds(29, 'a filter matching nothing', { cwd: '/nowhere' }, []),
    finds(30, 'by harness name', { harness: 'one' }, ['s2', 's1']),
    finds(31, 'a harness nobody has', { harness: 'two' }, []),
    finds(32, 'top level leaves out spawned sessions', { topLevel: true }, ['s3', 's1']),
    finds(33, 'harness and top level together', { harness: 'one', topLevel: true }, ['s1']),
    finds(34, 'by an extra member', { extra: { 'x:more': true } }, ['s3']),
    finds(35, 'extra compared canonically', { extra: { 'x:tag': { b: [2.0], a: 1 } } }, ['s3', 's1']),
    finds(36, 'two extra members must both match', { extra: { 'x:tag': { a: 1, b: [2] }, 'x:more': true } }, ['s3']),
    finds(37, 'an extra member with another value', { extra: { 'x:more': false } }, []),
    finds(38, 'an extra member the header lacks', { extra: { 'x:none': 1 } }, []),
    {
      number: 39,
      name: 'extra with names and cwd',
      run: async (store) => {
        await three(store);
        expect(
          (await all(store.list({ withNames: true, cwd: '/srv/a', extra: { 'x:more': true } }))).map((found) =>
            'header' in found ? found.name : '',
          ),
        ).toEqual(['Third']);
      },
    },
    {
      number: 40,
      name: 'a listing may be left early',
      run: async (store) => {
        await three(store);
        for await (const found of store.list()) {
          expect('header' in found && found.header.id).toBe('s3');
          break;
        }
        expect(await listed(store, { limit: 1 })).toEqual(['s3']);
      },
    },
  ];
}

function forkCases(): StoreCase[] {
  return [
    {
      number: 50,
      name: 'a fork: base and parent kept, leaf at the base, prefix marked',
      run: async (store) => {
        const { a, b } = await tree(store);
        const session = await store.create({ id: 'f', base: b, parentSession: 'o' });
        expect(session.header).toMatchObject({ base: b, parentSession: 'o' });
        expect([session.leafId, ids(session), session.own(0), session.own(1)]).toEqual([b, [a, b], false, false]);
      },
    },
    {
      number: 51,
      name: 'its first append hangs from the base and is its own',
      run: async (store) => {
        const { b } = await tree(store);
        const session = await store.create({ id: 'f', base: b, parentSession: 'o' });
        const own = session.find(await store.append('f', user('own'))) ?? -1;
        expect([session.id(session.parent(own)), session.own(own)]).toEqual([b, true]);
      },
    },
    {
      number: 52,
      name: 'an append above the base is base_rule and no_entry',
      run: async (store) => {
        const { a, b } = await tree(store);
        await store.create({ id: 'f', base: b, parentSession: 'o' });
        expect(await refusal(() => store.append('f', user('x', { parent: a })))).toBe('base_rule');
        expect(await refusedAs(() => store.append('f', user('x', { parent: a })), 'no_entry')).toBe(true);
      },
    },
    {
      number: 53,
      name: 'a second root in a fork is base_rule',
      run: async (store) => {
        const { b } = await tree(store);
        await store.create({ id: 'f', base: b, parentSession: 'o' });
        expect(await refusal(() => store.append('f', user('x', { parent: null })))).toBe('base_rule');
      },
    },
    {
      number: 54,
      name: 'a base without a named parent finds its holder',
      run: async (store) => {
        const { b } = await tree(store);
        expect((await store.create({ id: 'f', base: b })).header.parentSession).toBe('o');
      },
    },
    {
      number: 55,
      name: "a base on a fork's prefix works",
      run: async (store) => {
        const { a, b } = await tree(store);
        await store.create({ id: 'f', base: b, parentSession: 'o' });
        expect(ids(await store.create({ id: 'g', base: a, parentSession: 'f' }))).toEqual([a]);
      },
    },
    {
      number: 56,
      name: 'a base not held is no_entry',
      run: async (store) => {
        await tree(store);
        expect(await refusal(() => store.create({ id: 'f', base: NOWHERE, parentSession: 'o' }))).toBe('no_entry');
        expect(await refusal(() => store.create({ id: 'f', base: 'x' }))).toBe('no_entry');
      },
    },
    {
      number: 57,
      name: 'another media form is refused',
      run: async (store) => {
        const { a, b } = await tree(store);
        expect(await refusal(() => store.create({ id: 'f', base: b, media: 'sidecar' }))).toBe('media_differs');
        await store.create({ id: 'f', base: b });
        expect(await refusal(() => store.create({ id: 'g', base: a, parentSession: 'f', media: 'sidecar' }))).toBe(
          'media_differs',
        );
      },
    },
    {
      number: 58,
      name: 'a leaf label as base is refused',
      run: async (store) => {
        const { a } = await tree(store);
        const label = await store.append('o', leafLabelOn(a));
        expect(await refusal(() => store.create({ id: 'f', base: label }))).toBe('no_entry');
      },
    },
    {
      number: 59,
      name: 'refused creates leave no session',
      run: async (store, place) => {
        const { b } = await tree(store);
        await refusal(() => store.create({ id: 'f', base: NOWHERE }));
        await refusal(() => store.create({ id: 'f', base: b, media: 'sidecar' }));
        expect(await listed(await place.reopen(store), {})).toEqual(['o']);
      },
    },
    {
      number: 60,
      name: 'the origin is unchanged',
      run: async (store) => {
        const { b } = await tree(store);
        const before = await exported(store, 'o');
        await store.create({ id: 'f', base: b });
        await store.append('f', user('own'));
        expect(await exported(store, 'o')).toEqual(before);
      },
    },
    {
      number: 61,
      name: 'after reopening all is as before and appends go on',
      run: async (store, place) => {
        const { b } = await tree(store);
        await store.create({ id: 'f', base: b });
        const own = await store.append('f', user('own'));
        const later = await place.reopen(store);
        const session = await later.open('f');
        expect([session.header.base, session.size, session.leafId, session.own(1), session.own(2)]).toEqual([
          b,
          3,
          own,
          false,
          true,
        ]);
        expect((await later.write('f', user('more'))).outcome).toBe('continued');
      },
    },
    {
      number: 62,
      name: 'a fork of a session that this handle has not opened',
      run: async (store, place) => {
        const { b } = await tree(store);
        const later = await place.reopen(store);
        expect((await later.create({ id: 'f', base: b, parentSession: 'o' })).leafId).toBe(b);
      },
    },
    {
      number: 63,
      name: 'the origin still opens and appends',
      run: async (store, place) => {
        const { b } = await tree(store);
        const later = await place.reopen(store);
        await later.create({ id: 'f', base: b });
        expect((await later.write('o', user('on'))).outcome).toBe('continued');
      },
    },
    {
      number: 64,
      name: "the fork takes the origin's payload",
      run: async (store) => {
        const { b } = await tree(store, { payload: 'openresponses/2026-01-01' });
        expect((await store.create({ id: 'f', base: b })).header.payload).toBe('openresponses/2026-01-01');
      },
    },
    {
      number: 65,
      name: 'a base converging an entry off its path is bad_convergence',
      run: async (store) => {
        const { c, d } = await tree(store);
        const e = await store.append('o', user('e', { parent: c, parents: [{ entry: d }] }));
        expect(await refusal(() => store.create({ id: 'f', base: e }))).toBe('bad_convergence');
      },
    },
    {
      number: 66,
      name: 'that refusal leaves no session; the payload survives reopening',
      run: async (store, place) => {
        const { b, c, d } = await tree(store, { payload: 'openresponses/2026-01-01' });
        const e = await store.append('o', user('e', { parent: c, parents: [{ entry: d }] }));
        await refusal(() => store.create({ id: 'f', base: e }));
        await store.create({ id: 'g', base: b });
        const later = await place.reopen(store);
        expect(await refusal(() => later.open('f'))).toBe('no_session');
        expect((await later.open('g')).header.payload).toBe('openresponses/2026-01-01');
      },
    },
  ];
}

function readCases(): StoreCase[] {
  return [
    {
      number: 67,
      name: 'reading a missing session is no_session',
      run: async (store) => {
        expect(await refusal(() => store.read('none'))).toBe('no_session');
      },
    },
    {
      number: 68,
      name: 'a session being written reads as a copy with the same entries and leaf',
      run: async (store) => {
        await tree(store);
        const [live, copy] = [await store.open('o'), await store.read('o')];
        expect(copy).not.toBe(live);
        expect([ids(copy), leafOf(copy)]).toEqual([ids(live), live.leafId]);
      },
    },
    {
      number: 69,
      name: "moving the copy's leaf does not move the writer's, nor the reverse",
      run: async (store) => {
        const { a, c } = await tree(store);
        const [live, copy] = [await store.open('o'), await store.read('o')];
        live.branch(a);
        expect(leafOf(copy)).not.toBe(a);
        live.branch(c);
        (copy as { leaf: number }).leaf = 0;
        expect(live.leafId).toBe(c);
      },
    },
    {
      number: 70,
      name: 'an unrecorded branch is not read',
      run: async (store) => {
        const { a, c } = await tree(store);
        (await store.open('o')).branch(a);
        expect(leafOf(await store.read('o'))).toBe(c);
      },
    },
    {
      number: 71,
      name: 'the copy does not grow; a second read sees the append',
      run: async (store) => {
        await tree(store);
        const copy = await store.read('o');
        const { size } = copy;
        await store.append('o', user('e'));
        expect([copy.size, (await store.read('o')).size]).toEqual([size, size + 1]);
      },
    },
    {
      number: 72,
      name: 'elsewhere open is session_locked and read works',
      shared: true,
      run: async (store, place) => {
        await tree(store);
        const other = await place.open();
        expect(await refusal(() => other.open('o'))).toBe('session_locked');
        expect(await refusal(() => other.append('o', user('x')))).toBe('session_locked');
        expect(await refusal(() => other.delete('o'))).toBe('session_locked');
        expect((await other.read('o')).size).toBe((await store.open('o')).size);
        expect((await store.write('o', user('e'))).outcome).toBe('continued');
      },
    },
    {
      number: 73,
      name: 'reading leaves a session free for the other store',
      shared: true,
      run: async (store, place) => {
        await tree(store);
        await store.release('o');
        await store.read('o');
        const other = await place.open();
        await other.append('o', user('x'));
        expect(await refusal(() => store.open('o'))).toBe('session_locked');
        expect((await store.read('o')).size).toBe((await other.open('o')).size);
      },
    },
  ];
}

function followCases(): StoreCase[] {
  return [
    {
      number: 74,
      name: 'a snapshot, then one change for each append',
      run: async (store) => {
        const { a, c } = await tree(store);
        const changes = store.follow('o')[Symbol.asyncIterator]();
        const [snapshot] = await take(changes, 1);
        expect(snapshot).toMatchObject({ kind: 'snapshot' });
        expect(snapshot?.session).not.toBe(await store.open('o'));
        expect(snapshot === undefined ? '' : leafOf(snapshot.session)).toBe(c);
        const pause = await quiet(changes);
        expect(pause.quiet).toBe(true);
        const e = await store.append('o', user('e'));
        const { value: first } = await pause.next;
        expect(first).toMatchObject({ kind: 'appended', id: e, entry: { kind: 'item' } });
        expect(first.cursor).not.toBe(snapshot?.cursor);
        expect(leafOf(first.session)).toBe(e);
        (await store.open('o')).branch(a);
        const second = await quiet(changes);
        expect(second.quiet).toBe(true);
        (await store.open('o')).branch(e);
        const f = await store.append('o', user('f'));
        expect((await second.next).value).toMatchObject({ kind: 'appended', id: f });
        await changes.return?.();
      },
    },
    {
      number: 75,
      name: 'an append elsewhere leaves the leaf; a leaf label gives appended, then head',
      run: async (store) => {
        const { a, c, d } = await tree(store);
        const changes = store.follow('o')[Symbol.asyncIterator]();
        await take(changes, 1);
        const x = await store.append('o', user('x', { parent: a }));
        const [first] = await take(changes, 1);
        expect(first).toMatchObject({ kind: 'appended', id: x, entry: { parent: a } });
        expect(first === undefined ? '' : leafOf(first.session)).toBe(c);
        await store.setHead('o', c, d);
        expect(await take(changes, 2)).toMatchObject([
          { kind: 'appended', entry: { kind: 'label' } },
          { kind: 'head', leaf: d },
        ]);
        await changes.return?.();
      },
    },
    {
      number: 76,
      name: 'a second store follows without taking the hold',
      shared: true,
      run: async (store, place) => {
        const { c, d } = await tree(store);
        const reader = await place.open({ readOnly: true });
        const changes = reader.follow('o')[Symbol.asyncIterator]();
        await take(changes, 1);
        const e = await store.append('o', user('e'));
        expect(await take(changes, 1)).toMatchObject([{ kind: 'appended', id: e }]);
        await store.setHead('o', e, d);
        expect(await take(changes, 2)).toMatchObject([{ kind: 'appended' }, { kind: 'head', leaf: d }]);
        expect(c).not.toBe(d);
        await changes.return?.();
      },
    },
    {
      number: 77,
      name: 'a cursor in the middle gives what landed since, in order, then what comes',
      run: async (store) => {
        await tree(store);
        const first = store.follow('o')[Symbol.asyncIterator]();
        const [snapshot] = await take(first, 1);
        await first.return?.();
        const e = await store.append('o', user('e'));
        const f = await store.append('o', user('f'));
        const changes = store.follow('o', snapshot?.cursor)[Symbol.asyncIterator]();
        const since = await take(changes, 2);
        expect(since).toMatchObject([{ id: e }, { id: f }]);
        const again = store.follow('o', since[1]?.cursor)[Symbol.asyncIterator]();
        const pause = await quiet(again);
        expect(pause.quiet).toBe(true);
        const g = await store.append('o', user('g'));
        expect((await pause.next).value).toMatchObject({ kind: 'appended', id: g });
        expect(await take(changes, 1)).toMatchObject([{ id: g }]);
        await changes.return?.();
        await again.return?.();
      },
    },
    {
      number: 78,
      name: 'a foreign cursor, and one of a session made anew, give reset',
      run: async (store, place) => {
        await tree(store);
        for (const cursor of ['', 'x', '999999:1:2:3', '7:7', '12:0000000000000000']) {
          const changes = store.follow('o', cursor)[Symbol.asyncIterator]();
          expect(await take(changes, 1)).toMatchObject([{ kind: 'reset' }]);
          await changes.return?.();
        }
        const first = store.follow('o')[Symbol.asyncIterator]();
        const [snapshot] = await take(first, 1);
        await first.return?.();
        await store.delete('o');
        place.now += 1000;
        await store.create({ id: 'o' });
        const changes = store.follow('o', snapshot?.cursor)[Symbol.asyncIterator]();
        const [reset] = await take(changes, 1);
        expect([reset?.kind, reset?.session.size]).toEqual(['reset', 0]);
        await changes.return?.();
      },
    },
    {
      number: 79,
      name: 'delete ends it with no_session',
      run: async (store) => {
        await tree(store);
        const changes = store.follow('o')[Symbol.asyncIterator]();
        await take(changes, 1);
        await store.delete('o');
        expect(await refusal(() => changes.next())).toBe('no_session');
      },
    },
    {
      number: 80,
      name: 'delete and create again ends it with no_session',
      run: async (store, place) => {
        await tree(store);
        const changes = store.follow('o')[Symbol.asyncIterator]();
        await take(changes, 1);
        await store.delete('o');
        place.now += 1000;
        await store.create({ id: 'o' });
        await store.append('o', user('new'));
        expect(await refusal(() => changes.next())).toBe('no_session');
      },
    },
    {
      number: 81,
      name: 'abort ends it without an error',
      run: async (store) => {
        await tree(store);
        const abort = new AbortController();
        const changes = store.follow('o', undefined, { signal: abort.signal })[Symbol.asyncIterator]();
        await take(changes, 1);
        const { next } = await quiet(changes, 10);
        abort.abort();
        expect((await next).done).toBe(true);
      },
    },
    {
      number: 82,
      name: 'leaving it releases everything',
      run: async (store) => {
        await tree(store);
        const waiting = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
        const before = waiting();
        for (let i = 0; i < 3; i++) {
          for await (const change of store.follow('o')) if (change.kind === 'snapshot') break;
          // Left while it waits for what comes next.
          const changes = store.follow('o')[Symbol.asyncIterator]();
          await take(changes, 1);
          const { next } = await quiet(changes, 10);
          const left = changes.return?.();
          expect((await store.write('o', user(`e${i}`))).outcome).toBe('continued');
          await Promise.all([next, left]);
        }
        expect(waiting()).toBeLessThanOrEqual(before);
      },
    },
    {
      number: 83,
      name: 'a missing session is no_session',
      run: async (store) => {
        expect(await refusal(() => all(store.follow('none')))).toBe('no_session');
      },
    },
    {
      number: 84,
      name: "a fork's prefix is in the snapshot, its appends follow",
      run: async (store) => {
        const { a, b } = await tree(store);
        await store.create({ id: 'f', base: b });
        const changes = store.follow('f')[Symbol.asyncIterator]();
        const [snapshot] = await take(changes, 1);
        expect(snapshot === undefined ? [] : ids(snapshot.session)).toEqual([a, b]);
        const own = await store.append('f', user('own'));
        expect(await take(changes, 1)).toMatchObject([{ kind: 'appended', id: own }]);
        await changes.return?.();
      },
    },
    {
      number: 85,
      name: '60 fast appends arrive once each, in order',
      run: async (store) => {
        await store.create({ id: 's' });
        const changes = store.follow('s')[Symbol.asyncIterator]();
        await take(changes, 1);
        const written: string[] = [];
        for (let i = 0; i < 60; i++) written.push(await store.append('s', user(`n${i}`)));
        expect(
          (await take(changes, 60)).map((change) => (change.kind === 'appended' ? change.id : change.kind)),
        ).toEqual(written);
        await changes.return?.();
      },
    },
  ];
}

function refCases(): StoreCase[] {
  return [
    {
      number: 86,
      name: 'created if absent; the loser learns the holder',
      run: async (store) => {
        await store.create({ id: 's' });
        await store.create({ id: 't' });
        await store.updateRef('chat/one', null, { session: 's' });
        const error = await store.updateRef('chat/one', null, { session: 't' }).catch((caught) => caught);
        expect(error).toBeInstanceOf(RefMoved);
        expect(error.current).toEqual({ session: 's' });
      },
    },
    {
      number: 87,
      name: 'a stale expected value fails; the pin is part of the value',
      run: async (store) => {
        const { a, b } = await tree(store);
        await store.updateRef('r', null, { session: 'o' });
        await store.updateRef('r', { session: 'o' }, { session: 'o', entry: a });
        expect(await refusal(() => store.updateRef('r', { session: 'o' }, { session: 'o', entry: b }))).toBe(
          'ref_moved',
        );
        expect(await store.resolveRef('r')).toEqual({ session: 'o', entry: a });
      },
    },
    {
      number: 88,
      name: 'deleting needs the right value; recreation continues the log',
      run: async (store) => {
        await store.create({ id: 's' });
        await store.updateRef('r', null, { session: 's' });
        expect(await refusal(() => store.updateRef('r', { session: 'x' }, null))).toBe('ref_moved');
        await store.updateRef('r', { session: 's' }, null);
        expect(await refusal(() => store.updateRef('r', { session: 's' }, null))).toBe('ref_moved');
        expect(await refusal(() => store.updateRef('r', null, null))).toBe('none');
        expect(await refusal(() => store.resolveRef('r'))).toBe('no_ref');
        await store.updateRef('r', null, { session: 's' });
        expect(await all(store.refLog('r'))).toHaveLength(3);
      },
    },
    {
      number: 89,
      name: 'names: good, bad, beside one another, reused after deletion',
      run: async (store) => {
        await store.create({ id: 's' });
        const to = { session: 's' };
        const set = (name: string) => refusal(() => store.updateRef(name, null, to));
        for (const bad of [
          '',
          '/',
          'a/',
          '/a',
          'a//b',
          '.',
          '..',
          'a/..',
          'a.',
          'nul',
          'NUL.txt',
          'x/com1',
          'LPT9',
          'a b',
          'ä',
          'x'.repeat(201),
        ])
          expect([bad, await set(bad)]).toEqual([bad, 'ref_name']);
        for (const good of [
          'a',
          'ab',
          'x/1',
          'x/12',
          'COM10',
          'com0',
          'lpt',
          'con-x',
          '.con',
          '__proto__',
          'constructor',
          'y'.repeat(200),
        ])
          expect([good, await set(good)]).toEqual([good, 'none']);
        for (const conflict of ['a/b', 'x', 'A', 'X/2', 'AB/c', 'x/1/2'])
          expect([conflict, await set(conflict)]).toEqual([conflict, 'ref_name']);
        await store.updateRef('a', to, null);
        expect(await set('a/b')).toBe('none');
      },
    },
    {
      number: 90,
      name: 'of racing creations of p/q, p/q/r, P/q and p exactly one wins',
      run: async (store) => {
        await store.create({ id: 's' });
        const names = ['p/q', 'p/q/r', 'P/q', 'p'];
        const outcomes = await Promise.all(
          names.map((name) => refusal(() => store.updateRef(name, null, { session: 's' }))),
        );
        expect(outcomes.filter((outcome) => outcome === 'none')).toHaveLength(1);
      },
    },
    {
      number: 91,
      name: 'targets: missing session, missing pin, own and prefix entries; refused updates log nothing',
      run: async (store) => {
        const { a, b, d } = await tree(store);
        await store.create({ id: 'f', base: b });
        const set = (session: string, entry?: string) =>
          refusal(() => store.updateRef('r', null, entry === undefined ? { session } : { session, entry }));
        expect(await set('none')).toBe('no_session');
        expect(await set('o', NOWHERE)).toBe('no_entry');
        expect(await set('f', d)).toBe('no_entry');
        expect(await all(store.refLog('r'))).toEqual([]);
        expect(await set('f', a)).toBe('none');
        expect(await refusal(() => store.updateRef('r', { session: 'f', entry: a }, { session: 'o', entry: d }))).toBe(
          'none',
        );
      },
    },
    {
      number: 92,
      name: 'a dangling ref gives its target with no_session, is listed, can be moved',
      run: async (store) => {
        await store.create({ id: 's' });
        await store.create({ id: 't' });
        await store.updateRef('r', null, { session: 's' });
        await store.delete('s');
        const error = await store.resolveRef('r').catch((caught) => caught);
        expect(error).toBeInstanceOf(DanglingRef);
        expect([error.code, error.target]).toEqual(['no_session', { session: 's' }]);
        expect(await all(store.listRefs(''))).toEqual([{ name: 'r', target: { session: 's' } }]);
        await store.updateRef('r', { session: 's' }, { session: 't' });
        expect(await store.resolveRef('r')).toEqual({ session: 't' });
      },
    },
    {
      number: 93,
      name: 'a session made anew under the id is another',
      run: async (store, place) => {
        await store.create({ id: 's' });
        await store.updateRef('r', null, { session: 's' });
        await store.delete('s');
        place.now += 1000;
        await store.create({ id: 's' });
        expect(await refusal(() => store.resolveRef('r'))).toBe('no_session');
        expect(await refusal(() => store.updateRef('r', { session: 's' }, { session: 's' }))).toBe('no_session');
        const made = await sessionFor(store, 'r', {});
        expect(made.header.id).not.toBe('s');
        await store.updateRef('r', { session: made.header.id }, { session: 's' });
        expect(await store.resolveRef('r')).toEqual({ session: 's' });
        const logged = (await all(store.refLog('r'))).length;
        await store.updateRef('r', { session: 's' }, { session: 's' });
        expect((await all(store.refLog('r'))).length).toBe(logged);
      },
    },
    {
      number: 94,
      name: 'listed by prefix in the order of bytes',
      run: async (store) => {
        await store.create({ id: 's' });
        for (const name of ['b', 'a/y', 'a/x', 'Z', 'a-b', 'c/1']) await store.updateRef(name, null, { session: 's' });
        expect((await all(store.listRefs(''))).map(({ name }) => name)).toEqual(['Z', 'a-b', 'a/x', 'a/y', 'b', 'c/1']);
        expect((await all(store.listRefs('a'))).map(({ name }) => name)).toEqual(['a-b', 'a/x', 'a/y']);
        expect(await refusal(() => all(store.listRefs('a b')))).toBe('ref_name');
        for await (const ref of store.listRefs('')) {
          expect(ref.name).toBe('Z');
          break;
        }
      },
    },
    {
      number: 95,
      name: 'the log, newest first',
      run: async (store, place) => {
        await store.create({ id: 's' });
        await store.create({ id: 't' });
        await store.updateRef('r', null, { session: 's' }, 'first');
        await store.updateRef('r', { session: 's' }, { session: 's' }, 'nothing');
        await refusal(() => store.updateRef('r', null, { session: 't' }, 'refused'));
        place.now += 1000;
        await store.updateRef('r', { session: 's' }, { session: 't' }, 'second');
        await store.updateRef('other', null, { session: 't' });
        expect(await all(store.refLog('r'))).toEqual([
          { name: 'r', old: { session: 's' }, new: { session: 't' }, time: '2026-10-02T12:00:01Z', reason: 'second' },
          { name: 'r', old: null, new: { session: 's' }, time: '2026-10-02T12:00:00Z', reason: 'first' },
        ]);
        expect(await all(store.refLog('never'))).toEqual([]);
      },
    },
    {
      number: 96,
      name: 'a second store sees and moves refs',
      shared: true,
      run: async (store, place) => {
        await store.create({ id: 's' });
        await store.updateRef('a/b', null, { session: 's' });
        const other = await place.open();
        expect(await other.resolveRef('a/b')).toEqual({ session: 's' });
        expect(await refusal(() => other.updateRef('a', null, { session: 's' }))).toBe('ref_name');
        await other.updateRef('a/b', { session: 's' }, null);
        expect(await refusal(() => store.resolveRef('a/b'))).toBe('no_ref');
      },
    },
    {
      number: 97,
      name: 'a reader resolves and lists, and is refused to move',
      shared: true,
      run: async (store, place) => {
        await store.create({ id: 's' });
        await store.updateRef('r', null, { session: 's' });
        const reader = await place.open({ readOnly: true });
        expect(await reader.resolveRef('r')).toEqual({ session: 's' });
        expect(await all(reader.listRefs(''))).toHaveLength(1);
        expect(await refusal(() => reader.updateRef('r', { session: 's' }, null))).toBe('read_only');
        expect(await refusal(() => reader.append('s', user('x')))).toBe('read_only');
        expect(await refusal(() => reader.create({}))).toBe('read_only');
        expect((await reader.open('s')).header.id).toBe('s');
      },
    },
    {
      number: 98,
      name: 'sessionFor makes one, gives it again, replaces a dangling one',
      run: async (store) => {
        const made = await sessionFor(store, 'chat', { cwd: '/srv/a' });
        expect(await sessionFor(store, 'chat', {})).toBe(made);
        await store.delete(made.header.id);
        const next = await sessionFor(store, 'chat', {});
        expect(next.header.id).not.toBe(made.header.id);
        expect(await refusal(() => sessionFor(store, 'bad name', {}))).toBe('ref_name');
        expect(await listed(store, {})).toEqual([next.header.id]);
      },
    },
    {
      number: 99,
      name: "the loser of sessionFor gets the winner's and leaves none",
      run: async (store) => {
        const [one, two] = await Promise.all([sessionFor(store, 'chat', {}), sessionFor(store, 'chat', {})]);
        expect(one).toBe(two);
        expect(await listed(store, {})).toHaveLength(1);
      },
    },
    {
      number: 100,
      name: '16 racing callers: one session, one ref',
      run: async (store) => {
        const made = await Promise.all(Array.from({ length: 16 }, () => sessionFor(store, 'chat', {})));
        expect(new Set(made).size).toBe(1);
        expect(await listed(store, {})).toHaveLength(1);
        expect(await all(store.listRefs(''))).toHaveLength(1);
      },
    },
    {
      number: 101,
      name: 'the same across two stores',
      shared: true,
      run: async (store, place) => {
        const other = await place.open();
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, i) => refusal(() => sessionFor(i % 2 === 0 ? store : other, 'chat', {}))),
        );
        expect(outcomes.every((outcome) => outcome === 'none' || outcome === 'session_locked')).toBe(true);
        expect(outcomes).toContain('none');
        expect(await listed(store, {})).toHaveLength(1);
      },
    },
    {
      number: 102,
      name: 'continueRef moves the ref; resolveCurrent walks where resolveRef does not',
      run: async (store) => {
        await retire(store);
        await store.updateRef('r', null, { session: 's' });
        const next = await continueSession(store, 's');
        expect(await store.resolveRef('r')).toEqual({ session: 's' });
        expect(await resolveCurrent(store, 'r')).toEqual({ id: next.header.id, moved: true });
        const third = await continueRef(store, 'r');
        expect(await store.resolveRef('r')).toEqual({ session: third.header.id });
        expect(third.header.parentSession).toBe(next.header.id);
        expect((await all(store.refLog('r'))).map(({ old }) => old?.session)).toEqual(['s', undefined]);
        expect(await refusal(() => resolveCurrent(store, 'none'))).toBe('no_ref');
        expect(await refusal(() => continueRef(store, 'none'))).toBe('no_ref');
      },
    },
    {
      number: 103,
      name: 'refs and their log survive reopening',
      run: async (store, place) => {
        const { a } = await tree(store);
        await store.updateRef('r', null, { session: 'o', entry: a }, 'why');
        const later = await place.reopen(store);
        expect(await later.resolveRef('r')).toEqual({ session: 'o', entry: a });
        expect(await all(later.refLog('r'))).toMatchObject([{ reason: 'why' }]);
      },
    },
  ];
}

function persistenceCases(): StoreCase[] {
  return [
    {
      number: 104,
      name: 'the header is equal after reopening',
      run: async (store, place) => {
        const { header } = await store.create({
          id: 's',
          createdAt: '2026-10-02T14:00:00.123456789+02:00',
          extra: { 'x:a': 1 },
        });
        expect((await (await place.reopen(store)).open('s')).header).toEqual(header);
      },
    },
    {
      number: 105,
      name: 'entry count and leaf are the same',
      run: async (store, place) => {
        const { c } = await tree(store);
        const { size } = await store.open('o');
        const session = await (await place.reopen(store)).open('o');
        expect([session.size, session.leafId]).toEqual([size, c]);
      },
    },
    {
      number: 106,
      name: 'the context at an inner entry rebuilds',
      run: async (store, place) => {
        await store.create({ id: 's' });
        await store.append('s', config('m'));
        const a = await store.append('s', user('a'));
        await store.append('s', user('b'));
        const session = await (await place.reopen(store)).open('s');
        const built = buildContext(session, session.path(session.find(a) ?? -1));
        expect(built.ok && [built.context.settings.model, built.context.items.length]).toEqual(['m', 1]);
      },
    },
    {
      number: 107,
      name: 'a response keeps its usage, an extension its members',
      run: async (store, place) => {
        const live = await store.create({ id: 's' });
        await store.append('s', config('m'));
        await store.append('s', user('a'));
        await store.append(
          's',
          draft('item', { item: { type: 'message', role: 'assistant', content: [] }, response: 'r1' }),
        );
        await store.append(
          's',
          draft('response', { response_id: 'r1', model: 'm', status: 'completed', usage: { input_tokens: 7 } }),
        );
        await store.append('s', draft('acme:x', { n: 1 }));
        const session = await (await place.reopen(store)).open('s');
        expect(ids(session)).toEqual(ids(live));
        expect(new TextDecoder().decode(session.bytes(3))).toContain('"usage":{"input_tokens":7}');
        expect(new TextDecoder().decode(session.bytes(4))).toContain('"n":1');
      },
    },
    {
      number: 108,
      name: 'the second handle appends under the old leaf',
      run: async (store, place) => {
        const { c } = await tree(store);
        const later = await place.reopen(store);
        const e = await later.append('o', user('e'));
        const session = await later.open('o');
        expect(session.id(session.parent(session.find(e) ?? -1))).toBe(c);
      },
    },
    {
      number: 109,
      name: 'the second handle lists the session by cwd',
      run: async (store, place) => {
        await store.create({ id: 's', cwd: '/srv/a' });
        expect(await listed(await place.reopen(store), { cwd: '/srv/a' })).toEqual(['s']);
      },
    },
    {
      number: 110,
      name: 'it deletes the session, and a third finds nothing',
      run: async (store, place) => {
        await store.create({ id: 's' });
        const later = await place.reopen(store);
        await later.delete('s');
        const last = await place.reopen(later);
        expect(await listed(last, {})).toEqual([]);
      },
    },
    {
      number: 111,
      name: 'a marked branch written on resumes at its newest entry',
      run: async (store, place) => {
        const session = await store.create({ id: 's' });
        const a = await store.append('s', user('a'));
        await store.append('s', user('b'));
        session.branch(a);
        await store.append('s', session.markLeaf());
        await store.append('s', user('c'));
        const last = await store.append('s', user('d'));
        const later = await (await place.reopen(store)).open('s');
        expect(later.leafId).toBe(last);
        const built = buildContext(later, later.path(later.leaf));
        expect(built.ok && built.context.items.length).toBe(3);
      },
    },
    {
      number: 112,
      name: 'convergence references survive, sorted',
      run: async (store, place) => {
        const { a, b, d } = await tree(store);
        const [low, high] = [a, d].sort();
        const e = await store.append(
          'o',
          user('e', { parent: b, parents: [{ session: 'z', entry: a }, { entry: high ?? '' }, { entry: low ?? '' }] }),
        );
        const session = await (await place.reopen(store)).open('o');
        const entry = session.entry(session.find(e) ?? -1);
        expect(entry.parents).toEqual([{ entry: low }, { entry: high }, { session: 'z', entry: a }]);
        expect(entry.parent).toBe(b);
        expect(session.path(session.find(e) ?? -1)).toHaveLength(3);
      },
    },
  ];
}

/** A message whose picture is a blob. */
const picture = (hash: string) =>
  draft('item', {
    item: { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: `sidecar:${hash}` }] },
  });

function headCases(): StoreCase[] {
  return [
    {
      number: 113,
      name: 'the head moves from the right expected value only',
      run: async (store) => {
        const { a, c, d } = await tree(store);
        expect(await refusal(() => store.setHead('o', d, a))).toBe('head_moved');
        expect(await refusal(() => store.setHead('o', null, a))).toBe('head_moved');
        await store.setHead('o', c, d);
        expect([(await store.open('o')).leafId, leafOf(await store.read('o'))]).toEqual([d, d]);
      },
    },
    {
      number: 114,
      name: 'to the universal root, but not in a fork',
      run: async (store) => {
        const { b, c } = await tree(store);
        await store.setHead('o', c, null);
        expect(leafOf(await store.read('o'))).toBe(null);
        await store.create({ id: 'f', base: b });
        expect(await refusal(() => store.setHead('f', b, null))).toBe('no_entry');
      },
    },
    {
      number: 115,
      name: 'to an unknown entry, above the base, to a leaf label: refused',
      run: async (store) => {
        const { a, b, c } = await tree(store);
        const label = await store.append('o', leafLabelOn(c));
        expect(await refusal(() => store.setHead('o', c, NOWHERE))).toBe('no_entry');
        expect(await refusal(() => store.setHead('o', c, label))).toBe('head_target');
        await store.create({ id: 'f', base: b });
        expect(await refusal(() => store.setHead('f', b, a))).toBe('no_entry');
        expect(await refusal(() => store.setHead('f', b, b))).toBe('none');
      },
    },
    {
      number: 116,
      name: 'a head move survives reopening and the next append continues there',
      run: async (store, place) => {
        const { c, d } = await tree(store);
        await store.setHead('o', c, d);
        const later = await place.reopen(store);
        expect((await later.open('o')).leafId).toBe(d);
        const e = await later.append('o', user('e'));
        const session = await later.open('o');
        expect(session.id(session.parent(session.find(e) ?? -1))).toBe(d);
      },
    },
    {
      number: 117,
      name: 'a branch does not move the head across reopening',
      run: async (store, place) => {
        const { a, b, c, d } = await tree(store);
        for (const parent of [a, b, d, c, null, d]) {
          const live = await store.open('o');
          if (parent === c) continue;
          await store.write('o', user('beside', { parent }));
          expect([live.leafId, leafOf(await store.read('o'))]).toEqual([c, c]);
        }
        expect((await (await place.reopen(store)).open('o')).leafId).toBe(c);
      },
    },
    {
      number: 118,
      name: 'a plain file, a fork, and a file whose head a label moved are imported',
      run: async (store, place) => {
        const { a, b, c } = await tree(store);
        await store.setHead('o', c, a);
        await store.create({ id: 'f', base: b });
        await store.append('f', user('own'));
        const [o, f] = [await exported(store, 'o'), await exported(store, 'f')];
        await store.delete('o');
        await store.delete('f');
        const fork = await store.import(file(...f));
        expect([fork.header.base, fork.size]).toEqual([b, 3]);
        const whole = await store.import(file(...o));
        expect(leafOf(whole)).toBe(a);
        const later = await place.reopen(store);
        expect(await exported(later, 'o')).toEqual(o);
        expect(await exported(later, 'f')).toEqual(f);
      },
    },
    {
      number: 119,
      name: 'a held id, a cut line, a bad hash, an entry above the base, other media: refused, nothing left',
      run: async (store) => {
        const { a, b } = await tree(store);
        await store.create({ id: 'f', base: b });
        await store.append('f', user('own'));
        const [o, f] = [await exported(store, 'o'), await exported(store, 'f')];
        const text = (line: Uint8Array | undefined) => new TextDecoder().decode(line);
        expect(await refusal(() => store.import(file(...o)))).toBe('session_exists');
        const anew = (lines: Uint8Array[], id: string) => [
          text(lines[0]).replace(/"id":"[^"]*"/, `"id":"${id}"`),
          ...lines.slice(1),
        ];
        const cut = Buffer.concat([Buffer.from(await joined(anew(o, 'cut'))), Buffer.from('{"type":"it')]);
        expect(await refusal(() => store.import(memorySource(cut)))).toBe('truncated_line');
        const forged = anew(o, 'forged').map((line, at) =>
          at === 2 && typeof line !== 'string' ? text(line).replace('"text":"b"', '"text":"B"') : line,
        );
        expect(await refusal(() => store.import(file(...forged)))).toBe('bad_id');
        const other = await exported(store, 'o');
        const strange = other.find((line) => text(line).includes('"text":"d"')) as Uint8Array;
        expect(text(strange)).toContain(a);
        expect(await refusedAs(() => store.import(file(...anew(f, 'above'), strange)), 'no_entry')).toBe(true);
        const media = anew(f, 'media').map((line, at) =>
          at === 0 ? (line as string).replace('"payload"', '"media":"sidecar","payload"') : line,
        );
        expect(await refusal(() => store.import(file(...media)))).toBe('media_differs');
        expect((await listed(store, {})).sort()).toEqual(['f', 'o']);
      },
    },
    {
      number: 120,
      name: 'a synthetic marker is refused',
      run: async (store) => {
        const { a } = await tree(store);
        const marked = draft('label', { label: 'leaf', target: a, synthetic: true }, { parent: a });
        expect(await refusal(() => store.append('o', marked))).toBe('synthetic');
        const line = (await store.open('o')).prepare(marked).line;
        const o = await exported(store, 'o');
        await store.delete('o');
        expect(await refusal(() => store.import(file(...o, line)))).toBe('synthetic_marker');
        expect(await listed(store, {})).toEqual([]);
      },
    },
    {
      number: 121,
      name: 'a redacted file is imported; redacted_from without redacted is refused',
      run: async (store) => {
        const header =
          '"created_at":"2026-10-02T12:00:00Z","format":"agentsession/0.14","payload":"openresponses/2026-04-24","type":"session"';
        expect(
          (await store.import(file(`{${header},"id":"r","redacted":true,"redacted_from":{"session":"x"}}`))).header
            .redacted,
        ).toBe(true);
        expect(await refusal(() => store.import(file(`{${header},"id":"q","redacted_from":{"session":"x"}}`)))).toBe(
          'redacted_from',
        );
      },
    },
    {
      number: 122,
      name: 'a blob is put and read; a wrong hash is no_blob',
      run: async (store, place) => {
        const hash = await store.putBlob(utf8('picture'));
        expect(await store.putBlob(utf8('picture'))).toBe(hash);
        const later = await place.reopen(store);
        expect(new TextDecoder().decode(await later.blob(hash))).toBe('picture');
        for (const wrong of [NOWHERE, 'x', '', hash.slice(0, -1)])
          expect(await refusal(() => later.blob(wrong))).toBe('no_blob');
      },
    },
    {
      number: 123,
      name: 'an append naming a missing blob succeeds and reports it',
      run: async (store) => {
        await store.create({ id: 's', media: 'sidecar' });
        const hash = await store.putBlob(utf8('held'));
        expect((await store.write('s', picture(hash))).unresolved).toEqual([]);
        expect((await store.write('s', picture(NOWHERE))).unresolved).toEqual([NOWHERE]);
      },
    },
    {
      number: 124,
      name: 'sweepBlobs keeps named and young blobs and removes the rest',
      run: async (store, place) => {
        await store.create({ id: 's', media: 'sidecar' });
        const named = await store.putBlob(utf8('named'));
        const old = await store.putBlob(utf8('old'));
        await store.append('s', picture(named));
        place.now += 60_000;
        const young = await store.putBlob(utf8('young'));
        expect(await store.sweepBlobs(30_000)).toBe(1);
        expect(await refusal(() => store.blob(old))).toBe('no_blob');
        for (const hash of [named, young]) expect(await refusal(() => store.blob(hash))).toBe('none');
        place.now += 60_000;
        await store.putBlob(utf8('young'));
        expect(await store.sweepBlobs(30_000)).toBe(0);
      },
    },
    {
      number: 125,
      name: 'import with media: a bad blob refuses all, a missing one is unresolved',
      run: async (store) => {
        await store.create({ id: 's', media: 'sidecar' });
        const hash = await store.putBlob(utf8('held'));
        await store.append('s', picture(hash));
        await store.append('s', picture(NOWHERE));
        const lines = await exported(store, 's');
        await store.delete('s');
        expect(await refusal(() => store.importMedia(file(...lines), () => utf8('forged')))).toBe('blob_mismatch');
        expect(await listed(store, {})).toEqual([]);
        const { unresolved } = await store.importMedia(file(...lines), (asked) =>
          asked === hash ? utf8('held') : undefined,
        );
        expect(unresolved).toEqual([NOWHERE]);
      },
    },
    {
      number: 126,
      name: 'redacted-only: other sessions and entries are refused, a pure head move passes',
      run: async (store, place) => {
        await store.close();
        const strict = await place.open({ redactedOnly: true });
        expect(await refusal(() => strict.create({ id: 'p' }))).toBe('not_redacted');
        await strict.create({ id: 'r', redacted: true, redactedFrom: { session: 'x' } });
        expect(await refusal(() => strict.append('r', user('open')))).toBe('not_redacted');
        const hidden = (text: string) =>
          draft('item', { item: { type: 'message', role: 'user', content: text }, redacted: [1] });
        const a = await strict.append('r', hidden('a'));
        const b = await strict.append('r', hidden('b'));
        await strict.setHead('r', b, a);
        expect(leafOf(await strict.read('r'))).toBe(a);
        const talkative = draft('label', { label: 'leaf', target: b, note: 'content' }, { parent: b });
        expect(await refusal(() => strict.append('r', talkative))).toBe('not_redacted');
        expect(await refusal(() => strict.create({ id: 'f', base: a }))).toBe('not_redacted');
        if (place.kind === 'memory') return;
        const open = await place.open();
        await open.create({ id: 'p' });
        await open.release('p');
        expect(await refusal(() => place.open({ redactedOnly: true }))).toBe('not_redacted');
      },
    },
  ];
}

async function joined(lines: readonly (string | Uint8Array)[]): Promise<Uint8Array> {
  const source = file(...lines);
  return source.read(0, source.size);
}
