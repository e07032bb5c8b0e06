import { Argument, Command } from 'commander';

const HELP = `
Examples:
  source <(txreport completion bash)                                        # bash, in ~/.bashrc
  source <(txreport completion zsh)                                         # zsh, in ~/.zshrc
  txreport completion fish > ~/.config/fish/completions/txreport.fish       # fish`;

/** The shell asks the command with its line up to the cursor; where it answers nothing, files are offered. */
const ASK = `complete -o default -C 'txreport complete' txreport`;
const SCRIPTS = {
  bash: ASK,
  zsh: `autoload -Uz compinit bashcompinit\n(( $+functions[compdef] )) || compinit -i\nbashcompinit\n${ASK}`,
  fish: `complete -c txreport -a '(COMP_LINE=(commandline -cp) txreport complete)'`,
} as const;

/** `txreport completion`: prints a shell's completion script. */
export const completionCommand = new Command('completion')
  .description('print the completion script of a shell')
  .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
  .addHelpText('after', HELP)
  .action((shell: keyof typeof SCRIPTS) => void process.stdout.write(`${SCRIPTS[shell]}\n`));

/** `txreport complete`: the words that may follow COMP_LINE, for the scripts. */
export const completeCommand = new Command('complete')
  .allowExcessArguments()
  .action((_options, command: Command) => {
    for (const word of offered(command.parent!, process.env['COMP_LINE'] ?? ''))
      process.stdout.write(`${word}\n`);
  });

/** Commands, options or choices that may end a line; none where a file may. */
export function offered(program: Command, line: string): string[] {
  const [, ...words] = line.trimStart().split(/\s+/);
  const last = words.pop() ?? '';
  let command = program;
  for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command;
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const asked = options.find(({ short, long }) => [short, long].includes(words.at(-1)));
  const choices = (asked?.required ? [asked] : command.registeredArguments).flatMap(
    ({ argChoices = [] }) => argChoices,
  );
  const names = asked?.required ? [] : help.visibleCommands(command).map((one) => one.name());
  const flags = options.flatMap(({ short, long }) => [short, long].flatMap((flag) => flag ?? []));
  return (last.startsWith('-') ? flags : [...names, ...choices]).filter((word) => word.startsWith(last));
}
