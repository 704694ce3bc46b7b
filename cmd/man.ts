/** The manual page, audit(1), in man(7) macros: made from the same tables as help. `node dist/cmd/man.js` writes it to standard output. */
import { TOOL } from '../src/verify/tool.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';

/** Text in which nothing is a request or an escape of roff, in lines of at most 80 bytes where its words allow it. */
function roff(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ').map(escaped)) {
    const last = lines.at(-1);
    if (last === undefined || bytes(last) + 1 + bytes(word) > 78) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => line.replace(/^(?=[.'])/, '\\&')).join('\n');
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replace(
      /[^\u0020-\u007e\n]/gu,
      (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}

const bytes = (text: string): number => new TextEncoder().encode(text).length;

export async function manPage(): Promise<string> {
  const commands = await Promise.all(COMMANDS.map((row) => row.load()));
  return `.TH AUDIT 1 "" "audit ${TOOL.version}" "User Commands"
.SH NAME
audit \\- say what an AI agent really did, from the files alone
.SH SYNOPSIS
.B audit
.I command
.RI [ inputs ]
.RI [ options ]
.SH DESCRIPTION
Verifies agent sessions, run journals, approvals, notification trails and their
evidence, offline. It opens no socket, writes only where it is told, and gives
the same bytes for the same input, options and instant.
.PP
.B audit explain
.I CODE
says what a finding means, why it matters, how it is usually caused and what to
do; the code and the fingerprint of a finding are the same in every format.
.SH COMMANDS
${commands.map(section).join('')}.SH EXIT STATUS
.TP
.B 0
Every input was read, every required claim was re\\-checked and holds; or what
was to be written is written.
.TP
.B 1
An input was read and something in it does not hold, or there was nothing in it
to check.
.TP
.B 2
The command line is wrong. No file was opened.
.TP
.B 3
Nothing is known to be wrong, but a required claim is undecided; or the program
itself failed.
.TP
.B 4
An input could not be used.
.SH ENVIRONMENT
.TP
.B NO_COLOR
When set and not empty, the text report has no colour.
`;
}

function section(command: Command): string {
  const options = command.options.map(
    (option) =>
      `.TP\n.B \\-\\-${escaped(option.name)}${option.type === 'text' ? ` \\fI${escaped(option.placeholder ?? 'TEXT')}\\fR` : ''}\n${roff(option.describe)}\n`,
  );
  const examples = command.examples.map(
    (example) => `.PP\n.RS 4\n.nf\n${escaped(example.command)}\n.fi\n.RE\n.RS 8\n${roff(example.says)}\n.RE\n`,
  );
  return `.SS "${escaped(`audit ${command.name} ${command.positional ?? ''}`.trimEnd())}"\n${roff(command.summary)}\n${options.join('')}${examples.join('')}`;
}

if (process.argv[1]?.endsWith('man.js') === true) process.stdout.write(await manPage());
