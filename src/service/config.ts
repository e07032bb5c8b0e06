/**
 * Every setting of the service, read from the environment once at start. One line per setting: variable, meaning, default,
 * bounds. `readConfig` reports everything that is wrong at once, and never repeats a value that may hold a credential.
 */
import { PRICE_SOURCE_NAMES, STANDARD_PRICE_SOURCES } from '../stages/1-fetch/prices/priceSources.ts';

interface Setting<T> {
  readonly env: string;
  readonly help: string;
  /** As shown in the documentation. */
  readonly standard: string;
  /** The value, or a complaint that reads after the variable's name. */
  readonly parse: (text: string | undefined) => { value: T } | { problem: string };
}

function integer(env: string, standard: number, min: number, max: number, help: string): Setting<number> {
  return {
    env,
    help,
    standard: String(standard),
    parse: (text) => {
      if (text === undefined) return { value: standard };
      const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max
        ? { value }
        : { problem: `must be a whole number from ${min} to ${max}` };
    },
  };
}

function oneOf(env: string, values: readonly string[], standard: string, help: string): Setting<string> {
  return {
    env,
    help,
    standard,
    parse: (text = standard) =>
      values.includes(text) ? { value: text } : { problem: `must be one of ${values.join(', ')}` },
  };
}

function word(env: string, standard: string, help: string): Setting<string> {
  return { env, help, standard, parse: (text = standard) => ({ value: text }) };
}

function file(env: string, help: string): Setting<string | null> {
  return { env, help, standard: 'shipped', parse: (text) => ({ value: text ?? null }) };
}

function words(env: string, help: string): Setting<readonly string[]> {
  return {
    env,
    help,
    standard: 'none',
    parse: (text) => ({
      value: (text ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    }),
  };
}

function someOf<T extends string>(
  env: string,
  values: readonly T[],
  standard: string,
  help: string,
): Setting<readonly T[] | null> {
  return {
    env,
    help,
    standard,
    parse: (text) => {
      if (text === undefined) return { value: null };
      const list = text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
      return list.every((part): part is T => (values as readonly string[]).includes(part))
        ? { value: [...new Set(list as T[])] }
        : { problem: `must be some of ${values.join(', ')}, comma-separated` };
    },
  };
}

function flag(env: string, help: string): Setting<boolean> {
  return {
    env,
    help,
    standard: '0',
    parse: (text = '0') =>
      text === '0' || text === '1' ? { value: text === '1' } : { problem: 'must be 0 or 1' },
  };
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function url(env: string, help: string): Setting<string | null> {
  return {
    env,
    help,
    standard: 'none',
    parse: (text) =>
      text === undefined
        ? { value: null }
        : isHttpUrl(text)
          ? { value: text }
          : { problem: 'is not an http(s) URL' },
  };
}

function urls(env: string, help: string): Setting<readonly string[]> {
  return {
    env,
    help,
    standard: 'none',
    parse: (text) => {
      const list = (text ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
      const bad = list.flatMap((part, i) => (isHttpUrl(part) ? [] : [i + 1]));
      return bad.length === 0
        ? { value: list }
        : { problem: `entry ${bad.join(', ')} is not an http(s) URL` };
    },
  };
}

function optionalPort(env: string, help: string): Setting<number | null> {
  const port = integer(env, 0, 0, 65_535, help);
  return {
    env,
    help,
    standard: 'off',
    parse: (text) => (text === undefined ? { value: null } : port.parse(text)),
  };
}

export const SETTINGS = {
  rpcUrls: urls(
    'RPC_URL',
    'JSON-RPC endpoint of an Ethereum mainnet node with traces; several, comma-separated, fail over in order',
  ),
  traceUrl: url('TRACE_URL', 'endpoint asked for traces only, where the one above offers none'),
  priceApiUrl: url(
    'PRICE_API_URL',
    'HTTP source of historical prices (GET /prices/historical/{timestamp}/{coins})',
  ),
  priceSources: someOf(
    'PRICE_SOURCES',
    PRICE_SOURCE_NAMES,
    STANDARD_PRICE_SOURCES.join(','),
    'where prices come from; twap takes a third round trip; http is added where PRICE_API_URL is set',
  ),
  host: word('HOST', '0.0.0.0', 'address the service listens on'),
  port: integer('PORT', 3000, 0, 65_535, 'port the service listens on; 0 takes a free one'),
  adminHost: word('ADMIN_HOST', '127.0.0.1', 'address of the admin port'),
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
  logLevel: oneOf(
    'LOG_LEVEL',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'least severe log line written',
  ),
  deadlineMs: integer(
    'DEADLINE_MS',
    30_000,
    100,
    600_000,
    'overall time for one analysis, its wait in the queue included',
  ),
  rpcTimeoutMs: integer('RPC_TIMEOUT_MS', 10_000, 10, 600_000, 'time for one upstream request'),
  rpcRetries: integer(
    'RPC_RETRIES',
    5,
    0,
    20,
    'further attempts after a failed upstream request, within the deadline',
  ),
  rpcMaxBatch: integer(
    'RPC_MAX_BATCH',
    100,
    1,
    10_000,
    'calls per JSON-RPC batch; more go as several batches at once',
  ),
  maxResponseBytes: integer(
    'MAX_RESPONSE_BYTES',
    67_108_864,
    1_000,
    1_000_000_000,
    'largest upstream answer read',
  ),
  largeBytes: integer(
    'LARGE_BYTES',
    262_144,
    1_000,
    1_000_000_000,
    'larger upstream answers are analysed on a thread of their own, so that nobody waits for them',
  ),
  largeThreads: integer(
    'LARGE_THREADS',
    1,
    1,
    256,
    'such threads at most, per process; more large transactions wait for one',
  ),
  analysisMemoryMb: integer(
    'ANALYSIS_MEMORY_MB',
    2_048,
    64,
    65_536,
    'heap of such a thread; a transaction that needs more is refused',
  ),
  maxTokens: integer(
    'MAX_TOKENS',
    2_000,
    1,
    100_000,
    'tokens of one transaction whose symbol and decimals are looked up',
  ),
  workers: integer('WORKERS', 1, 0, 256, 'processes that share the port; 0: one per processor core'),
  maxConcurrency: integer('MAX_CONCURRENCY', 16, 1, 10_000, 'analyses running at once, per process'),
  maxQueue: integer(
    'MAX_QUEUE',
    64,
    0,
    100_000,
    'analyses waiting for a place, per process; beyond them requests are refused at once',
  ),
  shutdownGraceMs: integer(
    'SHUTDOWN_GRACE_MS',
    10_000,
    0,
    600_000,
    'time running analyses get to finish after SIGTERM',
  ),
  keepAliveMs: integer('KEEP_ALIVE_MS', 65_000, 0, 600_000, 'how long an idle client connection stays open'),
  headersTimeoutMs: integer(
    'HEADERS_TIMEOUT_MS',
    10_000,
    100,
    600_000,
    'time a client has to send its request headers',
  ),
  requestTimeoutMs: integer(
    'REQUEST_TIMEOUT_MS',
    15_000,
    100,
    600_000,
    'time a client has to send its whole request',
  ),
} as const;

type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type Config = { readonly [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> };

/** Everything that is wrong with the environment, one line per problem. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
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
export function secretUrls(config: Pick<Config, 'rpcUrls' | 'traceUrl' | 'priceApiUrl'>): string[] {
  return [...config.rpcUrls, config.traceUrl, config.priceApiUrl].filter((value) => value !== null);
}
