/**
 * Writes vectors/session/settings.json, requests.json and records.json: for each rule of session-format 6 to 9 a session that keeps it and
 * one that breaks only it. Answers stand here, written by hand; request hashes are computed by the writer in test/session, which shares no
 * code with the checks.
 */
import {
  answer,
  type Body,
  Draft,
  functionCall,
  functionOutput,
  hash,
  message,
  reasoning,
  type Value,
} from '../test/session/draft.ts';
import { writeCases } from './place.ts';

interface Vector {
  readonly name: string;
  readonly op: string;
  readonly params: Body;
  readonly answer: Value;
}

const write = (file: string, about: string, cases: readonly Vector[]): void =>
  writeCases(`session/${file}`, about, cases);

// Settings (6).

const letter = (id: string): Body => ({ id, text: id.toUpperCase() });
const PARTS = ['a', 'b', 'c', 'd', 'e'];
const H = (id: string): Body => ({ id, hash: hash(id.toUpperCase()) });

function settings(name: string, configs: readonly Body[], answer: Body): Vector {
  const draft = new Draft();
  for (const body of configs) draft.add('summary' in body ? 'compaction' : 'config', resolve(body, draft));
  return { name, op: 'session/settings', params: { file: draft.text() }, answer };
}

/** `#n` stands for the id of the entry n of the draft, from 0. */
function resolve(body: Body, draft: Draft): Body {
  return JSON.parse(JSON.stringify(body), (_, value: unknown) =>
    typeof value === 'string' && /^#\d+$/.test(value) ? draft.entries[Number(value.slice(1))]?.id : value,
  ) as Body;
}

const texts = (ids: string): string => [...ids].map((id) => id.toUpperCase()).join('\n\n');
const listed = (ids: string): readonly string[] => [...ids].map((id) => `${id}=${id.toUpperCase()}`);

function parts(name: string, delta: readonly Body[], resolved: readonly Value[], instructions: string): Vector {
  const checkpoint: { [name: string]: Value } = instructions === '' ? {} : { instructions };
  if (resolved.every((part) => typeof part === 'string'))
    checkpoint['instructions_parts'] = resolved.map((part) => {
      const [id, text] = String(part).split('=') as [string, string];
      return text === '' ? { id } : { id, text };
    });
  return settings(`parts: ${name}`, [{ instructions_parts: PARTS.map(letter) }, { instructions_parts: delta }], {
    checkpoint,
    parts: resolved,
    omitted: [],
  });
}

const MODEL = { checkpoint: { model: 'm' }, parts: [], omitted: [] };
const omitted = (
  name: string,
  deltas: readonly Body[],
  list: readonly Value[],
  elements: readonly Value[] = list,
): Vector =>
  settings(`omitted: ${name}`, deltas, {
    checkpoint:
      elements.length === 0
        ? {}
        : { instructions_omitted: elements.map((each) => (typeof each === 'string' ? { id: each } : each)) },
    parts: [],
    omitted: list,
  });
const M = { instructions_omitted: [{ id: 'm0' }, { id: 'm1' }, { id: 'm2' }] };
const omit = (name: string, deltas: readonly Body[], inForce: Body | undefined): Vector =>
  settings(
    `omit: ${name}`,
    deltas.map((delta) => ({ omit: delta })),
    { checkpoint: inForce === undefined ? {} : { omit: inForce }, parts: [], omitted: [] },
  );
const IMG = { keep: 2, placeholder: '[img]' };

