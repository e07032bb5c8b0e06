import { Argument, type Command, type Option } from 'commander';

const HELP = `
Examples:
  source <(txreport completion bash)                                        # bash, in ~/.bashrc
  txreport completion zsh > "\${fpath[1]}/_txreport"                         # zsh
  txreport completion fish > ~/.config/fish/completions/txreport.fish       # fish`;

/** `txreport completion`: prints a shell's completion script. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', HELP)
    .action((shell: 'bash' | 'zsh' | 'fish') => {
      process.stdout.write(SCRIPTS[shell](describeCommands(program)));
    });
}

/** The parts of a command that a completion script needs. */
interface CommandWords {
  /** Words from the program's name on, e.g. `rules lint`; empty for the program itself. */
  readonly path: string;
  readonly description: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly {
    readonly flags: readonly string[];
    readonly description: string;
    readonly takesValue: boolean;
    readonly choices: readonly string[];
  }[];
  readonly choices: readonly string[];
}

/** Every command below `program`, outermost first. */
export function describeCommands(program: Command): CommandWords[] {
  const found: CommandWords[] = [];
  const visit = (command: Command, path: string): void => {
    const help = command.createHelp();
    const commands = help
      .visibleCommands(command)
      .map((one) => ({ name: one.name(), description: one.summary() || one.description() }));
    found.push({
      path,
      description: command.summary() || command.description(),
      commands,
      options: help.visibleOptions(command).map(describeOption),
      choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    });
    for (const child of command.commands) visit(child, `${path} ${child.name()}`.trim());
  };
  visit(program, '');
  return found;
}

function describeOption(option: Option): CommandWords['options'][number] {
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
    description: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  };
}

/** A text between single quotes of a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** The same for fish, where a backslash escapes inside quotes. */
const quoteFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function bash(commands: readonly CommandWords[]): string {
  const flagsWith = (takes: (option: CommandWords['options'][number]) => boolean): string[] => [
    ...new Set(commands.flatMap(({ options }) => options.filter(takes).flatMap(({ flags }) => flags))),
  ];
  const cases = commands.map(
    ({ path, commands: children, options, choices }) =>
      `    ${quote(path)}) ` +
      `words=${quote([...children.map(({ name }) => name), ...choices].join(' '))}; ` +
      `flags=${quote(options.flatMap(({ flags }) => flags).join(' '))} ;;`,
  );
  // The same option may take other values in another command, so its command is part of the pattern.
  const choices = commands.flatMap(({ path, options }) =>
    options
      .filter((option) => option.choices.length > 0)
      .map((option) => {
        const patterns = option.flags.map((flag) => quote(`${path}:${flag}`)).join('|');
        const reply = `COMPREPLY=( $(compgen -W ${quote(option.choices.join(' '))} -- "$current") )`;
        return `    ${patterns}) ${reply}; return ;;`;
      }),
  );
  return `# bash completion of txreport: source <(txreport completion bash)
_txreport() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" word words flags
  local known=${quote(
    ` ${commands
      .map(({ path }) => path.replaceAll(' ', '_'))
      .filter((path) => path !== '')
      .join(' ')} `,
  )}
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    local longer="\${path:+\${path}_}\${word}"
    [[ "$known" == *" $longer "* ]] && path="$longer"
  done
  path="\${path//_/ }"
  case "$path:$previous" in
${choices.join('\n')}
  esac
  case "$previous" in
    ${flagsWith((option) => option.takesValue && option.choices.length === 0).join('|')})
      COMPREPLY=( $(compgen -f -- "$current") ); return ;;
  esac
  case "$path" in
${cases.join('\n')}
  esac
  if [[ "$current" == -* ]]; then COMPREPLY=( $(compgen -W "$flags" -- "$current") )
  elif [[ -n "$words" ]]; then COMPREPLY=( $(compgen -W "$words" -- "$current") )
  else COMPREPLY=( $(compgen -f -- "$current") ); fi
}
complete -o filenames -F _txreport txreport
`;
}

function zsh(commands: readonly CommandWords[]): string {
  /** Colons and brackets end the parts of a specification. */
  const clean = (text: string): string => text.replace(/[[\]:]/g, (character) => `\\${character}`);
  const nameOf = (path: string): string => `_txreport${path === '' ? '' : `_${path.replaceAll(' ', '_')}`}`;
  const functions = commands.map(({ path, commands: children, options, choices }) => {
    const specs = options.flatMap(({ flags, description, takesValue, choices: values }) =>
      flags.map((flag) =>
        quote(
          `${flag}[${clean(description)}]` +
            `${takesValue ? `:value:${values.length > 0 ? `(${values.join(' ')})` : '_files'}` : ''}`,
        ),
      ),
    );
    const operand = choices.length > 0 ? `1:choice:(${choices.join(' ')})` : '*:file:_files';
    if (children.length === 0)
      return `${nameOf(path)}() {\n  _arguments ${[...specs, quote(operand)].join(' \\\n    ')}\n}`;
    const list = children.map(({ name, description }) => quote(`${name}:${clean(description)}`));
    return `${nameOf(path)}() {
  local context state line
  _arguments -C ${[...specs, "'1:command:->command'", "'*::argument:->argument'"].join(' \\\n    ')}
  case $state in
    command) local -a list=(${list.join(' ')}); _describe command list ;;
    argument) (( $+functions[${nameOf(path)}_$line[1]] )) && ${nameOf(path)}_$line[1] ;;
  esac
}`;
  });
  return (
    '#compdef txreport\n# zsh completion of txreport: txreport completion zsh > ' +
    `"\${fpath[1]}/_txreport"\n${functions.join('\n')}\ncompdef _txreport txreport\n[[ ` +
    '"$funcstack[1]" == _txreport ]] && _txreport "$@"\n'
  );
}

function fish(commands: readonly CommandWords[]): string {
  const lines = [
    '# fish completion of txreport: txreport completion fish > ~/.config/fish/completions/txreport.fish',
    'complete -c txreport -e',
  ];
  for (const { path, commands: children, options, choices } of commands) {
    const words = path === '' ? [] : path.split(' ');
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const none =
      children.length > 0
        ? `not __fish_seen_subcommand_from ${children.map(({ name }) => name).join(' ')}`
        : '';
    const here = [seen, none].filter((part) => part !== '').join('; and ') || 'true';
    for (const { name, description } of children)
      lines.push(`complete -c txreport -n ${quoteFish(here)} -f -a ${name} -d ${quoteFish(description)}`);
    for (const choice of choices) lines.push(`complete -c txreport -n ${quoteFish(here)} -f -a ${choice}`);
    for (const { flags, description, takesValue, choices: values } of options) {
      const names = flags
        .map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
        .join(' ');
      const value = values.length > 0 ? ` -x -a ${quoteFish(values.join(' '))}` : takesValue ? ' -r' : '';
      lines.push(`complete -c txreport -n ${quoteFish(here)} ${names}${value} -d ${quoteFish(description)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

export const SCRIPTS = { bash, zsh, fish } as const;
