/** The artifacts of the vectors against the published schemas, and what the schemas refuse. */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { vector } from './fixtures.ts';

const folder = new URL('../../schemas/', import.meta.url);
const NAMES = [
  'tree-head',
  'proof-bundle',
  'absence-bundle',
  'event-inclusion',
  'signed-grant',
  'current-grant',
  'run-certificate',
  'evidence-package',
  'quorum',
  'journal-export',
] as const;
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
for (const name of NAMES) ajv.addSchema(JSON.parse(readFileSync(new URL(`${name}.schema.json`, folder), 'utf8')));

const quorum = `{"format":"audit.quorum.v1","name":"q","tally":${vector('computed', 'governed_run', 'quorum', 'tally_bundle_json')},"votes":[${vector<readonly string[]>('computed', 'governed_run', 'quorum', 'vote_bundles_json').join(',')}]}`;

const GOOD: readonly (readonly [(typeof NAMES)[number], string])[] = [
  ['proof-bundle', vector('computed', 'proof_bundle_leaf_3')],
  ['proof-bundle', vector('computed', 'proof_bundle_single_leaf_tree', 'json')],
  ['absence-bundle', vector('computed', 'absence_tool_use', 'bundle_json')],
  ['absence-bundle', vector('computed', 'absence_empty_set', 'bundle_json')],
  ['event-inclusion', vector('computed', 'events', 'inclusion_1_json')],
  ['signed-grant', vector('computed', 'grants', 'root', 'signed_json')],
  ['signed-grant', vector('computed', 'grants', 'child', 'signed_json')],
  ['current-grant', vector('computed', 'current_grant', 'proof_json')],
  ['run-certificate', vector('computed', 'governed_run', 'run_certificate_json')],
  ['evidence-package', vector('computed', 'evidence_package', 'json')],
  ['evidence-package', vector('computed', 'evidence_package_with_run_certificate', 'json')],
  ['evidence-package', vector('computed', 'approval_evidence', 'package', 'json')],
  ['journal-export', vector('computed', 'export')],
  ['quorum', quorum],
];

const holds = (name: string, value: unknown) => ajv.validate(`${name}.schema.json`, value) as boolean;

describe.each(
  GOOD.map(([name, text], i) => [`${name} (${i})`, name, JSON.parse(text) as Record<string, unknown>] as const),
)('schema of %s', (_, name, value) => {
  it('takes what is written', () => {
    expect(holds(name, value), ajv.errorsText()).toBe(true);
  });

  it('refuses a member too many, and one that is not there', () => {
    expect(holds(name, { ...value, extra: 1 })).toBe(false);
    const schema = JSON.parse(readFileSync(new URL(`${name}.schema.json`, folder), 'utf8')) as {
      required: readonly string[];
    };
    for (const member of schema.required) {
      const without = Object.fromEntries(Object.entries(value).filter(([key]) => key !== member));
      expect(holds(name, without), member).toBe(false);
    }
  });

  it('refuses another version', () => {
    if ('format' in value) expect(holds(name, { ...value, format: `${String(value['format'])}1` })).toBe(false);
  });
});

it('every schema of this folder is one that a test knows by name', () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.schema.json'));
  for (const name of NAMES) expect(files).toContain(`${name}.schema.json`);
});
