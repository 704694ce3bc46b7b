/**
 * The status rules of approver-identity 14 and 15 against a second model, written from the text over plain values in whole hours; and the
 * properties of section 24: what more or less evidence may change, that order and a shift of all times change nothing.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  certificateStatus,
  type StatusAnswer,
  type StatusList,
  type StatusMode,
  type StatusQuestion,
  type StatusRules,
} from '../../src/identity/status.ts';

const H = 3_600_000_000_000n;
const at = (hours: number): bigint => BigInt(Math.round(hours * 60)) * (H / 60n);

interface Plain {
  /** Hours. */
  readonly time: number;
  readonly number: number;
  readonly entry?: { readonly rd: number; readonly inv?: number; readonly code: number };
}

interface World {
  readonly lists: readonly Plain[];
  readonly notAfter: number;
  readonly d: number;
  readonly a: number;
  readonly t: number;
  readonly mode: StatusMode;
  readonly holds: boolean;
  readonly live: boolean;
  readonly retained: boolean;
  readonly grace: number;
  readonly w: number;
}

const RULES: StatusRules = {
  maxStatusAge: at(24),
  execStatusAge: at(4),
  caOverlap: undefined,
  caPeriod: at(6),
  coverageTolerance: at(0.5),
  thisUpdateSkew: 0n,
  w: at(24),
  minW: at(1),
  routineGrace: 0n,
  allowHolds: false,
  consecutiveNumbers: true,
  countLive: true,
  retained: false,
};

function listOf({ time, number, entry }: Plain, id = `${number} ${time} ${JSON.stringify(entry)}`): StatusList {
  return {
    kind: 'crl',
    id,
    thisUpdate: at(time),
    nextUpdate: at(time + 12),
    number: BigInt(number),
    keepsExpiredSince: undefined,
    listing:
      entry === undefined
        ? undefined
        : {
            revocationDate: at(entry.rd),
            invalidityDate: entry.inv === undefined ? undefined : at(entry.inv),
            reason: entry.code,
          },
  };
}

function questionOf(world: World, shift = 0): StatusQuestion {
  const move = (hours: number) => at(hours + shift);
  return {
    lists: world.lists.map((list) => {
      const { entry } = list;
      const moved =
        entry === undefined
          ? undefined
          : { ...entry, rd: entry.rd + shift, ...(entry.inv === undefined ? {} : { inv: entry.inv + shift }) };
      return listOf(
        { time: list.time + shift, number: list.number, ...(moved === undefined ? {} : { entry: moved }) },
        `${list.number} ${list.time} ${JSON.stringify(list.entry)}`,
      );
    }),
    notAfter: move(world.notAfter),
    decided: move(world.d),
    anchored: move(world.a),
    at: move(world.t),
    mode: world.mode,
    rules: {
      ...RULES,
      allowHolds: world.holds,
      countLive: world.live,
      retained: world.retained,
      routineGrace: at(world.grace),
      w: at(world.w),
    },
  };
}

const said = (answer: StatusAnswer): string =>
  answer.result === 'good'
    ? `${answer.final ? 'final' : 'provisional'} ${answer.basis}`
    : answer.result === 'revoked'
      ? `revoked ${answer.e}`
      : answer.result;

/** The second model: the sentences of the text, one after the other, without care for speed. */
function model(world: World): string {
  const { a, d, notAfter } = world;
  const known = world.lists
    .filter((one, i, all) => one.time <= world.t && all.findIndex((other) => listOf(other).id === listOf(one).id) === i)
    .sort((x, y) => x.time - y.time || x.number - y.number);
  const twice = (one: Plain) => known.some((other) => other !== one && other.number === one.number);
  const absent = (one: Plain) =>
    one.entry === undefined &&
    !twice(one) &&
    (one.time <= notAfter ||
      world.retained ||
      known.some((other) => other.number + 1 === one.number && other.time <= notAfter));
  let e = Number.POSITIVE_INFINITY;
  for (const { entry } of known) {
    if (entry === undefined || (entry.code === 6 && world.holds)) continue;
    const early = Math.min(entry.rd, entry.inv ?? entry.rd);
    const routine = [3, 4, 5, 9].includes(entry.code) && entry.inv === undefined && d <= entry.rd;
    e = Math.min(e, routine ? entry.rd + world.grace : early);
  }
  if (world.holds) {
    for (const [i, one] of known.entries()) {
      if (one.entry?.code !== 6) continue;
      const start = Math.min(one.entry.rd, one.entry.inv ?? one.entry.rd);
      const next = known
        .slice(i + 1)
        .find((later) => absent(later) || (later.entry !== undefined && later.entry.code !== 6));
      if (next === undefined) {
        if (a >= start) e = Math.min(e, start);
      } else if (next.entry === undefined) {
        if (a >= start && a < next.time) e = Math.min(e, start);
      } else e = Math.min(e, start);
    }
  }
  if (e <= a) return `revoked ${at(e)}`;
  const informative = known.filter((one) => one.entry !== undefined || absent(one));
  const newest = informative.at(-1);
  if (newest === undefined) return 'unknown';
  const s = newest.time;
  const after = s >= a;
  const fresh = {
    live: world.t <= s + 12 && world.t - s <= 24,
    exec: world.t <= s + 12 && world.t - s <= 4,
    audit: after || (a <= s + 12 && a - s <= 24),
  }[world.mode];
  if (!fresh || (!after && !world.live)) return 'stale';
  const target = notAfter < a + world.w && !world.retained ? Math.max(a, notAfter) : a + world.w;
  const before = informative.filter(({ time }) => time <= a).at(-1);
  const from = before === undefined ? 0 : informative.lastIndexOf(before);
  const to = informative.findIndex(({ time }) => time >= target);
  const range = informative.slice(from, to < 0 ? undefined : to + 1);
  const first = range[0];
  let gap = before === undefined && first !== undefined && first.time - a > 6.5;
  range.forEach((one, i) => {
    const last = range[i - 1];
    if (last !== undefined && (one.time - last.time > 6.5 || one.number !== last.number + 1)) gap = true;
  });
  const settled = informative.some((one) => one.time >= target && one.entry?.code !== 6);
  const lost = known.some(({ entry }) => {
    if (entry === undefined || [3, 4, 5, 9].includes(entry.code) || (entry.code === 6 && world.holds)) return false;
    return !(entry.inv !== undefined && entry.inv <= entry.rd) && entry.rd > a && entry.rd <= target;
  });
  const final = after && settled && target - a >= 1 && !gap && !lost;
  return `${final ? 'final' : 'provisional'} ${after ? 'at-or-after-decision' : 'live-before-decision'}`;
}

