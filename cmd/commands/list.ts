/** `audit list <folder or store>`: its sessions, newest first (session-store 1.12). */
import { type ByteSource, memorySource } from '../../src/bytes/source.ts';
import { isFolder, walk } from '../../src/corpus/walk.ts';
import { printed } from '../../src/finding/visible.ts';
import { Unreadable } from '../../src/host/files.ts';
import { looksLikeSession } from '../../src/session/detect.ts';
import { newestFirst, type SessionSummary, summarize } from '../../src/session/list.ts';
import type { ListFilter } from '../../src/store/contract.ts';
import { filterOf } from '../../src/store/listing.ts';
import { storeKind } from '../../src/store/open.ts';
import { parseInstant } from '../../src/time/instant.ts';
import { type Args, type Command, UsageError } from '../command.ts';
import { withStore } from '../sessionStore.ts';

export const listCommand: Command = {
  name: 'list',
  summary: 'List the sessions of a folder or a store, newest first.',
  positional: '<folder or store>',
  options: [
    { name: 'current', type: 'flag', describe: 'Leave out sessions that another one continues.' },
    { name: 'cwd', type: 'text', placeholder: 'PATH', describe: 'Only sessions of this working directory.' },
    { name: 'harness', type: 'text', placeholder: 'NAME', describe: 'Only sessions that this harness wrote.' },
    { name: 'parent', type: 'text', placeholder: 'ID', describe: 'Only sessions that name this one as their parent.' },
    { name: 'top-level', type: 'flag', describe: 'Leave out sessions that a call of another one started.' },
    { name: 'after', type: 'text', placeholder: 'TIME', describe: 'Only sessions created after this RFC 3339 time.' },
    { name: 'before', type: 'text', placeholder: 'TIME', describe: 'Only sessions created before it.' },
    { name: 'limit', type: 'text', placeholder: 'N', describe: 'At most so many.' },
    { name: 'json', type: 'flag', describe: 'One JSON object a line.' },
  ],
  examples: [
    { command: 'audit list sessions/', says: 'Time, id, number of entries and name of each session.' },
    {
      command: 'audit list sessions.db --cwd /srv/app --limit 10',
      says: 'The ten newest of one project, from a database.',
    },
    { command: 'audit list sessions/ --current --json', says: 'The same for programs, without superseded sessions.' },
  ],
  async run(args, io) {
    const [folder, ...more] = args.positional;
    if (folder === undefined || more.length > 0) throw new UsageError('list takes one folder or store');
    const matches = filterOf(wanted(args));
    const limit = limitOf(args);
    const found: SessionSummary[] = [];
    let unreadable = 0;
    const cannot = (path: string, reason: string): void => {
      unreadable++;
      io.err(printed(`${path}: ${reason}`));
    };
    const take = (path: string, source: ByteSource): void => {
      if (!looksLikeSession(source.read(0, 65_536), source.size, path)) return;
      const summary = summarize(path, source);
      if ('findings' in summary) cannot(path, summary.findings[0]?.message ?? 'it cannot be read');
      else if (matches(summary.header)) found.push(summary);
    };
    if (storeKind(folder) === 'database')
      await withStore(folder, true, (store) => {
        for (const { label, bytes } of store.files()) take(label, memorySource(bytes));
      });
    else
      for (const path of isFolder(folder) ? walk(folder) : [folder]) {
        try {
          const source = io.open(path);
          take(path, source);
          source.close?.();
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error;
          cannot(path, error.message);
        }
      }
    const current = args.flag('current') ? found.filter(({ successor }) => successor === undefined) : found;
    for (const summary of newestFirst(current).slice(0, limit)) {
      const { createdAt, id, entries, name, faults, path, successor } = summary;
      if (args.flag('json')) {
        const { format } = summary;
        io.out(
          `${JSON.stringify({ path, id, format, created_at: createdAt, name, entries, faults, successor: successor ?? null })}\n`,
        );
      } else {
        const notes = `${faults > 0 ? ' [does not hold]' : ''}${successor === undefined ? '' : ` [continued in ${successor}]`}`;
        const rest = `${createdAt}  ${id}  ${String(entries).padStart(6)}  ${name}${notes}  ${path}`;
        io.out(printed(rest));
      }
    }
    // A session that cannot be read does not stop the listing (session-format 13.4).
    return unreadable > 0 ? 4 : 0;
  },
};

function wanted(args: Args): ListFilter {
  const text = (name: string) => args.text(name);
  for (const name of ['after', 'before']) {
    const time = text(name);
    if (time !== undefined && parseInstant(time) === undefined)
      throw new UsageError(
        `--${name} takes an RFC 3339 time such as 2026-11-30T12:00:00Z; not ${JSON.stringify(time)}`,
      );
  }
  const [cwd, harness, parentSession, after, before] = ['cwd', 'harness', 'parent', 'after', 'before'].map(text);
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(harness === undefined ? {} : { harness }),
    ...(parentSession === undefined ? {} : { parentSession }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    topLevel: args.flag('top-level'),
  };
}

/** Undefined: all of them. */
function limitOf(args: Args): number | undefined {
  const text = args.text('limit');
  if (text === undefined) return undefined;
  if (!/^[1-9][0-9]{0,8}$/.test(text))
    throw new UsageError(`--limit takes a number of at least 1; not ${JSON.stringify(text)}`);
  return Number(text);
}
