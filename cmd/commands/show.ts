/** `audit show <path>`: what is in a file, for a person. */

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
import { NO_TRUST } from '../../src/trust/trust.ts';
import type { Input } from '../../src/verify/kind.ts';
import { topFormat } from '../../src/verify/topFormat.ts';
import { verifyInput } from '../../src/verify/verify.ts';
import { type Command, type Io, UsageError } from '../command.ts';
import { entryId } from '../entryId.ts';
import { ENTRY_SHOWN } from '../options.ts';

export const showCommand: Command = {
  name: 'show',
  summary:
    'Show what is in a file: the entries, context, calls and runs of a session, the steps of an ATIF document, the members and history of any other known kind. Nothing is judged.',
  positional: '<path>',
  options: [
    ENTRY_SHOWN,
    { name: 'verbose', type: 'flag', describe: 'Show texts whole, and the data of custom and extension entries.' },
  ],
  examples: [
    { command: 'audit show session.jsonl', says: 'Entries, then what the model would be sent at the leaf.' },
    {
      command: 'audit show session.jsonl --entry sha256:6b13… --verbose',
      says: 'The context, calls and runs at an entry, with every text whole.',
    },
    { command: 'audit show trajectory.json', says: 'The steps of an ATIF document.' },
    {
      command: 'audit show approver.pem',
      says: 'Whose certificate it is, by whom, for how long; likewise any other known kind.',
    },
  ],
  async run(args, io) {
    const [path, ...more] = args.positional;
    if (path === undefined || more.length > 0) throw new UsageError('show takes one file');
    const source = io.open(path);
    const shown = showDocument(source, path, args.text('entry'), args.flag('verbose'), io);
    if (shown !== undefined) return shown;
    const { session, findings } = readSession(source);
    const line = (text: string): void => io.out(printed(text));
    if (session === undefined) return showRecord({ path, source }, io);
    const wanted = args.text('entry');
    const at = wanted === undefined ? undefined : session.find(entryId(session, wanted));
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

/** Where another command shows more of a kind. */
const MORE: Readonly<Record<string, string>> = {
  journal: 'audit journal show',
  bundle: 'audit bundle inspect',
  package: 'audit evidence inspect',
  trail: 'audit notifications',
};

/** What the reader of any other kind says is in a file: its members, counts and history, without what it is worth. */
async function showRecord(input: Input, io: Io): Promise<number> {
  const { kind, subject, counts, timeline, findings } = await verifyInput(input, { trust: NO_TRUST });
  if (kind === null) throw new Unreadable(`${input.path} is of no kind that this program knows`);
  const more = MORE[kind];
  io.out(printed(`${input.path} (${kind})`));
  const rows = [...Object.entries(subject), ...Object.entries(counts)].filter(([, value]) => value !== null);
  for (const [name, value] of rows) io.out(printed(`  ${name.replaceAll('_', ' ').padEnd(24)} ${value}`));
  for (const { time, text } of timeline) io.out(printed(`  ${(time ?? '').padEnd(24)} ${text}`));
  if (more !== undefined) io.out(printed(`  "${more} ${input.path}" shows more`));
  const unread = findings.filter(({ class: effect }) => effect === 'unusable');
  for (const { code, message } of unread) io.err(printed(`${input.path}: ${code}: ${message}`));
  return unread.length > 0 ? 4 : 0;
}

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
