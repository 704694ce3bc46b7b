/**
 * Writes vectors/atif/rules.json, back.json and files.json: for each rule of atif-export 3 a document that keeps it and one that breaks only
 * it; the ways back (11); redactors, names and media (10, 12). Answers stand here, written by hand.
 */
import { writeCases } from './place.ts';

type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value };
type Members = { readonly [name: string]: Value };

const agent: Members = { name: 'lantern', version: '3.2' };
const user: Members = { step_id: 1, source: 'user', message: 'hello' };
const call: Members = { tool_call_id: 'c1', function_name: 'look', arguments: {} };
const acting: Members = {
  step_id: 1,
  source: 'agent',
  message: '',
  tool_calls: [call],
  observation: { results: [{ source_call_id: 'c1', content: 'seen' }] },
};
const of = (steps: readonly Value[], more: Members = {}): Members => ({
  schema_version: 'ATIF-v1.8',
  agent,
  steps,
  ...more,
});
const child = (id: Value, more: Members = {}): Members => of([user], { trajectory_id: id, ...more });
const part = (source: Members, type = 'image'): Members => of([{ ...user, message: [{ type, source }] }]);
const referring = (reference: Members, more: Members = {}): Members =>
  of([{ ...acting, observation: { results: [{ source_call_id: 'c1', subagent_trajectory_ref: [reference] }] } }], more);

// Rules: what breaks one, and whether schema, lenient reader, writer and closed reader take it all the same.

interface Verdicts {
  readonly schema?: boolean;
  readonly parse?: boolean;
  readonly validate?: boolean;
}
const rules: { readonly name: string; readonly op: string; readonly params: Members; readonly answer: Value }[] = [];

function rule(name: string, document: Value, rule: string, at: string, code: string, verdicts: Verdicts = {}): void {
  const { schema = false, parse = false, validate = false } = verdicts;
  rules.push({
    name: `${rule}: ${name}`,
    op: 'atif/check',
    params: { document },
    answer: { read: true, schema, parse, validate, closed: false, rule, at, codes: [code] },
  });
}

function kept(name: string, document: Value): void {
  const answer = {
    read: true,
    schema: true,
    parse: true,
    validate: true,
    closed: true,
    rule: null,
    at: null,
    codes: [],
  };
  rules.push({ name, op: 'atif/check', params: { document }, answer });
}

const V = (steps: Members, more: Members = {}): Members => of([{ ...user, ...steps }], more);

kept('the least document', of([user]));
kept(
  'every member of a step',
  of([
    {
      ...acting,
      timestamp: '2024-02-29T23:59:59.123456789+23:59',
      model_name: 'm',
      reasoning_effort: 0.5,
      reasoning_content: 'so',
      metrics: {
        prompt_tokens: 1,
        completion_tokens: -1,
        cached_tokens: 0,
        cost_usd: 0.5,
        prompt_token_ids: [1],
        completion_token_ids: [],
        logprobs: [-0.5],
        extra: {},
      },
      is_copied_context: false,
      llm_call_count: 2,
      extra: { any: [1] },
    },
  ]),
);
kept(
  'null for everything that may be',
  of(
    [
      {
        ...user,
        timestamp: null,
        model_name: null,
        reasoning_effort: null,
        reasoning_content: null,
        tool_calls: null,
        observation: null,
        metrics: null,
        is_copied_context: null,
        llm_call_count: null,
        extra: null,
      },
    ],
    {
      session_id: null,
      trajectory_id: null,
      notes: null,
      final_metrics: null,
      continued_trajectory_ref: null,
      extra: null,
      subagent_trajectories: null,
    },
  ),
);
kept('an id that occurs twice', of([{ ...acting, tool_calls: [call, call] }]));
kept('a result of no call', V({ observation: { results: [{ content: '' }, {}] } }));
kept('no model call, and none of its members', of([{ ...acting, llm_call_count: 0 }]));
kept(
  'an embedded document that is referred to',
  referring({ trajectory_id: 'x' }, { subagent_trajectories: [child('x')] }),
);
kept('a file that is referred to beside an id', referring({ trajectory_id: 'y', trajectory_path: 'y.json' }));
kept(
  'audio by an alias, with its duration',
  part({ media_type: ' Audio/X-WAV ', path: 'a.wav', duration_sec: 0 }, 'audio'),
);
kept(
  'an empty message and empty texts',
  of([
    { ...user, message: [] },
    { ...user, step_id: 2, message: [{ type: 'text', text: '' }] },
  ]),
);

