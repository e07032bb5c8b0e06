import type { Command } from 'commander';
import type { TxReport } from '../../model/generated/report.ts';
import { readTxHash } from './txHash.ts';

const HELP = `
Examples:
  txreport analyze 0x…
  txreport analyze 0x… --json > report.json
  txreport analyze 0x… --json | jq .classification

Exit status: 0 with a report, 1 the analysis failed, 2 called or configured wrongly`;

interface AnalyzeOptions {
  readonly rpc?: string;
  readonly json?: boolean;
  readonly full?: boolean;
}

/** `txreport analyze`: one transaction, for people or as the service's own JSON. */
export function addAnalyzeCommand(program: Command): void {
  program
    .command('analyze')
    .description('analyze one transaction and show its report')
    .argument('<hash>', 'transaction hash: 0x and 64 hexadecimal digits')
    .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
    .option('--json', 'print the report as the service would send it')
    .option('--full', 'write addresses out')
    .addHelpText('after', HELP)
    .action(async (hash: string, options: AnalyzeOptions) => {
      process.exitCode = await analyze(hash, options);
    });
}

async function analyze(text: string, options: AnalyzeOptions): Promise<number> {
  const hash = readTxHash(text);
  if (hash === null) {
    process.stderr.write(
      `invalid tx_hash \`${text.slice(0, 100)}\`: a transaction hash is 0x and 64 hexadecimal digits\n`,
    );
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
