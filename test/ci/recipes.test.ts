/** The recipes of docs/ci, run as far as they can be without their platforms, and held against the platforms' own readers. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commands, elements, parseXml, reportFaults, sarifFaults } from '../report/readers.ts';
import { Draft } from '../session/draft.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const recipe = (name: string): string => join(ROOT, 'docs/ci', name);
const built = existsSync(join(ROOT, 'dist/cmd/audit.js'));
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const good = (): string => {
  const draft = new Draft();
  draft.item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello ::error::x' }] });
  return draft.text();
};
const TRUST = '{"format":"audit.trust.v1"}';

/**
 * A repository with a session, and beside it a folder of programs: audit, an npx that runs it as npx would, and an rsync for the GitLab runner,
 * which copies the repository for containers that are not used here.
 */
class Repository {
  readonly folder = mkdtempSync(join(tmpdir(), 'audit-ci-'));
  readonly env: Record<string, string>;
  constructor() {
    folders.push(this.folder);
    const bin = join(this.folder, '.bin');
    mkdirSync(bin);
    this.program('audit', `exec "${process.execPath}" "${join(ROOT, 'dist/cmd/audit.js')}" "$@"`);
    this.program('npx', '[ "$1" = --no-install ] || exit 9; shift; exec "$@"');
    this.program('npm', 'exit 0');
    this.program('rsync', 'for last; do :; done; mkdir -p "$last"');
    this.env = { PATH: `${bin}:${process.env['PATH']}`, HOME: this.folder, GIT_CONFIG_NOSYSTEM: '1', NO_COLOR: '1' };
    this.file('trust.json', TRUST);
    this.file('sessions/a.jsonl', good());
  }
  private program(name: string, script: string): void {
    const path = join(this.folder, '.bin', name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }
  file(path: string, text: string): void {
    mkdirSync(join(this.folder, path, '..'), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }
  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }
  run(command: string, ...args: readonly string[]): { status: number | null; out: string; err: string } {
    return this.with({}, command, ...args);
  }
  with(
    env: Record<string, string>,
    command: string,
    ...args: readonly string[]
  ): { status: number | null; out: string; err: string } {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: this.folder,
      env: { ...this.env, ...env },
      encoding: 'utf8',
    });
    return { status, out: stdout, err: stderr };
  }
}

const bent = (): string => good().replace('hello', 'hallo');

