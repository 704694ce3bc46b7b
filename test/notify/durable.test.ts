/** Trails on disk: the record codec appends through `src/durable`, one leaf in base64 a line, under a lock. */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { base64, unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { AppendFile } from '../../src/durable/appendFile.ts';
import { createFile } from '../../src/durable/files.ts';
import { takeLock } from '../../src/durable/lock.ts';
import { readLeaf } from '../../src/notify/leaf.ts';
import { type TrailPort, TrailWriter } from '../../src/notify/write.ts';
import { headOver, judge, LOG_RING } from './judging.ts';

class FolderPort implements TrailPort {
  readonly #folder: string;
  constructor(folder: string) {
    this.#folder = folder;
  }
  path(trail: string): string {
    return join(this.#folder, encodeURIComponent(trail));
  }
  load(trail: string, from: number): readonly Uint8Array[] {
    if (!existsSync(this.path(trail))) return [];
    const lines = readFileSync(this.path(trail), 'utf8').split('\n').slice(0, -1);
    return lines.slice(from).map((line) => unbase64(line) as Uint8Array);
  }
  append(trail: string, position: number, leaf: Uint8Array): boolean {
    const path = this.path(trail);
    const lock = takeLock(`${path}.lock`, { since: '2026-10-13T09:00:00Z' });
    try {
      createFile(path, new Uint8Array());
      const { file } = AppendFile.open(path, (rest) => {
        const data = unbase64(new TextDecoder().decode(rest));
        return data !== undefined && typeof readLeaf(data) !== 'string';
      });
      try {
        if (this.load(trail, 0).length !== position) return false;
        file.append(utf8(`${base64(leaf)}\n`), true);
        return true;
      } finally {
        file.close();
      }
    } finally {
      lock.release();
    }
  }
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-trails-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('two writers share a trail on disk, a torn tail is cut off, and what was appended verifies under a head', () => {
  const port = new FolderPort(folder);
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
  expect(two.append({ kind: 'claimed', key: 'k', at: start + second, holder: 'w2', until: start + 61n * second })).toBe(
    true,
  );
  appendFileSync(port.path(trail), 'YmlkZS5hdWRpdC5ldm');
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
});
