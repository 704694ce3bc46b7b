/** The worked session of the format (session-format Appendix C) and what must come out of it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hex } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import {
  callArguments,
  callState,
  calls,
  decisions,
  dispatchedElsewhere,
  dispatches,
  hasFailed,
  idempotencyKey,
  sessionDispatches,
} from '../../src/session/calls.ts';
import { buildContext, requestContext } from '../../src/session/context.ts';
import { contextHash, ROOT_CONTEXT } from '../../src/session/contextHash.ts';
import { verifyRecords } from '../../src/session/records.ts';
import { requestHash, requestOf, verifyResponse } from '../../src/session/request.ts';
import { computeReason, computeSource, pendingOfRun, runs } from '../../src/session/runs.ts';
import { type EntryIndex, ROOT, type Session } from '../../src/session/session.ts';
import { showSession } from '../../src/session/show.ts';
import { type Body, Draft } from './draft.ts';
import { checkWhileReading, read } from './load.ts';

const TEXT = readFileSync(new URL('demo.jsonl', import.meta.url), 'utf8');
const LINES = TEXT.trimEnd().split('\n');
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

// Names of the appendix, in file order.
const NAMES = [
  'cfg',
  'run1',
  'u1',
  'c1',
  'c2',
  'r1',
  'd1',
  'w1',
  'd2',
  'o1',
  'h2',
  'e1',
  'run2',
  'j2',
  'o2',
  'e2',
  'run3',
  'u2',
  'omit',
  'm2',
  'r2',
  'e3',
];
const at = (name: string): EntryIndex => NAMES.indexOf(name);

const demo = read(bytes(TEXT));

/** The demo session with entries changed or left out and everything after them written anew. */
function rewritten(change: (name: string, body: Body) => Body | undefined): Session {
  const { type: _, ...header } = JSON.parse(LINES[0] as string) as { type: string };
  const draft = new Draft(header);
  const ids = new Map<string, string>();
  let parent: string | null = null;
  LINES.slice(1).forEach((line, index) => {
    const {
      id,
      type,
      parent: __,
      ts: ___,
      ...body
    } = JSON.parse(line, (_name, value: unknown) =>
      typeof value === 'string' ? (ids.get(value) ?? value) : value,
    ) as { id: string; type: string; parent: string | null; ts: string } & Body;
    const next = change(NAMES[index] as string, body as Body);
    if (next === undefined) return;
    parent = draft.add(type, next, parent);
    ids.set(id, parent);
  });
  return read(draft.bytes());
}

const firstProblem = (session: Session): string | undefined => verifyRecords(session, session.leaf)[0]?.code;

