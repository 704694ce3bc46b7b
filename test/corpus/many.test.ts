/** Many inputs, by the built program as a process. AUDIT_FUZZ takes folders of 10,000. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../src/verify/report.ts';
import { audit, IS_BUILT, PROGRAM } from '../browser/program.ts';
import { folderOfSessions, smallSession } from './folder.ts';

const COUNT = process.env['AUDIT_FUZZ'] === undefined ? 200 : 10_000;
const MANY = process.env['AUDIT_FUZZ'] === undefined ? 600 : 10_000;

const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** Prints the most memory that the process held, in KiB, when it ends. */
const MEMORY = `--import=${new URL('../../dist/bench/tellPeak.js', import.meta.url).href}`;

describe.skipIf(!IS_BUILT)('a folder of many sessions', () => {
  let folder: string;
  let whole: string;
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const verify = (out: string, ...more: readonly string[]) =>
    audit(folder, 'verify', 'sessions', '--format', `ndjson=${out}`, ...more);
  const merged = (...parts: readonly string[]) => audit(folder, 'merge', ...parts, '--format', 'json').out;

  beforeAll(() => {
    folder = folderOfSessions(COUNT);
    verify('whole.ndjson', '--workers', '2');
    whole = merged('whole.ndjson');
  });

  it('is reported file by file, with what was left out counted', () => {
    const { totals, status } = JSON.parse(whole) as Report;
    const bad = Array.from({ length: COUNT }, (_, i) => i).filter((i) => i % 50 === 7 || i % 70 === 9).length;
    expect(totals.inputs).toBe(COUNT);
    expect(totals.not_verified).toBe(bad);
    expect(totals.verified).toBe(COUNT - bad);
    expect(totals.left_out).toBe(Math.ceil((COUNT - 5) / 90));
    expect(status).toBe(1);
  });

  it('gives the same bytes whatever number of workers there is', () => {
    for (const workers of ['1', '3']) {
      verify(`${workers}.ndjson`, '--workers', workers);
      expect(read(`${workers}.ndjson`)).toBe(read('whole.ndjson'));
    }
  });

  it('goes on after a kill, and comes to the same report', async () => {
    const many = folderOfSessions(MANY);
    const part = join(many, 'part.ndjson');
    const killed = spawn(
      process.execPath,
      [PROGRAM, 'verify', 'sessions', '--workers', '2', '--format', 'ndjson=part.ndjson'],
      {
        cwd: many,
      },
    );
    const ended = new Promise((resolve) => killed.on('exit', resolve));
    while (killed.exitCode === null && (!existsSync(part) || statSync(part).size < 150_000)) await setTimeout(2);
    killed.kill('SIGKILL');
    await ended;
    const left = readFileSync(part, 'utf8');
    const lines = left.split('\n').length - 1;
    expect(lines).toBeGreaterThan(50);
    expect(left).not.toContain('"totals"');
    // The kill may have come in the middle of a line.
    writeFileSync(part, left.slice(0, -7));
    const resumed = audit(many, 'verify', 'sessions', '--format', 'ndjson=part.ndjson', '--resume', 'part.ndjson');
    expect(resumed.status).toBe(1);
    expect(Number(/(\d+) of \d+ reports were taken over/.exec(resumed.err)?.[1])).toBeGreaterThanOrEqual(lines - 1);
    audit(many, 'verify', 'sessions', '--format', 'ndjson=whole.ndjson');
    expect(audit(many, 'merge', 'part.ndjson', '--format', 'json').out).toBe(
      audit(many, 'merge', 'whole.ndjson', '--format', 'json').out,
    );
  });

  it('is verified in shards that merge to the report of the whole', () => {
    const parts = [1, 2, 3].map((i) => {
      verify(`shard-${i}.ndjson`, '--shard', `${i}/3`, '--workers', '1');
      return `shard-${i}.ndjson`;
    });
    expect(merged(...parts)).toBe(whole);
    expect(merged(...parts.reverse())).toBe(whole);
    const counts = parts.map((part) => read(part).split('\n').length - 2);
    expect(Math.min(...counts)).toBeGreaterThan(COUNT / 5);
  });

  it('does not merge to a verdict where a shard was broken off', () => {
    for (const i of [1, 2]) verify(`half-${i}.ndjson`, '--shard', `${i}/2`);
    writeFileSync(join(folder, 'half-2.ndjson'), read('half-2.ndjson').split('\n').slice(0, 20).join('\n'));
    const report = JSON.parse(merged('half-1.ndjson', 'half-2.ndjson')) as Report;
    expect(report.findings.map(({ code }) => code)).toContain('report/incomplete');
    expect(report.status).not.toBe(0);
  });

  it('is a failure of the program, and no verdict, when workers die', () => {
    const code = "import{isMainThread}from'node:worker_threads';if(!isMainThread)throw new Error('dead')";
    const dying = `--import=data:text/javascript,${encodeURIComponent(code)}`;
    const args = [dying, PROGRAM, 'verify', 'sessions', '--workers', '2', '--quiet'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: 50_000 });
    expect([status, stderr]).toEqual([3, 'audit: the program itself failed: dead\n']);
  });

  it('needs little memory, however many there are', () => {
    const { stderr } = spawnSync(
      process.execPath,
      [MEMORY, PROGRAM, 'verify', 'sessions', '--workers', '2', '--format', 'ndjson=memory.ndjson'],
      { cwd: folder, encoding: 'utf8' },
    );
    const peak = Number(/peak (\d+)/.exec(stderr)?.[1]);
    expect(peak).toBeGreaterThan(20_000);
    expect(peak).toBeLessThan(400 * 1024);
  });

  it.skipIf(!has('script'))('shows a progress bar on a terminal and never elsewhere', () => {
    // One big session under many names is a folder that takes its time.
    const slow = mkdtempSync(join(tmpdir(), 'audit-slow-'));
    mkdirSync(join(slow, 'sessions'));
    const first = join(slow, 'sessions', '0.jsonl');
    writeFileSync(first, smallSession(0, 3000));
    for (let i = 1; i < 130; i++) linkSync(first, join(slow, 'sessions', `${i}.jsonl`));
    const command = `'${process.execPath}' '${PROGRAM}' verify sessions --workers 1 --format ndjson=out.ndjson`;
    const terminal = spawnSync('script', ['-qec', command, '/dev/null'], { cwd: slow, encoding: 'utf8' });
    expect(terminal.stdout).toMatch(/verifying .*\d+ % \| \d+ of 130 \| \d+ a second \| .* left/);
    const piped = spawnSync('sh', ['-c', command], {
      cwd: slow,
      encoding: 'utf8',
    });
    expect(piped.stderr).toBe('');
    expect(piped.stdout).toBe('');
  });

  it.skipIf(!has('parallel'))('is verified by GNU parallel as docs/batch.md says', () => {
    const { status } = spawnSync('sh', ['-c', recipe('parallel')], {
      cwd: folder,
      env: environment(),
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(merged('part-1.ndjson', 'part-2.ndjson', 'part-3.ndjson', 'part-4.ndjson')).toBe(whole);
  });

  it('is verified by a job array as docs/batch.md says', () => {
    const script = recipe('SLURM_ARRAY_TASK_ID');
    for (const task of ['0', '1', '2'])
      expect(
        spawnSync('sh', ['-c', script], {
          cwd: folder,
          env: { ...environment(), SLURM_ARRAY_TASK_ID: task, SLURM_ARRAY_TASK_COUNT: '3' },
        }).status,
      ).toBe(0);
    expect(merged('array-0.ndjson', 'array-1.ndjson', 'array-2.ndjson')).toBe(whole);
  });
});

const DOCUMENT = readFileSync(new URL('../../docs/batch.md', import.meta.url), 'utf8');

/** The first shell block of the document that names a word, for `audit` as it is built here. */
function recipe(word: string): string {
  const block = [...DOCUMENT.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, text = '']) => text)
    .find((text) => text.includes(word));
  if (block === undefined) throw new Error(`docs/batch.md has no recipe with ${word}`);
  return block;
}

/** An environment in which `audit` is the built program. */
function environment(): NodeJS.ProcessEnv {
  const bin = fileURLToPath(new URL('../../dist/cmd/', import.meta.url));
  const shim = join(mkdtempSync(join(tmpdir(), 'audit-bin-')), 'audit');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${bin}audit.js' "$@"\n`, { mode: 0o755 });
  return { ...process.env, PATH: `${dirname(shim)}:${process.env['PATH'] ?? ''}` };
}
