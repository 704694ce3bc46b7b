/**
 * Writes vectors/atif/export.json: how a session becomes trajectories and documents (atif-export 4 to 9), rule by rule. Answers are what stands
 * at a few places of the document, written by hand.
 */
import {
  answer,
  type Body,
  Draft,
  functionCall,
  functionOutput,
  message,
  reasoning,
  type Value,
} from '../test/session/draft.ts';
import { writeCases } from './place.ts';

const cases: { readonly name: string; readonly op: string; readonly params: Body; readonly answer: Value }[] = [];

/** @param looks pointer to what stands there. */
function look(name: string, draft: Draft, looks: { readonly [pointer: string]: Value }, more: Body = {}): void {
  const at = Object.keys(looks);
  const params = { session: draft.text(), leaf: draft.tip ?? '', at, ...more };
  cases.push({ name, op: 'atif/look', params, answer: Object.values(looks) });
}

const usage = (input: number, output: number, cached = 0, thought = 0): Body => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
  input_tokens_details: { cached_tokens: cached },
  output_tokens_details: { reasoning_tokens: thought },
});
const started = (...items: readonly Body[]): Draft => {
  const draft = new Draft();
  draft.add('config', { model: 'lum-2', replace: true });
  for (const item of items) draft.item(item);
  return draft;
};
const parts = (...content: readonly Value[]): Body => ({ type: 'message', role: 'user', content });
const said = (text: string, more: Body = {}): Body => ({ ...answer('m', text), ...more });

// Forks (4.2, 4.3; 14.3).

const forks = new Draft();
const f1 = forks.item(message('1'));
const f2 = forks.item(message('2'), {}, f1);
const f3 = forks.item(message('3'), {}, f2);
const f4 = forks.item(message('4'), {}, f3);
const f5 = forks.item(message('5'), {}, f2);
const f6 = forks.item(message('6'), {}, f3);
const f7 = forks.item(message('7'), {}, f5);
type Row = readonly [leaf: string, isMain: boolean, over: readonly string[], abandoned: string];
function chosen(name: string, draft: Draft, prefer: readonly string[], rows: readonly Row[]): void {
  cases.push({
    name,
    op: 'atif/trajectories',
    params: { session: draft.text(), prefer },
    answer: rows.map(([leaf, main, preferred_over, abandoned_at]) => ({ leaf, main, preferred_over, abandoned_at })),
  });
}
const latest: readonly Row[] = [
  [f4, false, [], f2],
  [f6, false, [f4], f2],
  [f7, true, [f6, f4], ''],
];
chosen('forks: the latest line', forks, [], latest);
/** The same forks with more entries hung below them. */
function grown(...more: readonly (readonly [type: string, body: Body, parent: string])[]): {
  draft: Draft;
  ids: readonly string[];
} {
  const draft = new Draft();
  for (const { type, body, parent } of forks.entries) draft.add(type, body, parent);
  return { draft, ids: more.map(([type, body, parent]) => draft.add(type, body, parent)) };
}
{
  const { draft, ids } = grown(['label', { target: f4, label: 'leaf' }, f4]);
  const [mark] = ids as [string];
  // A mark hangs below the entry that it marks, and becomes the leaf of that path and the last line.
  chosen(
    'forks: the current leaf',
    draft,
    ['current'],
    [
      [f6, false, [f7], f3],
      [f7, false, [], f2],
      [mark, true, [f7, f6], ''],
    ],
  );
}
{
  const { draft, ids } = grown(['label', { target: f6, label: 'good' }, f7]);
  const [tip] = ids as [string];
  const rows: readonly Row[] = [
    [f4, false, [tip], f3],
    [f6, false, [tip, f4], ''],
    [tip, true, [], f2],
  ];
  chosen('forks: a label', draft, ['label:good'], rows);
  chosen(
    'forks: a label that nothing carries',
    draft,
    ['label:bad'],
    [
      [f4, false, [], f2],
      [f6, false, [f4], f2],
      [tip, true, [f6, f4], ''],
    ],
  );
}
{
  const { draft, ids } = grown(
    ['label', { target: f6, label: 'good' }, f6],
    ['label', { target: f5, label: 'good' }, f7],
  );
  const [left, right] = ids as [string, string];
  chosen(
    'forks: a label below two children is no opinion there',
    draft,
    ['label:good'],
    [
      [f4, false, [], f2],
      [left, false, [f4], f2],
      [right, true, [left, f4], ''],
    ],
  );
}
{
  const { draft, ids } = grown(
    ['outcome', { kind: 'eval', target: f4, score: 0.9 }, f4],
    ['outcome', { kind: 'eval', score: 0.5 }, f7],
  );
  const [a, b] = ids as [string, string];
  chosen(
    'forks: a score',
    draft,
    ['score'],
    [
      [f6, false, [b], f3],
      [a, false, [b, f6], ''],
      [b, true, [], f2],
    ],
  );
  const tied = grown(
    ['outcome', { kind: 'eval', target: f4, score: 0.5 }, f4],
    ['outcome', { kind: 'eval', score: 0.5 }, f7],
  );
  const [c, d] = tied.ids as [string, string];
  // At f2 both have 0.5; at f3 only one child has a score.
  chosen(
    'forks: a tie of scores is no opinion',
    tied.draft,
    ['score'],
    [
      [f6, false, [], f2],
      [c, false, [f6], f2],
      [d, true, [f6, c], ''],
    ],
  );
}
{
  const roots = new Draft();
  const a = roots.item(message('a'));
  const b = roots.item(message('b'), {}, null);
  chosen(
    'two roots are no fork',
    roots,
    [],
    [
      [a, false, [], ''],
      [b, true, [], ''],
    ],
  );
  const bad = new Draft();
  const first = bad.item(message('a'));
  const other = bad.item(message('b'), {}, first);
  const fold = bad.add('compaction', { first_kept: other, summary: message('s'), config: {} }, first);
  cases.push({
    name: 'a path whose context cannot be built has no trajectory; the others have',
    op: 'atif/trajectories',
    params: { session: bad.text() },
    answer: [
      { leaf: other, main: false, preferred_over: [], abandoned_at: first },
      { leaf: fold, problem: 'no-context' },
    ],
  });
  cases.push({
    name: 'no such entry',
    op: 'atif/look',
    params: { session: bad.text(), leaf: 'sha256:0', at: [] },
    answer: { problem: 'no-entry' },
  });
}

