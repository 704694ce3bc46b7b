import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, utf8 } from '../../src/bytes/encoding.ts';
import { encodeExport, readExport } from '../../src/journal/export.ts';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
const schema = (name: string) => ajv.compile(read(`../../schemas/${name}.schema.json`) as object);

describe('the schema of scenarios', () => {
  const validate = schema('scenario');
  const folder = new URL('scenarios/', import.meta.url);
  it.each(readdirSync(folder))('accepts %s', (file) => {
    expect(validate(read(`scenarios/${file}`)), JSON.stringify(validate.errors)).toBe(true);
  });
  it('refuses a scenario without turns, with a sub-run, or with a member that no player knows', () => {
    const good = read('scenarios/charge.json') as Record<string, unknown>;
    expect(validate({ ...good, turns: [] })).toBe(false);
    expect(validate({ ...good, run: 'a>b' })).toBe(false);
    expect(validate({ ...good, chaos: true })).toBe(false);
  });
});

describe('the schema of journal exports', () => {
  const validate = schema('journal-export');
  const header = utf8(`{"name":"@journal","kind":"header","format":"bide.journal.v1-dev","salt":"${'A'.repeat(43)}="}`);
  it('accepts what is written, and refuses what the reader refuses for its shape', () => {
    const written = JSON.parse(decodeUtf8(encodeExport('run>sub', [header])) ?? '') as Record<string, unknown>;
    expect(validate(written)).toBe(true);
    for (const change of [
      { format: 'bide.audit.journal-export.v2' },
      { more: 1 },
      { records: ['e30'] },

      { run_id: 1 },
    ]) {
      const changed = { ...written, ...change };
      expect(validate(changed), JSON.stringify(change)).toBe(false);
      expect(readExport(utf8(JSON.stringify(changed))).journal, JSON.stringify(change)).toBeUndefined();
    }
  });
});
