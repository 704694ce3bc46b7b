/** Reads across the sessions of a store, and imports of what other formats left. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memorySource } from '../../src/bytes/source.ts';
import { draft } from '../../src/session/write/draft.ts';
import { original, originDispatches, redactions } from '../../src/store/across.ts';
import type { LineStore } from '../../src/store/lineStore.ts';
import { all, ids, Place, refusal, user } from './harness.ts';

const place = { current: new Place('memory') };
let store: LineStore;
beforeEach(async () => {
  place.current = new Place('memory');
  store = await place.current.open({ checks: 'written' });
});
afterEach(() => place.current.end());

const call = draft('item', { item: { type: 'function_call', call_id: 'c1', name: 'pay', arguments: '{}' } });
const dispatch = (target: string) => draft('dispatch', { call_id: 'c1', target });
const hidden = (text: string, ...redacted: readonly (number | [number, number])[]) =>
  draft('item', { item: { type: 'message', role: 'user', content: text }, redacted });

describe('the dispatches of a call', () => {
  it("are the session's own, or those of the sessions that its prefix is of", async () => {
    await store.create({ id: 'a' });
    await store.append('a', user('pay'));
    const target = await store.append('a', call);
    const a = await store.append('a', dispatch(target));
    await store.create({ id: 'b', base: target, parentSession: 'a' });
    await store.create({ id: 'c', base: target, parentSession: 'b' });
    const found = async (id: string) =>
      (await originDispatches(store, await store.read(id), target)).map((entry) => entry.id);
    expect(await found('a')).toEqual([a]);
    expect(await found('c')).toEqual([a]);
    const b = await store.append('b', dispatch(target));
    expect(await found('c')).toEqual([b]);
    await store.delete('b');
    expect(await found('c')).toEqual([]);
    expect(await originDispatches(store, await store.read('a'), `sha256:${'0'.repeat(64)}`)).toEqual([]);
  });

  it('of forks that name each other are refused', async () => {
    await store.create({ id: 'a' });
    const target = await store.append('a', call);
    await store.create({ id: 'b', base: target, parentSession: 'c' });
    await store.create({ id: 'c', base: target, parentSession: 'b' });
    expect(await refusal(async () => originDispatches(store, await store.read('b'), target))).toBe('origin_chain');
  });
});

describe('redacted sessions', () => {
  it('are found by their original, newest first, and mapped back to it', async () => {
    await store.create({ id: 'o' });
    const texts = [
      await store.append('o', user('a')),
      await store.append('o', user('b')),
      await store.append('o', user('c')),
    ];
    await store.create({ id: 'r1', redacted: true, redactedFrom: { session: 'o' } });
    place.current.now += 1000;
    await store.create({ id: 'r2', redacted: true, redactedFrom: { session: 'o', profile: 'p' } });
    await store.create({ id: 'x', redacted: true, redactedFrom: { session: 'other' } });
    expect((await redactions(store, 'o')).map(({ header }) => header.id)).toEqual(['r2', 'r1']);
    const one = await store.append('r1', hidden('-', 1));
    const two = await store.append('r1', hidden('--', [2, 3]));
    await store.append('r1', hidden('---'));
    expect(await original(store, await store.read('r1'))).toEqual(
      new Map([
        [one, [texts[0]]],
        [two, texts.slice(1)],
      ]),
    );
    await store.append('r2', hidden('x', 4));
    expect(await refusal(async () => original(store, await store.read('r2')))).toBe('stale_original');
    expect(await refusal(async () => original(store, await store.read('x')))).toBe('no_session');
    expect(await refusal(async () => original(store, await store.read('o')))).toBe('not_redacted');
  });

  it('that are forks map the entries of their prefix through the session that owns it', async () => {
    await store.create({ id: 'o' });
    const a = await store.append('o', user('a'));
    await store.create({ id: 'r', redacted: true, redactedFrom: { session: 'o' } });
    const one = await store.append('r', hidden('-', 1));
    const fork = await store.create({ id: 'o2', base: a, parentSession: 'o' });
    const b = await store.append('o2', user('b'));
    await store.create({ id: 'r2', base: one, parentSession: 'r', redacted: true, redactedFrom: { session: 'o2' } });
    const two = await store.append('r2', hidden('--', 2));
    expect(fork.size).toBe(2);
    expect(await original(store, await store.read('r2'))).toEqual(
      new Map([
        [one, [a]],
        [two, [b]],
      ]),
    );
    await store.delete('r');
    expect(await original(store, await store.read('r2'))).toEqual(new Map([[two, [b]]]));
  });
});

describe('an import', () => {
  const file = (...lines: string[]) =>
    memorySource(new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')));
  const header = (format: string, rest = '') =>
    `{"type":"session","format":"agentsession/${format}","id":"old","created_at":"2026-09-17T12:00:00Z","payload":"openresponses/2026-04-24"${rest}}`;

  it('of a format before 0.5 keeps what migration makes of it, under the latest header', async () => {
    const session = await store.import(
      file(
        header('0.4'),
        '{"type":"item","id":"e1","parent":null,"ts":"2026-09-17T12:00:01Z","item":{"type":"message","role":"user","content":[]}}',
        '{"type":"item","id":"e2","parent":"e1","ts":"2026-09-17T12:00:02Z","item":{"type":"message","role":"user","content":[]}}',
      ),
    );
    expect([session.header.format, session.size]).toEqual(['agentsession/0.14', 2]);
    const read = await store.read('old');
    expect(ids(read)).toEqual(ids(session));
    expect(read.entry(0).legacyId).toBe('e1');
    expect((await store.write('old', user('more'))).outcome).toBe('continued');
  });

  it('of a format from 0.5 on raises the header, unless that would give a member a meaning', async () => {
    expect((await store.import(file(header('0.9')))).header.format).toBe('agentsession/0.14');
    expect((await store.read('old')).header.format).toBe('agentsession/0.14');
    await store.delete('old');
    expect((await store.import(file(header('0.9', ',"redacted_from":1')))).header.format).toBe('agentsession/0.9');
    expect(await refusal(() => store.append('old', user('a')))).toBe('no_raise');
  });

  it('of something else is refused', async () => {
    expect(await refusal(() => store.import(file('no header')))).toBe('unsupported_format');
    expect(await refusal(() => store.import(memorySource(new Uint8Array(0))))).toBe('unsupported_format');
    expect(await refusal(() => store.import(file(header('0.15'))))).toBe('unsupported_format');
    expect(await refusal(() => store.import(file(header('0.14', ',"base":"x"'))))).toBe('no_entry');
    expect(await all(store.list())).toEqual([]);
  });
});

describe('an aborted signal', () => {
  it('makes a call fail before it changes anything, and ends an iteration', async () => {
    const signal = AbortSignal.abort();
    await store.create({ id: 's' });
    for (const act of [
      () => store.create({}, { signal }),
      () => store.open('s', { signal }),
      () => store.append('s', user('a'), { signal }),
      () => store.setHead('s', null, null, { signal }),
      () => store.delete('s', { signal }),
      () => store.putBlob(new Uint8Array(1), { signal }),
      () => store.updateRef('r', null, { session: 's' }, '', { signal }),
    ])
      await expect(act()).rejects.toThrow(/abort/i);
    expect(await all(store.follow('s', undefined, { signal }))).toEqual([]);
    expect(await all(store.list({}, { signal }))).toEqual([]);
    expect((await store.read('s')).size).toBe(0);
  });
});
