/**
 * JUnit XML in the dialect that GitLab, Jenkins and the common actions read (interop 5.2): a suite per input, a case per claim. What is
 * required and undecided, and what could not be used, is an error; only an undecided claim that nobody required is skipped. What was
 * counted stands in the properties of the suites.
 */
import type { Claim } from '../finding/finding.ts';
import { clip, visible } from '../finding/visible.ts';
import type { InputReport, Report, ReportedFinding } from '../verify/report.ts';
import { xmlAttribute, xmlContent, xmlSafe } from './xml.ts';

/** Bytes of the text of a case. */
const MAX_TEXT = 64 * 1024;
const MAX_MESSAGE = 4096;

interface Outcome {
  readonly element: 'failure' | 'error' | 'skipped';
  readonly message: string;
  readonly type: string;
  readonly text: string;
}

interface TestCase {
  readonly name: string;
  readonly outcome?: Outcome;
}

interface TestSuite {
  readonly name: string;
  readonly time: string | undefined;
  readonly properties: readonly (readonly [name: string, value: string | number])[];
  readonly cases: readonly TestCase[];
}

export function renderJunit(report: Report): string {
  const suites: TestSuite[] = [whole(report), ...report.inputs.map(ofInput)];
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="audit" ${totals(suites.flatMap((suite) => suite.cases))} time="0">`,
  ];
  const unique = new Names();
  for (const suite of suites) lines.push(...suiteLines(suite, unique));
  return `${[...lines, '</testsuites>'].join('\n')}\n`;
}

/** The run itself: its totals, and a case for each finding that belongs to no input; one where nothing else would say the result. */
function whole(report: Report): TestSuite {
  const cases = report.findings.map((finding) =>
    failing(finding.code, finding.class === 'not_verified' ? 'failure' : 'error', [finding]),
  );
  const elsewhere = report.inputs.some((input) => input.result !== 'verified');
  if (report.result !== 'verified' && cases.length === 0 && !elsewhere)
    cases.push(failing('result', 'error', [], `the result is ${report.result}`));
  return {
    name: 'audit',
    time: report.as_of?.time,
    properties: [['result', report.result], ['status', report.status], ...Object.entries(report.totals)],
    cases,
  };
}

function ofInput(input: InputReport): TestSuite {
  return {
    name: input.path,
    time: input.as_of?.time,
    properties: [['kind', input.kind ?? 'unknown'], ['result', input.result], ...Object.entries(input.counts)],
    cases: casesOf(input),
  };
}

function totals(cases: readonly TestCase[]): string {
  const count = (element: string) => cases.filter((item) => item.outcome?.element === element).length;
  return `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}

/** A case for each claim, and one for findings that no failed claim accounts for, so that none is green by being nowhere. */
function casesOf(input: InputReport): readonly TestCase[] {
  const against = input.findings.filter((finding) => finding.class !== 'none');
  const [firstFailed] = input.claims.filter((claim) => claim.verdict === 'failed');
  const cases: TestCase[] = input.claims.map((claim) => claimCase(claim, input, against, firstFailed));
  for (const name of input.required.filter((wanted) => !input.claims.some((claim) => claim.claim === wanted))) {
    cases.push(failing(name, 'error', [], 'required, and nothing decided it'));
  }
  const element = input.result === 'not_verified' ? 'failure' : 'error';
  const told = firstFailed !== undefined && against.every((finding) => finding.class === 'not_verified');
  if (against.length > 0 && !told) cases.push(failing('findings', element, against));
  else if (input.result !== 'verified' && cases.every(({ outcome }) => (outcome?.element ?? 'skipped') === 'skipped'))
    cases.push(failing('result', element, [], `the result is ${input.result}`));
  return cases;
}