write(
  'settings.json',
  'Settings in force after config entries and compactions (session-format 6): what a checkpoint holds; parts as id=text, or what stands unresolved; omitted elements by id, or as written.',
  [
    parts(
      'a new id leaves the cursor',
      [{ keep: 2 }, { id: 'x', text: 'X' }, { keep: 3 }],
      listed('abxcde'),
      texts('abxcde'),
    ),
    parts(
      'naming a part moves the cursor behind it',
      [{ keep: 2 }, H('d'), { keep: 1 }],
      listed('abde'),
      texts('abde'),
    ),
    parts(
      'a new text keeps its place for the cursor',
      [{ id: 'c', text: 'C2' }, { keep: 2 }],
      ['c=C2', 'd=D', 'e=E'],
      'C2\n\nD\n\nE',
    ),
    parts('parts by hash in another order', [H('e'), H('a'), { keep: 1 }], listed('eab'), texts('eab')),
    parts('a keep past the end takes nothing', [{ keep: 6 }], [{ unresolved: 6 }], ''),
    parts(
      'a keep over a part that is named takes nothing',
      [{ keep: 3 }, { id: 'b', text: 'B2' }],
      [{ unresolved: 3 }, 'b=B2'],
      '\n\nB2',
    ),
    parts('an id alone is empty text', [{ id: 'a' }], ['a='], ''),
    parts('a hash that no part has', [{ id: 'b', hash: hash('other') }], [{ unresolved: hash('other') }], ''),
    parts(
      'an element with neither id nor keep',
      [{ text: 'stray' }, { keep: 1 }],
      [{ unresolved: '' }, 'a=A'],
      '\n\nA',
    ),
    parts('a keep that is no positive whole number is none', [{ keep: 0 }], [{ unresolved: '' }], ''),
    parts('an empty list changes nothing', [], listed('abcde'), texts('abcde')),
    settings(
      'parts: an old text is found among those that left force',
      [
        { instructions_parts: PARTS.map(letter) },
        { instructions_parts: [{ id: 'b', text: 'B2' }] },
        { instructions_parts: [H('b')] },
      ],
      {
        checkpoint: { instructions: 'B', instructions_parts: [{ id: 'b', text: 'B' }] },
        parts: ['b=B'],
        omitted: [],
      },
    ),
    settings(
      'parts: replace begins the history anew',
      [{ instructions_parts: [letter('b')] }, { replace: true, instructions_parts: [H('b')] }],
      {
        checkpoint: {},
        parts: [{ unresolved: hash('B') }],
        omitted: [],
      },
    ),
    settings(
      'parts: plain instructions drop them, and they are found again by hash',
      [{ instructions_parts: [letter('b')] }, { instructions: 'plain' }, { instructions_parts: [H('b')] }],
      {
        checkpoint: { instructions: 'B', instructions_parts: [{ id: 'b', text: 'B' }] },
        parts: ['b=B'],
        omitted: [],
      },
    ),
    settings(
      'parts: the string beside unresolved ones is taken',
      [{ instructions: 'as sent', instructions_parts: [{ keep: 1 }] }],
      {
        checkpoint: { instructions: 'as sent' },
        parts: [{ unresolved: 1 }],
        omitted: [],
      },
    ),
    settings(
      'parts: a checkpoint begins the history anew',
      [
        { instructions_parts: [letter('b')] },
        { first_kept: '#0', summary: message('s'), config: {} },
        { instructions_parts: [H('b')] },
      ],
      {
        checkpoint: {},
        parts: [{ unresolved: hash('B') }],
        omitted: [],
      },
    ),
    omitted('a list', [M], ['m0', 'm1', 'm2']),
    omitted('absent leaves it', [M, { model: '' }], ['m0', 'm1', 'm2']),
    omitted('null leaves it', [M, { instructions_omitted: null }], ['m0', 'm1', 'm2']),
    omitted('an empty one clears it', [M, { instructions_omitted: [] }], []),
    omitted('replace without one clears it', [M, { replace: true }], []),
    omitted('a keep past the end stays as written', [M, { instructions_omitted: [{ keep: 4 }] }], [{ keep: 4 }]),
    omitted(
      'a keep over one that is named stays as written',
      [M, { instructions_omitted: [{ keep: 2 }, { id: 'm1' }] }],
      [{ keep: 2 }, 'm1'],
    ),
    omitted('keep and name', [M, { instructions_omitted: [{ keep: 1 }, { id: 'm2' }] }], ['m0', 'm2']),
    omitted(
      'a new one before a keep',
      [M, { instructions_omitted: [{ id: 'n' }, { keep: 3 }] }],
      ['n', 'm0', 'm1', 'm2'],
    ),
    omitted(
      'a keep beside an id means nothing',
      [M, { instructions_omitted: [{ id: 'm0', keep: 9 }, { keep: 2 }] }],
      ['m0', 'm1', 'm2'],
    ),
    omitted('a keep after the last', [M, { instructions_omitted: [{ id: 'm2' }, { keep: 1 }] }], ['m2', { keep: 1 }]),
    omitted('a keep in a replace', [M, { replace: true, instructions_omitted: [{ keep: 3 }] }], [{ keep: 3 }]),
    omitted(
      'a run of an earlier list',
      [M, { instructions_omitted: [{ id: 'x' }] }, { instructions_omitted: [{ keep: 2, of: '#0' }, { keep: 1 }] }],
      ['m0', 'm1', 'x'],
    ),
    settings(
      'omitted: a list from before a checkpoint cannot be named',
      [M, { first_kept: '#0', summary: message('s'), config: {} }, { instructions_omitted: [{ keep: 1, of: 'gone' }] }],
      {
        checkpoint: { instructions_omitted: [{ keep: 1, of: 'gone' }] },
        parts: [],
        omitted: [{ keep: 1, of: 'gone' }],
      },
    ),
    omit('an empty object clears all', [{ items: ['a'], images: IMG }, {}], undefined),
    omit('empty items clear all', [{ items: ['a'] }, { items: [] }], undefined),
    omit('items of nothing but empty texts clear all', [{ items: ['a'] }, { items: [''] }], undefined),
    omit('a reasoning rule keeps the rest', [{ items: ['a'] }, { reasoning: 'other_models' }], {
      items: ['a'],
      reasoning: 'other_models',
    }),
    omit('a rule that is not defined changes nothing', [{ items: ['a'] }, { reasoning: 'later' }], { items: ['a'] }),
    omit('items add up', [{ items: ['b'] }, { items: ['a'] }], { items: ['b', 'a'] }),
    omit('images replace images', [{ images: IMG }, { images: { before: 'x', placeholder: 'p' } }], {
      images: { before: 'x', placeholder: 'p' },
    }),
    omit('images in another form have no effect and clear nothing', [{ items: ['a'] }, { images: { keep: -1 } }], {
      items: ['a'],
    }),
    omit(
      'images with both bounds have no effect',
      [{ items: ['a'] }, { images: { keep: 1, before: 'x', placeholder: 'p' } }],
      { items: ['a'] },
    ),
    omit(
      'outputs add up and take the new text',
      [{ outputs: { text: 'x', items: ['a'] } }, { outputs: { text: 'y', items: ['b'] } }],
      { outputs: { text: 'y', items: ['a', 'b'] } },
    ),
    omit('a name in another case makes the whole one unknown', [{ items: ['a'] }, { Reasoning: 'other_models' }], {
      items: ['a'],
    }),
    omit('items that are no texts make the whole one unknown', [{ items: ['a'] }, { items: [1] }], { items: ['a'] }),
    settings('a model alone', [{ model: 'm' }, {}], MODEL),
    settings('an empty model leaves it', [{ model: 'm' }, { model: '' }], MODEL),
    settings(
      'an empty reasoning object clears it',
      [{ model: 'm', reasoning: { effort: 'low' } }, { reasoning: {} }],
      MODEL,
    ),
    settings('empty instructions clear them', [{ model: 'm', instructions: 'x' }, { instructions: '' }], MODEL),
    settings('null in extra deletes', [{ model: 'm', extra: { a: 1 } }, { extra: { a: null } }], MODEL),
    settings('extra keeps what is recorded empty', [{ extra: { include: [], stream: false } }], {
      checkpoint: { extra: { include: [], stream: false } },
      parts: [],
      omitted: [],
    }),
    settings('text is replaced whole', [{ text: { verbosity: 'low', a: 1 } }, { text: { b: 2 } }], {
      checkpoint: { text: { b: 2 } },
      parts: [],
      omitted: [],
    }),
    settings(
      'a tool that is added again moves to the end',
      [{ tools_added: [{ name: 'a' }, { name: 'b' }] }, { tools_added: [{ name: 'a', v: 2 }] }],
      { checkpoint: { tools: [{ name: 'b' }, { name: 'a', v: 2 }] }, parts: [], omitted: [] },
    ),
    settings(
      'tools are removed by name',
      [{ tools_added: [{ name: 'a' }, { name: 'b' }, { x: 1 }] }, { tools_removed: ['a'] }],
      { checkpoint: { tools: [{ name: 'b' }, { x: 1 }] }, parts: [], omitted: [] },
    ),
    settings(
      'replace discards what was before',
      [
        { model: 'm', extra: { a: 1 }, omit: { items: ['a'] } },
        { replace: true, model: 'm' },
      ],
      MODEL,
    ),
    settings(
      'a checkpoint is the settings from then on',
      [
        { model: 'x', extra: { a: 1 } },
        { first_kept: '#0', summary: message('s'), config: { model: 'm' } },
      ],
      MODEL,
    ),
  ],
);

