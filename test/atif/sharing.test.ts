/** What branches add to a step that they share stays their own. */
import { describe, expect, it } from 'vitest';
import type { AtifDocument } from '../../src/atif/document.ts';
import { toAtif } from '../../src/atif/export.ts';
import { at, isTrajectory, trajectories } from '../../src/atif/trajectory.ts';
import { documentText } from '../../src/atif/write.ts';
import { type Body, Draft, functionCall, functionOutput, message } from '../session/draft.ts';
import { read } from '../session/load.ts';

/** Records below a call that every branch shares. */
const BRANCHES: Readonly<Record<string, (call: string) => readonly (readonly [type: string, body: Body])[]>> = {
  'a hand-off': (target) => [['dispatch', { call_id: 'c1', target }]],
  'a hand-off with a key': (target) => [['dispatch', { call_id: 'c1', target, idempotency_key: 'k' }]],
  'a decision': (target) => [['decision', { call_id: 'c1', target, verdict: 'hold' }]],
  'an output': () => [['item', { item: functionOutput('c1', 'seen') }]],
  'a failed output': () => [['item', { item: functionOutput('c1', 'seen'), failed: true }]],
  'the end of the run': () => [['run', { run_id: 'r', phase: 'end', reason: 'done', pending: [] }]],
  'another end of the run': () => [['run', { run_id: 'r', phase: 'end', reason: 'error', pending: ['c1'] }]],
  'an outcome': (target) => [['outcome', { kind: 'eval', score: 1, target }]],
  'a subagent': () => [['link', { rel: 'subsession', session: 's', call_id: 'c1' }]],
  'an omitted call': (target) => [['config', { omit: { items: [target] } }]],
  nothing: () => [['label', { target: null, label: 'x' }]],
};

const draft = new Draft();
draft.add('config', { model: 'lum-1' });
draft.add('run', { run_id: 'r', phase: 'start', source: 'input' });
draft.item(message('x'));
const call = draft.item(functionCall('c1'), { response: 'p' });
const fork = draft.add('response', { response_id: 'p', status: 'completed' });
for (const records of Object.values(BRANCHES)) {
  let parent = fork;
  for (const [type, body] of [...records(call), ['item', { item: message('and') }] as const])
    parent = draft.add(type, body, parent);
}

describe('a step that branches share', async () => {
  const session = read(draft.bytes());
  const options = {};
  const made: AtifDocument[] = [];
  for (const path of trajectories(session)) if (isTrajectory(path)) made.push(await toAtif(path, options));
  for (const path of trajectories(session)) if (isTrajectory(path)) made.push(await toAtif(path, options));

  it.each(Object.keys(BRANCHES))('holds %s of its own branch alone', async (name) => {
    const document = made[Object.keys(BRANCHES).indexOf(name)] as AtifDocument;
    const alone = at(session, document.trajectory_id as string);
    if (!isTrajectory(alone)) throw new Error(alone.message);
    expect(documentText(document)).toBe(documentText(await toAtif(alone, {})));
  });

  it('is one object where branches add nothing to it', async () => {
    const plain = new Draft();
    const trunk = plain.item(message('x'));
    for (const text of ['a', 'b']) plain.item(message(text), {}, trunk);
    const documents: AtifDocument[] = [];
    for (const path of trajectories(read(plain.bytes())))
      if (isTrajectory(path)) documents.push(await toAtif(path, options));
    expect(documents[0]?.steps[0]).toBe(documents[1]?.steps[0]);
    expect(documents[0]?.steps[1]).not.toEqual(documents[1]?.steps[1]);
  });
});
