/** One finding, one identity: from annotation to JUnit to SARIF to `audit explain` to the JSON report, by one code and one fingerprint. */
import { describe, expect, it } from 'vitest';
import { type FORMATS, render, type Surface } from '../../src/report/format.ts';
import { allEntries } from '../../src/verify/catalogues.ts';
import type { ReportedFinding } from '../../src/verify/report.ts';
import { audit } from '../cli/io.ts';
import { corpus } from '../corpus.ts';
import { commands, elements, parseXml } from './readers.ts';

const surface: Surface = { colour: false, width: 80, catalogue: allEntries, verifier: () => '' };
/** One report for each code that is found in the corpus. */
const byCode = new Map<
  string,
  { finding: ReportedFinding; report: Awaited<ReturnType<typeof corpus>>[number]['report'] }
>();
for (const { report } of await corpus())
  for (const finding of report.inputs[0]?.findings ?? [])
    if (!byCode.has(finding.code) && (report.inputs[0]?.findings.length ?? 0) <= 8)
      byCode.set(finding.code, { finding, report });

describe('a finding of the corpus', () => {
  it('is found in every format by its code and its fingerprint', async () => {
    expect(byCode.size).toBeGreaterThan(60);
    const lost: string[] = [];
    for (const [code, { finding, report }] of byCode) {
      const of = (format: (typeof FORMATS)[number]) => render(report, format, surface);
      const { now } = commands(await of('github'));
      const annotated = now.find(({ properties }) => properties['title'] === code);
      const print = annotated?.message.match(/\[(\S+) ([0-9a-f]{64}(?:#\d+)?)\]$/);
      if (print?.[1] !== code || print[2] === undefined) lost.push(`${code} is in no annotation`);
      const wanted = print?.[2] ?? finding.fingerprint;

      const told = elements(parseXml(await of('junit')), 'testcase').flatMap(({ children }) => children);
      if (finding.class !== 'none' && !told.some(({ text }) => text.includes(`${code} ${wanted}`)))
        lost.push(`${code} is in no case`);

      const [run] = (JSON.parse(await of('sarif')) as Sarif).runs;
      const result = run?.results.find((row) => row.partialFingerprints?.['audit/v1'] === wanted);
      const notice = run?.invocations[0]?.toolExecutionNotifications.find(
        (row) => row.properties?.['audit/v1'] === wanted,
      );
      if ((result?.ruleId ?? notice?.descriptor.id) !== code) lost.push(`${code} is no result`);
      const { driver } = run?.tool ?? {};
      const rule = [...(driver?.rules ?? []), ...(driver?.notifications ?? [])].find(({ id }) => id === code);

      const { out, status } = await audit(['explain', code]);
      if (status !== 0) lost.push(`${code} is not explained`);
      const entry = (await allEntries()).get(code);
      for (const text of [entry?.means, entry?.matters, entry?.causes, entry?.remedy])
        if (text === undefined || !out.includes(text) || rule?.help?.text.includes(text) !== true)
          lost.push(`${code}: SARIF help and explain differ`);

      const json = JSON.parse(await of('json')) as { inputs: { findings: ReportedFinding[] }[] };
      const found = json.inputs[0]?.findings.find(({ fingerprint }) => fingerprint === wanted);
      if (found?.code !== code) lost.push(`${code} is not in the JSON report`);
      if (!(await of('html')).includes(wanted)) lost.push(`${code} is not on the page`);
      const short = wanted.slice(0, 12);
      if (finding.class !== 'none' && !(await of('text')).includes(short)) lost.push(`${code} is not in the text`);
    }
    expect(lost).toEqual([]);
  });

  it('keeps its fingerprint when the words, the values and the version change', async () => {
    const [{ finding } = { finding: undefined }] = byCode.values();
    if (finding === undefined) throw new Error('no finding');
    const { identify } = await import('../../src/verify/identity.ts');
    const again = identify('p', [finding, { ...finding, message: 'other', expected: 'x', actual: 'y', remedy: 'z' }]);
    expect(again[1]?.fingerprint).toBe(`${again[0]?.fingerprint}#2`);
  });
});

interface Named {
  readonly id: string;
  readonly help?: { readonly text: string };
}

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly Named[]; readonly notifications?: readonly Named[] } };
    readonly invocations: readonly {
      readonly toolExecutionNotifications: readonly {
        readonly descriptor: { readonly id: string };
        readonly properties?: Readonly<Record<string, string>>;
      }[];
    }[];
    readonly results: readonly {
      readonly ruleId: string;
      readonly partialFingerprints?: Readonly<Record<string, string>>;
    }[];
  }[];
}
