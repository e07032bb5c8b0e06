import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { CliError, defectText } from './cliIo.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { createMask, maskStandardError } from '../../lib/mask.ts';
import { splitList } from '../../lib/text.ts';
import { RulebookError } from '../../rules/read/problems.ts';

// The reader of a pipe may close it early: `txreport batch … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// By default the signal opens an inspector, through which anybody on the machine can run code here.
process.on('SIGUSR1', () => {});
maskStandardError(createMask(addressesGiven(process.argv)));
try {
  await createProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    process.stderr.write(`${describe(error as Error)}\n`);
    process.exitCode = error instanceof CliError ? error.exitCode : error instanceof RulebookError ? 2 : 1;
  }
}

function describe(error: Error): string {
  if (error instanceof CliError || error instanceof RulebookError) return error.message;
  if (error instanceof AnalysisError) return `analysis failed: ${error.message}`;
  const missing = /^Cannot find package '([^']+)'/.exec(error.message)?.[1];
  if (missing !== undefined)
    return `this command needs the package ${missing}, which is not installed: npm install ${missing}`;
  return defectText(error);
}

/** Addresses that may hold a key, from the arguments and the environment. */
function addressesGiven(args: readonly string[]): string[] {
  const given = args.map((arg, i) => (args[i - 1] === '--rpc' ? arg : /^--rpc=(.*)$/s.exec(arg)?.[1]));
  const { RPC_URL, TRACE_URL, PRICE_API_URL, OTEL_EXPORTER_OTLP_ENDPOINT } = process.env;
  const set = [RPC_URL, TRACE_URL, PRICE_API_URL, OTEL_EXPORTER_OTLP_ENDPOINT];
  const entries = [...given, ...set].flatMap(splitList);
  return entries.map((entry) => entry.replace(/^[\w-]+=(?=https?:)/, '')).filter((url) => url.includes('/'));
}
