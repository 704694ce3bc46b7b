/**
 * Session files for measurements, made in memory: turns of a harness with runs, messages, tools, decisions and hand-offs, and a right
 * request hash on every response.
 */
import { hex, utf8 } from '../src/bytes/encoding.ts';
import { memorySource } from '../src/bytes/source.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import { readSession } from '../src/session/read.ts';
import { RequestTracker } from '../src/session/requests.ts';
import { Walk } from '../src/session/walk.ts';

export interface Shape {
  readonly turns: number;
  /** Two responses a turn with a tool call between them, or one answer. */
  readonly tools: boolean;
  /** Characters of a tool's output; messages are a part of it. */
  readonly size: number;
  /** Lines in canonical form, or in a writer's member order. */
  readonly canonical: boolean;
  /** The settings hold a member that sorts before `input`. */
  readonly include?: boolean;
  /** Every user message carries an image and only the last two are sent. */
  readonly images?: boolean;
  /** Turns are laid out on so many branches of equal length from one entry. */
  readonly branches?: number;
}

type Members = { readonly [name: string]: unknown };

const sha = (text: string): string => `sha256:${hex(sha256(utf8(text)))}`;

/** Text that looks like text: words, quotes, line ends, now and then a letter outside ASCII. */
function words(seed: number, length: number): string {
  const pool = [
    'the',
    'result',
    'of',
    '"query"',
    'was',
    'für',
    'alpha',
    '\n',
    'path/to/file.ts',
    '42',
    'and',
    'error:',
    'none',
  ];
  let text = '';
  for (let i = seed; text.length < length; i = (i * 1103515245 + 12345) & 0x7fffffff)
    text += `${pool[(i >> 8) % pool.length]} `;
  return text;
}

/** Makes the file. */
export function sessionFile(shape: Shape): Uint8Array {
  // The hashes are those that the checks rebuild: in the file that is measured all of them hold.
  const draft = write(shape, () => sha('unknown'));
  const rebuilt: string[] = [];
  let walk: Walk | undefined;
  readSession(memorySource(draft), {
    visit(index, entry, session) {
      walk ??= new Walk(
        (path) => [
          new RequestTracker(session, path, {
            response: (_, verdict) => rebuilt.push('rebuilt' in verdict ? verdict.rebuilt : ''),
            badLeaf: () => undefined,
            unresolvedOf: () => undefined,
          }),
        ],
        () => undefined,
      );
      walk.visit(index, entry, session);
    },
  });
  return write(shape, (response) => rebuilt[response] ?? '');
}

function write(shape: Shape, hashOf: (response: number) => string): Uint8Array {
  const lines: string[] = [];
  let tip: string | null = null;
  let at = Date.UTC(2026, 0, 1);
  let responses = 0;
  const line = (members: Members): string => (shape.canonical ? sorted(members) : JSON.stringify(members));
  const add = (type: string, body: Members): string => {
    at += 1000;
    const ts = new Date(at).toISOString().replace('.000', '');
    const content = sha(sorted(body));
    const id = sha(JSON.stringify({ content, parent: tip, ts, type }));
    const whole = { type, id, parent: tip, ts, ...body };
    lines.push(line(whole));
    tip = id;
    return id;
  };
  const header = {
    type: 'session',
    format: 'agentsession/0.14',
    id: '01995b2a-0000-7000-8000-0000000000d1',
    created_at: '2026-01-01T00:00:00Z',
    payload: 'openresponses/2026-04-24',
    records: ['run', 'dispatch', 'decision'],
  };
  lines.push(line(header));
  const root = add('config', {
    replace: true,
    model: 'gpt-5',
    instructions: words(7, 2000),
    tools_added: [
      {
        type: 'function',
        name: 'look',
        description: words(3, 300),
        parameters: { type: 'object', properties: {} },
        strict: true,
      },
    ],
    extra: { temperature: 0.2, ...(shape.include === true ? { include: ['reasoning.encrypted_content'] } : {}) },
    ...(shape.images === true ? { omit: { images: { keep: 2, placeholder: '[image]' } } } : {}),
  });
  const branches = shape.branches ?? 1;
  for (let turn = 0; turn < shape.turns; turn++) {
    if (turn % Math.ceil(shape.turns / branches) === 0) tip = root;
    const run = `run-${turn}`;
    if (shape.tools) add('run', { run_id: run, phase: 'start', source: 'input' });
    const image = { type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(400)}${turn}`, detail: 'auto' };
    add('item', {
      item: {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: words(turn + 1, shape.size / 10) },
          ...(shape.images === true ? [image] : []),
        ],
      },
    });
    const respond = (id: string): void => {
      const hash = hashOf(responses++);
      add('response', {
        response_id: id,
        model: 'gpt-5-2026',
        status: 'completed',
        request_hash: hash,
        latency_ms: 900,
      });
    };
    if (shape.tools) {
      const call = `call_${turn}`;
      const args = JSON.stringify({ query: words(turn, shape.size / 20) });
      const target = add('item', {
        item: {
          type: 'function_call',
          id: `fc_${turn}`,
          call_id: call,
          name: 'look',
          arguments: args,
          status: 'completed',
        },
        response: `resp_${turn}a`,
      });
      respond(`resp_${turn}a`);
      add('decision', { call_id: call, target, verdict: 'proceed', by: 'policy' });
      add('dispatch', { call_id: call, target, idempotency_key: `k-${turn}` });
      add('item', { item: { type: 'function_call_output', call_id: call, output: words(turn + 5, shape.size) } });
    }
    add('item', {
      item: {
        type: 'message',
        id: `msg_${turn}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: words(turn + 9, shape.size / 6), annotations: [] }],
      },
      response: `resp_${turn}`,
    });
    respond(`resp_${turn}`);
    if (shape.tools) add('run', { run_id: run, phase: 'end', reason: 'done', pending: [] });
  }
  return utf8(`${lines.join('\n')}\n`);
}

/** The canonical text of plain values whose member names are ASCII and no integers. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
