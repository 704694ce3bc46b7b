/** 10,000 small sessions: on one core against all of them (Linux: `taskset`), and the memory that it takes. `AUDIT_BENCH_FILES` sets another number. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, type Measurement, time } from './bench.ts';
import { sessionFile } from './sessionFile.ts';

const PROGRAM = fileURLToPath(new URL('../cmd/audit.js', import.meta.url));
const FILES = Number(process.env['AUDIT_BENCH_FILES'] ?? '10000');

/** Prints the most memory that the process held, in KiB, when it ends. */
const MEMORY = `--import=${new URL('./tellPeak.js', import.meta.url).href}`;

/** A run on `cores` of the machine's, a worker each. Gives the KiB of memory that it took at most. */
function run(folder: string, cores: number): number {
  const program = [process.execPath, MEMORY, PROGRAM, 'verify', 'sessions', '--format', 'ndjson=report.ndjson'];
  const [command = '', ...args] = ['taskset', '--cpu-list', `0-${cores - 1}`, ...program];
  const { stderr, status, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(stderr);
  return Number(/peak (\d+)/.exec(stderr)?.[1]);
}

interface Size {
  readonly turns: number;
  readonly size: number;
}

/** A folder of sessions that differ in their ids, and the size of one in words. */
function corpus(size: Size): { readonly folder: string; readonly each: string } {
  const folder = mkdtempSync(join(tmpdir(), 'audit-bench-'));
  const text = new TextDecoder().decode(sessionFile({ ...size, tools: true, canonical: true }));
  for (let i = 0; i < FILES; i++) {
    const inner = join(folder, 'sessions', String(i % 100));
    if (i < 100) mkdirSync(inner, { recursive: true });
    writeFileSync(join(inner, `${i}.jsonl`), text.replace(/"id":"[^"]*"/, `"id":"session-${i}"`));
  }
  return { folder, each: `${Math.round(text.length / 1000)} KB` };
}

async function inCorpus<T>(size: Size, measure: (folder: string, each: string) => Promise<T> | T): Promise<T> {
  const { folder, each } = corpus(size);
  try {
    return await measure(folder, each);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Two programs that know nothing of each other, half of the folders each: what a second core can give at the most. Seconds. */
async function apart(folder: string): Promise<number> {
  const halves = [0, 1].map((half) =>
    Array.from({ length: 100 }, (_, i) => join('sessions', String(i))).filter((_, i) => i % 2 === half),
  );
  return time(() =>
    Promise.all(
      halves.map((paths, half) => {
        const program = [PROGRAM, 'verify', ...paths, '--workers', '1', '--format', `ndjson=${half}.ndjson`];
        const args = ['--cpu-list', String(half), process.execPath, ...program];
        return once(spawn('taskset', args, { cwd: folder, stdio: 'ignore' }), 'exit');
      }),
    ),
  );
}

/** What each worker compiles for itself, a second and a half, weighs on a run of a few seconds more than on one of ten. */
const SIZES: readonly (Size & { readonly name: string; readonly least?: number })[] = [
  { name: 'six turns', turns: 6, size: 600, least: 1.6 },
  { name: 'two short turns', turns: 2, size: 200 },
];

const CORES = availableParallelism();

export const benches: readonly Measurement[] = [
  ...SIZES.map(
    ({ name, least, ...size }): Measurement => ({
      name: `corpus: ${FILES} sessions of ${name}, one core against ${CORES}`,
      ...(least === undefined ? {} : { least }),
      measure: () =>
        inCorpus(size, async (folder, each) => {
          const { a, b } = await compare(
            () => run(folder, 1),
            () => run(folder, CORES),
            3,
          );
          return { ratio: a / b, detail: `${a.toFixed(1)} s against ${b.toFixed(1)} s, ${each} a session` };
        }),
    }),
  ),
  {
    name: 'corpus: two workers against two programs of half of the sessions each',
    most: 1.15,
    measure: () =>
      inCorpus({ turns: 6, size: 600 }, async (folder) => {
        let [best, ideal] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
        for (let round = 0; round < 3; round++) {
          best = Math.min(best, await time(() => run(folder, 2)));
          ideal = Math.min(ideal, await apart(folder));
        }
        return { ratio: best / ideal, detail: `${best.toFixed(1)} s against ${ideal.toFixed(1)} s` };
      }),
  },
  {
    name: 'corpus: memory of such a run, against 400 MB',
    most: 1,
    measure: () =>
      inCorpus({ turns: 6, size: 600 }, (folder) => {
        const peak = run(folder, CORES) / 1024;
        return { ratio: peak / 400, detail: `${peak.toFixed(0)} MB` };
      }),
  },
];
