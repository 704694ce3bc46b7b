/**
 * `make conformance`: one line a suite, and every miss by name. `--command 'CMD'` puts the questions to another program, `--serve` makes this
 * library such a program, `--write FILE` writes the results page, `--findings FOLDER` the page of finding codes and what `audit explain` reads.
 */
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { allEntries } from '../src/verify/catalogues.ts';
import { commandAnswerer } from './command.ts';
import { findingsData, findingsPage, vectorsByCode } from './findings.ts';
import { allOperations, allSuites } from './registry.ts';
import { resultsPage } from './results.ts';
import { libraryAnswerer, runSuite, type SuiteResult } from './run.ts';

const { values } = parseArgs({
  options: {
    command: { type: 'string' },
    write: { type: 'string' },
    findings: { type: 'string' },
    suite: { type: 'string' },
    serve: { type: 'boolean' },
  },
});

const library = libraryAnswerer(await allOperations());

if (values.serve === true) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, op, params } = JSON.parse(line) as { id: number; op: string; params: Parameters<typeof library>[1] };
    process.stdout.write(`${JSON.stringify({ id, ...(await library(op, params)) })}\n`);
  }
} else {
  const other = values.command === undefined ? undefined : commandAnswerer(values.command);
  const results: SuiteResult[] = [];
  for (const suite of await allSuites()) {
    if (values.suite !== undefined && !suite.name.startsWith(values.suite)) continue;
    const result = await runSuite(suite, other?.answer ?? library);
    results.push(result);
    print(result);
  }
  other?.close();
  if (values.write !== undefined) writeFileSync(values.write, resultsPage(results));
  if (values.findings !== undefined) {
    const entries = await allEntries();
    const vectors = vectorsByCode(new Set(entries.keys()));
    writeFileSync(`${values.findings}/findings.json`, findingsData(vectors));
    writeFileSync(`${values.findings}/findings.md`, findingsPage(entries, vectors));
  }
  const failed = results.reduce((sum, result) => sum + result.misses.length, 0);
  console.log(`${results.reduce((sum, result) => sum + result.passed, 0)} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

function print(result: SuiteResult): void {
  if (result.absent) {
    console.log(`${result.suite.padEnd(36)} folder absent: ${result.folder}`);
    return;
  }
  const skipped = [...result.skipped].map(([reason, names]) => `${names.length} skipped: ${reason}`);
  console.log(
    [
      `${result.suite.padEnd(36)} ran ${result.ran}, passed ${result.passed}, failed ${result.misses.length}`,
      ...skipped,
    ].join('; '),
  );
  for (const miss of result.misses) console.log(`  ${miss.name}: ${miss.problem}`);
}
