/** Members in another form than the format defines are text to a redaction, and nothing of the original stands in them (session-format 11.5). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memorySource } from '../../../src/bytes/source.ts';
import { type RedactionResult, type RedactOptions, redactSession } from '../../../src/session/redact/redact.ts';
import { secrets } from '../../../src/session/redact/redactors.ts';
import { textHash } from '../../../src/session/settings.ts';
import { createSession } from '../../../src/session/write/create.ts';
import { draft } from '../../../src/session/write/draft.ts';
import { SessionError } from '../../../src/session/write/error.ts';
import { LiveSession } from '../../../src/session/write/live.ts';
import type { JsonValue } from '../../../src/session/write/value.ts';
import type { Body } from '../draft.ts';
import { faults, linesOf } from './program.ts';

const KEY = 'hunter2-secret';
const options: RedactOptions = {
  profile: 'p@1',
  createdAt: '2026-11-30T00:00:00Z',
  rewrite: secrets([{ secret: KEY, by: '[KEY]' }]),
};

interface Odd {
  readonly type: string;
  readonly body: { readonly [name: string]: JsonValue };
  readonly parents?: readonly ({ readonly entry: string } & { readonly [name: string]: JsonValue })[];
}

const config = (body: Odd['body']): Odd => ({ type: 'config', body: { model: 'm', ...body } });
const info = (body: Odd['body']): Odd => ({ type: 'info', body: { name: 'n', ...body } });
const message = (text: string): JsonValue => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

/** Entries after one of this id, whose text holds the key. */
const ODD: Readonly<Record<string, (id: string) => Odd>> = {
  'omit.images with both forms': (id) => config({ omit: { images: { keep: 1, before: id, placeholder: KEY } } }),
  'omit.images that keeps fewer than none': (id) =>
    config({ omit: { images: { keep: -1, before: id, placeholder: 'x' } } }),
  'omit.images without a placeholder': (id) => config({ omit: { images: { before: id }, x: KEY } }),
  'omit.images before a key': () => config({ omit: { images: { keep: 1, before: KEY, placeholder: 'x' } } }),
  'omit.items with a number': (id) => config({ omit: { items: [id, KEY, 5] } }),
  'omit with a number for reasoning': (id) => config({ omit: { reasoning: 5, items: [id, KEY] } }),
  'omit with a name in another case': (id) => config({ omit: { Items: [id, KEY], images: { before: id } } }),
  'omit.outputs with a number': (id) => config({ omit: { outputs: { text: 't', items: [id, KEY, 5] } } }),
  'omit.outputs without a text': (id) => config({ omit: { outputs: { items: [id, KEY] } } }),
  'omit that is a list': (id) => config({ omit: [id, KEY] }),
  'a hash beside a text of another': (id) =>
    config({
      instructions_parts: [
        { id: 'a', text: 'public', hash: id },
        { id: 'b', text: 'public', hash: KEY },
      ],
    }),
  'a hash beside a keep': (id) =>
    config({
      instructions_parts: [
        { keep: 1, hash: id },
        { keep: 1, hash: KEY },
      ],
    }),
  'a hash of a text without an id': () => config({ instructions_parts: [{ text: KEY, hash: textHash(KEY) }] }),
  'hashes of files that are none': (id) => ({
    type: 'env',
    body: { files: { read: { p: KEY, q: id.slice(7) }, written: { r: id, s: id.toUpperCase() } } },
  }),
  'members of a reference that are not defined': (id) => ({
    ...info({}),
    parents: [{ entry: id, n: KEY, h: id, deep: [{ [KEY]: id }] }],
  }),
  'a record of no place': (id) => info({ normalised: [{ at: `/${KEY}/${id}`, was: '1.0' }] }),
  'a record of a number that is no number': (id) =>
    info({
      size: 5,
      flag: true,
      normalised: [
        { at: '/flag', was: '1' },
        { at: '/size', was: JSON.stringify([KEY, id]) },
      ],
    }),
  'a record of a call that is another text': () => ({
    type: 'custom',
    body: { ns: 'x:a', call_id: 'c', normalised: [{ at: '/call_id', was: JSON.stringify(KEY) }] },
  }),
};

