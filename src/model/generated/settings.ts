/* Generated from schemas/http/*.schema.json by scripts/generateTypes.ts. Do not edit: change the schema and run it again. */
/**
 * Settings of the service. `env`: the environment variable that gives one. `shown`: its default as texts show it, where that is not the value itself.
 */
export interface Settings {
  /**
   * JSON-RPC endpoint of an Ethereum mainnet node with traces; several, comma-separated, fail over in order
   */
  rpcUrls: string[];
  /**
   * endpoint asked for traces only, where the one above offers none
   */
  traceUrl: string | null;
  /**
   * OTLP/HTTP collector for traces, such as http://localhost:4318; other OTEL_* variables follow the SDK
   */
  otelEndpoint: string | null;
  /**
   * HTTP sources of historical prices, comma-separated, the first counts: defillama, coingecko, name=url for another address, or the URL of an API with the shape of DefiLlama’s
   */
  priceApiUrl: string | null;
  /**
   * where prices come from; twap takes a third round trip; http is added where PRICE_API_URL is set
   */
  priceSources: ('chainlink' | 'vault' | 'wrapper' | 'lp' | 'twap' | 'http')[] | null;
  /**
   * address the service listens on
   */
  host: string;
  /**
   * port the service listens on; 0 takes a free one
   */
  port: number;
  /**
   * addresses or networks of proxies whose X-Forwarded-For names the client, comma-separated; others are clients
   */
  trustedProxies: string[];
  /**
   * address of the admin port
   */
  adminHost: string;
  /**
   * port for GET /metrics (Prometheus) and GET /ready
   */
  adminPort: number | null;
  /**
   * directories of your own rules, comma-separated, laid over the shipped ones in order
   */
  rulesDirs: string[];
  /**
   * 1: pick up rule changes while running; a broken set is logged and the last good one kept
   */
  rulesReload: boolean;
  /**
   * file of names for addresses, in place of the shipped ones: lines of address, kind and name
   */
  addressBook: string | null;
  /**
   * names of accounts to look up at the block and show beside their addresses: ens
   */
  names: 'ens'[] | null;
  /**
   * least severe log line written
   */
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  /**
   * overall time for one analysis, its wait in the queue included
   */
  deadlineMs: number;
  /**
   * time for one upstream request
   */
  rpcTimeoutMs: number;
  /**
   * further attempts after a failed upstream request, within the deadline
   */
  rpcRetries: number;
  /**
   * calls per JSON-RPC batch; more go as several batches at once
   */
  rpcMaxBatch: number;
  /**
   * largest upstream answer read
   */
  maxResponseBytes: number;
  /**
   * larger upstream answers are analysed in a process of their own and delay no other request
   */
  largeBytes: number;
  /**
   * such processes at most; further large transactions wait for one
   */
  largeThreads: number;
  /**
   * heap of such a process; a transaction that needs more is refused
   */
  analysisMemoryMb: number;
  /**
   * tokens of one transaction whose symbol and decimals are looked up
   */
  maxTokens: number;
  /**
   * processes that share the port; 0: one per processor core
   */
  workers: number;
  /**
   * analyses running at once, per process; three quarters of them for one client, two for one hash
   */
  maxConcurrency: number;
  /**
   * analyses waiting for a place, per process; beyond them requests are refused at once
   */
  maxQueue: number;
  /**
   * time running analyses get to finish after SIGTERM
   */
  shutdownGraceMs: number;
  /**
   * how long an idle client connection stays open
   */
  keepAliveMs: number;
  /**
   * time a client has to send its request headers
   */
  headersTimeoutMs: number;
  /**
   * time a client has to send its whole request
   */
  requestTimeoutMs: number;
}
