// Runs the test suite and prints, as its last line, "N passed, N failed". Tests that need a program which is absent are skipped by name;
// in CI nothing may be skipped.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { leftOut } from './needs-vectors.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const results = `${root}.cache/results.json`;
mkdirSync(`${root}.cache`, { recursive: true });
rmSync(results, { force: true });
const run = spawnSync(
  process.execPath,
  [`${root}node_modules/vitest/vitest.mjs`, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`, ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
let report;
try {
  report = JSON.parse(readFileSync(results, 'utf8'));
} catch {
  console.log('0 passed, 1 failed');
  process.exit(1);
}
const skipped = report.testResults.flatMap((file) => file.assertionResults.filter((test) => test.status === 'pending' || test.status === 'skipped'));
const absent = leftOut();
for (const test of skipped) console.log(`skipped: ${test.fullName}`);
for (const file of absent) console.log(`skipped: ${file} (the vectors made elsewhere are not beside the project)`);
let failed = report.numFailedTests + report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
if (process.env.CI !== undefined) failed += skipped.length + absent.length;
if (run.status !== 0 && failed === 0) failed = 1;
if (report.numPassedTests === 0 && failed === 0) failed = 1;
console.log(`${report.numPassedTests} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
