/** Where this package stands on the machine: the folder that holds package.json, schemas and the browser bundle. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decodeUtf8 } from '../src/bytes/encoding.ts';
import type { Io } from './command.ts';

/** The package's folder as a file URL that ends in a slash, whether this runs from the sources or from `dist`. */
export function packageFolder(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('../', folder);
  return folder;
}

/** The browser bundle that pages carry. */
export function verifierScript(io: Io): string {
  return decodeUtf8(io.read(fileURLToPath(new URL('dist/browser/audit.js', packageFolder())))) ?? '';
}
