/**
 * Writes vectors/session/reading.json: for each rule of reading a session file, a file that keeps it and one that breaks only it. The answers
 * stand here, written by hand; the ids are computed here, without the library.
 */
import { createHash } from 'node:crypto';
import { writeCases } from './place.ts';

type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value };
type Members = { readonly [name: string]: Value };

interface Vector {
  readonly name: string;
  readonly op: string;
  readonly params: Members;
  readonly answer: Value;
}

function canonical(value: Value): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(canonical).join(',')}]`;
  const members = value as Members;
  const names = Object.keys(members).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(members[name] as Value)}`).join(',')}}`;
}

const sha = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

interface Line {
  readonly id: string;
  readonly text: string;
  readonly members: Members;
}

let clock = Date.UTC(2026, 10, 1, 9);

/** An entry with its right id. */
function entry(type: string, body: Members, parent: string | null = null, envelope: Members = {}): Line {
  clock += 1000;
  const ts = new Date(clock).toISOString().replace('.000', '');
  const whole = { type, parent, ts, ...envelope };
  const { parents } = envelope;
  const content = sha(canonical(body));
  const id = sha(
    canonical({
      type: whole.type,
      parent: whole.parent,
      ts: whole.ts,
      content,
      ...(Array.isArray(parents) && parents.length > 0 ? { parents } : {}),
    }),
  );
  const members = { id, ...whole, ...body };
  return { id, members, text: canonical(members) };
}

/** The line with members replaced after its id was computed: wrong on purpose. */
const altered = (line: Line, members: Members): string => canonical({ ...line.members, ...members });

function without(line: Line, name: string): string {
  return canonical(Object.fromEntries(Object.entries(line.members).filter(([member]) => member !== name)));
}

const HEADER = {
  type: 'session',
  format: 'agentsession/0.14',
  id: 'session-1',
  created_at: '2026-11-01T09:00:00Z',
  payload: 'openresponses/2026-04-24',
};
const header = (members: Members = {}): string => canonical({ ...HEADER, ...members });
const message = (text: string): Members => ({
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
const say = (text: string, parent: string | null = null, envelope: Members = {}) =>
  entry('item', message(text), parent, envelope);
const call: Members = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' };
const output: Members = { type: 'function_call_output', call_id: 'c1', output: 'done' };

const vectors: Vector[] = [];

/** A file and what is found in it: code, line and pointer of each finding. */
function faults(name: string, lines: readonly string[] | string, ...answer: readonly string[]): void {
  const file = typeof lines === 'string' ? lines : `${lines.join('\n')}\n`;
  vectors.push({ name, op: 'session/faults', params: { file }, answer });
}

function bytesFaults(name: string, bytes: Uint8Array, ...answer: readonly string[]): void {
  const file_b64 = Buffer.from(bytes).toString('base64');
  vectors.push({ name, op: 'session/faults', params: { file_b64 }, answer });
}

/** A file and the line of its leaf; 0 is the universal root. */
function leaf(name: string, lines: readonly string[], answer: number): void {
  vectors.push({ name, op: 'session/leaf', params: { file: `${lines.join('\n')}\n` }, answer });
}

const A = say('A');
const B = say('B', A.id);
const C = say('C', B.id);
const H = header();
const good = `${H}\n${A.text}\n${B.text}\n`;

// 1.1 bytes and lines
faults('a header and three entries', [H, A.text, B.text, C.text]);
faults('carriage returns before line ends are stripped', `${H}\r\n${A.text}\r\r\n${B.text}\r\n`);
faults(
  'blank lines are passed over and counted',
  `\n${H}\n\r\n${A.text}\n\n${altered(B, { 'x:n': 1 })}\n`,
  'session/id-mismatch 6 /id',
);
faults('white space, member order and escapes of the same values change no id', [
  H,
  JSON.stringify(A.members, null, 1).replaceAll('\n', ' ').replace('"A"', '"\\u0041"'),
]);
faults('a last line without its line end is an entry', `${H}\n${A.text}`);
faults(
  'a last line that parses and does not hold is no truncated line',
  `${H}\n${altered(A, { 'x:n': 1 })}`,
  'session/id-mismatch 2 /id',
);
faults('an empty file', '', 'session/not-a-session 0');
faults('a file of blank lines', '\n\r\n\n', 'session/not-a-session 0');
faults('a header and no entries', `${H}\n`, 'session/nothing-checked 1');
faults('a byte order mark', `\ufeff${good}`, 'session/not-a-session 1');
bytesFaults('UTF-16, low byte first', Buffer.from(`\ufeff${good}`, 'utf16le'), 'session/not-a-session 1');
bytesFaults('UTF-16, low byte first, without a mark', Buffer.from(good, 'utf16le'), 'session/not-a-session 1');
bytesFaults('UTF-16, high byte first', Buffer.from(`\ufeff${good}`, 'utf16le').swap16(), 'session/not-a-session 1');

// 1.3 truncated last line
const cut = B.text.slice(0, 60);
faults('a cut line without its line end', `${H}\n${A.text}\n${cut}`, 'session/truncated 3');
faults('a cut line with its line end', `${H}\n${A.text}\n${cut}\n`, 'session/truncated 3');
faults('spaces as the last line', `${H}\n${A.text}\n   `, 'session/truncated 3');
faults('spaces with a line end as the last line', `${H}\n${A.text}\n   \n`, 'session/truncated 3');
faults('a cut line and a blank line', `${H}\n${A.text}\n${cut}\n\n`, 'json/not-json 3');
faults('a cut line and spaces', `${H}\n${A.text}\n${cut}\n  `, 'json/not-json 3', 'session/truncated 4');
faults('spaces before a further line', `${H}\n${A.text}\n  \n${B.text}\n`, 'json/not-json 3');
bytesFaults(
  'a line cut inside a character',
  Buffer.concat([Buffer.from(`${H}\n{"a":"`), Buffer.from('é').subarray(0, 1)]),
  'session/truncated 2',
);
bytesFaults(
  'a whole last line with a byte that is not UTF-8 is no truncated line',
  Buffer.concat([Buffer.from(`${H}\n{"a":"`), Buffer.from([0xff]), Buffer.from('"}')]),
  'json/not-i-json 2 /a',
);
faults('a last line too deep is no truncated line', `${H}\n${'['.repeat(10_001)}`, 'json/too-deep 2');
faults(
  'the missing base goes with a truncated line',
  [header({ base: B.id }), A.text, cut],
  'session/truncated 3',
  'session/no-entry 0 /base',
);

