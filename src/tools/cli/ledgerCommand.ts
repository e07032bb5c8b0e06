import { writeFileSync } from 'node:fs';
import { getAddress, isAddress } from 'viem/utils';
import type { Command } from 'commander';
import { CliError } from './cliIo.ts';
import type { LedgerFormat } from '../ledger/writeLedger.ts';

const HELP = `
Reports come from files or standard input (-), as analyze --json and batch write them. One row is
one economic event of the account; a transaction that does not concern the account has none. Cost
bases and lots are left to the tax program.

Examples:
  txreport batch hashes.txt --out reports.ndjson
  txreport ledger reports.ndjson --account 0x… --out koinly.csv
  txreport ledger reports.ndjson --account 0x… --format double-entry

Exit status: 0 written, 2 called wrongly or a file cannot be read`;

interface LedgerOptions {
  readonly account: readonly string[];
  readonly format: string;
  readonly out?: string;
}

/** `txreport ledger`: reports as CSV for tax programs and bookkeeping. */
export function addLedgerCommand(program: Command): void {
  program
    .command('ledger')
    .description('write what reports say of an account as CSV for tax programs and bookkeeping')
    .argument('[files...]', 'reports, one document or NDJSON', ['-'])
    .requiredOption('--account <address...>', 'the account, or several that belong together')
    .option('--format <name>', 'koinly or double-entry', 'koinly')
    .option('--out <file>', 'write to a file instead of standard output')
    .addHelpText('after', HELP)
    .action(async (files: string[], options: LedgerOptions) => {
      process.exitCode = await ledger(files, options);
    });
}

async function ledger(files: readonly string[], options: LedgerOptions): Promise<number> {
  const fail = (message: string): 2 => (process.stderr.write(`${message}\n`), 2);
  const wrong = options.account.find((account) => !isAddress(account, { strict: false }));
  if (wrong !== undefined) return fail(`not an address: ${wrong.slice(0, 100)}`);
  const format = await formatNamed(options.format);
  if (format === null) return fail(`unknown format ${options.format.slice(0, 100)}: koinly or double-entry`);
  const accounts = options.account.map((account) => getAddress(account.toLowerCase()));
  const { LedgerError } = await import('../ledger/writeLedger.ts');
  let text: string;
  try {
    text = await writeRows(files, accounts, format);
  } catch (error) {
    if (error instanceof CliError || error instanceof LedgerError) return fail(error.message);
    throw error;
  }
  if (options.out === undefined) {
    process.stdout.write(text);
    return 0;
  }
  try {
    writeFileSync(options.out, text);
    return 0;
  } catch (error) {
    return fail(`cannot write ${options.out}: ${(error as Error).message}`);
  }
}

/** The CSV of all reports. Throws `CliError` or `LedgerError` for the first report that cannot be written. */
async function writeRows(
  files: readonly string[],
  accounts: readonly string[],
  format: LedgerFormat,
): Promise<string> {
  const [{ readValidReports }, { ledgerEvent }, { csv }] = await Promise.all([
    import('./readReports.ts'),
    import('../ledger/writeLedger.ts'),
    import('../ledger/writeLedger.ts'),
  ]);
  let text = csv([format.columns]);
  for (const file of files)
    for await (const report of readValidReports(file)) {
      const events = accounts.map((account) => ledgerEvent(report, account));
      text += csv(events.flatMap((event) => (event === null ? [] : format.rows(event))));
    }
  return text;
}

async function formatNamed(name: string): Promise<LedgerFormat | null> {
  const { DOUBLE_ENTRY, koinly } = await import('../ledger/writeLedger.ts');
  if (name === 'double-entry') return DOUBLE_ENTRY;
  if (name !== 'koinly') return null;
  const { loadRules } = await import('../../service/loadRules.ts');
  const labels = [...loadRules().intentKinds.values()].flatMap(({ kind, ledgerLabel }): [string, string][] =>
    ledgerLabel === null ? [] : [[kind, ledgerLabel]],
  );
  return koinly(new Map(labels));
}
