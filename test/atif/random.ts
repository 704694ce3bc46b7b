/** Random sessions for properties: every entry type, branches, folds, omitted and replaced items, calls with and without outputs. */
import fc from 'fast-check';
import {
  answer,
  type Body,
  Draft,
  functionCall,
  functionOutput,
  message,
  reasoning,
  type Value,
} from '../session/draft.ts';

/** One thing that happens, with numbers that choose among what there is. */
interface Act {
  readonly kind: number;
  readonly a: number;
  readonly b: number;
}

const IMAGES = [
  'data:image/png;base64,iVBORw0KGgo=',
  'https://x.example/a.gif?b=1',
  'sidecar:ab',
  'data:image/svg+xml,<svg/>',
];
const WORDS = ['', 'one', 'secret', 'Zürich 🌙', '/home/ana/x'];
const MODELS = ['lum-1', 'lum-2'];
const usage = (n: number): Body => ({
  input_tokens: n,
  output_tokens: 1,
  total_tokens: n + 1,
  input_tokens_details: { cached_tokens: n % 3 },
  output_tokens_details: { reasoning_tokens: n % 2 },
});

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

/** Extra members now and then: undeclared ones, and the mark of a redacted entry. */
function more(n: number): Body {
  if (n % 5 === 0) return { note: pick(WORDS, n), __proto__x: n };
  return n % 7 === 0 ? { redacted: [1, [3, 5]] } : {};
}

class Story {
  readonly draft = new Draft({ records: ['run', 'dispatch', 'decision'], cwd: '/home/ana/x' });
  #count = 0;
  /** Calls without an output, by the leaf they were made on. */
  readonly #open: string[] = [];

