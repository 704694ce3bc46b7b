/** Completion in the shells themselves, and the manual page in the readers of manual pages. Both are made from the table that help is made from. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cmd/commands.ts';
import { manPage } from '../../cmd/man.ts';
import { FORMATS } from '../../src/report/format.ts';
import { audit } from './io.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-shell-'));
const script = (shell: string): string => join(folder, `audit.${shell}`);
const have = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) writeFileSync(script(shell), (await audit(['completion', shell])).out);
  // What completion asks the program for, without a program.
  const program =
    '#!/bin/sh\ncase "$1" in explain) printf "session/id-mismatch   An id\\njson/too-deep   A line\\n" ;; schema) printf "report\\ntrust\\n" ;; esac\n';
  writeFileSync(join(folder, 'audit'), program);
  chmodSync(join(folder, 'audit'), 0o755);
  writeFileSync(join(folder, 'a file.jsonl'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (program: string, args: readonly string[]): string => {
  const { stdout, stderr, status } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 20_000,
    env: { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, TERM: 'dumb', LC_ALL: 'C.UTF-8' },
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
};
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** What each shell offers for a line whose last word is unfinished. */
const OFFERS: Readonly<Record<string, (words: readonly string[]) => string[]>> = {
  bash: (words) => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    return lines(
      run('bash', [
        '--norc',
        '-c',
        `source ${script('bash')}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _audit; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ]),
    );
  },
  fish: (words) => {
    const line = words.join(' ');
    return lines(
      run('fish', ['--no-config', '-c', `source ${script('fish')}; complete -C ${JSON.stringify(line)}`]),
    ).map((row) => row.split('\t')[0] as string);
  },
  zsh: (words) => {
    // In zsh completion is of its line editor, so it is asked in a terminal: the line after a tab is the answer.
    const capture = `
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PROMPT=; autoload -Uz compinit; compinit -D -u; source ${script('zsh')}; bindkey '^I' complete-word; echo READ''Y"
zpty -r -m z out '*READY*'
zpty -w -n z ${JSON.stringify(words.join(' '))}$'\\t'
for i in {1..40}; do
  sleep 0.1
  while zpty -r -t z part; do out+=$part; done
  [[ $out == *${words.at(-1)}*' ' ]] && break
done
print -r -- "\${out##*READY}"
zpty -d z`;
    const line = stripVTControlCharacters(run('zsh', ['-f', '-c', capture]))
      .replaceAll('\r', '')
      .replaceAll('\n', '')
      .trim();
    return [line.slice(line.lastIndexOf(' ') + 1)];
  },
};

const CASES: readonly (readonly [says: string, words: readonly string[], offered: readonly string[]])[] = [
  ['commands', ['audit', 'veri'], ['verify']],
  ['the second word of a family', ['audit', 'trust', 'i'], ['init']],
  ['options of the command', ['audit', 'verify', '--tru'], ['--trust']],
  ['options of a command of two words', ['audit', 'keys', 'gen', '--sch'], ['--scheme']],
  ['what an option takes, where that is a list', ['audit', 'verify', '--format', 'sar'], ['sarif']],
  ['finding codes', ['audit', 'explain', 'session/'], ['session/id-mismatch']],
  ['schemas', ['audit', 'schema', 'rep'], ['report']],
  ['shells', ['audit', 'completion', 'z'], ['zsh']],
];

describe.each(['bash', 'fish', 'zsh'])('completion in %s', (shell) => {
  it.skipIf(!have(shell)).each(CASES)('offers %s', (_, words, offered) => {
    expect(OFFERS[shell]?.(words).map((word) => word.trim())).toEqual(offered);
  });

  it('knows every command, option and format', async () => {
    const { out } = await audit(['completion', shell]);
    for (const row of COMMANDS) {
      const command = await row.load();
      for (const word of command.name.split(' ')) expect(out).toContain(word);
      for (const option of command.options) expect(out).toContain(option.name);
    }
    for (const format of FORMATS) expect(out).toContain(format);
  });
});

describe('the manual page', async () => {
  const page = await manPage();

  it('holds every command with its options and examples', async () => {
    const plain = page
      .replaceAll('\\-', '-')
      .replaceAll('\\(dq', '"')
      .replaceAll('\\e', '\\')
      .replace(/\\\[u([0-9A-F]+)\]/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
    for (const row of COMMANDS) {
      const command = await row.load();
      expect(page).toContain(`.SS "audit ${command.name.replaceAll('-', '\\-')}`);
      for (const option of command.options) expect(plain).toContain(`--${option.name}`);
      for (const example of command.examples) expect(plain).toContain(example.command);
    }
  });

  it.skipIf(!have('mandoc'))('is clean to mandoc, but for the date that a page made at build must not have', () => {
    const { stdout } = spawnSync('mandoc', ['-T', 'lint'], { input: page, encoding: 'utf8' });
    expect(lines(stdout).filter((line) => !line.includes('missing date'))).toEqual([]);
  });

  it.skipIf(!have('man'))('is shown by man without a warning', () => {
    const file = join(folder, 'audit.1');
    writeFileSync(file, page);
    const { stdout, stderr, status } = spawnSync('man', ['-l', '--warnings=w', file], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], MANWIDTH: '80', LC_ALL: 'C.UTF-8' },
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('audit verify <path...>');
    expect(stdout).toMatch(/EXIT STATUS/);
  });
});
