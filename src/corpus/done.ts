/**
 * What became of one file, as its worker hands it over: the finished line of NDJSON beside the little that the totals of a run need. Whole
 * reports would be copied, read and written again by the one thread that all workers wait for.
 */
import { renderNdjsonLine } from '../report/json.ts';
import type { Counted, InputReport } from '../verify/report.ts';

export interface Done {
  readonly path: string;
  /** A walked file of no known kind: counted, not reported. */
  readonly leftOut: boolean;
  readonly counted: Counted;
  /** The report as a line of NDJSON, its line feed included. */
  line(): string;
  report(): InputReport;
}

/** What was verified in this thread. */
export function doneHere(
  { report, leftOut }: { readonly report: InputReport; readonly leftOut: boolean },
  under?: string,
): Done {
  const line = () => renderNdjsonLine(under === undefined ? report : { ...report, under });
  return { path: report.path, leftOut, counted: report, line, report: () => report };
}

/** What a worker sends of one file, two lines: what is counted, then the report. */
export function doneLines({ path, leftOut, counted, line }: Done): string {
  const { result, required, as_of } = counted;
  return `${JSON.stringify({ path, leftOut, counted: { result, required, as_of } })}\n${line()}`;
}

/** What a worker sent of its files. */
export function doneThere(text: string): readonly Done[] {
  const lines = text.split('\n');
  const all: Done[] = [];
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const row = lines[i + 1] as string;
    const report = () => {
      const { under: _, ...own } = JSON.parse(row) as InputReport;
      return own;
    };
    all.push({ ...(JSON.parse(lines[i] as string) as Done), line: () => `${row}\n`, report });
  }
  return all;
}
