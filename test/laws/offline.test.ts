/** Law 5: nothing that the binaries can reach opens a socket. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NETWORK = new Set([
  'net',
  'tls',
  'http',
  'https',
  'http2',
  'dgram',
  'dns',
  'dns/promises',
  'inspector',
  'inspector/promises',
]);
const SPECIFIER =
  /(?:^|[\s;}])(?:import|export)\s*(?:[\w*{}\s,$]*\sfrom\s*)?['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]\s*\)|\brequire\(\s*['"]([^'"\n]+)['"]\s*\)/g;

/** Every file that the entry points reach by static and dynamic imports, and the built-in modules that each names. */
function reach(entries: readonly string[]): Map<string, string[]> {
  const builtins = new Map<string, string[]>();
  const seen = new Set<string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file) || !/\.(js|mjs|cjs)$/.test(file)) continue;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, fromImport, dynamic, required] of text.matchAll(SPECIFIER)) {
      const specifier = fromImport ?? dynamic ?? required ?? '';
      if (isBuiltin(specifier)) builtins.set(file, [...(builtins.get(file) ?? []), specifier.replace(/^node:/, '')]);
      else {
        const target = resolve(specifier, file);
        if (target !== undefined) open.push(target);
      }
    }
  }
  expect(seen.size).toBeGreaterThan(50);
  return builtins;
}

function resolve(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('.')) {
    const path = join(dirname(from), specifier);
    return [path, `${path}.js`, join(path, 'index.js')].find(
      (candidate) => /\.(js|mjs|cjs|json)$/.test(candidate) && existsSync(candidate),
    );
  }
  try {
    return createRequire(pathToFileURL(from)).resolve(specifier);
  } catch {
    return undefined;
  }
}

describe('the binaries', () => {
  it('reach no module that opens a socket', () => {
    const builtins = reach([
      join(ROOT, 'dist/cmd/audit.js'),
      join(ROOT, 'dist/cmd/bide-audit.js'),
      join(ROOT, 'dist/src/corpus/worker.js'),
    ]);
    const network = [...builtins].flatMap(([file, names]) =>
      names.filter((name) => NETWORK.has(name)).map((name) => `${file.slice(ROOT.length)} imports ${name}`),
    );
    expect(network).toEqual([]);
  });

  it('use no network function of the platform', () => {
    const found = spawnSync(
      'grep',
      [
        '-rlE',
        '\\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon)\\(',
        join(ROOT, 'src'),
        join(ROOT, 'cmd'),
        '--include=*.ts',
      ],
      {
        encoding: 'utf8',
      },
    ).stdout;
    expect(found).toBe('');
  });
});

const canUnshare = spawnSync('unshare', ['-rn', 'true']).status === 0;

describe.skipIf(!canUnshare)('without a network namespace', () => {
  it('a verification gives the same bytes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'audit-offline-'));
    const file = join(folder, 'header.jsonl');
    writeFileSync(
      file,
      '{"type":"session","format":"agentsession/0.14","id":"a","created_at":"2026-11-01T09:00:00Z","payload":"openresponses/2026-04-24"}\n',
    );
    const argv = [join(ROOT, 'dist/cmd/audit.js'), 'verify', file, '--format', 'json'];
    const [within, without] = [
      spawnSync('node', argv, { encoding: 'utf8' }),
      spawnSync('unshare', ['-rn', 'node', ...argv], { encoding: 'utf8' }),
    ];
    expect(without.stdout).toBe(within.stdout);
    expect(without.status).toBe(1);
  });
});
