/**
 * What the page does: files that are chosen or dropped are verified here, by the same road, and the answer is held against the report that
 * the page carries. Files find their role in the report by their content; names do not count.
 */
import { hex } from './bytes/encoding.ts';
import { sha256 } from './crypto/sha256.ts';
import { renderBody } from './report/html.ts';
import { renderJson } from './report/json.ts';
import type { NamedBytes } from './verify/options.ts';
import type { Report } from './verify/report.ts';

export interface PageRun {
  readonly files: readonly NamedBytes[];
  readonly trust: readonly NamedBytes[];
  readonly heads: readonly NamedBytes[];
  readonly companions: readonly NamedBytes[];
  readonly at?: string;
  readonly require?: readonly string[];
  readonly expectIds?: readonly string[];
  readonly expectLeaf?: string;
  readonly entry?: string;
}

/** What the files are in the report, and which of its files are not among them. Without a report, a trust file is known by its format. */
export function assignRoles(
  files: readonly NamedBytes[],
  report: Report | undefined,
): { run: PageRun; absent: readonly string[] } {
  if (report === undefined) {
    const isTrust = (file: NamedBytes) =>
      /^\s*\{[^{}]*"format"\s*:\s*"audit\.trust\.v1"/.test(new TextDecoder().decode(file.bytes.subarray(0, 4096)));
    return {
      run: { files: files.filter((file) => !isTrust(file)), trust: files.filter(isTrust), heads: [], companions: [] },
      absent: [],
    };
  }
  const byHash = new Map(files.map((file) => [hex(sha256(file.bytes)), file]));
  const absent: string[] = [];
  const take = (wanted: readonly { path: string; sha256: string | null }[]): NamedBytes[] =>
    wanted.flatMap(({ path, sha256: hash }) => {
      const file = hash === null ? undefined : byHash.get(hash);
      if (file === undefined) absent.push(path);
      return file === undefined ? [] : [{ path, bytes: file.bytes }];
    });
  const { given } = report;
  const run: PageRun = {
    files: take(report.inputs),
    trust: take(given.trust),
    heads: take(given.heads),
    companions: take(given.companions),
    ...(report.as_of === null || report.as_of.source === 'evidence' ? {} : { at: report.as_of.time }),
    ...(given.require === null ? {} : { require: given.require }),
    expectIds: given.expect_ids,
    ...(given.expect_leaf === null ? {} : { expectLeaf: given.expect_leaf }),
    ...(given.entry === null ? {} : { entry: given.entry }),
  };
  return { run, absent };
}

/** Connects the page's file input and drop zone. Does nothing in a document that is not such a page. */
export function connect(document: Document, verify: (run: PageRun) => Promise<Report>): void {
  const zone = document.getElementById('drop');
  const input = document.getElementById('files');
  const answer = document.getElementById('answer');
  const shown = document.getElementById('shown');
  if (zone === null || answer === null || shown === null || !(input instanceof HTMLInputElement)) return;
  const data = document.getElementById('report')?.textContent;
  const carried = data === undefined || data === null ? undefined : (JSON.parse(data) as Report);

  const say = (text: string, tone: string) => {
    const note = document.createElement('div');
    note.className = `verdict ${tone}`;
    note.textContent = text;
    answer.replaceChildren(note);
  };
  const check = async (list: Iterable<File>) => {
    say('Verifying …', 'undecided');
    const files = await Promise.all(
      [...list].map(async (file) => ({ path: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
    );
    const { run, absent } = assignRoles(files, carried);
    if (carried !== undefined && absent.length > 0) {
      const report = await verify({ files, trust: [], heads: [], companions: [] });
      shown.innerHTML = renderBody(report);
      say(
        `These are not the bytes that the report is about: nothing here has the content of ${absent.join(', ')}. Below is what these files give by themselves.`,
        'failed',
      );
      return;
    }
    const report = await verify(run);
    shown.innerHTML = renderBody(report);
    offer(document, answer, report);
    if (carried === undefined) say(`Result: ${report.result.replaceAll('_', ' ')}.`, report.result);
    else if (sameReport(report, carried))
      say('This page verified the files again and comes to the same report, byte for byte.', 'verified');
    else
      say(
        'This page verified the files again and comes to ANOTHER report than the one it carried. The new one is below.',
        'failed',
      );
  };
  input.addEventListener('change', () => void check(input.files ?? []));
  zone.addEventListener('dragover', (event) => {
    event.preventDefault();
    zone.classList.add('over');
  });
  zone.addEventListener('dragleave', () => zone.classList.remove('over'));
  zone.addEventListener('drop', (event) => {
    event.preventDefault();
    zone.classList.remove('over');
    void check(event.dataTransfer?.files ?? []);
  });
}

/** Whether two reports are one, byte for byte; that one read a clock and the other was told the time is no difference. */
function sameReport(report: Report, carried: Report): boolean {
  const asOf =
    report.as_of === null || carried.as_of === null ? report.as_of : { ...report.as_of, source: carried.as_of.source };
  return renderJson({ ...report, as_of: asOf }) === renderJson(carried);
}

/** Keeps the last report where a script or a test can fetch it. */
function offer(document: Document, answer: HTMLElement, report: Report): void {
  answer.dataset['report'] = renderJson(report);
  document.title = `${report.result.replaceAll('_', ' ')}: ${report.inputs.map((item) => item.path).join(', ')}`;
}
