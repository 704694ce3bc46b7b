/** The body of the page: what a person reads of a report, in the order of the questions that they ask. */

import type { Claim, Missing } from '../finding/finding.ts';
import { counted } from '../finding/words.ts';
import type { InputReport, Report, ReportedFinding, Result } from '../verify/report.ts';
import { timeline } from './htmlTimeline.ts';
import { mark, text } from './markup.ts';

export const RESULT: Readonly<Record<Result, { readonly word: string; readonly says: string }>> = {
  verified: { word: 'Verified', says: 'Everything that was required was checked again from the bytes, and it holds.' },
  not_verified: { word: 'Not verified', says: 'Something in it does not hold, or there was nothing in it to check.' },
  no_verdict: {
    word: 'No verdict',
    says: 'Nothing is known to be wrong, but something that was required could not be decided.',
  },
  unusable_input: { word: 'Unusable', says: 'It could not be used, so nothing is known about what it holds.' },
};
const SIGN: Readonly<Record<Result, string>> = {
  verified: '✓',
  not_verified: '✗',
  no_verdict: '?',
  unusable_input: '✗',
};
const VERDICT = { verified: 'verified', failed: 'failed', undecided: 'not proven' } as const;
const GRADE = {
  rechecked: 'checked again from the bytes',
  asserted: 'somebody’s word',
  none: 'nothing decided it',
} as const;
const CLOCK = {
  clock: 'the clock of the machine that ran it',
  option: 'the instant that was asked for',
  evidence: 'the instant that the evidence gives',
} as const;

const FINDINGS = 200;
/** Inputs beyond which each one folds away under its result. */
const OPEN = 5;
/** Inputs that are shown in full, and lines of the list over all of them. */
const SHOWN = 300;
const LISTED = 5000;

/** The report itself, without the page around it. */
export function renderBody(report: Report): string {
  const { totals, as_of: asOf, inputs } = report;
  const many = inputs.length !== 1;
  const alone = many ? undefined : inputs[0];
  return `<section class="verdict ${report.result}" aria-labelledby="result">
<h2 id="result"><span aria-hidden="true">${SIGN[report.result]}</span> ${RESULT[report.result].word}</h2>
<p>${RESULT[report.result].says}</p>${alone === undefined ? '' : `<p>${required(alone)}</p>`}
${many || totals.left_out > 0 ? `<p>${counted(totals.inputs, 'input')}: ${totals.verified} verified, ${totals.not_verified} not verified, ${totals.no_verdict} without a verdict, ${totals.unusable_input} unusable${totals.left_out > 0 ? `; ${counted(totals.left_out, 'file')} of no kind that is read here left out` : ''}.</p>` : ''}
${asOf === null ? '' : `<p>Judged as of ${text(asOf.time)}: ${CLOCK[asOf.source]}.</p>`}
</section>
${report.findings.length === 0 ? '' : `<section class="card" aria-labelledby="given"><h2 id="given">About what was given</h2>${findings(report.findings)}</section>`}
${inputs.length > OPEN ? list(inputs) : ''}
${inputs.length > SHOWN ? important(inputs) : inputs.map((input, i) => article(input, i, inputs.length)).join('\n')}
<p class="facts">Made by ${text(report.tool.name)} ${text(report.tool.version)}; exit status ${report.status}.${given(report)}</p>`;
}

function given({ given: { trust, heads, companions, media = [] } }: Report): string {
  const files = [
    ...trust.map((file) => ({ ...file, role: 'trust file' })),
    ...heads.map((file) => ({ ...file, role: 'head' })),
    ...companions.slice(0, 20).map((file) => ({ ...file, role: 'companion' })),
    ...media.slice(0, 20).map((file) => ({ ...file, role: 'media' })),
  ];
  if (files.length === 0) return ' No trust file and no head were given.';
  return ` Given beside the inputs: ${files.map((file) => `${file.role} ${text(file.path)} (SHA-256 <span class="mono">${text(file.sha256)}</span>)`).join('; ')}.`;
}

