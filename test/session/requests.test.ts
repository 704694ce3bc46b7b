import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSession } from '../../src/session/check.ts';
import { type ResponseVerdict, verifyResponse } from '../../src/session/request.ts';
import type { Session } from '../../src/session/session.ts';
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
} from './draft.ts';
import { checkWhileReading, read } from './load.ts';

const TOOL = (name: string): Body => ({ type: 'function', name, description: '', parameters: null });

/** One step of a writer: what it does and two numbers that say which. */
type Step = readonly [what: number, a: number, b: number];

/** Plays steps as a writer would, and says what each response must give. */
function play(
  steps: readonly Step[],
  inOrder: boolean,
): { draft: Draft; expected: Map<string, ResponseVerdict['outcome']> } {
  const draft = new Draft({}, inOrder);
  const expected = new Map<string, ResponseVerdict['outcome']>();
  let at: string | null = null;
  let responses = 0;
  let calls = 0;
  const add = (type: string, body: Body): void => {
    at = draft.add(type, body, at);
  };
  const onPath = (n: number): string => {
    const path = draft.path(at);
    return path[n % Math.max(1, path.length)]?.id ?? '';
  };
  for (const [what, a, b] of steps) {
    switch (what) {
      case 0:
        add('item', { item: message(`m${a}`, ...Array.from({ length: b % 3 }, (_, i) => `data:${a}-${i}`)) });
        break;
      case 1:
        add('item', { item: reasoning(`rs_${a}`), response: `resp_${responses}` });
        break;
      case 2:
        add('item', { item: answer(`msg_${a}`, `a${b}`), response: `resp_${responses}` });
        break;
      case 3:
        calls++;
        add('item', { item: functionCall(`call_${calls}`), response: `resp_${responses}` });
        break;
      case 4: {
        const images: Value[] = [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: `u${a}`, detail: 'low' },
        ];
        add('item', { item: functionOutput(`call_${calls}`, b % 2 === 0 ? `out ${a}` : images) });
        break;
      }
      case 5:
        add('config', { model: `m${a % 3}`, ...(b % 4 === 0 ? { replace: true } : {}) });
        break;
      case 6:
        add('config', { extra: { include: b % 3 === 0 ? null : [`x${b % 2}`], temperature: a / 8, 'acme:z': a % 2 } });
        break;
      case 7:
        add('config', { omit: { items: [onPath(a)], ...(b % 2 === 0 ? { reasoning: 'other_models' } : {}) } });
        break;
      case 8:
        add('config', { omit: { outputs: { text: `[gone ${b % 2}]`, items: [onPath(a), onPath(b)] } } });
        break;
      case 9:
        add('config', { omit: { images: { keep: a % 4, placeholder: `[image ${b % 2}]` } } });
        break;
      case 10:
        add('config', { omit: b % 3 === 0 ? {} : { images: { before: onPath(a), placeholder: '[old]' } } });
        break;
      case 11:
        add('config', {
          tools_added: [TOOL(`t${a % 3}`)],
          tools_removed: [`t${b % 3}`],
          reasoning: b % 2 === 0 ? {} : { effort: 'low', summary: null },
        });
        break;
      case 12: {
        const path = draft.path(at);
        if (path.length === 0) break;
        // Now and then a window that holds an earlier compaction.
        const config = {
          model: `m${b % 3}`,
          instructions: 'Folded.',
          ...(a % 3 === 0 ? { omit: { images: { keep: 1, placeholder: '[i]' } } } : {}),
        };
        add('compaction', {
          first_kept: onPath(a),
          summary: message('summary', 'data:s'),
          pinned: b % 2 === 0 ? [message('pin', 'data:p')] : [],
          config,
        });
        break;
      }
      case 13:
        if (at !== null) add('branch_summary', { from: onPath(a), summary: message(`branch ${b}`, 'data:b') });
        break;
      case 14: {
        // Jump to some entry: a branch.
        const target = draft.entries[a % Math.max(1, draft.entries.length)];
        if (target !== undefined) at = target.id;
        break;
      }
      case 15:
        add('info', { name: `n${a}` });
        break;
      default: {
        const responseId = b % 7 === 0 ? '' : `resp_${responses}`;
        responses++;
        const own = draft.path(at).filter(({ type, body }) => type === 'item' && body['response'] === responseId);
        const compaction = draft.path(at).findLast(({ type }) => type === 'compaction');
        // A window that begins with the response's own output names nothing: a case of its own, below.
        if (responseId !== '' && own.some(({ id }) => id === compaction?.body['first_kept'])) break;
        const right = draft.requestHash(at, responseId);
        const plain = draft.requestHash(at, responseId, false);
        const way = a % 6;
        const recorded = way === 0 ? plain : way === 1 ? hash('something else') : right;
        const id = draft.add(
          'response',
          { response_id: responseId, ...(way === 2 ? {} : { request_hash: recorded }) },
          at,
        );
        expected.set(
          id,
          way === 2 ? 'absent' : recorded === right ? 'verified' : way === 1 ? 'mismatch' : 'divergence',
        );
        at = id;
      }
    }
  }
  return { draft, expected };
}

const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.nat(40), fc.nat(40)), {
  minLength: 1,
  maxLength: 70,
});

function outcomes(session: Session, of: (index: number) => string | undefined): Map<string, string> {
  const found = new Map<string, string>();
  for (let index = 0; index < session.size; index++) {
    if (session.kind(index) === 'response') found.set(session.id(index), of(index) ?? 'unchecked');
  }
  return found;
}

