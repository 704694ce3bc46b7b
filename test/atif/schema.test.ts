/** The published schema, its compiled form, the schema made elsewhere and the rules in code say the same of every document. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OWN_VECTORS, SHARED_VECTORS } from '../../conformance/folder.ts';
import { compiled } from '../../scripts/compile-atif-schema.mjs';
import type { AtifDocument } from '../../src/atif/document.ts';
import { toAtif } from '../../src/atif/export.ts';
import { readAtif, schemaProblem } from '../../src/atif/read.ts';
import { MAX_EMBEDDING, type Rule } from '../../src/atif/rules.ts';
import { isTrajectory, trajectories } from '../../src/atif/trajectory.ts';
import { read } from '../session/load.ts';
import { sessions } from './random.ts';

type Value = null | boolean | number | string | Value[] | { [name: string]: Value };

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const load = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

const elsewhere = join(SHARED_VECTORS, 'atif/atif-v1.8.schema.json');
const ajv = new Ajv2020({ strict: false });
const other = existsSync(elsewhere) ? ajv.compile(load(elsewhere) as object) : undefined;

/** Rules that a schema cannot say, or not wholly: where one of them is broken alone, the schema may take the document. */
const BEYOND: ReadonlySet<Rule> = new Set<Rule>(['V05', 'V07', 'V17', 'V20', 'V21']);

function compare(document: unknown): void {
  const { rules, document: value } = readAtif(bytes(document));
  if (rules === undefined || value === undefined) throw new Error('JSON');
  const taken = schemaProblem(value, rules) === undefined;
  if (other !== undefined) expect(taken).toBe(other(document));
  if (rules.violations.length === 0) expect(taken).toBe(true);
  if (rules.violations.some(({ rule }) => !BEYOND.has(rule))) expect(taken).toBe(false);
  if (!taken) expect(rules.violations).not.toEqual([]);
}

function* documents(): Generator<unknown> {
  for (const folder of ['atif/valid', 'atif/invalid', 'atif/sessions', 'agentsession/export', 'agentsession/atif']) {
    const path = join(SHARED_VECTORS, folder);
    if (!existsSync(path)) continue;
    for (const name of readdirSync(path)) if (name.endsWith('.json')) yield load(join(path, name));
  }
  const own = load(join(OWN_VECTORS, 'atif/rules.json')) as {
    readonly cases: readonly { readonly params: { readonly document: unknown } }[];
  };
  for (const { params } of own.cases) if (typeof params.document !== 'string') yield params.document;
}

describe('the schema of documents', () => {
  it('is compiled as it stands', () => {
    expect(readFileSync(new URL('../../src/atif/schemaCheck.ts', import.meta.url), 'utf8')).toBe(compiled());
  });

  it('says of every document what the schema made elsewhere and the rules say', () => {
    let count = 0;
    for (const document of documents()) {
      compare(document);
      count++;
    }
    expect(count).toBeGreaterThan(70);
  });

  it('goes on saying so when a member is changed, taken out or added anywhere', async () => {
    const strange: Value[] = [null, true, -1, 0, 1.5, '', 'x', 'agent', [], {}, [null], { type: 'image' }];
    const pool: unknown[] = [...documents()];
    await fc.assert(
      fc.asyncProperty(
        sessions,
        fc.array(fc.tuple(fc.nat(), fc.nat(11), fc.nat(3)), { minLength: 1, maxLength: 3 }),
        fc.nat(),
        async (draft, changes, which) => {
          const [path] = [...trajectories(read(draft.bytes()))].filter(isTrajectory);
          const made: unknown = which % 2 === 0 && path !== undefined ? await toAtif(path) : pool[which % pool.length];
          const document = JSON.parse(JSON.stringify(made)) as Value;
          for (const [place, value, how] of changes)
            change(document, place, structuredClone(strange[value]) as Value, how);
          compare(document);
        },
      ),
      { numRuns: process.env['AUDIT_FUZZ'] === undefined ? 400 : 20_000 },
    );
  });

  it('is not asked about documents that are embedded deeper than is read', () => {
    const nested = (levels: number): Value => {
      let document: Value = {
        schema_version: 'ATIF-v1.8',
        trajectory_id: 'x',
        agent: { name: 'a', version: '1' },
        steps: [{ step_id: 1, source: 'user', message: '' }],
      };
      const root = document;
      for (let i = 0; i < levels; i++) {
        const child: Value = { ...(root as { [name: string]: Value }) };
        delete child['subagent_trajectories'];
        (document as { [name: string]: Value })['subagent_trajectories'] = [child];
        document = child;
      }
      return root;
    };
    const fits = readAtif(bytes(nested(MAX_EMBEDDING)));
    expect([fits.rules?.tooDeep, fits.rules?.violations, fits.rules?.documents]).toEqual([
      undefined,
      [],
      MAX_EMBEDDING + 1,
    ]);
    expect(schemaProblem(fits.document as AtifDocument, fits.rules as NonNullable<typeof fits.rules>)).toBeUndefined();
    const deep = readAtif(bytes(nested(MAX_EMBEDDING + 1)));
    expect(deep.rules?.tooDeep).toMatch(/^(\/subagent_trajectories\/0)+\/subagent_trajectories$/);
    expect(schemaProblem(deep.document as AtifDocument, deep.rules as NonNullable<typeof deep.rules>)).toBeDefined();
  });
});

/** Changes, takes out or adds a member at one of the places of a value, chosen by a number. */
function change(root: Value, place: number, value: Value, how: number): void {
  const places: (readonly [owner: { [name: string]: Value }, name: string])[] = [];
  const work: Value[] = [root];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (next === null || typeof next !== 'object') continue;
    for (const [name, inner] of Object.entries(next)) {
      // What stands inside of open objects is nobody's.
      if (name === 'extra' || name === 'arguments' || name === 'tool_definitions') continue;
      places.push([next as { [name: string]: Value }, name]);
      work.push(inner as Value);
    }
  }
  const chosen = places[place % places.length];
  if (chosen === undefined) return;
  const [owner, name] = chosen;
  if (how === 0 && !Array.isArray(owner)) delete owner[name];
  else if (how === 1 && !Array.isArray(owner)) owner[`${name}x`] = value;
  else owner[name] = value;
}
