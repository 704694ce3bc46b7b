/** The notifications of the demonstration: the approvers were told that a refund waits, and told again when it was decided. */
import { utf8 } from '../../src/bytes/encoding.ts';
import { RUN } from './journal.ts';
import { CALL } from './session.ts';

const KEY = `approval:${RUN}:${CALL}`;
type Row = Readonly<Record<string, unknown>>;

/** An event seen, claimed by a sender a second later and acknowledged by its receiver another second later. */
function told(key: string, minute: string, event: Row): readonly Row[] {
  const at = (second: string) => `2026-10-13T12:${minute}:${second}Z`;
  const of = { key, run_id: RUN };
  return [
    { kind: 'observed', ...of, at: at('00'), event_at: at('00'), ...event },
    { kind: 'claimed', ...of, at: at('01'), holder: 'sender-1', until: at('31') },
    { kind: 'acked', ...of, at: at('02'), first_sent_at: at('02'), attempts: 1, status: 200 },
  ];
}

export function demoTrail(): Uint8Array {
  const records = [
    ...told(KEY, '00', {
      event_kind: 'approval_pending',
      deadline_at: '2026-10-13T12:05:00Z',
      op_run: RUN,
      op_kind: 'gate',
      op_id: CALL,
    }),
    { kind: 'cleared', key: KEY, run_id: RUN, at: '2026-10-13T12:03:06Z', reason: 'decided' },
    ...told(`resolved:${KEY}`, '04', { event_kind: 'resolved', reason: 'decided' }),
  ];
  const trail = {
    format: 'bide-audit.notify-trail.v1',
    trail: `notify:${RUN}`,
    run_id: RUN,
    as_of: '2026-10-13T12:10:00Z',
    records,
  };
  return utf8(`${JSON.stringify(trail)}\n`);
}
