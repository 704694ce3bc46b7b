/**
 * The verifier for a page: the same road as the command line, over bytes that the page has in memory. Built into one file,
 * `dist/browser/audit.js`, which sets `globalThis.audit`.
 */
import { connect, type PageRun } from './page.ts';
import type { Format } from './report/format.ts';
import { render } from './report/format.ts';
import { parseInstant } from './time/instant.ts';
import { allEntries } from './verify/catalogues.ts';
import { inputOf, type NamedBytes, withTrust } from './verify/options.ts';
import type { AsOf, Report } from './verify/report.ts';
import { verify as verifyInputs } from './verify/verify.ts';

/** The options of the command line that a page has. */
export interface PageOptions {
  readonly trust?: readonly NamedBytes[];
  readonly heads?: readonly NamedBytes[];
  readonly companions?: readonly NamedBytes[];
  readonly media?: readonly NamedBytes[];
  readonly at?: string;
  readonly require?: readonly string[];
  readonly expectIds?: readonly string[];
  readonly expectLeaf?: string;
  readonly entry?: string;
  readonly run?: string;
}

/** This script's own text, so that a page can write another page. Known only while the script first runs. */
const OWN_SOURCE = typeof document === 'undefined' ? '' : (document.currentScript?.textContent ?? '');

/** Verifies files as `audit verify` does. An unusable `at` is refused with a TypeError. */
export async function verify(files: readonly NamedBytes[], options: PageOptions = {}): Promise<Report> {
  const { at, ...rest } = options;
  return judge(files, rest, at === undefined ? undefined : { time: at, source: 'option' });
}

/** The same verification as of the time of a report: a clock that was read then is read again now and shows the same. */
async function judge(
  files: readonly NamedBytes[],
  { trust = [], heads = [], companions = [], media = [], ...rest }: Omit<PageOptions, 'at'>,
  asOf: AsOf | undefined,
): Promise<Report> {
  const instant = asOf === undefined ? undefined : parseInstant(asOf.time);
  if (asOf !== undefined && instant === undefined) throw new TypeError('at is not an RFC 3339 time');
  const inputs = files.map(inputOf);
  const read = await withTrust(trust, {
    ...rest,
    heads: heads.map(inputOf),
    companions: companions.map(inputOf),
    media: media.map(inputOf),
    siblings: inputs,
    ...(instant !== undefined && asOf?.source === 'option'
      ? { at: instant }
      : { clock: () => instant ?? BigInt(Date.now()) * 1_000_000n }),
  });
  return verifyInputs(inputs, read.options, { findings: read.findings });
}

/** Renders a report as the command line does when its output is no terminal. */
export function renderReport(report: Report, format: Format): Promise<string> {
  return render(report, format, {
    colour: false,
    width: 80,
    catalogue: allEntries,
    verifier: () => OWN_SOURCE,
  });
}

Object.assign(globalThis, { audit: { verify, renderReport } });

if (typeof document !== 'undefined')
  connect(document, ({ files, asOf, ...options }: PageRun) => judge(files, options, asOf));
