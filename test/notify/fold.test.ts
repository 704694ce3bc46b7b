import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../../src/bytes/encoding.ts';
import { parseTree } from '../../src/json/tree.ts';
import { foldNotify, NotifyFold } from '../../src/notify/fold.ts';
import { checkpointDifference, checkpointOf, foldOpen, foldWatch } from '../../src/notify/open.ts';
import {
  decodeRecord,
  encodeRecord,
  type NotifyRecord,
  type RecordFields,
  sameRecord,
  type TrailRecord,
} from '../../src/notify/record.ts';
import { foldRow, segmentRow } from '../../src/notify/report.ts';
import { judge } from './judging.ts';

function node(value: unknown) {
  const bytes = utf8(JSON.stringify(value));
  const parsed = parseTree(bytes);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return { root: parsed.root, bytes };
}
const decode = (values: readonly unknown[]): readonly TrailRecord[] =>
  values.map((value, index) => decodeRecord(node(value).root, index));

const BASE = Date.parse('2026-10-13T09:00:00Z');
const time = fc
  .integer({ min: 0, max: 86_399_000 })
  .map((ms) => new Date(BASE - (BASE % 86_400_000) + ms).toISOString());
const key = fc.constantFrom('a', 'b', 'to:ops:a', 'resolved:a', 'escalated:1:a', 'overdue:b', '');
const record = fc.record(
  {
    kind: fc.constantFrom(
      'observed',
      'claimed',
      'acked',
      'failing',
      'overdue',
      'cleared',
      'failing_since',
      'recovered',
      'watch',
      'later_kind',
    ),
    key,
    at: time,
    event_kind: fc.constantFrom(
      'approval_pending',
      'outcome_unknown',
      'recovery_failing',
      'resolved',
      'escalated',
      'notification_overdue',
      'later_event',
    ),
    receiver: fc.constantFrom('', 'ops', 'default', 'Bad Name'),
    level: fc.integer({ min: -1, max: 6 }),
    holder: fc.constantFrom('', 'w1', 'w2'),
    until: time,
    deadline_at: time,
    failures: fc.integer({ min: 0, max: 5 }),
    reason: fc.constantFrom('decided', 'expired', 'prose of a person'),
  },
  { requiredKeys: ['kind', 'at'] },
);
const openRecord = fc.record(
  {
    kind: fc.constantFrom('watch', 'watch', 'unwatch', 'backfilled', 'checkpoint', 'later_kind'),
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    run_id: fc.constantFrom('', 'run-1'),
    at: time,
    backfill_window: fc.integer({ min: 0, max: 10 }),
  },
  { requiredKeys: ['kind', 'key', 'at'] },
);

describe('the fold of a run trail', () => {
  test('of a longer trail goes on from the fold of its beginning', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 40 }), fc.nat(40), (values, cut) => {
        const records = decode(values);
        const fold = new NotifyFold();
        for (const one of records.slice(0, cut)) fold.add(one);
        expect(foldRow(fold.state)).toEqual(foldRow(foldNotify(records.slice(0, cut))));
        for (const one of records.slice(cut)) fold.add(one);
        expect(foldRow(fold.state)).toEqual(foldRow(foldNotify(records)));
      }),
    );
  });

  test('never loses or changes what an earlier record settled: the first end of an event wins', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 30 }), record, (values, last) => {
        const records = decode([...values, last]);
        const before = foldNotify(records.slice(0, -1));
        const settled = [...before.events.values()].map(({ key: name, acked, cleared, failing, overdue }) => ({
          name,
          acked,
          cleared,
          failing,
          overdue,
        }));
        const after = foldNotify(records);
        for (const { name, ...marks } of settled) {
          const event = after.events.get(name);
          expect(event).toBeDefined();
          for (const [mark, value] of Object.entries(marks)) {
            const got = event?.[mark as 'acked'];
            const ended = marks.acked !== undefined || marks.cleared !== undefined;
            if (value !== undefined || ended) expect(got).toBe(value);
          }
          expect(event?.acked === undefined || event.cleared === undefined).toBe(true);
        }
      }),
    );
  });

  test('is not changed by a foreign record, wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 25 }),
        fc.nat(25),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (values, at, members) => {
          const place = Math.min(at, values.length);
          const foreign = { ...members, kind: 'of_a_later_version', at: '2026-10-13T09:00:00Z' };
          const plain = foldNotify(decode(values));
          const mixed = foldNotify(decode([...values.slice(0, place), foreign, ...values.slice(place)]));
          const back = (index: number) => (index > place ? index - 1 : index);
          const row = foldRow(mixed);
          expect(row.keys).toEqual(foldRow(plain).keys);
          expect(row.ignored.filter((index) => index !== place).map(back)).toEqual(plain.ignored);
          for (const [name, event] of plain.events) {
            const other = mixed.events.get(name);
            expect(other?.claims.map(({ index }) => back(index))).toEqual(event.claims.map(({ index }) => index));
            for (const mark of ['acked', 'cleared', 'failing', 'overdue'] as const)
              expect(other?.[mark] === undefined ? undefined : back(other[mark].index)).toBe(event[mark]?.index);
          }
        },
      ),
    );
  });

  test('takes any JSON values as records without failing', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 20 }), (values) => {
        const state = foldNotify(decode(values));
        expect(state.events.size + state.ignored.length + state.episodes.length).toBeGreaterThanOrEqual(0);
        expect(foldOpen(decode(values)).ignored.length).toBeLessThanOrEqual(values.length);
      }),
    );
  });
});

