/** `audit show <path>`: what is in a session or an ATIF document, for a person. */

import { violationFinding } from '../../src/atif/catalogue.ts';
import { readAtif } from '../../src/atif/read.ts';
import { firstBroken } from '../../src/atif/rules.ts';
import { showAtif } from '../../src/atif/show.ts';
import { type ByteSource, readAll, readExactly } from '../../src/bytes/source.ts';
import type { Finding } from '../../src/finding/finding.ts';
import { printed } from '../../src/finding/visible.ts';
import { MAX_WHOLE_BYTES, Unreadable } from '../../src/host/files.ts';
import { readSession } from '../../src/session/read.ts';
import { showSession } from '../../src/session/show.ts';
import { topFormat } from '../../src/verify/topFormat.ts';
import { type Command, type Io, UsageError } from '../command.ts';
import { ENTRY } from '../options.ts';

export const showCommand: Command = {
  name: 'show',
  summary:
    'Show what is in a session (entries, the context at an entry, calls, runs) or in an ATIF document. Nothing is judged.',
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
    { command: 'audit show trajectory.json', says: 'The steps of an ATIF document.' },
  ],
  run(args, io) {
    const [path, ...more] = args.positional;
    if (path === undefined || more.length > 0) throw new UsageError('show takes one file');
    const source = io.open(path);
    const shown = showDocument(source, path, args.text('entry'), args.flag('verbose'), io);
    if (shown !== undefined) return shown;
    const { session, findings } = readSession(source);
    const line = (text: string): void => io.out(printed(text));
    if (session === undefined)
      throw new Unreadable(
        `${path} is neither a session nor an ATIF document (${findings[0]?.message ?? 'it has no header'}); "audit journal show", "audit bundle inspect" and "audit evidence inspect" show other records`,
      );
    const wanted = args.text('entry');
    const at = wanted === undefined ? undefined : session.find(wanted);
    if (wanted !== undefined && at === undefined) {
      io.err(printed(`${path}: no entry ${wanted}`));
      return 1;
    }
    for (const text of showSession(session, { ...(at === undefined ? {} : { at }), verbose: args.flag('verbose') }))
      line(text);
    // Showing verifies nothing, but what does not hold is said.
    const faults = findings.filter(({ class: effect }) => effect === 'not_verified');
    for (const { code, message, where } of faults.slice(0, 20))
      io.err(printed(`${path}:${where.line ?? ''} ${code}: ${message}`));
    if (faults.length > 20) io.err(`${faults.length - 20} more findings: see audit verify\n`);
    return faults.length > 0 ? 1 : 0;
  },
};

/** Shows an ATIF document and gives the exit status; undefined for any other file. */
function showDocument(
  source: ByteSource,
  path: string,
  entry: string | undefined,
  verbose: boolean,
  io: Io,
): number | undefined {
  const start = new TextDecoder().decode(readExactly(source, 0, Math.min(source.size, 64 * 1024)));
  if (!/^\s*\{/.test(start) || source.size > MAX_WHOLE_BYTES) return undefined;
  if (!/^ATIF/i.test(topFormat(start, 'schema_version') ?? '')) return undefined;
  const { document, rules, findings } = readAtif(readAll(source));
  const broken = firstBroken(rules?.violations ?? [], 'parse');
  const faults: readonly Finding[] = [...findings, ...(broken === undefined ? [] : [violationFinding(broken)])];
  for (const { code, message, where } of faults) io.err(printed(`${path}:${where.pointer ?? ''} ${code}: ${message}`));
  // What breaks a rule of reading has no steps to be sure of.
  if (document === undefined || broken !== undefined) return document === undefined ? 4 : 1;
  for (const text of showAtif(document, { verbose, ...(entry === undefined ? {} : { entry }) })) io.out(printed(text));
  return faults.length > 0 ? 1 : 0;
}
