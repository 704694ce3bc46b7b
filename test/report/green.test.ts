/** Nothing undecided or unchecked is green in any format, and what was counted is in each: a table of kinds and formats, printed. */
import { describe, expect, it } from 'vitest';
import { FORMATS, type Format, render, type Surface } from '../../src/report/format.ts';
import { allEntries } from '../../src/verify/catalogues.ts';
import type { InputReport, Report } from '../../src/verify/report.ts';
import { corpus } from '../corpus.ts';
import { commands, elements, parseXml } from './readers.ts';

const surface: Surface = { colour: false, width: 80, catalogue: allEntries, verifier: () => '' };
const reports = await corpus();

interface Notice {
  readonly level: string;
}
interface SarifRun {
  readonly results: readonly {
    readonly kind: string;
    readonly level: string;
    readonly message: { readonly text: string };
  }[];
  readonly invocations: readonly {
    readonly executionSuccessful: boolean;
    readonly toolExecutionNotifications: readonly Notice[];
    readonly toolConfigurationNotifications: readonly Notice[];
  }[];
  readonly properties: {
    readonly totals: object;
    readonly counts: readonly { readonly counts: Readonly<Record<string, number>> }[];
  };
}
const runOf = (sarif: string) => (JSON.parse(sarif) as { runs: SarifRun[] }).runs[0] as SarifRun;
const bad = ({ level }: Notice) => level === 'error' || level === 'warning';

/** Whether a reader of this format alone, as its platform shows it, takes the report for a success. */
const GREEN: Readonly<Record<Format, (out: string) => boolean>> = {
  text: (out) => /^VERIFIED$/m.test(out),
  json: (out) => (JSON.parse(out) as Report).result === 'verified',
  ndjson: (out) => (JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as Report).result === 'verified',
  sarif: (out) => {
    const { results, invocations } = runOf(out);
    const notices = invocations.flatMap((row) => [
      ...row.toolExecutionNotifications,
      ...row.toolConfigurationNotifications,
    ]);
    return invocations.every((row) => row.executionSuccessful) && !results.some(bad) && !notices.some(bad);
  },
  junit: (out) => {
    const { attributes } = parseXml(out);
    return attributes['failures'] === '0' && attributes['errors'] === '0';
  },
  github: (out) => !commands(out).now.some(({ command }) => command === 'error' || command === 'warning'),
  html: (out) => /<section class="verdict verified"/.test(out),
};

/** Whether an undecided claim is said to be so. */
const SAYS: Readonly<Record<Format, (out: string, claim: string) => boolean>> = {
  text: (out, claim) =>
    out
      .replace(/\n {14}/g, ' ')
      .split('\n')
      .some((line) => line.startsWith('  not proven') && line.includes(claim)),
  json: (out, claim) => undecidedIn((JSON.parse(out) as Report).inputs[0], claim),
  ndjson: (out, claim) => undecidedIn(JSON.parse(out.split('\n')[0] ?? '') as InputReport, claim),
  sarif: (out, claim) =>
    runOf(out).results.some(({ kind, message }) => kind === 'open' && message.text.startsWith(`${claim} `)),
  junit: (out, claim) =>
    elements(parseXml(out), 'testcase').some(
      ({ attributes, children }) =>
        attributes['name'] === claim && ['error', 'skipped'].includes(children[0]?.name ?? ''),
    ),
  github: (out, claim) =>
    commands(out).now.some(
      ({ properties: { title } }) => title === `${claim} undecided` || title === 'report/truncated',
    ),
  // The page groups the claims of a bundle's files under the file: a heading, then the claim by its own name.
  html: (out, claim) =>
    new RegExp(
      `<th scope="row">${claim.slice(claim.lastIndexOf(': ') + 1).trim()}( <span class="tag">required</span>)?</th><td><span class="mark undecided">`,
    ).test(out),
};

