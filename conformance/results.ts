/** The results page, conformance/RESULTS.md: suites, cases, passes and each miss by name, so that a change shows in a diff. */
import type { SuiteResult } from './run.ts';

export function resultsPage(results: readonly SuiteResult[]): string {
  const rows = [...results].sort((a, b) => (a.suite < b.suite ? -1 : 1));
  const table = rows.map((row) => {
    const skipped = [...row.skipped.values()].reduce((sum, names) => sum + names.length, 0);
    const share = row.ran === 0 ? '-' : `${((100 * row.passed) / row.ran).toFixed(1)} %`;
    return row.absent
      ? `| ${row.suite} | folder absent | | | | |`
      : `| ${row.suite} | ${row.ran} | ${row.passed} | ${row.misses.length} | ${skipped} | ${share} |`;
  });
  const misses = rows
    .filter((row) => row.misses.length > 0)
    .flatMap((row) => [
      '',
      `## Misses of ${row.suite}`,
      '',
      ...row.misses.map((miss) => `- \`${miss.name}\`: ${miss.problem}`),
    ]);
  const skips = rows
    .filter((row) => row.skipped.size > 0)
    .flatMap((row) => [
      '',
      `## Not run of ${row.suite}`,
      '',
      ...[...row.skipped].map(([reason, names]) => `- ${reason}: ${names.map((name) => `\`${name}\``).join(', ')}`),
    ]);
  return `${['# Conformance results', '', 'Written by `make results`; never by hand.', '', '| suite | ran | passed | failed | not run | share |', '|---|---:|---:|---:|---:|---:|', ...table, ...misses, ...skips].join('\n')}\n`;
}
