/**
 * Where the makers of vectors write: run as a script, each writes its own files below this folder; with AUDIT_MADE they are written below that
 * folder instead, where a test compares them; a maker that is only imported writes nothing.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OWN_VECTORS } from '../conformance/folder.ts';

/** Writes one file, such as `log/rules.json`. */
export function write(path: string, text: string): void {
  const script = basename(process.argv[1] ?? '').startsWith('make-');
  const folder = process.env['AUDIT_MADE'] ?? (script ? OWN_VECTORS : undefined);
  if (folder === undefined) return;
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Writes a file of cases as the runner of the project's own vectors reads it. */
export function writeCases(path: string, about: string, cases: readonly unknown[]): void {
  write(path, `${JSON.stringify({ about, cases }, null, 1)}\n`);
}