/** Every input in a line. */
function list(inputs: readonly InputReport[]): string {
  const rows = inputs
    .slice(0, LISTED)
    .map(
      (input, i) =>
        `<tr><th scope="row">${inputs.length > SHOWN ? text(input.path) : `<a href="#input-${i + 1}">${text(input.path)}</a>`}</th><td>${text(input.kind ?? 'unknown')}</td><td>${sign(input.result)}</td></tr>`,
    );
  return `<section class="card" aria-labelledby="inputs"><h2 id="inputs">Inputs</h2>
<table><thead><tr><th scope="col">Path</th><th scope="col">Kind</th><th scope="col">Result</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>${inputs.length > LISTED ? `<p>${inputs.length - LISTED} more are in the JSON report.</p>` : ''}</section>`;
}

/** Of a great many inputs those that a person has to look at. */
function important(inputs: readonly InputReport[]): string {
  const open = inputs.flatMap((input, i) => (input.result === 'verified' ? [] : [{ input, i }]));
  return `<p>${open.length > SHOWN ? `The first ${SHOWN} of ${open.length} inputs that were not verified` : 'The inputs that were not verified'} follow; all others are in the JSON report.</p>
${open
  .slice(0, SHOWN)
  .map(({ input, i }) => article(input, i, inputs.length))
  .join('\n')}`;
}

function sign(result: Result): string {
  return `<span class="mark ${result}">${SIGN[result]} ${RESULT[result].word.toLowerCase()}</span>`;
}

function required(input: InputReport): string {
  return input.required.length === 0
    ? 'Nothing was required of it.'
    : `Required: ${input.required.map((claim) => `<span class="claim">${text(claim)}</span>`).join(' ')}`;
}

function article(input: InputReport, index: number, of: number): string {
  const id = `input-${index + 1}`;
  const facts = [
    input.kind ?? 'unknown kind',
    input.bytes === null ? '' : counted(input.bytes, 'byte'),
    input.sha256 === null ? '' : `SHA-256 ${input.sha256}`,
  ];
  const about = `<p class="facts">${text(facts.filter((fact) => fact !== '').join(' · '))}</p>`;
  const result = of === 1 ? '' : `<p class="verdict ${input.result}">${sign(input.result)} ${required(input)}</p>`;
  const title = `<h2 id="${id}">${text(input.path)}</h2>`;
  if (of <= OPEN)
    return `<article class="card" aria-labelledby="${id}">${title}${about}${result}${content(input)}</article>`;
  return `<article class="card" aria-labelledby="${id}">${title}${about}${result}<details${input.result === 'verified' ? '' : ' open'}><summary>What was found</summary>${content(input)}</details></article>`;
}

function content(input: InputReport): string {
  const against = input.findings.filter((item) => item.class !== 'none');
  const notes = input.findings.filter((item) => item.class === 'none');
  return `${against.length === 0 ? '' : `<h3>What is wrong or open</h3>${findings(against)}`}
${claims(input)}
${missing(input.missing, input.not_supplied)}
${timeline(input.timeline)}
${notes.length === 0 ? '' : `<details><summary>${counted(notes.length, 'note')}</summary>${findings(notes)}</details>`}
${read(input)}`;
}

function read({ subject, counts }: InputReport): string {
  const rows = [...Object.entries(subject).filter(([, value]) => value !== null), ...Object.entries(counts)];
  if (rows.length === 0) return '';
  return `<h3>What was read</h3><dl class="read">${rows.map(([name, value]) => `<div><dt>${text(name.replaceAll('_', ' '))}</dt><dd>${text(String(value))}</dd></div>`).join('')}</dl>`;
}

function claims({ claims: rows, required: wanted, kind }: InputReport): string {
  if (rows.length === 0) return '';
  let part = '';
  const line = (claim: Claim): string => {
    // The claims of a bundle are those of its files, each under the name of its own.
    const split = kind === 'bundle' ? claim.claim.lastIndexOf(': ') : -1;
    const of = split < 0 ? part : claim.claim.slice(0, split);
    const group = of === part ? '' : `<tr><th colspan="3" scope="colgroup">${text(of)}</th></tr>\n`;
    part = of;
    const name = split < 0 ? claim.claim : claim.claim.slice(split + 2);
    const limit =
      claim.reproducible_until === undefined
        ? ''
        : `; the given bytes alone reproduce this until ${text(claim.reproducible_until)}`;
    return `${group}<tr><th scope="row">${text(name)}${wanted.includes(claim.claim) ? ' <span class="tag">required</span>' : ''}</th><td>${mark(claim.verdict, VERDICT)}</td>
<td>${text(claim.scope)}${claim.detail === '' ? '' : `<br>${text(claim.detail)}`}<br><span class="facts">${GRADE[claim.grade]}${limit}</span></td></tr>`;
  };
  return `<h3>What can be relied on</h3><table class="claims"><thead><tr><th scope="col">Claim</th><th scope="col">Verdict</th><th scope="col">How far, and why</th></tr></thead><tbody>${rows.map(line).join('\n')}</tbody></table>`;
}

