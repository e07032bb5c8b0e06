import { createServiceAnalyze, openUpstream } from '../service/analyzer.ts';
import { readConfig } from '../service/config.ts';
import { createLog } from '../lib/log.ts';
import { jsonText } from '../lib/reportJson.ts';
import type { Hash } from '../model/hex.ts';
import type { TxReport } from './client/report.ts';
import { readTxHash, whyNoTxHash } from './client/txHash.ts';

export type * from './client/report.ts';
export { AnalysisError } from '../lib/errors.ts';

export interface LibraryOptions {
  /**
   * JSON-RPC endpoint of an Ethereum mainnet node with traces; several, comma-separated, fail over in order.
   */
  readonly rpcUrl: string;
  /** Endpoint asked for traces only. */
  readonly traceUrl?: string;
  /** Directories of your own rules, comma-separated, laid over the shipped ones. */
  readonly rulesDir?: string;
}

export interface TxReportEngine {
  /**
   * The report of one transaction. Throws `RangeError` for a text that is no hash, `AnalysisError` when the
   * analysis fails.
   */
  analyze(txHash: string, options?: { readonly signal?: AbortSignal }): Promise<TxReport>;
  /** Closes the connections to the node. */
  close(): Promise<void>;
}

/**
 * Opens the analysis in this process, for many transactions. Throws where the options or the rules are
 * wrong.
 */
export async function openTxReport({ rpcUrl, traceUrl, rulesDir }: LibraryOptions): Promise<TxReportEngine> {
  const config = readConfig({
    RPC_URL: rpcUrl,
    ...(traceUrl === undefined ? {} : { TRACE_URL: traceUrl }),
    ...(rulesDir === undefined ? {} : { RULES_DIR: rulesDir }),
  });
  const log = createLog({ level: 'silent', stream: { write: () => {} } });
  const upstream = openUpstream(config);
  try {
    const analyze = await createServiceAnalyze({ upstream, config, log });
    return {
      async analyze(text, { signal = new AbortController().signal } = {}) {
        const hash = readTxHash(text);
        if (hash === null) throw new RangeError(whyNoTxHash(text));
        const deadlineAt = performance.now() + config.deadlineMs;
        const { json } = await analyze(hash as Hash, { signal, deadlineAt });
        return JSON.parse(jsonText(json)) as TxReport;
      },
      async close() {
        await analyze.close?.();
        await upstream.close();
      },
    };
  } catch (error) {
    await upstream.close();
    throw error;
  }
}

/**
 * The report of one transaction; `openTxReport` is faster for many. Throws as `TxReportEngine.analyze` does.
 */
export async function analyze(txHash: string, options: LibraryOptions): Promise<TxReport> {
  const engine = await openTxReport(options);
  try {
    return await engine.analyze(txHash);
  } finally {
    await engine.close();
  }
}
