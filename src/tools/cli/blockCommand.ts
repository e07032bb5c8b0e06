import { Command } from 'commander';
import type { TxReport } from '../../model/generated/report.ts';
import { portOption, served, show, type ViewerOptions } from './viewCommands.ts';

const HELP = `
One line per transaction, then what several of them show together: sandwiches with their victims and
losses, back-runs, liquidity around one trade, and what the builder earned. Each finding says whether
it is Proven or Suspected, and why. --json prints one object: the block, its reports (each with
in_block: its place and its part in findings) and the findings. Where transactions have no report,
findings are of a part of the block: the text says so, and "partial" is true.

Examples:
  txreport block 17073191
  txreport block latest --json | jq .findings
  txreport block 17073191 --view

Exit status: 0 every transaction has a report, 1 some have none, 2 wrong arguments or configuration`;

interface BlockCommandOptions extends ViewerOptions {
  readonly view?: boolean;
}

/** `txreport block`: one block's transactions and findings. */
export const blockCommand = new Command('block')
  .description('analyze one block: its transactions, and what several of them show together')
  .argument('<block>', 'number, hash, or latest')
  .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
  .option('--json', 'print everything as one JSON object')
  .option('--view', 'open the block in the viewer')
  .addOption(portOption('with --view: port to listen on'))
  .option('--no-open', 'with --view: print the address and open no browser')
  .addHelpText('after', HELP)
  .action(runBlock);

async function runBlock(text: string, options: BlockCommandOptions): Promise<void> {
  const { analyzeOneBlock } = await import('./blocks/oneBlock.ts');
  const found = await analyzeOneBlock(text);
  const reports = found.reports.map((json) => JSON.parse(json) as TxReport);
  for (const { tx_hash, error } of found.failures) process.stderr.write(`${tx_hash}: ${error}\n`);
  const { renderBlock, inBlock, linesOfTransactions } = await import('./blocks/renderBlock.ts');
  const block = { ...found, number: Number(found.number), reports };
  if (options.view) return view(reports, linesOfTransactions(block), options);
  const { number, hash, transactions, indexes, findings, failures } = block;
  const partial = failures.length > 0;
  const toJson = (): string =>
    JSON.stringify({
      schema_version: 1,
      block: { number, hash, transactions, partial },
      transactions: reports.map((one, i) => ({ ...one, in_block: inBlock(one, indexes[i]!, findings) })),
      findings,
      failures,
    });
  process.stdout.write(options.json ? `${toJson()}\n` : renderBlock(block));
  if (partial) process.exitCode = 1;
}

/** Serves the viewer, with the block's transactions on its start page. */
function view(
  reports: readonly TxReport[],
  lines: readonly string[],
  options: BlockCommandOptions,
): Promise<void> {
  const examples = reports.map(({ tx }, i) => [tx.hash, lines[i]!] as const);
  return show(options, { analyze: served(reports, 'only this block is served'), examples }, '/');
}