// Content (5.6).

function content(name: string, given: readonly Value[] | string, expected: Value): void {
  look(`content: ${name}`, started(parts(...(given as readonly Value[]))), { '/steps/0/message': expected });
}
const image = (url: string): Body => ({ type: 'input_image', image_url: url, detail: 'auto' });
const shown = (media_type: string, path: string): Value => [{ type: 'image', source: { media_type, path } }];
content(
  'texts are joined with nothing between',
  [
    { type: 'input_text', text: 'a' },
    { type: 'text', text: 'b' },
    { type: 'output_text', text: 'c' },
  ],
  'abc',
);
content('a refusal', [{ type: 'refusal', refusal: 'no' }], '[refusal] no');
content('a file by its name', [{ type: 'input_file', filename: 'a.pdf', file_url: 'u' }], '[file: a.pdf]');
content('a file by its id', [{ type: 'input_file', file_id: 'f-1', file_url: 'u' }], '[file: f-1]');
content('a video', [{ type: 'input_video', video_url: 'v' }], '[video: v]');
content('a part of another kind', [{ type: 'x:map', at: [1, 2] }], '{"at":[1,2],"type":"x:map"}');
content('a data URL', [image('data:IMAGE/JPG;base64,AA==')], shown('image/jpeg', 'data:IMAGE/JPG;base64,AA=='));
content('a data URL of another type', [image('data:image/svg+xml,<svg/>')], '[image: data URL image/svg+xml]');
content(
  'an extension, a query aside',
  [image('https://x.example/a.b/c.WEBP?d.gif#e')],
  shown('image/webp', 'https://x.example/a.b/c.WEBP?d.gif#e'),
);
content('a remote SVG', [image('https://x.example/a.svg')], '[image: https://x.example/a.svg]');
content('no extension', [image('sidecar:ab12')], shown('image/png', 'sidecar:ab12'));
content(
  'a file id in place of a URL',
  [{ type: 'input_image', image_url: '', file_id: 'f-1', detail: 'auto' }],
  shown('image/png', 'f-1'),
);
look(
  'content: texts beside an image stay parts',
  started(parts({ type: 'input_text', text: '' }, image('a.gif'), { type: 'refusal', refusal: 'x' })),
  {
    '/steps/0/message': [
      { type: 'text', text: '' },
      { type: 'image', source: { media_type: 'image/gif', path: 'a.gif' } },
      { type: 'text', text: '[refusal] x' },
    ],
  },
);

