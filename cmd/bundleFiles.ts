/** Files from the command line on their way into a bundle. */

import type { MemberRole } from '../src/bundle/manifest.ts';
import { MAX_ENTRIES } from '../src/bundle/zip.ts';
import { planJobs } from '../src/corpus/plan.ts';
import { memberName } from '../src/verify/bundleMake.ts';
import type { InsideFile } from '../src/verify/bundleRun.ts';
import { type Args, type Io, UsageError } from './command.ts';
import { readNamed } from './producing.ts';

/** Adds the files of these paths (folders are walked) in the place of their role. */
export function addFiles(files: InsideFile[], role: MemberRole, paths: readonly string[], io: Io): void {
  const used = new Set(files.map(({ path }) => path.toLowerCase()));
  for (const { path } of planJobs(paths)) {
    const name = memberName(role, path, used);
    used.add(name.toLowerCase());
    files.push({ path: name, bytes: readNamed(path, io), role });
  }
}

/** Files that the maker adds to those that are given. */
const ADDED = 5;
const MAX_BYTES = 268_435_456;

/** Throws UsageError for more than a reader takes. */
export function checkLimits(files: readonly InsideFile[]): void {
  if (files.length > MAX_ENTRIES - ADDED)
    throw new UsageError(`a bundle holds at most ${MAX_ENTRIES} files; make several`);
  // A quarter is left for what is added: the report and the page grow with the files.
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (bytes > MAX_BYTES * 0.75) throw new UsageError('a bundle holds at most 192 MiB of files; make several');
}

/** The claims of `--require`; null where none is named. */
export function requireOf(args: Args): readonly string[] | null {
  const names = args
    .list('require')
    .flatMap((text) => text.split(','))
    .filter((name) => name !== '');
  return names.length === 0 ? null : names;
}
