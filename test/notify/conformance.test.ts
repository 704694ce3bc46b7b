import { expect, test } from 'vitest';
import { operations } from '../../conformance/operations/notify.ts';
import { libraryAnswerer, runSuite } from '../../conformance/run.ts';
import { suites } from '../../conformance/suites/notify.ts';

test.each(suites)('every case of $name gives its folds, findings and status', async (suite) => {
  const result = await runSuite(suite, libraryAnswerer(new Map(Object.entries(operations))));
  expect(result.misses).toEqual([]);
  expect(result.absent || result.passed === result.ran).toBe(true);
});
