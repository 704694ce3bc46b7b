import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8 } from '../../../src/bytes/encoding.ts';
import { memorySource } from '../../../src/bytes/source.ts';
import { canonicalOfTree } from '../../../src/json/canonical.ts';
import type { JsonObject } from '../../../src/json/tree.ts';
import {
  compactFrom,
  compactKeeping,
  contextAtLeaf,
  endRun,
  hashOfRequest,
  openRun,
  recordResponse,
  startRun,
  summarizeBranch,
} from '../../../src/session/write/build.ts';
import { continueSession, createSession, createSubsession, fork } from '../../../src/session/write/create.ts';
import { configDelta, configFromRequest, type WantedSettings } from '../../../src/session/write/deltas.ts';
import { draft, draftOfLine } from '../../../src/session/write/draft.ts';
import { SessionError } from '../../../src/session/write/error.ts';
import { LiveSession } from '../../../src/session/write/live.ts';
import { uuidV7 } from '../../../src/session/write/uuid.ts';
import { type JsonValue, objectOfValue } from '../../../src/session/write/value.ts';
import { Draft, functionCall, message } from '../draft.ts';
import { faults, linesOf } from './program.ts';

const DEMO = readFileSync(new URL('../demo.jsonl', import.meta.url));
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const user = (said: string): JsonValue => message(said) as JsonValue;

function code(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof SessionError) return error.code;
    throw error;
  }
  return 'nothing was refused';
}

