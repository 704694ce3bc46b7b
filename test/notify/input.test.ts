import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { EVENT_LEAF_TAG } from '../../src/journal/leaf.ts';
import { catalogue } from '../../src/notify/catalogue.ts';
import { readCompanions } from '../../src/notify/companions.ts';
import { deriveJournalFacts } from '../../src/notify/derive.ts';
import { problemFindings } from '../../src/notify/finding.ts';
import { readTrailDocument } from '../../src/notify/input.ts';
import { encodeID, segmentDay } from '../../src/notify/keys.ts';
import { formatDuration, parseDuration } from '../../src/notify/time.ts';
import { isEmptyHanded, judgeTrail } from '../../src/notify/verify.ts';
import { randomSalt, TrailWriter } from '../../src/notify/write.ts';
import { NO_TRUST } from '../../src/trust/trust.ts';
import { trailVerifier } from '../../src/verify/trail.ts';
import { CALL, RUN, Scene, TOOL } from '../../vectors/approval-scenes.ts';
import { acked, at, claimed, GATE, opened, seen, told, trail } from '../../vectors/trail-scenes.ts';
import { documentOf, headOver, judge, LOG_KEY, LOG_RING } from './judging.ts';
import { MemoryPort } from './simulator.ts';

const problems = (text: string) => {
  const reading = readTrailDocument(utf8(text));
  return reading.ok
    ? []
    : problemFindings(reading.problems).map(({ code, class: cls, where }) => [code, cls, where.pointer]);
};
const start = '"format":"bide-audit.notify-trail.v1","trail":"notify:run-1"';

