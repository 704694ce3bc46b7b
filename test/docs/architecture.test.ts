/** docs/architecture.md says what `make lint` enforces: the same folders, and the same arrows between them. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/architecture.md');

/** Folder to folders, from the rows of the page whose right column names folders. */
function documented(): ReadonlyMap<string, readonly string[]> {
  const table = page.slice(page.indexOf('| module | may import'), page.indexOf('## The one road'));
  const words = (text: string): readonly string[] => [...text.matchAll(/`([a-z]+)`/g)].map(([, word = '']) => word);
  const rows = new Map<string, readonly string[]>();
  for (const [, names = '', targets = ''] of table.matchAll(/^\| (`[^|]*) \| ([^|]*) \|$/gm)) {
    // What stands behind a semicolon is said of the arrows, and what stands in brackets of one of them.
    for (const name of words(names)) rows.set(name, words((targets.split(';')[0] ?? '').replace(/\([^)]*\)/g, '')));
  }
  rows.delete('cmd');
  return rows;
}

/** The same from the checker. */
function enforced(): ReadonlyMap<string, readonly string[]> {
  const checker = read('scripts/check-imports.mjs');
  const table = checker.slice(checker.indexOf('host: []'), checker.indexOf('const TOUCHES_MACHINE'));
  const rows = new Map<string, readonly string[]>();
  for (const [, name = '', targets = ''] of table.matchAll(/(\w+): \[([^\]]*)\]/g))
    rows.set(
      name,
      [...targets.matchAll(/'(\w+)'/g)].map(([, word = '']) => word),
    );
  return rows;
}

it('lists the arrows that the checker lets through, and no others', () => {
  const [said, held] = [documented(), enforced()];
  expect([...said.keys()].sort()).toEqual([...held.keys()].sort());
  const ground = new Set(['finding', 'bytes']);
  for (const [name, targets] of held)
    expect([...(said.get(name) ?? [])].filter((word) => !ground.has(word)).sort(), name).toEqual([...targets].sort());
});

it('names every folder of src/', () => {
  for (const entry of readdirSync(new URL('../../src', import.meta.url), { withFileTypes: true }))
    if (entry.isDirectory()) expect(page).toContain(`src/${entry.name}/`);
});
