import { createServiceAnalyze, openUpstream } from '../../service/analyzer.ts';
import { ConfigError, readConfig, secretUrls, type Config } from '../../service/config.ts';
import { createLog } from '../../lib/log.ts';
import { createMask } from '../../lib/mask.ts';
import { jsonText } from '../../lib/reportJson.ts';
import type { Hash } from '../../model/hex.ts';
import { RulebookError } from '../../rules/read/problems.ts';

export interface Analyzer {
  /** The serialised report; rejects with an `AnalysisError`. */
  analyze(hash: string, signal?: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

function refuse(message: string): null {
  process.stderr.write(`${message}\n`);
  process.exitCode = 2;
  return null;
}

/**
 * The service's configuration for a command; null, with the reason on standard error, where it is unusable.
 */
export function readCliConfig(rpcUrls: string | undefined): Config | null {
  let config: Config;
  try {
    config = readConfig({ ...process.env, ...(rpcUrls ? { RPC_URL: rpcUrls } : {}) });
  } catch (error) {
    if (error instanceof ConfigError) return refuse(error.message);
    throw error;
  }
  if (config.rpcUrls.length === 0) return refuse('no node to ask: give --rpc or set RPC_URL');
  return config;
}

/**
 * The service's own analysis inside a command, configured like the service. Null, with the reason on
 * standard error and exit status 2, when there is no usable configuration.
 */
export async function openAnalyzer(rpcUrls: string | undefined): Promise<Analyzer | null> {
  const config = readCliConfig(rpcUrls);
  if (config === null) return null;
  // Standard output belongs to the command's result, and to the protocol of `mcp`.
  const stream = { write: (line: string) => void process.stderr.write(line) };
  const log = createLog({
    level: process.env['LOG_LEVEL'] ? config.logLevel : 'silent',
    mask: createMask(secretUrls(config)),
    stream,
  });
  const upstream = openUpstream(config);
  try {
    const analyze = await createServiceAnalyze({ upstream, config, log });
    return {
      analyze: async (hash, signal = new AbortController().signal) => {
        const { json } = await analyze(hash as Hash, {
          signal,
          deadlineAt: performance.now() + config.deadlineMs,
        });
        return jsonText(json);
      },
      close: async () => {
        await analyze.close?.();
        await upstream.close();
      },
    };
  } catch (error) {
    await upstream.close();
    if (error instanceof RulebookError) return refuse(error.message);
    throw error;
  }
}
