/** From paths and options to what `verify` takes. Everything that the command line says is checked before a file is opened. */

import { memorySource } from '../src/bytes/source.ts';
import { isFolder, walk } from '../src/corpus/walk.ts';
import type { Finding } from '../src/finding/finding.ts';
import { Unreadable } from '../src/host/files.ts';
import { parseInstant } from '../src/time/instant.ts';
import { NO_TRUST, type Trust } from '../src/trust/trust.ts';
import type { Input, VerifyOptions } from '../src/verify/kind.ts';
import type { InputReport } from '../src/verify/report.ts';
import { unreadableInput } from '../src/verify/verify.ts';
import { type Args, type Io, UsageError } from './command.ts';

/** The trust files of `--trust`, merged, and what was wrong with them. */
export async function readTrustFiles(
  args: Args,
  io: Io,
): Promise<{ trust: Trust; findings: readonly Finding[]; files: readonly Input[] }> {
  const paths = args.list('trust');
  if (paths.length === 0) return { trust: NO_TRUST, findings: [], files: [] };
  const { readTrust } = await import('../src/trust/read.ts');
  const files = paths.map((name) => ({ name, bytes: named(name, () => io.read(name)) }));
  return {
    ...(await readTrust(files)),
    files: files.map(({ name, bytes }) => ({ path: name, source: memorySource(bytes) })),
  };
}

/** The options of `verify` that are given on the command line. Throws UsageError, and Unreadable for a named file. */
export async function verifyOptions(
  args: Args,
  io: Io,
): Promise<{ options: VerifyOptions; findings: readonly Finding[] }> {
  const at = args.text('at');
  const instant = at === undefined ? undefined : parseInstant(at);
  if (at !== undefined && instant === undefined)
    throw new UsageError(`--at takes an RFC 3339 time such as 2026-11-30T12:00:00Z; not ${JSON.stringify(at)}`);
  const require = args
    .list('require')
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '');
  const expectLeaf = args.text('expect-leaf');
  const entry = args.text('entry');
  const { trust, findings, files } = await readTrustFiles(args, io);
  const heads = args.list('head').map((path) => ({ path, source: named(path, () => io.open(path)) }));
  const companions = args.list('status').flatMap((path) => [...openAll(path, io)]);
  return {
    findings,
    options: {
      trust,
      trustFiles: files,
      ...(instant === undefined ? { clock: () => io.clock() } : { at: instant }),
      ...(require.length === 0 ? {} : { require }),
      expectIds: args.list('expect-id'),
      ...(expectLeaf === undefined ? {} : { expectLeaf }),
      ...(entry === undefined ? {} : { entry }),
      heads,
      companions,
    },
  };
}

/** Says which path it was when opening it fails. */
function named<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof Unreadable) throw new Unreadable(`${path}: ${error.message}`, error.tooLarge);
    throw error;
  }
}

function* openAll(path: string, io: Io): Generator<Input> {
  if (named(path, () => isFolder(path)))
    for (const file of walk(path)) yield { path: file, source: named(file, () => io.open(file)) };
  else yield { path, source: named(path, () => io.open(path)) };
}

export interface Gathered {
  /** The inputs in order, each opened when it is reached and closed after it. */
  inputs(): Generator<Input>;
  /** Files that stand beside walked ones: sibling sessions of links. */
  readonly siblings: readonly Input[];
  readonly unreadable: readonly InputReport[];
}

/** Named files and walked folders as inputs. A file that cannot be used becomes a report of its own, so that the others still run. */
export function gatherInputs(paths: readonly string[], io: Io): Gathered {
  const files: Input[] = [];
  const siblings: Input[] = [];
  const unreadable: InputReport[] = [];
  for (const path of paths) {
    try {
      if (path === '-' || !isFolder(path)) files.push({ path, source: io.open(path) });
      else {
        const found = [...openAll(path, io)];
        files.push(...found);
        siblings.push(...found);
      }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      unreadable.push(unreadableInput(path, error.message, error.tooLarge ? 'input/too-large' : 'input/unreadable'));
    }
  }
  return {
    siblings,
    unreadable,
    *inputs() {
      for (const file of files) {
        yield file;
        if ('close' in file.source && typeof file.source.close === 'function') file.source.close();
      }
    },
  };
}
