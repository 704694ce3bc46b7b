#!/usr/bin/env node
/** The `audit` binary. What it does is in main.ts; this file only meets the process. */
import { TOOL } from '../src/verify/tool.ts';

const argv = process.argv.slice(2);
if (argv.length === 1 && argv[0] === '--version') {
  process.stdout.write(`${TOOL.name} ${TOOL.version}\n`);
} else {
  const [{ main }, { processIo }] = await Promise.all([import('./main.ts'), import('./process.ts')]);
  process.exitCode = await main(argv, processIo());
}
