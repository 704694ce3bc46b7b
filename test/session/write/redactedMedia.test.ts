/** Media that a session keeps beside itself, through a redaction: each file is replaced under the hash of what it becomes (session-format 11.5). */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { utf8 } from '../../../src/bytes/encoding.ts';
import { memorySource } from '../../../src/bytes/source.ts';
import { checkSession } from '../../../src/session/check.ts';
import { sessionBlobs } from '../../../src/session/media.ts';
import { type RedactionResult, type RedactOptions, redactSession } from '../../../src/session/redact/redact.ts';
import { secrets } from '../../../src/session/redact/redactors.ts';
import { LiveSession } from '../../../src/session/write/live.ts';
import { type Body, Draft, hash, message } from '../draft.ts';
import { faults, linesOf } from './program.ts';

const SECRET = 'hunter2-zebra';
const rewrite = secrets([{ secret: SECRET, by: '[KEY]' }]);
const ZEROS = '0'.repeat(64);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const binary = (said: string): Uint8Array => Uint8Array.of(0xff, 0xd8, ...utf8(said), 0xfe);
const hashOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const hexOf = (bytes: Uint8Array): string => hashOf(bytes).slice('sha256:'.length);

/** A folder of media by their hashes, and a session over it. */
class Scene {
  readonly draft: Draft;
  readonly folder = new Map<string, Uint8Array>();

  constructor(header: Body = {}) {
    this.draft = new Draft({ media: 'sidecar', ...header });
    this.draft.add('config', { replace: true, model: 'm' });
  }

  show(...files: readonly Uint8Array[]): this {
    for (const bytes of files) this.folder.set(hashOf(bytes), bytes);
    this.draft.item(message('look', ...files.map((bytes) => `sidecar:${hashOf(bytes)}`)));
    return this;
  }

  redact(more: Partial<RedactOptions> = {}, drop = false): RedactionResult {
    const read = (name: string) => this.folder.get(name);
    return redactSession(LiveSession.open(memorySource(utf8(this.draft.text()))), {
      profile: 'p@1',
      rewrite,
      createdAt: '2026-11-01T14:00:00Z',
      media: { read, drop },
      ...more,
    });
  }

  /** What the copy becomes when it is redacted again. */
  grow({ session }: RedactionResult): RedactionResult {
    return this.redact({ into: LiveSession.open(memorySource(linesOf(session)), { checks: 'read' }) });
  }
}

const whole = ({ session }: RedactionResult): string => text(linesOf(session));
const files = ({ media }: RedactionResult): readonly string[] =>
  [...(media?.files ?? [])].map(([name, make]) => {
    expect(hashOf(make())).toBe(name);
    return text(make());
  });

describe('a media file', () => {
  const note = utf8(`the key is ${SECRET}`);

  it('that is text is rewritten under its new hash, and the hash that it had is nowhere', () => {
    const scene = new Scene().show(note);
    scene.draft.item(message(`as in ${hashOf(note)}, ${hexOf(note).toUpperCase()} and file${hexOf(note)}0`));
    scene.draft.response('r1');
    const made = scene.redact();
    const now = hash('the key is [KEY]');
    expect([...sessionBlobs(made.session)]).toEqual([now]);
    expect(files(made)).toEqual(['the key is [KEY]']);
    expect(made.media).toMatchObject({ kept: 0, rewritten: 1, dropped: new Map() });
    expect(whole(made).toLowerCase()).not.toContain(hexOf(note));
    // Where a text quotes the hash, the new one stands.
    expect(whole(made)).toContain(`as in ${now}, ${now.slice(7)} and file${now.slice(7)}0`);
    expect(checkSession(made.session).counts).toMatchObject({ responses: 1, verified: 1 });
    expect(faults(linesOf(made.session))).toEqual([]);
  });

  it('that is no text is kept where nothing is found in it, and dropped where something is, in UTF-16 too', () => {
    const wide = (order: 'le' | 'be', ...before: readonly number[]) => {
      const units = Buffer.from(`key: ${SECRET}`, 'utf16le');
      return Uint8Array.of(...before, ...(order === 'le' ? units : units.swap16()));
    };
    const clean = [binary('a meadow'), Uint8Array.of(...Buffer.from('a meadow', 'utf16le'))];
    const telling = [
      binary(`Comment: ${SECRET}`),
      wide('le', 0xff, 0xfe),
      wide('be', 0xfe, 0xff),
      wide('le'),
      wide('be'),
      wide('le', 0x89, 0x50, 0x4e),
    ];
    const made = new Scene().show(...clean, ...telling).redact();
    expect(made.media).toMatchObject({ kept: 2, rewritten: 0 });
    expect([...(made.media?.dropped ?? [])]).toEqual(telling.map((bytes) => [hashOf(bytes), 'found']));
    for (const bytes of clean) expect(made.media?.files.get(hashOf(bytes))?.()).toEqual(bytes);
    expect(sessionBlobs(made.session)).toEqual(new Set(made.media?.files.keys()));
  });

  it('that is not at hand, or is not what its name says, has a placeholder in its place', () => {
    for (const [there, why] of [
      [undefined, 'absent'],
      [utf8('something else'), 'altered'],
    ] as const) {
      const scene = new Scene().show(note);
      if (there === undefined) scene.folder.clear();
      else scene.folder.set(hashOf(note), there);
      const made = scene.redact();
      expect([...(made.media?.dropped ?? [])]).toEqual([[hashOf(note), why]]);
      expect(files(made)).toEqual(['[redacted] 1']);
      expect(whole(made)).not.toContain(hexOf(note));
    }
    const blind = new Scene().show(note).redact({ media: undefined as never });
    expect([...(blind.media?.dropped.values() ?? [])]).toEqual(['absent']);
  });

  it('is dropped unread where that is asked for, each under a name of its own', () => {
    const scene = new Scene();
    scene.draft.add('custom', { ns: 'x:seen', data: { [hash('one')]: 1, [hash('two')]: 2 } });
    scene.show(utf8('one'), utf8('two'));
    const made = scene.redact({ media: { read: () => expect.fail('it was read'), drop: true } });
    expect([...(made.media?.dropped.values() ?? [])]).toEqual(['asked', 'asked']);
    expect(files(made)).toEqual(['[redacted] 1', '[redacted] 2']);
  });

  it('that quotes entries of the session, or other files, brings none of their hashes along', () => {
    const scene = new Scene();
    const quoted = scene.draft.item(message('quoted'));
    const list = utf8(`${quoted} and ${hexOf(note)}`);
    const made = scene.show(list, note).redact();
    expect(files(made)).toEqual([`sha256:${ZEROS} and ${ZEROS}`, 'the key is [KEY]']);
    const packed = binary(`of ${hexOf(note)}`);
    expect([...(new Scene().show(packed, note).redact().media?.dropped ?? [])]).toEqual([[hashOf(packed), 'found']]);
  });

  it('leaves its hash nowhere: not in the header, among files read, in data, in a text with an address', () => {
    const scene = new Scene({ x_icon: `sidecar:${hashOf(note)}` }).show(note);
    const other = utf8(`other ${SECRET}`);
    scene.folder.set(hashOf(other), other);
    scene.draft.add('env', { files: { read: { 'note.txt': hashOf(note) }, written: { 'else.txt': hash('else') } } });
    scene.draft.add('custom', { ns: 'x:seen', data: { at: `sidecar:${hashOf(other)}` } });
    scene.draft.item(message(`![it](sidecar:${hashOf(other)}) and ${hexOf(other)}`));
    const made = scene.redact();
    const now = hash('the key is [KEY]');
    for (const bytes of [note, other]) expect(whole(made)).not.toContain(hexOf(bytes));
    expect(whole(made)).toContain(`"x_icon":"sidecar:${now}"`);
    expect(whole(made)).toContain(`"note.txt":"${now}"`);
    expect(whole(made)).toContain(`"else.txt":"${hash('else')}"`);
    expect(files(made)).toEqual(['the key is [KEY]', 'other [KEY]']);
  });
});