describe('a document that cannot be used says why and where', () => {
  test.each([
    ['no JSON', '{', 'notify/document-malformed', ''],
    ['another format', '{"format":"bide-audit.notify-trail.v2"}', 'notify/document-malformed', '/format'],
    ['a mis-spelt member', `{${start},"records":[],"rooting":{}}`, 'notify/document-malformed', ''],
    ['neither records nor leaves', `{${start}}`, 'notify/document-malformed', ''],
    ['a name that stands twice', `{${start},"records":[],"records":[]}`, 'notify/document-malformed', '/records'],
    [
      'a name that stands twice in a record',
      `{${start},"records":[{"kind":"a","kind":"b"}]}`,
      'notify/document-malformed',
      '/records/0',
    ],
    [
      'a time that is none',
      `{${start},"records":[],"as_of":"2026-10-13t09:00:00Z"}`,
      'notify/document-malformed',
      '/as_of',
    ],
    [
      'a setting that is not known',
      `{${start},"records":[],"settings":{"deadlin":"5m"}}`,
      'notify/document-malformed',
      '/settings/deadlin',
    ],
    [
      'a setting of another type',
      `{${start},"records":[],"settings":{"deadline":5}}`,
      'notify/document-malformed',
      '/settings/deadline',
    ],
    ['a role that is none', `{${start},"records":[],"role":"runner"}`, 'notify/document-malformed', '/role'],
    [
      'two journal events of one key',
      `{${start},"records":[],"journal":{"events":[{"key":"k","kind":"run_aborted"},{"key":"k","kind":"run_aborted"}]}}`,
      'notify/document-malformed',
      '/journal/events/1',
    ],
    [
      'two segments of one name',
      `{${start},"records":[],"open":{"segments":[{"name":"notify:@open:2026-10-13"},{"name":"notify:@open:2026-10-13"}]}}`,
      'notify/document-malformed',
      '/open/segments/1',
    ],
    ['a leaf that is none', `{${start},"leaves":["AAAA"]}`, 'notify/leaf-malformed', '/leaves/0'],
    ['a leaf that is no base64', `{${start},"leaves":["A"]}`, 'notify/leaf-malformed', '/leaves/0'],
    [
      'a head of another format',
      `{${start},"records":[],"heads":[{"format":"bide.audit.sth.v4"}]}`,
      'notify/head-malformed',
      '/heads/0/format',
    ],
    [
      'a head of an impossible shape',
      `{${start},"records":[],"heads":[{"format":"bide.audit.sth.v5","kind":"events","size":-1}]}`,
      'notify/head-malformed',
      '/heads/0',
    ],
    [
      'a routing to no receiver',
      `{${start},"records":[],"routing":{"routes":{"run_aborted":"Ops"}}}`,
      'notify/routing-invalid',
      '/routing',
    ],
    [
      'a chain of five steps',
      `{${start},"records":[],"routing":{"escalation":{"outcome_unknown":["a","b","c","d","e"]}}}`,
      'notify/routing-invalid',
      '/routing',
    ],
    [
      'more records than are read',
      `{${start},"leaves":[${'null,'.repeat(2_000_000)}null]}`,
      'notify/too-many-records',
      '/records',
    ],
  ])('%s', (_, text, code, pointer) => {
    expect(problems(text)).toContainEqual([code, 'unusable', pointer]);
  });

  test('leaves of two kinds in one trail', () => {
    const leaf = (kind: string) =>
      base64(
        new Uint8Array([
          ...EVENT_LEAF_TAG,
          ...utf8(JSON.stringify({ kind, event: { kind: 'x', at: at(0) }, salt: base64(randomSalt()) })),
        ]),
      );
    expect(problems(`{${start},"leaves":["${leaf('notify_record')}","${leaf('other')}"]}`)).toEqual([
      ['notify/leaf-malformed', 'unusable', '/leaves/1'],
    ]);
    expect(problems(`{${start},"leaves":["${leaf('other')}","${leaf('other')}"]}`)).toEqual([]);
  });

  test('never throws, whatever the bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => !readTrailDocument(bytes).ok));
    const value = fc.oneof(fc.jsonValue(), fc.constant([]), fc.constant({}));
    const members = fc.record(
      {
        records: value,
        leaves: value,
        heads: value,
        proofs: value,
        journal: value,
        routing: value,
        settings: value,
        deliveries: value,
        open: value,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(members, (more) => {
        const reading = readTrailDocument(
          utf8(JSON.stringify({ format: 'bide-audit.notify-trail.v1', trail: 't', ...more })),
        );
        if (reading.ok) judgeTrail(reading.value);
        else expect(reading.problems.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('the instant of judgement', () => {
  const records = told(GATE, 0, 'approval_pending');
  test('is the option, the document, the largest head, the latest record, in that order', () => {
    const head = headOver('notify:run-1', [], 1_791_900_000_000_000_000n);
    expect(judge(trail(records), { now: 5n }).asOfSource).toBe('option');
    expect(judge(trail(records, { heads: [head] })).asOfSource).toBe('document');
    expect(judge(trail(records, { heads: [head], as_of: null })).asOfSource).toBe('head');
    const latest = judge(trail(records, { as_of: null }));
    expect([latest.asOfSource, latest.asOf]).toEqual(['records', BigInt(Date.parse(at(2))) * 1_000_000n]);
  });

  test('is nothing where there is nothing, and that is nothing to check', () => {
    const empty = judge(trail([], { as_of: null }));
    expect([empty.asOfSource, isEmptyHanded(empty)]).toEqual(['none', true]);
  });
});

describe('events derived from a raw journal', () => {
  const scene = () =>
    new Scene()
      .start()
      .turn()
      .value(`approval-pending:${CALL}`, {
        tool_use_id: CALL,
        tool_name: TOOL,
        need: 2,
        approvers: ['alice', 'bob'],
        recorded_at: at(0).replace('Z', '.000Z'),
      });
  const exportOf = (records: readonly Uint8Array[]) =>
    utf8(JSON.stringify({ format: 'bide.audit.journal-export.v1', run_id: RUN, records: records.map(base64) }));
  const key = 'a key in a spelling of its own';
  const trailOf = (op: object) =>
    documentOf({
      format: 'bide-audit.notify-trail.v1',
      trail: `notify:${encodeID(RUN)}`,
      run_id: RUN,
      as_of: at(3600),
      records: [
        { ...seen(key, 0, 'approval_pending'), run_id: RUN, op_run: RUN, op_id: CALL, ...op },
        { ...claimed(key, 1), run_id: RUN },
        { ...acked(key, 2), run_id: RUN },
      ],
    });
  const complete = (document: ReturnType<typeof documentOf>) => {
    const companions = readCompanions({ journals: [{ name: 'journal.json', bytes: exportOf(scene().records) }] });
    expect(companions.findings).toEqual([]);
    return judgeTrail(companions.complete(document).document).notes.map(({ condition }) => condition);
  };

  test('carry no key, since its spelling is inferred', () => {
    const derived = deriveJournalFacts(exportOf(scene().records));
    expect(derived).toMatchObject({
      ok: true,
      facts: {
        complete: true,
        events: [{ key: '', kind: 'approval_pending', current: true, op: { run: RUN, kind: 'gate', id: CALL } }],
      },
    });
  });

  test('are matched to the trail by what they are about, whatever its keys look like', () => {
    expect(complete(trailOf({}))).toEqual([]);
    expect(complete(trailOf({ op_id: 'another call' }))).toEqual(['event-unexpected', 'event-missing']);
  });

  test('are not judged as missing where an approval does not say which gate it is about, or the journal is redacted', () => {
    expect(complete(trailOf({ op_run: '', op_kind: '', op_id: '' }))).toEqual(
      ['event-unexpected', 'unmatchable-event'].sort(),
    );
    const document = trailOf({ op_id: 'another call' });
    const derived = deriveJournalFacts(exportOf(scene().records));
    if (!derived.ok) throw new Error('the scene is a journal');
    const partial = judgeTrail({ ...document, journal: { ...derived.facts, partial: true, complete: false } });
    expect(partial.notes.map(({ condition }) => condition)).toEqual(['unmatchable-event']);
  });

  test('of another run are said to be that', () => {
    const judgement = judge(trail(told(GATE, 0, 'approval_pending'), { journal: { run_id: 'run-2', events: [] } }));
    expect(judgement.notes).toMatchObject([
      { condition: 'run-mismatch', where: 'journal', expected: 'run-1', actual: 'run-2' },
    ]);
  });
});

describe('parts of the open trail', () => {
  const day = 'notify:@open:2026-10-13';
  const port = new MemoryPort();
  const writer = new TrailWriter(port, day);
  writer.append({ kind: 'watch', key: GATE, runId: 'run-1', at: BigInt(Date.parse(at(-1))) * 1_000_000n });
  const leaves = port.load(day, 0);
  const head = headOver(day, leaves, BigInt(Date.parse(at(10))) * 1_000_000n);
  const segment = { format: 'bide-audit.notify-trail.v1', trail: day, leaves: leaves.map(base64), heads: [head] };

  test('are each bound to their own heads', () => {
    const run = documentOf(trail(told(GATE, 0, 'approval_pending')));
    const companions = readCompanions({ open: [{ name: 'segment.json', bytes: utf8(JSON.stringify(segment)) }] });
    const judgement = judgeTrail(companions.complete(run).document, { ring: LOG_RING });
    expect(judgement.parts.get(day)).toMatchObject({ bound: true, attested: 1 });
    const forged = { ...segment, heads: [{ ...head, run_id: 'notify:@open:2026-10-14' }] };
    const other = readCompanions({ open: [{ name: 'segment.json', bytes: utf8(JSON.stringify(forged)) }] });
    const notes = judgeTrail(other.complete(run).document, { ring: LOG_RING }).notes;
    expect(notes).toMatchObject([
      { condition: 'binding-unverified' },
      { condition: 'head-invalid', where: `open:${day}` },
    ]);
  });

  test('are judged by themselves when one is the document', () => {
    const judgement = judge(segment, { ring: LOG_RING });
    expect([judgement.binding.bound, judgement.folds.get(day)?.watched.map(({ key }) => key), judgement.notes]).toEqual(
      [true, [GATE], []],
    );
  });

  test('take heads that are given beside the document, each the part that it names', async () => {
    const run = trail(told(GATE, 0, 'approval_pending'), { heads: [] });
    const exported = { format: 'bide.audit.trail-export.v1', trail: day, leaves: leaves.map(base64) };
    const companions = readCompanions({ open: [{ name: 'segment.json', bytes: utf8(JSON.stringify(exported)) }] });
    const input = (path: string, value: unknown) => ({ path, source: memorySource(utf8(JSON.stringify(value))) });
    const trust = { ...NO_TRUST, keys: [{ name: 'log', roles: ['log'] as const, key: LOG_KEY.publicKey }] };
    const heads = [input('head.json', head), input('other.json', { ...head, run_id: 'notify:run-9' })];
    const verifier = trailVerifier({ complete: (document) => companions.complete(document).document });
    const outcome = await verifier.verify(input('trail.json', run), { trust, heads, now: () => undefined });
    const said = outcome.findings.map(({ code, where }) => [code, where.part]);
    expect(said).toEqual([['notify/binding-unverified', 'heads']]);
    expect(outcome.notSupplied?.filter((text) => text.startsWith('other.json'))).toHaveLength(1);
  });

  test('give a day only where their names do', () => {
    expect([
      segmentDay(day),
      segmentDay('notify:@open20261013'),
      segmentDay('notify:@open:2026-13-01'),
      segmentDay('notify:@open:index:2026'),
    ]).toEqual(['2026-10-13', '2026-10-13', undefined, undefined]);
    expect(
      judge(
        opened({
          more: {
            segments: [
              { name: 'notify:@open/x', day: '2026-10-13', records: [{ kind: 'watch', key: GATE, at: at(-1) }] },
            ],
          },
        }),
      ).notes,
    ).toEqual([]);
  });
});

describe('a writer', () => {
  test('appends at the length that it loaded, and loses the race otherwise', () => {
    const port = new MemoryPort();
    const [one, two] = [new TrailWriter(port, 't'), new TrailWriter(port, 't')];
    const record = { kind: 'recovered', at: 1n };
    expect([one.append(record), two.append(record), two.reload(), two.append(record)]).toEqual([true, false, 1, true]);
    expect(port.load('t', 0).length).toBe(2);
  });

  test('writes nothing that a reader could not use', () => {
    expect(() => new TrailWriter(new MemoryPort(), 't').append({ kind: 'claimed', at: 1n })).toThrow(RangeError);
  });
});

describe('durations', () => {
  test('read back as they are shown', () => {
    fc.assert(
      fc.property(fc.bigInt(-(1n << 62n), 1n << 62n), (value) => parseDuration(formatDuration(value)) === value),
    );
  });
  test.each(['', '5', 'm', '1d', '5m ', '1.5', '.s', '1h-2m', '9'.repeat(300)])('refuse %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

test('every condition of the specification has an entry, and every entry a rule', () => {
  const codes = Object.keys(catalogue.entries);
  expect(codes.length).toBe(102 + 6);
  for (const entry of Object.values(catalogue.entries)) expect(entry.rule).toMatch(/^notifications \d+(\.\d+)?$/);
});
