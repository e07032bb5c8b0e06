import { createServiceAnalyze } from '../service/analyzer.ts';
import { createUpstream } from '../stages/1-fetch/rpc/upstream.ts';
import type { Config } from '../service/config.ts';
import type { Log } from '../lib/log.ts';
import { jsonText } from '../lib/reportJson.ts';
import type { Hash } from '../model/hex.ts';

/** The service's own analysis, inside this process. */
export type Engine = Awaited<ReturnType<typeof openEngine>>;

/** Opens the analysis on the configured nodes. Throws `RulebookError` for rules that do not compile. */
export async function openEngine(config: Config, log: Log) {
  const upstream = createUpstream(config);
  try {
    const analyze = await createServiceAnalyze({ upstream, config, log });
    const close = async (): Promise<void> => {
      await analyze.close?.();
      await upstream.close();
    };
    return {
      /** The serialised report; rejects with an `AnalysisError`. */
      async analyze(hash: string, signal: AbortSignal = new AbortController().signal): Promise<string> {
        const deadlineAt = performance.now() + config.deadlineMs;
        const { json } = await analyze(hash as Hash, { signal, deadlineAt });
        return jsonText(json);
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await upstream.close();
    throw error;
  }
}