// Steps made from items (5.3, 6.3).

look(
  'a developer message',
  started({ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'x' }] }),
  {
    '/steps/0/source': 'system',
    '/steps/0/message': 'x',
    '/steps/0/extra/role': 'developer',
  },
);
look('an extension item by a user', started({ type: 'x:note', text: 'n', content: 'c', role: 'user' }), {
  '/steps/0/source': 'user',
  '/steps/0/message': 'n',
  '/steps/0/extra/item_type': 'x:note',
});
look('an extension item with a content', started({ type: 'x:note', content: 'c' }), {
  '/steps/0/source': 'system',
  '/steps/0/message': 'c',
});
look('an item reference', started({ type: 'item_reference', id: 'r' }), {
  '/steps/0/message': '',
  '/steps/0/extra/item_type': 'item_reference',
});
look('an output of no call', started(functionOutput('gone', 'late')), {
  '/steps/0/source': 'system',
  '/steps/0/message': '',
  '/steps/0/observation': { results: [{ content: 'late' }] },
  '/steps/0/extra/orphan_call_id': 'gone',
  '/steps/0/extra/openresponses/item/output': 'late',
});
{
  const draft = started();
  const id = draft.item(message('x'), {
    visible: false,
    source: { kind: 'human', at: 1 },
    queued_from: 'q',
    from_link: 'l',
    failed: true,
    note: 'n',
    redacted: [1],
  });
  look('what an item entry says beside its item', draft, {
    '/steps/0/extra/visible': false,
    '/steps/0/extra/source': { kind: 'human', at: 1 },
    '/steps/0/extra/queued_from': 'q',
    '/steps/0/extra/from_link': 'l',
    '/steps/0/extra/failed': true,
    '/steps/0/extra/note': 'n',
    '/steps/0/extra/redacted': [1],
    '/steps/0/extra/agentsession': { entry_id: id },
    '/steps/0/timestamp': '2026-11-01T09:00:01Z',
  });
}
{
  const draft = started();
  draft.item(functionCall('c1'));
  draft.item(functionOutput('c1', ''), { failed: true });
  look('an output that is empty and failed', draft, {
    '/steps/0/observation/results/0/content': null,
    '/steps/0/observation/results/0/source_call_id': 'c1',
    '/steps/0/observation/results/0/extra/failed': true,
    '/steps/1': null,
  });
}

// Agent steps (5.4, 6.4).

