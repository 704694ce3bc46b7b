import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyRecords } from '../../src/session/records.ts';
import type { Session } from '../../src/session/session.ts';
import { answer, type Body, Draft, functionCall, functionOutput, message } from './draft.ts';
import { checkWhileReading } from './load.ts';

type Step = readonly [what: number, a: number, b: number];

/** Plays steps of a harness that keeps no rule: runs, calls, decisions, hand-offs, outputs and links in any order and on any branch. */
function play(steps: readonly Step[], promises: boolean, fork: boolean): Draft {
  const prefix = new Draft();
  let at: string | null = prefix.add('config', { model: 'm' });
  at = prefix.item(functionCall('call_p'), { response: 'resp_p' }, at);
  const draft = new Draft({
    ...(promises ? { records: ['run', 'dispatch', 'decision'] } : {}),
    ...(fork ? { base: at } : {}),
  });
  for (const { type, body } of prefix.entries) draft.add(type, body);
  const calls: { id: string; callId: string }[] = [{ id: at, callId: 'call_p' }];
  const links: { id: string; callId: string; rel: string }[] = [];
  let runs = 0;
  let responses = 0;
  const add = (type: string, body: Body): string => {
    at = draft.add(type, body, at);
    return at;
  };
  for (const [what, a, b] of steps) {
    const call = calls[a % calls.length] as { id: string; callId: string };
    const callId = b % 13 === 0 || call.callId === '' ? 'call_other' : call.callId;
    switch (what) {
      case 0:
        runs++;
        add('run', { run_id: `run-${runs}`, phase: 'start', source: b % 2 === 0 ? 'input' : 'resume' });
        break;
      case 1: {
        const reason = ['done', 'stopped', 'interrupted', 'input_required', 'aborted', 'error'][a % 6] as string;
        const pending = b % 3 === 0 ? [] : [call.callId];
        add('run', { run_id: `run-${b % 5 === 0 ? 1 : runs}`, phase: 'end', reason, pending });
        break;
      }
      case 2:
      case 3: {
        const made = b % 11 === 0 ? '' : b % 17 === 0 ? 'call_1' : `call_${calls.length}`;
        const id = add('item', { item: functionCall(made), ...(b % 3 === 0 ? {} : { response: `resp_${responses}` }) });
        calls.push({ id, callId: made });
        break;
      }
      case 4:
      case 5:
        add('item', { item: functionOutput(callId) });
        break;
      case 6:
      case 7:
        add('dispatch', { call_id: callId, target: b % 19 === 0 ? (at ?? '') : call.id });
        break;
      case 8:
      case 9: {
        const verdict = ['proceed', 'reject', 'hold', 'answer'][b % 4] as string;
        add('decision', { call_id: callId, target: call.id, verdict, reason: 'why' });
        break;
      }
      case 10:
        add('decision', { call_id: callId, target: call.id, verdict: 'reject', reason: 'why', withdrawn: true });
        break;
      case 11:
        add('response', {
          response_id: b % 5 === 0 ? '' : `resp_${responses}`,
          ...(a % 4 === 0 ? { error: { code: 'x' } } : {}),
          ...(a % 5 === 0 ? { incomplete: { reason: 'max_output_tokens' } } : {}),
        });
        if (b % 2 === 0) responses++;
        break;
      case 12: {
        const rel = a % 2 === 0 ? 'peer' : 'subsession';
        const id = add('link', {
          rel,
          session: '',
          url: 'https://peer.example',
          ...(b % 4 === 0 ? {} : { call_id: callId }),
        });
        links.push({ id, callId, rel });
        break;
      }
      case 13: {
        const link = links[a % Math.max(1, links.length)];
        if (link === undefined) break;
        add('link', {
          rel: b % 4 === 0 ? 'peer' : link.rel,
          session: '',
          call_id: link.callId,
          cancel: 'sent',
          target: link.id,
        });
        break;
      }
      case 14:
        add('item', { item: message('late'), from_link: links[a % Math.max(1, links.length)]?.id ?? 'nothing' });
        break;
      case 15:
        add('item', { item: answer(`msg_${a}`, 'x'), response: `resp_${responses}` });
        break;
      case 16:
        add('info', { name: 'n' });
        break;
      default: {
        const own = fork ? draft.entries.slice(1) : draft.entries;
        at = (own[(a * 41 + b) % own.length] as { id: string }).id;
      }
    }
  }
  return draft;
}

const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 17 }), fc.nat(40), fc.nat(40)), {
  minLength: 1,
  maxLength: 60,
});

/** What `verifyRecords` says of every leaf, each problem once. */
function ofLeaves(session: Session): readonly string[] {
  const found = new Set<string>();
  for (let index = 0; index < session.size; index++) {
    if (!session.isLeaf(index)) continue;
    for (const { code, entry, actual = '' } of verifyRecords(session, index))
      found.add(`session/${code} ${session.line(entry)} ${actual}`);
  }
  return [...found].sort();
}

describe('the records of a session', () => {
  it('are judged alike by one walk over the tree and by the rules over each path alone', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(steps, fc.boolean(), fc.boolean(), (played, promises, fork) => {
        const { session, checks } = checkWhileReading(play(played, promises, fork).bytes());
        const walked = checks.recordFindings.map(({ code, where, actual = '' }) => `${code} ${where.line} ${actual}`);
        for (const { code } of checks.recordFindings) seen.add(code);
        expect([...new Set(walked)].sort()).toEqual(ofLeaves(session));
        expect(new Set(walked).size).toBe(walked.length);
      }),
      { numRuns: 500 },
    );
    expect([...seen].sort()).toEqual([
      'session/answer-not-dispatched',
      'session/bad-from-link',
      'session/bad-target',
      'session/call-answered',
      'session/call-completed',
      'session/call-id-empty',
      'session/call-id-repeated',
      'session/call-rejected',
      'session/callee-link',
      'session/reason-mismatch',
      'session/record-missing',
      'session/reject-dispatched',
      'session/source-mismatch',
    ]);
  });

  it('let a withdrawal follow the dispatch of its own path, whatever another branch handed over', () => {
    const draft = new Draft({ records: ['dispatch'] });
    const call = draft.item(functionCall('call_1'));
    const first = draft.add('dispatch', { call_id: 'call_1', target: call });
    draft.add('dispatch', { call_id: 'call_1', target: call });
    const body = { call_id: 'call_1', target: call, verdict: 'reject', reason: 'not handed over', withdrawn: true };
    const withdrawal = draft.add('decision', body, first);
    draft.item(functionOutput('call_1'), {}, withdrawal);
    const { checks } = checkWhileReading(draft.bytes());
    expect(checks.recordFindings.map(({ code, where }) => `${code} ${where.line}`)).toEqual([
      'session/record-missing 6',
    ]);
  });

  it('cost what their lines cost where every path lacks many', () => {
    const draft = new Draft({ records: ['dispatch'] });
    for (let i = 0; i < 4000; i++) {
      draft.item(functionCall(`call_${i}`));
      draft.item(functionOutput(`call_${i}`));
    }
    const trunk = draft.tip;
    for (let i = 0; i < 8000; i++) draft.add('info', { name: 'n' }, trunk);
    const start = performance.now();
    const { checks } = checkWhileReading(draft.bytes());
    expect(checks.recordFaults).toBe(4000);
    expect(checks.recordFindings).toHaveLength(1001);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