rule('the document is a list', [], 'V00', '', 'atif/member-type');
rule('notes that are a number', of([user], { notes: 1 }), 'V00', '/notes', 'atif/member-type');
rule(
  'steps that are an object',
  { schema_version: 'ATIF-v1.8', agent, steps: {} },
  'V00',
  '/steps',
  'atif/member-type',
);
rule('a step that is null', of([null]), 'V00', '/steps/0', 'atif/member-type');
rule(
  'tokens with a fraction',
  of([{ ...acting, metrics: { prompt_tokens: 1.5 } }]),
  'V00',
  '/steps/0/metrics/prompt_tokens',
  'atif/member-type',
);
rule('an extra that is a list', V({ extra: [] }), 'V00', '/steps/0/extra', 'atif/member-type');
rule(
  'a log probability that is a text',
  of([{ ...acting, metrics: { logprobs: [0, 'x'] } }]),
  'V00',
  '/steps/0/metrics/logprobs/1',
  'atif/member-type',
);
rule('no version', { agent, steps: [user] }, 'V01', '/schema_version', 'atif/other-format');
rule(
  'another major version',
  { ...of([user]), schema_version: 'ATIF-v2.0' },
  'V01',
  '/schema_version',
  'atif/other-format',
);
rule(
  'a version that is not published',
  { ...of([user]), schema_version: 'ATIF-v1.9' },
  'V02',
  '/schema_version',
  'atif/unknown-version',
  { parse: true },
);
rule('no agent', { schema_version: 'ATIF-v1.8', steps: [user] }, 'V03', '/agent', 'atif/no-agent');
rule(
  'an agent without a version',
  { ...of([user]), agent: { name: 'x', version: '' } },
  'V03',
  '/agent',
  'atif/no-agent',
);
rule('no steps', of([]), 'V04', '/steps', 'atif/no-steps');
rule('steps that are null', { schema_version: 'ATIF-v1.8', agent, steps: null }, 'V04', '/steps', 'atif/no-steps');
rule('a gap', of([user, { ...user, step_id: 3 }]), 'V05', '/steps/1/step_id', 'atif/step-id', { schema: true });
rule('no step id', of([{ source: 'user', message: '' }]), 'V05', '/steps/0/step_id', 'atif/step-id');
rule('a tool as the source', V({ source: 'tool' }), 'V06', '/steps/0/source', 'atif/step-source');
rule('a day that does not exist', V({ timestamp: '2025-02-29' }), 'V07', '/steps/0/timestamp', 'atif/timestamp', {
  schema: true,
});
rule('an hour 24', V({ timestamp: '2025-02-28T24:00:00Z' }), 'V07', '/steps/0/timestamp', 'atif/timestamp', {
  schema: true,
});
rule(
  'ten digits of a second',
  V({ timestamp: '2025-02-28T23:00:00.0123456789Z' }),
  'V07',
  '/steps/0/timestamp',
  'atif/timestamp',
);
rule('two spaces', V({ timestamp: '2025-02-28  23:00:00' }), 'V07', '/steps/0/timestamp', 'atif/timestamp');
for (const [name, value] of Object.entries({
  model_name: 'm',
  reasoning_effort: 'low',
  reasoning_content: '',
  tool_calls: [],
  metrics: {},
} as Members))
  rule(`a user step with ${name}`, V({ [name]: value as Value }), 'V08', `/steps/0/${name}`, 'atif/agent-only-member');
