/**
 * What became of one file, as its worker hands it over: the finished line of NDJSON as bytes, beside the little that the totals of a run
 * need. Whole reports would be copied, read and written again by the one thread that all workers wait for.
 */
import { utf8 } from '../bytes/encoding.ts';
import { ByteWriter } from '../json/canonical.ts';
import { renderNdjsonLine } from '../report/json.ts';
import type { Counted, InputReport } from '../verify/report.ts';

/** What a run counts of one file. */
interface About {
  readonly path: string;
  /** A walked file of no kind that is read: counted, not reported. */
  readonly leftOut: boolean;
  readonly counted: Counted;
}

export interface Done extends About {
  /** The report as a line of NDJSON, its line feed included, in UTF-8. */
  line(): Uint8Array;
  report(): InputReport;
}

/** What was verified in this thread. */
export function doneHere(
  { report, leftOut }: { readonly report: InputReport; readonly leftOut: boolean },
  under?: string,
): Done {
  const line = () => utf8(renderNdjsonLine(under === undefined ? report : { ...report, under }));
  const { path, result, required, as_of } = report;
  return { path, leftOut, counted: { result, required, as_of }, line, report: () => report };
}

/** What a worker sends of its files: their lines one after the other, and as JSON what is counted, with the length of each line. */
export interface Sent {
  readonly about: string;
  readonly lines: Uint8Array;
}

/** Puts together what a worker sends. */
export class Sending {
  readonly #about: (About & { readonly length: number })[] = [];
  readonly #lines = new ByteWriter();

  add({ path, leftOut, counted, line }: Done): void {
    const before = this.#lines.length;
    if (!leftOut) this.#lines.copy(line());
    this.#about.push({ path, leftOut, counted, length: this.#lines.length - before });
  }

  sent(): Sent {
    return { about: JSON.stringify(this.#about), lines: this.#lines.bytes() };
  }
}

/** What a worker sent. */
export function doneThere({ about, lines }: Sent): readonly Done[] {
  let end = 0;
  return (JSON.parse(about) as (About & { readonly length: number })[]).map(({ length, ...one }) => {
    const start = end;
    end += length;
    const line = () => lines.subarray(start, start + length);
    const report = () => {
      const { under: _, ...own } = JSON.parse(new TextDecoder().decode(line())) as InputReport;
      return own;
    };
    return { ...one, line, report };
  });
}
