/**
 * Writes vectors/session/writing.json and redaction.json: for each rule of session-format 3.3, 4.5 to 4.9, 6.3, 6.4, 6.6, 11 and 12.1 a case
 * that keeps it and one that breaks only it. Answers stand here, written by hand; the sessions are computed by the writer in test/session,
 * which shares no code with `src/session`.
 */
import { base64, utf8 } from '../src/bytes/encoding.ts';
import {
  answer,
  type Body,
  Draft,
  functionCall,
  functionOutput,
  hash,
  message,
  type Value,
} from '../test/session/draft.ts';
import { writeCases } from './place.ts';

interface Vector {
  readonly name: string;
  readonly op: string;
  readonly params: Body;
  readonly answer: Value;
}

const PROMISE: Body = { records: ['run', 'dispatch', 'decision'] };
const writing: Vector[] = [];

/** Lines appended to a draft: their outcomes or conditions. `#n` is the id of the draft's entry n. */
function append(
  name: string,
  make: (draft: Draft) => void,
  lines: readonly Value[],
  done: readonly string[],
  more: Body = {},
): void {
  const { header = {}, checks = 'written', leaf } = more as { header?: Body; checks?: string; leaf?: string | null };
  const draft = new Draft(header);
  make(draft);
  const resolved = resolve(lines, draft) as readonly Value[];
  const expected: Body = { done, ...(leaf === undefined ? {} : { leaf: resolve(leaf, draft) as Value }) };
  writing.push({
    name,
    op: leaf === undefined ? 'session/append_outcomes' : 'session/append',
    params: { file: draft.text(), lines: resolved, checks },
    answer: leaf === undefined ? done : expected,
  });
}

function resolve(value: unknown, draft: Draft): unknown {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) =>
    typeof each === 'string' && /^#\d+$/.test(each) ? draft.entries[Number(each.slice(1))]?.id : each,
  );
}

const one = (draft: Draft): void => {
  draft.item(message('one'));
};
const info: Body = { type: 'info', name: 'n' };

// The leaf (4.7).
append('continued: under the leaf', one, [info], ['continued']);
append(
  'branched: under another entry, and the leaf stays',
  (d) => {
    one(d);
    d.item(message('two'));
  },
  [{ ...info, parent: '#0' }],
  ['branched'],
  { leaf: '#1' },
);
append('branched: a second first entry', one, [{ ...info, parent: null }], ['branched'], { leaf: '#0' });
append('continued: the first entry of an empty session', () => {}, [info], ['continued']);
append(
  'held: an entry that is there',
  one,
  [{ type: 'item', item: message('one'), parent: null, ts: '2026-11-01T09:00:00Z' }],
  ['held'],
  { leaf: '#0' },
);
append(
  'leaf moved: to another entry',
  (d) => {
    one(d);
    d.item(message('two'));
  },
  [{ type: 'label', label: 'leaf', target: '#0' }],
  ['leaf_moved'],
  { leaf: '#0' },
);
append('leaf moved: to the universal root', one, [{ type: 'label', label: 'leaf', target: null }], ['leaf_moved'], {
  leaf: null,
});
append(
  'leaf not moved: to no entry',
  one,
  [{ type: 'label', label: 'leaf', target: hash('none') }],
  ['leaf_not_moved'],
  { leaf: '#0' },
);
append(
  'leaf not moved: to a leaf label',
  (d) => {
    one(d);
    d.add('label', { label: 'leaf', target: d.entries[0]?.id ?? null });
  },
  [{ type: 'label', label: 'leaf', target: '#1' }],
  ['leaf_not_moved'],
  { leaf: '#0' },
);
append(
  'continued: a label that clears another',
  (d) => {
    one(d);
    d.add('label', { label: 'x', target: d.entries[0]?.id ?? null });
  },
  [{ type: 'label', label: null, target: '#0' }],
  ['continued'],
);

// The envelope (4.3, 4.5, 4.6).
append('reserved name in the body', one, [{ ...info, content: 1 }], ['reserved_member']);
append('a parent that is not there', one, [{ ...info, parent: hash('none') }], ['no_entry']);
append(
  'an id that is the entry’s',
  one,
  [{ ...info, id: hash('other'), parent: '#0', ts: '2026-11-01T10:00:00Z' }],
  ['bad_id'],
);
append(
  'a line with an id and no parent is a first entry',
  one,
  [{ ...info, id: new Draft().add('info', { name: 'n' }), ts: '2026-11-01T09:00:00Z' }],
  ['branched'],
);
append('a time in another zone is brought to UTC', one, [{ ...info, ts: '2026-11-01T11:00:00+01:00' }], ['continued']);
append('a text that is no time', one, [{ ...info, ts: 'yesterday' }], ['bad_id']);
append(
  'converging an entry of the session',
  (d) => {
    one(d);
    d.item(message('two'));
  },
  [{ ...info, parents: [{ entry: '#0' }] }],
  ['continued'],
);
append('converging the own parent', one, [{ ...info, parents: [{ entry: '#0' }] }], ['bad_convergence']);
append(
  'converging an entry that is not there',
  one,
  [{ ...info, parents: [{ entry: hash('none') }] }],
  ['bad_convergence'],
);
append(
  'converging one entry twice',
  one,
  [
    {
      ...info,
      parents: [
        { session: 's', entry: 'e' },
        { entry: 'e', session: 's' },
      ],
    },
  ],
  ['bad_convergence'],
);

