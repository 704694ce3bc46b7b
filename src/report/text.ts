/**
 * The report for a person, in the order of design/cli.md: what is required, the verdict, the reasons, what still holds, what was not proven
 * and what would decide it, and the next command to run.
 */
import type { Claim, Finding } from '../finding/finding.ts';
import { visible } from '../finding/visible.ts';
import type { InputReport, Report, Result } from '../verify/report.ts';
import type { Surface } from './format.ts';

const WORDS: Readonly<Record<Result, string>> = {
  verified: 'VERIFIED',
  not_verified: 'NOT VERIFIED',
  no_verdict: 'NO VERDICT',
  unusable_input: 'UNUSABLE INPUT',
};
const COLOUR: Readonly<Record<Result | 'dim', string>> = {
  verified: '32;1',
  not_verified: '31;1',
  no_verdict: '33;1',
  unusable_input: '31;1',
  dim: '2',
};
/** Findings of one input that are printed whole; the rest are counted and left to the JSON report. */
const SHOWN = 8;
/** Events of a trail that are printed, a line each. */
const EVENTS = 40;

class Page {
  readonly #lines: string[] = [];
  readonly #surface: Surface;
  constructor(surface: Surface) {
    this.#surface = surface;
  }
  /** A line of text after a label, wrapped to the width and indented under itself. */
  line(text = '', label = ''): void {
    const width = Math.max(40, this.#surface.width);
    let line = label;
    let fresh = true;
    for (const word of visible(text).split(' ')) {
      if (!fresh && line.length + 1 + word.length > width) {
        this.#lines.push(line);
        line = ' '.repeat(label.length);
        fresh = true;
      }
      line += fresh ? word : ` ${word}`;
      fresh = false;
    }
    this.#lines.push(line.trimEnd());
  }
  paint(text: string, style: keyof typeof COLOUR): void {
    this.#lines.push(this.#surface.colour ? `\u001b[${COLOUR[style]}m${text}\u001b[0m` : text);
  }
  toString(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

export function renderText(report: Report, surface: Surface): string {
  const page = new Page(surface);
  for (const finding of report.findings) reason(page, finding);
  report.inputs.forEach((input, i) => {
    if (i > 0) page.line();
    section(page, input);
  });
  if (report.inputs.length !== 1) summary(page, report);
  if (report.as_of !== null) page.line(`Judged as of ${report.as_of.time} (${AS_OF[report.as_of.source]}).`);
  return page.toString();
}

const AS_OF = { option: 'given with --at', evidence: 'from the evidence', clock: 'the clock of this machine' } as const;

function summary(page: Page, { totals, result }: Report): void {
  page.line();
  page.paint(WORDS[result], result);
  page.line(
    `${totals.inputs} inputs: ${totals.verified} verified, ${totals.not_verified} not verified, ${totals.no_verdict} without a verdict, ` +
      `${totals.unusable_input} unusable${totals.left_out > 0 ? `; ${totals.left_out} files of no known kind left out` : ''}`,
  );
}

function section(page: Page, input: InputReport): void {
  page.line(`${input.path}${input.kind === null ? '' : ` (${input.kind})`}`);
  if (input.required.length > 0) page.line(input.required.join(', '), 'required    ');
  page.paint(WORDS[input.result], input.result);
  const against = input.findings.filter((finding) => finding.class !== 'none');
  const notes = input.findings.filter((finding) => finding.class === 'none');
  for (const finding of against.slice(0, SHOWN)) reason(page, finding);
  if (against.length > SHOWN) page.line(`and ${against.length - SHOWN} more findings: see --format json`, '  ');
  const of = (verdict: Claim['verdict']) => input.claims.filter((claim) => claim.verdict === verdict);
  for (const claim of of('failed')) claimLine(page, claim, '  fails       ');
  for (const claim of of('verified')) claimLine(page, claim, '  holds       ');
  notProven(page, input, of('undecided'));
  if (input.kind === 'trail') timeline(page, input);
  for (const finding of notes.slice(0, SHOWN)) page.line(`${finding.message}${place(finding)}`, '  note        ');
  if (notes.length > SHOWN) page.line(`and ${notes.length - SHOWN} more notes`, '  note        ');
  counted(page, input);
  const [first] = against;
  if (first !== undefined) page.line(`audit explain ${first.code}`, '  next        ');
}

/** Required claims that are undecided are said in full; the others by name, under the one item that would decide them. */
function notProven(page: Page, input: InputReport, undecided: readonly Claim[]): void {
  const [needed, others] = [
    undecided.filter(({ claim }) => input.required.includes(claim)),
    undecided.filter(({ claim }) => !input.required.includes(claim)),
  ];
  for (const claim of needed) claimLine(page, claim, '  not proven  ');
  if (others.length > 0) page.line(others.map(({ claim }) => claim).join(', '), '  not proven  ');
  const items = new Map<string, string[]>();
  for (const { claim, item, who, from } of input.missing) {
    const says = `${item} (${who}${from === null ? '' : `, from ${from}`})`;
    items.set(says, [...(items.get(says) ?? []), claim]);
  }
  for (const [item, claims] of items) page.line(`${claims.join(', ')}: ${item}`, '  decided by  ');
  const named = new Set(input.missing.map(({ item }) => item));
  const other = input.not_supplied.filter(
    (item) => ![...named].some((known) => known.startsWith(item) || item.startsWith(known)),
  );
  if (other.length > 0) page.line(other.join('; '), '  not given   ');
}

/** What was counted, zeros left out: every format has the whole list but this one. */
function counted(page: Page, { counts }: InputReport): void {
  const rows = Object.entries(counts).filter(([, value]) => value !== 0);
  if (rows.length > 0)
    page.line(rows.map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`).join(', '), '  counted     ');
}

/** A trail is short and is read event by event; timelines of other kinds are for the page and the JSON report. */
function timeline(page: Page, { timeline: rows }: InputReport): void {
  for (const { time, text } of rows.slice(0, EVENTS)) page.line(`${time ?? 'no time'}  ${text}`, '  happened    ');
  if (rows.length > EVENTS) page.line(`and ${rows.length - EVENTS} more events: see --format json`, '  happened    ');
}

function claimLine(page: Page, claim: Claim, label: string): void {
  page.line(`${claim.claim}: ${[claim.scope, claim.detail].filter((text) => text !== '').join('; ')}`, label);
}

function reason(page: Page, finding: Finding): void {
  page.line(`${finding.message}${place(finding)}`, '  ');
  const { entry } = finding.where;
  if (entry !== undefined && entry !== finding.actual && entry !== finding.expected) page.line(entry, '    entry     ');
  if (finding.expected !== undefined) page.line(finding.expected, '    expected  ');
  if (finding.actual !== undefined) page.line(finding.actual, '    actual    ');
  page.line(finding.remedy, '    ');
  page.line(`${finding.code} (${finding.rule})`, '    ');
}

function place({ where }: Finding): string {
  const parts = [
    where.part,
    where.line === undefined ? undefined : `line ${where.line}`,
    where.pointer === undefined || where.pointer === '' ? undefined : `at ${where.pointer}`,
    where.byte === undefined || where.line !== undefined ? undefined : `byte ${where.byte}`,
  ].filter((text) => text !== undefined);
  return parts.length === 0 ? '' : ` [${parts.join(', ')}]`;
}
