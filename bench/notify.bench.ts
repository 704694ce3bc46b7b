/** Trails: folding and judging against the floor of parsing the document (at most three times as long in all). */
import { utf8 } from '../src/bytes/encoding.ts';
import { parseTree } from '../src/json/tree.ts';
import { readTrailDocument } from '../src/notify/input.ts';
import { judgeTrail } from '../src/notify/verify.ts';
import { compare, type Measurement } from './bench.ts';

/** `AUDIT_BENCH_RECORDS=1000000` for the full size, which needs some gigabytes of memory. */
const RECORDS = Number(process.env['AUDIT_BENCH_RECORDS'] ?? 100_000);

/** A document of events that are observed, claimed and acknowledged. */
export function trailOf(records: number): Uint8Array {
  const start = Date.parse('2026-10-13T00:00:00Z');
  const time = (seconds: number) => new Date(start + seconds * 1000).toISOString();
  const rows: string[] = [];
  for (let i = 0; rows.length < records; i++) {
    const key = `halted:run-1:tool:call-${i}:${start}`;
    const common = `"key":"${key}","run_id":"run-1"`;
    rows.push(
      `{"kind":"observed",${common},"at":"${time(i)}","event_kind":"outcome_unknown","event_at":"${time(i)}","deadline_at":"${time(i + 300)}","op_run":"run-1","op_kind":"tool","op_id":"call-${i}"}`,
      `{"kind":"claimed",${common},"at":"${time(i)}","holder":"w1","until":"${time(i + 120)}"}`,
      `{"kind":"acked",${common},"at":"${time(i + 1)}","first_sent_at":"${time(i)}","attempts":1,"status":200}`,
    );
  }
  const head = '{"format":"bide-audit.notify-trail.v1","trail":"notify:run-1","run_id":"run-1","records":[';
  return utf8(`${head}${rows.slice(0, records).join(',')}]}`);
}

export const benches: readonly Measurement[] = [
  {
    name: `fold and verify a trail of ${RECORDS} records, against parsing it`,
    most: 3,
    async measure() {
      const bytes = trailOf(RECORDS);
      const { a, b } = await compare(
        () => {
          const reading = readTrailDocument(bytes);
          if (!reading.ok) throw new Error(reading.problems[0]?.message);
          const { notes } = judgeTrail(reading.value);
          if (notes.some(({ severity }) => severity === 'error')) throw new Error(notes[0]?.message);
        },
        () => parseTree(bytes),
        RECORDS > 200_000 ? 1 : 3,
      );
      const rate = Math.round(RECORDS / a / 1000);
      return {
        ratio: a / b,
        detail: `${a.toFixed(2)} s to read and judge (${rate} thousand records a second), ${b.toFixed(2)} s to parse`,
      };
    },
  },
];