// By type (4.8).
const refuse = (name: string, line: Body, code = 'bad_entry'): void => append(name, one, [line], [code]);
const keep = (name: string, line: Body): void => append(name, one, [line], ['continued']);
refuse('item without an item', { type: 'item' });
refuse('item_reference', { type: 'item', item: { type: 'item_reference', id: 'x' } });
keep('response without anything', { type: 'response' });
refuse('response with negative attempts', { type: 'response', attempts: -1 });
refuse('compaction without a summary', { type: 'compaction', first_kept: '#0', config: {} });
refuse('branch summary without a summary', { type: 'branch_summary', from: '#0' });
keep('run start', { type: 'run', run_id: 'r', phase: 'start', source: 'input' });
refuse('run without an id', { type: 'run', phase: 'start', source: 'input' });
refuse('run start without a source', { type: 'run', run_id: 'r', phase: 'start' });
refuse('run start with a source that is not listed', { type: 'run', run_id: 'r', phase: 'start', source: 'cron' });
refuse('run end without a reason', { type: 'run', run_id: 'r', phase: 'end' });
refuse('run of another phase', { type: 'run', run_id: 'r', phase: 'pause' });
refuse('dispatch without a target', { type: 'dispatch', call_id: 'c' });
refuse('decision without a verdict', { type: 'decision', call_id: 'c', target: '#0' });
refuse('decision with a verdict that is not listed', {
  type: 'decision',
  call_id: 'c',
  target: '#0',
  verdict: 'maybe',
});
refuse('reject without a reason', { type: 'decision', call_id: 'c', target: '#0', verdict: 'reject' });
keep('queued', { type: 'queued', item: message('q'), mode: 'steer' });
refuse('queued without a mode', { type: 'queued', item: message('q') });
refuse('a repeated name', { type: 'info', name: 'n' }, 'continued');
keep('extension', { type: 'x:note', any: [1] });
const config = (name: string, more: Body, code?: string): void =>
  code === undefined
    ? keep(`config: ${name}`, { type: 'config', ...more })
    : refuse(`config: ${name}`, { type: 'config', ...more }, code);
const part = (id: string): Body => ({ id, text: id.toUpperCase() });
config('parts and their join', { instructions: 'A\n\nB', instructions_parts: [part('a'), part('b')] });
config('parts and another text', { instructions: 'A\nB', instructions_parts: [part('a'), part('b')] }, 'bad_entry');
config('a part without id and keep', { instructions_parts: [{ text: 'A' }] }, 'bad_entry');
config('a part twice', { instructions_parts: [part('a'), part('a')] }, 'bad_entry');
config('a negative keep of parts', { instructions_parts: [{ keep: -1 }] }, 'bad_entry');
config('a keep of parts with another member', { instructions_parts: [{ keep: 1, source: 's' }] }, 'bad_entry');
config('a keep of parts', { instructions_parts: [{ keep: 1 }] });
config('a keep in a replace', { replace: true, instructions_parts: [{ keep: 1 }] }, 'bad_entry');
config('a keep in a replace beside the text', { replace: true, instructions: 'A', instructions_parts: [{ keep: 1 }] });
config('an omitted part', { instructions_omitted: [{ id: 'a', reason: 'long' }] });
config('an omitted element that names nothing', { instructions_omitted: [{ reason: 'long' }] }, 'bad_entry');
config('a negative keep of omitted parts', { instructions_omitted: [{ keep: -1 }] }, 'bad_entry');
config('a keep of omitted parts with a reason', { instructions_omitted: [{ keep: 1, reason: 'x' }] }, 'bad_entry');
config('one omitted id twice', { instructions_omitted: [{ id: 'a' }, { id: 'a' }] });
config(
  'one omitted id twice beside a keep',
  { instructions_omitted: [{ keep: 1 }, { id: 'a' }, { id: 'a' }] },
  'bad_entry',
);
config('a keep of omitted parts in a replace', { replace: true, instructions_omitted: [{ keep: 1 }] }, 'bad_entry');
config('omit with an empty id', { omit: { items: [''] } }, 'bad_entry');
config('omit of outputs with an empty id', { omit: { outputs: { text: 'x', items: [''] } } }, 'bad_entry');

// Calls (4.9). Entry 0 is the call c1.
const call = (d: Draft): void => {
  d.item(functionCall('c1'));
};
const dispatch: Body = { type: 'dispatch', call_id: 'c1', target: '#0' };
const decide = (verdict: string, more: Body = {}): Body => ({
  type: 'decision',
  call_id: 'c1',
  target: '#0',
  verdict,
  ...(verdict === 'reject' ? { reason: 'no' } : {}),
  ...more,
});
const output: Body = { type: 'item', item: functionOutput('c1') };
const calls = (name: string, lines: readonly Body[], last: string, more: Body = {}): void =>
  append(`call: ${name}`, call, lines, [...lines.slice(1).map(() => 'continued'), last], { header: PROMISE, ...more });
calls('one id twice', [{ type: 'item', item: functionCall('c1') }], 'call_id_repeated');
calls('no id', [{ type: 'item', item: functionCall('') }], 'call_id_empty');
calls('another id', [{ type: 'item', item: functionCall('c2') }], 'continued');
calls('a target that is no call', [{ ...dispatch, target: hash('none') }], 'bad_target');
calls('a target with another call id', [{ ...dispatch, call_id: 'c2' }], 'bad_target');
calls('dispatch', [dispatch], 'continued');
calls('dispatch a second time', [dispatch, dispatch], 'continued');
calls('dispatch again with a key', [dispatch, { ...dispatch, idempotency_key: 'k' }], 'continued');
calls('hold, then proceed', [decide('hold'), decide('proceed')], 'continued');
calls('reject', [decide('reject')], 'continued');
for (const verdict of ['hold', 'proceed', 'answer'])
  calls(`${verdict} after a reject`, [decide('reject'), decide(verdict)], 'call_rejected');
