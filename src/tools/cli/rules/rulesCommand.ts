import { setTimeout as wait } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { AnalysisError } from '../../../lib/errors.ts';
import { CliError, TERMINAL, type CliIo } from '../cliIo.ts';
import { portOption } from '../viewCommands.ts';

const HELP = `
Examples:
  txreport rules explain 0x…                    what a transaction was taken for, and why
  txreport rules new --tx 0x… --dir my-rules    a first draft of what no rule recognises
  txreport rules playground                     try it in the viewer while writing
  txreport rules test --watch                   run the examples after every change
  txreport rules lock --check                   in CI: no meaning changed under a version

Exit status: 0 nothing found, 1 a problem, a failed example or a difference, 2 wrong arguments`;

/** A command's work; resolves to its exit status, 0 where it names none. */
type Run = () => number | void | Promise<number | void>;

const DIRS = [
  '[dirs...]',
  'base ruleset and overlays, in order (default: the shipped rules and RULES_DIR)',
] as const;
const OVERLAID = ['--dirs <dir...>', DIRS[1]] as const;
const RECORDED = ['--recordings <place...>', 'where recordings lie'] as const;
const ALL_RECORDED = ['--recordings <place...>', 'folders, or .json, .ndjson and .ndjson.gz files'] as const;
const WATCH = ['--watch', 'again after every change, until Ctrl+C'] as const;

