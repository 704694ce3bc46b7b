/**
 * The report as one self-contained page that anybody can open, print and check again: it carries the verifier and re-runs it on the
 * original files. Untrusted text is escaped and made visible; the page's policy allows no request to anywhere.
 */
import type { Claim, Missing } from '../finding/finding.ts';
import { visible } from '../finding/visible.ts';
import type { TimelineRow } from '../verify/kind.ts';
import type { InputReport, Report, ReportedFinding, Result } from '../verify/report.ts';
import { renderJson } from './json.ts';
import { STYLE } from './style.ts';

const RESULT: Readonly<Record<Result, { word: string; says: string }>> = {
  verified: { word: 'Verified', says: 'Everything that was required was checked again from the bytes, and it holds.' },
  not_verified: { word: 'Not verified', says: 'Something in it does not hold, or there was nothing in it to check.' },
  no_verdict: {
    word: 'No verdict',
    says: 'Nothing is known to be wrong, but something that was required could not be decided.',
  },
  unusable_input: { word: 'Unusable', says: 'It could not be used, so nothing is known about what it holds.' },
};
const VERDICT = { verified: '✓ verified', failed: '✗ failed', undecided: '? not proven' } as const;
const GRADE = {
  rechecked: 'checked again from the bytes',
  asserted: 'somebody’s word',
  none: 'nothing decided it',
} as const;
/** Rows of a timeline that are drawn; the JSON report holds them all. */
const ROWS = 500;
const FINDINGS = 200;

