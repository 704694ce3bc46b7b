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
const firsts = (commands: readonly Command[]): string[] => [
  ...new Set(commands.map((command) => command.name.split(' ')[0] ?? '')),
];
const seconds = (commands: readonly Command[], first: string): string[] =>
  commands
    .filter((command) => command.name.startsWith(`${first} `))
    .map((command) => command.name.slice(first.length + 1));
const families = (commands: readonly Command[]): string[] =>
  firsts(commands).filter((first) => seconds(commands, first).length > 0);
/** What may follow an option, where that is a list. */
const values = (option: Option): readonly string[] => option.choices ?? option.suggests ?? [];
/** Whether what follows an option is a file: its placeholder says so. */
const takesFile = ({ placeholder = '' }: Option): boolean => /FILE|DIR|PATH/.test(placeholder);
/** Commands whose argument is a word of a list that the program itself prints, first on each line. */
const LISTED = ['explain', 'schema'] as const;

function bash(commands: readonly Command[]): string {
  const lists = commands.flatMap((command) =>
    command.options
      .filter((option) => values(option).length > 0)
      .map((option) => `    "${command.name} --${option.name}") words="${values(option).join(' ')}" ;;`),
  );
  return `# bash completion for audit
_audit() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command="\${COMP_WORDS[1]}" words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${firsts(commands).join(' ')} --help --version" -- "$cur"))
    return
  fi
  case "$command" in
${families(commands)
  .map(
    (first) =>
      `    ${first}) if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "${seconds(commands, first).join(' ')}" -- "$cur")); return; fi; command="$command \${COMP_WORDS[2]}" ;;`,
  )
  .join('\n')}
  esac
  case "$command $prev" in
${lists.join('\n')}
${LISTED.map((name) => `    "${name} ${name}") words="$(audit ${name} 2>/dev/null | cut -d ' ' -f 1)" ;;`).join('\n')}
    "completion completion") words="${SHELLS.join(' ')}" ;;
  esac
  if [ -z "$words" ] && [[ $cur == -* ]]; then
    case "$command" in
${commands.map((command) => `      "${command.name}") words="${flags(command.options).join(' ')}" ;;`).join('\n')}
    esac
  fi
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    compopt -o default 2>/dev/null
  fi
}
complete -F _audit audit
`;
}

function zsh(commands: readonly Command[]): string {
  const quote = (text: string): string =>
    text
      .replaceAll('\\', '\\\\')
      .replaceAll("'", "'\\''")
      .replace(/[[\]:]/g, '\\$&');
  const action = (option: Option): string => {
    if (values(option).length > 0) return `(${values(option).join(' ')})`;
    return takesFile(option) ? '_files' : ' ';
  };
  const specs = (command: Command): string =>
    command.options
      .map(
        (option) =>
          `'${option.repeatable === true ? '*' : ''}--${option.name}[${quote(option.describe)}]${option.type === 'text' ? `:${quote(option.placeholder ?? 'TEXT')}:${action(option)}` : ''}'`,
      )
      .join(' ');
  const rest = (command: Command): string => {
    const listed = LISTED.find((name) => name === command.name);
    if (listed !== undefined) return `'1:word:_audit_words ${listed}'`;
    return command.name === 'completion' ? `'1:shell:(${SHELLS.join(' ')})'` : `'*:file:_files'`;
  };
  return `#compdef audit
# zsh completion for audit
_audit_words() {
  local of=\${@[-1]}
  compadd "\${(@)@[1,-2]}" -- \${(f)"$(audit $of 2>/dev/null | cut -d ' ' -f 1)"}
}
_audit() {
  local command="\${words[2]}" depth=1
  if (( CURRENT == 2 )); then
    compadd -- ${firsts(commands).join(' ')} --help --version
    return
  fi
  case "$command" in
${families(commands)
  .map(
    (first) =>
      `    ${first}) if (( CURRENT == 3 )); then compadd -- ${seconds(commands, first).join(' ')}; return; fi; command="$command \${words[3]}"; depth=2 ;;`,
  )
  .join('\n')}
  esac
  words=("\${words[1]}" "\${(@)words[depth+2,-1]}")
  (( CURRENT -= depth ))
  case "$command" in
${commands.map((command) => `    "${command.name}") _arguments '--help[Say more and give examples]' ${specs(command)} ${rest(command)} ;;`).join('\n')}
  esac
}
if [ "$funcstack[1]" = "_audit" ]; then _audit "$@"; else compdef _audit audit; fi
`;
}

function fish(commands: readonly Command[]): string {
  const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = [
    '# fish completion for audit',
    'function __audit_is',
    '    set -l given (commandline -opc)',
    '    set -l last (math 1 + (count $argv))',
    '    test "$given[2..$last]" = "$argv"',
    'end',
    'complete -c audit -f -n "__fish_use_subcommand" -l version -d "Print the version"',
    'complete -c audit -l help -d "Say more and give examples"',
  ];
  const first = new Set<string>();
  for (const command of commands) {
    const [name = '', second] = command.name.split(' ');
    const says = second === undefined ? ` -d ${quote(command.summary)}` : '';
    if (!first.has(name)) lines.push(`complete -c audit -f -n __fish_use_subcommand -a ${name}${says}`);
    first.add(name);
    if (second !== undefined)
      lines.push(
        `complete -c audit -f -n '__audit_is ${name}; and test (count (commandline -opc)) -eq 2' -a ${second} -d ${quote(command.summary)}`,
      );
    const listed = LISTED.find((word) => word === name);
    if (listed !== undefined)
      lines.push(
        `complete -c audit -f -n '__audit_is ${name}' -a "(audit ${listed} 2>/dev/null | string replace -r ' +' \\t)"`,
      );
    if (name === 'completion') lines.push(`complete -c audit -f -n '__audit_is ${name}' -a ${quote(SHELLS.join(' '))}`);
    for (const option of command.options) {
      const offered =
        values(option).length > 0 ? ` -f -a ${quote(values(option).join(' '))}` : takesFile(option) ? ' -F' : '';
      lines.push(
        `complete -c audit -n '__audit_is ${command.name}' -l ${option.name}${option.type === 'text' ? ` -r${offered}` : ''} -d ${quote(option.describe)}`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}
