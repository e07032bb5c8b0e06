import { fstatSync } from 'node:fs';
import { Command } from 'commander';
import { CliError, type CommonOptions } from './cliIo.ts';
import type { WriteOptions } from '../ledger/writeBook.ts';
import type { TxReport } from '../../model/generated/report.ts';

const HELP = `
Reports come from files or standard input (-), as analyze --json and batch write them, or, without
files but with --from and --to, from the node, which finds the account's transactions. One row is
one economic event of the account; a transaction that does not concern the account has none. Cost
bases and lots are left to the tax program. Transfers among several accounts given together are one
transfer, no gain or loss. Tokens that imitate others, spam and transfers that nothing shows to be
real are left out and counted on standard error.

Examples:
  txreport batch hashes.txt --out reports.ndjson
  txreport ledger reports.ndjson --account 0x… --out koinly.csv
  txreport ledger reports.ndjson --account 0x… --format beancount --out journal.beancount
  txreport ledger --account 0x… --from 2024-01-01 --to 2024-02-01 --format hledger --opening chain
  txreport ledger reports.ndjson --account 0x… --format ./cointracking.yaml

Exit status: 0 written, 1 written without a transaction that could not be analyzed, 2 called wrongly,
a file cannot be read, or no account has an event`;

interface LedgerOptions extends CommonOptions, WriteOptions {
  readonly account: readonly string[];
  readonly format: string;
}

/** `txreport ledger`: reports as ledgers of tax programs and bookkeeping. */
export const ledgerCommand = new Command('ledger')
  .description('write what reports say of an account for tax programs and bookkeeping')
  .argument('[files...]', 'reports, one document or NDJSON; none, with --from and --to: found by the node')
  .requiredOption('--account <address...>', 'the account, or several that belong together')
  .option('--format <name>', 'koinly, double-entry, beancount, hledger, ledger, or a YAML file', 'koinly')
  .option('--out <file>', 'write to a file instead of standard output')
  .option('--doubtful <file>', 'write what is left out as doubtful to this file')
  .option('--from <start>', 'write from this day (UTC) or block on; earlier reports count for the balances')
  .option('--to <end>', 'write up to this day, not included, or this block, included')
  .option('--opening <source...>', 'opening balances: chain, earlier files of the same book, or none', [
    'none',
  ])
  .option('--balances', 'ask the node for every token, not only those known to change without an event')
  .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
  .option('--currencies <file>', 'read and keep here which placeholder stands for which unlisted asset')
  .addHelpText('after', HELP)
  .action(ledger);

async function ledger(files: readonly string[], options: LedgerOptions): Promise<void> {
  const { readAccounts, readBook, writeBook } = await import('../ledger/writeBook.ts');
  const accounts = readAccounts(options.account);
  checkPeriod(options);
  const { readFormat } = await import('../ledger/ledgerFormat.ts');
  const format = readFormat(options.format);
  const isFinding = files.length === 0 && isPeriod(options) && !isRedirected();
  const isAsked = isFinding || options.balances === true || !options.opening.includes('none');
  const isOpen = isAsked || Boolean(process.env['RPC_URL']);
  await using chain = isOpen ? await (await import('../ledger/openChain.ts')).openChain() : null;
  const source = isFinding ? chain!.find([...accounts], options, say, fail) : readFiles(files);
  const book = await readBook(source, accounts, chain);
  const silent = [...accounts].filter((account) => !book.concerned.has(account));
  if (silent.length > 0) {
    const text = `no event of ${silent.join(', ')} in these reports`;
    if (silent.length === accounts.size) throw new CliError(text);
    say(text);
  }
  await writeBook(book, { format, options, chain: isAsked ? chain : null, say });
}

const isPeriod = ({ from, to }: LedgerOptions): boolean => from !== undefined && to !== undefined;

/** Whether a file or another command is standard input: then the reports are there. */
function isRedirected(): boolean {
  const input = fstatSync(0);
  return input.isFIFO() || input.isFile();
}

function checkPeriod({ from, to }: LedgerOptions): void {
  const isDay = (date: string): boolean => /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date));
  const wrong = [from, to].find((end) => end !== undefined && !isDay(end) && !/^\d{1,12}$/.test(end));
  if (wrong !== undefined) throw new CliError(`not a day as 2024-01-31, nor a block: ${wrong.slice(0, 100)}`);
}

const say = (message: string): void => void process.stderr.write(`${message}\n`);

/** Names a transaction without a report: the ledger is written, and the exit status says so. */
function fail(message: string): void {
  process.exitCode = 1;
  say(message);
}

/** Standard input may be open without a writer: then a message says so. */
const PATIENCE_MS = 3000;

async function* readFiles(files: readonly string[]): AsyncGenerator<TxReport> {
  const { readValidReports } = await import('./readReports.ts');
  const text = 'waiting for reports on standard input (for the node to find them: --from, --to, < /dev/null)';
  const waiting = files.length === 0 ? setTimeout(say, PATIENCE_MS, text) : undefined;
  for (const file of files.length === 0 ? ['-'] : files)
    for await (const report of readValidReports(file)) {
      clearTimeout(waiting);
      yield report;
    }
  clearTimeout(waiting);
}