{
  const draft = started(message('go'));
  const first = draft.item({ ...reasoning('r'), summary: [{ type: 'summary_text', text: 'so' }] }, { response: 'p1' });
  const second = draft.item(said('one', { phase: 'commentary' }), { response: 'p1', beside: 1 });
  const third = draft.item(said('two'), { response: 'p1' });
  const done = draft.add('response', {
    response_id: 'p1',
    status: 'incomplete',
    model: 'lum-2-x',
    incomplete: { reason: 'max_output_tokens' },
    error: { code: 'e' },
    latency_ms: 5,
    attempts: 3,
    usage: usage(9, 4, 2, 1),
    own: true,
  });
  look('a model call', draft, {
    '/steps/1/message': 'one\ntwo',
    '/steps/1/reasoning_content': 'so',
    '/steps/1/model_name': 'lum-2-x',
    '/steps/1/llm_call_count': 3,
    '/steps/1/metrics': { prompt_tokens: 9, completion_tokens: 4, cached_tokens: 2, extra: { reasoning_tokens: 1 } },
    '/steps/1/extra/item_entry_ids': [first, second, third],
    '/steps/1/extra/agentsession/entry_id': done,
    '/steps/1/extra/phases': ['commentary'],
    '/steps/1/extra/status': 'incomplete',
    '/steps/1/extra/incomplete': 'max_output_tokens',
    '/steps/1/extra/error': { code: 'e' },
    '/steps/1/extra/latency_ms': 5,
    '/steps/1/extra/beside': 1,
    '/steps/1/extra/own': true,
    '/steps/1/extra/openresponses/response/entry_id': done,
    '/steps/1/extra/openresponses/response/parent': null,
    '/steps/1/extra/openresponses/response/own': true,
    '/final_metrics/total_steps': 3,
  });
}
{
  const draft = started();
  draft.item(said('a'), { response: 'p1' });
  draft.item(said('b'), { response: 'p2' });
  draft.item(said('c'));
  draft.add('response', { response_id: 'p3', status: 'completed' });
  look('calls are told apart by their response', draft, {
    '/steps/0/message': 'a',
    '/steps/0/extra/response_id': 'p1',
    '/steps/1/message': 'b\nc',
    '/steps/1/extra/response_id': 'p2',
    '/steps/2/message': '',
    '/steps/2/extra/openresponses/items': [],
    '/steps/2/extra/item_entry_ids': null,
    '/steps/3': null,
    '/final_metrics/total_steps': 1,
  });
}
for (const [name, spelled, args] of [
  ['an object', '{"a":{"b":1}}', { a: { b: 1 } }],
  ['nothing', ' \n', {}],
  ['a list', '[1]', { _arguments: '[1]' }],
  ['null', 'null', { _arguments: 'null' }],
  ['broken JSON', '{"a":', { _arguments: '{"a":' }],
  ['a number that JSON cannot hold again', '{"a":1e999}', { _arguments: '{"a":1e999}' }],
  ['a name that objects inherit', '{"__proto__":1}', JSON.parse('{"__proto__":1}') as Value],
] as const)
  look(`arguments: ${name}`, started(functionCall('c1', 'f', spelled)), { '/steps/0/tool_calls/0/arguments': args });
{
  const logged = (text: string, ...numbers: readonly number[]): Value => ({
    type: 'output_text',
    text,
    annotations: [],
    ...(numbers.length === 0
      ? {}
      : { logprobs: numbers.map((logprob) => ({ token: 't', logprob, bytes: [], top_logprobs: [] })) }),
  });
  const withParts = (...content: readonly Value[]): Body => ({ ...answer('m', ''), content });
  const call = (more: Body, ...items: readonly Body[]): Draft => {
    const draft = started();
    for (const item of items) draft.item(item, { response: 'p' });
    draft.add('response', { response_id: 'p', status: 'completed', ...more });
    return draft;
  };
  look(
    'log probabilities that cover every token',
    call({}, withParts(logged('a', -1, -2), logged('')), withParts(logged('b', -3))),
    { '/steps/0/metrics': { logprobs: [-1, -2, -3] } },
  );
  look('log probabilities beside reasoning tokens', call({ usage: usage(1, 2, 0, 1) }, withParts(logged('a', -1))), {
    '/steps/0/metrics/logprobs': null,
  });
  look('log probabilities of one part alone', call({}, withParts(logged('a', -1), logged('b'))), {
    '/steps/0/metrics': null,
  });
  look('log probabilities beside a call', call({}, withParts(logged('a', -1)), functionCall('c1')), {
    '/steps/0/metrics': null,
  });
}

// Settings (5.1, 5.5).

{
  const draft = new Draft({ harness: { name: 'lantern', version: '3.2' } });
  const tool = (name: string, more: Body = {}): Body => ({ type: 'function', name, ...more });
  draft.add('env', { cwd: '/x' });
  const first = draft.add('config', {
    model: 'a',
    tools_added: [tool('f', { strict: false }), { type: 'x:search', deep: 1 }],
    note: 1,
  });
  const second = draft.add('config', { model: 'b', reasoning: { effort: 'low', summary: null } });
  draft.item(said('one'));
  draft.add('response', { response_id: '', status: 'completed' });
  const third = draft.add('config', {
    model: 'c',
    tools_removed: ['f'],
    tools_added: [tool('z'), tool('g', { parameters: null })],
    omit: 1,
  });
  draft.item(message('x'));
  look('the first settings, and what changes after them', draft, {
    '/agent': {
      name: 'lantern',
      version: '3.2',
      model_name: 'b',
      tool_definitions: [
        { type: 'function', function: { name: 'f', description: '', strict: false } },
        { type: 'x:search', deep: 1 },
      ],
    },
    '/steps/0/model_name': 'b',
    '/steps/0/reasoning_effort': 'low',
    '/steps/0/extra/config_entries': [first, second],
    '/steps/0/extra/config_extensions': [{ entry_id: first, note: 1 }],
    '/steps/0/extra/tool_changes': { added: ['f'] },
    '/steps/1/extra/config_entries': [third],
    '/steps/1/extra/config_extensions': [{ entry_id: third, omit: 1 }],
    '/steps/1/extra/tool_changes': { added: ['g', 'z'], removed: ['f'] },
  });
  look(
    'names of the caller',
    draft,
    { '/agent/name': 'n', '/agent/version': 'agentsession/0.14', '/agent/model_name': 'm', '/steps/0/model_name': 'm' },
    { names: { agent: 'n', model: 'm' } },
  );
  look(
    'a version of the caller',
    draft,
    { '/agent/name': 'lantern', '/agent/version': '9' },
    { names: { version: '9' } },
  );
}
look('a session without a harness', started(message('x')), {
  '/agent/name': 'agentsession',
  '/agent/version': 'agentsession/0.14',
});
look(
  'notes of the caller',
  started(message('x')),
  {
    '/notes':
      "mine\ntotal_steps counts the path's 0 model call(s), its responses, folds, branch summaries and calls recorded with their usage alone, and not its 1 steps.",
  },
  { notes: 'mine' },
);

