/** Less supporting evidence never gives a better answer; order of evidence is irrelevant; altered bytes never count and never crash (24). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hex } from '../../src/bytes/encoding.ts';
import { headHash } from '../../src/log/head.ts';
import { parseCrl } from '../../src/pki/crl.ts';
import { parseTimestamp } from '../../src/pki/timestampToken.ts';
import type { InputReport } from '../../src/verify/report.ts';
import {
  allCrls,
  evaluate,
  HEAD,
  headOf,
  ica,
  inWords,
  leaf,
  listedFrom,
  type Situation,
  series,
  stamp,
  tokenOver,
} from './bank.ts';
import { auditRun, listed, makeRun, type RunChange, trustOf } from './run.ts';

const RANK = { verified: 2, undecided: 1, failed: 0 } as const;
const rankOf = (report: InputReport, claim: string): number =>
  RANK[report.claims.find((one) => one.claim === claim)?.verdict ?? 'undecided'];
const TIERS = ['provisional', 'logclock-final', 'independent-final'];
const tierOf = (report: InputReport): number =>
  Math.min(
    ...report.timeline.filter(({ type }) => type === 'identity').map(({ tier }) => TIERS.indexOf(tier ?? '')),
    3,
  );

interface World {
  readonly name: string;
  readonly change: RunChange;
  readonly archive: readonly Uint8Array[];
}
const worlds: readonly World[] = [
  { name: 'a good run', change: {}, archive: listed() },
  { name: 'a revoked approver', change: {}, archive: listed(listedFrom(1001, { date: stamp('08:00'), reason: 1 })) },
  {
    name: 'a signature over something else',
    change: { alice: { change: { signature: new Uint8Array(70) } } },
    archive: listed(),
  },
  { name: 'a run without status', change: { status: () => undefined }, archive: [] },
];

describe('less supporting evidence', () => {
  it.each(worlds)('of $name is never better', async ({ change, archive }) => {
    const run = makeRun(change);
    const token = tokenOver(
      {
        head: run.head,
        hash: hex(headHash(run.head)),
        size: run.head.size,
        time: run.head.timestamp_nanos,
        covers: true,
      },
      '09:01:30',
    );
    const tokenDer = token.proof.kind === 'rfc3161' ? token.proof.token.der : new Uint8Array();
    const whole = trustOf();
    const without = (path: readonly string[]): Record<string, unknown> => {
      const copy = JSON.parse(JSON.stringify(whole)) as Record<string, unknown>;
      let at = copy;
      for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
      delete at[path.at(-1) as string];
      return copy;
    };
    const all = await auditRun(run, { trust: whole, archive: [...archive, tokenDer] });
    const less = [
      await auditRun(run, { trust: whole, archive }),
      await auditRun(run, { trust: whole, archive: [...archive, tokenDer], heads: [] }),
      await auditRun(run, { trust: without(['keys']), archive: [...archive, tokenDer] }),
      await auditRun(run, { trust: without(['anchors']), archive: [...archive, tokenDer] }),
      await auditRun(run, { trust: without(['rosters']), archive: [...archive, tokenDer] }),
      await auditRun(run, { trust: without(['certificate_policies', 'tsa_anchors']), archive: [...archive, tokenDer] }),
      await auditRun(run, { trust: without(['certificate_policies', 'policies']), archive: [...archive, tokenDer] }),
      await auditRun(run, { trust: without(['certificate_policies']), archive: [...archive, tokenDer] }),
    ];
    for (const [i, report] of less.entries()) {
      for (const claim of ['count', 'identity'])
        if (rankOf(all, claim) < RANK.verified)
          expect(rankOf(report, claim), `${i} ${claim}`).toBeLessThan(RANK.verified);
      if (rankOf(report, 'identity') === RANK.verified)
        expect(tierOf(report), `${i} tier`).toBeLessThanOrEqual(tierOf(all));
    }
  });
});

describe('one decision', () => {
  const situation: Situation = { mode: 'audit', at: '14 13:00', times: [tokenOver(HEAD, '09:01:30')] };
  it('is judged the same whatever the order of heads, lists, tokens and certificates', () => {
    const heads = [HEAD, headOf(15, '09:02:50'), headOf(9, '09:00:20')];
    const times = [tokenOver(HEAD, '09:01:30'), tokenOver(HEAD, '09:01:40')];
    const base = inWords(evaluate({ ...situation, heads, times }));
    const crls = allCrls(situation);
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...crls], { minLength: crls.length }),
        fc.shuffledSubarray(heads, { minLength: 3 }),
        fc.shuffledSubarray(times, { minLength: 2 }),
        (lists, some, stamps) => {
          expect(inWords(evaluate({ ...situation, crls: lists, heads: some, times: stamps }))).toBe(base);
        },
      ),
      { numRuns: 15 },
    );
    expect(base).toBe('independent after 14 12:00');
  });

  const altered = (bytes: Uint8Array, at: number, by: number): Uint8Array => {
    const copy = Uint8Array.from(bytes);
    copy[at % copy.length] = (copy[at % copy.length] as number) ^ by;
    return copy;
  };
  const RUNS = { numRuns: process.env['AUDIT_FUZZ'] === undefined ? 120 : 5000 };

  it('never counts under a certificate that was altered, and never throws', () => {
    fc.assert(
      fc.property(fc.nat(20_000), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const der = altered(leaf(), at, by);
        expect(evaluate({ carried: [der, ica()] }).counts).toBe(false);
        evaluate({ carried: [leaf(), altered(ica(), at, by)], intermediates: [] });
      }),
      RUNS,
    );
  });

  it('takes nothing from an altered list or token', () => {
    const [one] = series('ica', undefined, 1001, 1001);
    const token = tokenOver(HEAD, '09:01:30');
    const der = token.proof.kind === 'rfc3161' ? token.proof.token.der : new Uint8Array();
    fc.assert(
      fc.property(fc.nat(20_000), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const crl = parseCrl(altered(one?.der ?? new Uint8Array(), at, by)).value;
        if (crl !== undefined)
          expect(evaluate({ crls: [crl, ...series('root')] }).cause?.reason).toBe('status_unknown');
        const forged = parseTimestamp(altered(der, at, by)).value?.token;
        if (forged === undefined) return;
        const judgement = evaluate({ times: [{ headHash: HEAD.hash, proof: { kind: 'rfc3161', token: forged } }] });
        // What is not covered by any signature may change; then the time is still the one that was signed.
        const [genTime, bound] = [HEAD.time, judgement.anchored?.a];
        expect([genTime, genTime + 61_000_000_000n]).toContain(bound);
      }),
      RUNS,
    );
  });

  it('never counts on random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(evaluate({ carried: [bytes, ica()] }).counts).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});
