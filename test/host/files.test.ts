import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runJob } from '../../src/corpus/run.ts';
import { openFile } from '../../src/host/files.ts';
import { NO_TRUST } from '../../src/trust/trust.ts';

// Files of some systems tell of more bytes than they give, as a file on a failing disk does.
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const stat = (path: string) => {
    const real = fs.statSync(path);
    return path.endsWith('claims-more') ? Object.assign(real, { size: 4096 }) : real;
  };
  return { ...fs, statSync: stat };
});

describe('a file', () => {
  let folder = '';
  const made = (name: string, bytes: Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-files-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('that cannot be read at all is unreadable when it is opened, and so is the input', async () => {
    const path = made('claims-more', new Uint8Array(0));
    expect(statSync(path).size).toBe(4096);
    expect(() => openFile(path)).toThrow('the file became shorter while it was read');
    const { report } = await runJob({ path, walked: false }, { trust: NO_TRUST });
    expect(report).toMatchObject({ result: 'unusable_input', findings: [{ code: 'input/unreadable' }] });
  });

  it.each([0, 1, 65_535, 65_536, 65_537, 200_000])('of %i bytes gives each of them from every position', (size) => {
    const bytes = Uint8Array.from({ length: size }, (_, at) => (at * 7919) >> 3);
    const file = openFile(made('plain', bytes));
    expect(file.size).toBe(size);
    for (const offset of [0, 1, size - 1, size >> 1, size, size + 1].filter((at) => at >= 0)) {
      const whole: number[] = [];
      for (let at = offset; at < size; ) {
        const piece = file.read(at, 100_000);
        expect(piece.length).toBeGreaterThan(0);
        whole.push(...piece);
        at += piece.length;
      }
      expect(Uint8Array.from(whole)).toEqual(bytes.subarray(offset));
      if (offset === 1) file.close();
    }
    expect(file.read(size, 1)).toHaveLength(0);
    file.close();
  });
});
