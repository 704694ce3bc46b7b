/** Whatever the writer accepts verifies (session-format 4.6 to 4.9, 9). Long form: AUDIT_FUZZ. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../../src/bytes/source.ts';
import { LiveSession } from '../../../src/session/write/live.ts';
import { faults, linesOf, Program, type Step } from './program.ts';

const numRuns = process.env['AUDIT_FUZZ'] === undefined ? 2000 : 100_000;

const step: fc.Arbitrary<Step> = fc.tuple(fc.nat(20), fc.nat(60), fc.nat(60));
const promises = fc.constantFrom([], ['run', 'dispatch', 'decision']);

test('whatever the writer accepts, verifying finds nothing wrong with', { timeout: 3_600_000 }, () => {
  let accepted = 0;
  const refused = new Map<string, number>();
  fc.assert(
    fc.property(promises, fc.array(step, { minLength: 4, maxLength: 30 }), (records, steps) => {
      const program = new Program(records).run(steps);
      accepted += program.accepted;
      for (const [code, times] of program.refused) refused.set(code, (refused.get(code) ?? 0) + times);
      for (const session of [...program.left, program.session]) {
        const bytes = linesOf(session);
        expect(faults(bytes)).toEqual([]);
      }
    }),
    { numRuns },
  );
  expect(accepted).toBeGreaterThan(numRuns * 4);
  // The programs do run into the rules.
  for (const code of ['bad_target', 'call_completed', 'call_rejected', 'no_entry', 'record_missing', 'source_mismatch'])
    expect(refused.get(code) ?? 0, code).toBeGreaterThan(0);
});

test('a reader of the lines stands where the writer stands once the leaf is marked', () => {
  fc.assert(
    fc.property(promises, fc.array(step, { minLength: 4, maxLength: 30 }), (records, steps) => {
      const { session } = new Program(records).run(steps);
      const needed = session.leafMarkNeeded();
      if (needed !== undefined) {
        // A branch in memory may rest on an entry of the prefix, where nothing can be marked.
        if (session.header.base !== undefined && session.base !== undefined && session.leaf < session.base) return;
        session.append(needed);
      }
      expect(session.leafMarkNeeded()).toBeUndefined();
      expect(LiveSession.open(memorySource(linesOf(session))).leafId).toBe(session.leafId);
    }),
    { numRuns: 400 },
  );
});