describe('a session that is written', () => {
  it('is the worked session, byte for byte, when its lines are appended one by one', () => {
    const [header = '', ...lines] = text(DEMO).trim().split('\n');
    const session = LiveSession.start(utf8(header));
    for (const line of lines) expect(session.append(draftOfLine(utf8(line))).outcome).toBe('continued');
    expect(text(linesOf(session))).toBe(text(DEMO));
    expect(session.append(draftOfLine(utf8(lines[4] as string))).outcome).toBe('held');
    expect(session.size).toBe(lines.length);
  });

  it('takes a draft as it stood, whatever becomes of the bytes that it was read from', () => {
    const said = (line: string): Buffer => Buffer.from(`{"type":"custom","ns":"x","data":{"a":"${line}"},"n":1.00}`);
    const sent = [said('one'), Buffer.concat([said('two').subarray(0, 40), Buffer.of(0xff), said('two').subarray(40)])];
    const drafts = sent.map((bytes) => draftOfLine(bytes));
    const again = sent.map((bytes) => draftOfLine(new Uint8Array(bytes)));
    for (const bytes of sent) bytes.fill(0x20);
    const lines = [drafts, again].map((all) => {
      const session = createSession({ id: uuidV7(1), createdAt: '2026-10-02T12:00:00Z' });
      for (const each of all) session.append({ ...each, ts: '2026-10-02T12:00:00Z' });
      return text(linesOf(session)).split('\n').slice(1).join('\n');
    });
    expect(lines[0]).toBe(lines[1]);
    expect(lines[0]).toContain('"a":"one"');
  });

  it('gives the request hashes of the worked session before its responses are there', () => {
    const session = LiveSession.open(memorySource(DEMO));
    const at = (n: number): string => session.id(n);
    expect(session.requestHashFor('resp_1', at(4))).toBe(
      'sha256:6b131a1ddefd71f8b3e469892d84e99c35320cd10ed397b7302b8f9216a9f9c3',
    );
    expect(session.requestHashFor('resp_2', at(19))).toBe(
      'sha256:1a6d08444254913058c17d3a79edcb0bcde0f077e22921843ca08f6960305982',
    );
  });

  it('changes nothing when it refuses', () => {
    const session = LiveSession.open(memorySource(DEMO));
    const before = text(linesOf(session));
    const [leaf, size] = [session.leafId, session.size];
    expect(code(() => session.append(draft('item', { item: { type: 'function_call', call_id: 'call_1' } })))).toBe(
      'call_id_repeated',
    );
    expect(code(() => session.append(draft('response', { response_id: 'x', request_hash: 'sha256:0' })))).toBe(
      'hash_mismatch',
    );
    expect([session.leafId, session.size, text(linesOf(session))]).toEqual([leaf, size, before]);
    expect(session.append(draft('info', { name: 'on' })).outcome).toBe('continued');
    expect(faults(linesOf(session))).toEqual([]);
  });

  it('takes what is deep and what has the names of prototypes as data', () => {
    const session = createSession();
    const deep = `${'['.repeat(9_000)}${']'.repeat(9_000)}`;
    session.append(draftOfLine(utf8(`{"type":"custom","ns":"x","data":${deep}}`)));
    session.append(draftOfLine(utf8('{"type":"custom","ns":"x","data":{"__proto__":{"a":1},"constructor":2}}')));
    expect(text([...session.lines()].at(-1) as Uint8Array)).toContain('"__proto__":{"a":1}');
    expect(faults(linesOf(session))).toEqual([]);
    expect(
      code(() => session.append(draftOfLine(utf8(`{"type":"custom","ns":"x","data":${'['.repeat(10_001)}`)))),
    ).toBe('not_i_json');
  });

  it('stands at 0.14 when it is opened from an earlier minor, and gives the header to be kept first', () => {
    const made = new Draft({ format: 'agentsession/0.9' });
    made.item(message('one'));
    const session = LiveSession.open(memorySource(made.bytes()));
    expect([session.declaredFormat, session.header.format]).toEqual(['agentsession/0.9', 'agentsession/0.14']);
    expect(text(session.raisedLine ?? new Uint8Array())).toContain('"format":"agentsession/0.14"');
    expect(LiveSession.open(memorySource(DEMO)).raisedLine).toBeUndefined();
  });

  it('is not opened from a file that does not hold, by the condition of its first error', () => {
    const opened = (file: string) => code(() => LiveSession.open(memorySource(utf8(file))));
    const demo = text(DEMO);
    expect(opened('')).toBe('unsupported_format');
    expect(opened(demo.replace('Be brief', 'Be long'))).toBe('bad_id');
    expect(opened(demo.replace('agentsession/0.14', 'agentsession/0.15'))).toBe('unsupported_format');
    expect(opened(demo.slice(0, -40))).toBe('truncated_line');
    expect(opened(demo.replace('agentsession/0.14', 'agentsession/0.3'))).not.toBe('nothing was refused');
  });

  it('says of a condition what it also counts as', () => {
    expect(new SessionError('base_rule', '').is('no_entry')).toBe(true);
    expect(new SessionError('no_raise', '').is('unsupported_format')).toBe(true);
    expect(new SessionError('omit_divergence', '').is('hash_mismatch')).toBe(true);
    expect(new SessionError('no_entry', '').is('base_rule')).toBe(false);
  });

  it('moves its leaf in memory, and not to a leaf label', () => {
    const session = LiveSession.open(memorySource(DEMO));
    session.branch(session.id(2));
    expect(session.append(draft('info', { name: 'aside' })).outcome).toBe('continued');
    const marked = session.append(session.markLeaf());
    expect(marked.outcome).toBe('leaf_moved');
    expect(code(() => session.branch(marked.id))).toBe('head_target');
    expect(code(() => session.headLabel(session.leafId, marked.id))).toBe('head_target');
    expect(code(() => session.branch('sha256:none'))).toBe('no_entry');
    session.resetLeaf();
    expect(code(() => session.markLeaf())).toBe('no_entry');
    expect(session.append(draft('info', { name: 'first' })).entry.parent).toBeNull();
  });
});