// 2 header
faults('a first line that is no JSON', ['session', A.text], 'session/not-a-session 1');
faults('a first line that is no object', ['[]', A.text], 'session/not-a-session 1');
faults('a first line of another type', [header({ type: 'sessions' }), A.text], 'session/not-a-session 1');
for (const format of [
  'agentsession/1.0',
  'agentsession/0.15',
  'agentsession/0.014',
  'agentsession/0.+5',
  'agentsession/0.0',
  'pi/0.1',
  '',
])
  faults(`the format ${JSON.stringify(format)}`, [header({ format }), A.text], 'session/unsupported-format 1 /format');
for (const format of ['agentsession/0.5', 'agentsession/0.9', 'agentsession/0.14'])
  faults(`the format ${JSON.stringify(format)}`, [header({ format }), A.text]);
faults(
  'a payload of another kind',
  [header({ payload: 'anthropic/1' }), A.text],
  'session/unsupported-format 1 /payload',
);
faults('an empty payload', [header({ payload: '' }), A.text], 'session/bad-header 1 /payload');
faults('an empty id in the header', [header({ id: '' }), A.text], 'session/bad-header 1 /id');
faults(
  'a time of creation that is no time',
  [header({ created_at: '2026-02-30T00:00:00Z' }), A.text],
  'session/bad-header 1 /created_at',
);
faults('a time of creation in another spelling', [header({ created_at: '2026-11-01t10:00:00.000+01:00' }), A.text]);
faults('records that are no strings', [header({ records: ['run', 1] }), A.text], 'session/bad-header 1 /records/1');
faults('redacted that is no boolean', [header({ redacted: 'yes' }), A.text], 'session/bad-header 1 /redacted');
faults('null for an optional member', [header({ records: null, cwd: null, base: null, redacted: null }), A.text]);
faults('unknown members of the header', [header({ 'x:y': { CWD: 1 }, CWD: 7 }), A.text]);
faults('a repeated member in the header', [H.replace('{', '{"id":"x",'), A.text], 'json/not-i-json 1 /id');
faults('an original named by a redacted session', [
  header({ redacted: true, redacted_from: { session: 'other' } }),
  A.text,
]);
faults(
  'an original named by a session that is not redacted',
  [header({ redacted_from: { session: 'other' } }), A.text],
  'session/redacted-from 1 /redacted_from',
);
faults(
  'a session that names itself as its original',
  [header({ redacted: true, redacted_from: { session: 'session-1' } }), A.text],
  'session/redacted-from 1 /redacted_from',
);
faults('an original named before 0.13 means nothing', [
  header({ format: 'agentsession/0.12', redacted_from: { session: 'session-1' } }),
  A.text,
]);
faults('an original in a form that is not defined means nothing', [header({ redacted_from: ['other'] }), A.text]);

