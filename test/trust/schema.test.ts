/** schemas/trust.schema.json holds the form that the reader takes: what reads is valid, what is of another form is not. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { readGates } from '../../src/approval/gatePatterns.ts';
import { utf8 } from '../../src/bytes/encoding.ts';
import { readTrust } from '../../src/trust/read.ts';

const root = new URL('../../', import.meta.url);
const json = (path: string): unknown => JSON.parse(readFileSync(new URL(path, root), 'utf8'));
const validate = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/ },
}).compile(json('schemas/trust.schema.json') as object);

type Case = {
  readonly name: string;
  readonly params: { readonly files: readonly string[] };
  readonly answer: { readonly codes: readonly string[] };
};
const { cases } = json('vectors/trust/read.json') as { readonly cases: readonly Case[] };

/** What only the reader can see: text that is no JSON, repeated members and names, keys that are spelled well and weak, times compared. */
const BEYOND = /not-json|repeated|conflict|a weak key|differ in case|before the beginning/;

describe('the schema of the trust file', () => {
  it.each(cases.map(({ name, params, answer }) => [name, params.files, answer.codes] as const))(
    'agrees with the reader on %s',
    (name, files, codes) => {
      if (codes.some((code) => BEYOND.test(code)) || BEYOND.test(name)) return;
      expect(files.every((text) => validate(JSON.parse(text)))).toBe(codes.length === 0);
    },
  );

  it('holds for the example of the documentation, which reads', async () => {
    const page = readFileSync(new URL('docs/trust-file.md', root), 'utf8');
    const example = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    expect(validate(JSON.parse(example)), JSON.stringify(validate.errors)).toBe(true);
    const { trust, findings } = await readTrust([{ name: 'docs', bytes: utf8(example) }]);
    expect([...findings, ...readGates(trust).findings]).toEqual([]);
  });

  it.each([
    [{ tool: 'x' }],
    [{ policy: null }],
    [{ tool: 'x', node: 'y', policy: null }],
    [{ tool: 'x', policy: { need: 1, approvers: [] } }],
    [{ tool: 'x', policy: { single: true, need: 1 } }],
    [{ tool: 'x', policy: null, timeout_ms: 1.5 }],
    [{ tool: 'x', policy: null, run: '' }],
    [{ tool: 'x', policy: null, more: 1 }],
  ])('and the reader of gates both refuse %j', async (gate) => {
    const file = { format: 'audit.trust.v1', gates: [gate] };
    expect(validate(file)).toBe(false);
    const { trust } = await readTrust([{ name: 'x', bytes: utf8(JSON.stringify(file)) }]);
    expect(readGates(trust).findings.length).toBeGreaterThan(0);
  });
});