describe('new sessions', () => {
  it('have UUIDv7 ids of their time', () => {
    const id = uuidV7(0x0123456789ab, new Uint8Array(10).fill(255));
    expect(id).toBe('01234567-89ab-7fff-bfff-ffffffffffff');
    expect(createSession().header.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('are refused with a header that would not read', () => {
    expect(code(() => createSession({ payload: 'anthropic/1' }))).toBe('unsupported_format');
    expect(code(() => createSession({ id: '' }))).toBe('bad_header');
    expect(code(() => createSession({ redactedFrom: { session: 's' } }))).toBe('redacted_from');
    expect(code(() => createSession({ id: 's', redacted: true, redactedFrom: { session: 's' } }))).toBe(
      'redacted_from',
    );
    expect(code(() => createSession({ extra: { redacted_from: { session: '' } } }))).toBe('redacted_from');
    expect(code(() => createSession({ extra: { format: 'agentsession/0.14' } }))).toBe('bad_header');
  });

  it('of a call name their parent and the call', () => {
    const parent = LiveSession.open(memorySource(DEMO));
    const { header } = createSubsession(parent, 'call_1');
    expect([header.id, header.parentSession, header.spawnedBy]).toEqual([
      '7ef239c2-6fcd-55ac-8d6e-a9f2e498c196',
      parent.header.id,
      'call_1',
    ]);
  });

  it('forked from a fork begin with its prefix, and hold nothing above the base', () => {
    const origin = LiveSession.open(memorySource(DEMO));
    const first = fork(origin, origin.id(5), { id: 'f1', records: origin.header.records });
    expect(code(() => first.append(draft('info', { name: 'x' }, { parent: first.id(2) })))).toBe('base_rule');
    expect(code(() => first.append(draft('info', { name: 'x' }, { parent: null })))).toBe('base_rule');
    first.append(draft('dispatch', { call_id: 'call_1', target: first.id(3) }));
    first.append(draft('item', { item: { type: 'function_call_output', call_id: 'call_1', output: '12 C' } }));
    const second = fork(first, first.id(6), { id: 'f2' });
    expect([second.size, second.leafId, second.header.parentSession]).toEqual([7, first.id(6), 'f1']);
    expect(faults(linesOf(second))).toEqual([]);
  });

  it('that continue another take up its settings, name and harness', () => {
    const old = LiveSession.open(memorySource(DEMO));
    old.append(draft('info', { name: 'Weather' }));
    const { successor, link } = continueSession(old, {}, user('So far.'));
    old.append(link);
    expect(old.successor).toBe(successor.header.id);
    expect(code(() => continueSession(old))).toBe('superseded');
    expect(successor.header.harness).toEqual(old.header.harness);
    expect(contextAtLeaf(successor).settings.instructions).toBe('You are a demo agent.\n\nBe brief.');
    expect(contextAtLeaf(successor).settings.omit.images).toEqual({ keep: 1, placeholder: '[image elided]' });
    expect(contextAtLeaf(successor).items).toHaveLength(1);
    expect(text(linesOf(successor))).toContain('"name":"Weather"');
    expect(faults(linesOf(successor))).toEqual([]);
  });
});

const REQUEST = {
  model: 'lum-2',
  instructions: 'Keep answers short.',
  reasoning: { effort: 'low', summary: null },
  text: {},
  temperature: 0.2,
  tool_choice: 'auto',
  stream: true,
  store: false,
  'acme:priority': 3,
  tools: [{ type: 'function', name: 'look', parameters: {} }],
};

describe('requests and responses', () => {
  it('a config made of a request rebuilds its hash', () => {
    const session = createSession();
    const request = objectOfValue({ ...REQUEST, input: [user('Turn on the lamp.')] });
    session.append({ type: 'config', body: configFromRequest(request) });
    session.append(draft('item', { item: user('Turn on the lamp.') }));
    expect(session.requestHashFor('r')).toBe(hashOfRequest(request));
    const entries = recordResponse(session, objectOfValue({ id: 'r', status: 'completed', output: [user('On.')] }), {
      request,
    });
    for (const each of entries) session.append(each);
    expect(faults(linesOf(session))).toEqual([]);
    const other = objectOfValue({ ...REQUEST, temperature: 0.3, input: [] });
    const lying = recordResponse(session, objectOfValue({ id: 'q', status: 'completed', output: [] }), {
      request: other,
    });
    expect(code(() => session.append(lying[0] ?? draft('info', {})))).toBe('hash_mismatch');
  });

  it('a response that is none is refused', () => {
    expect(code(() => recordResponse(createSession(), objectOfValue({ id: 'r' })))).toBe('bad_entry');
    expect(code(() => recordResponse(createSession(), objectOfValue({ id: 'r', output: [null] })))).toBe('bad_entry');
  });

  it('parts that are not the instructions of the request are refused', () => {
    const request = objectOfValue(REQUEST);
    expect(code(() => configFromRequest(request, [{ id: 'a', text: 'Other.' }]))).toBe('bad_entry');
    const parts = configFromRequest(request, [{ id: 'a', text: 'Keep answers short.' }]);
    expect(canonicalOfTree(parts)).toContain('"instructions_parts":[{"id":"a","text":"Keep answers short."}]');
  });
});

describe('runs and compactions', () => {
  it('an end says what its run leaves', () => {
    const session = createSession({ records: ['run', 'dispatch', 'decision'] });
    expect(code(() => endRun(session))).toBe('no_entry');
    session.append(startRun({ runId: 'r1', trigger: { kind: 'chat' } }));
    session.append(draft('item', { item: functionCall('c1') as JsonValue }));
    const target = session.leafId ?? '';
    session.append(draft('decision', { call_id: 'c1', target, verdict: 'hold' }));
    expect(openRun(session)?.runId).toBe('r1');
    const ended = session.append(endRun(session)).entry;
    expect(ended).toMatchObject({ reason: 'input_required', pending: ['c1'] });
    expect(openRun(session)).toBeUndefined();
  });

  it('a compaction keeps what it is told and carries the settings', () => {
    const session = createSession();
    session.append(draft('config', { model: 'm', instructions: 'x', replace: true }));
    for (const said of ['one', 'two', 'three']) session.append(draft('item', { item: user(said) }));
    session.append(compactKeeping(session, 1, user('before')));
    const { items, settings } = contextAtLeaf(session);
    expect([items.length, settings.model, settings.instructions]).toEqual([2, 'm', 'x']);
    expect(() => compactFrom(session, 0, user('again'))).toThrow(RangeError);
    expect(() => compactKeeping(session, 3, user('again'))).toThrow(RangeError);
    expect(code(() => summarizeBranch(session, 'sha256:none', user('x')))).toBe('no_entry');
    session.append(summarizeBranch(session, session.id(1), user('aside')));
    expect(faults(linesOf(session))).toEqual([]);
  });
});

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const partList = fc.uniqueArray(
  fc.record({ id, text: fc.constantFrom('', 'one', 'two'), source: fc.constantFrom('', 's') }),
  { selector: (part) => part.id, maxLength: 6 },
);
const omittedList = fc.uniqueArray(
  fc.record({ id, reason: fc.constantFrom('a reason of some length', 'another reason'), size: fc.nat(2) }),
  { selector: (part) => part.id, maxLength: 6 },
);
const tool = fc.record({ type: fc.constant('function'), name: id, description: fc.constantFrom('x', 'y') });
const wanted = fc.record({
  model: fc.constantFrom('m1', 'm2'),
  parts: partList,
  omitted: omittedList,
  reasoning: fc.constantFrom({}, { effort: 'low' }),
  text: fc.constantFrom({}, { verbosity: 'low' }),
  tools: fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 4 }),
  extra: fc.dictionary(id, fc.constantFrom<JsonValue>(0, [], false), { maxKeys: 3 }),
});

describe('deltas', () => {
  it('bring the settings in force to what is wanted, and are none when they are', () => {
    fc.assert(
      fc.property(fc.array(wanted, { minLength: 1, maxLength: 6 }), (steps) => {
        const session = createSession();
        for (const want of steps) {
          const body = configDelta(contextAtLeaf(session).settings, want as WantedSettings);
          if (body !== undefined) session.append({ type: 'config', body: body as JsonObject });
          const { settings } = contextAtLeaf(session);
          expect(settings.model).toBe(want.model);
          expect(settings.instructionsParts).toEqual(want.parts.map((part) => ({ unresolved: false, ...part })));
          expect(settings.instructionsOmitted.map(({ json }) => JSON.parse(json))).toEqual(want.omitted);
          expect(settings.tools.map(({ json }) => JSON.parse(json))).toEqual(want.tools);
          expect(Object.fromEntries([...settings.extra].map(([name, json]) => [name, JSON.parse(json)]))).toEqual(
            want.extra,
          );
          expect(settings.reasoning ?? '{}').toBe(JSON.stringify(want.reasoning));
          expect(configDelta(settings, want as WantedSettings)).toBeUndefined();
        }
        expect(faults(linesOf(session))).toEqual([]);
      }),
      { numRuns: process.env['AUDIT_FUZZ'] === undefined ? 150 : 10_000 },
    );
  });
});
