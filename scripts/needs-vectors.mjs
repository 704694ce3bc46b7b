// Test files that stand on vectors made elsewhere and cannot even begin without them: those that reach a file marked `needs: vectors made
// elsewhere`. Where the vectors are not beside the project they are left out by name; in CI that is a failure.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const vectors = process.env.AUDIT_VECTORS ?? join(root, '../shared/vectors');
const MARK = /^\/\/ needs: vectors made elsewhere$/m;

function needs(file, seen = new Set()) {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  if (MARK.test(text)) return true;
  const imports = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path]) => join(dirname(file), path));
  return imports.some((path) => path.startsWith(join(root, 'test')) && existsSync(path) && needs(path, seen));
}

/** Paths from the root of the project; none where the vectors are there. */
export function leftOut() {
  if (existsSync(vectors)) return [];
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((name) => join(root, 'test', name))
    .filter((file) => file.endsWith('.test.ts') && needs(file))
    .map((file) => relative(root, file))
    .sort();
}
