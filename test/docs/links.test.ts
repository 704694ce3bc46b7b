/** The documentation holds together: links lead somewhere, the README names every page, every rule of a finding can be looked up. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cmd/commands.ts';
import { allEntries } from '../../src/verify/catalogues.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NOT_OURS = new Set(['node_modules', 'dist', 'demo', '.git', '.cache']);

function* pages(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && !NOT_OURS.has(entry.name)) yield* pages(join(folder, entry.name));
    else if (entry.isFile() && entry.name.endsWith('.md')) yield join(folder, entry.name);
  }
}
const read = (path: string): string => readFileSync(path, 'utf8');

/** A page without its code, in which brackets are no links. */
const prose = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');

/** The anchors of a page's headings, as the platforms that show it make them. */
const anchors = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

describe('links between pages', () => {
  for (const path of pages(ROOT)) {
    it(`${relative(ROOT, path)}: each leads to a file, and to a heading where it names one`, () => {
      const astray: string[] = [];
      for (const [, target = ''] of prose(read(path)).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const [file = '', heading] = target.split('#');
        const there = file === '' ? path : join(dirname(path), file);
        if (!existsSync(there)) astray.push(target);
        else if (heading !== undefined && !anchors(read(there)).has(heading)) astray.push(target);
      }
      expect(astray).toEqual([]);
    });
  }
});

it('the map of the specifications has every one of them', () => {
  const map = read(join(ROOT, 'docs/spec/README.md'));
  const names = readdirSync(join(ROOT, 'docs/spec')).filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(names.filter((name) => !map.includes(`](${name})`))).toEqual([]);
});

describe('the README', () => {
  it('links every page of docs/', () => {
    const text = read(join(ROOT, 'README.md'));
    const missing = [...readdirSync(join(ROOT, 'docs')), 'ci/README.md', 'spec/README.md'].filter(
      (name) => name.endsWith('.md') && !text.includes(`](docs/${name})`),
    );
    expect(missing).toEqual([]);
  });

  it('names every dependency, and none that is not there', () => {
    const { dependencies, optionalDependencies } = JSON.parse(read(join(ROOT, 'package.json'))) as Record<
      'dependencies' | 'optionalDependencies',
      Record<string, string>
    >;
    const table = read(join(ROOT, 'README.md')).split('## Dependencies at run time')[1] ?? '';
    const named = [...table.matchAll(/`((?:@[a-z]+\/)?[a-z0-9*-]+)`/g)].map(([, name = '']) => name);
    const names = [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
    const covers = (pattern: string, name: string): boolean =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
    expect(names.filter((name) => !named.some((pattern) => covers(pattern, name)))).toEqual([]);
    expect(named.filter((pattern) => !names.some((name) => covers(pattern, name)))).toEqual([]);
  });
});

describe('the contract of the command line', () => {
  it('has every command in its table', () => {
    const table = read(join(ROOT, 'docs/cli.md'));
    for (const { name } of COMMANDS) {
      const [family = '', verb] = name.split(' ');
      expect(table, name).toMatch(new RegExp(`\`audit ${family}\\b${verb === undefined ? '' : `[^\`]*\\b${verb}\\b`}`));
    }
  });
});

describe('rules that findings name', () => {
  it('are sections of a page of docs/spec or docs/, or of a public standard', async () => {
    const astray: string[] = [];
    for (const [code, { rule }] of await allEntries()) {
      if (/^(RFC \d+|X\.\d+) \d/.test(rule)) continue;
      const [, name = '', section = ''] = /^([a-z-]+)(?: (.*))?$/.exec(rule) ?? [];
      const path = [`docs/spec/${name}.md`, `docs/${name}.md`].map((file) => join(ROOT, file)).find(existsSync);
      if (path === undefined) astray.push(`${code}: ${rule}`);
      else if (section !== '' && !isIn(read(path), section)) astray.push(`${code}: ${rule}`);
    }
    expect(astray).toEqual([]);
  });
});

/** Whether a page has a heading with this number, or says these words. */
function isIn(text: string, section: string): boolean {
  const number = /^(?:[A-Z] ?)?\d+(?:\.\d+)*/.exec(section)?.[0];
  if (number === undefined) return text.toLowerCase().includes(section.replace(/ \d$/, '').toLowerCase());
  return new RegExp(`^#+ (?:.* )?${number.replaceAll('.', '\\.')}[. ]`, 'm').test(text);
}
