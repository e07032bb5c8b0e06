import type { Command } from 'commander';
import pc from 'picocolors';
import type { TxReport } from '../../model/generated/report.ts';
import type { Anew, Verification } from '../verify/verifyReport.ts';
import type { Analyzer } from './openAnalyzer.ts';

const HELP = `
A file holds one report, or one a line (NDJSON, as batch writes it); - is standard input. The node should be another one
than the service asked, if you do not trust that one.

First the transaction is analysed anew and the two reports are compared word for word, where engine and ruleset are the
same. Then checks that share no code with the analysis hold the report against the node's raw answers. The output
names what was checked and what was not.

Examples:
  txreport analyze 0x… --json | txreport verify -
  txreport verify reports.ndjson --rpc https://another-node.example

Exit status: 0 nothing checked is wrong, 1 something is, 2 nothing could be checked`;

interface VerifyOptions {
  readonly rpc?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly anew: boolean;
  readonly prices?: boolean;
}

/** `txreport verify`: a report held against an analysis made anew and against the node's raw answers. */
export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description(
      'check a report against the node: analysed anew, and by checks that share no code with the analysis',
    )
    .argument('<files...>', 'reports, as the service sent them')
    .option('--rpc <url>', 'node to ask (default: the first of RPC_URL)')
    .option('--no-anew', 'run only the independent checks')
    .option('--prices', 'read the price feeds named in the report again, at its block')
    .option('--json', 'print findings and coverage as JSON, one entry per report')
    .option('-q, --quiet', 'print only what does not hold')
    .addHelpText('after', HELP)
    .action(async (files: string[], options: VerifyOptions) => {
      process.exitCode = await verify(files, options);
    });
}

async function verify(files: readonly string[], options: VerifyOptions): Promise<number> {
  const rpcUrl = (options.rpc ?? process.env['RPC_URL'])?.split(',')[0]?.trim();
  const fail = (message: string): 2 => (process.stderr.write(`${message}\n`), 2);
  if (!rpcUrl) return fail('no node to ask: give --rpc or set RPC_URL');
  const [
    { readReports },
    { publishedSchemaErrors },
    { CliError },
    { contractReader, fetchRawAnswers, NodeUnreachable },
    { verifyTwice },
  ] = await Promise.all([
    import('./readReports.ts'),
    import('./publishedSchema.ts'),
    import('./rules/cliIo.ts'),
    import('../verify/fetchRawAnswers.ts'),
    import('../verify/verifyReport.ts'),
  ]);
  const analyzer = options.anew ? await (await import('./openAnalyzer.ts')).openAnalyzer(options.rpc) : null;
  if (options.anew && analyzer === null) return 2;
  const all: (Verification & { tx_hash: string })[] = [];
  try {
    for (const file of files)
      for await (const { name, value } of readReports(file)) {
        const faults = publishedSchemaErrors(value);
        if (faults.length > 0)
          return fail(`${name} is not a valid report:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
        const report = value as TxReport;
        const answers = await fetchRawAnswers(rpcUrl, report.tx.hash);
        const verification = await verifyTwice(report, {
          answers,
          anew: await analyzeAnew(report.tx.hash, analyzer),
          read: contractReader(rpcUrl, report.tx.block_number),
          prices: options.prices ?? false,
        });
        all.push({ tx_hash: report.tx.hash, ...verification });
        if (!options.json) show(report.tx.hash, verification, options.quiet ?? false);
      }
  } catch (error) {
    if (error instanceof NodeUnreachable || error instanceof CliError) return fail(error.message);
    throw error;
  } finally {
    await analyzer?.close();
  }
  if (options.json) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  return all.every(({ findings }) => findings.length === 0) ? 0 : 1;
}

async function analyzeAnew(hash: string, analyzer: Analyzer | null): Promise<Anew> {
  if (analyzer === null) return { missing: '--no-anew' };
  const { AnalysisError } = await import('../../lib/errors.ts');
  try {
    return { report: JSON.parse(await analyzer.analyze(hash)) as TxReport };
  } catch (error) {
    if (error instanceof AnalysisError) return { missing: `the analysis failed: ${error.message}` };
    throw error;
  }
}

function show(hash: string, { findings, checked, notChecked }: Verification, quiet: boolean): void {
  if (findings.length === 0 && quiet) return;
  const verdict = findings.length === 0 ? pc.green('holds') : pc.red('fails');
  process.stdout.write(`${verdict}  ${hash}\n`);
  for (const { check, at, message } of findings)
    process.stdout.write(`  ${pc.red(check.padEnd(12))} ${pc.dim(at)}  ${message}\n`);
  if (quiet) return;
  process.stdout.write(`  ${pc.dim(`checked: ${checked.join(', ')}`)}\n`);
  for (const { what, why } of notChecked)
    process.stdout.write(`  ${pc.yellow('not checked')} ${what}: ${why}\n`);
}
