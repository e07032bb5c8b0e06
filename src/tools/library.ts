import { openPreviewer, type PreviewReport } from './preview/preview.ts';
import { readAny, type RunOptions } from './preview/readRequest.ts';
import { readConfig, type Config } from '../service/config.ts';
import { createLog } from '../lib/log.ts';
import { openEngine } from './openEngine.ts';
import type { TxReport } from './client/report.ts';
import { pastedHash, whyNoTransaction } from './pasted.ts';

export type * from './client/report.ts';
export { AnalysisError } from '../lib/errors.ts';
export { RequestError } from './preview/readFields.ts';
export type { PreviewReport } from './preview/preview.ts';
export type { PreviewWarning } from './preview/warnings.ts';

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

function configOf({ rpcUrl, traceUrl, rulesDir }: LibraryOptions): Config {
  return readConfig({
    RPC_URL: rpcUrl,
    ...(traceUrl === undefined ? {} : { TRACE_URL: traceUrl }),
    ...(rulesDir === undefined ? {} : { RULES_DIR: rulesDir }),
  });
}

/**
 * Opens the analysis in this process, for many transactions. Throws where the options or the rules are
 * wrong.
 */
export async function openTxReport(options: LibraryOptions): Promise<TxReportEngine> {
  const log = createLog({ level: 'silent', stream: { write: () => {} } });
  const engine = await openEngine(configOf(options), log);
  return {
    async analyze(text, { signal } = {}) {
      const hash = pastedHash(text);
      if (hash === null) throw new RangeError(whyNoTransaction(text));
      return JSON.parse(await engine.analyze(hash, signal)) as TxReport;
    },
    close: () => engine.close(),
  };
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

export interface PreviewOptions extends LibraryOptions, RunOptions {
  /** Addresses the signer has dealt with, to warn of look-alikes. */
  readonly known?: readonly string[];
}

/**
 * Previews a transaction before it is sent: the parameters of `eth_sendTransaction` or
 * `wallet_sendCalls` (EIP-5792), or a signed transaction as `0x…`. Throws `RequestError` for a request that
 * cannot be read, `AnalysisError` when the simulation fails.
 */
export async function preview(request: unknown, options: PreviewOptions): Promise<PreviewReport> {
  const read = await readAny(request, options);
  await using previewer = await openPreviewer(configOf(options));
  return await previewer.preview(read, { known: options.known ?? [] });
}