// 3 I-JSON
const withText = (text: string) => `${H}\n${A.text}\n{"x":${text}}\n${C.text}\n`;
faults(
  'a repeated member name',
  withText('{"a":1,"\\u0061":2}'),
  'json/not-i-json 3 /x/a',
  'session/no-entry 4 /parent',
);
faults('half of a surrogate pair', withText('"\\ud800"'), 'json/not-i-json 3 /x', 'session/no-entry 4 /parent');
faults(
  'a whole number that no double holds',
  withText('9007199254740993'),
  'json/not-i-json 3 /x',
  'session/no-entry 4 /parent',
);

// 4.1 envelope, in the order of its rows
faults('a line that is no object', [H, '[1]'], 'session/bad-entry 2');
faults('a member named content', [H, entry('info', { content: 1 }).text], 'session/reserved-member 2 /content');
faults('a type that is no string', [H, altered(A, { type: 1 })], 'session/bad-entry 2 /type');
faults('an id that is no string', [H, altered(A, { id: 1 })], 'session/bad-entry 2 /id');
faults('a parent that is no string', [H, altered(A, { parent: 1 })], 'session/bad-entry 2 /parent');
faults('a ts that is no string', [H, altered(A, { ts: 1 })], 'session/bad-entry 2 /ts');
faults('an empty type', [H, altered(A, { type: '' })], 'session/bad-entry 2 /type');
faults('no type', [H, without(A, 'type')], 'session/bad-entry 2');
faults('an empty id', [H, altered(A, { id: '' })], 'session/id-mismatch 2');
faults('no id', [H, without(A, 'id')], 'session/id-mismatch 2');
faults('an empty parent', [H, entry('info', {}, '').text], 'session/bad-parent 2 /parent');
faults('no parent is null', [H, without(A, 'parent')]);
faults('an id in capitals', [H, altered(A, { id: A.id.toUpperCase() })], 'session/id-mismatch 2 /id');
for (const ts of [
  '2026-11-01T09:00:00Z',
  '2026-11-01T09:00:00.5Z',
  '2026-11-01T09:00:00.123456789Z',
  '2028-02-29T00:00:00Z',
])
  faults(`the time ${ts}`, [H, entry('info', {}, null, { ts }).text]);
for (const ts of [
  '2026-11-01T09:00:00.500Z',
  '2026-11-01T09:00:00.000Z',
  '2026-11-01T09:00:00+00:00',
  '2026-11-01t09:00:00z',
  '2026-11-01T09:00:60Z',
  '2026-11-01T24:00:00Z',
  '2026-11-01T09:00:00.1234567891Z',
  '2026-02-30T00:00:00Z',
  '2027-02-29T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-11-01T09:00:00.Z',
  '2026-11-01 09:00:00Z',
  '',
])
  faults(`the time ${JSON.stringify(ts)}`, [H, entry('info', {}, null, { ts }).text], 'session/bad-ts 2 /ts');