// Requests (7).

const requests: Vector[] = [];

/** A session with responses; `outcomes` of them in file order and the codes of findings. */
function request(
  name: string,
  make: (draft: Draft) => void,
  outcomes: readonly string[],
  findings: readonly string[] = [],
): void {
  const draft = new Draft();
  draft.add('config', { model: 'm', instructions: 'Be brief.' });
  make(draft);
  const responses = draft.entries.filter(({ type }) => type === 'response');
  requests.push({
    name,
    op: 'session/check',
    params: { file: draft.text() },
    answer: {
      responses: responses.map(({ body }, i) => ({
        response_id: (body['response_id'] as string) ?? '',
        outcome: outcomes[i] as string,
        alone: outcomes[i] as string,
      })),
      findings,
      leaves: draft.entries.filter(({ id }) => !draft.entries.some(({ parent }) => parent === id)).length,
    },
  });
}

const ask = (draft: Draft, text = 'hello', ...images: string[]): string => draft.item(message(text, ...images));
const reply = (draft: Draft, id: string): string => draft.item(answer(`msg_${id}`, 'yes'), { response: id });
const lied = (draft: Draft, id: string, request_hash: string): string =>
  draft.add('response', { response_id: id, request_hash });

request(
  'one response',
  (d) => {
    ask(d);
    reply(d, 'r1');
    d.response('r1');
  },
  ['verified'],
);
request(
  'another hash',
  (d) => {
    ask(d);
    reply(d, 'r1');
    lied(d, 'r1', hash('x'));
  },
  ['mismatch'],
  ['session/hash-mismatch 5'],
);
request(
  'no hash',
  (d) => {
    ask(d);
    d.add('response', { response_id: 'r1' });
  },
  ['absent'],
  ['session/no-hash 4'],
);
request(
  'an empty hash',
  (d) => {
    ask(d);
    d.add('response', { response_id: 'r1', request_hash: '' });
  },
  ['absent'],
  ['session/no-hash 4'],
);
request(
  'records between the outputs are passed over',
  (d) => {
    ask(d);
    reply(d, 'r1');
    d.add('info', { name: 'n' });
    reply(d, 'r1');
    d.response('r1');
  },
  ['verified'],
);
request(
  'an item of another origin between the outputs ends the walk',
  (d) => {
    ask(d);
    reply(d, 'r1');
    ask(d);
    reply(d, 'r1');
    d.response('r1');
  },
  ['verified'],
);
request(
  'a response without an id has no output',
  (d) => {
    ask(d);
    d.item(answer('m', 'yes'));
    d.response('');
  },
  ['verified'],
);
request(
  'a summary of a branch between the outputs is sent',
  (d) => {
    ask(d);
    const o = reply(d, 'r1');
    d.add('branch_summary', { from: o, summary: message('b') });
    reply(d, 'r1');
    d.response('r1');
  },
  ['verified'],
);
request(
  'items that are hidden, of unknown types and references are sent',
  (d) => {
    d.item(message('x'), { visible: false });
    d.item({ type: 'acme:note', n: 1 });
    d.item({ type: 'item_reference', id: 'i' });
    d.response('r1');
  },
  ['verified'],
);
request(
  'queued inputs are not sent',
  (d) => {
    ask(d);
    d.add('queued', { item: message('later'), mode: 'followup' });
    d.response('r1');
  },
  ['verified'],
);
request(
  'two branches, each with its own request',
  (d) => {
    const a = ask(d);
    ask(d, 'one');
    d.response('r1');
    d.item(message('two'), {}, a);
    d.response('r2');
  },
  ['verified', 'verified'],
);
const sendsAll = (d: Draft, id: string): string => lied(d, id, d.requestHash(d.tip, id, false));
request(
  'an omit that is applied',
  (d) => {
    const a = ask(d);
    ask(d, 'b');
    d.add('config', { omit: { items: [a] } });
    d.response('r1');
  },
  ['verified'],
);
request(
  'an omit that was not applied',
  (d) => {
    const a = ask(d);
    ask(d, 'b');
    d.add('config', { omit: { items: [a] } });
    sendsAll(d, 'r1');
  },
  ['divergence'],
  ['session/omit-divergence 6'],
);
request(
  'neither with nor without the omit',
  (d) => {
    const a = ask(d);
    d.add('config', { omit: { items: [a] } });
    lied(d, 'r1', hash('x'));
  },
  ['mismatch'],
  ['session/hash-mismatch 5'],
);
request(
  'reasoning of another model is left out, and comes back with its model',
  (d) => {
    ask(d);
    d.item(reasoning('rs'), { response: 'r0' });
    d.item(functionCall('c'), { response: 'r0' });
    d.response('r0');
    d.add('config', { model: 'n', omit: { reasoning: 'other_models' } });
    ask(d);
    d.response('r1');
    d.add('config', { model: 'm' });
    d.response('r2');
  },
  ['verified', 'verified', 'verified'],
);
request(
  'reasoning that names no response is sent',
  (d) => {
    d.item(reasoning('rs'));
    d.add('config', { model: 'n', omit: { reasoning: 'other_models' } });
    d.response('r1');
  },
  ['verified'],
);
request(
  'the last two images are sent',
  (d) => {
    ask(d, 'a', 'u1');
    ask(d, 'b', 'u2', 'u3');
    d.add('config', { omit: { images: IMG } });
    d.response('r1');
    ask(d, 'c', 'u4');
    d.response('r2');
  },
  ['verified', 'verified'],
);
request(
  'images before an entry are replaced',
  (d) => {
    ask(d, 'a', 'u1');
    const b = ask(d, 'b', 'u2');
    d.add('config', { omit: { images: { before: b, placeholder: 'p' } } });
    d.response('r1');
  },
  ['verified'],
);
request(
  'a bound that is not on the path replaces nothing',
  (d) => {
    const a = ask(d, 'a', 'u1');
    const b = ask(d, 'b', 'u2');
    d.add('config', { omit: { images: { before: b, placeholder: 'p' } } }, a);
    d.response('r1');
  },
  ['verified'],
);
request(
  'an output that is replaced holds no image, and its images are counted',
  (d) => {
    const o = d.item(functionOutput('c', [{ type: 'input_image', image_url: 'u1' }]));
    ask(d, 'a', 'u2');
    d.add('config', { omit: { outputs: { text: 'gone', items: [o] }, images: { keep: 1, placeholder: 'p' } } });
    d.response('r1');
  },
  ['verified'],
);
request(
  'outputs names outputs only',
  (d) => {
    const a = ask(d);
    d.add('config', { omit: { outputs: { text: 'gone', items: [a] } } });
    d.response('r1');
  },
  ['verified'],
);
const fold = (d: Draft, firstKept: string, more: Body = {}): string =>
  d.add('compaction', { first_kept: firstKept, summary: message('so far', 'us'), config: { model: 'm' }, ...more });
