/** Where a report goes: `--format F[=FILE]`, `--out FILE`, `--quiet`. */
import { FORMATS, type Format, render } from '../src/report/format.ts';
import { renderNdjsonSummary } from '../src/report/json.ts';
import { allEntries } from '../src/verify/catalogues.ts';
import type { Report, Summary } from '../src/verify/report.ts';
import { type Args, type Io, type Option, UsageError } from './command.ts';
import { FORMAT, OUT, QUIET } from './options.ts';
import { verifierScript } from './package.ts';

export const OUTPUT_OPTIONS: readonly Option[] = [FORMAT, OUT, QUIET];

interface Output {
  readonly format: Format;
  /** Undefined: standard output. */
  readonly file: string | undefined;
}

/** The outputs asked for; text on a terminal and JSON elsewhere when none is. Throws UsageError. */
export function outputsOf(args: Args, io: Io): readonly Output[] {
  const outputs = args.list('format').map((text) => {
    const split = text.indexOf('=');
    const name = split < 0 ? text : text.slice(0, split);
    const format = FORMATS.find((known) => known === name);
    if (format === undefined) throw new UsageError(`--format takes ${FORMATS.join(', ')}; not ${JSON.stringify(name)}`);
    return { format, file: split < 0 ? args.text('out') : text.slice(split + 1) };
  });
  if (outputs.length === 0) return [{ format: io.outIsTerminal ? 'text' : 'json', file: args.text('out') }];
  const places = outputs.map((output) => output.file ?? '-');
  if (new Set(places).size < places.length)
    throw new UsageError('two formats go to the same place; use --format F=FILE');
  return outputs;
}

/** Renders a finished report to every output and gives its exit status. */
export async function emit(report: Report, outputs: readonly Output[], args: Args, io: Io): Promise<number> {
  for (const { format, file } of outputs) {
    const toTerminal = file === undefined && io.outIsTerminal;
    const colour = toTerminal && (io.env['NO_COLOR'] ?? '') === '' && io.env['TERM'] !== 'dumb';
    if (file === undefined && args.flag('quiet')) continue;
    const text = await render(report, format, {
      colour,
      width: toTerminal ? io.width : 80,
      ...(toTerminal ? { height: io.height } : {}),
      catalogue: allEntries,
      verifier: () => verifierScript(io),
    });
    if (file === undefined) io.out(text);
    else io.write(file, text);
  }
  return report.status;
}

/** NDJSON outputs take each input's report as it comes; the other formats wait for the whole. */
export function ndjsonWriters(
  outputs: readonly Output[],
  args: Args,
  io: Io,
): { line(line: string | Uint8Array): void; end(summary: Summary): void } | undefined {
  const writers = outputs
    .filter(({ format, file }) => format === 'ndjson' && (file !== undefined || !args.flag('quiet')))
    .map(({ file }) => (file === undefined ? (text: string | Uint8Array) => io.out(text) : io.writer(file)));
  if (writers.length === 0) return undefined;
  return {
    line: (line) => {
      for (const write of writers) write(line);
    },
    end: (summary) => {
      for (const write of writers) write(renderNdjsonSummary(summary));
    },
  };
}