describe.skipIf(!built)('with the built program', () => {
  let here: Repository;
  beforeEach(() => {
    here = new Repository();
  });

  describe('the shell gate', () => {
    it.each([
      ['opens for a session that holds', {}, 'sessions', 0, 'gate open'],
      [
        'is shut for what does not hold',
        { bent: '1' },
        'sessions',
        1,
        'gate shut: something in an input does not hold',
      ],
      [
        'is shut where a required claim is undecided',
        { AUDIT_REQUIRE: 'completeness' },
        'sessions',
        3,
        'gate shut: nothing is known',
      ],
      ['is shut for a file that is not there', {}, 'elsewhere', 4, 'gate shut: an input could not be used'],
      ['is shut where nothing is named', {}, undefined, 2, 'gate shut: the command line is wrong'],
      [
        'is shut where the program is not there',
        { AUDIT: 'no-such-program' },
        'sessions',
        127,
        'gate shut: the program did not run',
      ],
      ['takes a name that looks like an option for a name', {}, '--quiet', 4, 'gate shut: an input could not be used'],
    ] as const)('%s', (_, env, path, status, says) => {
      if ('bent' in env) here.file('sessions/b.jsonl', bent());
      const run = here.with(env, 'sh', recipe('gate.sh'), ...(path === undefined ? [] : [path]));
      expect([run.status, run.err]).toEqual([status, expect.stringContaining(says)]);
      if (status !== 2 && status !== 127)
        expect(reportFaults(JSON.parse(here.read('audit-report.json')))).toBeUndefined();
    });

    it('passes shellcheck’s reading of POSIX: dash runs it too', () => {
      expect(here.run('sh', '-n', recipe('gate.sh')).status).toBe(0);
    });
  });

  describe('the git hook', () => {
    const git = (...args: readonly string[]) =>
      here.with({ AUDIT_TRUST: 'trust.json' }, 'git', '-c', 'user.name=a', '-c', 'user.email=a@b', ...args);
    beforeEach(() => {
      git('init', '-q', '.');
      copyFileSync(recipe('pre-commit'), join(here.folder, '.git/hooks/pre-commit'));
      chmodSync(join(here.folder, '.git/hooks/pre-commit'), 0o755);
    });

    it('lets a commit through whose staged files hold, and one that stages none', () => {
      git('add', 'sessions');
      expect(git('commit', '-q', '-m', 'a').status).toBe(0);
      git('add', 'trust.json');
      expect(git('commit', '-q', '-m', 'b').status).toBe(0);
    });

    it('refuses a commit by what is staged, not by what lies in the working tree', () => {
      here.file('sessions/b.jsonl', bent());
      git('add', 'sessions');
      here.file('sessions/b.jsonl', good());
      const refused = git('commit', '-q', '-m', 'a');
      expect(refused.status).toBe(1);
      expect(refused.out + refused.err).toContain('session/id-mismatch');
      git('add', 'sessions');
      expect(git('commit', '-q', '-m', 'a').status).toBe(0);
    });

    it('refuses names that would be options, and reads names with spaces', () => {
      here.file('sessions/--quiet b.jsonl', bent());
      git('add', 'sessions');
      expect(git('commit', '-q', '-m', 'a').status).toBe(1);
    });
  });

  describe('the GitHub workflow', () => {
    const text = readFileSync(recipe('github-actions.yml'), 'utf8');
    const steps = () =>
      (parse(text) as { jobs: { audit: { steps: { name?: string; run?: string }[] } } }).jobs.audit.steps;

    it('is read by the platform’s own parser without a fault', () => {
      const { context } = parseWorkflow({ name: 'audit.yml', content: text }, new NoOperationTraceWriter());
      expect(context.errors.getErrors().map(({ message }) => message)).toEqual([]);
      const { context: broken } = parseWorkflow(
        { name: 'audit.yml', content: text.replace('runs-on', 'runs-at') },
        new NoOperationTraceWriter(),
      );
      expect(broken.errors.getErrors().length).toBeGreaterThan(0);
    });

    it.each([
      ['green', good, 0],
      ['red', bent, 1],
    ] as const)('is %s as its run steps are under bash -eo pipefail', (_, file, status) => {
      here.file('sessions/a.jsonl', file());
      const runs = steps().flatMap(({ run }) => (run === undefined ? [] : [run]));
      expect(runs.length).toBe(2);
      const results = runs.map((run) =>
        here.with({ GITHUB_ACTIONS: 'true' }, 'bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', run),
      );
      expect(results.map((run) => run.status)).toEqual([0, status]);
      const { now, old } = commands(results[1]?.out ?? '');
      expect(old).toEqual([]);
      expect(now.some(({ command }) => command === 'error')).toBe(status !== 0);
      for (const { properties } of now) expect(properties['file']).toBe('sessions/a.jsonl');
      expect(sarifFaults(JSON.parse(here.read('audit.sarif')))).toBeUndefined();
      expect(reportFaults(JSON.parse(here.read('audit.json')))).toBeUndefined();
      expect(elements(parseXml(here.read('audit.xml')), 'testcase').length).toBeGreaterThan(2);
      expect(here.read('audit.html')).toContain('<!doctype html>');
    });
  });

  describe('the GitLab job', () => {
    const runner = join(ROOT, 'node_modules/gitlab-ci-local/dist/index.js');
    /** The runner is written for Node 22: a method of sets that Node 20 lacks. */
    const union = `data:text/javascript,${encodeURIComponent('Set.prototype.union ??= function (o) { return new Set([...this, ...o]); }')}`;

    it.each([
      ['green', good, 0],
      ['red', bent, 1],
    ] as const)(
      'is %s in a runner that is not ours, which also holds it against the schema of GitLab',
      (_, file, status) => {
        here.file('sessions/a.jsonl', file());
        cpSync(recipe('gitlab-ci.yml'), join(here.folder, '.gitlab-ci.yml'));
        const git = (...args: readonly string[]) =>
          here.run('git', '-c', 'user.name=a', '-c', 'user.email=a@b', ...args);
        git('init', '-q', '.');
        git('remote', 'add', 'origin', 'git@example.com:a/b.git');
        git('add', '.');
        git('commit', '-q', '-m', 'a');
        const run = here.run(process.execPath, '--import', union, runner, '--force-shell-executor', 'audit');
        expect([run.status, run.out + run.err]).toEqual([
          status,
          expect.stringContaining(status === 0 ? 'VERIFIED' : 'session/id-mismatch'),
        ]);
      },
    );
  });
});

it('every recipe of docs/ci is named in its README', () => {
  const readme = readFileSync(recipe('README.md'), 'utf8');
  for (const name of ['gate.sh', 'pre-commit', 'github-actions.yml', 'gitlab-ci.yml'])
    expect(readme).toContain(`(${name})`);
});
