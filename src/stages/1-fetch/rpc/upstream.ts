import { Agent, fetch as undiciFetch } from 'undici';
import { separateCredentials } from '../../../lib/credentials.ts';
import { createEndpoint, type RpcEndpoint } from './rpcEndpoint.ts';
import { CHAIN_CALL, quantityOf } from './rpcMessages.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';
import { createPriceApi } from '../prices/priceApi.ts';

/** By the names of the service's settings. */
export interface UpstreamOptions {
  /** JSON-RPC endpoints, asked in this order. */
  readonly rpcUrls: readonly string[];
  /** Asked for traces alone, where the nodes above offer none. */
  readonly traceUrl?: string | null;
  /** HTTP price sources: names or URLs, comma-separated. */
  readonly priceApiUrl?: string | null;
  readonly rpcTimeoutMs: number;
  /** Further attempts after the first, per round trip. */
  readonly rpcRetries: number;
  /** Overall time for one analysis. */
  readonly deadlineMs: number;
  readonly maxResponseBytes: number;
  /** Calls per JSON-RPC batch; more go as several batches at once. */
  readonly rpcMaxBatch: number;
}

export type Upstream = ReturnType<typeof createUpstream>;

/** The nodes behind the service. Remembers their capabilities and health, never their answers. */
export function createUpstream(options: UpstreamOptions) {
  const { rpcTimeoutMs: timeoutMs, deadlineMs } = options;
  const connect = { timeout: timeoutMs };
  const agent = new Agent({ connect, keepAliveTimeout: 30_000, connections: 64 });
  const fetch = (input: string, init: RequestInit = {}): Promise<Response> => {
    const { url, headers } = separateCredentials(input);
    // A redirect would carry the credentials to another host.
    const options = { ...init, headers, dispatcher: agent, redirect: 'error' };
    return undiciFetch(url, options as never) as unknown as Promise<Response>;
  };
  const endpointOf = (url: string, name: string): RpcEndpoint =>
    createEndpoint({ name, url, agent, options });

  const endpoints = options.rpcUrls.map((url, i) => endpointOf(url, `upstream-${i + 1}`));
  const traceEndpoint = options.traceUrl ? endpointOf(options.traceUrl, 'trace-upstream') : null;
  const priceApi = options.priceApiUrl
    ? createPriceApi({ setting: options.priceApiUrl, fetch, timeoutMs })
    : null;
  const pool = { endpoints, traceEndpoint, options };
  const open = (session: SessionOptions): Session => openSession(pool, session);

  /** Whether a node answers `eth_chainId` with chain 1 now. */
  async function ready(signal: AbortSignal): Promise<boolean> {
    const session = open({ signal, deadlineAt: performance.now() + Math.min(deadlineMs, 5_000) });
    const asked = endpoints.map((endpoint) =>
      endpoint.send([CHAIN_CALL], session).then(
        ([answer]) => quantityOf(answer) === 1n,
        () => false,
      ),
    );
    return (await Promise.all(asked)).includes(true);
  }

  /** The names of the nodes with an open circuit. */
  const openCircuits = (): string[] =>
    endpoints.filter(({ breaker }) => breaker.open).map(({ name }) => name);
  /** `upstream-1`, `upstream-2`, … */
  const names = endpoints.map(({ name }) => name);
  const close = (): Promise<void> => agent.destroy();
  return { priceApi, open, names, openCircuits, ready, close, [Symbol.asyncDispose]: close };
}
