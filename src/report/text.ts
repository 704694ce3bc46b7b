/**
 * The report for a person, in the order of design/cli.md: what is required, the verdict, the reasons, what still holds, what was not proven
 * and what would decide it, and the next command to run. On a terminal one input that does not verify is kept to one screen.
 */
import type { Claim, Finding } from '../finding/finding.ts';
import { inert, visible } from '../finding/visible.ts';
import { counted } from '../finding/words.ts';
import type { InputReport, Report, ReportedFinding, Result } from '../verify/report.ts';
import type { Surface } from './format.ts';

const WORDS: Readonly<Record<Result, string>> = {
  verified: 'VERIFIED',
  not_verified: 'NOT VERIFIED',
  no_verdict: 'NO VERDICT',
  unusable_input: 'UNUSABLE INPUT',
};
const COLOUR: Readonly<Record<Result, string>> = {
  verified: '32;1',
  not_verified: '31;1',
  no_verdict: '33;1',
  unusable_input: '31;1',
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
        this.#lines.push(inert(line));
        line = ' '.repeat(label.length);
        fresh = true;
      }
      line += fresh ? word : ` ${word}`;
      fresh = false;
    }
    this.#lines.push(inert(line.trimEnd()));
  }
  paint(result: Result): void {
    const word = WORDS[result];
    this.#lines.push(this.#surface.colour ? `\u001b[${COLOUR[result]}m${word}\u001b[0m` : word);
  }
  /** Rows of the terminal that the page fills: a word that is longer than a row goes on in the next. */
  get rows(): number {
    return this.#lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / this.#surface.width)), 0);
  }
  append(other: Page): void {
    this.#lines.push(...other.#lines);
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
    section(page, input, screenFor(report, input, surface), surface);
  });
  if (report.inputs.length !== 1 || report.totals.left_out > 0) summary(page, report);
  if (report.as_of !== null) page.line(`Judged as of ${report.as_of.time} (${AS_OF[report.as_of.source]}).`);
  return page.toString();
}

const AS_OF = { option: 'given with --at', evidence: 'from the evidence', clock: 'the clock of this machine' } as const;

/** Rows for the section of an input that is kept to one screen, leaving those after it and one for the prompt; otherwise undefined. */
function screenFor(report: Report, input: InputReport, { height }: Surface): number | undefined {
  if (height === undefined || report.inputs.length !== 1 || report.findings.length > 0) return undefined;
  if (input.findings.every((finding) => finding.class === 'none')) return undefined;
  return Math.max(24, height) - 1 - (report.as_of === null ? 0 : 1) - (report.totals.left_out > 0 ? 4 : 0);
}

function summary(page: Page, { totals, result }: Report): void {
  if (totals.inputs > 0) page.line();
  page.paint(result);
  if (totals.inputs === 0) page.line('there was no input, so nothing was checked');
  page.line(
    `${counted(totals.inputs, 'input')}: ${totals.verified} verified, ${totals.not_verified} not verified, ${totals.no_verdict} without a verdict, ` +
      `${totals.unusable_input} unusable; ${counted(totals.left_out, 'file')} of no kind that is read here left out`,
  );
}

function section(page: Page, input: InputReport, rows: number | undefined, surface: Surface): void {
  page.line(`${input.path}${input.kind === null ? '' : ` (${input.kind})`}`);
  if (input.required.length > 0) page.line(input.required.join(', '), 'required    ');
  page.paint(input.result);
  const against = input.findings.filter((finding) => finding.class !== 'none');
  const rest = new Page(surface);
  after(rest, input, rows !== undefined);
  if (rows === undefined) {
    for (const finding of against.slice(0, SHOWN)) reason(page, finding);
    if (against.length > SHOWN) page.line(`and ${against.length - SHOWN} more findings: see --format json`, '  ');
  } else reasonsWithin(page, against, rows - rest.rows, surface);
  page.append(rest);
}

/** The first finding whole, then others in a line each while there is room, then how many are left to the JSON report. */
function reasonsWithin(
  page: Page,
  [first, ...others]: readonly ReportedFinding[],
  rows: number,
  surface: Surface,
): void {
  if (first !== undefined) reason(page, first, true);
  let shown = 0;
  for (const finding of others) {
    const brief = new Page(surface);
    brief.line(`${finding.message}${place(finding)}`, '  also  ');
    const left = shown + 1 < others.length ? 1 : 0;
    if (page.rows + brief.rows + left > rows) break;
    page.append(brief);
    shown++;
  }
  if (shown < others.length) page.line(`and ${others.length - shown} more findings: see --format json`, '  ');
}

