import type { Command } from 'commander';
import pc from 'picocolors';
import type { TxReport } from '../../model/generated/report.ts';
import type { Finding } from '../verify/finding.ts';

const HELP = `
A file holds one report, or one a line (NDJSON, as batch writes it); - is standard input. The node should be another one
than the service asked, if you do not trust that one.

Examples:
  txreport analyze 0x… --json | txreport verify -
  txreport verify reports.ndjson --rpc https://another-node.example

Exit status: 0 every claim holds, 1 some do not, 2 nothing could be checked`;

interface VerifyOptions {
  readonly rpc?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `txreport verify`: every claim of a report, held against the node's raw answers. */
export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description(
      're-derive every claim of a report from the node’s raw answers, with none of the code that made it',
    )
    .argument('<files...>', 'reports, as the service sent them')
    .option('--rpc <url>', 'node to ask (default: the first of RPC_URL)')
    .option('--json', 'print the findings as JSON')
    .option('-q, --quiet', 'tell only what does not hold')
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
    { fetchRawAnswers, NodeUnreachable },
    { verifyReport },
  ] = await Promise.all([
    import('./readReports.ts'),
    import('./publishedSchema.ts'),
    import('./rules/cliIo.ts'),
    import('../verify/fetchRawAnswers.ts'),
    import('../verify/verifyReport.ts'),
  ]);
  const all: (Finding & { tx_hash: string })[] = [];
  try {
    for (const file of files)
      for await (const { name, value } of readReports(file)) {
        const faults = publishedSchemaErrors(value);
        if (faults.length > 0)
          return fail(`${name} is not a valid report:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
        const report = value as TxReport;
        const findings = verifyReport(report, await fetchRawAnswers(rpcUrl, report.tx.hash));
        all.push(...findings.map((finding) => ({ ...finding, tx_hash: report.tx.hash })));
        if (!options.json) show(report.tx.hash, findings, options.quiet ?? false);
      }
  } catch (error) {
    if (error instanceof NodeUnreachable || error instanceof CliError) return fail(error.message);
    throw error;
  }
  if (options.json) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  return all.length === 0 ? 0 : 1;
}

function show(hash: string, findings: readonly Finding[], quiet: boolean): void {
  if (findings.length === 0) {
    if (!quiet) process.stdout.write(`${pc.green('holds')}  every claim of ${hash} agrees with the node\n`);
    return;
  }
  process.stdout.write(`${pc.red('fails')}  ${hash}\n`);
  for (const { check, at, message } of findings)
    process.stdout.write(`  ${pc.red(check.padEnd(12))} ${pc.dim(at)}  ${message}\n`);
}