// Records (5.5, 6.6, 6.7).

{
  const draft = started();
  const env = draft.add('env', { cwd: '/a', more: 1 });
  const label = draft.add('label', { target: env, label: 'here' });
  const info = draft.add('info', { name: 'Night' });
  const custom = draft.add('custom', { ns: 'x', data: null, call_id: '' });
  const queued = draft.add('queued', { item: message('later'), mode: 'steer', trigger: { ref: 't' } });
  const own = draft.add('x:own', { deep: [1] });
  draft.add('env', { cwd: '/b' });
  const last = draft.add('env', { cwd: '/c' });
  draft.item(message('x'));
  const trailing = draft.add('label', { target: env, label: null });
  look('records wait for the next step', draft, {
    '/extra/environment': { entry_id: env, cwd: '/a', more: 1 },
    '/extra/agentsession/name': 'Night',
    '/extra/agentsession/labels': null,
    '/steps/0/extra/labels': [{ target: env, label: 'here', entry_id: label }],
    '/steps/0/extra/info': [{ entry_id: info, name: 'Night' }],
    '/steps/0/extra/custom': [{ ns: 'x', data: null, entry_id: custom, call_id: '' }],
    '/steps/0/extra/queued': [{ entry_id: queued, mode: 'steer', item: message('later'), trigger: { ref: 't' } }],
    '/steps/0/extra/extensions/0/id': own,
    '/steps/0/extra/extensions/0/deep': [1],
    '/steps/0/extra/environment': { entry_id: last, cwd: '/c' },
    '/extra/labels': [{ target: env, label: null, entry_id: trailing }],
  });
  const after = draft.add('env', { cwd: '/d' });
  look('a trailing environment replaces the first', draft, { '/extra/environment': { entry_id: after, cwd: '/d' } });
}
{
  const draft = started();
  const start = draft.add('run', {
    run_id: 'a',
    phase: 'start',
    source: 'input',
    ref: 'r',
    trigger: { kind: 'k' },
    note: 1,
  });
  draft.item(message('x'));
  const end = draft.add('run', { run_id: 'a', phase: 'end', reason: 'error', pending: ['c'], ref: 'why' });
  const lone = draft.add('run', { run_id: 'b', phase: 'end', reason: 'done', pending: [] });
  look('a run and an end without a start', draft, {
    '/steps/0/extra/run': [
      {
        run_id: 'a',
        source: 'input',
        start_entry_id: start,
        trigger: 'r',
        trigger_parts: { kind: 'k' },
        note: 1,
        reason: 'error',
        end_entry_id: end,
        cause: 'why',
        pending: ['c'],
      },
    ],
    '/extra/run': [{ run_id: 'b', reason: 'done', end_entry_id: lone, pending: [] }],
  });
}
{
  const draft = started();
  const item = draft.item(functionCall('c1'), { response: 'p' });
  const early = draft.add('decision', { call_id: 'c1', target: item, verdict: 'hold', by: 'human' });
  draft.add('response', { response_id: 'p', status: 'completed' });
  const decision = draft.add('decision', {
    call_id: 'c1',
    target: item,
    verdict: 'proceed',
    args: { a: 1 },
    withdrawn: true,
  });
  const one = draft.add('dispatch', { call_id: 'c1', target: item, idempotency_key: 'k' });
  const two = draft.add('dispatch', { call_id: 'c1', target: item });
  look('decisions and hand-offs of a call', draft, {
    '/extra/calls': { c1: { decisions: [{ entry_id: early, verdict: 'hold', by: 'human' }] } },
    '/steps/0/extra/calls/c1/decisions': [{ entry_id: decision, verdict: 'proceed', args: { a: 1 }, withdrawn: true }],
    '/steps/0/extra/calls/c1/dispatch': { entry_id: one, idempotency_key: 'k' },
    '/steps/0/extra/calls/c1/dispatches': [{ entry_id: one, idempotency_key: 'k' }, { entry_id: two }],
  });
}
{
  const draft = started();
  const item = draft.item(message('x'));
  const good = draft.add('outcome', { kind: 'test', target: item, pass: true, score: 0, label: 'l', details: [1] });
  const early = draft.add('outcome', { kind: 'task', target: draft.tip });
  const row: Body = { kind: 'test', entry_id: good, target: item, pass: true, score: 0, label: 'l', details: [1] };
  look('outcomes, at the step that they judge too', draft, {
    '/steps/0/extra/outcome': [row],
    '/final_metrics/extra/outcome': [row, { kind: 'task', entry_id: early, target: good }],
  });
  look(
    'outcomes below the end of the path',
    draft,
    { '/final_metrics/extra/outcome': [row], '/steps/0/extra/outcome': [row], '/extra/agentsession/main': null },
    { leaf: item },
  );
}

