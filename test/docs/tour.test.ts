/** The commands of docs/tour.md and the reports that it and the README show, run in a folder of their own and held against what is printed. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const built = existsSync(join(ROOT, 'dist/cmd/audit.js'));
const page = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

let folder = '';
let env: Record<string, string> = {};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-tour-'));
  const bin = join(folder, '.bin');
  mkdirSync(bin);
  // Reports are text, as they are on a terminal.
  const program = `#!/bin/sh
case "$1 $*" in
  *--format*) ;;
  "verify "* | "approvals "* | "notifications "*) set -- "$@" --format text ;;
esac
exec "${process.execPath}" "${join(ROOT, 'dist/cmd/audit.js')}" "$@"
`;
  writeFileSync(join(bin, 'audit'), program);
  chmodSync(join(bin, 'audit'), 0o755);
  env = { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, NO_COLOR: '1' };
  if (built) spawnSync(process.execPath, [join(ROOT, 'dist/scripts/demo/main.js'), 'demo'], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly status: number | null;
  readonly printed: string;
}

function run(command: string): Ran {
  const ran = spawnSync('sh', ['-c', command], { cwd: folder, env, encoding: 'utf8' });
  return { status: ran.status, printed: ran.stdout + ran.stderr };
}

/** Fenced blocks of a page with their language. */
function* blocks(text: string): Generator<{ readonly language: string; readonly lines: readonly string[] }> {
  for (const [, language = '', body = ''] of text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm))
    yield { language, lines: body.replace(/\n$/, '').split('\n') };
}

/** What differs from run to run, made alike. */
const alike = (line: string): string =>
  line.replace(/\b[0-9a-f]{64}\b/g, 'HASH').replace(/\b[0-9a-f]{12}$/, 'FINGERPRINT');

/** Where the shown lines first leave what was printed; `…` stands for any number of lines. Undefined if they are all there, in order. */
function firstAstray(shown: readonly string[], printed: string): string | undefined {
  const lines = printed.split('\n').map(alike);
  let at = 0;
  let gap = false;
  for (const line of shown) {
    if (line.trim() === '…') {
      gap = true;
      continue;
    }
    const found = gap ? lines.indexOf(alike(line), at) : lines[at] === alike(line) ? at : -1;
    if (found === -1) return line;
    at = found + 1;
    gap = false;
  }
  return undefined;
}

describe.skipIf(!built)('the tour', () => {
  it('runs, each command with the status that the page says, and prints what the page shows', () => {
    let last = '';
    let commands = 0;
    for (const { language, lines } of blocks(page('docs/tour.md'))) {
      if (language === 'text') expect(firstAstray(lines, last), last).toBeUndefined();
      if (language !== 'sh') continue;
      for (const line of lines) {
        if (/^(make|alias) /.test(line)) continue;
        const { status, printed } = run(line);
        expect(status, `${line}\n${printed}`).toBe(Number(/ # status (\d)$/.exec(line)?.[1] ?? 0));
        last = printed;
        commands++;
      }
    }
    expect(commands).toBeGreaterThan(30);
  });

  it('is not satisfied by lines that were not printed, or in another order', () => {
    expect(firstAstray(['a', '…', 'c'], 'a\nb\nc')).toBeUndefined();
    expect(firstAstray(['a', 'c'], 'a\nb\nc')).toBe('c');
    expect(firstAstray(['…', 'c', '…', 'a'], 'a\nb\nc')).toBe('a');
  });
});

describe.skipIf(!built)('the README', () => {
  it('shows reports of the demo as they are printed', () => {
    const shown = [...blocks(page('README.md'))].filter(({ lines }) => lines[0]?.startsWith('$ audit '));
    expect(shown.length).toBeGreaterThan(0);
    run("sed '6s/480\\.00/180.00/' demo/session.jsonl >demo/edited.jsonl");
    for (const { lines } of shown) {
      const command = (lines[0] as string).slice(2);
      const { printed } = run(command);
      expect(firstAstray(lines.slice(1), printed), printed).toBeUndefined();
    }
  });
});
