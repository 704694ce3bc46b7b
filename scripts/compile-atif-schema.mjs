// Writes src/atif/schemaCheck.ts: schemas/atif-v1.8.schema.json as compiled by ajv, so that documents are checked without compiling
// anything where they are checked (a page that forbids eval, for one). Run it after each change of the schema; a test compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';

const HEAD = `// @ts-nocheck
// biome-ignore-all lint: written by ajv
// biome-ignore-all format: written by ajv
/** The JSON Schema of ATIF v1.8 (schemas/atif-v1.8.schema.json), compiled by scripts/compile-atif-schema.mjs; atif-export 3.3. */
`;

export function compiled() {
  const schema = JSON.parse(readFileSync(new URL('../schemas/atif-v1.8.schema.json', import.meta.url), 'utf8'));
  // Without unicode lengths nothing of ajv is needed at run time; the only length asked for is "not empty".
  const ajv = new Ajv2020({
    code: { source: true, esm: true, lines: true },
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    unicode: false,
    logger: false,
  });
  return HEAD + (standaloneCode.default ?? standaloneCode)(ajv, ajv.compile(schema));
}

if (process.argv[1]?.endsWith('compile-atif-schema.mjs'))
  writeFileSync(new URL('../src/atif/schemaCheck.ts', import.meta.url), compiled());
