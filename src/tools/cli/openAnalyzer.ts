import { ConfigError, readConfig, secretUrls, type Config } from '../../service/config.ts';
import { createLog } from '../../lib/log.ts';
import { createMask } from '../../lib/mask.ts';
import { openEngine, type Engine } from '../openEngine.ts';
import { CliError } from './cliIo.ts';

/** The service's configuration for a command. Throws `CliError` where it is unusable. */
export function readCliConfig(noNode = 'no node to ask: give --rpc or set RPC_URL'): Config {
  let config: Config;
  try {
    config = readConfig(process.env);
  } catch (error) {
    throw error instanceof ConfigError ? new CliError(error.message) : error;
  }
  if (config.rpcUrls.length === 0) throw new CliError(noNode);
  return config;
}

/** The service's own analysis, configured like the service. Throws `CliError` or `RulebookError`. */
export function openAnalyzer(): Promise<Engine> {
  const config = readCliConfig();
  // Standard output belongs to the command's result, and to the protocol of `mcp`.
  const stream = { write: (line: string) => void process.stderr.write(line) };
  const level = process.env['LOG_LEVEL'] ? config.logLevel : 'silent';
  return openEngine(config, createLog({ level, mask: createMask(secretUrls(config)), stream }));
}