rule('fewer than no calls', V({ llm_call_count: -1 }), 'V09', '/steps/0/llm_call_count', 'atif/call-count');
rule(
  'metrics without a call',
  of([{ ...acting, llm_call_count: 0, metrics: {} }]),
  'V10',
  '/steps/0/llm_call_count',
  'atif/no-call',
);
rule('no message', of([{ step_id: 1, source: 'user' }]), 'V11', '/steps/0/message', 'atif/no-message');
rule('a message that is null', V({ message: null }), 'V11', '/steps/0/message', 'atif/no-message');
rule('a message that is an object', V({ message: {} }), 'V12', '/steps/0/message', 'atif/content');
rule('a part of another format', V({ message: [{ type: 'input_text' }] }), 'V12', '/steps/0/message/0', 'atif/content');
rule(
  'a result with such a part',
  V({ observation: { results: [{ content: [{ type: 'video' }] }] } }),
  'V12',
  '/steps/0/observation/results/0/content/0',
  'atif/content',
);
rule(
  'a text part without text',
  V({ message: [{ type: 'text', text: null }] }),
  'V13',
  '/steps/0/message/0',
  'atif/text-part',
);
rule(
  'a text part with a source',
  V({ message: [{ type: 'text', text: '', source: { media_type: 'image/png', path: 'x' } }] }),
  'V13',
  '/steps/0/message/0',
  'atif/text-part',
);
rule('an image without a source', V({ message: [{ type: 'image' }] }), 'V14', '/steps/0/message/0', 'atif/media-part');
rule(
  'an image with a text',
  V({ message: [{ type: 'image', text: '', source: { media_type: 'image/png', path: 'x' } }] }),
  'V14',
  '/steps/0/message/0',
  'atif/media-part',
);
rule(
  'an image without a path',
  part({ media_type: 'image/png', path: '' }),
  'V14',
  '/steps/0/message/0',
  'atif/media-part',
);
rule(
  'an SVG',
  part({ media_type: 'image/svg+xml', path: 'x.svg' }),
  'V15',
  '/steps/0/message/0/source',
  'atif/media-type',
);
rule(
  'an image type in capitals',
  part({ media_type: 'IMAGE/PNG', path: 'x.png' }),
  'V15',
  '/steps/0/message/0/source',
  'atif/media-type',
);
rule(
  'an image that lasts',
  part({ media_type: 'image/png', path: 'x.png', duration_sec: 1 }),
  'V15',
  '/steps/0/message/0/source',
  'atif/media-type',
);
rule(
  'audio that ends before it begins',
  part({ media_type: 'audio/wav', path: 'x.wav', duration_sec: -0.5 }, 'audio'),
  'V15',
  '/steps/0/message/0/source',
  'atif/media-type',
);
rule(
  'a call without an id',
  of([{ ...acting, observation: null, tool_calls: [{ ...call, tool_call_id: '' }] }]),
  'V16',
  '/steps/0/tool_calls/0',
  'atif/tool-call',
);
rule(
  'arguments as text',
  of([{ ...acting, tool_calls: [{ ...call, arguments: '{}' }] }]),
  'V16',
  '/steps/0/tool_calls/0',
  'atif/tool-call',
);
rule('no results', V({ observation: {} }), 'V17', '/steps/0/observation/results', 'atif/result-call');
rule(
  'a result of the step before',
  of([
    { ...acting, observation: null },
    { ...user, step_id: 2, observation: { results: [{ source_call_id: 'c1' }] } },
  ]),
  'V17',
  '/steps/1/observation/results/0/source_call_id',
  'atif/result-call',
  { schema: true },
);
rule(
  'a reference to a session alone',
  referring({ session_id: 's' }),
  'V18',
  '/steps/0/observation/results/0/subagent_trajectory_ref/0',
  'atif/reference',
);
rule(
  'fewer than no steps',
  of([user], { final_metrics: { total_steps: -1 } }),
  'V19',
  '/final_metrics/total_steps',
  'atif/total-steps',
);
rule(
  'an embedded document that is null',
  of([user], { subagent_trajectories: [null] }),
  'V20',
  '/subagent_trajectories/0',
  'atif/embedded-id',
);
rule(
  'an embedded document without an id',
  of([user], { subagent_trajectories: [of([user])] }),
  'V20',
  '/subagent_trajectories/0/trajectory_id',
  'atif/embedded-id',
);
rule(
  'two embedded documents of one id',
  of([user], { subagent_trajectories: [child('x'), child('x')] }),
  'V20',
  '/subagent_trajectories/1/trajectory_id',
  'atif/embedded-id',
  { schema: true },
);
rule(
  'a reference to what is not embedded',
  referring({ trajectory_id: 'x' }),
  'V21',
  '/steps/0/observation/results/0/subagent_trajectory_ref/0/trajectory_id',
  'atif/dangling-reference',
  { schema: true, parse: true },
);
rule(
  'a reference to what is embedded deeper',
  referring({ trajectory_id: 'x' }, { subagent_trajectories: [child('y', { subagent_trajectories: [child('x')] })] }),
  'V21',
  '/steps/0/observation/results/0/subagent_trajectory_ref/0/trajectory_id',
  'atif/dangling-reference',
  { schema: true, parse: true },
);
for (const [name, document, at] of [
  ['of the document', of([user], { 'a/b~': 1 }), '/a~1b~0'],
  ['of the agent', { ...of([user]), agent: { ...agent, mood: 1 } }, '/agent/mood'],
  ['of a step', V({ mood: 1 }), '/steps/0/mood'],
  ['of a part', V({ message: [{ type: 'text', text: '', mood: 1 }] }), '/steps/0/message/0/mood'],
  ['of a source', part({ media_type: 'image/png', path: 'x', mood: 1 }), '/steps/0/message/0/source/mood'],
  ['of a call', of([{ ...acting, tool_calls: [{ ...call, mood: 1 }] }]), '/steps/0/tool_calls/0/mood'],
  ['of an observation', V({ observation: { results: [], mood: 1 } }), '/steps/0/observation/mood'],
  ['of a result', V({ observation: { results: [{ mood: 1 }] } }), '/steps/0/observation/results/0/mood'],
  [
    'of a reference',
    referring({ trajectory_path: 'x', mood: 1 }),
    '/steps/0/observation/results/0/subagent_trajectory_ref/0/mood',
  ],
  ['of metrics', of([{ ...acting, metrics: { mood: 1 } }]), '/steps/0/metrics/mood'],
  ['of final metrics', of([user], { final_metrics: { mood: 1 } }), '/final_metrics/mood'],
  [
    'of an embedded document',
    of([user], { subagent_trajectories: [child('x', { mood: 1 })] }),
    '/subagent_trajectories/0/mood',
  ],
] as const)
  rule(`an undeclared member ${name}`, document, 'V22', at, 'atif/undeclared-member', { parse: true, validate: true });