it.each(Object.entries(ODD))('nothing of the original stands in %s', (_, odd) => {
  const session = createSession({ id: 's' }, { checks: 'read' });
  const { id } = session.append(draft('item', { item: message(`the key is ${KEY}`) }));
  const { type, body, parents } = odd(id);
  session.append(draft(type, body, parents === undefined ? {} : { parent: null, parents }));
  expect(faults(linesOf(session))).toEqual([]);
  const copy = redactSession(session, options).session;
  const output = new TextDecoder().decode(linesOf(copy)).toLowerCase();
  for (const trace of [KEY, id.slice(7), session.id(1).slice(7), textHash(KEY).slice(7)])
    expect(output).not.toContain(trace);
  expect(faults(linesOf(copy))).toEqual([]);
  // Made again over itself it has nothing to add.
  const into = LiveSession.open(memorySource(linesOf(copy)), { checks: 'read' });
  expect(redactSession(session, { ...options, into }).appended).toBe(0);
});

it('what has the form that the format defines is left, or pointed elsewhere', () => {
  const session = createSession({ id: 's' });
  const { id } = session.append(draft('item', { item: message(KEY) }));
  const file = `sha256:${'1'.repeat(64)}`;
  session.append(
    draft('config', {
      model: 'm',
      omit: { items: [id], outputs: { text: KEY, items: [id] }, images: { before: id, placeholder: KEY } },
      instructions_parts: [{ id: 'a', text: 'public', hash: textHash('public') }],
    }),
  );
  session.append(draft('env', { files: { read: { [KEY]: file } } }));
  const { session: copy } = redactSession(session, options);
  const [, first, settings, env] = new TextDecoder()
    .decode(linesOf(copy))
    .split('\n')
    .map((line) => (line === '' ? {} : (JSON.parse(line) as Body)));
  expect(settings?.['omit']).toEqual({
    items: [first?.['id']],
    outputs: { text: '[KEY]', items: [first?.['id']] },
    images: { before: first?.['id'], placeholder: '[KEY]' },
  });
  expect(settings?.['instructions_parts']).toEqual([{ id: 'a', text: 'public', hash: textHash('public') }]);
  expect(env?.['files']).toEqual({ read: { '[KEY]': file } });
});

/** Values that stand in the place of a string, a list or an object: the id of the first entry, the key, and what is neither. */
const TRACES = ['ID', 'HEX', 'KEY', 'KEY and HEX'];
const string = fc.constantFrom(...TRACES, '', 'a', 'sent', 'leaf', 'judged_by', 'peer', '/name');
const leaf: fc.Arbitrary<JsonValue> = fc.oneof(string, fc.constantFrom(5, -1, true, null, 1.5));
const list = (of: fc.Arbitrary<JsonValue>) => fc.oneof({ weight: 4, arbitrary: fc.array(of, { maxLength: 3 }) }, leaf);
const some = (members: { readonly [name: string]: fc.Arbitrary<JsonValue> }): fc.Arbitrary<JsonValue> =>
  fc.oneof({ weight: 6, arbitrary: fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<JsonValue> }, leaf);
