/** Files below a folder, in a stable order. Links are not followed: what is verified is what stands in the folder itself. */
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf, Unreadable } from '../host/files.ts';

/** Whether the path is a folder. Throws Unreadable where there is nothing. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new Unreadable(reasonOf(error), false, path);
  }
}

/**
 * Paths of all regular files below the folder, by name in code unit order, folders that begin with a dot left out. A folder that cannot be
 * listed is given itself, so that it is reported as what cannot be read.
 *
 * @param skipped told of every link, special file and folder that is left out.
 */
export function* walk(folder: string, skipped: (path: string) => void = () => {}): Generator<string> {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    yield folder;
    return;
  }
  for (const name of names) {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true && !name.startsWith('.')) yield* walk(path, skipped);
    else if (stat?.isFile() === true) yield path;
    else if (stat !== undefined) skipped(path);
  }
}