describe('the fold of an open segment', () => {
  test('is what a checkpoint must equal, and a fold that begins with that checkpoint goes on from it', () => {
    fc.assert(
      fc.property(fc.array(openRecord, { maxLength: 30 }), fc.array(openRecord, { maxLength: 30 }), (first, second) => {
        const before = foldOpen(decode(first));
        const checkpoint: RecordFields = { kind: 'checkpoint', at: BigInt(BASE) * 1_000_000n, ...checkpointOf(before) };
        const written = decodeRecord(node(JSON.parse(encodeRecord(checkpoint))).root, 0);
        expect(checkpointDifference(before, written as NotifyRecord)).toBeUndefined();
        const tail = second.filter(({ kind }) => kind !== 'checkpoint');
        const whole = foldOpen(decode([...first, ...tail]));
        const continued = foldOpen([written, ...decode(tail).map((one) => ({ ...one, index: one.index + 1 }))]);
        const { ignored: _, ...want } = segmentRow(whole);
        const { ignored: __, ...got } = segmentRow(continued);
        expect(got).toEqual(want);
      }),
    );
  });

  test('stops at the seal', () => {
    fc.assert(
      fc.property(fc.array(openRecord, { maxLength: 10 }), fc.array(openRecord, { maxLength: 10 }), (before, after) => {
        const seal = { kind: 'seal', at: '2026-10-14T00:00:01Z', next: 'notify:@open:2026-10-14' };
        const all = decode([...before, seal, ...after]);
        expect(foldWatch(all)).toEqual(foldWatch(all.slice(0, before.length)));
        expect(foldOpen(all).ignored.slice(after.length === 0 ? Number.POSITIVE_INFINITY : -after.length)).toEqual(
          after.map((_, i) => before.length + 1 + i),
        );
      }),
    );
  });
});

describe('records', () => {
  test('are the same whatever the order of their members and the offset of their times', () => {
    fc.assert(
      fc.property(record, fc.integer({ min: -14, max: 14 }), (value, hours) => {
        const sign = hours < 0 ? '-' : '+';
        const offset = `${sign}${String(Math.abs(hours)).padStart(2, '0')}:00`;
        const shifted = (text: string) =>
          `${new Date(Date.parse(text) + hours * 3_600_000).toISOString().slice(0, -1)}${offset}`;
        const other = Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([name, member]) => [
              name,
              ['at', 'until', 'deadline_at'].includes(name) ? shifted(member as string) : member,
            ]),
        );
        const [a, b] = [node(value), node(other)];
        expect(sameRecord(a.root, a.bytes, b.root, b.bytes)).toBe(true);
      }),
    );
  });

  test('differ when an unknown member differs', () => {
    const [a, b] = [
      node({ kind: 'watch', at: '2026-10-13T09:00:00Z', later: 1 }),
      node({ kind: 'watch', at: '2026-10-13T09:00:00Z', later: 2 }),
    ];
    expect(sameRecord(a.root, a.bytes, b.root, b.bytes)).toBe(false);
  });

  test('read back as they were written', () => {
    fc.assert(
      fc.property(record, (value) => {
        const read = decodeRecord(node(value).root, 0);
        if ('malformed' in read) return;
        expect(decodeRecord(node(JSON.parse(encodeRecord(read))).root, 0)).toEqual({ ...read });
      }),
    );
  });
});

