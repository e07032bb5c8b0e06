import cluster from 'node:cluster';
import { pathToFileURL } from 'node:url';
import { createServiceAnalyze } from './analyzer.ts';
import { ConfigError, describeSettings, readConfig, type Config } from './config.ts';
import type { Log } from '../lib/log.ts';
import { openLog } from './logOutput.ts';
import { RulebookError } from '../rules/read/problems.ts';
import { serve, type CreateAnalyze, type RunningServer } from './server.ts';
import { processCount, runProcesses } from './workers/processes.ts';

export interface StartOptions extends Partial<Omit<Config, 'rpcUrls'>> {
  /** One endpoint, or several comma-separated. */
  readonly rpcUrl: string;
  /** Defaults to the real pipeline. */
  readonly createAnalyze?: CreateAnalyze;
  readonly log?: Log;
}

/** Starts the service in this process, without its environment. Throws `ConfigError` for a bad `rpcUrl`. */
export function startServer(options: StartOptions): Promise<RunningServer> {
  const { rpcUrl, createAnalyze = createServiceAnalyze, log, ...overrides } = options;
  const config: Config = { ...readConfig({ RPC_URL: rpcUrl }), ...overrides };
  return serve(config, createAnalyze, log ? { log } : {});
}

const USAGE = `RPC_URL is not set: the service needs an Ethereum mainnet node with
debug_traceTransaction or trace_transaction.

  RPC_URL=https://your-node.example txreport serve

To try it without a node:  txreport demo

Settings (environment variable, default, meaning):
${describeSettings()}
`;

/** The configuration of the environment, or why it is none. */
function configured(): Config | string {
  try {
    const config = readConfig(process.env);
    return config.rpcUrls.length === 0 ? USAGE : config;
  } catch (error) {
    if (error instanceof ConfigError) return `${error.message}\n`;
    throw error;
  }
}

/** Runs until SIGTERM or SIGINT. Exit codes: 0 stopped, 1 failed, 2 wrongly configured. */
export async function main(createAnalyze: CreateAnalyze = createServiceAnalyze): Promise<void> {
  // By default the signal opens an inspector, through which anybody on the machine can run code here.
  process.on('SIGUSR1', () => {});
  const config = configured();
  if (typeof config === 'string') {
    process.stderr.write(config);
    process.exitCode = 2;
    return;
  }
  const exit = (code: number) => (): never => process.exit(code);
  const log = openLog(config);
  if (cluster.isPrimary && processCount(config) > 1) {
    process.exit(await runProcesses(config, log));
  }
  try {
    const server = await serve(config, createAnalyze, { log });
    const stop = (signal: NodeJS.Signals): void => {
      log.info({ signal }, 'signal received');
      server.close().then(exit(0), exit(1));
    };
    process.once('SIGTERM', stop);
    // A terminal interrupts every process; where there are several their parent passes it on.
    for (const signal of ['SIGINT', 'SIGHUP'] as const)
      if (cluster.isPrimary) process.once(signal, stop);
      else process.on(signal, () => {});
  } catch (error) {
    if (error instanceof RulebookError) process.stderr.write(`${error.message}\n`);
    else log.fatal({ err: error }, 'cannot start');
    // Nothing that was started keeps the process: it runs as a whole or not at all.
    process.exit(1);
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
