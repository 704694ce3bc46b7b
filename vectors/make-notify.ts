/**
 * Writes vectors/notify/findings.json: for each finding of notifications 14 a trail that keeps its rule and one that breaks only it. The
 * answers stand here, written by hand; the library is asked only for leaves and signatures.
 */

import { createHash } from 'node:crypto';
import { base64, concat, unbase64, utf8 } from '../src/bytes/encoding.ts';
import { formatPublicKey, importPrivateKey, isUnusable } from '../src/crypto/keys.ts';
import { EVENT_LEAF_TAG } from '../src/journal/leaf.ts';
import { type HeadContent, signHead } from '../src/log/head.ts';
import { trailHead } from '../src/notify/write.ts';
import { Scene } from './approval-scenes.ts';
import { write } from './place.ts';
import {
  ABORT,
  acked,
  allClear,
  at,
  BACKFILLED,
  CHECKPOINT,
  claimed,
  type Document,
  FIRST,
  fact,
  GATE,
  HALT,
  mark,
  next,
  opened,
  overdue,
  type Row,
  SEAL,
  SECOND,
  seen,
  step,
  told,
  trail,
  WATCH,
} from './trail-scenes.ts';

interface Pair {
  readonly condition: string;
  readonly keeps: Document;
  readonly breaks: Document;
  readonly pubkey?: boolean;
}

/** The delivery ID of the gate's event: SHA-256 of its key. */
const DELIVERY = createHash('sha256').update(GATE).digest('hex');
const gate = told(GATE, 0, 'approval_pending');
const halt = told(HALT, 0, 'outcome_unknown');
const routed = (routing: Document, more: Document = {}): Document => ({ routing, ...more });
const CHAIN = { escalation: { approval_pending: ['ops'] } };
const decided = { journal: { events: [fact(GATE, 'approval_pending', 0, { current: false, resolved_at: at(100) })] } };
const open3 = [claimed(GATE, 1, 30), claimed(GATE, 31, 30), claimed(GATE, 61, 30)];
const pending = seen(GATE, 0, 'approval_pending');
const cleared = (seconds: number, reason = 'decided') => mark('cleared', GATE, seconds, { reason });
const failingSince = { kind: 'failing_since', run_id: 'run-1', at: at(0), reason: 'store_error' };
const recovered = (seconds: number) => ({ kind: 'recovered', run_id: 'run-1', at: at(seconds) });
const recovery = (seconds: number, episode = 0) => told(`recovery:run-1:${episode}`, seconds, 'recovery_failing');
const approvers = { journal: { events: [fact(GATE, 'approval_pending', 0, { approvers: ['alice', 'bob'] })] } };
const BY_APPROVER = { approver_routes: { alice: 'finance', bob: 'risk' } };
const fan = (receiver: string, named = receiver) => told(`to:${named}:${GATE}`, 0, 'approval_pending', { receiver });
const expiredTail = allClear(GATE, 100, 'expired');
const expiry = told('expired:run-1:g', 97, 'approval_expired');

