import type { Command } from 'commander';
import type { TxReport } from '../../model/generated/report.ts';
import { readTxHash, whyNoTxHash } from '../client/txHash.ts';

const HELP = `
Examples:
  txreport analyze 0x…
  txreport analyze 0x… --json > report.json
  txreport analyze 0x… --json | jq .classification

Exit status: 0 report printed, 1 analysis failed, 2 wrong arguments or configuration`;

interface AnalyzeOptions {
  readonly rpc?: string;
  readonly json?: boolean;
  readonly full?: boolean;
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
    process.stdout.write(
      options.json
        ? `${json}\n`
        : renderReport(JSON.parse(json) as TxReport, { full: options.full ?? false }),
    );
    return 0;
  } catch (error) {
    if (!(error instanceof AnalysisError)) throw error;
    process.stderr.write(`analysis failed: ${error.message}\n`);
    return 1;
  } finally {
    await analyzer.close();
  }
}