calls('dispatch after a reject', [decide('reject'), dispatch], 'call_rejected');
calls('reject after a dispatch', [dispatch, decide('reject')], 'reject_dispatched');
calls('withdrawal after a dispatch', [dispatch, decide('reject', { withdrawn: true })], 'continued');
calls('withdrawal without a dispatch', [decide('reject', { withdrawn: true })], 'bad_withdrawal');
calls('withdrawal after a hold', [dispatch, decide('hold'), decide('reject', { withdrawn: true })], 'bad_withdrawal');
calls('reject after a withdrawal', [dispatch, decide('reject', { withdrawn: true }), decide('reject')], 'continued');
calls('answer after a dispatch', [dispatch, decide('answer')], 'continued');
calls('answer without a dispatch that is promised', [decide('answer')], 'answer_not_dispatched');
calls('answer without a dispatch that nobody promised', [decide('answer')], 'continued', { header: {} });
calls('hold after an answer', [dispatch, decide('answer'), decide('hold')], 'call_answered');
calls('dispatch after an answer', [dispatch, decide('answer'), { ...dispatch, idempotency_key: 'k' }], 'call_answered');
calls('dispatch after the output', [dispatch, output, { ...dispatch, idempotency_key: 'k' }], 'call_completed');
calls('reject after the output', [output, decide('reject')], 'call_completed');
calls('answer after the output', [dispatch, output, decide('answer')], 'call_completed');
calls('proceed after the output', [dispatch, output, decide('proceed')], 'continued');
append(
  'call: answer where another branch holds the dispatch',
  (d) => {
    call(d);
    d.add('dispatch', { call_id: 'c1', target: d.entries[0]?.id ?? null });
  },
  [decide('answer', { parent: '#0' })],
  ['branched'],
  { header: PROMISE },
);

// Links (4.9, 5.14).
calls(
  'peer link with a url',
  [{ type: 'link', rel: 'peer', session: '', call_id: 'c1', url: 'https://p' }],
  'continued',
);
calls('peer link without a call', [{ type: 'link', rel: 'peer', session: '', url: 'https://p' }], 'callee_link');
calls('peer link that names nobody', [{ type: 'link', rel: 'peer', session: '', call_id: 'c1' }], 'callee_link');
append(
  'link: cancel notice of a link',
  (d) => {
    call(d);
    d.add('link', { rel: 'subsession', session: 's', call_id: 'c1' });
  },
  [{ type: 'link', rel: 'subsession', session: 's', call_id: 'c1', cancel: 'sent', target: '#1' }],
  ['continued'],
);
append(
  'link: cancel notice of another relation',
  (d) => {
    call(d);
    d.add('link', { rel: 'subsession', session: 's', call_id: 'c1' });
  },
  [{ type: 'link', rel: 'peer', session: 's', call_id: 'c1', cancel: 'sent', target: '#1' }],
  ['callee_link'],
);
append(
  'link: the same successor twice',
  (d) => {
    one(d);
    d.add('link', { rel: 'continued_in', session: 's' });
  },
  [
    { type: 'link', rel: 'continued_in', session: 's' },
    { type: 'link', rel: 'continued_in', session: 't' },
  ],
  ['continued', 'superseded'],
);

// What verifying would report (9.1, 7.6).
const verified = { header: PROMISE, checks: 'verified' };
append('verified: an output without its dispatch', call, [output], ['record_missing'], verified);
append('verified: an output after its dispatch', call, [dispatch, output], ['continued', 'continued'], verified);
append(
  'verified: a run end with another reason',
  (d) => {
    d.add('run', { run_id: 'r', phase: 'start', source: 'input' });
  },
  [{ type: 'run', run_id: 'r', phase: 'end', reason: 'done', pending: [] }],
  ['reason_mismatch'],
  verified,
);
append(
  'verified: a run end with the reason of its segment',
  (d) => {
    d.add('run', { run_id: 'r', phase: 'start', source: 'input' });
  },
  [{ type: 'run', run_id: 'r', phase: 'end', reason: 'aborted', pending: [] }],
  ['continued'],
  verified,
);
append(
  'verified: a resume that takes up nothing',
  (d) => {
    d.add('run', { run_id: 'r', phase: 'start', source: 'resume' });
  },
  [{ type: 'item', item: message('x') }],
  ['source_mismatch'],
  verified,
);
append(
  'verified: from_link that names no peer link',
  one,
  [{ type: 'item', item: message('x'), from_link: '#0' }],
  ['bad_from_link'],
  verified,
);
append(
  'verified: a request hash of another request',
  one,
  [{ type: 'response', response_id: 'r', request_hash: hash('x') }],
  ['hash_mismatch'],
  verified,
);
append(
  'verified: first_kept off the path',
  one,
  [{ type: 'compaction', first_kept: hash('x'), summary: message('s'), config: {} }],
  ['bad_context'],
  verified,
);

// Files of earlier minors (2.6).
append('an earlier minor is raised', one, [info], ['continued'], { header: { format: 'agentsession/0.6' } });
append(
  'a "redacted" that would get a meaning',
  (d) => {
    d.add('info', { name: 'n', redacted: [1] });
  },
  [info],
  ['no_raise'],
  { header: { format: 'agentsession/0.12' } },
);