const SIMPLE: readonly Pair[] = [
  {
    condition: 'malformed-record',
    keeps: trail(gate),
    breaks: trail([...gate, { kind: 'claimed', key: GATE, holder: 'w1' }]),
  },
  {
    condition: 'unknown-kind',
    keeps: trail(gate),
    breaks: trail([...gate, { kind: 'of_a_later_version', at: at(3) }]),
  },
  { condition: 'misplaced-record', keeps: trail(gate), breaks: trail([...gate, mark('watch', GATE, 3)]) },
  {
    condition: 'run-mismatch',
    keeps: trail(gate),
    breaks: trail([seen(GATE, 0, 'approval_pending', { op_run: 'run-2' }), ...gate.slice(1)]),
  },
  { condition: 'future-record', keeps: trail(gate, { as_of: at(2) }), breaks: trail(gate, { as_of: at(-6) }) },
  {
    condition: 'time-backwards',
    keeps: trail([...gate, ...told(ABORT, 2, 'run_aborted')]),
    breaks: trail([...gate, ...told(ABORT, -60, 'run_aborted')]),
  },
  { condition: 'duplicate-observed', keeps: trail(gate), breaks: trail([pending, ...gate]) },
  { condition: 'record-before-observed', keeps: trail(gate), breaks: trail([claimed(GATE, 0), ...gate]) },
  { condition: 'record-after-terminal', keeps: trail(gate), breaks: trail([...gate, claimed(GATE, 3)]) },
  {
    condition: 'duplicate-mark',
    keeps: trail([pending, ...open3, mark('failing', GATE, 91, { failures: 9 }), claimed(GATE, 92), acked(GATE, 93)]),
    breaks: trail([
      pending,
      ...open3,
      mark('failing', GATE, 91, { failures: 9 }),
      mark('failing', GATE, 91, { failures: 9 }),
      claimed(GATE, 92),
      acked(GATE, 93),
    ]),
  },
  {
    condition: 'impossible-time',
    keeps: trail(gate),
    breaks: trail([pending, claimed(GATE, 1), acked(GATE, 2, { first_sent_at: at(3) })]),
  },
  {
    condition: 'claim-invalid',
    keeps: trail(gate),
    breaks: trail([pending, claimed(GATE, 1, 120, ''), acked(GATE, 2)]),
  },
  {
    condition: 'claim-overlap',
    keeps: trail([pending, claimed(GATE, 1, 60), claimed(GATE, 61, 60, 'w2'), acked(GATE, 62)]),
    breaks: trail([pending, claimed(GATE, 1, 60), claimed(GATE, 60, 60, 'w2'), acked(GATE, 62)]),
  },
  {
    condition: 'claim-ttl-short',
    keeps: trail([pending, claimed(GATE, 1, 30), acked(GATE, 2)]),
    breaks: trail([pending, claimed(GATE, 1, 29), acked(GATE, 2)]),
  },
  { condition: 'ack-without-claim', keeps: trail(gate), breaks: trail([pending, acked(GATE, 2)]) },
  {
    condition: 'ack-after-claim-lapsed',
    keeps: trail([pending, claimed(GATE, 1, 30), acked(GATE, 36)]),
    breaks: trail([pending, claimed(GATE, 1, 30), acked(GATE, 37)]),
  },
  {
    condition: 'ack-evidence-missing',
    keeps: trail(gate),
    breaks: trail([pending, claimed(GATE, 1), acked(GATE, 2, { attempts: 0 })]),
  },
  {
    condition: 'ack-status',
    keeps: trail([pending, claimed(GATE, 1), acked(GATE, 2, { status: 299 })]),
    breaks: trail([pending, claimed(GATE, 1), acked(GATE, 2, { status: 300 })]),
  },
  {
    condition: 'failing-not-recorded',
    keeps: trail([pending, ...open3, acked(GATE, 90)]),
    breaks: trail([pending, ...open3, claimed(GATE, 92), acked(GATE, 93)]),
  },
  {
    condition: 'failing-early',
    keeps: trail([pending, ...open3, mark('failing', GATE, 91, { failures: 9 }), claimed(GATE, 92), acked(GATE, 93)]),
    breaks: trail([
      pending,
      claimed(GATE, 1, 30),
      mark('failing', GATE, 31, { failures: 3 }),
      claimed(GATE, 32),
      acked(GATE, 33),
    ]),
  },
  {
    condition: 'deadline-missing',
    keeps: trail(gate),
    breaks: trail([seen(GATE, 0, 'approval_pending', { deadline_at: null }), ...gate.slice(1)]),
  },
  {
    condition: 'deadline-invalid',
    keeps: trail([seen(GATE, 0, 'approval_pending', { deadline_at: at(1) }), claimed(GATE, 0), acked(GATE, 0)]),
    breaks: trail([seen(GATE, 0, 'approval_pending', { deadline_at: at(0) }), claimed(GATE, 0), acked(GATE, 0)]),
  },
  {
    condition: 'deadline-on-clear',
    keeps: trail([...gate, ...allClear(GATE, 100, 'decided')]),
    breaks: trail([...gate, ...allClear(GATE, 100, 'decided', { deadline_at: at(400) })]),
  },
  {
    condition: 'never-acknowledged',
    keeps: trail([pending, claimed(GATE, 1), ...overdue(GATE), cleared(310), ...allClear(GATE, 311, 'decided')]),
    breaks: trail([pending, claimed(GATE, 1), ...overdue(GATE)]),
  },
  {
    condition: 'delivery-pending',
    keeps: trail(gate, { as_of: at(300) }),
    breaks: trail([pending, claimed(GATE, 1)], { as_of: at(300) }),
  },
  {
    condition: 'acknowledged-late',
    keeps: trail([pending, claimed(GATE, 290), acked(GATE, 300)]),
    breaks: trail([pending, claimed(GATE, 290), acked(GATE, 301)]),
  },
  { condition: 'overdue-not-recorded', keeps: trail([pending, cleared(600)]), breaks: trail([pending, cleared(601)]) },
  {
    condition: 'overdue-early',
    keeps: trail([pending, ...overdue(GATE, 300e9, 300), cleared(304)]),
    breaks: trail([pending, ...overdue(GATE, 299e9, 299), cleared(304)]),
  },
  {
    condition: 'overdue-latency',
    keeps: trail([pending, ...overdue(GATE), cleared(304)]),
    breaks: trail([pending, ...overdue(GATE, 301e9 + 128), cleared(304)]),
  },
  {
    condition: 'overdue-notice-missing',
    keeps: trail([pending, ...overdue(GATE), cleared(304)]),
    breaks: trail([pending, ...overdue(GATE).slice(0, 1), cleared(304)]),
  },
  {
    condition: 'overdue-notice-unexpected',
    keeps: trail([pending, ...overdue(GATE), cleared(304)]),
    breaks: trail([pending, ...overdue(GATE).slice(1), cleared(304)]),
  },
  {
    condition: 'receiver-name',
    keeps: trail(told(GATE, 0, 'approval_pending', { receiver: 'ops' })),
    breaks: trail(told(GATE, 0, 'approval_pending', { receiver: 'Ops' })),
  },
  {
    condition: 'unknown-receiver',
    keeps: trail(told('digest:1', 0, 'digest'), routed({})),
    breaks: trail(told('digest:1', 0, 'digest', { receiver: 'ops' }), routed({})),
  },
  {
    condition: 'wrong-receiver',
    keeps: trail(told(HALT, 0, 'outcome_unknown', { receiver: 'ops' }), routed({ routes: { outcome_unknown: 'ops' } })),
    breaks: trail(halt, routed({ routes: { outcome_unknown: 'ops' } })),
  },
  {
    condition: 'receiver-missing',
    keeps: trail(
      [...fan('finance'), ...fan('risk').map((row) => ({ ...row, at: row['at'] === at(0) ? at(2) : at(3) }))],
      routed(BY_APPROVER, approvers),
    ),
    breaks: trail(fan('finance'), routed(BY_APPROVER, approvers)),
  },
  { condition: 'fan-out-key', keeps: trail(fan('finance')), breaks: trail(fan('finance', 'risk')) },
  {
    condition: 'fan-out-unneeded',
    keeps: trail(
      told(GATE, 0, 'approval_pending', { receiver: 'finance' }),
      routed({ approver_routes: { alice: 'finance', bob: 'finance' } }, approvers),
    ),
    breaks: trail(fan('finance'), routed({ approver_routes: { alice: 'finance', bob: 'finance' } }, approvers)),
  },
  { condition: 'approvers-unknown', keeps: trail(halt, routed(BY_APPROVER)), breaks: trail(gate, routed(BY_APPROVER)) },
  {
    condition: 'orphan-derived-event',
    keeps: trail([...gate, ...allClear(GATE, 100, 'decided')]),
    breaks: trail([...gate, ...allClear('approval:run-1:other', 100, 'decided')]),
  },
  {
    condition: 'escalation-missing',
    keeps: trail(gate, routed(CHAIN, { as_of: at(599) })),
    breaks: trail(gate, routed(CHAIN, { as_of: at(600) })),
  },
  {
    condition: 'escalation-early',
    keeps: trail([...gate, ...step(1, GATE, 300, 'ops')], routed(CHAIN)),
    breaks: trail([...gate, ...step(1, GATE, 299, 'ops')], routed(CHAIN)),
  },
  {
    condition: 'escalation-late',
    keeps: trail([...gate, ...step(1, GATE, 600, 'ops')], routed(CHAIN)),
    breaks: trail([...gate, ...step(1, GATE, 601, 'ops')], routed(CHAIN)),
  },
  {
    condition: 'escalation-unwarranted',
    keeps: trail([...gate, ...step(1, GATE, 300, 'ops')], routed(CHAIN)),
    breaks: trail([...halt, ...step(1, HALT, 300, 'ops')], routed({ escalation: { outcome_unknown: ['ops'] } })),
  },
  {
    condition: 'escalation-out-of-order',
    keeps: trail([...gate, ...step(1, GATE, 300, 'ops'), ...step(2, GATE, 600, 'cto')]),
    breaks: trail([...gate, ...step(2, GATE, 300, 'cto')]),
  },
  {
    condition: 'escalation-level',
    keeps: trail([...gate, ...step(1, GATE, 300, 'ops')]),
    breaks: trail([...gate, ...step(1, GATE, 300, 'ops', { level: 2 })]),
  },
  {
    condition: 'escalation-receiver',
    keeps: trail([...gate, ...step(1, GATE, 300, 'ops')], routed(CHAIN)),
    breaks: trail([...gate, ...step(1, GATE, 300, 'desk')], routed({ ...CHAIN, routes: { run_aborted: 'desk' } })),
  },
  {
    condition: 'escalation-unconfigured',
    keeps: trail([...gate, ...step(1, GATE, 300, 'ops')], routed(CHAIN)),
    breaks: trail([...gate, ...step(1, GATE, 300, 'ops')], routed({ escalation: { outcome_unknown: ['ops'] } })),
  },
  {
    condition: 'all-clear-missing',
    keeps: trail(gate, { ...decided, as_of: at(399) }),
    breaks: trail(gate, { ...decided, as_of: at(400) }),
  },
  {
    condition: 'all-clear-late',
    keeps: trail([...gate, ...allClear(GATE, 398, 'decided', { event_at: at(100) })]),
    breaks: trail([...gate, ...allClear(GATE, 399, 'decided', { event_at: at(100) })]),
  },
  {
    condition: 'all-clear-not-acknowledged',
    keeps: trail([...gate, ...allClear(GATE, 100, 'decided')]),
    breaks: trail([...gate, ...allClear(GATE, 100, 'decided').slice(0, 2)]),
  },
  {
    condition: 'all-clear-unowed',
    keeps: trail([pending, claimed(GATE, 1), cleared(50), ...allClear(GATE, 51, 'decided')]),
    breaks: trail([pending, cleared(50), ...allClear(GATE, 51, 'decided')]),
  },
  {
    condition: 'all-clear-receiver',
    keeps: trail([...gate, ...allClear(GATE, 100, 'decided')]),
    breaks: trail([...gate, ...allClear(GATE, 100, 'decided', { receiver: 'ops' })]),
  },
  {
    condition: 'all-clear-false',
    keeps: trail([...gate, ...allClear(GATE, 100, 'decided')], decided),
    breaks: trail([...gate, ...allClear(GATE, 100, 'decided')], {
      journal: { events: [fact(GATE, 'approval_pending', 0)] },
    }),
  },
  {
    condition: 'clear-reason',
    keeps: trail([pending, cleared(50, 'ended')]),
    breaks: trail([pending, cleared(50, 'recovered')]),
  },
  {
    condition: 'fact-cleared',
    keeps: trail(told(ABORT, 0, 'run_aborted')),
    breaks: trail([seen(ABORT, 0, 'run_aborted'), mark('cleared', ABORT, 5, { reason: 'ended' })]),
  },
  {
    condition: 'expired-missing',
    keeps: trail([...gate, ...expiry, ...expiredTail]),
    breaks: trail([...gate, ...expiredTail]),
  },
  {
    condition: 'expired-unmatched',
    keeps: trail([...gate, ...expiry, ...expiredTail]),
    breaks: trail([...gate, ...expiry, ...allClear(GATE, 102, 'decided')]),
  },
  {
    condition: 'recovery-nested',
    keeps: trail([failingSince, recovered(60)]),
    breaks: trail([failingSince, { ...failingSince, at: at(30) }, recovered(60)]),
  },
  {
    condition: 'recovery-unmatched',
    keeps: trail([failingSince, recovered(60)]),
    breaks: trail([failingSince, recovered(60), recovered(61)]),
  },
  {
    condition: 'recovery-cause',
    keeps: trail([{ ...failingSince, reason: 'not_resumable' }, recovered(60)]),
    breaks: trail([{ ...failingSince, reason: 'disk full' }, recovered(60)]),
  },
  {
    condition: 'recovery-event-without-episode',
    keeps: trail([failingSince, ...recovery(901)], { as_of: at(1000) }),
    breaks: trail(recovery(901), { as_of: at(1000) }),
  },
  {
    condition: 'recovery-event-early',
    keeps: trail([failingSince, ...recovery(901)], { as_of: at(1000) }),
    breaks: trail([failingSince, ...recovery(900)], { as_of: at(1000) }),
  },
  {
    condition: 'recovery-event-missing',
    keeps: trail([failingSince, recovered(1200)]),
    breaks: trail([failingSince, recovered(1201)]),
  },
  {
    condition: 'recovery-episode-number',
    keeps: trail([failingSince, ...recovery(901)], { as_of: at(1000) }),
    breaks: trail([failingSince, ...recovery(901, 1)], { as_of: at(1000) }),
  },
  {
    condition: 'event-missing',
    keeps: trail(gate, { journal: { events: [fact(GATE, 'approval_pending', 0)] } }),
    breaks: trail([], { journal: { events: [fact(GATE, 'approval_pending', 0)] } }),
  },
  {
    condition: 'event-too-young',
    keeps: trail(gate, { journal: { events: [fact(GATE, 'approval_pending', 0)] }, as_of: at(300) }),
    breaks: trail([], { journal: { events: [fact(GATE, 'approval_pending', 0)] }, as_of: at(300) }),
  },
  {
    condition: 'event-unexpected',
    keeps: trail(told(ABORT, 0, 'run_aborted'), {
      journal: { complete: true, events: [fact(ABORT, 'run_aborted', 0)] },
    }),
    breaks: trail(told(ABORT, 0, 'run_aborted'), { journal: { complete: true, events: [] } }),
  },
  {
    condition: 'kind-mismatch',
    keeps: trail(gate, { journal: { events: [fact(GATE, 'approval_pending', 0)] } }),
    breaks: trail(gate, { journal: { events: [fact(GATE, 'outcome_unknown', 0)] } }),
  },
  {
    condition: 'observed-before-event',
    keeps: trail(gate, { journal: { events: [fact(GATE, 'approval_pending', 5)] } }),
    breaks: trail(gate, { journal: { events: [fact(GATE, 'approval_pending', 6)] } }),
  },
  {
    condition: 'wrong-notify-id',
    keeps: trail(gate, {
      deliveries: [{ id: DELIVERY, key: GATE }],
    }),
    breaks: trail(gate, { deliveries: [{ id: '00'.repeat(32), key: GATE }] }),
  },
  {
    condition: 'unknown-delivery',
    keeps: trail(gate, { deliveries: [{ id: DELIVERY }] }),
    breaks: trail(gate, { deliveries: [{ id: '00'.repeat(32) }] }),
  },
];

