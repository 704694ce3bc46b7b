/** The vectors in vectors/pki are what their script says, every one is answered right, and every finding code of the module is among them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWN_VECTORS } from '../../conformance/folder.ts';
import { operations } from '../../conformance/operations/pki.ts';
import { catalogue } from '../../src/pki/catalogue.ts';
import { files, fileText } from '../../vectors/make-pki.ts';

/** Codes that only the reading of an input as a kind can give; `test/verify/pki.test.ts` produces them. */
const ELSEWHERE = ['pki/no-instant'];

describe('the vectors of vectors/pki', () => {
  for (const name of Object.keys(files)) {
    const path = join(OWN_VECTORS, 'pki', name);
    it(`${name} is what the script writes`, () => {
      const text = fileText(name);
      expect(existsSync(path)).toBe(true);
      expect(readFileSync(path, 'utf8') === text).toBe(true);
    });
    for (const item of files[name]?.cases ?? [])
      it(item.name, async () => {
        expect(await operations[item.op]?.(item.params)).toEqual(item.answer);
      });
  }

  it('produce every code of the catalogue', () => {
    const produced = new Set(ELSEWHERE);
    for (const { cases } of Object.values(files))
      for (const { answer } of cases)
        for (const [code] of JSON.stringify(answer).matchAll(/pki\/[a-z0-9-]+/g)) produced.add(code);
    expect(Object.keys(catalogue.entries).filter((code) => !produced.has(code))).toEqual([]);
  });
});