// Normalisation (3.3).
const lone = `{"type":"info","name":"cut \\ud83d","ts":"2026-11-01T12:00:00Z","parent":null}`;
const bytes = (text: string, ...at: number[]): string => {
  const found = utf8(text);
  at.forEach((byte, i) => {
    found[text.indexOf('??') + i] = byte;
  });
  return base64(found);
};
writing.push(
  {
    name: 'normalised: half of a surrogate pair and a long integer',
    op: 'session/written',
    params: {
      file: new Draft().text(),
      lines: [
        base64(
          utf8(
            '{"type":"item","parent":null,"ts":"2026-11-01T12:00:00Z","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"cut \\ud83d"}]},"x:seq":9007199254740993}',
          ),
        ),
      ],
    },
    answer:
      '{"id":"sha256:89f7483c1ed534cd7d03dd3c89e7f7f1dc873302ed75c39aff68b40f562b5fab","item":{"content":[{"text":"cut \ufffd","type":"input_text"}],"role":"user","type":"message"},"normalised":[{"at":"/item/content/0/text","was":"\\"cut \\\\ud83d\\""},{"at":"/x:seq","was":"9007199254740993"}],"parent":null,"ts":"2026-11-01T12:00:00Z","type":"item","x:seq":9007199254740992}',
  },
  {
    name: 'normalised: bytes that are not UTF-8',
    op: 'session/written',
    params: {
      file: new Draft().text(),
      lines: [
        bytes(
          '{"type":"custom","ns":"x:tool","parent":null,"ts":"2026-11-01T12:00:01Z","data":{"stdout":"bad ?? end"}}',
          0xff,
          0xfe,
        ),
      ],
    },
    answer:
      '{"data":{"stdout":"bad \ufffd\ufffd end"},"id":"sha256:2d976608721f09389efafc769d800f452a137182b50aa165124781419a1f972c","normalised":[{"at":"/data/stdout","raw":"ImJhZCD//iBlbmQi"}],"ns":"x:tool","parent":null,"ts":"2026-11-01T12:00:01Z","type":"custom"}',
  },
  {
    name: 'normalised: a second time it is the same entry',
    op: 'session/append_outcomes',
    params: { file: new Draft().text(), lines: [base64(utf8(lone)), base64(utf8(lone))] },
    answer: ['continued', 'held'],
  },
  {
    name: 'normalised: a number that is not finite',
    op: 'session/append_outcomes',
    params: { file: new Draft().text(), lines: [base64(utf8('{"type":"info","x":1e400}'))] },
    answer: ['not_i_json'],
  },
  {
    name: 'normalised: a repeated name',
    op: 'session/append_outcomes',
    params: { file: new Draft().text(), lines: [base64(utf8('{"type":"info","x":{"a":1,"a":1}}'))] },
    answer: ['not_i_json'],
  },
);

// Deltas (6.3, 6.4, 6.6).
function delta(op: string, name: string, configs: readonly Body[], want: Value, expected: Value): void {
  const draft = new Draft();
  for (const body of configs) draft.add('config', body);
  writing.push({
    name,
    op,
    params: { file: draft.text(), want: resolve(want, draft) as Value },
    answer: resolve(expected, draft) as Value,
  });
}
const PARTS = ['a', 'b', 'c', 'd'].map(part);
const inForce: readonly Body[] = [{ instructions_parts: PARTS }];
const parts = (name: string, want: readonly Body[], expected: Value, before = inForce): void =>
  delta('session/parts_delta', `parts: ${name}`, before, want, expected);
const asParts = (...elements: Body[]): Body => ({ instructions_parts: elements });
parts('the same', PARTS, null);
parts('none', [], { instructions: '' });
parts('none where none are', [], null, []);
parts('one more', [...PARTS, part('e')], asParts({ keep: 4 }, part('e')));
parts(
  'one gone',
  [PARTS[0], PARTS[2], PARTS[3]] as Body[],
  asParts({ keep: 1 }, { id: 'c', hash: hash('C') }, { keep: 1 }),
);
parts(
  'another text',
  [PARTS[0], { id: 'b', text: 'B2' }, PARTS[2], PARTS[3]] as Body[],
  asParts({ keep: 1 }, { id: 'b', text: 'B2' }, { keep: 2 }),
);
parts(
  'another source',
  [{ ...(PARTS[0] as Body), source: 's' }, ...PARTS.slice(1)],
  asParts({ id: 'a', text: 'A', source: 's' }, { keep: 3 }),
);
parts(
  'two swapped',
  [PARTS[1], PARTS[0], PARTS[2], PARTS[3]] as Body[],
  asParts({ id: 'b', hash: hash('B') }, { id: 'a', hash: hash('A') }, { id: 'c', hash: hash('C') }, { keep: 1 }),
);
parts('one that left comes back', [part('a')], asParts({ id: 'a', hash: hash('A') }), [
  ...inForce,
  { instructions: 'plain' },
]);
const omitted = (id: string): Body => ({ id, reason: 'a reason that is long enough to be worth a keep' });
const LIST = ['a', 'b', 'c'].map(omitted);
const list = (name: string, configs: readonly Body[], want: readonly Body[], expected: Value): void =>
  delta('session/omitted_delta', `omitted: ${name}`, configs, want, expected);
list('the list before the last', [{ instructions_omitted: LIST }, { instructions_omitted: [] }], LIST, [
  { keep: 3, of: '#0' },
]);
list(
  'no keep where it is no shorter',
  [{ instructions_omitted: [{ id: 'a' }] }],
  [{ id: 'b' }, { id: 'a' }],
  [{ id: 'b' }, { id: 'a' }],
);
list('an id twice is written whole', [{ instructions_omitted: LIST }], [...LIST, ...LIST], [...LIST, ...LIST]);
const omit = (name: string, before: readonly Body[], want: Body, expected: Value): void =>
  delta(
    'session/omit_delta',
    `omit: ${name}`,
    before.map((each) => ({ omit: each })),
    want,
    expected,
  );
omit('nothing of nothing', [], {}, []);
omit('nothing of something', [{ items: ['x'] }], {}, [{}]);
omit('the same', [{ items: ['x'] }], { items: ['x'] }, []);
omit('one more', [{ items: ['x'] }], { items: ['x', 'y'] }, [{ items: ['y'] }]);
omit('one goes, one stays', [{ items: ['x', 'y'] }], { items: ['y'] }, [{}, { items: ['y'] }]);
omit('images beside items', [{ items: ['x'] }], { items: ['x'], images: { keep: 1, placeholder: '-' } }, [
  { images: { keep: 1, placeholder: '-' } },
]);
omit(
  'outputs with another text',
  [{ outputs: { text: 'a', items: ['x'] } }],
  { outputs: { text: 'b', items: ['x'] } },
  [{ outputs: { text: 'b' } }],
);