const entry = fc
  .record({ rd: fc.integer({ min: -20, max: 60 }), code: fc.constantFrom(0, 1, 3, 4, 5, 6, 9, 10) })
  .chain((one) =>
    fc
      .option(fc.integer({ min: -20, max: 60 }), { nil: undefined })
      .map((inv) => (inv === undefined ? one : { ...one, inv })),
  );
const regular = fc
  .record({
    first: fc.integer({ min: -24, max: 0 }),
    count: fc.integer({ min: 0, max: 12 }),
    missing: fc.array(fc.nat(11), { maxLength: 2 }),
    entries: fc.array(fc.option(entry, { nil: undefined, freq: 2 }), { minLength: 12, maxLength: 12 }),
  })
  .map(({ first, count, missing, entries }) =>
    Array.from({ length: count }, (_, i): Plain => {
      const own = entries[i];
      return { time: first + 6 * i, number: 100 + i, ...(own === undefined ? {} : { entry: own }) };
    }).filter((_, i) => !missing.includes(i)),
  );
const worlds: fc.Arbitrary<World> = fc.record({
  lists: regular,
  notAfter: fc.constantFrom(-1, 3, 12, 30, 9000),
  d: fc.integer({ min: -2, max: 1 }),
  a: fc.integer({ min: 0, max: 10 }),
  t: fc.integer({ min: 0, max: 60 }),
  mode: fc.constantFrom<StatusMode>('live', 'audit', 'exec'),
  holds: fc.boolean(),
  live: fc.boolean(),
  retained: fc.boolean(),
  grace: fc.constantFrom(0, 2),
  w: fc.constantFrom(0, 1, 24),
});

const RUNS = { numRuns: 800 };

describe('status and tier', () => {
  it('agree with a second model of the text', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        // The two models may name another least E where several listings meet in one hold; whether it is revoked, they may not.
        const [mine, other] = [said(certificateStatus(questionOf(world))), model(world)];
        expect(mine.startsWith('revoked') ? 'revoked' : mine).toBe(other.startsWith('revoked') ? 'revoked' : other);
      }),
      { numRuns: 3000 },
    );
  });

  it('more lists never turn revoked into counts, where no hold can be released', () => {
    fc.assert(
      fc.property(worlds, regular, (world, more) => {
        const strict = { ...world, holds: false };
        if (certificateStatus(questionOf(strict)).result !== 'revoked') return;
        const extended = { ...strict, lists: [...strict.lists, ...more] };
        expect(certificateStatus(questionOf(extended)).result).toBe('revoked');
      }),
      RUNS,
    );
  });

  it('a longer gap-free series never makes a final status provisional, but by a compromise within the window', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 }),
        fc.integer({ min: 8, max: 20 }),
        fc.integer({ min: 1, max: 8 }),
        fc.option(entry, { nil: undefined }),
        (a, count, more, late) => {
          const series = (n: number): Plain[] =>
            Array.from({ length: n }, (_, i) => ({
              time: -6 + 6 * i,
              number: 100 + i,
              ...(late !== undefined && i >= count ? { entry: late } : {}),
            }));
          const world = (n: number): World => ({
            lists: series(n),
            notAfter: 9000,
            d: a,
            a,
            t: 1000,
            mode: 'audit',
            holds: false,
            live: true,
            retained: false,
            grace: 0,
            w: 24,
          });
          const [short, long] = [
            certificateStatus(questionOf(world(count))),
            certificateStatus(questionOf(world(count + more))),
          ];
          if (short.result !== 'good' || !short.final) return;
          if (long.result === 'revoked') return;
          expect(long.result).toBe('good');
          if (long.result === 'good' && !long.final) expect(long.notes).toContain('revoked-within-window');
          if (long.result === 'good' && long.final) expect(long.statusTime).toBe(short.statusTime);
        },
      ),
      RUNS,
    );
  });

  it('a shift of all times changes nothing but the times, and the order of lists nothing at all', () => {
    fc.assert(
      fc.property(worlds, fc.integer({ min: -1000, max: 1000 }), (world, shift) => {
        const plain = certificateStatus(questionOf(world));
        const moved = certificateStatus(questionOf(world, shift));
        const turned = certificateStatus(questionOf({ ...world, lists: [...world.lists].reverse() }));
        expect(turned).toEqual(plain);
        expect([moved.result, moved.notes]).toEqual([plain.result, plain.notes]);
        if (plain.result === 'good' && moved.result === 'good') {
          expect([moved.final, moved.basis, moved.window]).toEqual([plain.final, plain.basis, plain.window]);
          expect(moved.statusTime - plain.statusTime).toBe(at(shift));
        }
        if (plain.result === 'revoked' && moved.result === 'revoked') expect(moved.e - plain.e).toBe(at(shift));
      }),
      RUNS,
    );
  });
});
