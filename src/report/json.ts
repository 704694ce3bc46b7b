/**
 * The report as JSON: the model itself. Characters that could move, hide or reorder text are written as JSON escapes, so that the file is
 * inert when printed and still holds the exact values.
 */
import type { InputReport, Report, Summary } from '../verify/report.ts';

const HIDDEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** JSON text with its hidden characters, and what a CI runner takes for a command, as JSON escapes: the values stay. */
export function escaped(json: string): string {
  return json
    .replace(HIDDEN, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/#(?=#\w*\[)/g, '\\u0023')
    .replace(/[\u{e0000}-\u{e007f}]/gu, (tag) => [0, 1].map((i) => `\\u${tag.charCodeAt(i).toString(16)}`).join(''));
}

/** The whole report, two spaces of indentation, a final line feed. */
export function renderJson(report: Report): string {
  return `${escaped(JSON.stringify(report, null, 2))}\n`;
}

/** NDJSON: one line per input, then one line with everything else. `audit merge` and `--resume` read it. */
export function renderNdjson(report: Report): string {
  const { inputs, ...summary } = report;
  return inputs.map(renderNdjsonLine).join('') + renderNdjsonSummary(summary);
}

/** The line of one input. */
export function renderNdjsonLine(input: InputReport): string {
  return `${escaped(JSON.stringify(input))}\n`;
}

/** The last line: the report without its inputs. */
export function renderNdjsonSummary(summary: Summary): string {
  return `${escaped(JSON.stringify(summary))}\n`;
}
