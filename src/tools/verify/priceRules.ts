import type { RawEntityFile, RawPosition, RawPriceApi, RawRate } from '../../model/generated/rules.ts';
import { documents } from './ruleFacts.ts';

export type FeedRule = NonNullable<RawEntityFile['feeds']>[number];

/** Rules of price sources, read from their files here and not by the analysis. */
export interface PriceRules {
  readonly feeds: readonly FeedRule[];
  readonly registries: readonly NonNullable<RawEntityFile['registry']>[];
  readonly rates: readonly RawRate[];
  readonly positions: readonly RawPosition[];
  /** Seconds of the averages that pools are asked for. */
  readonly windows: readonly number[];
  readonly apis: readonly RawPriceApi[];
  readonly wrappedNative: ReadonlySet<string>;
}

/** Reads `entities/*.yaml` of rule directories. Throws where one cannot be read or parsed. */
export function readPriceRules(directories: readonly string[]): PriceRules {
  const files = documents<RawEntityFile>(directories, 'entities');
  return {
    feeds: files.flatMap(({ feeds }) => feeds ?? []),
    registries: files.flatMap(({ registry }) => registry ?? []),
    rates: files.flatMap(({ rates }) => rates ?? []),
    positions: files.flatMap(({ positions }) => positions ?? []),
    windows: files.flatMap(({ averages }) => averages ?? []).map(({ window }) => window),
    apis: files.flatMap(({ price_apis: apis }) => apis ?? []),
    wrappedNative: new Set(
      files
        .filter(({ kind }) => kind === 'wrapped_native')
        .flatMap(({ accounts }) => accounts ?? [])
        .map(({ address }) => address.toLowerCase()),
    ),
  };
}

/** Where HTTP sources answer, by name; a URL alone in `PRICE_API_URL` has no name of its own. */
export function priceApiUrls(
  setting: string,
  apis: readonly RawPriceApi[],
): ReadonlyMap<string, PriceApiPlace> {
  const found = new Map<string, PriceApiPlace>();
  for (const entry of setting.split(',').map((part) => part.trim())) {
    const [, name, url] = /^([a-z][a-z0-9-]*)(?:=(.+))?$/.exec(entry) ?? [];
    const rule = apis.find((api) => api.name === (name ?? 'defillama'));
    if (rule) found.set(name ?? 'price-api', { rule, url: name === undefined ? entry : (url ?? rule.base) });
  }
  return found;
}

interface PriceApiPlace {
  readonly rule: RawPriceApi;
  readonly url: string;
}

/** Price and Unix seconds an HTTP source states for an asset; null where it states none. */
export async function askPriceApi(
  { rule, url }: PriceApiPlace,
  asset: string,
  timestamp: number,
): Promise<{ readonly price: number; readonly time: number } | null> {
  const coin = asset === 'native' ? rule.native : rule.token.replace('{address}', asset);
  const path = (asset === 'native' && rule.native_path ? rule.native_path : rule.path)
    .replace('{coins}', coin.split('/').map(encodeURIComponent).join('/'))
    .replace('{timestamp}', String(timestamp))
    .replace('{until}', String(timestamp + (rule.window ?? 0)));
  let body: unknown;
  try {
    const response = await fetch(url.replace(/\/+$/, '') + path, { signal: AbortSignal.timeout(30_000) });
    if (!response.ok) return null;
    body = await response.json();
  } catch {
    return null;
  }
  const at = (place: string): unknown =>
    place.split('.').reduce<unknown>((value, step) => {
      const key = step === '{coin}' ? coin.toLowerCase() : step;
      const entries = value && typeof value === 'object' ? Object.entries(value) : [];
      return entries.find(([name]) => name.toLowerCase() === key)?.[1];
    }, body);
  const [price, time] = [at(rule.answer.price), at(rule.answer.time)];
  if (typeof price !== 'number' || typeof time !== 'number') return null;
  return { price, time: rule.answer.time_unit === 'ms' ? Math.floor(time / 1_000) : time };
}
