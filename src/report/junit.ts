/**
 * JUnit XML in the dialect that GitLab, Jenkins and the common actions read (interop 5.2): a suite per input, a case per claim. What is
 * required and undecided, and what could not be used, is an error; only an undecided claim that nobody required is skipped.
 */
import type { Claim } from '../finding/finding.ts';
import { visible } from '../finding/visible.ts';
import type { InputReport, Report, ReportedFinding } from '../verify/report.ts';

const MAX_TEXT = 64 * 1024;

interface TestCase {
  readonly name: string;
  readonly outcome?: {
    readonly element: 'failure' | 'error' | 'skipped';
    readonly message: string;
    readonly type: string;
    readonly text: string;
  };
}

export function renderJunit(report: Report): string {
  const suites = report.inputs.map((input) => ({ name: input.path, cases: casesOf(input) }));
  if (report.findings.length > 0) {
    suites.unshift({
      name: 'options and trust',
      cases: report.findings.map((finding, i) =>
        failing(`${finding.code} ${i + 1}`, finding.class === 'not_verified' ? 'failure' : 'error', [finding]),
      ),
    });
  }
  const all = suites.flatMap((suite) => suite.cases);
  const time = report.as_of === null ? '' : ` timestamp="${attribute(report.as_of.time.slice(0, 19))}"`;
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites name="audit" ${totals(all)} time="0">`];
  for (const suite of suites) {
    lines.push(`  <testsuite name="${attribute(suite.name)}" ${totals(suite.cases)} time="0"${time}>`);
    for (const item of suite.cases) lines.push(...caseLines(suite.name, item));
    lines.push('  </testsuite>');
  }
  return `${[...lines, '</testsuites>'].join('\n')}\n`;
}

function totals(cases: readonly TestCase[]): string {
  const count = (element: string) => cases.filter((item) => item.outcome?.element === element).length;
  return `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}

/** A case for each claim, and one for findings that no failed claim accounts for, so that none is green by being nowhere. */
function casesOf(input: InputReport): readonly TestCase[] {
  const against = input.findings.filter((finding) => finding.class !== 'none');
  const cases: TestCase[] = input.claims.map((claim) => claimCase(claim, input, against));
  for (const name of input.required.filter((wanted) => !input.claims.some((claim) => claim.claim === wanted))) {
    cases.push(failing(name, 'error', [], `required, and nothing decided it`));
  }
  const said =
    cases.some((item) => item.outcome?.element === 'failure') &&
    against.every((finding) => finding.class === 'not_verified');
  const element = input.result === 'not_verified' ? 'failure' : 'error';
  if (against.length > 0 && !said)
    cases.push(
      failing('findings', against.some((finding) => finding.class === 'not_verified') ? 'failure' : 'error', against),
    );
  else if (
    input.result !== 'verified' &&
    !cases.some((item) => item.outcome?.element === 'failure' || item.outcome?.element === 'error')
  ) {
    cases.push(failing('result', element, [], `the result is ${input.result}`));
  }
  cases.push({
    name: `counted: ${
      Object.entries(input.counts)
        .map(([name, value]) => `${value} ${name}`)
        .join(', ') || 'nothing'
    }`,
  });
  return cases;
}

function claimCase(claim: Claim, input: InputReport, against: readonly ReportedFinding[]): TestCase {
  if (claim.verdict === 'verified') return { name: claim.claim };
  if (claim.verdict === 'failed') return failing(claim.claim, 'failure', against, claim.detail);
  const missing = input.missing.filter((row) => row.claim === claim.claim).map((row) => `${row.item} (${row.who})`);
  const message = `undecided: ${claim.detail}`;
  const text = missing.length === 0 ? '' : `Would decide it: ${missing.join('; ')}`;
  const required = input.required.includes(claim.claim);
  return { name: claim.claim, outcome: { element: required ? 'error' : 'skipped', message, type: 'no_verdict', text } };
}

function failing(
  name: string,
  element: 'failure' | 'error',
  findings: readonly ReportedFinding[],
  detail = '',
): TestCase {
  const [first] = findings;
  const text = findings
    .map((finding) => {
      const values = [
        finding.expected === undefined ? '' : `\n  expected ${finding.expected}`,
        finding.actual === undefined ? '' : `\n  actual   ${finding.actual}`,
      ];
      return `${finding.code} ${finding.fingerprint}\n  ${finding.message}${values.join('')}\n  ${place(finding)}${finding.rule}\n  ${finding.remedy}`;
    })
    .join('\n');
  return {
    name,
    outcome: {
      element,
      message: first?.message ?? detail,
      type: first?.code ?? 'no_verdict',
      text: text === '' ? detail : text,
    },
  };
}

function place({ where }: ReportedFinding): string {
  const parts = [where.part, where.line === undefined ? undefined : `line ${where.line}`, where.entry, where.pointer];
  const known = parts.filter((part) => part !== undefined && part !== '');
  return known.length === 0 ? '' : `${known.join(', ')}; `;
}

function caseLines(file: string, { name, outcome }: TestCase): string[] {
  const head = `    <testcase classname="${attribute(file)}" name="${attribute(name)}" file="${attribute(file)}" time="0"`;
  if (outcome === undefined) return [`${head}/>`];
  const { element, message, type, text } = outcome;
  if (element === 'skipped')
    return [`${head}>`, `      <skipped message="${attribute(`${message}. ${text}`)}"/>`, '    </testcase>'];
  return [
    `${head}>`,
    `      <${element} message="${attribute(message)}" type="${attribute(type)}">${content(text)}</${element}>`,
    '    </testcase>',
  ];
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Text of an attribute: one line, nothing that XML 1.0 cannot hold. */
function attribute(text: string): string {
  return escapeXml(xmlText(text).replaceAll('\n', '\\u000a'));
}

/** Text of an element, cut at 64 kB. */
function content(text: string): string {
  const clean = xmlText(text);
  return escapeXml(
    clean.length > MAX_TEXT
      ? `${clean.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')}\n… cut; the JSON report has it all`
      : clean,
  );
}

/** Our own line breaks stay; everything untrusted that could hide or that XML cannot hold is made visible. */
function xmlText(text: string): string {
  return text
    .split('\n')
    .map(visible)
    .join('\n')
    .replace(/[\ufffe\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}