rule(
  'the rule of an embedded document',
  of([user], { subagent_trajectories: [child('x', { steps: [] })] }),
  'V04',
  '/subagent_trajectories/0/steps',
  'atif/no-steps',
);
rules.push(
  {
    name: 'cut off',
    op: 'atif/check',
    params: { document: '{"schema_version":"ATIF-v1.8"' },
    answer: { read: false, codes: ['atif/not-json'] },
  },
  {
    name: 'a member name twice',
    op: 'atif/check',
    params: { document: JSON.stringify(of([user])).replace('"message"', '"message":"goodbye","message"') },
    answer: {
      read: true,
      schema: true,
      parse: true,
      validate: true,
      closed: true,
      rule: null,
      at: null,
      codes: ['atif/ambiguous'],
    },
  },
);
writeCases(
  'atif/rules.json',
  'atif-export 3: verdicts over documents, and the first broken rule with its place.',
  rules,
);

// The ways back, and what the raw items say.

const text = (value: string): Members => ({ type: 'input_text', text: value });
const said: Members = { type: 'message', role: 'user', content: [text('hello')] };
const reply: Members = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'hi', annotations: [] }],
};
const wanted: Members = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":1}' };
const got: Members = {
  type: 'function_call_output',
  call_id: 'c1',
  output: [text('a'), { type: 'input_image', image_url: 'x.png', detail: 'auto' }],
};
const raw = (value: Members): Members => ({ openresponses: { item: value } });
const whole = (change: { user?: Members; agent?: Members; result?: Members } = {}): Members =>
  of([
    { ...user, extra: { agentsession: { entry_id: 'e1' }, ...raw(said) }, ...change.user },
    {
      step_id: 2,
      timestamp: '2026-11-01T09:00:00Z',
      source: 'agent',
      message: 'hi',
      tool_calls: [{ ...call, arguments: { at: 1 } }],
      observation: {
        results: [
          {
            source_call_id: 'c1',
            content: [
              { type: 'text', text: 'a' },
              { type: 'image', source: { media_type: 'image/png', path: 'x.png' } },
            ],
            extra: raw(got),
            ...change.result,
          },
        ],
      },
      metrics: { prompt_tokens: 3, completion_tokens: 2, cached_tokens: 1 },
      llm_call_count: 1,
      extra: {
        item_entry_ids: ['e2', 'e3'],
        openresponses: {
          items: [reply, wanted],
          response: {
            ts: '2026-11-01T09:00:00Z',
            usage: { input_tokens: 3, output_tokens: 2, input_tokens_details: { cached_tokens: 1 } },
          },
        },
      },
      ...change.agent,
    },
  ]);
