import type { ApiRule } from './priceRules.ts';

/** Where HTTP sources answer, by name; a URL alone in `PRICE_API_URL` has no name of its own. */
export function priceApiUrls(setting: string, apis: readonly ApiRule[]): ReadonlyMap<string, PriceApiPlace> {
  const found = new Map<string, PriceApiPlace>();
  for (const entry of setting.split(',').map((part) => part.trim())) {
    const [, name, url] = /^([a-z][a-z0-9-]*)(?:=(.+))?$/.exec(entry) ?? [];
    const rule = apis.find((api) => api.name === (name ?? 'defillama'));
    if (rule) found.set(name ?? 'price-api', { rule, url: name === undefined ? entry : (url ?? rule.base) });
  }
  return found;
}

export interface PriceApiPlace {
  readonly rule: ApiRule;
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