/** One item may decide several claims: it is said once. */
function missing(rows: readonly Missing[], notSupplied: readonly string[]): string {
  if (rows.length + notSupplied.length === 0) return '';
  const items = new Map<string, { readonly row: Missing; readonly claims: string[] }>();
  for (const row of rows) {
    const key = JSON.stringify([row.item, row.who, row.from]);
    const known = items.get(key);
    if (known === undefined) items.set(key, { row, claims: [row.claim] });
    else known.claims.push(row.claim);
  }
  const lines = [...items.values()].map(
    ({ row, claims: decided }) =>
      `<li><strong>${text(decided.join(', '))}</strong>: would be decided by ${text(row.item)}. Who has it: ${text(row.who)}${row.from === null ? '' : `, from ${text(row.from)} on`}.</li>`,
  );
  const named = new Set(rows.map(({ item }) => item));
  const others = notSupplied.filter((item) => !named.has(item));
  return `<h3>What was not proven, and what would decide it</h3><ul>${lines.join('')}${others.map((item) => `<li>Not supplied: ${text(item)}.</li>`).join('')}</ul>`;
}

function findings(items: readonly ReportedFinding[]): string {
  return `${items.slice(0, FINDINGS).map(finding).join('')}${items.length > FINDINGS ? `<p>${items.length - FINDINGS} more are in the JSON report.</p>` : ''}`;
}

function finding(item: ReportedFinding): string {
  const { where } = item;
  const bytes =
    where.byte === undefined
      ? undefined
      : where.length === undefined
        ? `byte ${where.byte}`
        : `bytes ${where.byte} to ${where.byte + where.length - 1}`;
  const place = [
    where.part,
    where.line === undefined ? undefined : `line ${where.line}`,
    where.column === undefined ? undefined : `column ${where.column}`,
    bytes,
    where.entry,
    where.pointer,
  ];
  const [expected, actual] = differing(item.expected, item.actual);
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Where', escaped(place.filter((part) => part !== undefined && part !== '').join(', ') || undefined)],
    ['Expected', expected],
    ['Actual', actual],
    ['The bytes', item.excerpt === undefined ? undefined : `<code>${text(item.excerpt)}</code>`],
    ['What to do', escaped(item.remedy)],
    ['Rule', escaped(`${item.rule}; code ${item.code}`)],
    ['Fingerprint', `<span class="mono">${escaped(item.fingerprint)}</span>`],
  ];
  const tone = item.class === 'none' ? 'note' : item.class === 'no_verdict' ? 'undecided' : 'failed';
  const body = rows.flatMap(([name, html]) => (html === undefined ? [] : [`<dt>${name}</dt><dd>${html}</dd>`]));
  return `<div class="finding ${tone}"><p><strong>${text(item.message)}</strong></p><dl>${body.join('')}</dl></div>`;
}

function escaped(value: string | undefined): string | undefined {
  return value === undefined ? undefined : text(value);
}

/** Expected and actual with the part marked in which they differ. */
function differing(expected: string | undefined, actual: string | undefined): readonly (string | undefined)[] {
  if (expected === undefined || actual === undefined || expected === actual)
    return [expected, actual].map((value) => (value === undefined ? undefined : `<code>${text(value)}</code>`));
  const [a, b] = [[...expected], [...actual]];
  const most = Math.min(a.length, b.length);
  let before = 0;
  while (before < most && a[before] === b[before]) before++;
  let after = 0;
  while (after < most - before && a[a.length - 1 - after] === b[b.length - 1 - after]) after++;
  return [a, b].map((all) => {
    const [head, middle, tail] = [
      all.slice(0, before),
      all.slice(before, all.length - after),
      all.slice(all.length - after),
    ].map((part) => text(part.join('')));
    return `<code>${head}${middle === '' ? '' : `<mark>${middle}</mark>`}${tail}</code>`;
  });
}
