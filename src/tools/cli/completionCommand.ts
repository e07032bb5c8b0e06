import { Argument, type Command, type Option } from 'commander';

const HELP = `
Examples:
  source <(txreport completion bash)                                        # bash, in ~/.bashrc
  txreport completion zsh > "\${fpath[1]}/_txreport"                         # zsh
  txreport completion fish > ~/.config/fish/completions/txreport.fish       # fish`;

/** `txreport completion`: prints what teaches a shell the commands and options. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', HELP)
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { SCRIPTS } = await import('./completionScripts.ts');
      process.stdout.write(SCRIPTS[shell](describeCommands(program)));
    });
}

/** A command as a completion script needs to know it. */
export interface CommandWords {
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