// Folds and totals (5.5, 6.5, 7; 14.2).

{
  const draft = started();
  draft.item(message('one'));
  draft.item(said('uno'), { response: 'r1' });
  draft.add('response', { response_id: 'r1', status: 'completed', usage: usage(10, 1) });
  draft.add('config', { model: 'lum-2-mini' });
  const b06 = draft.item(message('two'));
  draft.item(said('dos'), { response: 'r2' });
  const b08 = draft.add('response', { response_id: 'r2', status: 'completed', usage: usage(20, 1) });
  const summary = message('They count in Spanish.');
  const b09 = draft.add('compaction', {
    first_kept: b06,
    summary,
    config: { model: 'lum-2' },
    tokens_before: 31,
    usage: usage(25, 6),
  });
  const b10 = draft.item(message('three'));
  draft.item(said('tres'), { response: 'r3' });
  const b12 = draft.add('response', { response_id: 'r3', status: 'completed', usage: usage(18, 1) });
  look(
    'a fold (14.2)',
    draft,
    {
      '/agent/model_name': 'lum-2',
      '/steps/0/source': 'system',
      '/steps/0/is_copied_context': true,
      '/steps/0/message': 'They count in Spanish.',
      '/steps/0/observation': { results: [{ content: 'They count in Spanish.' }] },
      '/steps/0/extra': {
        agentsession: { entry_id: b09 },
        context_management: { boundary: 'replace', type: 'compaction' },
        cost_usd: 0.25,
        first_kept: b06,
        openresponses: { item: summary },
        tokens_before: 31,
        usage: usage(25, 6),
      },
      '/steps/1/extra/agentsession/entry_id': b06,
      '/steps/1/is_copied_context': true,
      '/steps/2/extra/agentsession/entry_id': b08,
      '/steps/2/model_name': 'lum-2-mini',
      '/steps/2/is_copied_context': true,
      '/steps/2/metrics/cost_usd': 0.25,
      '/steps/3/extra/agentsession/entry_id': b10,
      '/steps/3/is_copied_context': null,
      '/steps/4/extra/agentsession/entry_id': b12,
      '/steps/4/model_name': 'lum-2',
      '/steps/5': null,
      '/final_metrics': {
        total_prompt_tokens: 73,
        total_completion_tokens: 9,
        total_cached_tokens: 0,
        total_cost_usd: 1,
        total_steps: 4,
      },
      '/notes':
        "total_steps counts the path's 4 model call(s), its responses, folds, branch summaries and calls recorded with their usage alone, and not its 5 steps. The steps are the context after compaction and leave out 1 model call(s) that were folded away; final_metrics totals the whole path.",
    },
    { price: 0.25 },
  );
  // The prices tell which model each call was asked under: r1 and fold and r3 under lum-2, r2 under lum-2-mini.
  look(
    'the model that each call is priced under',
    draft,
    { '/final_metrics/total_cost_usd': (10 + 25 + 18) * 2 + 20 * 4 },
    {
      prices: {
        format: 'audit.prices.v1',
        models: { 'lum-2': { input: 2e6, output: 0 }, '*': { input: 4e6, output: 0 } },
      },
    },
  );
}
{
  const draft = started(message('one'));
  const inner = draft.add('compaction', { first_kept: draft.tip as string, summary: message('inner'), config: {} });
  const kept = draft.item(message('two'));
  const outer = draft.add('compaction', {
    first_kept: inner,
    summary: { type: 'compaction', encrypted_content: 'eA==' },
    pinned: [message('pinned')],
    config: {},
    more: 1,
  });
  look('a fold inside the kept window, and an opaque one', draft, {
    '/steps/0/message': '',
    '/steps/0/observation': { results: [{}] },
    '/steps/0/extra/agentsession/entry_id': outer,
    '/steps/0/extra/openresponses/pinned': [message('pinned')],
    '/steps/0/extra/more': 1,
    '/steps/1/message': 'inner',
    '/steps/1/extra/openresponses': null,
    '/steps/2/extra/agentsession/entry_id': kept,
    '/final_metrics/total_steps': 2,
  });
}
{
  const draft = started(message('one'));
  const from = draft.tip as string;
  draft.add('branch_summary', { from, summary: parts(image('a.gif')), usage: usage(3, 1) });
  look(
    'a branch summary',
    draft,
    {
      '/steps/1/source': 'system',
      '/steps/1/is_copied_context': true,
      '/steps/1/message': shown('image/gif', 'a.gif'),
      '/steps/1/extra/branch_from': from,
      '/steps/1/extra/usage': usage(3, 1),
      '/steps/1/extra/cost_usd': 0.5,
      '/final_metrics': {
        total_prompt_tokens: 3,
        total_completion_tokens: 1,
        total_cached_tokens: 0,
        total_cost_usd: 0.5,
        total_steps: 1,
      },
    },
    { price: 0.5 },
  );
}
{
  const draft = started(message('one'));
  draft.add('custom', { ns: 'x', data: { usage: usage(5, 0), attempts: 2 } });
  draft.add('custom', { ns: 'x', data: { usage: usage(5, 0), attempts: 0 } });
  draft.add('custom', { ns: 'x', data: { usage: { input_tokens: 7 } } });
  draft.add('custom', { ns: 'x', data: [usage(9, 9)] });
  look('calls that were recorded with their usage alone', draft, {
    '/final_metrics': { total_prompt_tokens: 10, total_completion_tokens: 0, total_cached_tokens: 0, total_steps: 3 },
  });
}