describe('the verifier', () => {
  const document = (records: readonly unknown[]) => ({
    format: 'bide-audit.notify-trail.v1',
    trail: 'notify:run-1',
    run_id: 'run-1',
    records,
  });

  test('never fails on records of any kind, and says the same for any order of members', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(record, openRecord, fc.jsonValue()), { maxLength: 25 }), (values) => {
        const reversed = values.map((value) =>
          value !== null && typeof value === 'object' && !Array.isArray(value)
            ? Object.fromEntries(Object.entries(value).reverse())
            : value,
        );
        expect(judge(document(reversed)).notes).toEqual(judge(document(values)).notes);
      }),
    );
  });

  test('finds no error more when the journal, the routing or the open trail is left out', () => {
    const routing = {
      routes: { outcome_unknown: 'ops' },
      escalation: { outcome_unknown: ['ops'], approval_pending: ['ops'] },
    };
    const journal = {
      complete: true,
      events: [{ key: 'a', kind: 'approval_pending', at: '2026-10-13T09:00:00Z', current: true }],
    };
    fc.assert(
      fc.property(fc.array(record, { maxLength: 25 }), fc.array(openRecord, { maxLength: 10 }), (values, opened) => {
        const open = { segments: [{ name: 'notify:@open:2026-10-13', records: opened }] };
        const full = { ...document(values), as_of: '2026-10-13T20:00:00Z', journal, routing, open };
        const errors = (value: object) => judge(value).notes.filter(({ severity }) => severity === 'error');
        // Where the journal calls an event by another kind, that is an error already, and its receivers are judged by the journal's kind.
        if (errors(full).some(({ condition }) => condition === 'kind-mismatch')) return;
        for (const left of ['journal', 'routing', 'open'] as const) {
          const { [left]: _, ...rest } = full;
          for (const note of errors(rest)) expect(errors(full)).toContainEqual(note);
        }
      }),
    );
  });

  test('takes time in proportion to the records', () => {
    const trail = (events: number) =>
      Array.from({ length: events }, (_, i) => [
        {
          kind: 'observed',
          key: `k${i}:${':'.repeat(40)}`,
          at: '2026-10-13T09:00:00Z',
          event_kind: 'outcome_unknown',
          deadline_at: '2026-10-13T09:05:00Z',
        },
        {
          kind: 'observed',
          key: `resolved:k${i}:${':'.repeat(40)}`,
          at: '2026-10-13T09:00:00Z',
          event_kind: 'resolved',
        },
        {
          kind: 'observed',
          key: `to:r${i}:all`,
          at: '2026-10-13T09:00:00Z',
          event_kind: 'outcome_unknown',
          receiver: `r${i}`,
        },
        {
          kind: 'observed',
          key: `escalated:1:to:r${i}:all`,
          at: '2026-10-13T09:00:00Z',
          event_kind: 'escalated',
          receiver: 'ops',
          level: 1,
        },
        {
          kind: 'observed',
          key: `resolved:to:r${i}:all`,
          at: '2026-10-13T09:00:00Z',
          event_kind: 'resolved',
          receiver: 'ops',
        },
        {
          kind: 'observed',
          key: `resolved:escalated:1:to:r${i}:all`,
          at: '2026-10-13T09:00:00Z',
          event_kind: 'resolved',
          receiver: 'ops',
        },
        {
          kind: 'claimed',
          key: `escalated:1:to:r${i}:all`,
          at: '2026-10-13T09:00:01Z',
          holder: 'w',
          until: '2026-10-13T09:02:00Z',
        },
      ]).flat();
    const spent = (events: number) => {
      const value = document(trail(events));
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 3; round++) {
        const start = performance.now();
        judge(value);
        best = Math.min(best, performance.now() - start);
      }
      return best;
    };
    spent(500);
    // Eight times the records: about eight times the time; a quadratic step would make it sixty-four.
    expect(spent(4000) / spent(500)).toBeLessThan(32);
  });
});