request(
  'a compaction with a window and pinned items',
  (d) => {
    ask(d, 'old');
    const k = ask(d, 'kept');
    fold(d, k, { pinned: [message('pin', 'up')] });
    ask(d, 'new', 'u1');
    d.add('config', { omit: { images: { keep: 1, placeholder: 'p' } } });
    d.response('r1');
  },
  ['verified'],
);
request(
  'a window holds an earlier compaction, which contributes nothing',
  (d) => {
    const k = ask(d);
    fold(d, k);
    ask(d, 'b');
    fold(d, k);
    d.response('r1');
  },
  ['verified'],
);
request(
  'settings in a window are not replayed',
  (d) => {
    const k = ask(d);
    d.add('config', { instructions: 'other' });
    fold(d, k);
    d.response('r1');
  },
  ['verified'],
);
request(
  'first_kept names the compaction itself or what is not there',
  (d) => {
    ask(d);
    fold(d, hash('nowhere'));
    lied(d, 'r1', hash('x'));
  },
  ['bad-context'],
  ['session/bad-context 4', 'session/bad-context 5'],
);
request(
  'first_kept names an entry of another branch',
  (d) => {
    const a = ask(d);
    const b = d.item(message('b'), {}, a);
    d.add('compaction', { first_kept: b, summary: message('s'), config: {} }, a);
  },
  [],
  ['session/bad-context 5'],
);
request(
  'a bad first_kept that a later compaction covers is not met',
  (d) => {
    const a = ask(d);
    fold(d, hash('nowhere'));
    fold(d, a);
    d.response('r1');
  },
  ['verified'],
);
request(
  'a window that begins with the own output of a response',
  (d) => {
    const o = reply(d, 'r1');
    fold(d, o);
    lied(d, 'r1', hash('x'));
  },
  ['bad-context'],
  ['session/bad-context 5'],
);
request(
  'a keep with an of that its path cannot give',
  (d) => {
    d.add('config', { instructions_omitted: [{ keep: 1, of: hash('nowhere') }] });
    ask(d);
    d.response('r1');
  },
  ['verified'],
  ['session/unresolved-of 3'],
);
request(
  'a member that sorts before input',
  (d) => {
    d.add('config', { extra: { include: ['x'], background: false } });
    ask(d);
    d.response('r1');
    ask(d);
    d.add('config', { extra: { include: null } });
    d.response('r2');
  },
  ['verified', 'verified'],
);
request(
  'a named setting wins over extra, an empty one leaves it',
  (d) => {
    d.add('config', {
      reasoning: { effort: null, summary: null },
      extra: { model: 'other', reasoning: { effort: 'high' }, store: true, previous_response_id: 'x' },
    });
    ask(d);
    d.response('r1');
  },
  ['verified'],
);
write(
  'requests.json',
  'Request hashes and contexts (session-format 7): the outcome of each response in one walk and alone, and findings as code and line.',
  requests,
);

