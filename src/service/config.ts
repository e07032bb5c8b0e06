import { readFileSync } from 'node:fs';
import proxyAddr from 'proxy-addr';
import { attempt } from '../lib/attempt.ts';
import { splitList } from '../lib/text.ts';
import type { Settings } from '../model/generated/settings.ts';
import { readPriceApis } from '../stages/1-fetch/prices/priceApi.ts';

/** One setting of `schemas/settings.schema.json`: its environment variable, meaning, default and bounds. */
interface Setting {
  readonly env: string;
  readonly description: string;
  readonly default: unknown;
  /** The default, as the documentation shows it. */
  readonly shown?: string;
  /** With `null` where no default takes the place of an absent variable. */
  readonly type: string | readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly items?: { readonly enum?: readonly string[] };
  readonly format?: keyof typeof FORMATS;
}

type Fixed<T> = T extends (infer Item)[] ? readonly Item[] : T;
export type Config = { readonly [K in keyof Settings]: Fixed<Settings[K]> };

const SCHEMA = new URL('../../schemas/settings.schema.json', import.meta.url);
/** Every setting of the service, by its key in the configuration. */
export const SETTINGS = (
  JSON.parse(readFileSync(SCHEMA, 'utf8')) as { readonly properties: Record<keyof Config, Setting> }
).properties;

const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** By format: the problem of a text, worded to follow the variable's name; null for none. */
const FORMATS = {
  'http-url': (text: string) => (isHttpUrl(text) ? null : 'is not an http(s) URL'),
  'http-urls'(text: string) {
    const bad = splitList(text).flatMap((part, i) => (isHttpUrl(part) ? [] : [i + 1]));
    return bad.length === 0 ? null : `entry ${bad.join(', ')} is not an http(s) URL`;
  },
  'price-apis': (text: string) =>
    readPriceApis(text) ? null : 'must name price sources or http(s) URLs, comma-separated',
  // Addresses, networks (`10.0.0.0/8`) and the names `loopback`, `linklocal` and `uniquelocal`.
  networks: (text: string) =>
    attempt(() => proxyAddr.compile(splitList(text)))
      ? null
      : 'must be IP addresses or networks such as 10.0.0.0/8, comma-separated',
};

/** By type: the value of a text, or the problem, worded to follow the variable's name. */
const READERS: Readonly<
  Record<string, (text: string, setting: Setting) => { value: unknown } | { problem: string }>
> = {
  integer(text, { minimum, maximum }) {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= minimum! && value <= maximum!) return { value };
    return { problem: `must be a whole number from ${minimum} to ${maximum}` };
  },
  boolean: (text) => (/^[01]$/.test(text) ? { value: text === '1' } : { problem: 'must be 0 or 1' }),
  string: (text, { enum: values }) =>
    values?.includes(text) === false ? { problem: `must be one of ${values.join(', ')}` } : { value: text },
  array(text, { items }) {
    const list = splitList(text);
    const values = items?.enum;
    return values && !list.every((part) => values.includes(part))
      ? { problem: `must be some of ${values.join(', ')}, comma-separated` }
      : { value: values ? [...new Set(list)] : list };
  },
};

function readSetting(setting: Setting, text: string | undefined): ReturnType<(typeof READERS)[string]> {
  if (text === undefined) return { value: setting.default };
  const problem = setting.format && FORMATS[setting.format](text);
  return problem ? { problem } : READERS[[setting.type].flat()[0]!]!(text, setting);
}

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
    const read = readSetting(setting, env[setting.env]?.trim() || undefined);
    if ('problem' in read) problems.push(`${setting.env} ${read.problem}`);
    else values[key] = read.value;
  }
  const config = values as unknown as Config;
  if (problems.length === 0 && config.priceSources?.includes('http') && config.priceApiUrl === null)
    problems.push('PRICE_SOURCES names http, and PRICE_API_URL is not set');
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The default of a setting, as documentation shows it. */
export const shownDefault = ({ shown, default: value }: Setting): string => shown ?? String(value);

/** The settings as a table for people: variable, default, meaning. */
export function describeSettings(): string {
  const rows = Object.values(SETTINGS).map((one) => [one.env, shownDefault(one), one.description] as const);
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
