/** Every command line that a page, a recipe or the demo shows is one that the program takes: the command, its options and its arguments. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMMANDS, findCommand } from '../../cmd/commands.ts';
import { parseArgs } from '../../cmd/parse.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = ['README.md', 'conformance/README.md', 'docs/ci/README.md', 'scripts/demo.sh'].concat(
  readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
);

/** Lines of code of a page, continued ones joined: in fences, indented, and in a script. */
function codeOf(text: string): readonly string[] {
  const lines: string[] = [];
  let fenced = false;
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    else if (fenced || line.startsWith('    ')) lines.push(line.trim());
  }
  // Whole commands that stand in a sentence.
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  return [...lines, ...[...prose.matchAll(/`(audit [^`]+)`/g)].map(([, line = '']) => line.replaceAll('\n', ' '))];
}

/** Words of a simple command up to a comment, a pipe, a redirection or a semicolon, as a shell cuts them. */
function words(command: string): readonly string[] {
  const found: string[] = [];
  for (const [word] of command.matchAll(/(?:"(?:\\.|[^"])*"|'[^']*'|[^\s"'])+/g)) {
    if (/^([#|;&]|\d?>)/.test(word)) break;
    found.push(
      word.replace(/"((?:\\.|[^"])*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
    );
  }
  return found;
}

/** Patterns of command lines, not command lines: alternatives, placeholders and options left out. */
const isPattern = (line: string): boolean => /\\?\||<|\[|…|\.\.\.|^audit [A-Z]/.test(line.split(' | ')[0] ?? line);

describe('command lines in the documentation', () => {
  let count = 0;
  for (const page of PAGES) {
    const lines = codeOf(readFileSync(join(ROOT, page), 'utf8'))
      .flatMap((line) => /(?:^|[|;] |\$ )(audit .*)$/.exec(line)?.[1] ?? [])
      .filter((line) => !isPattern(line) && !/^audit (--|help)/.test(line));
    if (lines.length === 0) continue;
    it(`${page}: are ones that the program takes`, async () => {
      const refused: string[] = [];
      for (const line of lines) {
        const [, ...argv] = words(line);
        const found = findCommand(argv);
        // A command that is named, and not called.
        const named = line.split(' ').length <= 3 && !line.includes('.');
        try {
          if (found === undefined && named && COMMANDS.some(({ name }) => name.startsWith(`${argv[0]} `))) continue;
          if (found === undefined) throw new Error('no such command');
          if (!named) parseArgs(await found.row.load(), found.rest);
          count++;
        } catch (error) {
          refused.push(`${line}: ${(error as Error).message}`);
        }
      }
      expect(refused).toEqual([]);
    });
  }

  it('are many', () => {
    expect(count).toBeGreaterThan(100);
  });
});
