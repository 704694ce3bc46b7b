import { describe, expect, it } from 'vitest';
import { memorySource } from '../../src/bytes/source.ts';
import { SessionChecker } from '../../src/session/check.ts';
import { readSession } from '../../src/session/read.ts';
import type { ResponseVerdict } from '../../src/session/request.ts';
import { RequestTracker } from '../../src/session/requests.ts';
import type { Session } from '../../src/session/session.ts';
import { Walk } from '../../src/session/walk.ts';
import { Work } from '../../src/session/work.ts';
import { Draft, hash, message } from './draft.ts';

function check(draft: Draft) {
  const checker = new SessionChecker();
  const { session } = readSession(memorySource(draft.bytes()), { visit: checker.visit });
  return checker.finish(session as Session);
}

const limits = (draft: Draft) =>
  check(draft)
    .notes.filter(({ code }) => code === 'session/request-work')
    .map(({ class: effect, where }) => [effect, where.line]);

/** Each line names the whole list of the line before it twice. */
function doubling(member: string, lines: number): Draft {
  const draft = new Draft();
  draft.add('config', {
    replace: true,
    model: 'm',
    [member]: [
      { id: 'v0', text: 't' },
      { id: 'w', text: 't' },
    ],
  });
  for (let i = 1, length = 2; i < lines; i++, length = 1 + 2 * length) {
    const again = [{ id: `v${i - 1}`, text: 't' }, { keep: length - 1 }];
    draft.add('config', { [member]: [{ id: `v${i}`, text: 't' }, ...again, ...again] });
  }
  draft.item(message('hello'));
  draft.add('response', { response_id: 'r1', request_hash: hash('unknown') });
  return draft;
}

/** Verdicts under a given amount of work; the session holds so many responses, each after a setting that comes before the input. */
function verdicts(responses: number, work: Work): readonly ResponseVerdict['outcome'][] {
  const draft = new Draft();
  draft.add('config', { replace: true, model: 'm' });
  draft.item(message('x'.repeat(100_000)));
  for (let i = 0; i < responses; i++) {
    draft.add('config', { extra: { include: [`k${i}`] } });
    draft.response(`r${i}`);
  }
  const found: ResponseVerdict['outcome'][] = [];
  let walk: Walk | undefined;
  readSession(memorySource(draft.bytes()), {
    visit(index, entry, session) {
      walk ??= new Walk(
        (path) => [
          new RequestTracker(
            session,
            path,
            {
              response: (_, { outcome }) => found.push(outcome),
              badLeaf: () => undefined,
              unresolvedOf: () => undefined,
            },
            work,
          ),
        ],
        () => undefined,
      );
      walk.visit(index, entry, session);
    },
  });
  return found;
}

describe('a small file that asks for immense work', () => {
  it('by naming a list in itself again and again is given up where the list is too long, and says so', () => {
    for (const member of ['instructions_parts', 'instructions_omitted']) {
      expect(limits(doubling(member, 12))).toEqual([]);
      const large = doubling(member, 60);
      expect(limits(large)).toEqual([['no_verdict', 18]]);
      expect(check(large).counts).toMatchObject({ responses: 1, unchecked: 1, failed: 0 });
    }
  });
  it('by changing the beginning of a large request each time is checked up to a limit, and unchecked from there on', () => {
    expect(new Set(verdicts(20, new Work()))).toEqual(new Set(['verified']));
    const found = verdicts(20, new Work({ bytes: 800_000, bytesPerByte: 0 }));
    const first = found.indexOf('unchecked');
    expect(first).toBeGreaterThan(0);
    expect(new Set(found.slice(0, first))).toEqual(new Set(['verified']));
    expect(new Set(found.slice(first))).toEqual(new Set(['unchecked']));
  });
  it('by putting one more setting in force on every line is given up before the settings fill the memory', () => {
    const found = verdicts(20, new Work({ kept: 20 }));
    expect(found[0]).toBe('verified');
    expect(found.at(-1)).toBe('unchecked');
    expect(found).not.toContain('mismatch');
  });
});
