import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Command } from 'commander';
import type { SimulationRequest } from '../../model/simulation.ts';
import type { TxReport } from '../../model/generated/report.ts';
import type { PreviewReport } from '../preview/preview.ts';
import { attempt } from '../../lib/attempt.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import { CliError, type CommonOptions } from './cliIo.ts';

const HELP = `
Runs a transaction on the node's state without sending it, and reports what it would do. Give --raw, or --to
with --data and --value, or a request as a wallet sends it on standard input: the parameters of
eth_sendTransaction or of wallet_sendCalls.

Examples:
  txreport preview --from 0x… --to 0x… --data 0x… --value 1000000000000000000
  txreport preview --raw 0x02f8…
  txreport preview --json < request.json
  txreport preview --raw 0x02f8… --expect expected.json
  txreport preview --raw 0x02f8… --fail-on-warning && send 0x02f8…

Amounts are wei, as 0x… or decimal. --known: a file with an address a line, those you have dealt with.
--expect: a JSON file {intent_kind, least_received, most_sent, allowed_spenders}, amounts in whole units by
token address or native.

Exit status: 0 preview printed, 1 it would fail, the expectation does not hold, there is a warning
(--fail-on-warning) or there is no preview, 2 wrong arguments or configuration`;

type PreviewOptions = CommonOptions & { readonly failOnWarning?: boolean } & {
  readonly [Name in
    | ('raw' | 'from' | 'to' | 'data' | 'value' | 'gas' | 'block')
    | ('stateOverride' | 'known' | 'expect')]?: string;
};

function file(path: string): string {
  const text = attempt(() => readFileSync(path, 'utf8'));
  if (text === undefined) throw new InvalidArgumentError('must be a file that can be read');
  return text;
}

/** `txreport preview`: the effects of a transaction, before it is sent. */
export const previewCommand = new Command('preview')
  .description('simulate a transaction and show what it would do')
  .option('--raw <hex>', 'a signed transaction')
  .option('--from <address>', 'sender')
  .option('--to <address>', 'recipient or contract; left out: a contract is created')
  .option('--data <hex>', 'calldata')
  .option('--value <wei>', 'ether sent with it')
  .option('--gas <limit>', 'gas limit')
  .option('--block <block>', 'the state after this block: number, latest or pending', 'latest')
  .option('--state-override <file>', 'JSON file of state overrides, as geth takes them', file)
  .option('--known <file>', 'addresses you have dealt with, one a line', file)
  .option('--expect <file>', 'what must come out, as JSON', file)
  .option('--fail-on-warning', 'exit status 1 on any warning')
  .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
  .option('--json', 'print the preview as JSON')
  .option('--full', 'print addresses in full')
  .addHelpText('after', HELP)
  .action(preview);

async function preview(options: PreviewOptions): Promise<void> {
  const { readCliConfig } = await import('./openAnalyzer.ts');
  const { openPreviewer, asReport } = await import('../preview/preview.ts');
  const { readOverrides } = await import('../preview/readRequest.ts');
  const { readExpectation, differences } = await import('../preview/expectation.ts');
  const config = readCliConfig();
  try {
    const overrides = json(options.stateOverride, '--state-override');
    readOverrides(overrides);
    const request = await requestOf(options, overrides);
    const wanted = options.expect === undefined ? null : json(options.expect, '--expect');
    const expectation = wanted === null ? {} : readExpectation(wanted);
    await using previewer = await openPreviewer(config);
    const report = await previewer.preview(request, { known: addressesIn(options.known) });
    if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    else await print(report.warnings, asReport(report), options);
    if (isUnwelcome(report, options)) process.exitCode = 1;
    if (wanted === null) return;
    for (const difference of differences(report, expectation)) {
      process.stderr.write(`not as expected: ${difference}\n`);
      process.exitCode = 1;
    }
  } catch (error) {
    throw error instanceof AnalysisError ? new CliError(`preview failed: ${error.message}`, 1) : error;
  }
}

/** A certain failure; with --fail-on-warning any warning. */
const isUnwelcome = ({ execution, warnings }: PreviewReport, { failOnWarning }: PreviewOptions): boolean =>
  execution.reverted || (failOnWarning === true && warnings.length > 0);

async function requestOf(options: PreviewOptions, stateOverrides: unknown): Promise<SimulationRequest> {
  const { readAny } = await import('../preview/readRequest.ts');
  const { raw, from, to, data, value, gas, block } = options;
  const given = from === undefined ? undefined : { from, to, data, value };
  const text = raw !== undefined || given || process.stdin.isTTY ? '' : readFileSync(0, 'utf8');
  if (raw === undefined && !given && text.trim() === '')
    throw new CliError('give --raw, or --from, or a request on standard input');
  const request = raw ?? given ?? json(text, 'standard input');
  return readAny(request, { gas, block, stateOverrides });
}

function json(text: string | undefined, what: string): unknown {
  const value = text === undefined ? undefined : parseJson(text);
  if (text !== undefined && value === undefined) throw new CliError(`${what} must be JSON`);
  return value;
}

const addressesIn = (text = ''): string[] => text.match(/(?<!\S)0x[0-9a-fA-F]{40}(?!\S)/g) ?? [];

async function print(
  warnings: PreviewReport['warnings'],
  report: TxReport,
  options: PreviewOptions,
): Promise<void> {
  const { renderReport } = await import('./renderReport.ts');
  for (const { code, text } of warnings) process.stdout.write(`! ${text} (${code})\n`);
  if (warnings.length > 0) process.stdout.write('\n');
  process.stdout.write(renderReport(report, options));
}
