import { expect, test } from 'vitest';
import { isMalformed } from '../../src/notify/record.ts';
import { statusOf } from '../../src/notify/verify.ts';
import { NO_TRUST } from '../../src/trust/trust.ts';
import { trailOutcome } from '../../src/verify/trail.ts';
import { CHANGES, type Change, changed, withLeaves } from './changes.ts';
import { documentOf, errorsOf, headOver, judge, LOG_KEY, LOG_RING } from './judging.ts';
import { simulate, TRAIL } from './simulator.ts';

const isLong = process.env['AUDIT_FUZZ'] !== undefined;
const SCHEDULES = isLong ? 10_000 : 400;
const CHANGED_SCHEDULES = isLong ? 100 : 15;

test(`trails of ${SCHEDULES} random schedules with crashes, lost replies and clock skew hold`, () => {
  let [crashes, lostReplies, lostRaces] = [0, 0, 0];
  const kinds = new Set<string>();
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    const simulated = simulate(seed);
    const judgement = judge(simulated.document);
    expect(errorsOf(judgement), `schedule ${seed}`).toEqual([]);
    expect(judgement.state.ignored, `schedule ${seed}: a correct writer appends nothing that does not apply`).toEqual(
      [],
    );
    crashes += simulated.crashes;
    lostReplies += simulated.lostReplies;
    lostRaces += simulated.lostRaces;
    const segments = judgement.document.open?.segments ?? [];
    for (const record of [...judgement.document.records, ...segments.flatMap(({ records }) => records)])
      if (!isMalformed(record)) kinds.add(record.kind).add(record.eventKind);
  }
  // The schedules are worth something only if all of this happened in them.
  expect(Math.min(crashes, lostReplies, lostRaces)).toBeGreaterThan(100);
  for (const kind of [
    'failing',
    'overdue',
    'cleared',
    'recovered',
    'checkpoint',
    'seal',
    'escalated',
    'notification_overdue',
    'approval_expired',
    'recovery_failing',
    'run_aborted',
    'resolved',
  ])
    expect(kinds, 'kinds that occurred').toContain(kind);
}, 600_000);

test('the same seed gives the same trail', () => {
  expect(JSON.stringify(simulate(11).document)).toBe(JSON.stringify(simulate(11).document));
});

/** Found and all of each change by kind of record. */
type Tally = Map<string, Map<Change, { found: number; all: number }>>;

function count(tally: Tally, kind: string, change: Change, found: boolean): void {
  const row = tally.get(kind) ?? new Map();
  tally.set(kind, row);
  const cell = row.get(change) ?? { found: 0, all: 0 };
  row.set(change, { found: cell.found + (found ? 1 : 0), all: cell.all + 1 });
}

function table(tally: Tally): string {
  const head = `${'record'.padEnd(14)}${CHANGES.map((change) => change.padStart(12)).join('')}`;
  const rows = [...tally]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, row]) => {
      const cells = CHANGES.map((change) => {
        const { found, all } = row.get(change) ?? { found: 0, all: 0 };
        return (all === 0 ? '-' : `${Math.round((100 * found) / all)}%`).padStart(12);
      });
      return `${kind.padEnd(14)}${cells.join('')}`;
    });
  return [head, ...rows].join('\n');
}

test('every single record removed, altered, moved or repeated is found when the true head is given', () => {
  const withoutHead: Tally = new Map();
  for (let seed = 1; seed <= CHANGED_SCHEDULES; seed++) {
    const simulated = simulate(seed);
    const leaves = simulated.trails.get(TRAIL) ?? [];
    if (leaves.length === 0) continue;
    const head = headOver(TRAIL, leaves, simulated.asOf);
    const whole = judge(withLeaves(simulated, leaves, [head]), { ring: LOG_RING });
    expect([statusOf(whole), whole.binding.bound], `schedule ${seed}`).toEqual([0, true]);
    for (const [at, record] of whole.document.records.entries()) {
      for (const change of CHANGES) {
        const other = changed(leaves, at, change);
        if (other === undefined) continue;
        const judgement = judge(withLeaves(simulated, other, [head]), { ring: LOG_RING });
        const place = `schedule ${seed}, record ${at} ${change}`;
        if (change === 'repeated' && at === leaves.length - 1) {
          // What is appended lies after the head: the head still pins all before it, and says that this is not under it.
          expect(judgement.binding, place).toMatchObject({
            bound: true,
            attested: leaves.length,
            total: leaves.length + 1,
          });
          expect(
            judgement.notes.map(({ condition }) => condition),
            place,
          ).toContain('head-behind');
        } else {
          expect(statusOf(judgement, { unbound: true }), place).toBe(1);
          expect(judgement.binding.bound, place).toBe(false);
        }
        const byRules = judgement.notes.some(({ severity, where }) => severity === 'error' && where !== 'heads');
        count(withoutHead, isMalformed(record) ? 'malformed' : record.kind, change, byRules);
      }
    }
  }
  console.log(
    `Changes of one record that the rules find without a head (the rest only a head shows):\n${table(withoutHead)}`,
  );
  const cells = [...withoutHead.values()].flatMap((row) => [...row.values()]);
  expect(
    cells.some(({ found, all }) => found < all),
    'without a head some changes cannot be found',
  ).toBe(true);
}, 600_000);

test('an older head pins everything before it against an attacker who can re-sign; what lies after stays undecided', () => {
  const trust = { ...NO_TRUST, keys: [{ name: 'log', roles: ['log'] as const, key: LOG_KEY.publicKey }] };
  for (let seed = 1; seed <= CHANGED_SCHEDULES; seed++) {
    const simulated = simulate(seed);
    const leaves = simulated.trails.get(TRAIL) ?? [];
    const pinned = Math.floor(leaves.length / 2);
    if (pinned === 0) continue;
    const older = headOver(TRAIL, leaves.slice(0, pinned), simulated.asOf - 1_000_000_000n);
    for (const at of leaves.keys()) {
      const other = changed(leaves, at, 'altered') as readonly Uint8Array[];
      const forged = headOver(TRAIL, other, simulated.asOf);
      const both = judge(withLeaves(simulated, other, [older, forged]), { ring: LOG_RING });
      const isFound = both.notes.some(({ condition }) => condition === 'root-mismatch');
      expect(isFound, `schedule ${seed}, record ${at} of ${leaves.length}, pinned ${pinned}`).toBe(at < pinned);
      if (at < pinned) continue;
      const { claims } = trailOutcome(documentOf(withLeaves(simulated, other, [older])), { trust });
      const verdicts = claims.filter(({ claim }) => claim === 'integrity' || claim === 'authorship');
      expect(verdicts.map(({ verdict, scope }) => [verdict, scope])).toEqual([
        ['undecided', `records 1 to ${pinned} of ${leaves.length}`],
        ['undecided', `records 1 to ${pinned} of ${leaves.length}`],
      ]);
    }
  }
}, 600_000);
