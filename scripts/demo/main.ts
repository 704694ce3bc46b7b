/** `make demo`, first half: writes the files of the demonstration into a folder, the second argument. `scripts/demo.sh` shows them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoCase } from './case.ts';

const [folder = 'demo'] = process.argv.slice(2);
mkdirSync(join(folder, 'archive'), { recursive: true });
const { files } = await demoCase();
for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