describe('the request hash of a response', () => {
  it('is rebuilt by the walk, by the path alone and by plain objects with one result, whatever the tree', () => {
    fc.assert(
      fc.property(steps, fc.boolean(), (played, inOrder) => {
        const { draft, expected } = play(played, inOrder);
        const { session, checks } = checkWhileReading(draft.bytes());
        const want = Object.fromEntries(expected);
        expect(Object.fromEntries(outcomes(session, (index) => checks.verdicts.get(index)))).toEqual(want);
        expect(Object.fromEntries(outcomes(session, (index) => verifyResponse(session, index).outcome))).toEqual(want);
        expect(checkSession(session).counts).toEqual(checks.counts);
      }),
      { numRuns: 300 },
    );
  });

  it('cannot be rebuilt when the only entry that the window begins with is the own output of the response', () => {
    const draft = new Draft();
    draft.add('config', { model: 'm' });
    const own = draft.item(answer('msg_1', 'a'), { response: 'resp_1' });
    draft.add('compaction', { first_kept: own, summary: message('s'), config: { model: 'm' } });
    const response = draft.add('response', { response_id: 'resp_1', request_hash: hash('') });
    const { session, checks } = checkWhileReading(draft.bytes());
    expect(checks.verdicts.get(session.find(response) as number)).toBe('bad-context');
    expect(checks.requestFindings.map(({ code }) => code)).toEqual(['session/bad-context']);
  });

  it('is not checked below an entry that cannot be used, and is counted as that', () => {
    const draft = new Draft();
    draft.add('config', { model: 'm' });
    draft.item(message('hello'));
    draft.item(answer('msg_1', 'a'), { response: 'resp_1' });
    draft.response('resp_1');
    const broken = new TextEncoder().encode(draft.text().replace('hello', 'hullo'));
    const { checks } = checkWhileReading(broken);
    expect(checks.counts).toEqual({ responses: 1, verified: 0, absent: 0, failed: 0, unchecked: 1 });
    expect(checks.requestFindings).toEqual([]);
  });

  it('verifies on branches that are written in turns', () => {
    const draft = new Draft();
    const root = draft.add('config', { model: 'm', instructions: 'Be brief.' });
    const tips = [root, root, root];
    for (let round = 0; round < 12; round++) {
      const branch = round % 3;
      const said = draft.item(message(`round ${round}`), {}, tips[branch] as string);
      const replied = draft.item(answer(`msg_${round}`, 'yes'), { response: `resp_${round}` }, said);
      tips[branch] = draft.response(`resp_${round}`, {}, replied);
    }
    const { checks } = checkWhileReading(draft.bytes());
    expect(checks.counts).toMatchObject({ responses: 12, verified: 12 });
    expect(checks.leaves).toBe(3);
  });

  it('covers a request without items, which has no input member', () => {
    const draft = new Draft();
    draft.add('config', { model: 'm', extra: { previous_response_id: 'resp_0', store: true, input: 'as recorded' } });
    draft.response('resp_1');
    expect(hash('{"input":"as recorded","model":"m","store":false}')).toBe(draft.entries[1]?.body['request_hash']);
    expect(checkWhileReading(draft.bytes()).checks.counts.verified).toBe(1);
    expect(read(draft.bytes()).size).toBe(2);
  });

  it('holds the summaries of its own branch between the output of a response', () => {
    const draft = new Draft();
    draft.add('config', { model: 'm' });
    const out = draft.item(answer('msg_1', 'a'), { response: 'resp_1' });
    draft.add('branch_summary', { from: out, summary: message('one') });
    draft.response('resp_1');
    draft.add('branch_summary', { from: out, summary: message('two') }, out);
    draft.response('resp_1');
    draft.add('branch_summary', { from: out, summary: message('three') });
    draft.response('resp_1');
    expect(checkWhileReading(draft.bytes()).checks.counts).toMatchObject({ responses: 3, verified: 3 });
  });
});

describe('a file made to be slow', () => {
  const quick = (make: (draft: Draft) => void): void => {
    const draft = new Draft();
    make(draft);
    const start = performance.now();
    const { checks } = checkWhileReading(draft.bytes());
    expect(checks.counts.failed).toBe(checks.counts.responses);
    // Anything that grows with the square takes minutes here.
    expect(performance.now() - start).toBeLessThan(20_000);
  };

  it('with a compaction over everything on every line costs what its lines cost', () => {
    quick((draft) => {
      const first = draft.item(message('a'));
      for (let i = 0; i < 12_000; i++) {
        draft.item(message('b'));
        draft.add('compaction', { first_kept: first, summary: message('s'), config: {} });
      }
    });
  });
  it('with one response id on every item and response costs what its lines cost', () => {
    quick((draft) => {
      for (let i = 0; i < 12_000; i++) {
        draft.item(message('a'), { response: 'r' });
        draft.add('branch_summary', { from: '', summary: message('b') });
        draft.add('response', { response_id: 'r', request_hash: hash('x') });
      }
    });
  });
  it('with a fork at every entry costs what its lines cost', () => {
    quick((draft) => {
      let trunk = draft.add('config', { model: 'm' });
      for (let i = 0; i < 8_000; i++) {
        trunk = draft.item(message('a'), {}, trunk);
        draft.add('response', { response_id: 'r', request_hash: hash('x') }, trunk);
      }
    });
  });
});
