/** `audit show <path>`: what is in a session, for a person. */

import { visible } from '../../src/finding/visible.ts';
import { Unreadable } from '../../src/host/files.ts';
import { readSession } from '../../src/session/read.ts';
import { showSession } from '../../src/session/show.ts';
import { type Command, UsageError } from '../command.ts';
import { ENTRY } from '../options.ts';

export const showCommand: Command = {
  name: 'show',
  summary: 'Show what is in a session: its entries, the context at an entry, calls and runs. Nothing is judged.',
  positional: '<path>',
  options: [
    ENTRY,
    { name: 'verbose', type: 'flag', describe: 'Show texts whole, and the data of custom and extension entries.' },
  ],
  examples: [
    { command: 'audit show session.jsonl', says: 'Entries, then what the model would be sent at the leaf.' },
    {
      command: 'audit show session.jsonl --entry sha256:6b13… --verbose',
      says: 'The context, calls and runs at an entry, with every text whole.',
    },
  ],
  run(args, io) {
    const [path, ...more] = args.positional;
    if (path === undefined || more.length > 0) throw new UsageError('show takes one file');
    const source = io.open(path);
    const { session, findings } = readSession(source);
    const line = (text: string): void => io.out(`${visible(text)}\n`);
    if (session === undefined)
      throw new Unreadable(`${path} cannot be shown: ${findings[0]?.message ?? 'it is no session'}`);
    const wanted = args.text('entry');
    const at = wanted === undefined ? undefined : session.find(wanted);
    if (wanted !== undefined && at === undefined) {
      io.err(`${visible(path)}: no entry ${visible(wanted)}\n`);
      return 1;
    }
    for (const text of showSession(session, { ...(at === undefined ? {} : { at }), verbose: args.flag('verbose') }))
      line(text);
    // Showing verifies nothing, but what does not hold is said.
    const faults = findings.filter(({ class: effect }) => effect === 'not_verified');
    for (const { code, message, where } of faults.slice(0, 20))
      io.err(`${visible(path)}:${where.line ?? ''} ${code}: ${visible(message)}\n`);
    if (faults.length > 20) io.err(`${faults.length - 20} more findings: see audit verify\n`);
    return faults.length > 0 ? 1 : 0;
  },
};
