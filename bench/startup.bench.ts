/** What it costs to start: the program against a Node that does nothing. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, type Measurement } from './bench.ts';
import { sessionFile } from './sessionFile.ts';

const PROGRAM = fileURLToPath(new URL('../cmd/audit.js', import.meta.url));
const ROUNDS = 12;

function run(args: readonly string[], cwd: string): void {
  const { error } = spawnSync(process.execPath, args, { cwd, stdio: 'ignore' });
  if (error !== undefined) throw error;
}

async function againstNothing(args: readonly string[]): Promise<{ ratio: number; detail: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'audit-bench-'));
  try {
    const lines = new TextDecoder()
      .decode(sessionFile({ turns: 4, tools: true, size: 200, canonical: true }))
      .split('\n');
    writeFileSync(join(folder, 'session.jsonl'), `${lines.slice(0, 10).join('\n')}\n`);
    const { a, b } = await compare(
      () => run([PROGRAM, ...args], folder),
      () => run(['-e', '0'], folder),
      ROUNDS,
    );
    return { ratio: a / b, detail: `${(a * 1000).toFixed(0)} ms against ${(b * 1000).toFixed(0)} ms of node -e 0` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const benches: readonly Measurement[] = [
  { name: 'start: audit --version', most: 2.5, measure: () => againstNothing(['--version']) },
  {
    name: 'start: audit verify of a session of 10 lines',
    most: 4,
    measure: () => againstNothing(['verify', 'session.jsonl']),
  },
];
