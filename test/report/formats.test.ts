/** Each format of a report passes something that is not ours, on the reports of the whole test corpus. */
import { describe, expect, it } from 'vitest';
import { FORMATS, render, type Surface } from '../../src/report/format.ts';
import { allEntries } from '../../src/verify/catalogues.ts';
import { KINDS } from '../../src/verify/kinds.ts';
import type { Report } from '../../src/verify/report.ts';
import { corpus, joined } from '../corpus.ts';
import { commands, elements, hasXmllint, parseXml, reportFaults, sarifFaults, xsdFaults } from './readers.ts';

const surface: Surface = { colour: false, width: 80, catalogue: allEntries, verifier: () => '' };
const reports = await corpus();
const singles = reports.map(({ report }) => report);
const together = Array.from({ length: Math.ceil(singles.length / 40) }, (_, i) =>
  joined(singles.slice(i * 40, i * 40 + 40)),
);
const all: readonly Report[] = [...singles, ...together];
const faulty = async (judge: (report: Report) => Promise<string | undefined>) => {
  const faults: string[] = [];
  for (const report of all) {
    const fault = await judge(report);
    if (fault !== undefined) faults.push(`${report.inputs[0]?.path}: ${fault}`);
  }
  return faults;
};

describe('on every report of the corpus', () => {
  it('the corpus holds inputs of every kind that has vectors, and of every result', () => {
    const kinds = new Set(singles.flatMap(({ inputs }) => inputs.map(({ kind }) => kind)));
    expect(KINDS.filter((kind) => !kinds.has(kind))).toEqual([]);
    expect(new Set(singles.map(({ result }) => result)).size).toBe(4);
  });

  it('the JSON report is what its published schema says', async () => {
    expect(await faulty(async (report) => reportFaults(JSON.parse(await render(report, 'json', surface))))).toEqual([]);
  });

  it('NDJSON is a line for each input and one for the rest', async () => {
    expect(
      await faulty(async (report) => {
        const lines = (await render(report, 'ndjson', surface))
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as object);
        return reportFaults({ ...lines.pop(), inputs: lines });
      }),
    ).toEqual([]);
  });

  it('SARIF is what the OASIS schema says, and every rule index points at its rule', async () => {
    expect(
      await faulty(async (report) => {
        const log = JSON.parse(await render(report, 'sarif', surface)) as Sarif;
        const [run] = log.runs;
        const wrong = run?.results.find(({ ruleId, ruleIndex }) => run.tool.driver.rules[ruleIndex]?.id !== ruleId);
        return sarifFaults(log) ?? (wrong === undefined ? undefined : JSON.stringify(wrong));
      }),
    ).toEqual([]);
  });

  it('JUnit is well-formed, its counts are those of its elements, and no two cases have one name', async () => {
    expect(
      await faulty(async (report) => {
        const root = parseXml(await render(report, 'junit', surface));
        for (const counted of [root, ...elements(root, 'testsuite')])
          for (const [attribute, name] of [
            ['tests', 'testcase'],
            ['failures', 'failure'],
            ['errors', 'error'],
            ['skipped', 'skipped'],
          ] as const)
            if (Number(counted.attributes[attribute]) !== elements(counted, name).length)
              return `${attribute} of ${counted.attributes['name']}`;
        const names = elements(root, 'testcase').map(
          ({ attributes }) => `${attributes['classname']}\n${attributes['name']}`,
        );
        return new Set(names).size === names.length ? undefined : 'two cases have one name';
      }),
    ).toEqual([]);
  });

  it('JUnit is valid by the schema of the common dialect', async (context) => {
    if (!hasXmllint) return context.skip('xmllint is absent');
    const faults = await Promise.all(together.map(async (report) => xsdFaults(await render(report, 'junit', surface))));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('workflow commands are commands to a runner, at most ten of a level, and nothing else is', async () => {
    expect(
      await faulty(async (report) => {
        const log = await render(report, 'github', surface);
        const { now, old } = commands(log);
        for (const level of ['error', 'warning', 'notice'])
          if (now.filter(({ command }) => command === level).length > 10) return `more than ten of ${level}`;
        const foreign = now.find(({ command }) => !['error', 'warning', 'notice'].includes(command)) ?? old[0];
        if (foreign !== undefined) return `not ours: ${JSON.stringify(foreign)}`;
        const ours = log.split('\n').filter((line) => line.startsWith('::'));
        const grammar = /^::(error|warning|notice)( [A-Za-z]+=[^:,\r\n]+(,[A-Za-z]+=[^:,\r\n]+)*)?::[^\r\n]*$/;
        return ours.find((line) => !grammar.test(line) || /%(?!25|0D|0A|3A|2C)/.test(line));
      }),
    ).toEqual([]);
  });

  it('no format of any report gives a runner a command that is not a renderer’s own', async () => {
    for (const format of FORMATS.filter((name) => name !== 'github'))
      for (const report of together)
        expect(commands(await render(report, format, surface))).toEqual({ now: [], old: [] });
  });
});

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly { readonly ruleId: string; readonly ruleIndex: number }[];
  }[];
}
