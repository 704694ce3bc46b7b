// The import table of docs/architecture.md, enforced: which folder of src/ may import which, and that nothing below the edge touches the
// machine or the network. Exits with 1 and a line for each arrow that is not in the table.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const GROUND = ['json', 'crypto', 'time', 'finding', 'bytes'];
const MAY_IMPORT = {
  ...Object.fromEntries(GROUND.map((name) => [name, GROUND])),
  host: [],
  merkle: [],
  trust: [],
  pki: [],
  durable: ['host'],
  session: [],
  journal: [],
  log: ['merkle', 'trust', 'journal', 'session'],
  approval: ['journal', 'trust'],
  identity: ['approval', 'journal', 'log', 'pki', 'trust'],
  notify: ['journal', 'log'],
  store: ['session', 'durable', 'host'],
  atif: ['session'],
  evidence: ['journal', 'log', 'merkle', 'approval', 'trust'],
  bundle: ['evidence', 'log', 'trust', 'session'],
  verify: ['merkle', 'trust', 'pki', 'session', 'journal', 'log', 'approval', 'identity', 'notify', 'atif', 'evidence', 'bundle'],
  corpus: ['verify', 'report', 'host'],
  report: ['verify'],
};
const TOUCHES_MACHINE = new Set(['host', 'durable', 'store', 'corpus']);
const NETWORK = /^(node:)?(net|tls|http|https|http2|dgram|dns|dns\/promises|inspector|undici|ws)$/;
const IMPORT = /(?:import|export)\s+(type\s+)?(?:[^'"()]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (entry.name.endsWith('.ts')) yield path;
  }
}

const problems = [];
for (const top of ['src', 'cmd']) {
  for (const file of sources(join(root, top))) {
    const name = relative(root, file).split(sep).join('/');
    const [, from] = name.split('/');
    const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    for (const [, type, statically, dynamically] of text.matchAll(IMPORT)) {
      const specifier = statically ?? dynamically;
      if (NETWORK.test(specifier)) problems.push(`${name} imports the network module ${specifier}`);
      if (top !== 'src') continue;
      const isModule = name.split('/').length > 2;
      if (specifier.startsWith('node:')) {
        if (isModule && !TOUCHES_MACHINE.has(from) && type === undefined) problems.push(`${name} touches the machine: ${specifier}`);
        continue;
      }
      if (!specifier.startsWith('.') || !isModule) continue;
      const target = relative(root, normalize(join(dirname(file), specifier))).split(sep);
      const to = target[1];
      if (target[0] !== 'src') problems.push(`${name} imports ${target.join('/')}, which is above src/`);
      else if (MAY_IMPORT[from] === undefined) problems.push(`${name}: the folder src/${from} is not in the table`);
      else if (to !== from && !GROUND.includes(to) && !MAY_IMPORT[from].includes(to)) problems.push(`${name} may not import src/${to}`);
      else if (from === 'report' && to === 'verify' && type === undefined && !/import\s+\{\s*type/.test(text)) {
        problems.push(`${name} may import only types of src/verify`);
      }
    }
  }
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log('imports follow the table');