const watchB = mark('watch', 'approval:run-2:x', next(60));
const ended = [...gate, ...allClear(GATE, 100, 'decided')];
const both = [FIRST, SECOND];
const OPEN: readonly Pair[] = [
  {
    condition: 'segment-name',
    keeps: opened({}),
    breaks: opened({ more: { segments: [{ name: 'notify:@open/today', records: [BACKFILLED, WATCH] }] } }),
  },
  {
    condition: 'before-first-year',
    keeps: opened({ index: both }),
    breaks: opened({
      more: {
        indexes: [
          { name: 'notify:@open:index:2025', records: [] },
          {
            name: 'notify:@open:index:2026',
            records: both.map((name, i) => ({ kind: 'segment', at: at(next(i)), next: name })),
          },
        ],
      },
    }),
  },
  { condition: 'index-order', keeps: opened({ index: both }), breaks: opened({ index: [SECOND, FIRST] }) },
  { condition: 'index-missing-segment', keeps: opened({ index: both }), breaks: opened({ index: [SECOND] }) },
  {
    condition: 'segment-missing',
    keeps: opened({ index: both }),
    breaks: opened({ index: [...both, 'notify:@open/elsewhere'] }),
  },
  { condition: 'segment-unsealed', keeps: opened({}), breaks: opened({ first: [BACKFILLED, WATCH] }) },
  {
    condition: 'seal-mismatch',
    keeps: opened({}),
    breaks: opened({ first: [BACKFILLED, WATCH, { ...SEAL, next: 'notify:@open:2026-10-15' }] }),
  },
  {
    condition: 'newest-sealed',
    keeps: opened({}),
    breaks: opened({ second: [CHECKPOINT, { kind: 'seal', at: at(next(86_401)), next: 'notify:@open:2026-10-15' }] }),
  },
  {
    condition: 'record-after-seal',
    keeps: opened({}),
    breaks: opened({ first: [BACKFILLED, WATCH, SEAL, mark('watch', 'approval:run-2:x', 10)] }),
  },
  { condition: 'checkpoint-missing', keeps: opened({}), breaks: opened({ second: [watchB] }) },
  {
    condition: 'checkpoint-unexpected',
    keeps: opened({ second: [CHECKPOINT, watchB] }),
    breaks: opened({ second: [CHECKPOINT, { ...CHECKPOINT, at: at(next(70)) }] }),
  },
  {
    condition: 'checkpoint-mismatch',
    keeps: opened({}),
    breaks: opened({ second: [{ ...CHECKPOINT, watching: [{ key: GATE, run_id: 'run-2', at: at(-1) }] }] }),
  },
  {
    condition: 'open-time',
    keeps: opened({ second: [CHECKPOINT, watchB] }),
    breaks: opened({ second: [CHECKPOINT, { ...watchB, at: at(next(86_400)) }] }),
  },
  {
    condition: 'clock-at',
    keeps: opened({ second: [CHECKPOINT, { ...watchB, clock_at: at(next(-1)) }] }),
    breaks: opened({ second: [CHECKPOINT, { ...watchB, clock_at: at(next(61)) }] }),
  },
  {
    condition: 'watch-duplicate',
    keeps: opened({ second: [CHECKPOINT, watchB] }),
    breaks: opened({ second: [CHECKPOINT, watchB, watchB] }),
  },
  {
    condition: 'unwatch-unlisted',
    keeps: opened({ second: [CHECKPOINT, watchB, { ...watchB, kind: 'unwatch' }] }),
    breaks: opened({ second: [CHECKPOINT, { ...watchB, kind: 'unwatch' }] }),
  },
  {
    condition: 'not-listed',
    keeps: opened({}),
    breaks: opened({ first: [BACKFILLED, SEAL], second: [{ ...CHECKPOINT, watching: [] }] }),
  },
  {
    condition: 'watch-late',
    keeps: opened({
      first: [BACKFILLED, mark('watch', GATE, 5), SEAL],
      second: [{ ...CHECKPOINT, watching: [{ key: GATE, run_id: 'run-1', at: at(5) }] }],
    }),
    breaks: opened({
      first: [BACKFILLED, mark('watch', GATE, 6), SEAL],
      second: [{ ...CHECKPOINT, watching: [{ key: GATE, run_id: 'run-1', at: at(6) }] }],
    }),
  },
  {
    condition: 'unwatch-early',
    keeps: opened({ records: ended, second: [CHECKPOINT, mark('unwatch', GATE, next(60))] }),
    breaks: opened({ second: [CHECKPOINT, mark('unwatch', GATE, next(60))] }),
  },
  {
    condition: 'still-listed',
    keeps: opened({ records: ended, second: [CHECKPOINT, mark('unwatch', GATE, next(60))] }),
    breaks: opened({ records: ended }),
  },
  {
    condition: 'backfill-window',
    keeps: opened({}),
    breaks: opened({
      first: [{ ...BACKFILLED, backfill_window: 0 }, WATCH, SEAL],
      second: [{ ...CHECKPOINT, backfill_window: 0 }],
    }),
  },
  {
    condition: 'backfill-early',
    keeps: opened({ second: [CHECKPOINT, { kind: 'backfilled', at: at(next(10)) }] }),
    breaks: opened({ second: [CHECKPOINT, { kind: 'backfilled', at: at(next(9)) }] }),
  },
  {
    condition: 'backfill-excess',
    keeps: opened({ second: [CHECKPOINT, { kind: 'backfilled', at: at(next(10)) }] }),
    breaks: opened({
      second: [CHECKPOINT, { kind: 'backfilled', at: at(next(10)) }, { kind: 'backfilled', at: at(next(11)) }],
    }),
  },
  {
    condition: 'backfill-second-missing',
    keeps: { ...opened({}), as_of: at(next(86_410)) },
    breaks: { ...opened({}), as_of: at(next(86_411)) },
  },
];

