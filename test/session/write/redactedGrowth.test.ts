/** A redaction that grows with its original holds what is there to the rules, in a time that grows with the session (session-format 11.1, 11.4). */
import { expect, it, vi } from 'vitest';
import { memorySource } from '../../../src/bytes/source.ts';
import { type RedactOptions, redactSession } from '../../../src/session/redact/redact.ts';
import { secrets } from '../../../src/session/redact/redactors.ts';
import { createSession, fork } from '../../../src/session/write/create.ts';
import { draft } from '../../../src/session/write/draft.ts';
import { LiveSession } from '../../../src/session/write/live.ts';
import { faults, linesOf } from './program.ts';

const options: RedactOptions = {
  profile: 'p@1',
  createdAt: '2026-11-30T00:00:00Z',
  rewrite: secrets([{ secret: 'Ada', by: '[N]' }]),
};
const message = (text: string) =>
  draft('item', { item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] } });
const open = (session: LiveSession): LiveSession =>
  LiveSession.open(memorySource(linesOf(session)), { checks: 'read' });
const text = (session: LiveSession): string => new TextDecoder().decode(linesOf(session));

/** A fork of a session of some entries, after all of them. */
function forked(size: number): LiveSession {
  const origin = createSession({ id: 'origin' });
  for (let i = 0; i < size; i++) origin.append(message(`Ada and Bob, ${i}`));
  const session = fork(origin, origin.id(size - 1), { id: 'fork' });
  session.append(draft('info', { name: 'first' }));
  return session;
}

it('a fork does not grow by other rules than its prefix was made by', () => {
  const session = forked(3);
  const first = redactSession(session, options).session;
  session.append(draft('info', { name: 'second' }));
  const rewrite = secrets(['Ada', 'Bob'].map((secret) => ({ secret, by: '[N]' })));
  expect(() => redactSession(session, { ...options, rewrite, into: open(first) })).toThrow(/made by other rules/);
  expect(() =>
    redactSession(session, { ...options, leaveOut: ({ kind }) => kind === 'item', into: open(first) }),
  ).toThrow(/left out now/);
  const grown = redactSession(session, { ...options, into: open(first) });
  expect(grown.appended).toBe(1);
  expect(text(grown.session).startsWith(text(first))).toBe(true);
  expect(faults(linesOf(grown.session))).toEqual([]);
});

it('an entry that other rules leave out is not kept', () => {
  const session = createSession({ id: 's' });
  const first = session.append(message('a'));
  session.append(draft('custom', { ns: 'x:a', data: 'aside' }));
  session.append(draft('info', { name: 'b' }, { parent: first.id }));
  const into = open(redactSession(session, options).session);
  expect(() => redactSession(session, { ...options, into, leaveOut: ({ kind }) => kind === 'custom' })).toThrow(
    /position 2 of the original, which is left out now/,
  );
});

it('a header that other rules made is not kept', () => {
  const session = createSession({ id: 's', cwd: '/home/Ada', harness: { name: 'h', version: '1' } });
  session.append(message('a'));
  const copy = redactSession(session, options).session;
  expect(redactSession(session, { ...options, into: open(copy) }).appended).toBe(0);
  expect(() => redactSession(session, { ...options, rewrite: (each) => each, into: open(copy) })).toThrow(
    /another header/,
  );
});

it('a fork grows by what its prefix needs once, not once for each of its entries', () => {
  const size = 1500;
  const session = forked(size);
  const into = open(redactSession(session, options).session);
  session.append(draft('info', { name: 'second' }));
  const looked = vi.spyOn(into, 'entry');
  expect(redactSession(session, { ...options, into }).appended).toBe(1);
  expect(looked.mock.calls.length).toBeLessThan(10 * size);
});

/** A session whose second entry quotes the hash of the request that its third one answers. */
function quoting(): { readonly before: LiveSession; readonly session: LiveSession; readonly hash: string } {
  const session = createSession({ id: 's' }, { checks: 'read' });
  session.append(message('I am Ada'));
  const hash = session.requestHashFor('r');
  const asked = session.append(draft('custom', { ns: 'x:sent', data: { hash: hash.slice(7) } }));
  const before = open(session);
  session.append(
    draft('response', { response_id: 'r', status: 'completed', request_hash: hash }, { parent: asked.id }),
  );
  return { before, session, hash: hash.slice(7) };
}

it('a request hash goes from what quotes it ahead of the response', () => {
  const { session, hash } = quoting();
  const copy = redactSession(session, options).session;
  expect(text(copy)).not.toContain(hash);
  expect(text(copy)).toContain('"request_hash"');
  expect(faults(linesOf(copy))).toEqual([]);
});

it('a copy that quotes a request hash from before it was recorded is refused as that', () => {
  const { before, session, hash } = quoting();
  const copy = redactSession(before, options).session;
  expect(text(copy)).toContain(hash);
  expect(() => redactSession(session, { ...options, into: open(copy) })).toThrow(
    /quotes at position 2 a hash that the original recorded only afterwards/,
  );
});