const agreement = (name: string, document: Members, ...at: readonly string[]) => ({
  name,
  op: 'atif/agreement',
  params: { document },
  answer: { with_items: 2, steps: 2, findings: at.map((pointer) => ({ code: 'atif/items-disagree', at: pointer })) },
});
const marked = (row: Members, more: Members = {}): Members =>
  whole({ result: { extra: { ...raw(got), replaced: [row] } }, ...more });
const native = (id: string, name: string, args: Members): Members => ({
  tool_call_id: id,
  function_name: name,
  arguments: args,
});
const result = (id: string, content: string): Members => ({ source_call_id: id, content });

writeCases('atif/back.json', 'atif-export 11: items and itemsFrom; and whether steps say what raw items say.', [
  {
    name: 'items in the order of the context',
    op: 'atif/items',
    params: { document: whole() },
    answer: { items: [said, reply, wanted, got], all: [said, reply, wanted, got] },
  },
  { name: 'no raw items', op: 'atif/items', params: { document: of([user]) }, answer: { problem: 'no-raw-items' } },
  {
    name: 'a raw item that is none',
    op: 'atif/items',
    params: { document: whole({ user: { extra: raw('x' as unknown as Members) } }) },
    answer: { problem: 'bad-item' },
  },
  {
    name: 'an item that was omitted',
    op: 'atif/items',
    params: { document: whole({ user: { extra: { ...raw(said), omitted: [{ entry_id: 'e1', reason: 'items' }] } } }) },
    answer: { items: [reply, wanted, got], all: [said, reply, wanted, got] },
  },
  {
    name: 'an output that was replaced whole, whatever its images',
    op: 'atif/items',
    params: {
      document: whole({
        result: {
          extra: {
            ...raw(got),
            replaced: [
              { reason: 'images', parts: 1, placeholder: 'i' },
              { reason: 'outputs', placeholder: 'gone' },
            ],
          },
        },
      }),
    },
    answer: { items: [said, reply, wanted, { ...got, output: 'gone' }], all: [said, reply, wanted, got] },
  },
  {
    name: 'images that were replaced',
    op: 'atif/items',
    params: { document: marked({ reason: 'images', parts: 1, placeholder: 'an image' }) },
    answer: {
      items: [said, reply, wanted, { ...got, output: [text('a'), text('an image')] }],
      all: [said, reply, wanted, got],
    },
  },
  {
    name: 'a fold with pinned items',
    op: 'atif/items',
    params: {
      document: of([{ ...user, source: 'system', extra: { openresponses: { item: said, pinned: [reply] } } }]),
    },
    answer: { items: [said, reply], all: [said, reply] },
  },
  agreement('steps that say what the items say', whole()),
  agreement('another message', whole({ user: { message: 'goodbye' } }), '/steps/0/message'),
  agreement('another speaker', whole({ user: { source: 'system' } }), '/steps/0/source'),
  agreement(
    'a call that was never made',
    whole({ agent: { tool_calls: [{ ...call, arguments: { at: 2 } }] } }),
    '/steps/1/tool_calls',
  ),
  agreement('thoughts that nobody had', whole({ agent: { reasoning_content: 'hm' } }), '/steps/1/reasoning_content'),
  agreement(
    'fewer tokens',
    whole({ agent: { metrics: { prompt_tokens: 1, completion_tokens: 2, cached_tokens: 1 } } }),
    '/steps/1/metrics',
  ),
  agreement('another time', whole({ agent: { timestamp: '2026-11-01T10:00:00Z' } }), '/steps/1/timestamp'),
  agreement('fewer model calls', whole({ agent: { llm_call_count: 3 } }), '/steps/1/llm_call_count'),
  agreement('another output', whole({ result: { content: 'b' } }), '/steps/1/observation/results/0/content'),
  {
    name: 'a bad raw item',
    op: 'atif/agreement',
    params: { document: of([{ ...user, extra: raw(1 as unknown as Members) }]) },
    answer: { with_items: 1, steps: 1, findings: [{ code: 'atif/bad-item', at: '/steps/0/extra/openresponses/item' }] },
  },
  {
    name: 'call ids that are used again (14.5)',
    op: 'atif/items-from',
    params: {
      document: of([
        {
          step_id: 1,
          source: 'agent',
          message: '',
          tool_calls: [native('t1', 'lookup', { b: 1, a: 2 }), native('t1', 'stop', {})],
          observation: { results: [result('t1', 'x'), result('t1', 'y'), result('t1', 'z')] },
        },
        {
          step_id: 2,
          source: 'agent',
          message: '',
          tool_calls: [native('t1', 'lookup', {})],
          observation: { results: [result('t1', 'w')] },
        },
      ]),
    },
    answer: [
      { type: 'function_call', call_id: 't1', name: 'lookup', arguments: '{"a":2,"b":1}' },
      { type: 'function_call', call_id: 't1_2', name: 'stop', arguments: '{}' },
      { type: 'function_call_output', call_id: 't1', output: 'x' },
      { type: 'function_call_output', call_id: 't1_2', output: 'y' },
      { type: 'function_call_output', call_id: 't1_2', output: 'z' },
      { type: 'function_call', call_id: 't1_3', name: 'lookup', arguments: '{}' },
      { type: 'function_call_output', call_id: 't1_3', output: 'w' },
    ],
  },
  {
    name: 'a conversation from declared members',
    op: 'atif/items-from',
    params: {
      document: of([
        { step_id: 1, source: 'system', message: 'Be brief.' },
        {
          step_id: 2,
          source: 'user',
          message: [
            { type: 'text', text: 'see' },
            { type: 'image', source: { media_type: 'image/png', path: 'x.png' } },
            { type: 'audio', source: { media_type: 'audio/wav', path: 'y.wav' } },
          ],
        },
        {
          step_id: 3,
          source: 'agent',
          message: 'ok',
          reasoning_content: 'so',
          tool_calls: [native('', 'f', { _arguments: '[1' }), native('x', 'g', { _arguments: 1 })],
        },
        {
          step_id: 4,
          source: 'system',
          message: '',
          observation: { results: [result('x', 'late'), { content: 'of no call' }] },
        },
      ]),
    },
    answer: [
      { type: 'message', role: 'system', content: [text('Be brief.')] },
      {
        type: 'message',
        role: 'user',
        content: [text('see'), { type: 'input_image', image_url: 'x.png', detail: 'auto' }, text('[audio: y.wav]')],
      },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'so' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok', annotations: [] }] },
      { type: 'function_call', call_id: 'call_2', name: 'f', arguments: '[1' },
      { type: 'function_call', call_id: 'x', name: 'g', arguments: '{"_arguments":1}' },
      { type: 'function_call_output', call_id: 'x', output: 'late' },
    ],
  },
]);

