import { Command } from 'commander';
import type { TxReport as ClientReport } from '../client/report.ts';
import type { TxReport } from '../../model/generated/report.ts';
import { CliError, requireTxHash, type CommonOptions } from './cliIo.ts';

const HELP = `
Examples:
  txreport analyze 0x…
  txreport analyze 0x… --json > report.json
  txreport analyze 0x… --json | jq .classification
  txreport analyze 0x… --as 0x…

Exit status: 0 report printed, 1 analysis failed, 2 wrong arguments or configuration`;

interface AnalyzeOptions extends CommonOptions {
  readonly as?: string;
}

/** `txreport analyze`: one transaction as text for people, or as the service's JSON. */
export const analyzeCommand = new Command('analyze')
  .description('analyze one transaction and show its report')
  .argument('<hash>', 'transaction hash, or an explorer’s link to it')
  .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
  .option('--json', 'print the report as the service would send it')
  .option('--full', 'print addresses in full')
  .option('--verbose', 'print ids, raw integers and the place of each proof as well')
  .option('--as <address>', 'show one account’s side of it: sent, received, positions, allowances')
  .addHelpText('after', HELP)
  .action(analyze);

async function analyze(text: string, options: AnalyzeOptions): Promise<void> {
  const hash = requireTxHash(text);
  const { openAnalyzer } = await import('./openAnalyzer.ts');
  const { renderReport } = await import('./renderReport.ts');
  await using analyzer = await openAnalyzer();
  const json = await analyzer.analyze(hash);
  const report = JSON.parse(json) as TxReport;
  if (options.as !== undefined) await printSide(report, options.as, options.json ?? false);
  else process.stdout.write(options.json ? `${json}\n` : renderReport(report, options));
}

/** Prints one account's side of a report. Throws `CliError` where the report does not mention the account. */
async function printSide(report: TxReport, account: string, asJson: boolean): Promise<void> {
  const { seenBy } = await import('../client/seenBy.ts');
  const { renderSide } = await import('./renderReport.ts');
  const side = seenBy(report as ClientReport, account);
  if (side === null) throw new CliError(`the report does not mention ${account.slice(0, 100)}`);
  process.stdout.write(asJson ? `${JSON.stringify(side)}\n` : renderSide(side, report));
}
