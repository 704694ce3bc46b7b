import { describe, expect, it } from 'vitest';
import { memorySource } from '../../src/bytes/source.ts';
import { callees, judges } from '../../src/session/callees.ts';
import { contextHash } from '../../src/session/contextHash.ts';
import { successors, verifyLinks } from '../../src/session/links.ts';
import { newestFirst, summarize } from '../../src/session/list.ts';
import { queued } from '../../src/session/queued.ts';
import type { VerifyContext } from '../../src/verify/kind.ts';
import { verifier } from '../../src/verify/session.ts';
import { sessionTimeline } from '../../src/verify/sessionTimeline.ts';
import { type Body, Draft, functionCall, functionOutput, hash, message } from './draft.ts';
import { checkWhileReading, read } from './load.ts';

const PARENT = '01995b2a-0000-7000-8000-0000000000c1';

function linked(more: Body = {}): Draft {
  const draft = new Draft();
  const call = draft.item(functionCall('call_1'));
  draft.add('link', { rel: 'subsession', session: 'child', call_id: 'call_1', ...more });
  draft.add('dispatch', { call_id: 'call_1', target: call });
  return draft;
}

describe('a link to a child session', () => {
  const check = (more: Body, ...headers: { id: string; parentSession?: string; spawnedBy?: string }[]) =>
    verifyLinks(read(linked(more).bytes()), () => headers);

  it('passes when the child names this session and its call', () => {
    expect(check({}, { id: 'child', parentSession: PARENT, spawnedBy: 'call_1' })).toMatchObject({
      checked: 1,
      findings: [],
    });
  });
  it('passes when the child is not given: it may never have started', () => {
    expect(check({})).toMatchObject({ links: 1, checked: 0, absent: ['child'], findings: [] });
  });
  it('fails when the child names another parent', () => {
    const { findings } = check({}, { id: 'child', parentSession: 'other', spawnedBy: 'call_1' });
    expect(findings).toMatchObject([
      { code: 'session/link-mismatch', expected: PARENT, actual: 'other', where: { line: 3 } },
    ]);
  });
  it('fails when the child names another call', () => {
    const { findings } = check({}, { id: 'child', parentSession: PARENT, spawnedBy: 'call_2' });
    expect(findings).toMatchObject([{ code: 'session/link-mismatch', expected: 'call_1', actual: 'call_2' }]);
  });
  it('fails when one of two files of that id disagrees', () => {
    const right = { id: 'child', parentSession: PARENT, spawnedBy: 'call_1' };
    expect(check({}, right, { id: 'child' }).findings).toHaveLength(1);
  });
  it('is not held against a file when the child is kept elsewhere', () => {
    expect(check({ url: 'https://peer.example' }, { id: 'child' })).toMatchObject({ links: 0, findings: [] });
  });

  it('is checked against the files that are verified beside it', async () => {
    const child = (spawned_by: string) => ({
      path: 'child.jsonl',
      source: memorySource(new Draft({ id: 'child', parent_session: PARENT, spawned_by }).bytes()),
    });
    const verify = async (spawnedBy: string) => {
      const context = { trust: { keys: [] }, siblings: [child(spawnedBy)], now: () => undefined };
      const input = { path: 'parent.jsonl', source: memorySource(linked().bytes()) };
      const { claims, findings } = await verifier.verify(input, context as unknown as VerifyContext);
      return [claims.find(({ claim }) => claim === 'links')?.verdict, findings.map(({ code }) => code)];
    };
    expect(await verify('call_1')).toEqual(['verified', []]);
    expect(await verify('call_9')).toEqual(['failed', ['session/link-mismatch']]);
  });
});

describe('a session that is continued', () => {
  it('has the successor that the last link names, and a second one is told', () => {
    const draft = new Draft();
    draft.add('info', { name: 'first' });
    draft.add('link', { rel: 'continued_in', session: 's-2' });
    expect(successors(read(draft.bytes()))).toMatchObject({ successor: 's-2', findings: [] });
    draft.add('link', { rel: 'continued_in', session: 's-2' });
    draft.add('link', { rel: 'continued_in', session: 's-3' });
    const { successor, findings } = successors(read(draft.bytes()));
    expect(successor).toBe('s-3');
    expect(findings).toMatchObject([{ code: 'session/superseded', class: 'none', expected: 's-2', actual: 's-3' }]);
  });
});

describe('queued inputs', () => {
  it('are open until an item drains them or a run ends', () => {
    const draft = new Draft();
    const later = (text: string): string => draft.add('queued', { item: message(text), mode: 'followup' });
    const first = later('one');
    const second = later('two');
    draft.item(message('one'), { queued_from: first });
    const session = read(draft.bytes());
    expect(queued(session, session.path(session.leaf))).toEqual([session.find(second)]);
    draft.add('run', { run_id: 'r', phase: 'end', reason: 'error', pending: [] });
    const third = later('three');
    const ended = read(draft.bytes());
    expect(queued(ended, ended.path(ended.leaf))).toEqual([ended.find(third)]);
  });
});

