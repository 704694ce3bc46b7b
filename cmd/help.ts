/** Help pages, made from the same tables as parsing. */
import type { Command } from './command.ts';
import { COMMANDS, type CommandRow } from './commands.ts';

const STATUSES = `Exit status: 0 verified (or produced), 1 does not hold, 2 wrong command line,
3 no verdict (something needed is missing), 4 an input could not be used.`;

/** The page of `audit --help`. */
export async function helpPage(): Promise<string> {
  return `audit: what an AI agent really did, from the files alone. Offline.

  audit verify session.jsonl
  audit verify export.json --trust trust.json --format json

Commands:
${await summaries(COMMANDS)}

"audit COMMAND --help" says more and gives examples. "audit explain CODE" explains a finding.
${STATUSES}
`;
}

/** The page of `audit FAMILY --help`, where FAMILY is the first word of several commands. */
export async function familyHelp(family: readonly CommandRow[]): Promise<string> {
  return `Commands:
${await summaries(family)}

"audit COMMAND --help" says more and gives examples, such as "audit ${family[0]?.name} --help".
`;
}

async function summaries(rows: readonly CommandRow[]): Promise<string> {
  const commands = await Promise.all(rows.map((row) => row.load()));
  const width = Math.max(...commands.map((command) => command.name.length));
  return commands.map(({ name, summary }) => wrap(summary, `  ${name.padEnd(width)}  `, width + 4)).join('\n');
}

/** The page of `audit COMMAND --help`. */
export function commandHelp(command: Command): string {
  const usage = ['audit', command.name, command.positional ?? '', command.options.length > 0 ? '[options]' : ''];
  const heads = command.options.map(
    (option) => `--${option.name}${option.type === 'text' ? ` ${option.placeholder ?? 'TEXT'}` : ''}`,
  );
  const width = Math.min(26, Math.max(0, ...heads.map((head) => head.length)));
  const options = command.options.map((option, i) => {
    const head = `  ${(heads[i] ?? '').padEnd(width)}  `;
    const text = option.describe + (option.repeatable === true ? ' Repeatable.' : '');
    return wrap(text, head, width + 4);
  });
  const examples = command.examples.map((example) => `  ${example.command}\n${wrap(example.says, '      ', 6)}`);
  return `${wrap(command.summary, '', 0)}

Usage: ${usage.filter((word) => word !== '').join(' ')}
${options.length > 0 ? `\nOptions:\n${options.join('\n')}\n` : ''}
Examples:
${examples.join('\n')}

${STATUSES}
`;
}

/** Text after a first prefix, broken at 80 columns and indented. */
function wrap(text: string, first: string, indent: number): string {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(' ')) {
    if (!empty && line.length + 1 + word.length > 80) {
      lines.push(line);
      line = ' '.repeat(indent);
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line].join('\n');
}
