/** Folders of vectors on disk. The ones made elsewhere are read in place and never kept here. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Folder } from './suite.ts';

/** The folder of this package, from the sources or from `dist`. */
function packageFolder(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('../', folder);
  return folder;
}

/** The project's own vectors. */
export const OWN_VECTORS = fileURLToPath(new URL('vectors/', packageFolder()));

/** Vectors made elsewhere: `AUDIT_VECTORS`, or `shared/vectors` beside the project. */
export const SHARED_VECTORS =
  process.env['AUDIT_VECTORS'] ?? fileURLToPath(new URL('../shared/vectors/', packageFolder()));

/** A folder for reading, or undefined where it is absent. */
export function openFolder(path: string): Folder | undefined {
  if (!existsSync(path) || !statSync(path).isDirectory()) return undefined;
  const bytes = (name: string): Uint8Array => new Uint8Array(readFileSync(join(path, name)));
  const text = (name: string): string => readFileSync(join(path, name), 'utf8');
  return {
    bytes,
    text,
    json: (name) => JSON.parse(text(name)) as unknown,
    files: () =>
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(join(path, sep).length).split(sep).join('/'))
        .sort(),
  };
}