describe('the callees of a path', () => {
  const target = 'target';
  function reached(make: (draft: Draft, call: string) => void) {
    const draft = new Draft();
    make(draft, draft.item(functionCall('call_1')));
    const session = read(draft.bytes());
    const path = session.path(session.leaf);
    return {
      callees: callees(session, path).map(({ dispatch, ...rest }) => ({
        ...rest,
        dispatch: dispatch && session.line(dispatch),
      })),
      judges: judges(session, path),
    };
  }
  const link = (draft: Draft, more: Body = {}): string =>
    draft.add('link', { rel: 'subsession', session: 's', call_id: 'call_1', ...more });

  it('belong to the dispatch after the link, or before it where the callee has an address', () => {
    expect(
      reached((d, call) => {
        link(d);
        d.add('dispatch', { call_id: 'call_1', [target]: call });
        link(d, { rel: 'peer', session: '', url: 'https://peer.example' });
        d.item(functionOutput('call_1'));
      }).callees,
    ).toEqual([
      { link: 1, dispatch: 4, cancelled: false, answered: true },
      { link: 3, dispatch: 4, cancelled: false, answered: true },
    ]);
  });
  it('did not answer when the harness did, or when they were cancelled', () => {
    expect(
      reached((d, call) => {
        const first = link(d);
        d.add('dispatch', { call_id: 'call_1', [target]: call });
        link(d, { session: '', cancel: 'sent', target: first });
        d.item(functionOutput('call_1'));
      }).callees,
    ).toEqual([{ link: 1, dispatch: 4, cancelled: true, answered: false }]);
    expect(
      reached((d, call) => {
        link(d);
        d.add('dispatch', { call_id: 'call_1', [target]: call });
        d.add('decision', { call_id: 'call_1', [target]: call, verdict: 'answer' });
        d.item(functionOutput('call_1'));
      }).callees,
    ).toEqual([{ link: 1, dispatch: 4, cancelled: false, answered: false }]);
  });
  it('are none of the judges', () => {
    const { callees: found, judges: of } = reached((d, call) =>
      d.add('link', { rel: 'judged_by', session: 'j', target: call }),
    );
    expect(found).toEqual([]);
    expect(of).toEqual([1]);
  });
});

describe('the context hash', () => {
  const at = (draft: Draft): string => {
    const session = read(draft.bytes());
    return contextHash(session, session.leaf);
  };
  it('leaves out what is provenance of one run', () => {
    const [plain, noted] = [new Draft(), new Draft()];
    plain.item(message('hi'));
    noted.add('info', { name: 'n' });
    noted.item(message('hi'), {
      response: 'r',
      source: { kind: 'cron' },
      queued_from: 'x',
      legacy_id: 'old',
      from_link: 'l',
    });
    expect(at(noted)).toBe(at(plain));
  });
  it('names the first kept entry by its context, and one off the path by nothing', () => {
    const fold = (text: string, firstKept: (draft: Draft) => string): string => {
      const draft = new Draft();
      draft.add('info', { name: text });
      const kept = draft.item(message('kept'));
      draft.add('compaction', { first_kept: firstKept(draft) || kept, summary: message('s'), config: {} });
      return at(draft);
    };
    // Ids differ with the line before; the context does not.
    expect(fold('a', () => '')).toBe(fold('b', () => ''));
    expect(fold('a', () => hash('x'))).toBe(fold('b', () => hash('y')));
    expect(fold('a', () => '')).not.toBe(fold('a', () => hash('x')));
  });
});

describe('a list of sessions', () => {
  it('has the newest first, with the last name of each', () => {
    const made = ['2026-01-01T00:00:00Z', '2026-01-01T03:00:00+02:00', '2025-12-31T23:59:59Z'].map((created_at, i) => {
      const draft = new Draft({ created_at, id: `s-${i}` });
      draft.add('info', { name: 'old name' });
      draft.add('info', { name: `name ${i}` });
      draft.add('info', {});
      const summary = summarize(`${i}.jsonl`, memorySource(draft.bytes()));
      if ('findings' in summary) throw new Error('a session');
      return summary;
    });
    expect(newestFirst(made).map(({ id, name, entries }) => [id, name, entries])).toEqual([
      ['s-1', 'name 1', 3],
      ['s-0', 'name 0', 3],
      ['s-2', 'name 2', 3],
    ]);
  });
});

describe('the timeline of a session', () => {
  it('puts each entry on its branch and says of each response what became of its hash', () => {
    const draft = new Draft();
    const asked = draft.item(message('hi'));
    draft.response('r1');
    draft.add('response', { response_id: 'r2', request_hash: hash('x') }, asked);
    const { session, checks } = checkWhileReading(draft.bytes());
    expect(sessionTimeline(session, checks.verdicts).map(({ type, lane, verdict }) => [type, lane, verdict])).toEqual([
      ['response', 'main', 'verified'],
      ['response', 'branch 1', 'failed'],
    ]);
  });
  it('says how many rows it leaves out', () => {
    const draft = new Draft();
    for (let i = 0; i < 1200; i++) draft.add('response', { response_id: `r${i}` });
    const { session, checks } = checkWhileReading(draft.bytes());
    const rows = sessionTimeline(session, checks.verdicts);
    expect(rows).toHaveLength(1001);
    expect(rows[500]).toMatchObject({ type: 'left_out', text: '200 entries between are not shown here' });
    expect(rows[1000]?.text).toContain('r1199');
  });
  it('cuts long texts between characters', () => {
    for (let lead = 90; lead < 104; lead++) {
      const draft = new Draft();
      draft.item(functionCall('c', 'n', `${'a'.repeat(lead)}😀${'b'.repeat(40)}`));
      const { session, checks } = checkWhileReading(draft.bytes());
      const [row] = sessionTimeline(session, checks.verdicts);
      expect(() => encodeURIComponent(row?.text ?? '')).not.toThrow();
      expect(row?.text).toContain('…');
    }
  });
});
