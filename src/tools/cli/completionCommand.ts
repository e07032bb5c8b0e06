import { Argument, Command } from 'commander';

const HELP = `
Examples:
  source <(txreport completion bash)                                        # bash, in ~/.bashrc
  txreport completion zsh > "\${fpath[1]}/_txreport"                         # zsh
  txreport completion fish > ~/.config/fish/completions/txreport.fish       # fish`;

/** `txreport completion`: prints a shell's completion script. */
export const completionCommand = new Command('completion')
  .description('print the completion script of a shell')
  .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
  .addHelpText('after', HELP)
  .action((shell: 'bash' | 'zsh' | 'fish', _options, command: Command) => {
    process.stdout.write(SCRIPTS[shell](describeCommands(command.parent!)));
  });

/** A command for the completion script; `path`: its words behind the program's name. */
function wordsOf(command: Command, path: string) {
  const help = command.createHelp();
  return {
    path,
    commands: help
      .visibleCommands(command)
      .map((one) => ({ name: one.name(), description: help.subcommandDescription(one) })),
    options: help.visibleOptions(command).map(({ short, long, description, argChoices = [], ...takes }) => ({
      flags: [short, long].flatMap((flag) => flag ?? []),
      description,
      takesValue: takes.required || takes.optional,
      choices: argChoices,
    })),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  };
}

type CommandWords = ReturnType<typeof wordsOf>;

/** The command and every one below it, outermost first. */
export function describeCommands(command: Command, path = ''): CommandWords[] {
  const below = command.commands.flatMap((child) =>
    describeCommands(child, `${path} ${child.name()}`.trim()),
  );
  return [wordsOf(command, path), ...below];
}

/** A text between single quotes of a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** The same for fish, where a backslash escapes inside quotes. */
const quoteFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function bash(commands: readonly CommandWords[]): string {
  const takesFile = commands.flatMap(({ options }) =>
    options.flatMap(({ flags, takesValue, choices }) => (takesValue && choices.length === 0 ? flags : [])),
  );
  const cases = commands.map(
    ({ path, commands: children, options, choices }) =>
      `    ${quote(path)}) ` +
      `words=${quote([...children.map(({ name }) => name), ...choices].join(' '))}; ` +
      `flags=${quote(options.flatMap(({ flags }) => flags).join(' '))} ;;`,
  );
  // The same option may take other values in another command, so its command is part of the pattern.
  const choices = commands.flatMap(({ path, options }) =>
    options.flatMap((option) => {
      if (option.choices.length === 0) return [];
      const patterns = option.flags.map((flag) => quote(`${path}:${flag}`)).join('|');
      const reply = `COMPREPLY=( $(compgen -W ${quote(option.choices.join(' '))} -- "$current") )`;
      return `    ${patterns}) ${reply}; return ;;`;
    }),
  );
  const known = commands.flatMap(({ path }) => path.replaceAll(' ', '_') || []);
  return `# bash completion of txreport: source <(txreport completion bash)
_txreport() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" word words flags
  local known=${quote(` ${known.join(' ')} `)}
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    local longer="\${path:+\${path}_}\${word}"
    [[ "$known" == *" $longer "* ]] && path="$longer"
  done
  path="\${path//_/ }"
  case "$path:$previous" in
${choices.join('\n')}
  esac
  case "$previous" in
    ${[...new Set(takesFile)].join('|')})
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
    const specs = options.flatMap(({ flags, description, takesValue, choices: values }) => {
      const value = values.length > 0 ? `(${values.join(' ')})` : '_files';
      const tail = `[${clean(description)}]${takesValue ? `:value:${value}` : ''}`;
      return flags.map((flag) => quote(flag + tail));
    });
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
  return `#compdef txreport
# zsh completion of txreport: txreport completion zsh > "\${fpath[1]}/_txreport"
${functions.join('\n')}
compdef _txreport txreport
[[ "$funcstack[1]" == _txreport ]] && _txreport "$@"
`;
}

function fish(commands: readonly CommandWords[]): string {
  const lines = [
    '# fish completion of txreport: txreport completion fish > ~/.config/fish/completions/txreport.fish',
    'complete -c txreport -e',
  ];
  for (const { path, commands: children, options, choices } of commands) {
    const names = children.map(({ name }) => name).join(' ');
    const tests = path.split(' ').flatMap((word) => (word ? `__fish_seen_subcommand_from ${word}` : []));
    if (names !== '') tests.push(`not __fish_seen_subcommand_from ${names}`);
    const line = `complete -c txreport -n ${quoteFish(tests.join('; and ') || 'true')}`;
    for (const { name, description } of children)
      lines.push(`${line} -f -a ${name} -d ${quoteFish(description)}`);
    for (const choice of choices) lines.push(`${line} -f -a ${choice}`);
    for (const { flags, description, takesValue, choices: values } of options) {
      const named = flags.map((flag) => flag.replace(/^--/, '-l ').replace(/^-(?=\w$)/, '-s ')).join(' ');
      const value = values.length > 0 ? ` -x -a ${quoteFish(values.join(' '))}` : takesValue ? ' -r' : '';
      lines.push(`${line} ${named}${value} -d ${quoteFish(description)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

export const SCRIPTS = { bash, zsh, fish } as const;
