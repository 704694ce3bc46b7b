/** Law 8: one report, however the bytes come and wherever they are judged. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { OWN_VECTORS, SHARED_VECTORS } from '../../conformance/folder.ts';
import { demoCase } from '../../scripts/demo/case.ts';
import { unbase64, utf8 } from '../../src/bytes/encoding.ts';
import type { ByteSource } from '../../src/bytes/source.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { renderJson } from '../../src/report/json.ts';
import { withTrust } from '../../src/verify/options.ts';
import type { InputReport, Report } from '../../src/verify/report.ts';
import { verify } from '../../src/verify/verify.ts';
import { HAS_CHROMIUM, launch, pageWithVerifier, verifyInPage } from '../browser/chromium.ts';
import { audit, IS_BUILT, temporaryFolder } from '../browser/program.ts';

const AT = '2026-12-01T00:00:00Z';
const AT_NS = 1_796_083_200_000_000_000n;
/** Inputs that are kept of each kind. */
const OF_A_KIND = 12;

interface File {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Every artifact that stands in the project's vectors, as text or as base64. */
function* artifacts(value: unknown, name = ''): Generator<Uint8Array> {
  if (typeof value === 'string') {
    if (/^\s*\{\s*"format"|^c2sp\.org|\n\n\u2014 /.test(value)) yield utf8(value);
    else if (name.endsWith('_b64') && value.length > 200) yield unbase64(value) ?? new Uint8Array();
  } else if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) yield* artifacts(inner, Array.isArray(value) ? name : key);
}

function* files(): Generator<File> {
  for (const folder of readdirSync(OWN_VECTORS, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    for (const name of readdirSync(join(OWN_VECTORS, folder.name))) {
      let count = 0;
      const vectors: unknown = JSON.parse(readFileSync(join(OWN_VECTORS, folder.name, name), 'utf8'));
      for (const bytes of artifacts(vectors)) yield { path: `${folder.name}/${name}-${count++}`, bytes };
    }
  }
  for (const folder of ['field', 'pkits/certs', 'pkits/crls'].filter((each) => existsSync(join(SHARED_VECTORS, each))))
    for (const name of readdirSync(join(SHARED_VECTORS, folder)).slice(0, 40))
      if (!name.endsWith('.json'))
        yield { path: `${folder}/${name}`, bytes: new Uint8Array(readFileSync(join(SHARED_VECTORS, folder, name))) };
}

/** Gives as much as `sizes` say, one after the other, in a block that the next read overwrites. */
function chopped(bytes: Uint8Array, sizes: readonly number[]): ByteSource {
  let turn = 0;
  let given = new Uint8Array();
  return {
    size: bytes.length,
    read(offset, length) {
      given.fill(0xff);
      const size = Math.min(length, sizes[turn++ % sizes.length] as number);
      given = bytes.slice(offset, offset + size);
      return given;
    },
  };
}

let inputs: readonly File[];
let trust: File;
let whole: Report;

async function judge(source: (bytes: Uint8Array) => ByteSource): Promise<Report> {
  const read = await withTrust([trust], { at: AT_NS });
  return verify(
    inputs.map(({ path, bytes }) => ({ path, source: source(bytes) })),
    read.options,
    { findings: read.findings },
  );
}

const byKind = (report: Report) => new Set(report.inputs.map(({ kind }) => kind));

describe('one input gives one report', () => {
  beforeAll(async () => {
    const demo = await demoCase();
    trust = { path: 'trust.json', bytes: demo.files.get('trust.json') as Uint8Array };
    inputs = [
      ...[...demo.files].filter(([name]) => !name.endsWith('.key')).map(([path, bytes]) => ({ path, bytes })),
      ...files(),
    ];
    // Some of every kind and result, so that each reader, judge and way to fail is among them.
    const met = new Map<string, number>();
    const all = await judge(memorySource);
    inputs = inputs.filter((_, i) => {
      const { kind, result } = all.inputs[i] as InputReport;
      const key = `${kind ?? ''} ${result}`;
      met.set(key, (met.get(key) ?? 0) + 1);
      return (met.get(key) as number) <= OF_A_KIND;
    });
    whole = await judge(memorySource);
  });

  it('of every kind that the project has vectors of', () => {
    expect([...byKind(whole)].sort()).toEqual(
      expect.arrayContaining([
        'absence',
        'bundle',
        'certificate',
        'crl',
        'event',
        'head',
        'journal',
        'package',
        'proof',
        'session',
        'timestamp',
        'trail',
      ]),
    );
    const { verified, not_verified, no_verdict, unusable_input } = whole.totals;
    expect(Math.min(verified, not_verified, no_verdict, unusable_input)).toBeGreaterThan(5);
  });

  it.each([
    ['in pieces', [1000]],
    ['in pieces of many sizes', [1, 7, 64, 3, 4096]],
    ['byte by byte', [1]],
  ])('read %s', async (_, sizes) => {
    const report = await judge((bytes) => chopped(bytes, sizes));
    for (const [i, input] of report.inputs.entries()) expect(input).toEqual(whole.inputs[i]);
    expect(renderJson(report)).toBe(renderJson(whole));
  });

  it.skipIf(!IS_BUILT)('on the command line, by one worker, and by several', () => {
    const folder = temporaryFolder();
    for (const { path, bytes } of [...inputs, trust]) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
    const run = (workers: string) =>
      audit(
        folder,
        'verify',
        ...inputs.map(({ path }) => path),
        '--trust',
        'trust.json',
        '--at',
        AT,
        '--workers',
        workers,
        '--format',
        'json',
      );
    const one = run('1');
    const several = run('2');
    expect(several.out).toBe(one.out);
    expect(several.status).toBe(whole.status);
    const { inputs: found } = JSON.parse(one.out) as Report;
    // Named inputs of one run are each other's siblings, which the runs above have none of.
    const alike = found.filter(
      (input, i) =>
        renderJson({ ...whole, inputs: [input] }) ===
        renderJson({ ...whole, inputs: [whole.inputs[i] as InputReport] }),
    );
    expect(alike.length).toBe(whole.inputs.length);
  });

  it.skipIf(!HAS_CHROMIUM || !IS_BUILT)('in a browser without a network', async () => {
    const browser = await launch();
    try {
      const page = await pageWithVerifier(browser);
      const base64 = ({ path, bytes }: File) => ({ path, base64: Buffer.from(bytes).toString('base64') });
      const json = await verifyInPage(page, inputs.map(base64), { trust: [base64(trust)], at: AT });
      const report = JSON.parse(json) as Report;
      for (const [i, input] of report.inputs.entries())
        expect(input).toEqual(JSON.parse(JSON.stringify(whole.inputs[i])));
      expect(json).toBe(renderJson(whole));
    } finally {
      await browser.close();
    }
  });
});
