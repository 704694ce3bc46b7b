/** The process as the `BideIo` of `bide-audit`. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFile, reasonOf, Unreadable } from '../../src/host/files.ts';
import { fromMilliseconds } from '../../src/time/instant.ts';
import { processIo } from '../process.ts';
import type { BideIo, CheckerEnd } from './io.ts';

/** A checker that says more than this is cut off and gives no verdict. */
const CHECKER_OUTPUT_BYTES = 16 * 1024 * 1024;

export function bideProcessIo(): BideIo {
  const io = processIo();
  return {
    out: (text) => io.out(text),
    err: (text) => io.err(text),
    now: () => fromMilliseconds(Date.now()),
    read: (path, limit) => readFile(path, limit),
    exists: (path) => existsSync(path),
    folder(path) {
      try {
        const files = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isFile());
        return files.map(({ name }) => join(path, name)).sort();
      } catch (error) {
        throw new Unreadable(reasonOf(error));
      }
    },
    write(path, text) {
      try {
        writeFileSync(path, text, { mode: 0o644 });
      } catch (error) {
        throw new Unreadable(reasonOf(error));
      }
    },
    runChecker: (program, argument) => runProgram(program, argument),
    temporary(bytes) {
      const folder = mkdtempSync(join(tmpdir(), 'bide-audit-'));
      const path = join(folder, 'policy');
      writeFileSync(path, bytes, { mode: 0o600 });
      return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
    },
  };
}

function runProgram(program: string, argument: string): CheckerEnd {
  const end = spawnSync(program, [argument], {
    encoding: 'utf8',
    maxBuffer: CHECKER_OUTPUT_BYTES,
    shell: false,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const output = `${end.stdout ?? ''}${end.stderr ?? ''}`;
  if (end.error !== undefined) return { status: null, reason: reasonOf(end.error), output };
  if (end.signal !== null) return { status: null, reason: `it was ended by ${end.signal}`, output };
  return { status: end.status, output };
}