/** Adds `txreport rules …`. Commands are loaded when they run: lint does not wait for the pipeline. */
export function addRulesCommand(program: Command, io: CliIo = TERMINAL): void {
  const rules = program
    .command('rules')
    .description('check, test, explain and compare classification rules')
    .addHelpText('after', HELP);
  const command = (name: string, description: string, run: (...given: any[]) => ReturnType<Run>): Command =>
    rules
      .command(name)
      .description(description)
      .action(async (...given) => {
        process.exitCode = await statusOf(() => run(...given), io);
      });

  command('lint', 'list every problem as file:line:column', async (named, o) => {
    const { lintRules } = await import('./rulesets.ts');
    return watched(named, o, io, () => lintRules(named, o, io));
  })
    .argument(...DIRS)
    .addOption(new Option('--format <format>', 'output').choices(['text', 'json', 'github']).default('text'))
    .option('--abi <path>', "compare signatures with a contract's ABI: JSON, artifact, Solidity, or a folder")
    .option('--node', 'ask RPC_URL whether the listed contracts hold what their shapes name')
    .addOption(new Option('--codes', 'list what each code means').conflicts('watch'))
    .option(...WATCH);

  command('test', 'run the examples beside the rules', async (named, o) => {
    const { testRules } = await import('./testRules.ts');
    return watched(named, o, io, () => testRules(named, o, io));
  })
    .argument(...DIRS)
    .option('--junit <file>', 'write JUnit XML')
    .option('--rule <slug>', 'only this rule')
    .option(RECORDED[0], 'where recordings lie (default: recordings of overlays, test/recordings)')
    .option(...WATCH);

  command('fmt', 'write rule files in the canonical layout', async (named, o) =>
    (await import('./formatRules.ts')).formatRules(named, o, io),
  )
    .argument(...DIRS)
    .option('--check', 'change nothing; fail when a file differs', false);

  command('lock', 'pin the meaning of every slug and version in ruleset.lock', async (named, o) =>
    (await import('./lockRules.ts')).lockRules(named, o, io),
  )
    .argument(...DIRS)
    .option('--check', 'change nothing; fail when a meaning changed and its version did not', false)
    .option('--force', 'overwrite entries whose meaning changed under the same version', false);

  command('pack', 'pack an overlay into one versioned file that RULES_DIR takes', async (dir, o) =>
    (await import('./lockRules.ts')).packRules(dir, o, io),
  )
    .argument('<dir>', 'overlay with ruleset.yaml and ruleset.lock')
    .option('--out <file>', 'default: <name>-<version>.txrules');

  command('lsp', 'language server for editors, on standard input and output', async () =>
    (await import('../../lsp/server.ts')).serveLanguage(process.stdin, process.stdout),
  ).option('--stdio', 'as editors call it: standard input and output (always so)');

  command('explain', 'tell what a transaction was taken for, and why not for something else', async (tx, o) =>
    (await import('./explainTx.ts')).explainTx(tx, o, io),
  )
    .argument('<tx>', 'hash (recorded, or asked of RPC_URL), name of a recording, or path of one')
    .option('--rule <slug>', 'only this rule, condition by condition, for every candidate')
    .option('--actor <address>', 'as this account')
    .option('--full', 'every rule and every candidate', false)
    .option('--facts', 'list the facts', false)
    .option(...OVERLAID)
    .option(...RECORDED);

  command(
    'coverage',
    'list conditions that no recording or example ever made true, or false',
    async (named, o) => (await import('./coverage.ts')).coverRules(named, o, io),
  )
    .argument(...DIRS)
    .option(...ALL_RECORDED)
    .option('--strict', 'fail when there are any', false);

  command('diff', 'judge every recording by two rulesets and list what differs', async (other, o) =>
    (await import('./coverage.ts')).diffRulesets(other, o, io),
  )
    .argument('<ruleset>', 'directory of the other ruleset, or base and overlays with commas')
    .option(...OVERLAID)
    .option(...ALL_RECORDED);

  command(
    'new',
    'draft shape, protocol, intent and examples from an ABI, from events or from a transaction',
    async (o) => (await import('./newRule.ts')).newRule(o, io),
  )
    .option('--abi <file>', 'JSON, artifact or Solidity of a contract: drafts its events')
    .option('--event <signature...>', 'event as in Solidity; several are one family')
    .option('--tx <tx>', 'hash or recording: drafts an intent; with --dir what no shape recognises in it')
    .option('--name <name>', 'name of the family and protocol')
    .option('--address <address>', 'contract that emits the events, checksummed')
    .option('--own', 'a motif kind and intent of its own for each event')
    .option(
      '--dir <folder>',
      'overlay to write to; files that exist are left alone (default: standard output)',
    )
    .addOption(
      new Option('--examples <shape>', 'of version 2.0: examples are drawn by rules test').hideHelp(),
    )
    .option('--slug <slug>')
    .option('--intent <kind>', 'intent kind (default: what the rules say now)')
    .option('--out <file>', 'default: standard output')
    .option(...OVERLAID)
    .option(...RECORDED);

  command(
    'import',
    'draft names of arguments, protocol and shape from a clear-signing descriptor',
    async (o) => (await import('./erc7730/importDescriptor.ts')).importDescriptor(o, io),
  )
    .requiredOption('--erc7730 <file>', 'ERC-7730 descriptor; what it includes lies beside it')
    .option('--name <name>', 'name of the protocol (default: as the descriptor says)')
    .option('--dir <folder>', 'overlay to write to (default: standard output)')
    .option(...OVERLAID);

  command('export', "write a clear-signing descriptor of a protocol's functions, for wallets", async (o) =>
    (await import('./erc7730/exportDescriptor.ts')).exportDescriptor(o, io),
  )
    .requiredOption('--erc7730 <protocol>', 'slug of the protocol')
    .option(...OVERLAID);

  command(
    'playground',
    'try rules on transactions in the viewer, as they are written; nothing is saved',
    async (o) => (await import('../viewCommands.ts')).playground(o),
  )
    .addOption(portOption())
    .option('--no-open', 'print the address and open no browser')
    .option('--rpc <urls>', 'node for transactions that are not recorded (default: RPC_URL)')
    .option(RECORDED[0], 'where recordings lie (default: overlays, test/recordings, the demo)');

  command('record', 'save a transaction as the node of RPC_URL tells it, for examples', async (hash, o) =>
    (await import('./loadTx.ts')).recordTx(hash, o, io),
  )
    .argument('<hash>')
    .requiredOption('--name <name>', 'name of the recording')
    .option('--out <folder>', 'where to write; left out, the command asks')
    .option(...OVERLAID);
}

/** Runs a command; an error that the user can mend is printed, and the status is 1. */
async function statusOf(run: Run, io: CliIo): Promise<number> {
  try {
    return (await run()) ?? 0;
  } catch (error) {
    if (!(error instanceof CliError || error instanceof AnalysisError)) throw error;
    io.err(error.message);
    return 1;
  }
}

/** Runs a command once, or with `--watch` after every change of the rules. */
async function watched(
  named: readonly string[],
  { watch }: { readonly watch?: boolean },
  io: CliIo,
  run: Run,
): Promise<number | void> {
  if (!watch) return run();
  const { directoriesChanged } = await import('../../../rules/read/watchRulebook.ts');
  const { rulesetDirs } = await import('./rulesets.ts');
  const changed = directoriesChanged(rulesetDirs(named));
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  let status = await statusOf(run, io);
  while (await passes(INTERVAL_MS, interrupted.signal)) {
    if (!changed()) continue;
    io.out('');
    status = await statusOf(run, io);
  }
  return status;
}

const INTERVAL_MS = 300;

/** Waits; resolves to false as soon as the signal aborts. */
const passes = (ms: number, signal: AbortSignal): Promise<boolean> =>
  wait(ms, true, { signal }).catch(() => false);