// Links and subagents (8).

{
  const child = new Draft({ id: 'child' });
  child.item(message('do'));
  const answered = child.item(said('did'));
  child.item(message('and then'));
  child.add('link', { rel: 'subsession', session: 'parent', call_id: 'none' });
  const parent = (parents?: Value): { draft: Draft; link: string } => {
    const draft = new Draft({ id: 'parent' });
    draft.item(functionCall('c1'));
    const link = draft.add('link', { rel: 'subsession', session: 'child', call_id: 'c1' });
    draft.item(functionOutput('c1', 'x'), parents === undefined ? {} : { parents });
    return { draft, link };
  };
  const at = '/steps/0/observation/results/0/subagent_trajectory_ref';
  const named = parent([
    { session: 'other', entry: 'e' },
    { session: 'child', entry: answered },
  ]);
  look('a subagent that is not at hand', named.draft, {
    [at]: [
      {
        trajectory_id: `child/${answered}`,
        session_id: 'child',
        trajectory_path: 'child.json',
        extra: { entry_id: named.link, child_leaf: answered },
      },
    ],
    '/subagent_trajectories': null,
    '/extra/links': null,
  });
  look(
    'a subagent that is embedded as it stood when it answered',
    named.draft,
    {
      [at]: [
        {
          trajectory_id: `child/${answered}`,
          session_id: 'child',
          extra: { entry_id: named.link, child_leaf: answered },
        },
      ],
      '/subagent_trajectories/0/trajectory_id': `child/${answered}`,
      '/subagent_trajectories/0/steps/1/message': 'did',
      '/subagent_trajectories/0/steps/2': null,
      '/subagent_trajectories/1': null,
    },
    { subsessions: { child: child.text() } },
  );
  const open = parent();
  look(
    'a subagent without a recorded answer is embedded by its main path, and not within itself',
    open.draft,
    {
      [at]: [{ trajectory_id: `child/${child.tip}`, session_id: 'child', extra: { entry_id: open.link } }],
      '/subagent_trajectories/0/steps/2/message': 'and then',
      '/subagent_trajectories/0/extra/links/0/subagent_trajectory_ref': {
        session_id: 'parent',
        trajectory_path: 'parent.json',
        extra: { entry_id: child.tip as string },
      },
    },
    { subsessions: { child: child.text(), parent: open.draft.text() } },
  );
  const lost = parent([{ session: 'child', entry: 'sha256:0' }]);
  look(
    'an answering leaf that the subagent does not hold is never replaced by another',
    lost.draft,
    {
      [at]: [
        {
          trajectory_id: 'child/sha256:0',
          session_id: 'child',
          trajectory_path: 'child.json',
          extra: { entry_id: lost.link, child_leaf: 'sha256:0' },
        },
      ],
      '/subagent_trajectories': null,
    },
    { subsessions: { child: child.text() } },
  );
  const waiting = new Draft({ id: 'parent' });
  waiting.item(functionCall('c1'));
  const link = waiting.add('link', { rel: 'subsession', session: 'child', call_id: 'c1' });
  look('a subagent that has not answered', waiting, {
    '/steps/0/observation': {
      results: [
        {
          source_call_id: 'c1',
          subagent_trajectory_ref: [{ session_id: 'child', trajectory_path: 'child.json', extra: { entry_id: link } }],
        },
      ],
    },
  });
}
{
  const draft = started(message('x'));
  const rows = [
    { rel: 'fork_of', session: 'o', note: 1 },
    { rel: 'subsession', session: 's', url: 'u', task: 't', context: 'c' },
    { rel: 'peer', session: '', target: 'l', cancel: 'sent' },
    { rel: 'judged_by', session: 'j', target: 'e', cancel: 'sent' },
    { rel: 'subsession', session: '' },
  ].map((body) => ({ entry_id: draft.add('link', body), ...body }));
  look('links that are records', draft, { '/extra/links': rows });
}

