/**
 * What the page does: files that are chosen or dropped are verified here, by the same road, and the answer is held against the report that
 * the page carries. Files find their role in the report by their content; a file that has only the name is taken for an altered one.
 */
import { hex } from './bytes/encoding.ts';
import { sha256 } from './crypto/sha256.ts';
import { renderBody } from './report/htmlReport.ts';
import { renderJson } from './report/json.ts';
import type { NamedBytes } from './verify/options.ts';
import { type AsOf, assemble, type GivenFile, type Report } from './verify/report.ts';

export interface PageRun {
  readonly files: readonly NamedBytes[];
  readonly trust: readonly NamedBytes[];
  readonly heads: readonly NamedBytes[];
  readonly companions: readonly NamedBytes[];
  readonly media: readonly NamedBytes[];
  /** The instant to judge by, and whether it was asked for or read from a clock. */
  readonly asOf?: AsOf;
  readonly require?: readonly string[];
  readonly expectIds?: readonly string[];
  readonly expectLeaf?: string;
  readonly entry?: string;
  readonly run?: string;
}

/** Files in the roles that they have in a report. */
export interface Roles {
  readonly run: PageRun;
  /** Paths of the report whose content is not among the files, but for whose name there is another content. */
  readonly altered: readonly string[];
  /** Paths of the report for which there is nothing. */
  readonly absent: readonly string[];
}

/** How a media file of a session is called (session-format 1.13). */
const MEDIA_NAME = /^[0-9a-f]{64}$/;

/** What the files are in the report. Without a report, a trust file is known by its format, a media file by its name. */
export function assignRoles(files: readonly NamedBytes[], report: Report | undefined): Roles {
  if (report === undefined) {
    const isTrust = (file: NamedBytes) =>
      /^\s*\{[^{}]*"format"\s*:\s*"audit\.trust\.v1"/.test(new TextDecoder().decode(file.bytes.subarray(0, 4096)));
    const isMedia = (file: NamedBytes) => MEDIA_NAME.test(nameOf(file.path));
    return {
      run: {
        files: files.filter((file) => !isTrust(file) && !isMedia(file)),
        trust: files.filter(isTrust),
        heads: [],
        companions: [],
        media: files.filter(isMedia),
      },
      altered: [],
      absent: [],
    };
  }
  const byHash = new Map(files.map((file) => [hex(sha256(file.bytes)), file]));
  const { given, as_of: asOf } = report;
  const { media = [] } = given;
  const known = new Set(
    [...report.inputs, ...given.trust, ...given.heads, ...given.companions, ...media].map((file) => file.sha256 ?? ''),
  );
  // A file that is not the content of anything may be an altered one of its name.
  const byName = new Map(
    [...byHash].flatMap(([hash, file]) => (known.has(hash) ? [] : [[nameOf(file.path), file] as const])),
  );
  const altered: string[] = [];
  const absent: string[] = [];
  const take = (wanted: readonly { path: string; sha256: string | null }[]): NamedBytes[] =>
    wanted.flatMap(({ path, sha256: hash }) => {
      if (hash === null) return [];
      const same = byHash.get(hash);
      const other = same ?? byName.get(nameOf(path));
      if (other === undefined) absent.push(path);
      else if (same === undefined) altered.push(path);
      return other === undefined ? [] : [{ path, bytes: other.bytes }];
    });
  const run: PageRun = {
    files: take(report.inputs),
    trust: take(given.trust),
    heads: take(given.heads),
    companions: take(given.companions satisfies readonly GivenFile[]),
    media: take(media),
    ...(asOf === null || asOf.source === 'evidence' ? {} : { asOf }),
    ...(given.require === null ? {} : { require: given.require }),
    expectIds: given.expect_ids,
    ...(given.expect_leaf === null ? {} : { expectLeaf: given.expect_leaf }),
    ...(given.entry === null ? {} : { entry: given.entry }),
    ...(given.run === null ? {} : { run: given.run }),
  };
  return { run, altered, absent };
}

function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** The new report with what only the run that made the carried one could see: inputs that it could not read, files that it left out. */
function completed(report: Report, carried: Report): Report {
  const made = [...report.inputs];
  const inputs = carried.inputs.flatMap((input) => (input.sha256 === null ? [input] : made.splice(0, 1)));
  return assemble([...inputs, ...made], report.findings, report.given, carried.totals.left_out);
}

/** What the page says of a run, and in which colour. */
export function answerTo(
  { altered, absent }: Pick<Roles, 'altered' | 'absent'>,
  report: Report,
  carried: Report | undefined,
): { readonly says: string; readonly tone: string } {
  if (carried === undefined) return { says: `Result: ${report.result.replaceAll('_', ' ')}.`, tone: report.result };
  if (altered.length > 0)
    return {
      says: `These are not the bytes that the report is about: ${some(altered)} ${altered.length === 1 ? 'has' : 'have'} another content. What is shown now is what these files give.`,
      tone: 'failed',
    };
  if (absent.length > 0)
    return {
      says: `The report cannot be repeated: nothing here has the content of ${some(absent)}. What is shown now is what the given files give without ${absent.length === 1 ? 'it' : 'them'}.`,
      tone: 'failed',
    };
  if (renderJson(report) === renderJson(carried)) {
    const unread = carried.inputs.filter((input) => input.sha256 === null).length;
    return {
      says: `This page verified the files again and comes to the same report, byte for byte.${unread === 0 ? '' : ` What it says of ${unread} that could not be read then is taken from there.`}`,
      tone: 'verified',
    };
  }
  return {
    says: `This page verified the files again and comes to ANOTHER report than the one that it carried${report.tool.version === carried.tool.version ? '' : `, which version ${carried.tool.version} made`}.${judgesAlike(report, carried) ? '' : ' It judged other claims: such a report may come from another command than "audit verify", which is what this page does.'} The new one is shown now.`,
    tone: 'failed',
  };
}

/** Whether two reports judge the same claims of the same inputs, whatever they say of them. */
function judgesAlike(a: Report, b: Report): boolean {
  const judged = ({ inputs }: Report) => JSON.stringify(inputs.map(({ claims }) => claims.map(({ claim }) => claim)));
  return judged(a) === judged(b);
}

function some(paths: readonly string[]): string {
  return paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');
}

/** Connects the page's file inputs and drop zone. Does nothing in a document that is not such a page. */
export function connect(document: Document, verify: (run: PageRun) => Promise<Report>): void {
  const zone = document.getElementById('drop');
  const answer = document.getElementById('answer');
  const shown = document.getElementById('shown');
  if (zone === null || answer === null || shown === null) return;
  const data = document.getElementById('report')?.textContent;
  const carried = data === undefined || data === null ? undefined : (JSON.parse(data) as Report);

  const say = (text: string, tone: string, ...more: Node[]) => {
    const note = document.createElement('div');
    note.className = `verdict ${tone}`;
    note.append(text, ...more);
    answer.replaceChildren(note);
  };
  const check = async (files: readonly NamedBytes[]) => {
    const roles = assignRoles(files, carried);
    const made = await verify(roles.run);
    const whole = roles.absent.length === 0;
    const report = carried === undefined || !whole ? made : completed(made, carried);
    shown.innerHTML = renderBody(report);
    document.title = `${report.result.replaceAll('_', ' ')}: ${some(report.inputs.map((item) => item.path))}`;
    const { says, tone } = answerTo(roles, report, carried);
    say(says, tone, document.createElement('br'), download(document, report));
  };
  const take = (read: () => Promise<readonly NamedBytes[]>) => {
    say('Verifying …', 'undecided');
    read()
      .then((files) => (files.length === 0 ? say('There was no file in it.', 'undecided') : check(files)))
      .catch((error: unknown) =>
        say(`It could not be verified: ${error instanceof Error ? error.message : String(error)}`, 'failed'),
      );
  };
  for (const id of ['files', 'folder']) {
    const input = document.getElementById(id);
    if (input instanceof HTMLInputElement)
      input.addEventListener('change', () => take(() => readFiles(input.files ?? [])));
  }
  // A file that misses the zone must not replace the page.
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    zone.classList.add('over');
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) zone.classList.remove('over');
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    zone.classList.remove('over');
    const { dataTransfer } = event;
    if (dataTransfer === null) return;
    // Entries have to be asked for before the event ends.
    const entries = [...dataTransfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
    const files = [...dataTransfer.files];
    take(() => (entries.length > 0 ? readEntries(entries) : readFiles(files)));
  });
  document.defaultView?.addEventListener('beforeprint', () => {
    for (const folded of document.querySelectorAll('details')) folded.open = true;
  });
}

