/**
 * Workflow annotations (interop 5.3): the most severe first, within the ten of a kind that the platform keeps, the last one saying what was
 * left out. Nothing undecided is silent.
 */

import { clip, inert, visible } from '../finding/visible.ts';
import { counted } from '../finding/words.ts';
import type { InputReport, Report, ReportedFinding } from '../verify/report.ts';

/** Annotations of one level that are shown by name; one more is left for what was cut. */
const SHOWN = 9;
const MAX_MESSAGE = 4096;
const MAX_TITLE = 255;

export type Level = 'error' | 'warning' | 'notice';

interface Annotation {
  readonly level: Level;
  readonly path?: string;
  readonly finding?: ReportedFinding;
  readonly title: string;
  readonly message: string;
}

const LEVEL = { error: 'error', warning: 'warning', note: 'notice' } as const;

export function renderGithub(report: Report): string {
  const all = [...report.findings.map((finding) => ofFinding(finding, undefined)), ...report.inputs.flatMap(ofInput)];
  if (report.result !== 'verified' && all.every(({ level }) => level === 'notice')) {
    all.push({ level: 'error', title: report.result, message: `nothing was verified: the result is ${report.result}` });
  }
  const lines: string[] = [];
  for (const level of ['error', 'warning', 'notice'] as const) {
    const of = all.filter((annotation) => annotation.level === level);
    for (const annotation of of.slice(0, SHOWN)) lines.push(command(annotation));
    if (of.length > SHOWN) {
      const message = `${of.length - SHOWN} more of this level are left out; the JSON report (--format json=FILE) holds them all`;
      lines.push(command({ level, title: 'report/truncated', message }));
    }
  }
  const { totals } = report;
  lines.push(
    `audit: ${report.result}, status ${report.status}; ${counted(totals.inputs, 'input')}, ${totals.verified} verified, ${totals.not_verified} not verified, ` +
      `${totals.no_verdict} without a verdict, ${totals.unusable_input} unusable, ${totals.left_out} left out`,
  );
  for (const input of report.inputs) {
    const counts = Object.entries(input.counts).map(([name, value]) => `${value} ${name}`);
    lines.push(inert(visible(`  ${input.path}: ${input.result}; ${counts.join(', ') || 'nothing counted'}`)));
  }
  return `${lines.join('\n')}\n`;
}

function ofInput(input: InputReport): Annotation[] {
  const annotations = [
    ...input.findings.map((finding) => ofFinding(finding, input.path)),
    ...input.claims
      .filter((claim) => claim.verdict === 'undecided')
      .map((claim): Annotation => {
        const missing = input.missing.filter((row) => row.claim === claim.claim).map((row) => row.item);
        const reach = [claim.scope, claim.detail].filter((text) => text !== '').join('; ');
        return {
          level: input.required.includes(claim.claim) ? 'error' : 'notice',
          path: input.path,
          title: `${claim.claim} undecided`,
          message: `${claim.claim} is not decided: ${reach}${missing.length === 0 ? '' : `. Would decide it: ${missing.join('; ')}`} [claim/undecided]`,
        };
      }),
  ];
  if (input.result !== 'verified' && annotations.every(({ level }) => level === 'notice')) {
    const failed = input.claims.filter((claim) => claim.verdict === 'failed').map((claim) => claim.claim);
    const message = failed.length > 0 ? `${failed.join(', ')} failed` : 'something that is required is not verified';
    annotations.unshift({ level: 'error', path: input.path, title: input.result, message });
  }
  return annotations;
}

function ofFinding(finding: ReportedFinding, path: string | undefined): Annotation {
  const values = [
    finding.expected === undefined ? '' : `; expected ${finding.expected}`,
    finding.actual === undefined ? '' : `; actual ${finding.actual}`,
  ];
  const identity = `[${finding.code} ${finding.fingerprint}]`;
  return {
    level: LEVEL[finding.severity],
    ...(path === undefined ? {} : { path }),
    finding,
    title: finding.code,
    message: `${clip(`${finding.message}${values.join('')}. ${finding.remedy}`, MAX_MESSAGE)} ${identity}`,
  };
}

function command({ level, path, finding, title, message }: Annotation): string {
  const { line, column, endColumn } = finding?.where ?? {};
  const text = (value: number | undefined) => (line === undefined || value === undefined ? '' : String(value));
  return workflowCommand(
    level,
    [
      ['file', path === undefined ? '' : visible(path)],
      ['line', text(line)],
      ['endLine', text(line)],
      ['col', text(column)],
      ['endColumn', text(endColumn)],
      ['title', clip(visible(title), MAX_TITLE - 1)],
    ],
    inert(visible(message)),
  );
}

/** One workflow command on one line; empty properties are left out. What is hidden in the texts is made visible by the caller. */
export function workflowCommand(
  level: Level,
  properties: Iterable<readonly [name: string, value: string]>,
  message: string,
): string {
  const given = [...properties].filter(([, text]) => text !== '').map(([name, text]) => `${name}=${value(text)}`);
  return `::${level}${given.length === 0 ? '' : ` ${given.join(',')}`}::${data(message)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function value(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
