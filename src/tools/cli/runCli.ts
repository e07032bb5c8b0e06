import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { CliError, defectText } from './cliIo.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { createMask, maskStandardError } from '../../lib/mask.ts';
import { CONNECTION_CAUSES, type ConnectionCause } from '../../stages/1-fetch/rpc/connectionCause.ts';
import { readPasted } from '../pasted.ts';
import { splitList } from '../../lib/text.ts';
import { RulebookError } from '../../rules/read/problems.ts';

// The reader of a pipe may close it early: `txreport batch … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// By default the signal opens an inspector, through which anybody on the machine can run code here.
process.on('SIGUSR1', () => {});
maskStandardError(createMask(addressesGiven(process.argv)));
try {
  await createProgram().parseAsync(withCommand(process.argv));
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    process.stderr.write(`${describe(error as Error)}\n`);
    process.exitCode = error instanceof CliError ? error.exitCode : error instanceof RulebookError ? 2 : 1;
  }
}

/** A pasted hash, link or block in place of a command is analysed. */
function withCommand([node = '', script = '', first = '', ...rest]: readonly string[]): string[] {
  const { kind } = readPasted(first);
  const isPasted = kind === 'transaction' || (kind !== 'unknown' && /^\s*(?:0x|\d)|[./]/i.test(first));
  const command = isPasted ? [kind === 'block' ? 'block' : 'analyze'] : [];
  return [node, script, ...command, ...(first === '' ? [] : [first]), ...rest];
}

/** Why an analysis failed, with the cause of a failed connection. */
function failure({ message, code, cause }: AnalysisError): string {
  if (code === 'transaction_not_found')
    return `${message}. Only Ethereum mainnet is analysed; a block’s hash goes to txreport block`;
  const why = CONNECTION_CAUSES[cause as ConnectionCause];
  return why === undefined ? message : `${message}: ${why} (txreport doctor tests the node)`;
}

function describe(error: Error): string {
  if (error instanceof CliError || error instanceof RulebookError) return error.message;
  if (error instanceof AnalysisError) return `analysis failed: ${failure(error)}`;
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