/** What follows the reasons. `brief`: how far each claim reaches and what would decide it, without who and why. */
function after(page: Page, input: InputReport, brief: boolean): void {
  const of = (verdict: Claim['verdict']) => input.claims.filter((claim) => claim.verdict === verdict);
  for (const claim of of('failed')) claimLine(page, claim, '  fails       ', brief);
  for (const claim of of('verified')) claimLine(page, claim, '  holds       ', brief);
  notProven(page, input, of('undecided'), brief);
  if (input.kind === 'trail' && !brief) timeline(page, input);
  const notes = input.findings.filter((finding) => finding.class === 'none');
  if (brief)
    tallies(page, { ...Object.fromEntries(positive(input)), ...(notes.length > 0 ? { notes: notes.length } : {}) });
  else {
    for (const finding of notes.slice(0, SHOWN)) page.line(`${finding.message}${place(finding)}`, '  note        ');
    if (notes.length > SHOWN) page.line(`and ${notes.length - SHOWN} more notes`, '  note        ');
    tallies(page, input.counts);
  }
  const first = input.findings.find((finding) => finding.class !== 'none');
  if (first !== undefined) page.line(`audit explain ${first.code}`, '  next        ');
  else if (input.result !== 'verified') page.line('audit explain claim/undecided', '  next        ');
}

/** Required claims that are undecided are said in full; the others by name, under the one item that would decide them. */
function notProven(page: Page, input: InputReport, undecided: readonly Claim[], brief: boolean): void {
  const [needed, others] = [
    undecided.filter(({ claim }) => input.required.includes(claim)),
    undecided.filter(({ claim }) => !input.required.includes(claim)),
  ];
  for (const claim of needed) claimLine(page, claim, '  not proven  ', brief);
  const told = (claim: string) => brief && input.missing.some((row) => row.claim === claim);
  const silent = others.filter(({ claim }) => !told(claim));
  if (silent.length > 0) page.line(silent.map(({ claim }) => claim).join(', '), '  not proven  ');
  const items = new Map<string, string[]>();
  for (const { claim, item, who, from } of input.missing) {
    const says = brief ? item : `${item} (${who}${from === null ? '' : `, from ${from}`})`;
    items.set(says, [...(items.get(says) ?? []), claim]);
  }
  for (const [item, claims] of items) {
    const label =
      brief && !claims.some((claim) => input.required.includes(claim)) ? '  not proven  ' : '  decided by  ';
    page.line(`${claims.join(', ')}: ${label === '  not proven  ' ? 'needs ' : ''}${item}`, label);
  }
  const named = new Set(input.missing.map(({ item }) => item));
  const other = input.not_supplied.filter(
    (item) => ![...named].some((known) => known.startsWith(item) || item.startsWith(known)),
  );
  if (other.length > 0 && !brief) page.line(other.join('; '), '  not given   ');
}

/** What was counted. Zeros are left out, but for what was checked: that nothing was is worth a word. */
function tallies(page: Page, counts: InputReport['counts']): void {
  const rows = Object.entries(counts).filter(([name, value]) => value !== 0 || /verified|checked/.test(name));
  page.line(
    rows.length === 0 ? 'nothing' : rows.map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`).join(', '),
    '  counted     ',
  );
}

function positive({ counts }: InputReport): [string, number][] {
  return Object.entries(counts).filter(([, value]) => value !== 0);
}

/** A trail is short and is read event by event; timelines of other kinds are for the page and the JSON report. */
function timeline(page: Page, { timeline: rows }: InputReport): void {
  for (const { time, text } of rows.slice(0, EVENTS)) page.line(`${time ?? 'no time'}  ${text}`, '  happened    ');
  if (rows.length > EVENTS) page.line(`and ${rows.length - EVENTS} more events: see --format json`, '  happened    ');
}

function claimLine(page: Page, claim: Claim, label: string, brief: boolean): void {
  const says = brief && claim.scope !== '' ? [claim.scope] : [claim.scope, claim.detail].filter((text) => text !== '');
  page.line(`${claim.claim}: ${says.join('; ')}`, label);
}

function reason(page: Page, finding: ReportedFinding, brief = false): void {
  page.line(`${finding.message}${place(finding)}`, '  ');
  const { entry, line } = finding.where;
  const elsewhere = entry !== finding.actual && entry !== finding.expected && !(brief && line !== undefined);
  if (entry !== undefined && elsewhere) page.line(entry, '    entry     ');
  if (finding.expected !== undefined) page.line(finding.expected, '    expected  ');
  if (finding.actual !== undefined) page.line(finding.actual, '    actual    ');
  page.line(finding.remedy, '    ');
  page.line(`${finding.code} (${finding.rule}) ${shortPrint(finding)}`, '    ');
}

/** Enough of a fingerprint to find it in another format. */
function shortPrint({ fingerprint }: ReportedFinding): string {
  const [print = '', ...nth] = fingerprint.split('#');
  return [print.slice(0, 12), ...nth].join('#');
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