faults('a legacy_id that is no string', [H, entry('x:y', { legacy_id: 1 }).text], 'session/bad-entry 2 /legacy_id');
faults('a legacy_id', [H, entry('x:y', { legacy_id: 'old' }).text]);
faults('normalised that is no list', [H, entry('x:y', { normalised: {} }).text], 'session/bad-entry 2 /normalised');
faults(
  'normalised with an element that is no object',
  [H, entry('x:y', { normalised: [1] }).text],
  'session/bad-entry 2 /normalised/0',
);
faults('normalised', [H, entry('x:y', { normalised: [{ at: '/a', was: '1' }] }).text]);
faults('parents that are no list', [H, entry('info', {}, null, { parents: {} }).text], 'session/bad-entry 2 /parents');
faults(
  'parents with an element that is no object',
  [H, entry('info', {}, null, { parents: [1] }).text],
  'session/bad-entry 2 /parents',
);
faults(
  'parents with a session that is no string',
  [H, entry('info', {}, null, { parents: [{ session: 1, entry: 'x' }] }).text],
  'session/bad-entry 2 /parents',
);

// 4.4 hashes
faults('empty and null parents hash like absent ones', [H, altered(A, { parents: [] }), altered(B, { parents: null })]);
faults('unknown members at every depth are hashed', [
  H,
  entry('info', { name: 'n', 'x:a': [{ 'x:b': null, __proto__x: 1 }] }).text,
]);
faults('a member named __proto__ is data', [H, entry('info', JSON.parse('{"__proto__":{"a":1}}') as Members).text]);
faults(
  'an unknown member that changed',
  [H, altered(entry('info', { 'x:a': [{ b: 1 }] }), { 'x:a': [{ b: 2 }] })],
  'session/id-mismatch 2 /id',
);
faults('a parent that changed', [H, A.text, B.text, altered(C, { parent: A.id })], 'session/id-mismatch 4 /id');
faults(
  'one altered line gives one finding',
  [H, altered(A, { 'x:n': 1 }), B.text, C.text],
  'session/id-mismatch 2 /id',
);
faults(
  'an altered id gives one finding',
  [H, A.text, altered(B, { id: A.id.replace(/.$/, '0') }), C.text],
  'session/id-mismatch 3 /id',
);

// 1.4 repeats, 1.5 order
faults('a line that stands twice', [H, A.text, B.text, A.text, C.text], 'session/repeated 4');
faults('a parent that does not stand before', [H, B.text, A.text], 'session/no-entry 2 /parent');
faults('several first entries', [H, A.text, say('another').text]);

// 1.6 base rule
const F = header({ base: B.id });
const D = say('D', B.id);
faults('a fork', [F, A.text, B.text, D.text, say('E', D.id).text]);
faults('a branch before the base', [F, A.text, say('X', A.id).text, B.text, D.text], 'session/base-rule 4 /parent');
faults(
  'a second first entry before the base',
  [F, A.text, say('X').text, B.text, D.text],
  'session/base-rule 3 /parent',
  'session/base-rule 4 /parent',
);
faults(
  'an entry under one above the base',
  [F, A.text, B.text, D.text, say('X', A.id).text],
  'session/base-rule 5 /parent',
);
faults('a first entry after the base', [F, A.text, B.text, D.text, say('X').text], 'session/base-rule 5 /parent');
faults('the base is not in the file', [F, A.text, say('X', A.id).text], 'session/no-entry 0 /base');
faults('repeats before the base', [F, A.text, A.text, B.text, D.text], 'session/repeated 3');