describe('the worked session', () => {
  it('is the one of the specification, byte for byte', () => {
    expect(hex(sha256(bytes(TEXT)))).toBe('e52b6badb3f44b735fa3c6aaa42f5a848aa99ac95bd26bc1a0bb7fa0c61edcb7');
  });

  it('resolves to its last entry, verifies and holds no problem', () => {
    expect(demo.leaf).toBe(at('e3'));
    expect(verifyResponse(demo, at('r1'))).toEqual({ outcome: 'verified' });
    expect(verifyResponse(demo, at('r2'))).toEqual({ outcome: 'verified' });
    expect(verifyRecords(demo, demo.leaf)).toEqual([]);
    const { checks } = checkWhileReading(bytes(TEXT));
    expect(checks.counts).toEqual({ responses: 2, verified: 2, absent: 0, failed: 0, unchecked: 0 });
    expect([...checks.recordFindings, ...checks.requestFindings, ...checks.notes]).toEqual([]);
  });

  it('has three runs, each as it is written', () => {
    expect(
      runs(demo, demo.path(demo.leaf)).map((run) => [
        run.runId,
        computeSource(demo, run),
        computeReason(demo, run),
        pendingOfRun(demo, run),
      ]),
    ).toEqual([
      ['run-1', 'input', 'input_required', ['call_2']],
      ['run-2', 'resume', 'stopped', []],
      ['run-3', 'input', 'done', []],
    ]);
  });

  it('has one call that failed after a withdrawn hand-off and one that was held and rejected', () => {
    const [first, second] = calls(demo, demo.path(demo.leaf));
    if (first === undefined || second === undefined) throw new Error('two calls');
    expect(dispatches(first)).toEqual([at('d2')]);
    expect(first.withdrawn).toEqual([{ dispatch: at('d1'), decision: at('w1') }]);
    expect(idempotencyKey(demo, first)).toBe('k-1');
    expect(first.output).toBe(at('o1'));
    expect(hasFailed(demo, first)).toBe(true);
    expect(callArguments(demo, first)).toBe('{"city":"Oslo"}');
    expect(decisions(second).map(({ entry, verdict }) => [entry, verdict])).toEqual([
      [at('h2'), 'hold'],
      [at('j2'), 'reject'],
    ]);
    expect(dispatches(second)).toEqual([]);
    expect(second.output).toBe(at('o2'));
  });

  it('sends the second request with an output and an image replaced', () => {
    const built = requestContext(demo, at('r2'));
    if (!built.ok) throw new Error('a context');
    expect(requestHash(requestOf(built.context))).toBe(
      'sha256:1a6d08444254913058c17d3a79edcb0bcde0f077e22921843ca08f6960305982',
    );
    const plain = requestContext(demo, at('r2'), false);
    if (!plain.ok) throw new Error('a context');
    expect(requestHash(requestOf(plain.context))).toBe(
      'sha256:9e81a3be6077727dde2faf6173b1dec459e01f45462f2cfa255d66fd82872f28',
    );
  });

  it('has a context of seven items at its end', () => {
    const built = buildContext(demo, demo.path(demo.leaf));
    if (!built.ok) throw new Error('a context');
    expect(built.context.settings.instructions).toBe('You are a demo agent.\n\nBe brief.');
    expect(built.context.items).toHaveLength(7);
    expect(built.context.replaced).toEqual([
      { entry: at('o1'), rule: 'outputs', images: 0 },
      { entry: at('u2'), rule: 'images', images: 1 },
    ]);
    expect(built.context.leftOut).toEqual([]);
  });

  it('has the context hashes of the specification', () => {
    expect(contextHash(demo, ROOT)).toBe(ROOT_CONTEXT);
    expect(ROOT_CONTEXT).toBe('sha256:74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
    const want: Readonly<Record<string, string>> = {
      cfg: 'f8121149a678a750266752f954b41e29429f21b921b5bb47b10f77e2a54e6f79',
      run1: 'f8121149a678a750266752f954b41e29429f21b921b5bb47b10f77e2a54e6f79',
      u1: 'e0519a18c9dd20c490750378464558e47477b0888aaff931b60800c8e2d00514',
      c1: '934f7759d2d0434037c16046c41361746d220bd8830fda91fff1b322e1c638a9',
      c2: 'ea9ad7fd59f703bf47df013f1e3eaaea774f88bd503068b52ca156004e3e6700',
      r1: 'ea9ad7fd59f703bf47df013f1e3eaaea774f88bd503068b52ca156004e3e6700',
      d1: 'ea9ad7fd59f703bf47df013f1e3eaaea774f88bd503068b52ca156004e3e6700',
    };
    for (const [name, hash] of Object.entries(want)) expect(contextHash(demo, at(name)), name).toBe(`sha256:${hash}`);
  });

  it.each([
    ['r1', 'never_started', 'never_started'],
    ['d1', 'in_flight', 'never_started'],
    ['w1', 'never_started', 'never_started'],
    ['d2', 'in_flight', 'never_started'],
    ['o1', 'completed', 'never_started'],
    ['h2', 'completed', 'held'],
    ['j2', 'completed', 'rejected'],
    ['o2', 'completed', 'completed'],
  ])('has its calls in the states of 8.4 where %s is the last line', (last, first, second) => {
    const states = (text: string): string[] => {
      const session = read(bytes(text));
      const path = session.path(session.leaf);
      const all = sessionDispatches(session);
      return calls(session, path).map((call) =>
        callState(session, call, dispatchedElsewhere(session, call, new Set(path), all)),
      );
    };
    const lines = LINES.slice(0, at(last) + 2);
    expect(states(`${lines.join('\n')}\n`)).toEqual([first, second]);
    // Nothing hashes the header: without its promise what never started is unknown.
    const unpromised = [(lines[0] as string).replace('"run","dispatch","decision"', '"run"'), ...lines.slice(1)];
    const unknown = (state: string): string => (state === 'never_started' ? 'unknown' : state);
    expect(states(`${unpromised.join('\n')}\n`)).toEqual([unknown(first), unknown(second)]);
  });

  it.each(['r1', 'w1'])('does not call a call never started at %s while the session goes on below', (name) => {
    const path = demo.path(at(name));
    const [call] = calls(demo, path);
    if (call === undefined) throw new Error('a call');
    const elsewhere = dispatchedElsewhere(demo, call, new Set(path), sessionDispatches(demo));
    expect(callState(demo, call, elsewhere)).toBe('unknown');
  });

  it('lacks a record when the second dispatch is taken out', () => {
    expect(firstProblem(rewritten((name, body) => (name === 'd2' ? undefined : body)))).toBe('record-missing');
  });
  it('has another source when run-2 is written as input', () => {
    const session = rewritten((name, body) => (name === 'run2' ? { ...body, source: 'input' } : body));
    expect(firstProblem(session)).toBe('source-mismatch');
  });
  it('has another end when run-1 names nothing as pending', () => {
    const session = rewritten((name, body) => (name === 'e1' ? { ...body, pending: [] } : body));
    expect(firstProblem(session)).toBe('reason-mismatch');
  });
  it('rejects plainly where a withdrawal follows no dispatch', () => {
    const session = rewritten((name, body) => (name === 'j2' ? { ...body, withdrawn: true } : body));
    const [, second] = calls(session, session.path(session.leaf));
    expect(second?.withdrawn).toEqual([]);
    expect(second && decisions(second).map(({ verdict }) => verdict)).toEqual(['hold', 'reject']);
  });
  it('may hold a call id once', () => {
    const session = rewritten((name, body) =>
      name === 'c2' ? { ...body, item: { ...(body['item'] as Body), call_id: 'call_1' } } : body,
    );
    expect(firstProblem(session)).toBe('call-id-repeated');
  });
  it('is the same session when nothing is changed', () => {
    expect(firstProblem(rewritten((_, body) => body))).toBeUndefined();
  });

  it('is shown with its calls, runs and what omit replaced', () => {
    const text = [...showSession(demo)].join('\n');
    for (const part of [
      'Session 01995b2a-0000-7000-8000-0000000000a1',
      'run run-1 ends (input_required, pending call_2)',
      '[outputs replaced]',
      '[images replaced]',
      'call_1  get_weather  completed, failed  dispatched 1, 1 withdrawn',
      'call_2  get_weather  completed  dispatched 0',
      'run-2  source as computed: resume  stopped (as computed: stopped)',
    ])
      expect(text).toContain(part);
    expect([...showSession(demo, { at: at('h2') })].join('\n')).toContain('call_2  get_weather  held');
  });
});
