/**
 * Writes vectors/journal/rules.json: for each rule of journal 5.9, and for each way of reading badly, a journal that keeps it and one that
 * breaks only it. The answers stand here, written by hand; the library is only asked to write records.
 */
import { base64, concat, utf8 } from '../src/bytes/encoding.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import { transcriptDigest } from '../src/journal/digests.ts';
import { encodeMessage, encodeRecord } from '../src/journal/encode.ts';
import { attempts, HEADER_FORMAT, HEADER_NAME, names } from '../src/journal/names.ts';
import { encodePolicy } from '../src/journal/policy.ts';
import { EMPTY_RECORD, type JournalRecord, type Part } from '../src/journal/record.ts';
import { encodeTombstone } from '../src/journal/tombstone.ts';
import {
  endValue,
  jsonText,
  principalRecordValue,
  type StartInput,
  sessionFromValue,
  sessionStartValue,
  sessionTurnValue,
  startValue,
  waitValue,
} from '../src/journal/write-values.ts';
import { writeCases } from './place.ts';

const RUN = 'run-v';
const TIME = '2026-10-13T12:00:00.000Z';
const claimOf = (n: number) => String(n).repeat(32).slice(0, 32);

/** Records one after the other, salts made from their place. */
class Scene {
  readonly records: Uint8Array[] = [];
  run = RUN;

  add(given: Partial<JournalRecord> & { readonly name: string; readonly kind: string }): this {
    const salt = sha256(utf8(`rules salt ${this.records.length}`));
    return this.bytes(encodeRecord({ ...EMPTY_RECORD, salt, ...given }));
  }
  bytes(record: Uint8Array): this {
    this.records.push(record);
    return this;
  }
  header(format = HEADER_FORMAT): this {
    return this.add({ name: HEADER_NAME, kind: 'header', format });
  }
  start(more: Partial<StartInput> = {}): this {
    const result = startValue({ input: jsonText('Go.'), startedAt: TIME, ...more });
    return this.add({ name: 'run:start', kind: 'value', result });
  }
  principal(who: string): this {
    return this.add({ name: 'run:principal', kind: 'value', result: principalRecordValue({ onBehalfOf: who }) });
  }
  turn(n: number, ...calls: readonly string[]): this {
    const parts: Part[] = calls.map((id) => ({
      type: 'tool_use',
      id,
      name: 'pay',
      args: utf8('{"cents":5}'),
      signature: '',
    }));
    if (calls.length === 0) parts.push({ type: 'text', text: 'Done.' });
    return this.add({
      name: names.turn(n),
      kind: 'model',
      message: { role: 'assistant', parts },
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      finish: calls.length === 0 ? 'stop' : 'tool_use',
    });
  }
  attempt(id: string, number = 0, claim = number): this {
    const name = attempts.key(names.toolAttempt(id), number);
    return this.add({ name, kind: 'attempt', toolUseId: id, attemptedAt: 1_791_892_801_000n, claim: claimOf(claim) });
  }
  voided(id: string, number = 0, more: Partial<JournalRecord> = {}): this {
    const claim = claimOf(number);
    const name = attempts.notStarted(attempts.key(names.toolAttempt(id), number), claim);
    return this.add({ name, kind: 'not_started', toolUseId: id, claim, ...more });
  }
  result(id: string, more: Partial<JournalRecord> = {}): this {
    const safety = { readOnly: false, idempotent: false };
    return this.add({
      name: names.tool(id),
      kind: 'tool_result',
      toolUseId: id,
      result: jsonText('paid'),
      safety,
      ...more,
    });
  }
  injected(id: string): this {
    return this.result(id, { safety: undefined, recordedAt: TIME });
  }
  end(name = 'run:complete'): this {
    const result = name === 'run:complete' ? undefined : endValue('because');
    return this.add({ name, kind: 'value', result, recordedAt: TIME });
  }
  approve(id: string, approved = true): this {
    return this.add({ name: names.decision(id), kind: 'approval', toolUseId: id, approved, recordedAt: TIME });
  }
  note(id: string): this {
    const result = waitValue({ toolUseId: id, toolName: 'pay', single: true, recordedAt: TIME });
    return this.add({ name: names.pauseNote(id), kind: 'value', result });
  }
  tally(id: string, approved: number): this {
    const result = utf8(
      `{"need":2,"approvers":["a","b"],"approved":${approved},"denied":${2 - approved},"decision_format":"bide.approval.v3"}`,
    );
    return this.add({ name: names.tally(id), kind: 'value', result });
  }
  /** Puts a tombstone in place of a record. */
  redact(at: number): this {
    const leafHash = sha256(concat(utf8('\0bide.audit.journal-leaf.v1\0'), this.records[at] as Uint8Array));
    this.records[at] = encodeTombstone({ leafHash, atMs: 1_793_491_200_000n });
    return this;
  }
  /** Replaces text in a record's bytes. */
  edit(at: number, from: string, to: string): this {
    const text = new TextDecoder().decode(this.records[at]);
    if (!text.includes(from)) throw new Error(`${from} is not in record ${at}`);
    this.records[at] = utf8(text.replace(from, () => to));
    return this;
  }
  move(from: number, to: number): this {
    const [record] = this.records.splice(from, 1);
    this.records.splice(to, 0, record as Uint8Array);
    return this;
  }
  drop(at: number): this {
    this.records.splice(at, 1);
    return this;
  }
}