const private_ = await importPrivateKey(
  'ed25519',
  Uint8Array.from({ length: 32 }, (_, i) => i + 1),
);
if (isUnusable(private_)) throw new Error(private_.unusable);
const key = private_;

function leaf(record: Row, salt: number): Uint8Array {
  const content = JSON.stringify({ kind: 'notify_record', event: record, salt: base64(new Uint8Array(32).fill(salt)) });
  return concat(EVENT_LEAF_TAG, utf8(content));
}

const leaves = gate.map((row, i) => leaf(row, i));
const HEAD_TIME = BigInt(Date.parse(at(10))) * 1_000_000n;

function head(over: readonly Uint8Array[], more: Partial<HeadContent> = {}): Document {
  const signed = signHead({ ...trailHead('notify:run-1', over, HEAD_TIME), ...more }, key);
  return {
    ...signed,
    journal: undefined,
    root: base64(signed.root ?? new Uint8Array()),
    timestamp_nanos: Number(signed.timestamp_nanos),
    signature: base64(signed.signature ?? new Uint8Array()),
  };
}

function bound(heads: readonly Document[], more: Document = {}): Document {
  return { ...trail(gate), leaves: leaves.map(base64), heads, ...more };
}

const forged = head(leaves);
const signature = unbase64(forged['signature'] as string) as Uint8Array;
signature[0] = (signature[0] as number) ^ 1;
const BOUND: readonly Pair[] = [
  {
    condition: 'records-missing',
    keeps: bound([head(leaves)]),
    breaks: bound([head([...leaves, leaf(claimed(GATE, 3), 9)])]),
  },
  { condition: 'head-behind', keeps: bound([head(leaves)]), breaks: bound([head(leaves.slice(0, 2))]) },
  {
    condition: 'root-mismatch',
    keeps: bound([head(leaves)]),
    breaks: bound([head(leaves)], { leaves: [...leaves.slice(0, 2), leaf(gate[2] as Row, 77)].map(base64) }),
  },
  {
    condition: 'leaf-mismatch',
    keeps: bound([head(leaves)]),
    breaks: bound([head(leaves)], { records: [...gate.slice(0, 2), acked(GATE, 2, { attempts: 2 })] }),
  },
  {
    condition: 'head-invalid',
    keeps: bound([head(leaves)]),
    breaks: bound([{ ...forged, signature: base64(signature) }]),
  },
  { condition: 'binding-unverified', keeps: bound([head(leaves)]), breaks: bound([]) },
].map((pair) => ({ ...pair, pubkey: true }));

