import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
});
const isHeader = ajv.compile(read('schemas/session-header.schema.json') as object);
const isEntry = ajv.compile(read('schemas/session-entry.schema.json') as object);

interface Vector {
  readonly name: string;
  readonly op: string;
  readonly params: { readonly file?: string };
  readonly answer: readonly string[];
}

/** Findings that a schema can see: the form of one line. */
const OF_FORM = /^session\/(?:bad-entry|bad-ts|bad-parent|reserved-member) /;

const vectors = (read('vectors/session/reading.json') as { cases: readonly Vector[] }).cases.filter(
  ({ op, params }) => op === 'session/faults' && params.file !== undefined,
);

function linesOf(file: string): readonly unknown[] {
  return file
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

const files = vectors.filter(({ params, answer }) => {
  if (answer.some((finding) => /^json\/|truncated|ids-assigned|not-a-session/.test(finding))) return false;
  return (params.file ?? '').trim() !== '';
});

describe('the schemas of session lines', () => {
  it('take every header and entry in whose form the reader finds no fault', () => {
    let entries = 0;
    for (const { name, params, answer } of files) {
      if (answer.some((finding) => OF_FORM.test(finding) || /header|unsupported|id-mismatch|convergence/.test(finding)))
        continue;
      const [header, ...rest] = linesOf(params.file ?? '');
      expect(isHeader(header), `${name}: ${ajv.errorsText(isHeader.errors)}`).toBe(true);
      for (const entry of rest) expect(isEntry(entry), `${name}: ${ajv.errorsText(isEntry.errors)}`).toBe(true);
      entries += rest.length;
    }
    expect(entries).toBeGreaterThan(100);
  });
  it('refuse every entry in whose form the reader finds one', () => {
    let refused = 0;
    for (const { name, params, answer } of files) {
      const of = answer.find((finding) => OF_FORM.test(finding));
      // That a day exists is for a calendar.
      if (of === undefined || /02-[23]|02-29/.test(name)) continue;
      const line = Number(of.split(' ')[1]);
      expect(isEntry(linesOf(params.file ?? '')[line - 1]), name).toBe(false);
      refused++;
    }
    expect(refused).toBeGreaterThan(80);
  });
  it('refuse every header that the reader refuses for its members', () => {
    let refused = 0;
    for (const { name, params, answer } of files) {
      if (!answer.some((finding) => /bad-header|unsupported/.test(finding)) || name.includes('no time')) continue;
      expect(isHeader(linesOf(params.file ?? '')[0]), name).toBe(false);
      refused++;
    }
    expect(refused).toBeGreaterThan(8);
  });
});
