/** The catalogue is whole: every code has an entry, every entry a code that is reported, every code a vector that is rejected with it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { codesIn, findingsData, findingsPage, vectorsByCode } from '../../conformance/findings.ts';
import { OWN_VECTORS, openFolder } from '../../conformance/folder.ts';
import type { Json } from '../../conformance/suite.ts';
import { allEntries } from '../../src/verify/catalogues.ts';
import { audit } from '../cli/io.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const sources = (folder: string): readonly string[] =>
  readdirSync(fileURLToPath(new URL(folder, root)), { recursive: true })
    .map((name) => `${folder}/${String(name)}`)
    .filter((name) => name.endsWith('.ts'));

const entries = await allEntries();
const codes = new Set(entries.keys());
const vectors = vectorsByCode(codes);
const code = [...sources('src'), ...sources('cmd')];
const catalogues = code.filter(
  (name) => /\/catalogue[^/]*(\/[^/]*)?\.ts$/.test(name) && !/src\/finding\/|catalogues\.ts$/.test(name),
);

/** Tests that name a code in full, or by what follows its family in a folder of that name. */
const tests = sources('test')
  .filter((name) => name.endsWith('.test.ts') && name !== 'test/verify/catalogue.test.ts')
  .map((name) => ({ name, text: read(name) }));
const provokedBy = (full: string): string | undefined => {
  const [family = '', tail = ''] = full.split('/');
  const names = new RegExp(`(?<![a-z0-9-/])${full}(?![a-z0-9-])`);
  return tests.find(
    ({ name, text }) => names.test(text) || (name.startsWith(`test/${family}/`) && text.includes(`'${tail}'`)),
  )?.name;
};

describe('every finding code', () => {
  it('of a catalogue of any module can be explained', () => {
    const declared = catalogues.flatMap((name) =>
      [...read(name).matchAll(/^ {2}'([a-z0-9]+\/[a-z0-9-]+)':/gm)].map(([, found]) => found as string),
    );
    expect(declared.length).toBeGreaterThan(300);
    expect(declared.filter((name) => !codes.has(name))).toEqual([]);
    expect(new Set(declared).size).toBe(declared.length);
  });

  it('that stands in a vector or in the sources has an entry', () => {
    const families = new Set([...codes].map((name) => name.split('/')[0]));
    const answered: string[] = [];
    const folder = openFolder(OWN_VECTORS);
    if (folder === undefined) throw new Error('the project has no vectors');
    for (const file of folder.files().filter((name) => name.endsWith('.json')))
      for (const { answer } of (folder.json(file) as { cases: { answer: Json }[] }).cases)
        answered.push(...codesIn(answer));
    const found = code.flatMap((name) =>
      [...read(name).matchAll(/\.find\(\s*'([^']+)'|\b(?:code|type|CODE|[A-Z_]+): '([a-z0-9]+\/[a-z0-9-]+)'/g)].map(
        ([, a, b]) => (a ?? b) as string,
      ),
    );
    const unknown = [...answered, ...found].filter(
      (name) => families.has(name.split('/')[0] ?? '') && !codes.has(name),
    );
    expect([...new Set(unknown)].filter((name) => !/^(?:bundle|session|evidence|notify)\/[A-Z]/.test(name))).toEqual(
      [],
    );
  });

  it('is reported by something: a vector holds it or the sources name it', () => {
    const text = code
      .filter((name) => !catalogues.includes(name))
      .map(read)
      .join('\n');
    const dead = [...codes].filter(
      (name) => !vectors.has(name) && !text.includes(`'${name}'`) && !text.includes(`'${name.split('/')[1]}'`),
    );
    expect(dead).toEqual([]);
  });

  it('has a vector that this build rejects with it; the few that no vector can provoke have a test that does', () => {
    const without = [...codes].filter((name) => !vectors.has(name));
    console.log(
      `codes with vectors: ${codes.size - without.length} of ${codes.size}; by tests alone:\n${without.map((name) => `  ${name.padEnd(36)} ${provokedBy(name) ?? 'NONE'}`).join('\n')}`,
    );
    expect(without.filter((name) => provokedBy(name) === undefined)).toEqual([]);
    expect(vectors.size / codes.size).toBeGreaterThan(0.6);
  });
});

describe('every entry', () => {
  it.each([...entries])(
    '%s says what it means, why it matters, how it is caused and what to do, in sentences',
    (_, entry) => {
      expect(entry.title).toMatch(/^\S.*[^.]$/);
      for (const text of [entry.means, entry.matters, entry.causes, entry.remedy]) {
        expect(text).toMatch(/^\S.{3,}[.?!]$/s);
        expect(text).not.toMatch(/\s{2}|\n/);
      }
      expect(entry.rule).not.toBe('');
      if (entry.class === 'not_verified' || entry.class === 'unusable') expect(entry.severity).toBe('error');
    },
  );

  it('stands in docs/findings.md and docs/findings.json as it is: make results', () => {
    expect(read('docs/findings.md') === findingsPage(entries, vectors)).toBe(true);
    expect(read('docs/findings.json') === findingsData(vectors)).toBe(true);
  });

  it('is explained with the vectors that are rejected with it', async () => {
    const { out, status } = await audit(['explain', 'session/id-mismatch']);
    expect(status).toBe(0);
    const { cases, first } = vectors.get('session/id-mismatch') ?? { cases: 0, first: [] };
    expect(out).toContain(`Vectors (${cases})`);
    for (const name of first) expect(out).toContain(`vectors/${name}`);
    const none = await audit(['explain', 'session/id-mismach']);
    expect([none.status, none.err]).toEqual([2, expect.stringContaining('did you mean session/id-mismatch?')]);
  });
});