// 4.5 convergence
const merging = (parents: Value, parent: string | null = B.id) => [
  H,
  A.text,
  B.text,
  say('M', parent, { parents }).text,
];
faults('a merged entry', merging([{ entry: A.id }]));
faults('a merged entry of another session', merging([{ session: 's-2', entry: 'anything', 'x:y': 1 }]));
faults('one entry of two sessions', merging([{ session: 's-2', entry: A.id }, { entry: A.id }]));
faults('a reference without entry', merging([{ session: 's-2' }]), 'session/bad-convergence 4 /parents/0');
faults(
  'a reference whose entry is spelled otherwise',
  merging([{ Entry: A.id }]),
  'session/bad-convergence 4 /parents/0',
);
faults('a reference whose entry is no string', merging([{ entry: 7 }]), 'session/bad-convergence 4 /parents/0');
faults('a reference twice', merging([{ entry: A.id }, { entry: A.id }]), 'session/bad-convergence 4 /parents/1');
faults(
  'a reference twice, once with this session',
  merging([{ entry: A.id }, { session: 'session-1', entry: A.id }]),
  'session/bad-convergence 4 /parents/1',
);
faults(
  'a reference twice, once with an empty session',
  merging([{ entry: A.id }, { session: '', entry: A.id }]),
  'session/bad-convergence 4 /parents/1',
);
faults('a reference to the parent', merging([{ entry: B.id }]), 'session/bad-convergence 4 /parents/0');
faults(
  'a reference to the parent with this session',
  merging([{ session: 'session-1', entry: B.id }]),
  'session/bad-convergence 4 /parents/0',
);
faults(
  'a reference to a later entry',
  [H, A.text, say('M', A.id, { parents: [{ entry: B.id }] }).text, B.text],
  'session/bad-convergence 3 /parents/0',
);

// 5 bodies: kept, then one member wrong each
const bodies: readonly (readonly [type: string, body: Members])[] = [
  [
    'item',
    { item: call, response: 'r1', visible: false, source: { kind: 'cron', ref: 'x', more: 1 }, queued_from: 'q' },
  ],
  ['item', { item: { type: 'item_reference', id: 'x' } }],
  ['item', { item: { type: 'message', content: 'a plain string' } }],
  ['response', {}],
  [
    'response',
    {
      response_id: 'r',
      model: 'm',
      status: 's',
      usage: {},
      incomplete: null,
      error: {},
      request_hash: '',
      latency_ms: 5,
      attempts: 2,
    },
  ],
  [
    'config',
    {
      model: 'm',
      instructions: '',
      instructions_parts: [{ id: 'a', text: 't' }, { keep: 1 }],
      instructions_omitted: [{ id: 'b', size: 3 }],
      reasoning: {},
      text: {},
      tools_added: [{ name: 't' }],
      tools_removed: ['u'],
      extra: { a: null },
      replace: true,
      omit: {},
    },
  ],
  [
    'compaction',
    { first_kept: 'x', summary: { type: 'message' }, pinned: [{}], config: {}, tokens_before: 3, usage: {} },
  ],
  ['branch_summary', { from: 'x', summary: { type: 'message' }, usage: {} }],
  ['run', { run_id: 'r', phase: 'start', source: 'input', trigger: {}, ref: 'x' }],
  ['run', { run_id: 'r', phase: 'end', reason: 'done', pending: ['c'] }],
  ['dispatch', { call_id: 'c', target: 't', idempotency_key: 'k' }],
  ['decision', { call_id: 'c', target: 't', verdict: 'reject', reason: 'no', by: 'human', args: [1], withdrawn: true }],
  ['queued', { item: {}, mode: 'steer', trigger: {}, ref: 'x' }],
  ['info', { name: 'n' }],
  ['label', {}],
  ['label', { target: null, label: 'leaf' }],
  [
    'env',
    {
      cwd: '/',
      vcs: {},
      files: { read: { a: 'h' }, written: {} },
      tools: { a: '1' },
      workspace: { kind: 'local', host: 7 },
    },
  ],
  ['outcome', { kind: 'test', target: 't', score: 0.5, pass: true, label: 'l', details: null }],
  ['link', { rel: 'subsession', session: 's', call_id: 'c', url: 'u', task: 't', context: 'x' }],
  ['link', {}],
  ['custom', { ns: 'a', data: 1, call_id: 'c' }],
  ['custom', {}],
  ['x:anything', { item: 1, run_id: [] }],
  ['later', { item: 1, run_id: [] }],
];
for (const [type, body] of bodies) faults(`a body of ${type}: ${canonical(body)}`, [H, entry(type, body).text]);