// Labels of a line store (4.7), the head (12.6) and forks (12.1).
const two = (d: Draft): Draft => {
  d.item(message('one'));
  d.item(message('two'));
  return d;
};
function marks(name: string, line: Body, branch: string | undefined, expected: Body): void {
  const draft = two(new Draft());
  const params = resolve({ file: draft.text(), line, ...(branch === undefined ? {} : { branch }) }, draft) as Body;
  writing.push({ name: `marks: ${name}`, op: 'session/leaf_marks', params, answer: resolve(expected, draft) as Value });
}
marks('none for what continues', info, undefined, { before: null, after: null });
marks('one before a branch', { ...info, parent: '#0' }, undefined, { before: '#1', after: null });
marks('one after what hangs below the leaf', { ...info, parent: '#1' }, '#0', { before: null, after: '#0' });
marks('none for a branch in memory that is written on', info, '#0', { before: null, after: null });
const head = (name: string, expected: Value, to: Value, answered: Value, header: Body = {}): void => {
  const draft = two(new Draft(header));
  writing.push({
    name: `head: ${name}`,
    op: 'session/head_label',
    params: resolve({ file: draft.text(), expected, to }, draft) as Body,
    answer: resolve(answered, draft) as Value,
  });
};
head('to another entry', '#1', '#0', { label: 'leaf', target: '#0' });
head('to the root', '#1', null, { label: 'leaf', target: null });
head('from where it is not', '#0', '#0', { refused: 'head_moved' });
head('to no entry', '#1', hash('none'), { refused: 'no_entry' });
const forked = (
  name: string,
  at: string,
  make: (d: Draft) => void,
  answered: (d: Draft) => Value,
  more: Body = {},
): void => {
  const draft = new Draft((more['header'] ?? {}) as Body);
  make(draft);
  const { header: _, ...params } = more;
  writing.push({
    name: `fork: ${name}`,
    op: 'session/fork',
    params: resolve({ file: draft.text(), at, ...params }, draft) as Body,
    answer: answered(draft),
  });
};
const path = (d: Draft, base: number): string => {
  const header = JSON.stringify({
    base: d.entries[base]?.id,
    created_at: '2026-11-01T10:00:00Z',
    format: 'agentsession/0.14',
    id: 'fork',
    parent_session: '01995b2a-0000-7000-8000-0000000000c1',
    payload: 'openresponses/2026-04-24',
    type: 'session',
  });
  return `${[
    header,
    ...d
      .text()
      .split('\n')
      .slice(1, base + 2),
  ].join('\n')}\n`;
};
forked('from an entry', '#0', two, (d) => path(d, 0));
forked('from no entry', hash('none'), two, () => ({ refused: 'no_entry' }));
forked(
  'from a leaf label',
  '#2',
  (d) => {
    two(d).add('label', { label: 'leaf', target: d.entries[0]?.id ?? null });
  },
  () => ({ refused: 'no_entry' }),
);
forked('media of another form', '#0', two, () => ({ refused: 'media_differs' }), { media: 'sidecar' });
forked(
  'a redacted entry below 0.13',
  '#0',
  (d) => {
    d.add('info', { name: 'n', redacted: [] });
  },
  () => ({ refused: 'unsupported_format' }),
  { format: 'agentsession/0.12', header: { redacted: true } },
);
forked(
  'an old "redacted" above 0.13',
  '#0',
  (d) => {
    d.add('info', { name: 'n', redacted: [] });
  },
  () => ({ refused: 'no_raise' }),
  { header: { format: 'agentsession/0.12' } },
);
forked(
  'converging what is off the path',
  '#2',
  (d) => {
    two(d);
    d.add('info', { name: 'n', parents_of: 1 } as Body, d.entries[0]?.id);
  },
  (d) =>
    `${path(d, 0)
      .split('\n')[0]
      ?.replace(
        d.entries[0]?.id ?? '',
        d.entries[2]?.id ?? '',
      )}\n${[1, 3].map((line) => d.text().split('\n')[line]).join('\n')}\n`,
);

// Ids (12.4, 11.7).
for (const [call_id, id] of [
  ['call_1', '7ef239c2-6fcd-55ac-8d6e-a9f2e498c196'],
  ['call_2', 'ded3e1e4-2e6e-5e7a-9e14-6ced7a1be229'],
])
  writing.push({
    name: `subsession of ${call_id}`,
    op: 'session/subsession_id',
    params: { parent: '01995b2a-0000-7000-8000-0000000000a1', call_id: call_id as string },
    answer: id as string,
  });
writing.push({
  name: 'second attempt of call_1',
  op: 'session/subsession_id',
  params: { parent: '01995b2a-0000-7000-8000-0000000000a1', call_id: 'call_1', attempt: 2 },
  answer: '1f018118-588d-587c-baa7-0b33b43c78f4',
});

writeCases(
  'session/writing.json',
  'What a writer takes, refuses and writes (session-format 3.3, 4, 6, 12): outcomes, conditions, shortest deltas.',
  writing,
);

// Redaction (11).
const redaction: Vector[] = [];
for (const [original, profile, id] of [
  ['01995b2a-0000-7000-8000-0000000000a1', 'default@1', '06e0429d-02ff-5f0e-997a-2a71afcb652d'],
  ['01995b2a-0000-7000-8000-0000000000a1', 'strict@2', 'cf89118f-13fd-528e-aad9-26633028a15a'],
  ['a/b', 'c', 'f6d478da-e6e1-5a76-940d-3bdf01efb941'],
  ['a', 'b/c', 'a7e48276-901c-5f78-ad1a-14afd9a44446'],
  ['séance', 'p"q', '1db47e6a-f978-5523-a483-7d4b317c6459'],
] as const)
  redaction.push({
    name: `id of ${original} under ${profile}`,
    op: 'session/redacted_id',
    params: { original, profile },
    answer: id,
  });

