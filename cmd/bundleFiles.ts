/** Files from the command line on their way into a bundle. */

import type { MemberRole } from '../src/bundle/manifest.ts';
import { planJobs } from '../src/corpus/plan.ts';
import { memberName } from '../src/verify/bundleMake.ts';
import type { InsideFile } from '../src/verify/bundleRun.ts';
import type { Args, Io } from './command.ts';
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

/** The claims of `--require`; null where none is named. */
export function requireOf(args: Args): readonly string[] | null {
  const names = args
    .list('require')
    .flatMap((text) => text.split(','))
    .filter((name) => name !== '');
  return names.length === 0 ? null : names;
}