const broken: readonly (readonly [type: string, body: Members, pointer: string])[] = [
  ['item', {}, ''],
  ['item', { item: null }, ''],
  ['item', { item: 'text' }, '/item'],
  ['item', { item: call, response: 1 }, '/response'],
  ['item', { item: call, visible: 'no' }, '/visible'],
  ['item', { item: call, source: 'cron' }, '/source'],
  ['item', { item: call, source: { kind: 1 } }, '/source/kind'],
  ['item', { item: call, queued_from: 1 }, '/queued_from'],
  ['response', { response_id: 1 }, '/response_id'],
  ['response', { model: {} }, '/model'],
  ['response', { usage: 'much' }, '/usage'],
  ['response', { incomplete: true }, '/incomplete'],
  ['response', { error: 'x' }, '/error'],
  ['response', { request_hash: 1 }, '/request_hash'],
  ['response', { latency_ms: 1.5 }, '/latency_ms'],
  ['config', { model: 1 }, '/model'],
  ['config', { instructions: ['a'] }, '/instructions'],
  ['config', { instructions_parts: {} }, '/instructions_parts'],
  ['config', { instructions_parts: ['a'] }, '/instructions_parts/0'],
  ['config', { instructions_parts: [{ id: 1 }] }, '/instructions_parts/0/id'],
  ['config', { instructions_omitted: 'a' }, '/instructions_omitted'],
  ['config', { instructions_omitted: [{ id: 'a', size: 'big' }] }, '/instructions_omitted/0/size'],
  ['config', { reasoning: 'high' }, '/reasoning'],
  ['config', { text: 1 }, '/text'],
  ['config', { tools_added: ['t'] }, '/tools_added/0'],
  ['config', { tools_removed: [1] }, '/tools_removed/0'],
  ['config', { extra: [] }, '/extra'],
  ['config', { replace: 1 }, '/replace'],
  ['compaction', { first_kept: 'x' }, ''],
  ['compaction', { first_kept: 1, summary: {} }, '/first_kept'],
  ['compaction', { summary: {}, pinned: [1] }, '/pinned/0'],
  ['compaction', { summary: {}, config: 1 }, '/config'],
  ['compaction', { summary: {}, tokens_before: 0.5 }, '/tokens_before'],
  ['branch_summary', { from: 'x' }, ''],
  ['branch_summary', { from: 1, summary: {} }, '/from'],
  ['run', { phase: 'start', source: 'input' }, ''],
  ['run', { run_id: 'r', source: 'input' }, ''],
  ['run', { run_id: 'r', phase: 'middle', reason: 'done' }, '/phase'],
  ['run', { run_id: 'r', phase: 'start' }, ''],
  ['run', { run_id: 'r', phase: 'end' }, ''],
  ['run', { run_id: 'r', phase: 'end', reason: 'done', pending: 'c' }, '/pending'],
  ['dispatch', { target: 't' }, ''],
  ['dispatch', { call_id: 'c', target: '' }, ''],
  ['decision', { target: 't', verdict: 'hold' }, ''],
  ['decision', { call_id: 'c', verdict: 'hold' }, ''],
  ['decision', { call_id: 'c', target: 't' }, ''],
  ['decision', { call_id: 'c', target: 't', verdict: 'reject', reason: '' }, ''],
  ['decision', { call_id: 'c', target: 't', verdict: 'hold', by: 1 }, '/by'],
  ['queued', { mode: 'steer' }, ''],
  ['queued', { item: {} }, ''],
  ['queued', { item: {}, mode: 'steer', trigger: 'x' }, '/trigger'],
  ['info', { name: 1 }, '/name'],
  ['label', { target: 1 }, '/target'],
  ['label', { label: 1 }, '/label'],
  ['env', { cwd: 1 }, '/cwd'],
  ['env', { vcs: { dirty: 'yes' } }, '/vcs/dirty'],
  ['env', { files: { read: { a: 1 } } }, '/files/read/a'],
  ['env', { tools: { a: 1 } }, '/tools/a'],
  ['env', { workspace: { kind: 1 } }, '/workspace/kind'],
  ['outcome', { kind: 1 }, '/kind'],
  ['outcome', { score: '1' }, '/score'],
  ['outcome', { pass: 'yes' }, '/pass'],
  ['link', { rel: 1 }, '/rel'],
  ['link', { session: 1 }, '/session'],
  ['link', { call_id: 1 }, '/call_id'],
  ['custom', { ns: 1 }, '/ns'],
];
for (const [type, body, pointer] of broken)
  faults(
    `not a body of ${type}: ${canonical(body)}`,
    [H, entry(type, body).text],
    `session/bad-entry 2${pointer && ` ${pointer}`}`,
  );