  act({ kind, a, b }: Act): void {
    const { draft } = this;
    const n = this.#count++;
    // Now and then the story goes on from an earlier entry.
    const parent = b % 6 === 0 && draft.entries.length > 0 ? pick(draft.entries.slice(-8), a).id : draft.tip;
    const on = parent === null ? [] : draft.path(parent);
    const items = on.filter(({ type }) => type === 'item').map(({ id }) => id);
    switch (kind % 18) {
      case 0: {
        const omit: Body[] = [
          ...(items.length > 0 ? [{ items: items.slice(0, 1 + (a % 2)) }] : []),
          { reasoning: 'other_models' },
          { outputs: { text: 'gone', items: items.slice(-2) } },
          { images: { keep: a % 3, placeholder: 'an image' } },
          {},
        ];
        draft.add('config', { model: pick(MODELS, a), omit: pick(omit, b), ...more(a) }, parent);
        return;
      }
      case 1: {
        const tool = { type: 'function', name: pick(['look', 'say'], a), description: '', parameters: null };
        const changes = b % 2 === 0 ? { tools_added: [tool] } : { tools_removed: [tool.name] };
        draft.add('config', { ...changes, reasoning: { effort: pick(['low', 'high'], b), summary: null } }, parent);
        return;
      }
      case 2:
      case 3:
        draft.item(
          message(pick(WORDS, a), ...(b % 3 === 0 ? [pick(IMAGES, a), pick(IMAGES, b)] : [])),
          more(b),
          parent,
        );
        return;
      case 4:
        draft.item(
          { type: 'message', role: 'developer', content: [{ type: 'input_text', text: pick(WORDS, a) }] },
          {},
          parent,
        );
        return;
      case 5:
      case 6:
      case 7:
        this.#turn(n, a, b, parent);
        return;
      case 8:
      case 9:
        this.#output(a, b, parent);
        return;
      case 10:
        if (items.length > 0)
          draft.add(
            'compaction',
            {
              first_kept: pick(on, a).id,
              summary: b % 4 === 0 ? { type: 'compaction', encrypted_content: 'eA==' } : message(`sum ${n}`),
              ...(b % 3 === 0 ? { pinned: [message('pinned')] } : {}),
              config: { model: pick(MODELS, a) },
              usage: usage(a),
            },
            parent,
          );
        return;
      case 11:
        draft.add(
          'branch_summary',
          {
            from: pick(draft.entries, a)?.id ?? 'none',
            summary: message(`branch ${n}`, ...(b % 2 ? [pick(IMAGES, a)] : [])),
          },
          parent,
        );
        return;
      case 12:
        draft.add(
          'run',
          a % 2 === 0
            ? { run_id: `run-${n % 2}`, phase: 'start', source: 'input', ref: 'r' }
            : { run_id: `run-${n % 2}`, phase: 'end', reason: 'done', pending: [] },
          parent,
        );
        return;
      case 13: {
        const call = pick(this.#open.slice(-2), a) ?? 'none';
        const target = pick(draft.entries, b)?.id ?? 'none';
        if (a % 2 === 0) draft.add('dispatch', { call_id: call, target, idempotency_key: 'k' }, parent);
        else
          draft.add(
            'decision',
            { call_id: call, target, verdict: 'reject', reason: 'no', by: 'policy', withdrawn: b % 2 === 0 },
            parent,
          );
        return;
      }
      case 14:
        draft.add('custom', { ns: 'x:y', data: b % 2 === 0 ? { usage: usage(a), attempts: 2 } : [1, null] }, parent);
        return;
      case 15:
        draft.add(
          'outcome',
          { kind: 'eval', score: a / 4, pass: true, target: pick(draft.entries, b)?.id ?? null },
          parent,
        );
        return;
      case 16: {
        const rest: readonly (readonly [string, Body])[] = [
          ['env', { cwd: '/home/ana/x', workspace: { kind: 'local' } }],
          ['info', { name: pick(WORDS, a) }],
          ['label', { target: pick(draft.entries, a)?.id ?? null, label: pick(['good', 'bad'], b) }],
          ['queued', { item: message('later'), mode: 'steer' }],
          ['x:note', { deep: [{ z: 1, a: pick(WORDS, a) }] }],
          [
            'link',
            {
              rel: pick(['subsession', 'peer', 'judged_by'], b),
              session: 'other',
              call_id: pick(this.#open, a) ?? 'none',
            },
          ],
        ];
        const [type, body] = pick(rest, a);
        draft.add(type, body, parent);
        return;
      }
      default:
        draft.item({ type: 'x:note', text: pick(WORDS, a), role: pick(['user', 'x'], b) }, { visible: false }, parent);
    }
  }

  #turn(n: number, a: number, b: number, parent: string | null): void {
    const { draft } = this;
    const id = `resp_${n}`;
    const own = { response: id };
    let at = parent;
    if (a % 2 === 0)
      at = draft.item({ ...reasoning(`rs_${n}`), summary: [{ type: 'summary_text', text: pick(WORDS, b) }] }, own, at);
    if (b % 3 !== 0) at = draft.item(answer(`msg_${n}`, pick(WORDS, a)), b % 4 === 0 ? {} : own, at);
    for (let i = 0; i < a % 3; i++) {
      const call = `call_${n}_${i}`;
      at = draft.item(functionCall(call, 'look', pick(['{"a":1}', '', 'null', '{"b":'], a + i)), own, at);
      this.#open.push(call);
    }
    if (b % 5 !== 0)
      draft.add(
        'response',
        { response_id: id, status: 'completed', model: pick(['', 'lum-2-x'], a), usage: usage(b) },
        at,
      );
  }

  #output(a: number, b: number, parent: string | null): void {
    const output: readonly Value[] = [
      '',
      'done',
      [
        { type: 'input_text', text: 'x' },
        { type: 'input_image', image_url: pick(IMAGES, b), detail: 'auto' },
      ],
    ];
    this.draft.item(
      functionOutput(pick(this.#open.slice(-3), a) ?? 'none', pick(output, b)),
      { failed: a % 2 === 0 },
      parent,
    );
  }
}

/** A session that begins with a config and a message. */
export const sessions: fc.Arbitrary<Draft> = fc
  .array(fc.record({ kind: fc.nat(17), a: fc.nat(30), b: fc.nat(30) }), { maxLength: 40 })
  .map((acts) => {
    const story = new Story();
    story.act({ kind: 1, a: 0, b: 0 });
    story.act({ kind: 2, a: 1, b: 1 });
    for (const act of acts) story.act(act);
    return story.draft;
  });
