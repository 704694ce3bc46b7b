/** `audit completion SHELL`: completion scripts, made from the same tables as parsing and help. */
import { type Command, type Option, UsageError } from '../command.ts';
import { COMMANDS } from '../commands.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const completionCommand: Command = {
  name: 'completion',
  summary: 'Print a completion script for bash, zsh or fish.',
  positional: '<bash|zsh|fish>',
  options: [],
  examples: [
    {
      command: 'source <(audit completion bash)',
      says: 'Completion in this bash; the same line in ~/.bashrc keeps it.',
    },
    {
      command: 'audit completion fish > ~/.config/fish/completions/audit.fish',
      says: 'Completion in every fish from now on.',
    },
  ],
  async run(args, io) {
    const shell = SHELLS.find((known) => known === args.positional[0]);
    if (shell === undefined) throw new UsageError(`completion is for ${SHELLS.join(', ')}`);
    const commands = await Promise.all(COMMANDS.map((row) => row.load()));
    io.out({ bash, zsh, fish }[shell](commands));
    return 0;
  },
};

const flags = (options: readonly Option[]): string[] => ['--help', ...options.map((option) => `--${option.name}`)];
const FIRST = (commands: readonly Command[]) => [
  ...new Set(commands.map((command) => command.name.split(' ')[0] ?? '')),
];
const seconds = (commands: readonly Command[], first: string) =>
  commands
    .filter((command) => command.name.startsWith(`${first} `))
    .map((command) => command.name.slice(first.length + 1));

function bash(commands: readonly Command[]): string {
  const families = FIRST(commands).filter((first) => seconds(commands, first).length > 0);
  return `# bash completion for audit
_audit() {
  local cur=\${COMP_WORDS[COMP_CWORD]} command="\${COMP_WORDS[1]}" words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${FIRST(commands).join(' ')} --help --version" -- "$cur"))
    return
  fi
  case "$command" in
${families.map((first) => `    ${first}) if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "${seconds(commands, first).join(' ')}" -- "$cur")); return; fi; command="$command \${COMP_WORDS[2]}" ;;`).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case "$command" in
${commands.map((command) => `      "${command.name}") words="${flags(command.options).join(' ')}" ;;`).join('\n')}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    compopt -o default 2>/dev/null
    COMPREPLY=()
  fi
}
complete -F _audit audit
`;
}

function zsh(commands: readonly Command[]): string {
  const quote = (text: string) =>
    text.replaceAll("'", "'\\''").replaceAll('[', '\\[').replaceAll(']', '\\]').replaceAll(':', '\\:');
  const specs = (command: Command) =>
    command.options
      .map(
        (option) =>
          `'${option.repeatable === true ? '*' : ''}--${option.name}[${quote(option.describe)}]${option.type === 'text' ? `:${quote(option.placeholder ?? 'text')}:_files` : ''}'`,
      )
      .join(' ');
  const families = FIRST(commands).filter((first) => seconds(commands, first).length > 0);
  return `#compdef audit
# zsh completion for audit
_audit() {
  local command="\${words[2]}"
  if (( CURRENT == 2 )); then
    compadd -- ${FIRST(commands).join(' ')} --help --version
    return
  fi
  case "$command" in
${families.map((first) => `    ${first}) if (( CURRENT == 3 )); then compadd -- ${seconds(commands, first).join(' ')}; return; fi; command="$command \${words[3]}" ;;`).join('\n')}
  esac
  case "$command" in
${commands.map((command) => `    "${command.name}") _arguments '--help[Say more and give examples]' ${specs(command)} '*:file:_files' ;;`).join('\n')}
  esac
}
if [ "$funcstack[1]" = "_audit" ]; then _audit "$@"; else compdef _audit audit; fi
`;
}

function fish(commands: readonly Command[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = [
    '# fish completion for audit',
    'complete -c audit -n __fish_use_subcommand -l version -d "Print the version"',
  ];
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ');
    if (second === undefined)
      lines.push(`complete -c audit -n __fish_use_subcommand -a ${first} -d ${quote(command.summary)}`);
    else {
      lines.push(`complete -c audit -n __fish_use_subcommand -a ${first}`);
      lines.push(
        `complete -c audit -n '__fish_seen_subcommand_from ${first}; and test (count (commandline -opc)) -eq 2' -a ${second} -d ${quote(command.summary)}`,
      );
    }
    const seen = command.name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
    for (const option of command.options) {
      lines.push(
        `complete -c audit -n '${seen}' -l ${option.name}${option.type === 'text' ? ' -r' : ''} -d ${quote(option.describe)}`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}
