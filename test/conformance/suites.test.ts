/** Every suite of vectors, the project's own and those made elsewhere, is a test. */
import { describe, expect, it } from 'vitest';
import { allOperations, allSuites } from '../../conformance/registry.ts';
import { libraryAnswerer, runSuite } from '../../conformance/run.ts';

const answer = libraryAnswerer(await allOperations());

describe('vectors', async () => {
  for (const suite of await allSuites()) {
    it(`${suite.name} gives what its vectors say`, async (context) => {
      const result = await runSuite(suite, answer);
      if (result.absent) return context.skip(`folder absent: ${suite.folder}`);
      expect(result.misses).toEqual([]);
      expect(result.ran).toBeGreaterThan(0);
      expect(result.passed).toBe(result.ran);
    });
  }
});
