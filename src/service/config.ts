import proxyAddr from 'proxy-addr';
import { attempt } from '../lib/attempt.ts';
import { splitList } from '../lib/text.ts';
import { readPriceApis } from '../stages/1-fetch/prices/priceApi.ts';
import { PRICE_SOURCE_NAMES, STANDARD_PRICE_SOURCES } from '../stages/1-fetch/prices/priceSources.ts';

/** A value, or a problem worded to follow the variable's name. */
type Parsed<T> = { value: T } | { problem: string };
type Parse<T> = (text: string | undefined) => Parsed<T>;

/** One environment variable: its meaning, default and parser. */
interface Setting<T> {
  readonly env: string;
  readonly help: string;
  /** The default, as the documentation shows it. */
  readonly standard: string;
  readonly parse: Parse<T>;
}

/** A kind of setting, which a variable's name and meaning make a setting of. */
const kind =
  <T>(standard: string, parse: Parse<T>) =>
  (env: string, help: string): Setting<T> => ({ env, help, standard, parse });

const wholeNumber =
  (min: number, max: number) =>
  (text: string): Parsed<number> => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return { value };
    return { problem: `must be a whole number from ${min} to ${max}` };
  };

const integer = ({ standard, min = 0, max }: { standard: number; min?: number; max: number }) =>
  kind<number>(String(standard), (text = String(standard)) => wholeNumber(min, max)(text));

const oneOf = (values: readonly string[], standard: string) =>
  kind<string>(standard, (text = standard) =>
    values.includes(text) ? { value: text } : { problem: `must be one of ${values.join(', ')}` },
  );

const word = (standard: string) => kind<string>(standard, (text = standard) => ({ value: text }));

const file = kind<string | null>('shipped', (text) => ({ value: text ?? null }));

const words = kind<readonly string[]>('none', (text) => ({ value: splitList(text) }));

const someOf = <T extends string>(values: readonly T[], standard: string) =>
  kind<readonly T[] | null>(standard, (text) => {
    if (text === undefined) return { value: null };
    const list = splitList(text);
    return list.every((part): part is T => (values as readonly string[]).includes(part))
      ? { value: [...new Set(list as T[])] }
      : { problem: `must be some of ${values.join(', ')}, comma-separated` };
  });

const flag = kind<boolean>('0', (text = '0') =>
  text === '0' || text === '1' ? { value: text === '1' } : { problem: 'must be 0 or 1' },
);

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

const url = kind<string | null>('none', (text) =>
  text === undefined || isHttpUrl(text) ? { value: text ?? null } : { problem: 'is not an http(s) URL' },
);

const priceApis = kind<string | null>('none', (text) =>
  text === undefined || readPriceApis(text) !== null
    ? { value: text ?? null }
    : { problem: 'must name price sources or http(s) URLs, comma-separated' },
);

const urls = kind<readonly string[]>('none', (text) => {
  const list = splitList(text);
  const bad = list.flatMap((part, i) => (isHttpUrl(part) ? [] : [i + 1]));
  return bad.length === 0 ? { value: list } : { problem: `entry ${bad.join(', ')} is not an http(s) URL` };
});

/** Addresses, networks (`10.0.0.0/8`) and the names `loopback`, `linklocal` and `uniquelocal`. */
const addresses = kind<readonly string[]>('none', (text) => {
  const list = splitList(text);
  return attempt(() => proxyAddr.compile(list))
    ? { value: list }
    : { problem: 'must be IP addresses or networks such as 10.0.0.0/8, comma-separated' };
});

const optionalPort = kind<number | null>('off', (text) =>
  text === undefined ? { value: null } : wholeNumber(0, 65_535)(text),
);