function undecidedIn(input: InputReport | undefined, claim: string): boolean {
  return input?.claims.some((row) => row.claim === claim && row.verdict === 'undecided') ?? false;
}

/** Whether what was counted is there, with its number. */
const COUNTED: Readonly<Record<Format, (out: string, name: string, value: number) => boolean>> = {
  text: (out, name, value) =>
    value === 0 || out.replace(/\n {14}/g, ' ').includes(`${name.replaceAll('_', ' ')} ${value}`),
  json: (out, name, value) => (JSON.parse(out) as Report).inputs[0]?.counts[name] === value,
  ndjson: (out, name, value) => (JSON.parse(out.split('\n')[0] ?? '') as InputReport).counts[name] === value,
  sarif: (out, name, value) => runOf(out).properties.counts[0]?.counts[name] === value,
  junit: (out, name, value) =>
    elements(parseXml(out), 'property').some(
      ({ attributes }) => attributes['name'] === name && attributes['value'] === String(value),
    ),
  github: (out, name, value) => out.includes(`${value} ${name}`),
  html: (out, name, value) => out.includes(`<dt>${name.replaceAll('_', ' ')}</dt><dd>${value}</dd>`),
};

describe('in every format', () => {
  it('nothing is green that is not verified, no undecided claim is silent, and everything counted is there', async () => {
    const table = new Map<string, Map<Format, number>>();
    const faults: string[] = [];
    for (const { given, report } of reports) {
      const [input] = report.inputs;
      if (input === undefined) throw new Error('a report without its input');
      const row = `${(input.kind ?? 'no kind').padEnd(19)} ${report.result}`;
      const cells = table.get(row) ?? new Map<Format, number>(FORMATS.map((format) => [format, 0]));
      table.set(row, cells.set('all' as Format, (cells.get('all' as Format) ?? 0) + 1));
      for (const format of FORMATS) {
        const out = await render(report, format, surface);
        const green = GREEN[format](out);
        if (green) cells.set(format, (cells.get(format) ?? 0) + 1);
        if (green && report.result !== 'verified') faults.push(`${given.path} is green in ${format}`);
        for (const { claim, verdict } of input.claims)
          if (verdict === 'undecided' && !SAYS[format](out, claim))
            faults.push(`${given.path}: ${format} is silent on ${claim}`);
        for (const [name, value] of Object.entries(input.counts))
          if (!COUNTED[format](out, name, value)) faults.push(`${given.path}: ${format} has no ${value} ${name}`);
      }
    }
    const lines = [...table].sort(([a], [b]) => (a < b ? -1 : 1));
    const head = `${'kind and result'.padEnd(36)}${['reports', ...FORMATS].map((name) => name.padStart(8)).join('')}`;
    const rows = lines.map(
      ([row, cells]) =>
        `${row.padEnd(36)}${[...['all' as Format], ...FORMATS].map((name) => String(cells.get(name)).padStart(8)).join('')}`,
    );
    console.log(`reports that are green, by kind, result and format\n${[head, ...rows].join('\n')}`);
    expect(faults).toEqual([]);
  });

  it('says what was left out of a walk', async () => {
    const [{ report } = { report: undefined }] = reports;
    if (report === undefined) throw new Error('no report');
    const walked = { ...report, totals: { ...report.totals, left_out: 41 } };
    for (const format of FORMATS) expect(await render(walked, format, surface)).toMatch(/41/);
  });

  it('is not green for a report of nothing', async () => {
    const [{ report } = { report: undefined }] = reports;
    if (report === undefined) throw new Error('no report');
    const nothing: Report = {
      ...report,
      result: 'no_verdict',
      status: 3,
      inputs: [],
      findings: [],
      totals: { ...report.totals, inputs: 0 },
    };
    for (const format of FORMATS.filter((name) => name !== 'sarif'))
      expect([format, GREEN[format](await render(nothing, format, surface))]).toEqual([format, false]);
  });
});