const ADA: Value = [['Ada', '[N]']];
const rewrite = (name: string, type: string, body: Body, expected: Value): void => {
  redaction.push({
    name: `texts: ${name}`,
    op: 'session/rewrite_strings',
    params: { type, body, replace: ADA },
    answer: expected,
  });
};
const text = 'I am Ada';
const gone = 'I am [N]';
const FILE = `sha256:${'1'.repeat(64)}`;
rewrite(
  'a message',
  'item',
  { item: message(text), response: text, 'x:Ada': { Ada: text } },
  { item: message(gone), response: gone, 'x:Ada': { '[N]': gone } },
);
rewrite(
  'names inside an item stay',
  'item',
  { item: { type: 'message', Ada: text } },
  { item: { type: 'message', Ada: gone } },
);
rewrite(
  'a call id stays where it is defined',
  'item',
  { item: { type: 'function_call', call_id: 'Ada', arguments: '{"x":"Ada"}' } },
  { item: { type: 'function_call', call_id: 'Ada', arguments: '{"x":"[N]"}' } },
);
rewrite(
  'a call id in data is text',
  'custom',
  { ns: 'x', call_id: 'Ada', data: { call_id: 'Ada' } },
  { ns: 'x', call_id: 'Ada', data: { call_id: '[N]' } },
);
rewrite(
  'sidecar media stay',
  'item',
  { item: { type: 'message', content: [{ image_url: `sidecar:${hash('Ada')}` }] } },
  { item: { type: 'message', content: [{ image_url: `sidecar:${hash('Ada')}` }] } },
);
rewrite(
  'references and hashes stay',
  'response',
  { response_id: 'Ada', request_hash: 'Ada' },
  { response_id: '[N]', request_hash: 'Ada' },
);
rewrite(
  'a target on a fork_of link is text',
  'link',
  { rel: 'fork_of', session: 'Ada', target: 'Ada' },
  { rel: 'fork_of', session: 'Ada', target: '[N]' },
);
rewrite(
  'a target on a judged_by link stays',
  'link',
  { rel: 'judged_by', session: 's', target: 'Ada' },
  { rel: 'judged_by', session: 's', target: 'Ada' },
);
rewrite(
  'paths and tool names are data',
  'env',
  { cwd: '/Ada', files: { read: { '/Ada': FILE } }, tools: { Ada: 'Ada' } },
  { cwd: '/[N]', files: { read: { '/[N]': FILE } }, tools: { '[N]': '[N]' } },
);
rewrite(
  'what stands for the hash of a file and is none is text',
  'env',
  { files: { read: { a: text }, written: { b: FILE } } },
  { files: { read: { a: gone }, written: { b: FILE } } },
);
rewrite(
  'images of both forms are data',
  'config',
  { omit: { images: { keep: 1, before: text, placeholder: text, Ada: 1 } } },
  { omit: { images: { keep: 1, before: gone, placeholder: gone, '[N]': 1 } } },
);
rewrite(
  'outputs with a number among their items are data',
  'config',
  { omit: { outputs: { text, items: [text, 5] } } },
  { omit: { outputs: { text: gone, items: [gone, 5] } } },
);
rewrite(
  'an omit object that falls back is data',
  'config',
  { omit: { items: [text, 5], Ada: 1 } },
  { omit: { items: [gone, 5], '[N]': 1 } },
);
rewrite(
  'what stands for the hash of a part and is none of its text is text',
  'config',
  { instructions_parts: [{ id: 'a', text: 'plain', hash: text }] },
  { instructions_parts: [{ id: 'a', text: 'plain', hash: gone }] },
);
rewrite('names of extra are data', 'config', { extra: { Ada: text } }, { extra: { '[N]': gone } });
rewrite(
  'names of args and details are data',
  'outcome',
  { kind: 'eval', details: { Ada: [text] } },
  { kind: 'eval', details: { '[N]': [gone] } },
);
rewrite('own members of an extension entry are data', 'x:y', { Ada: { Ada: text } }, { '[N]': { '[N]': gone } });
rewrite(
  'a trigger keeps its names',
  'queued',
  { item: message('q'), mode: 'steer', trigger: { kind: text, Ada: { Ada: 1 } } },
  { item: message('q'), mode: 'steer', trigger: { kind: gone, Ada: { '[N]': 1 } } },
);
rewrite(
  'pending calls stay',
  'run',
  { run_id: text, phase: 'end', reason: 'done', pending: ['Ada'] },
  { run_id: gone, phase: 'end', reason: 'done', pending: ['Ada'] },
);
rewrite(
  'an omitted part, and what a keep is of',
  'config',
  {
    instructions_omitted: [
      { id: 'Ada', of: 'Ada' },
      { keep: 1, of: 'Ada' },
    ],
  },
  {
    instructions_omitted: [
      { id: '[N]', of: '[N]' },
      { keep: 1, of: 'Ada' },
    ],
  },
);
rewrite(
  'a part hash follows its text',
  'config',
  { instructions_parts: [{ id: 'a', text, hash: hash(text) }] },
  { instructions_parts: [{ id: 'a', text: gone, hash: hash(gone) }] },
);
rewrite(
  'instructions that are the join are rebuilt',
  'config',
  {
    instructions: `x Ad\n\na y`,
    instructions_parts: [
      { id: 'a', text: 'x Ad' },
      { id: 'b', text: 'a y' },
    ],
  },
  {
    instructions: 'x Ad\n\na y',
    instructions_parts: [
      { id: 'a', text: 'x Ad' },
      { id: 'b', text: 'a y' },
    ],
  },
);
rewrite(
  'instructions beside parts that are not at hand',
  'config',
  { instructions: text, instructions_parts: [{ keep: 1 }] },
  { refused: 'instructions_join' },
);
rewrite(
  'such instructions in which nothing changes',
  'config',
  { instructions: 'plain', instructions_parts: [{ keep: 1 }] },
  { instructions: 'plain', instructions_parts: [{ keep: 1 }] },
);
rewrite('two names that become one', 'custom', { ns: 'x', data: { Ada: 1, '[N]': 2 } }, { refused: 'key_collision' });
rewrite('a name that the envelope has', 'x:y', { idAda: 1 }, { 'id[N]': 1 });
rewrite(
  'legacy_id and redacted stay',
  'info',
  { name: text, legacy_id: 'Ada', redacted: ['Ada'] },
  { name: gone, legacy_id: 'Ada', redacted: ['Ada'] },
);
rewrite(
  'records follow names and quote rewritten text',
  'custom',
  { ns: 'x', data: { Ada: '\ufffd Ada' }, normalised: [{ at: '/data/Ada', was: '"\\ud83d Ada"' }] },
  { ns: 'x', data: { '[N]': '\ufffd [N]' }, normalised: [{ at: '/data/[N]', was: '"\\ud83d [N]"' }] },
);
rewrite(
  'records of bytes',
  'custom',
  {
    ns: 'x',
    data: '\ufffd Ada',
    normalised: [{ at: '/data', raw: base64(new Uint8Array([0x22, 0xff, 0x20, 0x41, 0x64, 0x61, 0x22])) }],
  },
  {
    ns: 'x',
    data: '\ufffd [N]',
    normalised: [{ at: '/data', raw: base64(new Uint8Array([0x22, 0xff, 0x20, 0x5b, 0x4e, 0x5d, 0x22])) }],
  },
);
rewrite(
  'a record of a whole object',
  'custom',
  { ns: 'x', data: { a: 'Ada' }, normalised: [{ at: '/data', was: '{"a":"Ada","b":1}' }] },
  { ns: 'x', data: { a: '[N]' }, normalised: [{ at: '/data', was: '{"a":"[N]","b":1}' }] },
);
rewrite(
  'a record of what is not there',
  'info',
  { name: 'n', normalised: [{ at: '/other', was: '"Ada"' }] },
  { name: 'n', normalised: [{ at: '/other', was: '"[N]"' }] },
);
rewrite(
  'a record of a member that is not given stays',
  'item',
  { item: functionCall('\ufffd Ada'), normalised: [{ at: '/item/call_id', was: '"\\ud83d Ada"' }] },
  {
    item: { ...functionCall('\ufffd Ada'), id: 'fc_\ufffd [N]' },
    normalised: [{ at: '/item/call_id', was: '"\\ud83d Ada"' }],
  },
);
rewrite(
  'a record of another value than the member has is text',
  'item',
  { item: functionCall('\ufffd'), normalised: [{ at: '/item/call_id', was: '"\\ud83d Ada"' }] },
  { item: functionCall('\ufffd'), normalised: [{ at: '/item/call_id', was: '"\\ud83d [N]"' }] },
);
rewrite(
  'the header',
  'session',
  {
    type: 'session',
    id: 'Ada',
    cwd: '/Ada',
    harness: { name: 'Ada', version: 'Ada' },
    records: ['Ada'],
    'x:Ada': { Ada: 'Ada' },
  },
  {
    type: 'session',
    id: 'Ada',
    cwd: '/[N]',
    harness: { name: '[N]', version: '[N]' },
    records: ['Ada'],
    'x:Ada': { '[N]': '[N]' },
  },
);
redaction.push({
  name: 'texts: members sorted, the names of an object that are data before its values',
  op: 'session/rewritten_texts',
  params: { type: 'custom', body: { ns: 'n', data: { b: '1', a: ['2', '3'] }, 'x:z': 'last' } },
  answer: ['a', 'b', '2', '3', '1', 'n', 'last'],
});