// Records (8, 9.1).

const records: Vector[] = [];
const FULL = { records: ['run', 'dispatch', 'decision'] };

function record(
  name: string,
  make: (draft: Draft) => void,
  findings: readonly string[] = [],
  header: Body = FULL,
): void {
  const draft = new Draft(header);
  draft.add('config', { model: 'm' });
  make(draft);
  records.push({
    name,
    op: 'session/check',
    params: { file: draft.text() },
    answer: {
      responses: draft.entries
        .filter(({ type }) => type === 'response')
        .map(({ body }) => ({
          response_id: (body['response_id'] as string) ?? '',
          outcome: 'absent',
          alone: 'absent',
        })),
      findings,
      leaves: draft.entries.filter(({ id }) => !draft.entries.some(({ parent }) => parent === id)).length,
    },
  });
}

const made = (d: Draft, id = 'c1', response = 'r1'): string => d.item(functionCall(id), { response });
const dispatch = (d: Draft, target: string, call_id = 'c1', parent?: string): string =>
  d.add('dispatch', { call_id, target }, parent ?? d.tip);
const decide = (d: Draft, target: string, verdict: string, more: Body = {}, call_id = 'c1'): string =>
  d.add('decision', { call_id, target, verdict, reason: 'why', ...more });
const output = (d: Draft, call_id = 'c1'): string => d.item(functionOutput(call_id));
const start = (d: Draft, run_id = 'run-1', source = 'input'): string =>
  d.add('run', { run_id, phase: 'start', source });
