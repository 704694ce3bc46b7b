/**
 * One run of a verb: what it found, what it printed, and the status that follows (audit spec 6.2, 6.6). A verb reads every input and runs
 * every check that does not depend on an unusable one, so everything is collected here and nothing stops at the first problem.
 */
import type { Finding, FindingClass } from '../../src/finding/finding.ts';
import { visible } from '../../src/finding/visible.ts';

export type ResultWord = 'verified' | 'produced' | 'not_verified' | 'usage_error' | 'no_verdict' | 'unusable_input';

/** Status and word of classes, in the order of precedence: 1, then 4, then 3, then 0. */
export function statusOf(classes: Iterable<FindingClass>): 0 | 1 | 3 | 4 {
  const seen = new Set(classes);
  if (seen.has('not_verified')) return 1;
  if (seen.has('unusable')) return 4;
  return seen.has('no_verdict') ? 3 : 0;
}

export function wordOf(status: number, emits: boolean): ResultWord {
  switch (status) {
    case 0:
      return emits ? 'produced' : 'verified';
    case 1:
      return 'not_verified';
    case 2:
      return 'usage_error';
    case 4:
      return 'unusable_input';
    default:
      return 'no_verdict';
  }
}

export class Session {
  /** Lines of standard output, each beginning with its fixed word. */
  readonly lines: string[] = [];
  readonly errors: string[] = [];
  readonly findings: Finding[] = [];
  /** Text of the artifact that was produced, as compact JSON. */
  artifact: string | undefined;
  /** The structured report of the verb, JSON without bigints. */
  report: unknown;

  /** Something that was checked and holds. */
  ok(text: string): void {
    this.lines.push(`OK: ${visible(text)}`);
  }
  note(text: string): void {
    this.lines.push(`note: ${visible(text)}`);
  }
  /** A row of a report with items. */
  item(word: 'PASS' | 'FAIL' | 'INFO', text: string): void {
    this.lines.push(`${word}  ${visible(text)}`);
  }

  /** Takes findings over; each becomes a line, and an error message unless it changes nothing. */
  take(findings: readonly Finding[], input?: string): void {
    for (const finding of findings) {
      this.findings.push(input === undefined ? finding : { ...finding, where: { part: input, ...finding.where } });
      const place = placeOf(finding, input);
      const text = visible(`${place}${finding.message}`);
      if (finding.class === 'none') this.lines.push(`note: ${text}`);
      else {
        this.lines.push(`${finding.class === 'not_verified' ? 'FAIL' : 'ERROR'}: ${text}`);
        this.errors.push(text);
      }
    }
  }

  get status(): 0 | 1 | 3 | 4 {
    return statusOf(this.findings.map((finding) => finding.class));
  }
}

function placeOf(finding: Finding, input: string | undefined): string {
  const part = finding.where.part;
  const named = [input, part === input ? undefined : part, finding.where.pointer].filter(
    (word) => word !== undefined && word !== '',
  );
  return named.length === 0 ? '' : `${named.join(' ')}: `;
}
