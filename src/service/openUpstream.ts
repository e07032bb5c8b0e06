import { createUpstream, type Upstream } from '../stages/1-fetch/rpc/upstream.ts';
import type { Config } from './config.ts';

/** The nodes behind the service, as configured. */
export function openUpstream(config: Config): Upstream {
  return createUpstream({
    rpcUrls: config.rpcUrls,
    traceUrl: config.traceUrl,
    priceApiUrl: config.priceApiUrl,
    timeoutMs: config.rpcTimeoutMs,
    retries: config.rpcRetries,
    deadlineMs: config.deadlineMs,
    maxResponseBytes: config.maxResponseBytes,
    maxBatch: config.rpcMaxBatch,
  });
}
