/** `audit list <folder>`: its sessions, newest first. */
import { isFolder, walk } from '../../src/corpus/walk.ts';
import { visible } from '../../src/finding/visible.ts';
import { Unreadable } from '../../src/host/files.ts';
import { looksLikeSession } from '../../src/session/detect.ts';
import { newestFirst, type SessionSummary, summarize } from '../../src/session/list.ts';
import { type Command, UsageError } from '../command.ts';

export const listCommand: Command = {
  name: 'list',
  summary: 'List the sessions of a folder, newest first.',
  positional: '<folder>',
  options: [
    { name: 'current', type: 'flag', describe: 'Leave out sessions that another one continues.' },
    { name: 'json', type: 'flag', describe: 'One JSON object a line.' },
  ],
  examples: [
    { command: 'audit list sessions/', says: 'Time, id, number of entries and name of each session.' },
    { command: 'audit list sessions/ --current --json', says: 'The same for programs, without superseded sessions.' },
  ],
  run(args, io) {
    const [folder, ...more] = args.positional;
    if (folder === undefined || more.length > 0) throw new UsageError('list takes one folder');
    const found: SessionSummary[] = [];
    let unreadable = 0;
    const cannot = (path: string, reason: string): void => {
      unreadable++;
      io.err(`${visible(path)}: ${visible(reason)}\n`);
    };
    for (const path of isFolder(folder) ? walk(folder) : [folder]) {
      try {
        const source = io.open(path);
        if (looksLikeSession(source.read(0, 65_536), source.size, path)) {
          const summary = summarize(path, source);
          if ('findings' in summary) cannot(path, summary.findings[0]?.message ?? 'it cannot be read');
          else found.push(summary);
        }
        if ('close' in source && typeof source.close === 'function') source.close();
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        cannot(path, error.message);
      }
    }
    const current = args.flag('current') ? found.filter(({ successor }) => successor === undefined) : found;
    for (const summary of newestFirst(current)) {
      const { createdAt, id, entries, name, faults, path, successor } = summary;
      if (args.flag('json')) {
        const { format } = summary;
        io.out(
          `${JSON.stringify({ path, id, format, created_at: createdAt, name, entries, faults, successor: successor ?? null })}\n`,
        );
      } else {
        const notes = `${faults > 0 ? ' [does not hold]' : ''}${successor === undefined ? '' : ` [continued in ${successor}]`}`;
        const rest = `${createdAt}  ${id}  ${String(entries).padStart(6)}  ${name}${notes}  ${path}`;
        io.out(`${visible(rest)}\n`);
      }
    }
    // A session that cannot be read does not stop the listing (session-format 13.4).
    return unreadable > 0 ? 4 : 0;
  },
};
