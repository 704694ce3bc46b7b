/** Media that a session keeps beside itself, through a redaction: each file is replaced under the hash of what it becomes (session-format 11.5). */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { utf8 } from '../../../src/bytes/encoding.ts';
import { memorySource } from '../../../src/bytes/source.ts';
import { checkSession } from '../../../src/session/check.ts';
import { sessionBlobs } from '../../../src/session/media.ts';
import { type RedactOptions, redactSession } from '../../../src/session/redact/redact.ts';
import { secrets } from '../../../src/session/redact/redactors.ts';
import { LiveSession } from '../../../src/session/write/live.ts';
import { Draft, hash, message } from '../draft.ts';
import { linesOf } from './program.ts';

const SECRET = 'hunter2-zebra';
const rewrite = secrets([{ secret: SECRET, by: '[KEY]' }]);
const PLACEHOLDER = '[redacted]';
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const binary = (said: string): Uint8Array => Uint8Array.of(0xff, 0xd8, ...utf8(said), 0x00, 0xfe);
const hashOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** A session that shows media to a model, and a folder of them by their hashes. */
function shown(...files: readonly Uint8Array[]) {
  const folder = new Map(files.map((bytes) => [hashOf(bytes), bytes]));
  const draft = new Draft({ media: 'sidecar' });
  draft.add('config', { replace: true, model: 'm' });
  draft.item(message('look', ...[...folder.keys()].map((name) => `sidecar:${name}`)));
  draft.item(message(`as in ${[...folder.keys()].join(' and ')}`));
  draft.response('r1');
  const read = (name: string) => folder.get(name);
  return { draft, session: LiveSession.open(memorySource(utf8(draft.text()))), read };
}

const options = (read: (name: string) => Uint8Array | undefined, more: object = {}): RedactOptions => ({
  profile: 'p@1',
  rewrite,
  createdAt: '2026-11-01T14:00:00Z',
  media: { read, ...more },
});

test('a text is rewritten under its new hash, and the hash that it had is nowhere', () => {
  const note = utf8(`the key is ${SECRET}`);
  const { session, read } = shown(note);
  const made = redactSession(session, options(read));
  const [name = ''] = sessionBlobs(made.session);
  expect(name).toBe(hash('the key is [KEY]'));
  expect([...(made.media?.files ?? [])].map(([key, bytes]) => [key, text(bytes)])).toEqual([
    [name, 'the key is [KEY]'],
  ]);
  expect(made.media).toMatchObject({ kept: 0, rewritten: 1, dropped: 0, absent: 0 });
  const whole = text(linesOf(made.session));
  expect(whole).not.toContain(hashOf(note).slice(7));
  // Where a text quotes the hash, the new one stands.
  expect(whole).toContain(`as in ${name}`);
  expect(checkSession(made.session).counts).toMatchObject({ responses: 1, verified: 1 });
});

test('bytes that are no text are kept where nothing is found in them, and dropped where something is', () => {
  const [clean, telling] = [binary('a meadow'), binary(`Comment: ${SECRET}`)];
  const { session, read } = shown(clean, telling);
  const { media, session: copy } = redactSession(session, options(read));
  expect(media).toMatchObject({ kept: 1, rewritten: 0, dropped: 1, absent: 0 });
  expect(new Set(media?.files.keys())).toEqual(new Set([hashOf(clean), hash(PLACEHOLDER)]));
  expect(sessionBlobs(copy)).toEqual(new Set(media?.files.keys()));
  expect(media?.files.get(hashOf(clean))).toEqual(clean);
});

test('what is not at hand, or is not what its name says, has the placeholder in its place', () => {
  const note = utf8('nothing to hide');
  const { session } = shown(note);
  for (const read of [() => undefined, () => utf8('something else')]) {
    const { media, session: copy } = redactSession(session, options(read));
    expect(media).toMatchObject({ kept: 0, dropped: 1, absent: 1 });
    expect(text(linesOf(copy))).not.toContain(hashOf(note).slice(7));
  }
  const { media: _, ...without } = options(() => undefined);
  expect(sessionBlobs(redactSession(session, without).session)).toEqual(new Set([hash(PLACEHOLDER)]));
});

test('all are dropped where that is asked for, and none of them is read', () => {
  const { session } = shown(utf8('one'), utf8('two'));
  const read = () => {
    throw new Error('it was read');
  };
  const { media } = redactSession(session, options(read, { drop: true }));
  expect(media).toMatchObject({ kept: 0, dropped: 2, absent: 0 });
});

test('a file that quotes entries of the session does not bring their ids along', () => {
  const earlier = new Draft({ media: 'sidecar' });
  const quoted = earlier.item(message('quoted'));
  const log = utf8(`{"id":"${quoted}"}`);
  earlier.item(message('see', `sidecar:${hashOf(log)}`));
  const session = LiveSession.open(memorySource(utf8(earlier.text())));
  const { media } = redactSession(
    session,
    options((name) => (name === hashOf(log) ? log : undefined)),
  );
  expect([...(media?.files.values() ?? [])].map(text)).toEqual([`{"id":"sha256:${'0'.repeat(64)}"}`]);
});

test('a copy grows with its original, and the files that are there stay what they are', () => {
  const { draft, session, read } = shown(utf8(`first ${SECRET}`));
  const first = redactSession(session, options(read));
  const more = utf8(`second ${SECRET}`);
  draft.item(message('again', `sidecar:${hashOf(more)}`));
  const grown = LiveSession.open(memorySource(utf8(draft.text())));
  const into = LiveSession.open(memorySource(linesOf(first.session)), { checks: 'read' });
  const again = redactSession(grown, {
    ...options((name) => (name === hashOf(more) ? more : read(name))),
    into,
  });
  expect(again.appended).toBe(1);
  expect([...(again.media?.files.values() ?? [])].map(text)).toEqual(['first [KEY]', 'second [KEY]']);
});

test('a session that keeps its media in its lines has none beside it', () => {
  const draft = new Draft();
  draft.item(message('look', 'data:image/png;base64,AAAA'));
  const session = LiveSession.open(memorySource(utf8(draft.text())));
  expect(
    redactSession(
      session,
      options(() => undefined),
    ).media,
  ).toBeUndefined();
});
