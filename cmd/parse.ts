/** Arguments of one command, parsed by yargs and held against the command's own table. */
import yargs from 'yargs';
import { Args, type Command, UsageError } from './command.ts';
import { nearest } from './nearest.ts';

/** Parses what follows the command's name. Throws UsageError; `help` asks for the command's help page instead of a run. */
export function parseArgs(command: Command, argv: readonly string[]): Args | 'help' {
  const names = command.options.map((option) => option.name);
  for (const word of argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length)) {
    if (word === '--help') return 'help';
    const name = /^--([^=]+)/.exec(word)?.[1] ?? (/^-[^-]/.test(word) ? word.slice(1) : undefined);
    if (name === undefined || (word.startsWith('--') && names.includes(name))) continue;
    const near = nearest(name, names);
    throw new UsageError(
      `${word} is no option of "audit ${command.name}"${near === undefined ? '' : `; did you mean --${near}?`}`,
    );
  }
  let parser = yargs([...argv])
    .parserConfiguration({
      'camel-case-expansion': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'boolean-negation': false,
      'dot-notation': false,
      'short-option-groups': false,
      'greedy-arrays': false,
      'populate--': false,
    })
    .help(false)
    .version(false)
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      throw new UsageError(message ?? error?.message ?? 'the arguments are wrong');
    });
  for (const option of command.options) {
    parser =
      option.type === 'flag'
        ? parser.option(option.name, { type: 'boolean' })
        : parser.option(option.name, { type: 'string', array: option.repeatable === true, requiresArg: true });
  }
  const parsed = parser.parseSync() as Record<string, unknown> & { _: (string | number)[] };
  const values = new Map<string, readonly string[]>();
  for (const option of command.options) {
    const given = parsed[option.name];
    if (given === undefined || given === false) continue;
    const texts = (Array.isArray(given) ? given : [given]).map(String);
    if (texts.length > 1 && option.repeatable !== true)
      throw new UsageError(`--${option.name} is given more than once`);
    const wrong =
      option.choices === undefined ? undefined : texts.find((text) => option.choices?.includes(text) === false);
    if (wrong !== undefined)
      throw new UsageError(`--${option.name} takes ${option.choices?.join(', ')}; not ${JSON.stringify(wrong)}`);
    values.set(option.name, texts);
  }
  const positional = parsed._.map(String);
  if (command.positional === undefined && positional.length > 0) {
    throw new UsageError(`"audit ${command.name}" takes no arguments, but ${JSON.stringify(positional[0])} was given`);
  }
  if (command.positional?.startsWith('<') && positional.length === 0) {
    throw new UsageError(`"audit ${command.name}" needs ${command.positional}`);
  }
  return new Args(positional, values);
}
