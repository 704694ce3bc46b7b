/**
 * The report as one self-contained page that anybody can open, print and check again: it carries the verifier and re-runs it on the
 * original files. Untrusted text is escaped and made visible; the page's policy allows no request to anywhere, no script but its own and no
 * style but its own.
 */
import { base64, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { Report } from '../verify/report.ts';
import { RESULT, renderBody } from './htmlReport.ts';
import { renderJson } from './json.ts';
import { text } from './markup.ts';
import { STYLE } from './style.ts';

/** A script's source in which nothing ends the element, with the line ends that a browser hashes. */
function inScript(source: string): string {
  return source
    .replace(/<\/(script)/gi, '<\\/$1')
    .replaceAll('<!--', '<\\!--')
    .replace(/\r\n?/g, '\n');
}

/** Names a script or a style in the page's policy by its content. */
function hashSource(content: string): string {
  return `'sha256-${base64(sha256(utf8(content)))}'`;
}

/**
 * The whole page.
 *
 * @param report undefined for the empty page: a verifier that waits for files
 * @param verifier source of the browser bundle, which the page carries
 */
export function renderHtml(report: Report | undefined, verifier: string): string {
  const script = inScript(verifier);
  const policy = `default-src 'none'; style-src ${hashSource(STYLE)}; script-src ${hashSource(script)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>${text(titleOf(report))}</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">To the ${report === undefined ? 'verifier' : 'report'}</a>
<header><p class="brand"><strong>audit</strong> what an AI agent really did, from the files alone</p>${report === undefined ? '' : '<p class="check"><a href="#drop">Check it yourself</a></p>'}</header>
<main id="main" tabindex="-1">
<h1>${report === undefined ? 'Verify files here' : 'Verification report'}</h1>
${report === undefined ? dropZone(report) : ''}
<div id="shown">${report === undefined ? '' : renderBody(report)}</div>
${report === undefined ? '' : dropZone(report)}
</main>
<footer><p>This page makes no request to anywhere. It holds ${report === undefined ? 'the program that verifies' : 'the report, its data and the program that made it'}; no file leaves this machine.</p></footer>
${report === undefined ? '' : `<script type="application/json" id="report">${renderJson(report).replaceAll('<', '\\u003c')}</script>\n`}<script>${script}</script>
</body>
</html>
`;
}

function titleOf(report: Report | undefined): string {
  if (report === undefined) return 'Verifier';
  const [first, ...others] = report.inputs;
  const about = first === undefined ? 'nothing' : first.path;
  return `${RESULT[report.result].word}: ${about}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

function dropZone(report: Report | undefined): string {
  const says =
    report === undefined
      ? 'Choose or drop files or a folder: sessions, journals, proofs, packages, trails, bundles, certificates, and the trust file that says whom you trust.'
      : `Choose or drop the original files${report.given.trust.length + report.given.heads.length > 0 ? ', with the trust file and heads that were used' : ''}. This page then verifies them itself and says whether it comes to the same report. Names do not matter: files are known by their content.`;
  return `<section class="drop" id="drop" aria-labelledby="${report === undefined ? 'drop-says' : 'drop-title'}">
${report === undefined ? '' : '<h2 id="drop-title">Check it yourself</h2>\n'}<p id="drop-says">${says}</p>
<p class="choose"><label>Files <input type="file" id="files" multiple aria-describedby="drop-says"></label> <label>Folder <input type="file" id="folder" webkitdirectory aria-describedby="drop-says"></label></p>
<div id="answer" role="status" aria-live="polite"></div>
</section>`;
}
