/** From the command line to what a run over inputs takes. Everything that the command line says is checked before a file is opened. */

import type { Setting } from '../src/corpus/run.ts';
import { isFolder } from '../src/corpus/walk.ts';
import { parseInstant } from '../src/time/instant.ts';
import { type Args, UsageError } from './command.ts';

/** The setting of a run. Throws UsageError. */
export function settingOf(args: Args): Setting {
  const at = instantOf(args, 'at');
  const require = args
    .list('require')
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '');
  const expectLeaf = args.text('expect-leaf');
  const entry = args.text('entry');
  const run = args.text('run');
  return {
    trust: args.list('trust'),
    heads: args.list('head'),
    companions: args.list('status'),
    media: args.list('media-dir'),
    siblings: args.positional.filter((path) => path !== '-' && folderAt(path)),
    named: args.positional.filter((path) => path !== '-' && !folderAt(path)),
    expectIds: args.list('expect-id'),
    ...(at === undefined ? {} : { at }),
    ...(require.length === 0 ? {} : { require }),
    ...(expectLeaf === undefined ? {} : { expectLeaf }),
    ...(entry === undefined ? {} : { entry }),
    ...(run === undefined ? {} : { run }),
  };
}

/** The RFC 3339 time of an option. Throws UsageError. */
export function instantOf(args: Args, name: string): bigint | undefined {
  const text = args.text(name);
  const instant = text === undefined ? undefined : parseInstant(text);
  if (text !== undefined && instant === undefined) {
    throw new UsageError(`--${name} takes an RFC 3339 time such as 2026-11-30T12:00:00Z; not ${JSON.stringify(text)}`);
  }
  return instant;
}

function folderAt(path: string): boolean {
  try {
    return isFolder(path);
  } catch {
    return false;
  }
}
