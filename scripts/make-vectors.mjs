// Compiles the makers of vectors into dist and runs each: `make vectors`. Every maker writes its own files below vectors/, the same bytes each time.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const run = (script, ...args) => {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};
run(`${root}node_modules/typescript/bin/tsc`, '-p', 'tsconfig.vectors.json');
for (const name of readdirSync(`${root}vectors`).filter((file) => /^make-.*\.ts$/.test(file))) {
  run(`${root}dist/vectors/${name.replace(/\.ts$/, '.js')}`);
}