/** Text that is safe in an element and in a quoted attribute. */
function text(value: string): string {
  return visible(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replace(/#(?=#\w*\[)/g, '&#35;');
}

/** A script's source in which nothing ends the element. */
function inScript(source: string): string {
  return source.replace(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
}

/**
 * The whole page.
 *
 * @param report undefined for the empty page: a verifier that waits for files
 * @param verifier source of the browser bundle, which the page carries
 */
export function renderHtml(report: Report | undefined, verifier: string): string {
  const title =
    report === undefined
      ? 'Verifier'
      : `${RESULT[report.result].word}: ${report.inputs
          .map((input) => input.path)
          .slice(0, 3)
          .join(', ')}`;
  const data =
    report === undefined
      ? ''
      : `<script type="application/json" id="report">${renderJson(report).replaceAll('<', '\\u003c')}</script>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${text(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">To the report</a>
<header><h1>audit: what an AI agent really did, from the files alone</h1></header>
<main id="main">
${report === undefined ? dropZone(report) : '<p><a href="#drop">Check it yourself: this page carries the verifier</a></p>'}
<div id="shown">${report === undefined ? '' : renderBody(report)}</div>
${report === undefined ? '' : dropZone(report)}
</main>
<footer><p>This page makes no request to anywhere. It holds the report${report === undefined ? '' : ' and its data'} and the program that made it.</p></footer>
${data}<script>${inScript(verifier)}</script>
</body>
</html>
`;
}

function dropZone(report: Report | undefined): string {
  const says =
    report === undefined
      ? 'Choose or drop files: sessions, journals, proofs, packages, trails, bundles, and the trust file that says whom you trust. They stay on this machine.'
      : 'Choose or drop the original files, with the trust file and heads that were used. This page then verifies them itself and says whether it comes to the same report.';
  return `<section class="drop" id="drop" aria-labelledby="drop-title">
<h2 id="drop-title">${report === undefined ? 'Verify files here' : 'Check it yourself'}</h2>
<p id="drop-says">${says}</p>
<p><label>Files: <input type="file" id="files" multiple aria-describedby="drop-says"></label></p>
<div id="answer" role="status" aria-live="polite"></div>
</section>`;
}

/** The report itself, without the page around it. */
export function renderBody(report: Report): string {
  const { totals } = report;
  const count =
    totals.inputs === 1 && totals.left_out === 0
      ? ''
      : `<p>${totals.inputs} inputs: ${totals.verified} verified, ${totals.not_verified} not verified, ${totals.no_verdict} without a verdict, ${totals.unusable_input} unusable${totals.left_out > 0 ? `, ${totals.left_out} left out` : ''}.</p>`;
  const asOf =
    report.as_of === null
      ? ''
      : `<p>Judged as of ${text(report.as_of.time)} (${report.as_of.source === 'clock' ? 'the clock of the machine that ran it' : report.as_of.source === 'option' ? 'the instant that was asked for' : 'from the evidence'}).</p>`;
  return `<section class="verdict ${report.result}" aria-label="Result">
<strong>${RESULT[report.result].word}</strong>
<p>${RESULT[report.result].says}</p>${count}${asOf}
</section>
${report.findings.length === 0 ? '' : `<section aria-label="Findings about what was given">${report.findings.map(finding).join('')}</section>`}
${report.inputs.map(article).join('\n')}
<p class="facts">Made by ${text(report.tool.name)} ${text(report.tool.version)}; exit status ${report.status}.${given(report)}</p>`;
}

function given({ given: { trust, heads, companions } }: Report): string {
  const files = [
    ...trust.map((file) => ({ ...file, role: 'trust' })),
    ...heads.map((file) => ({ ...file, role: 'head' })),
    ...companions.slice(0, 20).map((file) => ({ ...file, role: 'companion' })),
  ];
  if (files.length === 0) return ' No trust file and no head were given.';
  return ` Given beside the inputs: ${files.map((file) => `${file.role} ${text(file.path)} (SHA-256 ${file.sha256})`).join('; ')}.`;
}

function article(input: InputReport, index: number): string {
  const against = input.findings.filter((item) => item.class !== 'none');
  const notes = input.findings.filter((item) => item.class === 'none');
  const facts = [
    input.kind ?? 'unknown kind',
    input.bytes === null ? '' : `${input.bytes} bytes`,
    input.sha256 === null ? '' : `SHA-256 ${input.sha256}`,
  ];
  const subject = Object.entries(input.subject).filter(([, value]) => value !== null);
  const counts = Object.entries(input.counts);
  const id = `input-${index + 1}`;
  return `<article aria-labelledby="${id}">
<h2 id="${id}">${text(input.path)}</h2>
<p class="facts">${text(facts.filter((fact) => fact !== '').join(' · '))}</p>
<div class="verdict ${input.result}"><strong>${RESULT[input.result].word}</strong><p>Required: ${text(input.required.join(', ') || 'nothing')}.</p></div>
${against.length === 0 ? '' : `<h3>What is wrong</h3>${against.slice(0, FINDINGS).map(finding).join('')}${against.length > FINDINGS ? `<p>${against.length - FINDINGS} more are in the JSON report.</p>` : ''}`}
${claims(input.claims)}
${missing(input.missing, input.not_supplied)}
${input.timeline.length === 0 ? '' : `<h3>What happened</h3>${timeline(input.timeline)}`}
${notes.length === 0 ? '' : `<details><summary>${notes.length} notes</summary>${notes.slice(0, FINDINGS).map(finding).join('')}</details>`}
${subject.length + counts.length === 0 ? '' : `<h3>What was read</h3><dl class="read">${[...subject, ...counts].map(([name, value]) => `<div><dt>${text(name.replaceAll('_', ' '))}</dt><dd>${text(String(value))}</dd></div>`).join('')}</dl>`}
</article>`;
}

function claims(rows: readonly Claim[]): string {
  if (rows.length === 0) return '';
  const body = rows.map(
    (
      claim,
    ) => `<tr><th scope="row">${text(claim.claim)}</th><td><span class="mark ${claim.verdict}">${VERDICT[claim.verdict]}</span></td>
<td>${text(claim.scope)}${claim.detail === '' ? '' : `<br>${text(claim.detail)}`}<br><span class="facts">${GRADE[claim.grade]}${claim.reproducible_until === undefined ? '' : `; the given bytes alone reproduce this until ${text(claim.reproducible_until)}`}</span></td></tr>`,
  );
  return `<h3>What can be relied on</h3><table class="claims"><thead><tr><th scope="col">Claim</th><th scope="col">Verdict</th><th scope="col">How far, and why</th></tr></thead><tbody>${body.join('\n')}</tbody></table>`;
}

function missing(rows: readonly Missing[], notSupplied: readonly string[]): string {
  if (rows.length + notSupplied.length === 0) return '';
  const items = rows.map(
    (row) =>
      `<li><strong>${text(row.claim)}</strong> would be decided by ${text(row.item)} (${text(row.who)}${row.from === null ? '' : `, from ${text(row.from)}`})</li>`,
  );
  return `<h3>What was not proven, and what would decide it</h3><ul>${items.join('')}${notSupplied.map((item) => `<li>Not supplied: ${text(item)}</li>`).join('')}</ul>`;
}

function finding(item: ReportedFinding): string {
  const { where } = item;
  const place = [
    where.part,
    where.line === undefined ? undefined : `line ${where.line}`,
    where.column === undefined ? undefined : `column ${where.column}`,
    where.byte === undefined ? undefined : `byte ${where.byte}`,
    where.entry,
    where.pointer,
  ];
  const rows: [string, string | undefined][] = [
    ['Where', place.filter((part) => part !== undefined && part !== '').join(', ') || undefined],
    ['Expected', item.expected],
    ['Actual', item.actual],
    ['Bytes', item.excerpt],
    ['Code', `${item.code} (${item.rule})`],
    ['Fingerprint', item.fingerprint],
    ['What to do', item.remedy],
  ];
  const tone = item.class === 'none' ? '' : item.class === 'no_verdict' ? 'undecided' : 'failed';
  const body = rows
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        `<dt>${name}</dt><dd${['Expected', 'Actual', 'Bytes', 'Fingerprint'].includes(name) ? ' class="mono"' : ''}>${text(value ?? '')}</dd>`,
    );
  return `<div class="finding ${tone}"><p><strong>${text(item.message)}</strong></p><dl>${body.join('')}</dl></div>`;
}

function timeline(rows: readonly TimelineRow[]): string {
  const lanes = [...new Set(rows.map((row) => row.lane ?? ''))];
  const items = rows.slice(0, ROWS).map((row) => {
    const lane = Math.min(lanes.indexOf(row.lane ?? ''), 6);
    const type = row.type.replace(/[^a-z-]/g, '');
    return `<li class="${type} ${row.verdict ?? ''}" style="--lane:${lane}">${row.time === null ? '' : `<span class="when">${text(row.time)}</span>`}<span class="tag">${text(row.type)}</span>${text(row.text)}${row.lane === undefined || lanes.length < 2 ? '' : ` <span class="facts">(${text(row.lane)})</span>`}</li>`;
  });
  return `<ol class="timeline">${items.join('\n')}</ol>${rows.length > ROWS ? `<p>${rows.length - ROWS} later rows are in the JSON report.</p>` : ''}`;
}