/** Every setting of the service: environment variable, default, bounds, meaning. */
export const SETTINGS = {
  rpcUrls: urls(
    'RPC_URL',
    'JSON-RPC endpoint of an Ethereum mainnet node with traces; several, comma-separated, fail over in order',
  ),
  traceUrl: url('TRACE_URL', 'endpoint asked for traces only, where the one above offers none'),
  otelEndpoint: url(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTLP/HTTP collector for traces, such as http://localhost:4318; other OTEL_* variables follow the SDK',
  ),
  priceApiUrl: priceApis(
    'PRICE_API_URL',
    'HTTP sources of historical prices, comma-separated, the first counts: defillama, coingecko, ' +
      'name=url for another address, or the URL of an API with the shape of DefiLlama’s',
  ),
  priceSources: someOf(PRICE_SOURCE_NAMES, STANDARD_PRICE_SOURCES.join(','))(
    'PRICE_SOURCES',
    'where prices come from; twap takes a third round trip; http is added where PRICE_API_URL is set',
  ),
  host: word('0.0.0.0')('HOST', 'address the service listens on'),
  port: integer({ standard: 3000, max: 65_535 })('PORT', 'port the service listens on; 0 takes a free one'),
  trustedProxies: addresses(
    'TRUSTED_PROXIES',
    'addresses or networks of proxies whose X-Forwarded-For names the client, comma-separated; ' +
      'others are clients',
  ),
  adminHost: word('127.0.0.1')('ADMIN_HOST', 'address of the admin port'),
  adminPort: optionalPort('ADMIN_PORT', 'port for GET /metrics (Prometheus) and GET /ready'),
  rulesDirs: words(
    'RULES_DIR',
    'directories of your own rules, comma-separated, laid over the shipped ones in order',
  ),
  rulesReload: flag(
    'RULES_RELOAD',
    '1: pick up rule changes while running; a broken set is logged and the last good one kept',
  ),
  addressBook: file(
    'ADDRESS_BOOK',
    'file of names for addresses, in place of the shipped ones: lines of address, kind and name',
  ),
  names: someOf(['ens'], 'none')(
    'NAMES',
    'names of accounts to look up at the block and show beside their addresses: ens',
  ),
  logLevel: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info')(
    'LOG_LEVEL',
    'least severe log line written',
  ),
  deadlineMs: integer({ standard: 30_000, min: 100, max: 600_000 })(
    'DEADLINE_MS',
    'overall time for one analysis, its wait in the queue included',
  ),
  rpcTimeoutMs: integer({ standard: 10_000, min: 10, max: 600_000 })(
    'RPC_TIMEOUT_MS',
    'time for one upstream request',
  ),
  rpcRetries: integer({ standard: 5, max: 20 })(
    'RPC_RETRIES',
    'further attempts after a failed upstream request, within the deadline',
  ),
  rpcMaxBatch: integer({ standard: 100, min: 1, max: 10_000 })(
    'RPC_MAX_BATCH',
    'calls per JSON-RPC batch; more go as several batches at once',
  ),
  maxResponseBytes: integer({ standard: 67_108_864, min: 1_000, max: 1_000_000_000 })(
    'MAX_RESPONSE_BYTES',
    'largest upstream answer read',
  ),
  largeBytes: integer({ standard: 262_144, min: 1_000, max: 1_000_000_000 })(
    'LARGE_BYTES',
    'larger upstream answers are analysed in a process of their own and delay no other request',
  ),
  largeThreads: integer({ standard: 1, min: 1, max: 256 })(
    'LARGE_THREADS',
    'such processes at most; further large transactions wait for one',
  ),
  analysisMemoryMb: integer({ standard: 2_048, min: 64, max: 65_536 })(
    'ANALYSIS_MEMORY_MB',
    'heap of such a process; a transaction that needs more is refused',
  ),
  maxTokens: integer({ standard: 2_000, min: 1, max: 100_000 })(
    'MAX_TOKENS',
    'tokens of one transaction whose symbol and decimals are looked up',
  ),
  workers: integer({ standard: 1, max: 256 })(
    'WORKERS',
    'processes that share the port; 0: one per processor core',
  ),
  maxConcurrency: integer({ standard: 16, min: 1, max: 10_000 })(
    'MAX_CONCURRENCY',
    'analyses running at once, per process; three quarters of them for one client, two for one hash',
  ),
  maxQueue: integer({ standard: 8, max: 100_000 })(
    'MAX_QUEUE',
    'analyses waiting for a place, per process; beyond them requests are refused at once',
  ),
  shutdownGraceMs: integer({ standard: 10_000, max: 600_000 })(
    'SHUTDOWN_GRACE_MS',
    'time running analyses get to finish after SIGTERM',
  ),
  keepAliveMs: integer({ standard: 65_000, max: 600_000 })(
    'KEEP_ALIVE_MS',
    'how long an idle client connection stays open',
  ),
  headersTimeoutMs: integer({ standard: 10_000, min: 100, max: 600_000 })(
    'HEADERS_TIMEOUT_MS',
    'time a client has to send its request headers',
  ),
  requestTimeoutMs: integer({ standard: 15_000, min: 100, max: 600_000 })(
    'REQUEST_TIMEOUT_MS',
    'time a client has to send its whole request',
  ),
} as const;

type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type Config = { readonly [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> };

/** Lists every problem of the environment, one line each. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Reads the settings; an empty variable counts as absent. Throws `ConfigError` listing every problem. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(SETTINGS)) {
    const read = setting.parse(env[setting.env]?.trim() || undefined);
    if ('problem' in read) problems.push(`${setting.env} ${read.problem}`);
    else values[key] = read.value;
  }
  const config = values as Config;
  if (problems.length === 0 && config.priceSources?.includes('http') && config.priceApiUrl === null)
    problems.push('PRICE_SOURCES names http, and PRICE_API_URL is not set');
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The settings as a table for people: variable, default, meaning. */
export function describeSettings(): string {
  const rows = Object.values(SETTINGS).map(({ env, standard, help }) => [env, standard, help] as const);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map(([env, standard, help]) => `  ${env.padEnd(widths[0]!)}  ${standard.padEnd(widths[1]!)}  ${help}`)
    .join('\n');
}

/** URLs of the configuration that may hold credentials. */
export function secretUrls(
  config: Pick<Config, 'rpcUrls' | 'traceUrl' | 'priceApiUrl'> & { readonly otelEndpoint?: string | null },
): string[] {
  const priceUrls = readPriceApis(config.priceApiUrl ?? '')?.map(({ url }) => url) ?? [];
  const all = [...config.rpcUrls, config.traceUrl, config.otelEndpoint ?? null, ...priceUrls];
  return all.filter((value) => value !== null);
}