const end = (d: Draft, reason: string, pending: readonly string[] = [], run_id = 'run-1'): string =>
  d.add('run', { run_id, phase: 'end', reason, pending });
const respond = (d: Draft, id = 'r1', more: Body = {}): string => d.add('response', { response_id: id, ...more });

record('a call that was dispatched and answered', (d) => {
  const c = made(d);
  dispatch(d, c);
  output(d);
});
record(
  'a call id that is empty',
  (d) => {
    made(d, '');
  },
  ['session/call-id-empty 3'],
);
record(
  'a call id on two branches',
  (d) => {
    const c = made(d);
    d.item(functionCall('c1'), {}, d.entries[0]?.id ?? c);
  },
  ['session/call-id-repeated 4'],
);
record(
  'a target that is no function call',
  (d) => {
    made(d);
    dispatch(d, d.entries[0]?.id ?? '');
  },
  ['session/bad-target 4'],
);
record(
  'a target with another call id',
  (d) => {
    const c = made(d);
    made(d, 'c2');
    dispatch(d, c, 'c2');
  },
  ['session/bad-target 5'],
);
record(
  'a target on another branch',
  (d) => {
    const c = made(d);
    dispatch(d, c, 'c1', d.entries[0]?.id);
  },
  ['session/bad-target 4'],
);
record(
  'a dispatch after an answer',
  (d) => {
    const c = made(d);
    dispatch(d, c);
    decide(d, c, 'answer');
    dispatch(d, c);
  },
  ['session/call-answered 6'],
);
record('a dispatch after an answer that is withdrawn', (d) => {
  const c = made(d);
  dispatch(d, c);
  decide(d, c, 'answer');
  dispatch(d, c);
  decide(d, c, 'reject', { withdrawn: true });
});
record(
  'a dispatch after a reject',
  (d) => {
    const c = made(d);
    decide(d, c, 'reject');
    dispatch(d, c);
  },
  ['session/call-rejected 5'],
);
record(
  'a decision after an answer',
  (d) => {
    const c = made(d);
    dispatch(d, c);
    decide(d, c, 'answer');
    decide(d, c, 'hold');
  },
  ['session/call-answered 6'],
);
record(
  'a decision after a reject',
  (d) => {
    const c = made(d);
    decide(d, c, 'reject');
    decide(d, c, 'proceed');
  },
  ['session/call-rejected 5'],
);
record('a reject after a hold', (d) => {
  const c = made(d);
  decide(d, c, 'hold');
  decide(d, c, 'reject');
  output(d);
});
record(
  'a reject after a dispatch',
  (d) => {
    const c = made(d);
    dispatch(d, c);
    decide(d, c, 'reject');
  },
  ['session/reject-dispatched 5'],
);
record('a withdrawal', (d) => {
  const c = made(d);
  dispatch(d, c);
  decide(d, c, 'reject', { withdrawn: true });
  dispatch(d, c);
  output(d);
});
record(
  'a withdrawal that something of the call comes before',
  (d) => {
    const c = made(d);
    dispatch(d, c);
    decide(d, c, 'proceed');
    decide(d, c, 'reject', { withdrawn: true });
  },
  ['session/reject-dispatched 6'],
);
record('a withdrawal with entries of others between', (d) => {
  const c = made(d);
  dispatch(d, c);
  d.add('info', { name: 'n' });
  decide(d, c, 'reject', { withdrawn: true });
});
record(
  'two withdrawals of one dispatch',
  (d) => {
    const c = made(d);
    dispatch(d, c);
    dispatch(d, c);
    decide(d, c, 'reject', { withdrawn: true });
    decide(d, c, 'reject', { withdrawn: true });
  },
  ['session/reject-dispatched 7'],
);
record(
  'a dispatch after the output',
  (d) => {
    const c = made(d);
    dispatch(d, c);
    output(d);
    dispatch(d, c);
  },
  ['session/call-completed 6'],
);
record(
  'an answer after the output',
  (d) => {
    const c = made(d);
    dispatch(d, c);
    output(d);
    decide(d, c, 'answer');
  },
  ['session/call-completed 6'],
);
record('a hold after the output', (d) => {
  const c = made(d);
  dispatch(d, c);
  output(d);
  decide(d, c, 'hold');
});
record(
  'an output without the dispatch that the header promises',
  (d) => {
    made(d);
    output(d);
  },
  ['session/record-missing 4'],
);
record(
  'an output without a dispatch where none is promised',
  (d) => {
    made(d);
    output(d);
  },
  [],
  {},
);
record('an output of a rejected call', (d) => {
  const c = made(d);
  decide(d, c, 'reject');
  output(d);
});
record(
  'an answer to a call that no dispatch shows',
  (d) => {
    const c = made(d);
    decide(d, c, 'answer');
    output(d);
  },
  ['session/answer-not-dispatched 3'],
);
record('an answer to a call that another branch dispatched', (d) => {
  const c = made(d);
  dispatch(d, c);
  d.add('decision', { call_id: 'c1', target: c, verdict: 'answer' }, c);
});
record('a report of a peer', (d) => {
  const c = made(d);
  dispatch(d, c);
  const l = d.add('link', { rel: 'peer', session: 's', call_id: 'c1' });
  d.item(message('done'), { from_link: l });
});
record(
  'a report of a link that is not before it',
  (d) => {
    d.item(message('done'), { from_link: hash('nowhere') });
  },
  ['session/bad-from-link 3'],
);
record(
  'a report of a cancel notice',
  (d) => {
    const l = d.add('link', { rel: 'peer', session: 's', call_id: 'c1' });
    const n = d.add('link', { rel: 'peer', session: '', call_id: 'c1', cancel: 'sent', target: l });
    d.item(message('done'), { from_link: n });
  },
  ['session/bad-from-link 5'],
);
record('a cancel notice', (d) => {
  const l = d.add('link', { rel: 'subsession', session: 's', call_id: 'c1' });
  d.add('link', { rel: 'subsession', session: '', call_id: 'c1', cancel: 'sent', target: l });
});
record(
  'a cancel notice of another relation',
  (d) => {
    const l = d.add('link', { rel: 'subsession', session: 's', call_id: 'c1' });
    d.add('link', { rel: 'peer', session: '', call_id: 'c1', cancel: 'sent', target: l });
  },
  ['session/callee-link 4'],
);
record(
  'a peer with an address and no call',
  (d) => {
    d.add('link', { rel: 'peer', session: '', url: 'https://peer.example' });
  },
  ['session/callee-link 3'],
);
record('a peer of 0.11 with neither', (d) => {
  d.add('link', { rel: 'peer', session: 's' });
});