const SINGLE = encodePolicy({ single: true });
const QUORUM = encodePolicy({ need: 2, approvers: ['a', 'b'], excludePrincipal: false });
const LONG = 'x'.repeat(200);
const begun = () => new Scene().header().start();
/** Header, start, turn, attempt, result, turn, end: records 0 to 6. */
const paid = () => begun().turn(0, 'c1').attempt('c1').result('c1').turn(1).end();
const gated =
  (policy = SINGLE) =>
  (scene: Scene) =>
    scene.attempt('c1').result('c1', { approval: policy }).turn(1).end();
const saga = () => new Scene().header().start({ saga: true }).turn(0, 'c1').attempt('c1').result('c1').turn(1, 'c2');
const failed = (scene: Scene) => scene.attempt('c2').result('c2', { kind: 'saga_fail', result: jsonText('declined') });
const compensate = (scene: Scene) => scene.add({ name: names.compensation('c1'), kind: 'value' });
const step =
  (name: string, more: Partial<JournalRecord> = {}) =>
  (scene: Scene) =>
    scene.add({ name, kind: 'value', result: utf8('{"id":7}'), ...more });
const stepAttempt = (scene: Scene) =>
  scene.add({
    name: 'attempt:step:reserve',
    kind: 'attempt',
    toolUseId: 'reserve',
    attemptedAt: 1n,
    claim: claimOf(0),
  });
const stepVoid = (scene: Scene) =>
  scene.add({
    name: attempts.notStarted('attempt:step:reserve', claimOf(0)),
    kind: 'not_started',
    toolUseId: 'reserve',
    claim: claimOf(0),
  });

function session(digest?: string, second = 'turn/1'): Scene {
  const scene = new Scene();
  scene.run = 's1>@session';
  const answer = encodeMessage({ role: 'assistant', parts: [{ type: 'text', text: 'Hello.' }] });
  const value = (name: string, result: Uint8Array) => scene.add({ name, kind: 'value', result });
  scene.header();
  value('start/0', sessionStartValue('Hi', 's1>@turn/0', claimOf(1)));
  value('from/s1>@turn/0', sessionFromValue(0, ''));
  value('turn/0', sessionTurnValue('Hi', answer, 's1>@turn/0', claimOf(1)));
  value('start/1', sessionStartValue('Bye', 's1>@turn/1', claimOf(2)));
  value('from/s1>@turn/1', sessionFromValue(1, digest ?? transcriptDigest('', 's1>@turn/0', claimOf(1))));
  value(second, sessionTurnValue('Bye', answer, 's1>@turn/1', claimOf(2)));
  return scene;
}

