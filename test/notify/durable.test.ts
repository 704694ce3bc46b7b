/** Trails on disk: the record codec appends through `src/durable`, to a file a trail under a lock, or to a database. */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { base64 } from '../../src/bytes/encoding.ts';
import { FolderTrails, TableTrails, type TrailLog } from '../../src/durable/trailLog.ts';
import { type TrailPort, TrailWriter } from '../../src/notify/write.ts';
import { headOver, judge, LOG_RING } from './judging.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-trails-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const PORTS: readonly (readonly [string, () => TrailLog | Promise<TrailLog>])[] = [
  ['in a folder', () => new FolderTrails(folder, () => '2026-10-13T09:00:00Z')],
  ['in a database', () => TableTrails.open(join(folder, 'trails.db'))],
];

test.each(PORTS)(
  'two writers share a trail %s, a torn tail is cut off, and what was appended verifies under a head',
  async (_, open) => {
    const port: TrailPort & TrailLog = await open();
    const trail = 'notify:run-1';
    const [one, two] = [new TrailWriter(port, trail), new TrailWriter(port, trail)];
    const start = 1_791_882_000_000_000_000n;
    const second = 1_000_000_000n;
    expect(
      one.append({
        kind: 'observed',
        key: 'k',
        runId: 'run-1',
        at: start,
        eventKind: 'outcome_unknown',
        deadlineAt: start + 300n * second,
      }),
    ).toBe(true);
    expect(two.append({ kind: 'claimed', key: 'k', at: start, holder: 'w2', until: start + 60n * second })).toBe(false);
    expect(two.reload()).toBe(1);
    expect(
      two.append({ kind: 'claimed', key: 'k', at: start + second, holder: 'w2', until: start + 61n * second }),
    ).toBe(true);
    if (port instanceof FolderTrails) appendFileSync(port.path(trail), 'YmlkZS5hdWRpdC5ldm');
    expect(
      two.append({
        kind: 'acked',
        key: 'k',
        at: start + 2n * second,
        firstSentAt: start + second,
        attempts: 1,
        status: 200,
      }),
    ).toBe(true);
    const leaves = port.load(trail, 0);
    const document = { format: 'bide.audit.trail-export.v1', trail, leaves: leaves.map(base64) };
    const judgement = judge(
      { ...document, format: 'bide-audit.notify-trail.v1', heads: [headOver(trail, leaves, start + 3n * second)] },
      { ring: LOG_RING },
    );
    expect([judgement.notes, judgement.binding.bound, judge(document).state.events.get('k')?.acked?.index]).toEqual([
      [],
      true,
      2,
    ]);
    expect(port.append(trail, 2, leaves[0] as Uint8Array)).toBe(false);
    expect(port.load('notify:none', 0)).toEqual([]);
    port.close();
  },
);