// References (11.9): o1 is kept as n1, x was left out, anything else is not in the table.
const remap = (name: string, entry: Body, expected: Body, more: Body = {}): void => {
  redaction.push({
    name: `references: ${name}`,
    op: 'session/remap',
    params: { entry, table: { o1: 'n1', o2: 'n2', x: null }, ...more },
    answer:
      'refused' in expected
        ? expected
        : { parent: null, parents: [], dropped: [], unmapped: [], opaque: false, ...expected },
  });
};
remap('parent', { type: 'info', parent: 'o1' }, { parent: 'n1', body: {} });
remap('parent that was left out', { type: 'info', parent: 'x' }, { body: {} });
remap(
  'parent that was left out, in a copy with a base',
  { type: 'info', parent: 'x' },
  { parent: 'b', body: {} },
  { base: 'b' },
);
remap(
  'parents, sorted again',
  { type: 'info', parent: null, parents: [{ entry: 'o2' }, { entry: 'o1' }, { entry: 'x' }] },
  { parents: [{ entry: 'n1' }, { entry: 'n2' }], dropped: ['/parents/2'], body: {} },
);
remap(
  'parents that would name the parent, or one twice',
  { type: 'info', parent: 'o1', parents: [{ entry: 'o1' }, { entry: 'o2' }, { entry: 'o2' }] },
  { parent: 'n1', parents: [{ entry: 'n2' }], dropped: ['/parents/0', '/parents/2'], body: {} },
);
remap(
  'queued_from and from_link that were left out',
  { type: 'item', parent: null, item: {}, queued_from: 'x', from_link: 'x' },
  { body: { item: {} }, dropped: ['/queued_from', '/from_link'] },
);
remap(
  'queued_from and from_link',
  { type: 'item', parent: null, item: {}, queued_from: 'o1', from_link: 'o2' },
  { body: { item: {}, queued_from: 'n1', from_link: 'n2' } },
);
remap(
  'omitted items',
  { type: 'config', parent: null, omit: { items: ['o1', 'x'] } },
  { body: { omit: { items: ['n1'] } }, dropped: ['/omit/items/1'] },
);
remap(
  'an omit that is emptied does not clear',
  { type: 'config', parent: null, omit: { items: ['x'] } },
  { body: {}, dropped: ['/omit/items/0'] },
);
remap(
  'outputs that are emptied keep their text',
  { type: 'config', parent: null, omit: { outputs: { text: 't', items: ['x'] } } },
  { body: { omit: { outputs: { text: 't' } } }, dropped: ['/omit/outputs/items/0'] },
);
remap(
  'images before a bound',
  { type: 'config', parent: null, omit: { images: { before: 'o1', placeholder: 'p' } } },
  { body: { omit: { images: { before: 'n2', placeholder: 'p' } } } },
  { bounds: { o1: 'n2' } },
);
remap(
  'images before what was left out',
  { type: 'config', parent: null, omit: { images: { before: 'x', placeholder: 'p' } } },
  { refused: 'no_place' },
);
remap(
  'first_kept',
  { type: 'compaction', parent: null, first_kept: 'o1', summary: {}, config: { omit: { items: ['o2'] } } },
  { body: { first_kept: 'n1', summary: {}, config: { omit: { items: ['n2'] } } } },
);
remap(
  'first_kept that was left out',
  { type: 'compaction', parent: null, first_kept: 'x', summary: {}, config: {} },
  { refused: 'no_place' },
);
remap(
  'an abandoned leaf',
  { type: 'branch_summary', parent: null, from: 'o1', summary: {} },
  { body: { from: 'n1', summary: {} } },
);
remap(
  'an abandoned leaf that was left out',
  { type: 'branch_summary', parent: null, from: 'x', summary: {} },
  { refused: 'no_place' },
);
for (const type of ['outcome', 'dispatch', 'decision', 'label']) {
  remap(
    `target of a ${type}`,
    { type, parent: null, target: 'o1', label: 'l' },
    { body: { target: 'n1', label: 'l' } },
  );
  remap(
    `target of a ${type} that was left out`,
    { type, parent: null, target: 'x', label: 'l' },
    { refused: 'no_place' },
  );
}
remap(
  'target of a leaf label that was left out',
  { type: 'label', parent: null, label: 'leaf', target: 'x' },
  { body: { label: 'leaf', target: null }, dropped: ['/target'] },
);
remap(
  'target of a cancel notice that was left out',
  { type: 'link', parent: null, rel: 'peer', session: 's', call_id: 'c', cancel: 'sent', target: 'x' },
  { refused: 'no_place' },
);
remap(
  'target of a judged_by link',
  { type: 'link', parent: null, rel: 'judged_by', session: 's', target: 'o1' },
  { body: { rel: 'judged_by', session: 's', target: 'n1' } },
);
remap(
  'a target that a link does not define',
  { type: 'link', parent: null, rel: 'fork_of', session: 's', target: 'x' },
  { body: { rel: 'fork_of', session: 's', target: 'x' } },
);
remap(
  'what a keep is of',
  {
    type: 'config',
    parent: null,
    instructions_omitted: [
      { keep: 1, of: 'o1' },
      { id: 'p', of: 'x' },
    ],
  },
  {
    body: {
      instructions_omitted: [
        { keep: 1, of: 'n1' },
        { id: 'p', of: 'x' },
      ],
    },
  },
);
remap(
  'what a keep is of was left out',
  { type: 'config', parent: null, instructions_omitted: [{ keep: 1, of: 'x' }] },
  { refused: 'no_place' },
);
remap(
  'a response is no reference',
  { type: 'item', parent: null, item: {}, response: 'o1' },
  { body: { item: {}, response: 'o1' } },
);
remap(
  'an extension entry is opaque',
  { type: 'x:y', parent: 'o1', target: 'o1' },
  { parent: 'n1', body: { target: 'o1' }, opaque: true },
);
remap(
  'what the table does not say stays and is told',
  { type: 'outcome', parent: null, kind: 'eval', target: 'o9' },
  { body: { kind: 'eval', target: 'o9' }, unmapped: ['/target'] },
);

