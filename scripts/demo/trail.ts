/** The notifications of the demonstration: the approvers were told that a refund waits, and told again when it was decided. */
import { base64, concat, utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';
import { EVENT_LEAF_TAG } from '../../src/journal/leaf.ts';
import { encode } from '../../src/json/shape.ts';
import { headShape, signHead } from '../../src/log/head.ts';
import { trailHead } from '../../src/notify/write.ts';
import type { Instant } from '../../src/time/instant.ts';
import { RUN } from './journal.ts';
import { CALL } from './session.ts';

const KEY = `approval:${RUN}:${CALL}`;
const TRAIL = `notify:${RUN}`;
type Row = Readonly<Record<string, unknown>>;

/** An event seen, claimed by a sender a second later and acknowledged by its receiver another second later. */
function told(key: string, time: string, event: Row): readonly Row[] {
  const at = (second: string) => `2026-10-13T${time}:${second}Z`;
  const of = { key, run_id: RUN };
  return [
    { kind: 'observed', ...of, at: at('00'), event_at: at('00'), ...event },
    { kind: 'claimed', ...of, at: at('01'), holder: 'sender-1', until: at('31') },
    { kind: 'acked', ...of, at: at('02'), first_sent_at: at('02'), attempts: 1, status: 200 },
  ];
}

function demoRecords(): readonly Row[] {
  return [
    ...told(KEY, '08:59', {
      event_kind: 'approval_pending',
      deadline_at: '2026-10-13T09:04:00Z',
      op_run: RUN,
      op_kind: 'gate',
      op_id: CALL,
    }),
    ...told(`resolved:${KEY}`, '09:01', { event_kind: 'resolved', reason: 'decided' }),
  ];
}

/** Each record as the leaf that the log holds, with its salt. */
function demoLeaves(): readonly Uint8Array[] {
  return demoRecords().map((event, i) => {
    const salt = base64(sha256(utf8(`audit demonstration: salt of notification ${i}`)));
    return concat(EVENT_LEAF_TAG, utf8(JSON.stringify({ kind: 'notify_record', event, salt })));
  });
}

export function demoTrail(): Uint8Array {
  const trail = {
    format: 'bide-audit.notify-trail.v1',
    trail: TRAIL,
    run_id: RUN,
    as_of: '2026-10-13T12:15:00Z',
    records: demoRecords(),
    leaves: demoLeaves().map(base64),
  };
  return utf8(`${JSON.stringify(trail)}\n`);
}

export function demoTrailHead(log: PrivateKey, at: Instant): Uint8Array {
  return encode(headShape, signHead(trailHead(TRAIL, demoLeaves(), at), log));
}
