import type { Command } from 'commander';
import type { TxReport as ClientReport } from '../client/report.ts';
import type { TxReport } from '../../model/generated/report.ts';
import { readTxHash, whyNoTxHash } from '../client/txHash.ts';

const HELP = `
Examples:
  txreport analyze 0x…
  txreport analyze 0x… --json > report.json
  txreport analyze 0x… --json | jq .classification
  txreport analyze 0x… --as 0x…

Exit status: 0 report printed, 1 analysis failed, 2 wrong arguments or configuration`;

interface AnalyzeOptions {
  readonly rpc?: string;
  readonly json?: boolean;
  readonly full?: boolean;
  readonly verbose?: boolean;
  readonly as?: string;
}

/** `txreport analyze`: one transaction as text for people, or as the service's JSON. */
export function addAnalyzeCommand(program: Command): void {
  program
    .command('analyze')
    .description('analyze one transaction and show its report')
    .argument('<hash>', 'transaction hash, or an explorer’s link to it')
    .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
    .option('--json', 'print the report as the service would send it')
    .option('--full', 'print addresses in full')
    .option('--verbose', 'print ids, raw integers and the place of each proof as well')
    .option('--as <address>', 'show one account’s side of it: sent, received, positions, allowances')
    .addHelpText('after', HELP)
    .action(async (hash: string, options: AnalyzeOptions) => {
      process.exitCode = await analyze(hash, options);
    });
}

async function analyze(text: string, options: AnalyzeOptions): Promise<number> {
  const hash = readTxHash(text);
  if (hash === null) {
    process.stderr.write(`invalid tx_hash \`${text.slice(0, 100)}\`: ${whyNoTxHash(text)}\n`);
    return 2;
  }
  const [{ openAnalyzer }, { AnalysisError }, { renderReport }] = await Promise.all([
    import('./openAnalyzer.ts'),
    import('../../lib/errors.ts'),
    import('./renderReport.ts'),
  ]);
  const analyzer = await openAnalyzer(options.rpc);
  if (analyzer === null) return 2;
  try {
    const json = await analyzer.analyze(hash);
    const report = JSON.parse(json) as TxReport;
    if (options.as !== undefined) return await printSide(report, options.as, options.json ?? false);
    process.stdout.write(options.json ? `${json}\n` : renderReport(report, options));
    return 0;
  } catch (error) {
    if (!(error instanceof AnalysisError)) throw error;
    process.stderr.write(`analysis failed: ${error.message}\n`);
    return 1;
  } finally {
    await analyzer.close();
  }
}

/** Prints one account's side of a report; 2 where the report does not mention the account. */
async function printSide(report: TxReport, account: string, asJson: boolean): Promise<number> {
  const [{ seenBy }, { renderSide }] = await Promise.all([
    import('../client/seenBy.ts'),
    import('./renderSide.ts'),
  ]);
  const side = seenBy(report as ClientReport, account);
  if (side === null) {
    process.stderr.write(`the report does not mention ${account.slice(0, 100)}\n`);
    return 2;
  }
  process.stdout.write(asJson ? `${JSON.stringify(side)}\n` : renderSide(side, report));
  return 0;
}