// Names, media, redactors.

const named = (name: string, members: Members, isMain: boolean, answer: string) => ({
  name,
  op: 'atif/name',
  params: { document: of([user], { ...members, ...(isMain ? { extra: { agentsession: { main: true } } } : {}) }) },
  answer,
});
const URL = 'data:image/png;base64,iVBORw0KGgo=';
const PNG = 'images/4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6.png';
const media = (type: string, source: Members, more: Members = {}): Members =>
  V({ message: [{ type, source }], ...more });
const home = { at: '/home/ana/x', beside: '/home/anabel', plain: '/home/ana', windows: '/home/ana\\x' };
const known: Members = {
  environment: { cwd: '/x' },
  agentsession: { cwd: '/x', leaf: 'l' },
  openresponses: { payload: 'p' },
};
const redaction = (name: string, redact: readonly (readonly string[])[], document: Members, answer: Members) => ({
  name,
  op: 'atif/redact',
  params: { redact, document },
  answer,
});

writeCases('atif/files.json', 'atif-export 10, 12.1, 12.4: redactors, names of files, media as files.', [
  named('a main document', { session_id: 'night/7', trajectory_id: 'any' }, true, 'night-7.json'),
  named('another document', { session_id: 'night/7', trajectory_id: 'sha256:ab12' }, false, 'night-7_ab12.json'),
  named('no session', { trajectory_id: 'x y' }, false, 'x-y.json'),
  named('a main document without a session', { trajectory_id: 'x' }, true, 'x.json'),
  named('nothing', {}, false, 'trajectory.json'),
  named('one mark for one code point', { session_id: '🌙7', trajectory_id: 'leaf' }, false, '-7_leaf.json'),
  named('no way out of the folder', { session_id: '../..', trajectory_id: '/etc' }, false, '..-.._-etc.json'),
  {
    name: 'an image, in the raw item too (14.4)',
    op: 'atif/spill',
    params: {
      document: media(
        'image',
        { media_type: 'image/png', path: URL },
        { extra: raw({ type: 'x', url: URL, text: `see ${URL}` }) },
      ),
    },
    answer: {
      document: media(
        'image',
        { media_type: 'image/png', path: PNG },
        { extra: raw({ type: 'x', url: PNG, text: `see ${URL}` }) },
      ),
      files: [{ path: PNG, bytes_b64: 'iVBORw0KGgo=' }],
    },
  },
  {
    name: 'audio, with its alias and without padding',
    op: 'atif/spill',
    params: { document: media('audio', { media_type: 'audio/wav', path: 'data:audio/X-WAV;base64,UklGRg' }) },
    answer: {
      document: media('audio', {
        media_type: 'audio/x-wav',
        path: 'audio/a40ff3d5900fb7698b8c865041347cb49eccedc8f93945f89629ad104aaecce4.x-wav',
      }),
      files: [
        { path: 'audio/a40ff3d5900fb7698b8c865041347cb49eccedc8f93945f89629ad104aaecce4.x-wav', bytes_b64: 'UklGRg==' },
      ],
    },
  },
  {
    name: 'a type that only the part states, and data that is no base64',
    op: 'atif/spill',
    params: { document: media('image', { media_type: 'image/jpg', path: 'data:,%41' }) },
    answer: {
      document: media('image', {
        media_type: 'image/jpeg',
        path: 'images/7f6d8122cdd67c4a6c1a4ef416b84109d5a44ef4475f6a453831b1b43666ba14.jpg',
      }),
      files: [
        { path: 'images/7f6d8122cdd67c4a6c1a4ef416b84109d5a44ef4475f6a453831b1b43666ba14.jpg', bytes_b64: 'JTQx' },
      ],
    },
  },
  {
    name: 'no comma',
    op: 'atif/spill',
    params: { document: media('image', { media_type: 'image/png', path: 'data:image/png' }) },
    answer: { problem: 'the data URL of an image part has no comma before its data' },
  },
  {
    name: 'bad base64',
    op: 'atif/spill',
    params: { document: media('image', { media_type: 'image/png', path: 'data:image/png;base64,*' }) },
    answer: { problem: 'the data URL of an image part is not base64' },
  },
  {
    name: 'nothing to spill',
    op: 'atif/spill',
    params: { document: part({ media_type: 'image/png', path: 'https://x.example/a.png' }) },
    answer: { document: part({ media_type: 'image/png', path: 'https://x.example/a.png' }), files: [] },
  },
  redaction(
    'the longest secret first',
    [['secrets', '', 'ab', 'abc']],
    V({ message: 'abcab', extra: { abc: ['abc', 1] } }),
    V({ message: '[REDACTED][REDACTED]', extra: { abc: ['[REDACTED]', 1] } }),
  ),
  redaction('no secrets', [['secrets', '']], V({ message: 'x' }), V({ message: 'x' })),
  redaction(
    'a home folder, in longer names too',
    [['home', '/home/./x/../ana/']],
    V({ extra: home }),
    V({ extra: { at: '~/x', beside: '~bel', plain: '~', windows: '~\\x' } }),
  ),
  redaction('a home that is none', [['home', '/']], V({ extra: home }), V({ extra: home })),
  redaction(
    'the environment',
    [['environment']],
    V({ extra: { ...known, keep: 1 } }, { extra: known, subagent_trajectories: [child('x', { extra: known })] }),
    V(
      { extra: { agentsession: { leaf: 'l' }, openresponses: { payload: 'p' }, keep: 1 } },
      {
        extra: { agentsession: { leaf: 'l' }, openresponses: { payload: 'p' } },
        subagent_trajectories: [
          child('x', { extra: { agentsession: { leaf: 'l' }, openresponses: { payload: 'p' } } }),
        ],
      },
    ),
  ),
  redaction(
    'raw items, but for the name of the payload',
    [['no-passthrough']],
    V(
      { extra: raw(said), observation: { results: [{ extra: raw(got) }] } },
      { extra: { openresponses: { payload: 'p' } } },
    ),
    V({ extra: {}, observation: { results: [{ extra: {} }] } }, { extra: { openresponses: { payload: 'p' } } }),
  ),
]);

// The whole road: what the schema says beside the rules, and how deep documents are embedded.

function nested(levels: number): Members {
  let document = child('x');
  for (let i = 0; i < levels; i++) document = child('x', { subagent_trajectories: [document] });
  return document;
}
const road = (name: string, document: Members, status: number, ...codes: string[]) => ({
  name,
  op: 'audit/codes',
  params: { file: JSON.stringify(document) },
  answer: { status, kind: 'atif', codes },
});
writeCases(
  'atif/road.json',
  'atif-export 3: documents through the whole road; exit status, kind, and the codes that are reported.',
  [
    road('keeps: members that are declared', child('x'), 0),
    road('breaks: a member that is not declared', child('x', { mood: 1 }), 1, 'atif/schema', 'atif/undeclared-member'),
    road('keeps: as deep as is read', nested(100), 0),
    road('breaks: deeper than is read', nested(101), 4, 'atif/embedding-depth', 'claim/undecided'),
  ],
);