// How runs end (8.6) and begin (8.7).
const ends = (name: string, reason: string, make: (d: Draft) => readonly string[] | undefined): void => {
  for (const written of [reason, reason === 'done' ? 'stopped' : 'done'])
    record(
      `a run ends ${reason}: ${name}${written === reason ? '' : `, written ${written}`}`,
      (d) => {
        start(d);
        const pending = make(d) ?? [];
        end(d, written, pending);
      },
      [...(written === reason ? [] : [`session/reason-mismatch ${lineOf(make) + 1}`]), ...notes(make)],
      {},
    );
};
/** Line of the last entry that `make` writes after a config and a start. */
const lineOf = (make: (d: Draft) => unknown): number => sample(make).entries.length + 1;
const notes = (make: (d: Draft) => unknown): readonly string[] =>
  sample(make).entries.flatMap(({ type }, i) => (type === 'response' ? [`session/no-hash ${i + 2}`] : []));
function sample(make: (d: Draft) => unknown): Draft {
  const draft = new Draft();
  draft.add('config', { model: 'm' });
  start(draft);
  make(draft);
  return draft;
}
ends('the response failed', 'error', (d) => {
  respond(d, 'r1', { error: { code: 'x', message: 'y' } });
  return [];
});
ends('a call is held', 'input_required', (d) => {
  const c = made(d);
  respond(d);
  decide(d, c, 'hold');
  return ['c1'];
});
ends('a call is held after its dispatch', 'input_required', (d) => {
  const c = made(d);
  respond(d);
  dispatch(d, c);
  decide(d, c, 'hold');
  return ['c1'];
});
ends('one call is held, another in flight', 'aborted', (d) => {
  const c = made(d);
  const e = made(d, 'c2');
  respond(d);
  decide(d, c, 'hold');
  dispatch(d, e, 'c2');
  return ['c2', 'c1'];
});
ends('a call is pending', 'aborted', (d) => {
  made(d);
  respond(d);
  return ['c1'];
});
ends('the response is incomplete', 'aborted', (d) => {
  respond(d, 'r1', { incomplete: { reason: 'max_output_tokens' } });
  return [];
});
ends('there is no response', 'aborted', (d) => {
  d.item(message('x'));
  return [];
});
ends('the model made no call', 'done', (d) => {
  d.item(answer('m', 'x'), { response: 'r1' });
  respond(d);
  return [];
});
ends('all calls are answered and the model was not asked again', 'stopped', (d) => {
  const c = made(d);
  respond(d);
  dispatch(d, c);
  output(d);
  return [];
});
record('a run that ended error stands as written', (d) => {
  start(d);
  end(d, 'error');
});
record('a run that ended interrupted stands as written', (d) => {
  start(d);
  made(d);
  end(d, 'interrupted', ['c1']);
});
record(
  'a run that names other calls as pending',
  (d) => {
    start(d);
    made(d);
    end(d, 'aborted', ['c2']);
  },
  ['session/reason-mismatch 5'],
);
record('an end of another run does not close it', (d) => {
  start(d);
  end(d, 'done', [], 'run-9');
});
record('a run that takes up a held call', (d) => {
  start(d);
  const c = made(d);
  decide(d, c, 'hold');
  end(d, 'input_required', ['c1']);
  start(d, 'run-2', 'resume');
  decide(d, c, 'proceed');
  dispatch(d, c);
});
record(
  'the same written as input',
  (d) => {
    start(d);
    const c = made(d);
    decide(d, c, 'hold');
    end(d, 'input_required', ['c1']);
    start(d, 'run-2', 'input');
    decide(d, c, 'proceed');
    dispatch(d, c);
  },
  ['session/source-mismatch 7'],
);
record(
  'a resume that takes up nothing',
  (d) => {
    start(d, 'run-1', 'resume');
    d.item(message('x'));
  },
  ['session/source-mismatch 3'],
);
record('a resume over record entries alone', (d) => {
  start(d, 'run-1', 'resume');
  d.add('link', { rel: 'fork_of', session: 's' });
  d.add('info', { name: 'n' });
});
record(
  'an output that nobody is owed comes first',
  (d) => {
    const c = made(d);
    start(d, 'run-1', 'resume');
    output(d, 'c9');
    dispatch(d, c);
  },
  ['session/source-mismatch 4'],
);
write(
  'records.json',
  'Records that agree and records that do not (session-format 8, 9.1): findings as code and line. The responses have no hash.',
  records,
);
