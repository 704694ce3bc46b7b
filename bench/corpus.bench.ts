/** 10,000 small sessions: one worker against one a core, and the memory that it takes. `AUDIT_BENCH_FILES` sets another number. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, type Measurement } from './bench.ts';
import { sessionFile } from './sessionFile.ts';

const PROGRAM = fileURLToPath(new URL('../cmd/audit.js', import.meta.url));
const FILES = Number(process.env['AUDIT_BENCH_FILES'] ?? '10000');

/** Prints the most memory that the process held, in KiB, when it ends. */
const MEMORY = `--import=data:text/javascript,${encodeURIComponent("import{writeSync}from'node:fs';import{isMainThread}from'node:worker_threads';if(isMainThread)process.on('exit',()=>writeSync(2,'peak '+process.resourceUsage().maxRSS))")}`;

function run(folder: string, workers: number): number {
  const args = [
    MEMORY,
    PROGRAM,
    'verify',
    'sessions',
    '--workers',
    String(workers),
    '--format',
    'ndjson=report.ndjson',
  ];
  const { stderr, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return Number(/peak (\d+)/.exec(stderr)?.[1]);
}

/** A folder of sessions that differ in their ids. */
function corpus(): string {
  const folder = mkdtempSync(join(tmpdir(), 'audit-bench-'));
  const text = new TextDecoder().decode(sessionFile({ turns: 2, tools: true, size: 200, canonical: true }));
  for (let i = 0; i < FILES; i++) {
    const inner = join(folder, 'sessions', String(i % 100));
    if (i < 100) mkdirSync(inner, { recursive: true });
    writeFileSync(join(inner, `${i}.jsonl`), text.replace(/"id":"[^"]*"/, `"id":"session-${i}"`));
  }
  return folder;
}

async function inCorpus<T>(measure: (folder: string) => Promise<T> | T): Promise<T> {
  const folder = corpus();
  try {
    return await measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const benches: readonly Measurement[] = [
  {
    name: `corpus: ${FILES} sessions, one worker against ${availableParallelism()}`,
    least: 1.6,
    measure: () =>
      inCorpus(async (folder) => {
        const { a, b } = await compare(
          () => run(folder, 1),
          () => run(folder, availableParallelism()),
          3,
        );
        return { ratio: a / b, detail: `${a.toFixed(1)} s against ${b.toFixed(1)} s` };
      }),
  },
  {
    name: 'corpus: memory of such a run, against 400 MB',
    most: 1,
    measure: () =>
      inCorpus((folder) => {
        const peak = run(folder, availableParallelism()) / 1024;
        return { ratio: peak / 400, detail: `${peak.toFixed(0)} MB` };
      }),
  },
];
