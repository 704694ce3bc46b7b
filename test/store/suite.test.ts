/** The suite of session stores (session-store 11) over memory, files and SQLite; at the end a table of its cases is printed. */
import { afterAll, describe, expect, it } from 'vitest';
import { CASES } from './cases.ts';
import { type Kind, Place } from './harness.ts';

const KINDS: readonly Kind[] = ['memory', 'jsonl', 'sqlite'];
const outcomes = new Map<number, Map<Kind, string>>(CASES.map(({ number }) => [number, new Map()]));

it('has each case once', () => {
  expect(new Set(CASES.map(({ number }) => number)).size).toBe(CASES.length);
});

describe.each(KINDS)('a store of sessions: %s', (kind) => {
  for (const { number, name, shared, run } of CASES) {
    // What memory holds, no second store can open: these cases are of places that two can share.
    if (shared === true && kind === 'memory') {
      outcomes.get(number)?.set(kind, '-');
      continue;
    }
    it(`${number}. ${name}`, async () => {
      const place = new Place(kind);
      outcomes.get(number)?.set(kind, 'FAILS');
      try {
        await expect(run(await place.open(), place)).resolves.toBeUndefined();
        outcomes.get(number)?.set(kind, 'ok');
      } finally {
        await place.end();
      }
    });
  }
});

afterAll(() => {
  const rows = CASES.map(({ number, name }) => {
    const cells = KINDS.map((kind) => (outcomes.get(number)?.get(kind) ?? '').padEnd(6));
    return `${String(number).padStart(4)}  ${cells.join('  ')}  ${name}`;
  });
  console.log('- the case needs a second store over one place, which memory does not have');
  console.log(`case  ${KINDS.map((kind) => kind.padEnd(6)).join('  ')}\n${rows.join('\n')}`);
});