interface Row {
  readonly name: string;
  readonly scene: Scene;
  readonly codes: readonly string[];
}
const rows: Row[] = [];
const keeps = (name: string, scene: Scene, ...codes: readonly string[]) =>
  rows.push({ name: `keeps: ${name}`, scene, codes });
const breaks = (name: string, scene: Scene, ...codes: readonly string[]) =>
  rows.push({ name: `breaks: ${name}`, scene, codes });

keeps('a plain run', paid());
// Reading
breaks('a record that is not JSON', paid().edit(4, '"result":"paid"', '"result":paid'), 'journal/record-not-json');
breaks(
  'a record nested past the limit',
  paid().edit(4, '"paid"', `${'['.repeat(10_001)}${']'.repeat(10_001)}`),
  'journal/record-not-json',
);
breaks('a member of another type', paid().edit(4, '"tool_use_id":"c1"', '"tool_use_id":1'), 'journal/record-malformed');
breaks('an unknown part', paid().edit(5, '"type":"text"', '"type":"song"'), 'journal/record-malformed');
breaks('a name twice', paid().edit(4, '"safety":{}', '"safety":{},"safety":{}'), 'journal/record-reads-two-ways');
breaks(
  'a name twice inside a result',
  paid().edit(4, '"paid"', '{"a":1,"\\u0061":2}'),
  'journal/record-reads-two-ways',
);
breaks(
  'a name in another case',
  paid().edit(4, '"safety":{}', '"safety":{},"\u212aind":"x"'),
  'journal/record-reads-two-ways',
);
breaks('half a surrogate pair in a text', paid().edit(5, 'Done.', '\\ud800'), 'journal/record-reads-two-ways');
keeps('half a surrogate pair in a result', paid().edit(4, '"paid"', '"\\ud800"'));
breaks(
  'bytes that are not UTF-8',
  (() => {
    const scene = paid();
    const bytes = scene.records[4] as Uint8Array;
    scene.records[4] = bytes.map((byte, i) => (i === bytes.indexOf(0x70, 60) ? 0xff : byte));
    return scene;
  })(),
  'journal/record-reads-two-ways',
);
breaks(
  'a record with the member of a tombstone',
  paid().edit(4, '"safety":{}', '"safety":{},"redacted":{}'),
  'journal/record-reads-two-ways',
);
keeps('a redacted value', step('note')(begun()).end().redact(2), 'journal/redacted');
breaks(
  'a tombstone with more in it',
  step('note')(begun()).end().redact(2).edit(2, '}}', '},"why":1}'),
  'journal/tombstone-malformed',
);
breaks(
  'a tombstone of a short hash',
  (() => {
    const scene = step('note')(begun()).end();
    scene.records[2] = utf8('{"redacted":{"leaf_hash":"abcd","at_ms":1}}');
    return scene;
  })(),
  'journal/tombstone-malformed',
);
breaks(
  'a redaction before the end',
  step('note')(begun()).redact(2),
  'journal/redacted',
  'journal/redacted-before-end',
);
// V1
breaks('V1: no header', paid().drop(0), 'journal/no-header');
breaks('V1: nothing at all', new Scene(), 'journal/no-header');
breaks('V1: a header that is redacted', paid().redact(0), 'journal/no-header');
breaks('V1: another format', new Scene().header('bide.journal.v1').start().end(), 'journal/format-unsupported');
breaks('V1: a second header', paid().header(), 'journal/name-repeated');
// V2
breaks('V2: a name twice', step('note')(step('note')(begun())), 'journal/name-repeated');
breaks('V2: no name', step('')(begun()), 'journal/name-empty');
// V3
breaks('V3: no salt', paid().edit(5, `,"salt":"${base64(sha256(utf8('rules salt 5')))}"`, ''), 'journal/salt-missing');
breaks('V3: a salt of 31 bytes', step('note', { salt: new Uint8Array(31).fill(1) })(begun()), 'journal/salt-missing');
breaks('V3: one salt twice', step('note', { salt: sha256(utf8('rules salt 1')) })(begun()), 'journal/salt-repeated');
// V4
keeps(
  'V4: a member of a newer version',
  paid().edit(4, ',"salt"', ',"added":{"x": [1]},"salt"'),
  'journal/unknown-member',
);
for (const [what, at, from, to] of [
  ['members in another order', 4, '"tool_use_id":"c1","result":"paid"', '"result":"paid","tool_use_id":"c1"'],
  ['white space', 4, '"safety":{}', '"safety": {}'],
  ['a solidus escaped', 5, 'Done.', 'Done\\/'],
  ['an HTML escape in a text', 5, 'Done.', '\\u003cDone'],
  ['a false flag', 4, '"safety":{}', '"is_error":false,"safety":{}'],
  ['a null member', 4, '"tool_use_id"', '"usage":null,"tool_use_id"'],
  ['a zero count', 5, '"input_tokens":1', '"input_tokens":1,"cache_read_tokens":0'],
  ['parts with another order', 5, '"text":"Done.","type":"text"', '"type":"text","text":"Done."'],
  ['white space inside a result', 4, '"paid"', '[1, 2]'],
  ['a separator unescaped in a result', 4, '"paid"', '"\u2028"'],
] as const) {
  breaks(`V4: ${what}`, paid().edit(at, from, to), 'journal/not-canonical');
}
keeps('V4: numbers keep their spelling', paid().edit(4, '"paid"', '[1.50,1e20,-0.0,9007199254740993]'));
keeps(
  'V4: an approver id in either spelling',
  gated(utf8('{"need":2,"approvers":["a","b\\u003c"]}'))(begun().turn(0, 'c1').tally('c1', 2)),
);
// V5
breaks(
  'V5: an end that is a signal',
  begun().turn(0).add({ name: 'run:complete', kind: 'signal', recordedAt: TIME }),
  'journal/kind-mismatch',
);
breaks(
  'V5: a step that is a header',
  begun().add({ name: 'note', kind: 'header', format: HEADER_FORMAT }),
  'journal/kind-mismatch',
);
breaks(
  'V5: an attempt of nothing known',
  begun().add({ name: 'attempt:other:x', kind: 'value' }),
  'journal/kind-mismatch',
);
// V6
breaks('V6: no start', paid().drop(1), 'journal/turn-before-start');
breaks('V6: a start after the first turn', new Scene().header().turn(0).start().end(), 'journal/turn-before-start');
breaks('V6: a turn left out', begun().turn(0).turn(2).end(), 'journal/turn-order');
breaks('V6: turns exchanged', begun().turn(1).turn(0).end(), 'journal/turn-order');
breaks(
  'V6: a start that is none',
  new Scene().header().add({ name: 'run:start', kind: 'value', result: utf8('[1]') }),
  'journal/start-unreadable',
);
breaks(
  '4.5: an id of a call twice',
  begun().turn(0, 'c1', 'c1').attempt('c1').result('c1').turn(1).end(),
  'journal/call-repeated',
);
// V7
breaks(
  'V7: an outcome without call',
  begun()
    .turn(0, 'c1')
    .attempt('c1')
    .result('c1')
    .turn(1)
    .result('c9', { safety: { readOnly: true, idempotent: false } })
    .end(),
  'journal/outcome-without-call',
);
breaks(
  'V7: an outcome before its call',
  begun()
    .result('c1', { safety: { readOnly: true, idempotent: false } })
    .turn(0, 'c1')
    .turn(1)
    .end(),
  'journal/outcome-without-call',
);
breaks(
  'V7: an outcome under the name of another call',
  begun().turn(0, 'c1', 'c2').attempt('c1').result('c1').attempt('c2').result('c2', { name: 'tool:c3' }).turn(1).end(),
  'journal/outcome-name',
);
breaks('V7: an attempt without call', begun().turn(0, 'c1').attempt('c9'), 'journal/attempt-without-call');
breaks(
  '5.1: asked again without the outcome',
  begun().turn(0, 'c1').attempt('c1').turn(1).end(),
  'journal/outcome-missing',
);
breaks('5.1: complete without the outcome', begun().turn(0, 'c1').attempt('c1').end(), 'journal/outcome-missing');
breaks(
  '2.1: a verdict in a header',
  new Scene().add({ name: HEADER_NAME, kind: 'header', format: HEADER_FORMAT, approved: true }).start(),
  'journal/member-foreign',
);
breaks(
  '2.1: a result in an attempt',
  begun()
    .turn(0, 'c1')
    .add({ name: 'attempt:tool:c1', kind: 'attempt', toolUseId: 'c1', claim: claimOf(0), result: utf8('1') }),
  'journal/member-foreign',
);
// V8
keeps(
  'V8: again after a void',
  begun().turn(0, 'c1').attempt('c1').voided('c1').attempt('c1', 1).result('c1').turn(1).end(),
);
keeps('V8: a resolution', begun().turn(0, 'c1').attempt('c1').attempt('c1', 1).injected('c1').turn(1).end());
breaks(
  'V8: a resolution that was not finished',
  begun().turn(0, 'c1').attempt('c1').attempt('c1', 1),
  'journal/resolution-unfinished',
);
breaks(
  'V8: again without a void',
  begun().turn(0, 'c1').attempt('c1').attempt('c1', 1).result('c1').turn(1).end(),
  'journal/attempt-unvoided',
);
breaks(
  'V8: an attempt left out',
  begun().turn(0, 'c1').attempt('c1').voided('c1').attempt('c1', 2).result('c1').turn(1).end(),
  'journal/attempt-gap',
);
// V9
breaks(
  'V9: a void of another claim',
  begun()
    .turn(0, 'c1')
    .attempt('c1')
    .voided('c1', 0, { claim: claimOf(7) }),
  'journal/void-forged',
);
keeps(
  'V9: a void whose marker was lost',
  begun().turn(0, 'c1').voided('c1').attempt('c1', 0, 5).result('c1').turn(1).end(),
);
// V10
breaks('V10: no claim', begun().turn(0, 'c1').result('c1').turn(1).end(), 'journal/effect-without-claim');
keeps(
  'V10: none needed when it is safe to run again',
  begun()
    .turn(0, 'c1')
    .result('c1', { safety: { readOnly: false, idempotent: true } })
    .turn(1)
    .end(),
);
breaks(
  'V10: only a void claim',
  begun().turn(0, 'c1').attempt('c1').voided('c1').result('c1').turn(1).end(),
  'journal/effect-without-claim',
);
breaks(
  'V10: voided after its outcome',
  begun().turn(0, 'c1').attempt('c1').result('c1').voided('c1').turn(1).end(),
  'journal/void-after-effect',
);
keeps('V10: a step under its claim', step('reserve')(stepAttempt(begun())).end());
breaks(
  'V10: a step voided after its outcome',
  stepVoid(step('reserve')(stepAttempt(begun()))).end(),
  'journal/void-after-effect',
);
// V11
keeps('V11: approved', gated()(begun().turn(0, 'c1').note('c1').approve('c1')));
breaks('V11: never approved', gated()(begun().turn(0, 'c1').note('c1')), 'journal/gate-bypassed');
breaks('V11: not even asked', gated()(begun().turn(0, 'c1')), 'journal/gate-bypassed');
breaks(
  'V11: approved afterwards',
  begun().turn(0, 'c1').note('c1').attempt('c1').result('c1', { approval: SINGLE }).approve('c1').turn(1).end(),
  'journal/gate-bypassed',
);
keeps(
  'V11: denied',
  begun()
    .turn(0, 'c1')
    .note('c1')
    .approve('c1', false)
    .result('c1', { approval: SINGLE, isError: true, result: jsonText('tool call denied by human') })
    .turn(1)
    .end(),
);
keeps(
  'V11: expired',
  begun()
    .turn(0, 'c1')
    .note('c1')
    .tally('c1', 0)
    .result('c1', { approval: QUORUM, isError: true, result: jsonText('tool call denied: the approval gate expired') })
    .turn(1)
    .end(),
);
breaks(
  'V11: denied and tried',
  begun().turn(0, 'c1').note('c1').approve('c1', false).attempt('c1'),
  'journal/attempt-after-denial',
  'journal/gate-bypassed',
);
keeps('V11: counted', gated(QUORUM)(begun().turn(0, 'c1').tally('c1', 2)));
keeps(
  'V11: counted, under an id that is too long to escape',
  begun().turn(0, LONG).tally(LONG, 2).attempt(LONG).result(LONG, { approval: QUORUM }).turn(1).end(),
);
breaks(
  'V11: counted after the call',
  begun().turn(0, 'c1').attempt('c1').tally('c1', 2).result('c1', { approval: QUORUM }).turn(1).end(),
  'journal/gate-bypassed',
);
breaks(
  'V11: an unsigned approval of a gate that counts',
  gated(QUORUM)(begun().turn(0, 'c1').approve('c1')),
  'journal/gate-bypassed',
);
// V12
keeps(
  'V12: refused by the filter',
  begun()
    .turn(0, 'c1')
    .result('c1', {
      safety: undefined,
      isError: true,
      result: jsonText('tool "pay" is not available in this run (its tool filter leaves it out)'),
    })
    .turn(1)
    .end(),
);
keeps('V12: recorded by hand', begun().turn(0, 'c1').attempt('c1').attempt('c1', 1).injected('c1').turn(1).end());
breaks(
  'V12: nothing explains it',
  begun().turn(0, 'c1').attempt('c1').result('c1', { safety: undefined }).turn(1).end(),
  'journal/outcome-unexplained',
);
// V13
const asked = (who: string) =>
  new Scene()
    .header()
    .principal(who)
    .start({ principal: { onBehalfOf: 'desk-7' } });