const settings = {
  model: string,
  instructions: string,
  omit: some({
    reasoning: leaf,
    items: list(leaf),
    outputs: some({ text: leaf, items: list(leaf), x: leaf }),
    images: some({ keep: leaf, before: leaf, placeholder: leaf, x: leaf }),
    Items: leaf,
  }),
  instructions_parts: list(some({ id: string, text: string, hash: string, keep: leaf, source: string, x: leaf })),
  instructions_omitted: list(some({ id: string, reason: string, keep: leaf, of: leaf, size: leaf })),
};
const files = fc.oneof(fc.dictionary(string, string, { maxKeys: 3 }), leaf);
const record = some({ at: string.map((text) => `/${text}`), was: string.map((text) => JSON.stringify(text)) });
const COMMON = {
  legacy_id: string,
  redacted: list(leaf),
  normalised: list(record),
  'x:more': some({ x: leaf, y: leaf }),
};
const MEMBERS: Readonly<Record<string, { readonly [name: string]: fc.Arbitrary<JsonValue> }>> = {
  config: settings,
  compaction: { first_kept: string, summary: fc.constant(message('s')), config: some(settings), pinned: list(leaf) },
  branch_summary: { from: string, summary: fc.constant(message('s')), usage: some({ x: leaf }) },
  item: {
    item: fc.constant(message('i')),
    queued_from: string,
    from_link: leaf,
    response: string,
    source: some({ kind: string, ref: string, x: leaf }),
  },
  env: {
    cwd: string,
    files: some({ read: files, written: files, x: leaf }),
    workspace: some({ kind: string, host: leaf }),
  },
  link: { rel: string, session: string, target: leaf, cancel: leaf, url: leaf, task: leaf, context: leaf },
  label: { label: string, target: string },
  outcome: { kind: string, target: string, label: string, details: leaf },
  run: {
    run_id: fc.constant('r'),
    phase: fc.constant('start'),
    source: string,
    trigger: some({ kind: leaf, ref: leaf }),
  },
  response: { response_id: string, status: string, request_hash: string, usage: some({ x: leaf }) },
  queued: { item: fc.constant(message('q')), mode: string, trigger: some({ kind: string, x: leaf }), ref: string },
  custom: { ns: string, data: some({ x: leaf }) },
  'x:other': { a: leaf, b: list(leaf) },
};
const odd: fc.Arbitrary<Odd> = fc.constantFrom(...Object.keys(MEMBERS)).chain((type) =>
  fc.record({
    type: fc.constant(type),
    body: fc.record({ ...MEMBERS[type], ...COMMON }, { requiredKeys: [] }) as fc.Arbitrary<Odd['body']>,
    parents: fc.oneof(
      fc.constant([]),
      fc.record({ entry: fc.constant('ID'), n: leaf, deep: list(leaf) }).map((reference) => [reference]),
    ),
  }),
);

/** The copy; undefined where 11.5 has none. */
function attempt(session: LiveSession): RedactionResult | undefined {
  try {
    return redactSession(session, options);
  } catch (error) {
    if (error instanceof SessionError && REFUSED.has(error.code)) return undefined;
    throw error;
  }
}

const REFUSED: ReadonlySet<string> = new Set(['instructions_join', 'key_collision']);

it('nothing of the original stands in members of any form', { timeout: 600_000 }, () => {
  const numRuns = process.env['AUDIT_FUZZ'] === undefined ? 500 : 10_000;
  let redacted = 0;
  fc.assert(
    fc.property(fc.array(odd, { minLength: 1, maxLength: 4 }), (entries) => {
      const session = createSession({ id: 's' }, { checks: 'read' });
      const { id } = session.append(draft('item', { item: message(`the key is ${KEY}`) }));
      const spell = (text: string): string =>
        text.replaceAll('ID', id).replaceAll('HEX', id.slice(7)).replaceAll('KEY', KEY);
      for (const each of entries) {
        try {
          const { type, body, parents } = JSON.parse(spell(JSON.stringify(each))) as Required<Odd>;
          session.append(draft(type, body, parents.length === 0 ? {} : { parent: null, parents }));
        } catch (error) {
          if (!(error instanceof SessionError)) throw error;
        }
      }
      fc.pre(session.size > 1 && faults(linesOf(session)).length === 0);
      const made = attempt(session);
      fc.pre(made !== undefined);
      const lines = new TextDecoder().decode(linesOf(made.session)).toLowerCase();
      // An entry that a redaction of it would not change has the same id.
      const ids = Array.from({ length: session.size }, (_, i) => session.id(i)).filter(
        (each) => made.ids.get(each) !== each,
      );
      for (const trace of [KEY, ...ids.map((each) => each.slice(7))]) expect(lines).not.toContain(trace);
      expect(faults(linesOf(made.session))).toEqual([]);
      const into = LiveSession.open(memorySource(linesOf(made.session)), { checks: 'read' });
      expect(redactSession(session, { ...options, into }).appended).toBe(0);
      redacted++;
    }),
    { numRuns },
  );
  expect(redacted).toBe(numRuns);
});