// members of later minors in a form that is not defined are kept, not refused
for (const [type, body] of [
  ['item', { item: call, failed: true }],
  ['item', { item: output, failed: 'yes', from_link: 7 }],
  ['response', { attempts: 0 }],
  ['response', { attempts: 'many' }],
  ['config', { instructions_parts: [{ keep: -1 }, { keep: '2' }], instructions_omitted: [{ keep: 1, of: 7 }] }],
  ['config', { omit: null }],
  ['config', { omit: { Reasoning: 'other_models' } }],
  ['config', { omit: { items: [1] } }],
  ['config', { omit: { images: { keep: 1, before: 'x', placeholder: '' }, outputs: 7 } }],
  ['compaction', { summary: {}, config: { instructions_omitted: 7, omit: 7 } }],
  ['run', { run_id: 'r', phase: 'start', source: 'input', trigger: 7 }],
  ['dispatch', { call_id: 'c', target: 't', idempotency_key: 7 }],
  ['decision', { call_id: 'c', target: 't', verdict: 'proceed', withdrawn: true }],
  ['label', { label: 'leaf', synthetic: 'yes' }],
  ['env', { workspace: { host: '', instance: 7 } }],
  ['link', { rel: 'fork_of', session: 's', target: 7, url: 7, task: 7, context: 7, cancel: 7 }],
  ['custom', { ns: 'a', call_id: 7 }],
  ['info', { redacted: 'anything' }],
] as const satisfies readonly (readonly [string, Members])[])
  faults(`kept as unknown in ${type}: ${canonical(body)}`, [H, entry(type, body).text]);

// closed vocabularies
for (const [type, body, pointer] of [
  ['run', { run_id: 'r', phase: 'start', source: 'cron' }, '/source'],
  ['run', { run_id: 'r', phase: 'end', reason: 'tired' }, '/reason'],
  ['decision', { call_id: 'c', target: 't', verdict: 'maybe' }, '/verdict'],
  ['decision', { call_id: 'c', target: 't', verdict: 'hold', by: 'nobody' }, '/by'],
  ['queued', { item: {}, mode: 'later' }, '/mode'],
  ['env', { workspace: { kind: 'moon' } }, '/workspace/kind'],
  ['outcome', { kind: 'guess' }, '/kind'],
  ['link', { rel: 'friend' }, '/rel'],
] as const satisfies readonly (readonly [string, Members, string])[])
  faults(
    `a word that is not defined: ${canonical(body)}`,
    [H, entry(type, body).text],
    `session/unknown-value 2 ${pointer}`,
  );

