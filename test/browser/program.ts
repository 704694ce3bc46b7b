/** The built program as a process, in a folder of its own, and the files of the demonstration to try it on. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoCase } from '../../scripts/demo/case.ts';

export const PROGRAM = fileURLToPath(new URL('../../dist/cmd/audit.js', import.meta.url));

/** Tests of the built program run after `make build`, which `make test` does first. */
export const IS_BUILT =
  existsSync(PROGRAM) && existsSync(fileURLToPath(new URL('../browser/audit.js', `file://${PROGRAM}`)));

export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export function audit(folder: string, ...args: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return { status, out: stdout, err: stderr };
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'audit-page-'));
}

/** The demonstration's files in a new folder; its evidence package stands there as `evidence.json` too. */
export async function demonstration(): Promise<string> {
  const folder = temporaryFolder();
  const { files } = await demoCase();
  for (const [name, bytes] of files) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
    if (new TextDecoder().decode(bytes.subarray(0, 100)).includes('bide.audit.evidence.'))
      writeFileSync(join(folder, 'evidence.json'), bytes);
  }
  return folder;
}
