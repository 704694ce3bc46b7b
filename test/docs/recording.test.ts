/** What docs/recording.md shows of a harness and of the library, done as it stands there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audit } from '../cli/io.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = join(ROOT, 'dist/cmd/audit.js');
const built = existsSync(PROGRAM);
const page = readFileSync(join(ROOT, 'docs/recording.md'), 'utf8');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-recording-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The first block of a language that holds a text, as its lines. */
function block(language: string, holds: string): readonly string[] {
  for (const [, found = '', body = ''] of page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm))
    if (found === language && body.includes(holds)) return body.trimEnd().split('\n');
  throw new Error(`the page has no such block: ${holds}`);
}

describe.skipIf(!built)('the page on recording', () => {
  it('shows what a harness writes, and the answer to each line', async () => {
    const path = join(folder, 'run.jsonl');
    const made = ['--harness', 'acme-agent@2.1', '--records', 'run,dispatch,decision'];
    expect((await audit(['record', 'new', path, ...made], { clock: 1_791_892_800_000_000_000n })).status).toBe(0);
    const child = spawn(process.execPath, [PROGRAM, 'record', 'append', path], { stdio: ['pipe', 'pipe', 'inherit'] });
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    /** The ids that the page calls by a name. */
    const ids = new Map<string, string>();
    const told = (text: string): string => text.replace(/sha256:[0-9a-f]{64}/g, 'sha256:...');
    let answer = '';
    for (const line of block('', '< {"id"')) {
      if (line.startsWith('> ')) {
        child.stdin.write(`${line.slice(2).replace(/sha256:([A-Z]+)/g, (_, name: string) => ids.get(name) ?? '')}\n`);
        answer = (await answers.next()).value as string;
        continue;
      }
      const shown = line.slice(2);
      expect(told(answer)).toBe(shown.replace(/sha256:[A-Z]+/g, 'sha256:...'));
      const names = [...shown.matchAll(/sha256:([A-Z]+|\.\.\.)/g)].map(([, name = '']) => name);
      for (const [i, [id = '']] of [...answer.matchAll(/sha256:[0-9a-f]{64}/g)].entries())
        if (/^[A-Z]+$/.test(names[i] ?? '')) ids.set(names[i] as string, id);
    }
    child.stdin.end();
    const [status] = (await once(child, 'exit')) as [number];
    expect(status).toBe(1);
    expect((await audit(['verify', path])).status).toBe(0);
  });

  it('shows a program that writes a session which verifies, and reads it', async () => {
    const program = block('ts', 'createSession').join('\n');
    const file = join(folder, 'program.mjs');
    writeFileSync(
      file,
      program.replace("from 'audit'", `from '${new URL('../../dist/src/api.js', import.meta.url).href}'`),
    );
    const child = spawn(process.execPath, [file]);
    let [out, err] = ['', ''];
    child.stdout.on('data', (piece) => {
      out += String(piece);
    });
    child.stderr.on('data', (piece) => {
      err += String(piece);
    });
    await once(child, 'close');
    expect(err.trim().split('\n')).toEqual(['config', 'run', 'item', 'response', 'run']);
    const path = join(folder, 'program.jsonl');
    writeFileSync(path, out);
    expect((await audit(['verify', path])).status).toBe(0);
  });
});