/** The findings stand under the first claim that failed; the others name it. */
function claimCase(
  claim: Claim,
  input: InputReport,
  against: readonly ReportedFinding[],
  firstFailed: Claim | undefined,
): TestCase {
  const name = claim.claim;
  if (claim.verdict === 'verified') return { name };
  const reach = [claim.scope, claim.detail].filter((text) => text !== '').join('; ');
  if (claim === firstFailed) return failing(name, 'failure', against, reach);
  if (claim.verdict === 'failed') {
    const type = against[0]?.code ?? 'not_verified';
    const text = `${shown(reach)}\nthe findings stand under ${visible(firstFailed?.claim ?? '')}`;
    return { name, outcome: { element: 'failure', message: reach, type, text } };
  }
  const missing = input.missing.filter((row) => row.claim === name).map((row) => `${row.item} (${row.who})`);
  const text = missing.length === 0 ? '' : `Would decide it: ${missing.join('; ')}`;
  const element = input.required.includes(name) ? 'error' : 'skipped';
  return { name, outcome: { element, message: `undecided: ${reach}`, type: 'no_verdict', text: shown(text) } };
}

function failing(
  name: string,
  element: 'failure' | 'error',
  findings: readonly ReportedFinding[],
  detail = '',
): TestCase {
  const [first] = findings;
  const text = [...(detail === '' ? [] : [shown(detail)]), ...findings.map(told)].join('\n');
  return { name, outcome: { element, message: first?.message ?? detail, type: first?.code ?? 'no_verdict', text } };
}

/** A finding in lines of our own; nothing that it says breaks them. */
function told(finding: ReportedFinding): string {
  const { where } = finding;
  const parts = [where.part, where.line === undefined ? undefined : `line ${where.line}`, where.entry, where.pointer];
  const place = parts.filter((part) => part !== undefined && part !== '').join(', ');
  return [
    `${shown(finding.code)} ${finding.fingerprint}`,
    `  ${shown(finding.message)}`,
    ...(place === '' ? [] : [`  at ${shown(place)}`]),
    ...(finding.expected === undefined ? [] : [`  expected ${shown(finding.expected)}`]),
    ...(finding.actual === undefined ? [] : [`  actual   ${shown(finding.actual)}`]),
    `  ${shown(finding.rule)}: ${shown(finding.remedy)}`,
  ].join('\n');
}

/** (classname, name) is unique in a file: platforms keep one of equal pairs. */
class Names {
  readonly #taken = new Map<string, number>();
  of(file: string, name: string): string {
    const key = `${file}\n${name}`;
    const times = (this.#taken.get(key) ?? 0) + 1;
    this.#taken.set(key, times);
    return times === 1 ? name : this.of(file, `${name} (${times})`);
  }
}

function suiteLines({ name, time, properties, cases }: TestSuite, unique: Names): string[] {
  const stamp = time === undefined ? '' : ` timestamp="${attribute(time.slice(0, 19))}"`;
  return [
    `  <testsuite name="${attribute(name)}" ${totals(cases)} time="0"${stamp}>`,
    '    <properties>',
    ...properties.map(
      ([key, value]) => `      <property name="${attribute(key)}" value="${attribute(String(value))}"/>`,
    ),
    '    </properties>',
    ...cases.flatMap((item) => caseLines(name, unique.of(name, item.name), item.outcome)),
    '  </testsuite>',
  ];
}

function caseLines(file: string, name: string, outcome: Outcome | undefined): string[] {
  const head = `    <testcase classname="${attribute(file)}" name="${attribute(name)}" file="${attribute(file)}" time="0"`;
  if (outcome === undefined) return [`${head}/>`];
  const { element, type, text } = outcome;
  const message = attribute(clip(outcome.message, MAX_MESSAGE));
  const given = element === 'skipped' ? '' : ` type="${attribute(type)}"`;
  return [
    `${head}>`,
    `      <${element} message="${message}"${given}>${xmlContent(cut(text))}</${element}>`,
    '    </testcase>',
  ];
}

/** Untrusted text on one line: first what XML cannot hold, then what could hide or reorder. */
function shown(text: string): string {
  return visible(xmlSafe(text));
}

function attribute(text: string): string {
  return xmlAttribute(shown(text));
}

function cut(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_TEXT));
  return read === text.length ? text : `${text.slice(0, read)}\n… cut; the JSON report has it all`;
}