// 1.8 resume rule
const label = (target: Value, text: Value, parent: string | null) => entry('label', { target, label: text }, parent);
const toRoot = label(null, 'leaf', null);
const X = say('X');
const toA = label(A.id, 'leaf', A.id);
leaf('without a label the last entry', [H, A.text, B.text], 3);
leaf('the root is marked', [H, A.text, B.text, toRoot.text], 0);
leaf('the newest under the marked root after the label', [H, A.text, B.text, toRoot.text, X.text], 5);
leaf('a new mark takes the place of the old one', [H, A.text, B.text, toRoot.text, X.text, toA.text], 2);
leaf('an entry under the mark before the label does not count', [H, A.text, B.text, toA.text], 2);
leaf('an entry under the mark after the label counts', [H, A.text, B.text, toA.text, say('Y', B.id).text], 5);
leaf(
  'an entry elsewhere after the label does not count',
  [H, A.text, B.text, X.text, toA.text, say('Y', X.id).text],
  2,
);
leaf('a label of null clears its own mark', [H, A.text, B.text, toA.text, label(A.id, null, B.id).text], 5);
leaf('a label of null on another entry clears nothing', [H, A.text, B.text, toA.text, label(B.id, null, X.id).text], 2);
leaf(
  'an ordinary label on the marked entry leaves the mark',
  [H, A.text, B.text, X.text, toA.text, label(A.id, 'name', X.id).text],
  2,
);
leaf('an ordinary label is a leaf like any entry', [H, A.text, label(A.id, 'name', A.id).text], 3);
leaf(
  'a leaf label on a leaf label is not in force',
  [H, A.text, B.text, toA.text, label(toA.id, 'leaf', B.id).text],
  3,
);
leaf('a leaf label on nothing is not in force', [H, A.text, B.text, label(sha('nothing'), 'leaf', A.id).text], 2);
leaf('a mark may name a later entry', [H, A.text, label(B.id, 'leaf', A.id).text, B.text, say('Z', A.id).text], 4);
const toOrigin = label(A.id, 'leaf', D.id);
leaf('in a fork a mark above the base is not in force', [F, A.text, B.text, D.text, toOrigin.text], 4);
leaf('in a fork the root cannot be marked', [F, A.text, B.text, D.text, label(null, 'leaf', D.id).text], 4);
leaf('in a fork the base can be marked', [F, A.text, B.text, D.text, label(B.id, 'leaf', D.id).text], 3);
leaf('a fork begins at its base', [F, A.text, B.text], 3);

// 10 migration
const old = (members: Members) => canonical(members);
const OLD = header({ format: 'agentsession/0.4' });
const o1 = {
  type: 'item',
  id: 'o1',
  parent: null,
  ts: '2026-09-17T14:00:00.250+02:00',
  item: message('hi')['item'] as Value,
};
const note = 'session/ids-assigned 1';
faults(
  'an old file',
  [OLD, old(o1), old({ type: 'label', id: 'o2', parent: 'o1', ts: '2026-09-17T12:00:60Z', target: 'o1', label: 'x' })],
  note,
);
faults('an old line without an id', [OLD, old({ ...o1, id: '' })], 'session/id-mismatch 2', note);
faults('an old line whose time is none', [OLD, old({ ...o1, ts: 'yesterday' })], 'session/bad-ts 2 /ts', note);
faults('an old line whose parent is missing', [OLD, old({ ...o1, parent: 'o0' })], 'session/no-entry 2 /parent', note);
faults('an old line twice', [OLD, old(o1), old(o1)], 'session/repeated 3', note);
faults('one old id on two lines', [OLD, old(o1), old({ ...o1, item: call })], 'session/duplicate-entry 3', note);
faults(
  'an old reference that cannot be followed',
  [
    OLD,
    old(o1),
    old({ type: 'outcome', id: 'o2', parent: 'o1', ts: '2026-09-17T12:00:00Z', kind: 'task', target: 'task-7' }),
  ],
  'session/unresolved-migration 3',
  note,
);
faults(
  'an old entry of an extension',
  [OLD, old({ type: 'x:y', id: 'o1', parent: null, ts: '2026-09-17T12:00:00Z', at: 'o0' })],
  'session/unresolved-migration 2',
  note,
);
faults(
  'an old merged entry that is missing',
  [OLD, old(o1), old({ ...o1, id: 'o2', parent: 'o1', parents: [{ entry: 'o0' }] })],
  'session/bad-convergence 3 /parents/0',
  note,
);
faults(
  'types hold in old files',
  [OLD, old({ type: 'info', id: 'o1', parent: null, ts: '2026-09-17T12:00:00Z', name: 1 })],
  'session/bad-entry 2 /name',
  note,
);

const about =
  'Reading session files (session-format 1 to 5, 10). session/faults answers with code, line and JSON Pointer of each finding, line 0 where the finding has none; session/leaf with the line of the leaf, 0 for the universal root.';
writeCases('session/reading.json', about, vectors);
