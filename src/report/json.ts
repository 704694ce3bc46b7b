/**
 * The report as JSON: the model itself. Characters that could move, hide or reorder text are written as JSON escapes, so that the file is
 * inert when printed and still holds the exact values.
 */
import type { Report } from '../verify/report.ts';

const HIDDEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

function escaped(json: string): string {
  return json
    .replace(HIDDEN, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/[\u{e0000}-\u{e007f}]/gu, (tag) => [0, 1].map((i) => `\\u${tag.charCodeAt(i).toString(16)}`).join(''));
}

/** The whole report, two spaces of indentation, a final line feed. */
export function renderJson(report: Report): string {
  return `${escaped(JSON.stringify(report, null, 2))}\n`;
}

/** One line per input, then one line with everything else: what `audit merge` and `--resume` read. */
export function renderNdjson(report: Report): string {
  const { inputs, ...summary } = report;
  return [...inputs, summary].map((row) => `${escaped(JSON.stringify(row))}\n`).join('');
}
