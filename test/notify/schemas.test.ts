import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { OWN_VECTORS, openFolder, SHARED_VECTORS } from '../../conformance/folder.ts';
import { base64 } from '../../src/bytes/encoding.ts';
import { notifyReport } from '../../src/notify/report.ts';
import { judge } from './judging.ts';
import { recordOfLeaf, simulate } from './simulator.ts';

const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, formats: {} });
const schema = (name: string) =>
  ajv.compile(
    JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')) as object,
  );
const isTrail = schema('notify-trail');
const isRecord = schema('notify-record');
const isReport = schema('notify-report');
const isExport = schema('trail-export');
const isRouting = schema('notify-routing');

function expectValid(validate: ReturnType<typeof schema>, value: unknown, what: string): void {
  validate(JSON.parse(JSON.stringify(value)));
  expect(validate.errors ?? [], what).toEqual([]);
}

test('simulated trails, their records, exports, routings and reports are of the published schemas', () => {
  for (let seed = 1; seed <= 6; seed++) {
    const { document, trails } = simulate(seed);
    expectValid(isTrail, document, `document ${seed}`);
    expectValid(isRouting, document['routing'], `routing ${seed}`);
    expectValid(isReport, notifyReport(judge(document)), `report ${seed}`);
    for (const [trail, leaves] of trails) {
      expectValid(isExport, { format: 'bide.audit.trail-export.v1', trail, leaves: leaves.map(base64) }, trail);
      for (const leaf of leaves) expectValid(isRecord, recordOfLeaf(leaf), trail);
    }
  }
});

interface Vectors {
  readonly cases: readonly {
    readonly input?: unknown;
    readonly params?: { readonly document: unknown };
    readonly answer?: readonly string[];
  }[];
}

test('documents of the vectors, broken trails included, are documents', () => {
  const folders = [openFolder(join(OWN_VECTORS, 'notify')), openFolder(join(SHARED_VECTORS, 'bide'))];
  const files = ['findings.json', 'notify-cases.json'];
  for (const [i, folder] of folders.entries()) {
    if (folder === undefined) continue;
    for (const { input, params, answer = [] } of (folder.json(files[i] as string) as Vectors).cases) {
      const document = input ?? params?.document;
      if (answer.some((code) => UNUSABLE.has(code))) {
        // A leaf's content is no matter of the schema; everything else that makes a document unusable is.
        if (!answer.includes('notify/leaf-malformed')) expect(isTrail(document), answer.join()).toBe(false);
        continue;
      }
      expectValid(isTrail, document, 'vector');
      expectValid(isReport, notifyReport(judge(document)), 'report of a vector');
    }
  }
});

const UNUSABLE = new Set(['document', 'leaf', 'head'].map((part) => `notify/${part}-malformed`)).add(
  'notify/routing-invalid',
);

test('what is no document or no record is refused', () => {
  expect(isTrail({ format: 'bide-audit.notify-trail.v1', trail: 't', records: [], rooting: {} })).toBe(false);
  expect(isTrail({ format: 'bide-audit.notify-trail.v1', records: [] })).toBe(false);
  expect(isRecord({ kind: 'observed', at: '2026-10-13T09:00:00Z', key: 'k' })).toBe(false);
  expect(isRouting({ escalation: { run_aborted: ['ops'] } })).toBe(false);
});