interface Case {
  readonly name: string;
  readonly params: Document;
  readonly codes: readonly string[];
}

const pairs = [...SIMPLE, ...OPEN, ...BOUND].flatMap(({ condition, keeps, breaks, pubkey }): Case[] => {
  const params = (document: Document) => ({
    document,
    ...(pubkey === true ? { pubkey: formatPublicKey(key.publicKey) } : {}),
  });
  return [
    { name: `keeps ${condition}`, params: params(keeps), codes: [] },
    { name: `breaks ${condition}`, params: params(breaks), codes: [condition] },
  ];
});

/** A gate that waits, in a raw journal of run-1 as its engine wrote it. */
const scene = new Scene('run-1')
  .start()
  .turn('g')
  .value('approval-pending:g', {
    tool_use_id: 'g',
    tool_name: 'pay',
    need: 1,
    recorded_at: at(0).replace('Z', '.000Z'),
  });
const journal = (records: readonly Uint8Array[]) =>
  base64(
    utf8(JSON.stringify({ format: 'bide.audit.journal-export.v1', run_id: 'run-1', records: records.map(base64) })),
  );
const anonymous = gate.map((row) => ({ ...row, op_run: undefined, op_kind: undefined, op_id: undefined }));
const DERIVED: readonly Case[] = [
  {
    name: 'keeps unmatchable-event',
    params: { document: trail(gate), journal_b64: journal(scene.records) },
    codes: [],
  },
  {
    name: 'breaks unmatchable-event',
    params: { document: trail(anonymous), journal_b64: journal(scene.records) },
    codes: ['event-unexpected', 'unmatchable-event'],
  },
];

const broken = (change: Document, code: string): Case => ({
  name: `breaks ${code}`,
  params: { document: { ...trail(gate), ...change } },
  codes: [code],
});
const UNUSABLE: readonly Case[] = [
  broken({ rooting: {} }, 'document-malformed'),
  broken({ leaves: ['AAAA'] }, 'leaf-malformed'),
  broken({ heads: [{ ...head(leaves), format: 'bide.audit.sth.v4' }] }, 'head-malformed'),
  broken({ routing: { escalation: { outcome_unknown: [] } } }, 'routing-invalid'),
  { name: 'breaks nothing-to-check', params: { document: trail([]) }, codes: ['nothing-to-check'] },
];

const cases = [...pairs, ...DERIVED, ...UNUSABLE].map(({ name, params, codes }) => ({
  name,
  op: 'notify/codes',
  params,
  answer: codes.map((code) => `notify/${code}`),
}));
const about =
  'Notification trails: for each finding of notifications 14 a trail that keeps its rule and one that breaks only it.';
const rows = cases.map((row) => JSON.stringify(row)).join(',\n');
write('notify/findings.json', `{"about":${JSON.stringify(about)},"cases":[\n${rows}\n]}\n`);
