/**
 * Partial reports joined into one. The order of the parts and of their inputs does not matter: the merged report is sorted by path, so that
 * shards, resumed runs and one whole run come to the same bytes.
 */
import { decodeUtf8 } from '../bytes/encoding.ts';
import type { Finding } from '../finding/finding.ts';
import { Unreadable } from '../host/files.ts';
import { disagreement, isSettledInput } from '../verify/agreement.ts';
import { catalogue } from '../verify/catalogue.ts';
import { assemble, type Given, type GivenFile, type InputReport, type Report, type Summary } from '../verify/report.ts';

interface Part {
  readonly path: string;
  readonly bytes: Uint8Array;
}

function isSummary(value: unknown): value is Summary {
  const { format, totals, given, findings } = (value ?? {}) as Record<string, unknown>;
  return (
    format === 'audit.report.v1' &&
    typeof totals === 'object' &&
    totals !== null &&
    typeof given === 'object' &&
    given !== null &&
    Array.isArray(findings)
  );
}

/** Reads JSON and NDJSON reports and joins them. Throws Unreadable for a file that is neither. */
export function readParts(parts: readonly Part[]): Report {
  const inputs: InputReport[] = [];
  const summaries: Summary[] = [];
  const findings: Finding[] = [];
  for (const part of parts) {
    const rows = rowsOf(part);
    inputs.push(...rows.inputs.filter(isSettledInput));
    summaries.push(...rows.summaries);
    findings.push(...partFindings(part.path, rows));
  }
  return mergeReports(inputs, summaries, findings);
}

interface Rows {
  /** What stands where reports of inputs stand, as each run wrote them. */
  readonly inputs: readonly unknown[];
  readonly summaries: readonly Summary[];
  /** Which inputs each summary is about, and those after the last one. */
  readonly runs: readonly { readonly summary?: Summary; readonly inputs: readonly unknown[] }[];
}

function rowsOf({ path, bytes }: Part): Rows {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new Unreadable(`${path}: it is not UTF-8 text`);
  const whole = parse(text);
  const { inputs: held } = (whole ?? {}) as { readonly inputs?: unknown };
  if (isSummary(whole) && Array.isArray(held))
    return { inputs: held, summaries: [whole], runs: [{ summary: whole, inputs: held }] };
  const rows = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parse);
  if (!rows.some((row) => isSettledInput(row) || isSummary(row)))
    throw new Unreadable(`${path}: it is no report of this program`);
  const runs: { summary?: Summary; inputs: unknown[] }[] = [];
  let inputs: unknown[] = [];
  for (const row of rows) {
    if (!isSummary(row)) inputs.push(row);
    else {
      runs.push({ summary: row, inputs });
      inputs = [];
    }
  }
  if (inputs.length > 0) runs.push({ inputs });
  return {
    inputs: rows.filter((row) => !isSummary(row)),
    summaries: rows.filter(isSummary),
    runs,
  };
}

/** A part that was broken off, or that is not as its run wrote it, cannot stand for the inputs of that run (law 2). */
function partFindings(path: string, { runs }: Rows): readonly Finding[] {
  return runs.flatMap(({ summary, inputs }) => {
    const where = { part: path };
    if (summary === undefined)
      return [
        catalogue.find(
          'report/incomplete',
          `the report ${path} ends without the summary of its run; which inputs are missing from it is not known`,
          { where, expected: 'a last line with the totals of the run', actual: `${inputs.length} lines without one` },
        ),
      ];
    const why = disagreement(summary, inputs);
    if (why === undefined) return [];
    return [catalogue.find('report/disagrees', `the report ${path} does not agree with itself: ${why}`, { where })];
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Joins input reports under what their runs said of themselves. */
export function mergeReports(
  inputs: readonly InputReport[],
  summaries: readonly Summary[],
  own: readonly Finding[] = [],
): Report {
  const unique = new Map(inputs.map(({ under: _, ...input }) => [JSON.stringify(input), input]));
  const sorted = [...unique.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const findings = new Map(
    [...summaries.flatMap((summary) => summary.findings), ...own].map((finding): [string, Finding] => [
      JSON.stringify(finding),
      finding,
    ]),
  );
  const leftOut = summaries.reduce((sum, summary) => sum + summary.totals.left_out, 0);
  return assemble(sorted, [...findings.values()], mergeGiven(summaries.map((summary) => summary.given)), leftOut);
}

/** What any of the runs was given; options that differ between runs are left to the parts. */
function mergeGiven(all: readonly Given[]): Given {
  const [first] = all;
  const same = <T>(pick: (given: Given) => T, otherwise: T): T =>
    first !== undefined && all.every((given) => JSON.stringify(pick(given)) === JSON.stringify(pick(first)))
      ? pick(first)
      : otherwise;
  const files = (pick: (given: Given) => readonly GivenFile[]) => [
    ...new Map(all.flatMap(pick).map((file): [string, GivenFile] => [`${file.sha256} ${file.path}`, file])).values(),
  ];
  const media = files((given) => given.media ?? []);
  return {
    trust: files((given) => given.trust),
    heads: files((given) => given.heads),
    companions: files((given) => given.companions),
    ...(media.length === 0 ? {} : { media }),
    require: same((given) => given.require, null),
    expect_ids: same((given) => given.expect_ids, []),
    expect_leaf: same((given) => given.expect_leaf, null),
    entry: same((given) => given.entry, null),
    run: same((given) => given.run, null),
  };
}