keeps('V13: one principal', asked('desk-7').turn(0).end());
breaks('V13: two principals', asked('desk-8').turn(0).end(), 'journal/principal-differs');
breaks('V13: a principal only in the start', asked('desk-7').turn(0).end().drop(1), 'journal/principal-missing');
breaks(
  'V13: a principal that does not read',
  asked('desk-7').turn(0).end().edit(1, '"on_behalf_of":"desk-7"', '"on_behalf_of":7'),
  'journal/principal-unreadable',
);
// V14
breaks('V14: a time without milliseconds', paid().edit(6, '12:00:00.000Z', '12:00:00Z'), 'journal/time-malformed');
// V15
keeps(
  'V15: late spend, decisions, signals and a second end',
  paid()
    .add({
      name: names.lateSpend(claimOf(3)),
      kind: 'value',
      discardedUsage: { inputTokens: 7, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    })
    .add({ name: names.signal('late'), kind: 'signal', result: utf8('1'), recordedAt: TIME })
    .end('run:cancelled'),
);
keeps(
  'V15: a call in flight when the run was cancelled',
  begun().turn(0, 'c1').attempt('c1').end('run:cancelled').result('c1'),
);
keeps('V15: a claim that saw the end', begun().turn(0, 'c1').end('run:aborted').attempt('c1').voided('c1'));
keeps(
  'V15: a resolution after the end',
  begun().turn(0, 'c1').attempt('c1').end('run:cancelled').attempt('c1', 1).injected('c1'),
);
breaks('V15: a turn after the end', paid().turn(2), 'journal/work-after-end');
breaks(
  'V15: an outcome after the end',
  begun().turn(0, 'c1').attempt('c1').end('run:aborted').result('c1'),
  'journal/work-after-end',
);
breaks('V15: a step after the end', step('late')(paid()), 'journal/record-after-end');
// V16
keeps('V16: compensated after a failure', compensate(failed(saga())).end('run:aborted'));
keeps(
  'V16: compensated after a request to cancel',
  compensate(saga().end('run:cancel-requested')).end('run:cancelled'),
);
breaks('V16: compensated without a reason', compensate(saga()), 'journal/compensation-unexplained');
breaks(
  'V16: compensated before the failure',
  failed(compensate(saga())).end('run:aborted'),
  'journal/compensation-unexplained',
);
breaks(
  'V16: compensated in a run that is no saga',
  compensate(begun().turn(0, 'c1').attempt('c1').result('c1')),
  'journal/compensation-unexplained',
);
// V17
keeps('V17: a session', session());
breaks('V17: another transcript', session('0'.repeat(64)), 'journal/session-digest');
breaks('V17: a turn left out', session(undefined, 'turn/2'), 'journal/session-turns');
// Redactions leave open what they may explain.
breaks(
  'a redacted turn may have made the call',
  begun().turn(0, 'c1').attempt('c1').result('c1').turn(1).end().redact(2),
  'journal/attempt-without-call',
  'journal/outcome-without-call',
  'journal/redacted',
  'journal/turn-order',
);

const cases = rows.map(({ name, scene, codes }) => ({
  name,
  op: 'journal/codes',
  params: { run: scene.run, records: scene.records.map((bytes) => ({ data_b64: base64(bytes) })) },
  answer: [...codes].sort(),
}));
const named = {
  name: 'breaks: V2: a record kept under another name',
  op: 'journal/codes',
  params: {
    run: RUN,
    records: paid().records.map((bytes, i) => ({
      data_b64: base64(bytes),
      name: i === 6 ? 'run:aborted' : (JSON.parse(new TextDecoder().decode(bytes)) as { name: string }).name,
    })),
  },
  answer: ['journal/name-mismatch'],
};

const exported = (name: string, text: string, code: string) => ({
  name,
  op: 'journal/judge-export',
  params: { export_b64: base64(utf8(text)) },
  answer: { readable: false, codes: [code] },
});
const header = base64(begun().records[0] as Uint8Array);
const FORMAT = '"format":"bide.audit.journal-export.v1"';
const exports = [
  exported(
    'breaks: an export of another version',
    `{"format":"bide.audit.journal-export.v2","run_id":"r","records":["${header}"]}`,
    'journal/export-format',
  ),
  exported('breaks: an export without format', `{"run_id":"r","records":["${header}"]}`, 'journal/export-format'),
  exported('breaks: a bare list of records', `["${header}"]`, 'journal/export-malformed'),
  exported(
    'breaks: an unknown member of the export',
    `{${FORMAT},"run_id":"r","records":["${header}"],"more":1}`,
    'journal/export-malformed',
  ),
  exported(
    'breaks: a run twice',
    `{${FORMAT},"run_id":"r","run_id":"s","records":["${header}"]}`,
    'journal/export-malformed',
  ),
  exported(
    'breaks: a record in base64 without padding',
    `{${FORMAT},"run_id":"r","records":["${header.replace(/=+$/, '')}x"]}`,
    'journal/export-malformed',
  ),
  exported('breaks: an export cut off', `{${FORMAT},"run_id":"r","records":["${header}"`, 'journal/export-malformed'),
  exported('breaks: an export without records', `{${FORMAT},"run_id":"r","records":[]}`, 'journal/no-header'),
];

const about =
  'Journals that keep and journals that break one rule each (journal 5.9, audit spec 1.2, 1.3, 4.3): the codes that are found, sorted. Records are stored bytes in base64.';
writeCases('journal/rules.json', about, [...cases, named, ...exports]);
