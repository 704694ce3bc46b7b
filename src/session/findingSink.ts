/** Findings of a reading: all of them, but of one code at most so many in full, because a hostile file can hold a million bad lines. */
import type { Finding } from '../finding/finding.ts';

/** Findings of one code that are listed in full. */
export const MOST_OF_ONE_CODE = 1000;

export class FindingSink {
  readonly #findings: Finding[] = [];
  readonly #counts = new Map<string, { count: number; last: Finding }>();

  add(finding: Finding): void {
    const seen = this.#counts.get(finding.code);
    if (seen === undefined) this.#counts.set(finding.code, { count: 1, last: finding });
    else {
      seen.count++;
      seen.last = finding;
    }
    if (seen === undefined || seen.count <= MOST_OF_ONE_CODE) this.#findings.push(finding);
  }

  /** The findings in the order they were met; where some were left out, one more of the same code says how many and where the last is. */
  all(): Finding[] {
    const more: Finding[] = [];
    for (const { count, last } of this.#counts.values()) {
      if (count > MOST_OF_ONE_CODE)
        more.push({
          ...last,
          message: `${count - MOST_OF_ONE_CODE} more like this are not listed; the last: ${last.message}`,
        });
    }
    return [...this.#findings, ...more];
  }
}
