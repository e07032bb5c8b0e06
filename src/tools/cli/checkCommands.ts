import { Command } from 'commander';
import pc from 'picocolors';
import { splitList } from '../../lib/text.ts';
import { terminalWidth, wrap } from './layout.ts';
import { CliError, outliveReader, type CommonOptions } from './cliIo.ts';
import type { VerifierOptions } from './openVerifier.ts';
import type { Verdict, Verification } from '../verify/verifyReport.ts';

const VALIDATE_HELP = `
A file holds one report, or one per line (NDJSON, as batch writes it); - is standard input.

Examples:
  txreport validate report.json
  txreport validate reports-*.ndjson --quiet

Exit status: 0 every report is valid, 1 one is not, 2 a file cannot be read`;

/** `txreport validate`: checks reports against the published JSON Schema. */
export const validateCommand = new Command('validate')
  .description('check reports against the published JSON Schema')
  .argument('<files...>', 'reports to check')
  .option('-q, --quiet', 'print problems only')
  .addHelpText('after', VALIDATE_HELP)
  .action(async (files: string[], { quiet = false }: { quiet?: boolean }) => {
    outliveReader();
    process.exitCode = await validate(files, quiet);
  });

async function validate(files: readonly string[], quiet: boolean): Promise<number> {
  const { readReports, publishedSchemaErrors } = await import('./readReports.ts');
  let worst = 0;
  for (const file of files) {
    try {
      for await (const { name, value } of readReports(file)) {
        const faults = publishedSchemaErrors(value);
        if (faults.length > 0) worst = Math.max(worst, 1);
        if (faults.length > 0 || !quiet)
          process.stdout.write(
            faults.length === 0 ? `${name}: valid\n` : faults.map((fault) => `${name}: ${fault}\n`).join(''),
          );
      }
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      process.stderr.write(`${error.message}\n`);
      worst = 2;
    }
  }
  return worst;
}

const VERIFY_HELP = `
A file holds one report, or one per line (NDJSON, as batch writes it); - is standard input. If you
do not trust the node the service asked, give another one.

First the transaction is analysed again and the two reports are compared word for word. Then checks
that share no code with the analysis compare the report with the node's raw answers. A report of
another engine or ruleset cannot be compared: it is "not verified", unless you accept it, and then
it "holds in part": in what the output names as checked.

Examples:
  txreport analyze 0x… --json | txreport verify -
  txreport verify reports.ndjson --rpc https://another-node.example

Exit status: 0 every report holds, or in part where you accepted that, 1 something is wrong,
2 a report is not verified, or could not be read or checked`;

interface VerifyOptions extends CommonOptions, VerifierOptions {
  readonly anew: boolean;
}

/** `txreport verify`: a report held against an analysis made anew and against the node's raw answers. */
export const verifyCommand = new Command('verify')
  .description(
    'check a report against the node: analysed again, and by checks that share no code with the analysis',
  )
  .argument('<files...>', 'reports, as the service sent them')
  .option('--rpc <url>', 'node to ask (default: the first of RPC_URL)')
  .option('--no-anew', 'run only the independent checks: the report holds in part at best')
  .option('--accept-other-ruleset', 'the same where another engine or ruleset made the report')
  .option('--prices', 'read feeds, rates, pools and HTTP prices named in the report again, at its block')
  .option('--json', 'print findings and coverage as JSON, one entry per report')
  .option('-q, --quiet', 'print only what does not hold')
  .addHelpText('after', VERIFY_HELP)
  .action(async (files: string[], options: VerifyOptions) => {
    outliveReader();
    process.exitCode = await verify(files, options);
  });

/** Verifies and prints every report; the exit status. */
async function verify(files: readonly string[], options: VerifyOptions): Promise<0 | 1 | 2> {
  const [rpcUrl] = splitList(process.env['RPC_URL']);
  if (!rpcUrl) throw new CliError('no node to ask: give --rpc or set RPC_URL');
  const { openAnalyzer } = await import('./openAnalyzer.ts');
  await using analyzer = options.anew ? await openAnalyzer() : null;
  const all: (Verification & { tx_hash: string })[] = [];
  const { readValidReports } = await import('./readReports.ts');
  const { openVerifier } = await import('./openVerifier.ts');
  const verifyOne = await openVerifier(rpcUrl, analyzer, options);
  for (const file of files)
    for await (const report of readValidReports(file)) {
      const one = { tx_hash: report.tx.hash, ...(await verifyOne(report)) };
      all.push(one);
      if (!options.json) show(one.tx_hash, one, options.quiet);
    }
  if (options.json) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  const verdicts = new Set(all.map(({ verdict }) => verdict));
  if (verdicts.has('fails')) return 1;
  return verdicts.has('not verified') ? 2 : 0;
}

const COLOUR = {
  holds: pc.green,
  'holds in part': pc.yellow,
  'not verified': pc.red,
  fails: pc.red,
} satisfies Record<Verdict, typeof pc.red>;

function show(hash: string, verification: Verification, quiet = false): void {
  const { verdict, findings, checked, notChecked } = verification;
  if (quiet && verdict.startsWith('holds')) return;
  process.stdout.write(`${COLOUR[verdict](verdict)}  ${hash}\n`);
  for (const { check, at, message } of findings)
    process.stdout.write(`  ${pc.red(check.padEnd(12))} ${pc.dim(at)}  ${message}\n`);
  if (quiet) return;
  const scope = [
    pc.dim(`checked: ${checked.join(', ')}`),
    ...notChecked.map(({ what, why }) => `${pc.yellow('not checked')} ${what}: ${why}`),
  ];
  const room = Math.min(terminalWidth(), 100);
  for (const line of scope.flatMap((text) => wrap(`  ${text}`, room, 4))) process.stdout.write(`${line}\n`);
}