describe('a copy that grows', () => {
  it('keeps the files that are there and gains those of new entries', () => {
    const scene = new Scene().show(utf8(`first ${SECRET}`));
    const first = scene.redact();
    const again = scene.show(utf8(`second ${SECRET}`)).grow(first);
    expect(again.appended).toBe(1);
    expect(files(again)).toEqual(['first [KEY]', 'second [KEY]']);
    expect(whole(again).startsWith(whole(first))).toBe(true);
  });
  it('goes on where an entry quoted the hash of a file that came later', () => {
    const late = utf8(`late ${SECRET}`);
    const scene = new Scene();
    scene.draft.item(message(`sha256sum: ${hexOf(late)}`));
    const first = scene.redact();
    const again = scene.show(late).grow(first);
    expect([again.appended, files(again)]).toEqual([1, ['late [KEY]']]);
    expect(whole(again).startsWith(whole(first))).toBe(true);
  });
  it('goes on where a file was at hand once and is not now, or the reverse', () => {
    const scene = new Scene().show(utf8('a'));
    const [, bytes = utf8('')] = [...scene.folder][0] ?? [];
    const full = scene.redact();
    scene.folder.clear();
    const blind = scene.redact();
    scene.draft.item(message('more'));
    expect(scene.grow(full).appended).toBe(1);
    scene.folder.set(hashOf(bytes), bytes);
    expect(scene.grow(blind).appended).toBe(1);
  });
  it('is refused where an entry hangs from another one now, or quotes another hash that is none of the session', () => {
    const tree = (parent: 'first' | 'second', quoted: string) => {
      const scene = new Scene();
      const first = scene.draft.item(message('first'));
      const second = scene.draft.add('info', { name: 'second' });
      scene.draft.add('info', { name: `commit ${quoted}` }, parent === 'first' ? first : second);
      return scene;
    };
    const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
    const made = tree('second', a).redact();
    expect(tree('second', a).grow(made).appended).toBe(0);
    for (const other of [tree('first', a), tree('second', b)])
      expect(() => other.grow(made)).toThrow(/another entry for position 4/);
  });
  it('is refused under the id of another session', () => {
    const scene = new Scene();
    const { session } = scene.redact();
    const file = text(linesOf(session)).replace(session.header.id, '../elsewhere');
    const into = LiveSession.open(memorySource(utf8(file)), { checks: 'read' });
    expect(() => scene.redact({ into })).toThrow(/no redaction of this session/);
  });
});

describe('a session that keeps its media in its lines', () => {
  it('has none beside it, and an address in it brings no id along', () => {
    const draft = new Draft();
    const id = draft.item(message('look', 'data:image/png;base64,AAAA'));
    draft.item(message(`sidecar:${id}`));
    const session = LiveSession.open(memorySource(utf8(draft.text())));
    const made = redactSession(session, { profile: 'p@1', rewrite, createdAt: '2026-11-01T14:00:00Z' });
    expect(made.media).toBeUndefined();
    expect(whole(made)).toContain(`"sidecar:${made.ids.get(id)}"`);
  });
});