// The root (6.2).

look('a header of an earlier minor is raised', ofFormat('agentsession/0.12'), {
  '/extra/agentsession/format': 'agentsession/0.14',
});
look('a header that cannot be raised keeps its format', ofFormat('agentsession/0.12', { redacted_from: 'x' }), {
  '/extra/agentsession/format': 'agentsession/0.12',
});
{
  const draft = new Draft({ cwd: '/w', parent_session: 'p', spawned_by: 's', records: ['run'] });
  const id = draft.item(message('x'));
  draft.add('label', { target: id, label: 'good' });
  look('what the header and the whole session say', draft, {
    '/session_id': '01995b2a-0000-7000-8000-0000000000c1',
    '/trajectory_id': draft.tip as string,
    '/extra/openresponses': { payload: 'openresponses/2026-04-24' },
    '/extra/agentsession': {
      format: 'agentsession/0.14',
      leaf: draft.tip as string,
      cwd: '/w',
      parent_session: 'p',
      spawned_by: 's',
      records: ['run'],
      labels: { [id]: 'good' },
      main: true,
    },
  });
}
function ofFormat(format: string, more: Body = {}): Draft {
  const draft = new Draft({ format, ...more });
  draft.item(message('x'));
  return draft;
}

// Omitted and replaced items (9.1, 9.2).

{
  const draft = started();
  const gone = draft.item(message('gone'));
  const thought = draft.item({ ...reasoning('r'), summary: [{ type: 'summary_text', text: 't' }] }, { response: 'p' });
  draft.item(functionCall('c1'), { response: 'p' });
  const output = draft.item(functionOutput('c1', [image('a.png'), image('b.png')]));
  draft.add('config', {
    model: 'other',
    omit: {
      reasoning: 'other_models',
      items: [gone],
      outputs: { text: 'cut', items: [output] },
      images: { keep: 1, placeholder: 'i' },
    },
  });
  draft.item(message('x'));
  look('what the request leaves out or replaces', draft, {
    '/steps/0/extra/omitted': [{ entry_id: gone, reason: 'items' }],
    '/steps/1/extra/omitted': [{ entry_id: thought, reason: 'other_models' }],
    '/steps/1/reasoning_content': 't',
    '/steps/1/observation/results/0/extra/replaced': [
      { entry_id: output, reason: 'outputs', placeholder: 'cut' },
      { entry_id: output, reason: 'images', placeholder: 'i', parts: 1 },
    ],
    '/steps/1/observation/results/0/extra/openresponses/item/output/0/image_url': 'a.png',
    '/steps/2/extra/omitted': null,
  });
}

writeCases('atif/export.json', 'atif-export 4 to 9: trajectories, steps, extras, totals, links.', cases);
