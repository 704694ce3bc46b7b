/** Arguments in, exit status out. Every command runs through here, in the process or in a test. */

import { inert, visible } from '../src/finding/visible.ts';
import { Unreadable } from '../src/host/files.ts';
import { TOOL } from '../src/verify/tool.ts';
import { type Io, UsageError } from './command.ts';
import { COMMANDS, type CommandRow, findCommand } from './commands.ts';
import { commandHelp, familyHelp, helpPage } from './help.ts';
import { nearest } from './nearest.ts';
import { parseArgs } from './parse.ts';

/** Runs one command line and gives its exit status. Nothing that goes wrong escapes as an exception. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await run(argv, io);
  } catch (error) {
    if (error instanceof UsageError) {
      const known = findCommand(argv)?.row.name ?? familyOf(argv[0])[0]?.name.split(' ')[0];
      io.err(`audit: ${inert(visible(error.message))}\nTry "audit ${known === undefined ? '' : `${known} `}--help".\n`);
      return 2;
    }
    if (error instanceof Unreadable) {
      const about = error.path === undefined ? '' : `${error.path}: `;
      io.err(`audit: ${inert(visible(`${about}${error.message}`))}\n`);
      return 4;
    }
    io.err(
      `audit: the program itself failed: ${inert(visible(error instanceof Error ? error.message : String(error)))}\n`,
    );
    if (io.env['AUDIT_DEBUG'] !== undefined && error instanceof Error) io.err(`${error.stack ?? ''}\n`);
    return 3;
  }
}

async function run(argv: readonly string[], io: Io): Promise<number> {
  const [first] = argv;
  if (first === undefined) {
    io.err(await helpPage());
    return 2;
  }
  if (first === '--help' || first === 'help') {
    const asked = findCommand(argv.slice(1));
    const family = familyOf(argv[1]);
    if (asked !== undefined) io.out(commandHelp(await asked.row.load()));
    else io.out(family.length > 0 ? await familyHelp(family) : await helpPage());
    return 0;
  }
  if (first === '--version') {
    io.out(`${TOOL.name} ${TOOL.version}\n`);
    return 0;
  }
  const found = findCommand(argv);
  if (found === undefined && argv[1] === '--help' && familyOf(first).length > 0) {
    io.out(await familyHelp(familyOf(first)));
    return 0;
  }
  if (found === undefined) throw unknownCommand(argv);
  const command = await found.row.load();
  const args = parseArgs(command, found.rest);
  if (args === 'help') {
    io.out(commandHelp(command));
    return 0;
  }
  return command.run(args, io);
}

/** The commands whose names begin with a word that is no command by itself, such as "bundle". */
function familyOf(first: string | undefined): readonly CommandRow[] {
  return COMMANDS.filter((row) => row.name.startsWith(`${first} `));
}

function unknownCommand([first = '', second = '']: readonly string[]): UsageError {
  const family = familyOf(first).map((row) => row.name);
  if (family.length > 0)
    return new UsageError(
      `"audit ${first}" is followed by one of: ${family.map((name) => name.slice(first.length + 1)).join(', ')}`,
    );
  const names = COMMANDS.map((row) => row.name);
  const near = nearest(`${first} ${second}`.trim(), names) ?? nearest(first, names);
  return new UsageError(`"${first}" is no command${near === undefined ? '' : `; did you mean "${near}"?`}`);
}