// Spans (11.3).
for (const [name, spans] of [
  ['none', []],
  ['positions and a range', [1, [2, 4], 6]],
] as const)
  redaction.push({
    name: `spans: ${name}`,
    op: 'session/set_redacted',
    params: { spans: spans as unknown as Value },
    answer: { redacted: spans as unknown as Value },
  });
for (const [name, spans] of [
  ['descending', [2, 1]],
  ['twice', [1, 1]],
  ['overlapping', [[1, 3], 3]],
  ['a range of one', [[2, 2]]],
  ['zero', [0]],
] as const)
  redaction.push({
    name: `spans: ${name}`,
    op: 'session/set_redacted',
    params: { spans: spans as unknown as Value },
    answer: { refused: 'bad_redacted' },
  });

// Whole sessions: a hash that verified is recomputed, one that did not is left out.
function whole(
  name: string,
  make: (d: Draft, says: (text: string) => string) => void,
  leave_out: readonly string[] = [],
): void {
  const [before, after] = [new Draft(), new Draft({ id: 'see the answer' })];
  make(before, (said) => said);
  make(after, (said) => said.replaceAll('Ada', '[N]'));
  const [, ...lines] = before.text().trim().split('\n');
  redaction.push({
    name: `whole: ${name}`,
    op: 'session/redact_request_hashes',
    params: { file: before.text(), profile: 'p@1', created_at: '2026-11-30T00:00:00Z', replace: ADA, leave_out },
    answer: lines.flatMap((line, i) => {
      const body = after.entries[i]?.body ?? {};
      return JSON.parse(line).type === 'response' ? [(body['request_hash'] ?? null) as Value] : [];
    }),
  });
}
const talk = (d: Draft, says: (text: string) => string): void => {
  d.add('config', { model: 'm', instructions: says('Help Ada.') });
  d.item(message(says('I am Ada.')));
};
whole('a hash that verified', (d, says) => {
  talk(d, says);
  d.item(answer('m', says('Hello Ada.')), { response: 'r1' });
  d.response('r1');
});
whole('a hash that did not', (d, says) => {
  talk(d, says);
  d.add('response', { response_id: 'r1', ...(says('Ada') === 'Ada' ? { request_hash: hash('x') } : {}) });
});
whole('none', (d, says) => {
  talk(d, says);
  d.add('response', { response_id: 'r1' });
});

writeCases(
  'session/redaction.json',
  'What a redaction rewrites, re-points and computes anew (session-format 11): one case for each row of its tables.',
  redaction,
);
