/** `make bench`: every measurement, one line each. `node dist/bench/main.js NAME` runs those whose name begins so. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Measurement } from './bench.ts';

const folder = new URL('./', import.meta.url);
const wanted = process.argv[2] ?? '';
for (const file of readdirSync(fileURLToPath(folder))
  .filter((name) => /\.bench\.(ts|js)$/.test(name))
  .sort()) {
  const { benches } = (await import(new URL(file, folder).href)) as { benches: readonly Measurement[] };
  for (const bench of benches.filter((candidate) => candidate.name.startsWith(wanted))) {
    const { ratio, detail } = await bench.measure();
    const bound =
      bench.most === undefined
        ? bench.least === undefined
          ? ''
          : `, at least ${bench.least}`
        : `, at most ${bench.most}`;
    const met =
      (bench.most === undefined || ratio <= bench.most) && (bench.least === undefined || ratio >= bench.least);
    console.log(`${met ? ' ' : '!'} ${bench.name}: ${ratio.toFixed(2)}${bound} (${detail})`);
  }
}
