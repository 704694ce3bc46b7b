/** The case matrix of approver-identity 22 through the pipeline: real chains, lists, tokens and signatures. */
import { describe, expect, it } from 'vitest';
import { policyProblems } from '../../src/identity/policy.ts';
import { formatDuration } from '../../src/time/duration.ts';
import { formatInstant } from '../../src/time/instant.ts';
import { evaluate, inWords, policyRecord, stamp } from './bank.ts';
import { sections } from './cases.ts';

for (const { title, rows } of sections())
  describe(title, () => {
    for (const { id, situation, is, e, a, window, notes, leafS } of rows)
      it(id, () => {
        const judgement = evaluate(situation);
        const said = `${inWords(judgement)}${judgement.cause === undefined ? '' : ` (${judgement.cause.detail})`}`;
        expect(said.split(' (')[0], said).toBe(is);
        if (a !== undefined) expect(formatInstant(judgement.anchored?.a ?? 0n)).toBe(stamp(a));
        if (window !== undefined) expect(formatDuration(judgement.window ?? -1n)).toBe(window);
        if (notes !== undefined) {
          const noted = [...new Set(judgement.notes.map(({ note }) => note))].filter((note) => note !== 'crl-unusable');
          expect(noted.sort()).toEqual([...notes].sort());
        }
        if (leafS !== undefined) {
          const answer = judgement.certificates[0]?.answer;
          expect(formatInstant(answer?.result === 'good' ? answer.statusTime : 0n)).toBe(stamp(leafS));
        }
        if (e !== undefined) {
          const revoked = judgement.certificates.find(({ answer }) => answer.result === 'revoked')?.answer;
          expect(formatInstant(revoked?.result === 'revoked' ? revoked.e : 0n)).toBe(stamp(e));
        }
      });
  });

describe('22.6', () => {
  it('G07 a window that is shorter than its least is refused', () => {
    expect(policyProblems(policyRecord({ w: '30m0s' }))).toEqual(['"min_w" is longer than "w"']);
  });
});