async function readFile(file: File, path: string): Promise<NamedBytes> {
  return { path, bytes: new Uint8Array(await file.arrayBuffer()) };
}

/** Files as they were chosen; those of a folder by path. */
async function readFiles(files: Iterable<File>): Promise<readonly NamedBytes[]> {
  const read = await Promise.all([...files].map((file) => readFile(file, file.webkitRelativePath || file.name)));
  return [...files].some((file) => file.webkitRelativePath !== '') ? read.sort(byPath) : read;
}

function byPath(a: NamedBytes, b: NamedBytes): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** Files of dropped folders and files, by path. */
async function readEntries(entries: readonly FileSystemEntry[]): Promise<readonly NamedBytes[]> {
  const files: NamedBytes[] = [];
  const open = [...entries];
  for (let entry = open.shift(); entry !== undefined; entry = open.shift()) {
    if (entry.isFile) {
      const { fullPath } = entry;
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      files.push(await readFile(file, fullPath.replace(/^\//, '')));
    } else {
      const reader = (entry as FileSystemDirectoryEntry).createReader();
      // A reader gives a hundred at a time, and none at the end.
      for (;;) {
        const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
        if (some.length === 0) break;
        open.push(...some);
      }
    }
  }
  return files.sort(byPath);
}

/** A link that saves the report that is shown. */
function download(document: Document, report: Report): HTMLAnchorElement {
  const link = document.createElement('a');
  link.className = 'button';
  link.id = 'save';
  link.download = 'report.json';
  link.textContent = 'Save this report as JSON';
  link.href = URL.createObjectURL(new Blob([renderJson(report)], { type: 'application/json' }));
  return link;
}
