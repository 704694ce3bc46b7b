/** The vectors that this project computed itself, one suite a folder of `vectors/`. */
import { readdirSync } from 'node:fs';
import { OWN_VECTORS } from '../folder.ts';
import { ownSuite } from '../run.ts';

export const suites = readdirSync(OWN_VECTORS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => ownSuite(entry.name));
