/**
 * Workflow annotations (interop 5.3): the most severe first, within the ten of a kind that the platform keeps, the last one saying what was
 * left out. Nothing undecided is silent.
 */

import { visible } from '../finding/visible.ts';
import type { InputReport, Report, ReportedFinding } from '../verify/report.ts';

/** Annotations of one level that are shown by name; one more is left for what was cut. */
const SHOWN = 9;
const MAX_MESSAGE = 4096;
const MAX_TITLE = 255;

type Level = 'error' | 'warning' | 'notice';

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
  const lines: string[] = [];
  for (const level of ['error', 'warning', 'notice'] as const) {
    const of = all.filter((annotation) => annotation.level === level);
    for (const annotation of of.slice(0, SHOWN)) lines.push(command(annotation));
    if (of.length > SHOWN) {
      lines.push(
        command({
          level,
          title: 'audit',
          message: `${of.length - SHOWN} more of this level are left out; the JSON report (--format json=FILE) holds them all`,
        }),
      );
    }
  }
  const { totals } = report;
  lines.push(
    `audit: ${report.result}, status ${report.status}; ${totals.inputs} inputs, ${totals.verified} verified, ${totals.not_verified} not verified, ` +
      `${totals.no_verdict} without a verdict, ${totals.unusable_input} unusable, ${totals.left_out} left out`,
  );
  for (const input of report.inputs) {
    const counts = Object.entries(input.counts).map(([name, value]) => `${value} ${name}`);
    if (counts.length > 0) lines.push(`  ${inert(input.path)}: ${inert(counts.join(', '))}`);
  }
  return `${lines.join('\n')}\n`;
}

function ofInput(input: InputReport): Annotation[] {
  const undecided = input.claims.filter((claim) => claim.verdict === 'undecided');
  return [
    ...input.findings.map((finding) => ofFinding(finding, input.path)),
    ...undecided.map((claim): Annotation => {
      const required = input.required.includes(claim.claim);
      const missing = input.missing.filter((row) => row.claim === claim.claim).map((row) => row.item);
      return {
        level: required ? 'error' : 'notice',
        path: input.path,
        title: `${claim.claim} undecided`,
        message: `${claim.detail}${missing.length === 0 ? '' : `. Would decide it: ${missing.join('; ')}`}`,
      };
    }),
    ...(input.result !== 'verified' &&
    undecided.length === 0 &&
    input.findings.every((finding) => finding.class === 'none')
      ? [
          {
            level: 'error' as const,
            path: input.path,
            title: input.result,
            message: 'not verified: a required claim does not hold',
          },
        ]
      : []),
  ];
}

function ofFinding(finding: ReportedFinding, path: string | undefined): Annotation {
  const values = [
    finding.expected === undefined ? '' : `; expected ${finding.expected}`,
    finding.actual === undefined ? '' : `; actual ${finding.actual}`,
  ];
  return {
    level: LEVEL[finding.severity],
    ...(path === undefined ? {} : { path }),
    finding,
    title: finding.code,
    message: `${finding.message}${values.join('')}. ${finding.remedy} [${finding.code} ${finding.fingerprint}]`,
  };
}

function command({ level, path, finding, title, message }: Annotation): string {
  const where = finding?.where;
  const properties = [
    path === undefined ? '' : `file=${value(path)}`,
    where?.line === undefined ? '' : `line=${where.line}`,
    where?.line === undefined || where.column === undefined ? '' : `col=${where.column}`,
    where?.line === undefined || where.endColumn === undefined ? '' : `endColumn=${where.endColumn}`,
    `title=${value(visible(title).slice(0, MAX_TITLE))}`,
  ];
  return `::${level} ${properties.filter((property) => property !== '').join(',')}::${data(cut(visible(message)))}`;
}

function cut(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).replace(/[\ud800-\udbff]$/, '')}…` : message;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function value(text: string): string {
  return data(visible(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Text outside a command that the runner must not take for one. */
function inert(text: string): string {
  return visible(text).replaceAll('::', ':\\u{3a}').replaceAll('##[', '#\\u{23}[');
}
