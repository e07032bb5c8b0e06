import { isRecord } from '../../../lib/shape.ts';
import { timeLimit } from '../rpc/upstreamFault.ts';
import type { PriceAnswers } from './priceSources.ts';
import { refuseAll, refusePrice, type Asset } from './planPricing.ts';
import type { AnswerPath, PriceApiSpec } from '../../../model/pricing.ts';
import { connectionCause } from '../rpc/connectionCause.ts';
import type { CallScope } from '../rpc/rpcEndpoint.ts';
import type { PriceQuote, PriceRefusal } from '../../../model/upstream.ts';

/** HTTP sources of historical prices, in the order of the setting. */
export interface PriceApi {
  /** `specs`: the rules' sources. Never throws: an outage leaves assets unpriced, with a refusal. */
  prices(request: PriceApiRequest, scope: PriceApiScope): Promise<PriceAnswers>;
}

interface PriceApiRequest {
  readonly assets: readonly Asset[];
  /** Unix seconds of the transaction's block. */
  readonly timestamp: number;
  readonly specs: readonly PriceApiSpec[];
}

type PriceApiScope = Pick<CallScope, 'signal' | 'timeLeft' | 'onCall'>;

export interface PriceApiOptions {
  /** Entries as `readPriceApis` accepts them; URLs may hold a key and are never shown. */
  readonly setting: string;
  readonly timeoutMs: number;
  readonly fetch: (input: string, init?: RequestInit) => Promise<Response>;
}

/** One entry of the setting: which source of the rules, and where it answers if not at its own base. */
export interface PriceApiEntry {
  readonly adapter: string;
  /** Name in reports and logs. */
  readonly name: string;
  readonly url: string | null;
}

/** A URL alone has the shape of this source's API. */
const DEFAULT_ADAPTER = 'defillama';
/** Name in reports of a source given by its URL alone. */
const UNNAMED = 'price-api';
/** Limits per source and transaction. */
const MAX_REQUESTS = 20;
const MAX_ASSETS = 200;
const MAX_BYTES = 400_000;

/** Reads `name`, `name=url` or `url`, comma-separated; null for an entry that is none of these. */
export function readPriceApis(setting: string): PriceApiEntry[] | null {
  const entries: PriceApiEntry[] = [];
  for (const text of setting.split(',').map((part) => part.trim())) {
    const [, name, url] = /^([a-z][a-z0-9-]*)(?:=(https?:\/\/.+))?$/.exec(text) ?? [];
    if (name !== undefined) entries.push({ adapter: name, name, url: url ?? null });
    else if (/^https?:\/\//.test(text)) entries.push({ adapter: DEFAULT_ADAPTER, name: UNNAMED, url: text });
    else return null;
    const given = entries.at(-1)!.url;
    if (given !== null && !URL.canParse(given)) return null;
  }
  return entries;
}

export function createPriceApi({ setting, timeoutMs, fetch }: PriceApiOptions): PriceApi {
  const entries = readPriceApis(setting) ?? [];
  return {
    async prices(request, scope) {
      const limit = timeLimit(scope.signal, Math.min(timeoutMs, scope.timeLeft()));
      const asked = entries.map(async ({ adapter, name, url }, order): Promise<PriceAnswers> => {
        const spec = request.specs.find((known) => known.name === adapter);
        const reason = `the rules describe no price source ${adapter}`;
        if (!spec) return { quotes: [], refusals: refuseAll(request.assets, reason) };
        const source = { spec, name, order, base: (url ?? spec.base).replace(/\/+$/, '') };
        return askSource(source, request, { ...scope, signal: limit.signal, fetch });
      });
      const answers = await Promise.all(asked);
      limit.release();
      return together(answers);
    },
  };
}

/** Asks for each asset once, on behalf of the transactions of one block, which share its time. */
export function oncePerAsset(api: PriceApi): PriceApi {
  const answers = new Map<Asset, Promise<PriceAnswers>>();
  return {
    async prices({ assets, ...request }, scope) {
      const fresh = assets.filter((asset) => !answers.has(asset));
      if (fresh.length > 0) {
        const answer = api.prices({ ...request, assets: fresh }, scope);
        for (const asset of fresh) answers.set(asset, answer);
      }
      const all = await Promise.all(new Set(assets.map((asset) => answers.get(asset)!)));
      const wanted = new Set(assets);
      return together(all, ({ asset }) => wanted.has(asset));
    },
  };
}

/** Several answers as one; of assets that are wanted. */
function together(
  answers: readonly PriceAnswers[],
  wanted: (of: { readonly asset: Asset }) => boolean = () => true,
): PriceAnswers {
  return {
    quotes: answers.flatMap(({ quotes }) => quotes.filter(wanted)),
    refusals: answers.flatMap(({ refusals }) => refusals.filter(wanted)),
  };
}

interface Source {
  readonly spec: PriceApiSpec;
  readonly name: string;
  readonly order: number;
  readonly base: string;
}

type Scope = PriceApiScope & Pick<PriceApiOptions, 'fetch'>;

async function askSource(
  source: Source,
  { assets, timestamp }: PriceApiRequest,
  scope: Scope,
): Promise<PriceAnswers> {
  const { spec, name } = source;
  const size = spec.coinsPerRequest;
  const length = Math.min(Math.ceil(Math.min(assets.length, MAX_ASSETS) / size), MAX_REQUESTS);
  const groups = Array.from({ length }, (_, i) => assets.slice(i * size, (i + 1) * size));
  const answers = await Promise.all(groups.map((group) => askGroup(source, group, timestamp, scope)));
  const beyond = assets.slice(length * size);
  const observed = { observed: String(assets.length), threshold: String(assets.length - beyond.length) };
  const reason = `more assets in one transaction than ${name} is asked about`;
  return together([...answers, { quotes: [], refusals: refuseAll(beyond, reason, observed) }]);
}

async function askGroup(
  source: Source,
  group: readonly Asset[],
  timestamp: number,
  { fetch, signal, onCall }: Scope,
): Promise<PriceAnswers> {
  const { name } = source;
  const start = performance.now();
  const report = (outcome: string, cause: string | null = null): void => {
    const ms = performance.now() - start;
    onCall({ upstream: name, methods: ['historical prices'], ms, outcome, note: null, cause });
  };
  let body: unknown;
  try {
    body = await readBody(await fetch(urlOf(source, group, timestamp), { signal }));
  } catch (error) {
    // `fetch` wraps the connection's error.
    const { cause } = error as { cause?: unknown };
    report('upstream_http', cause instanceof Error ? connectionCause(cause) : null);
    const refusals = refuseAll(group, `${name} did not answer`, { code: 'source_unavailable' });
    return { quotes: [], refusals };
  }
  const quotes: PriceQuote[] = [];
  const refusals: PriceRefusal[] = [];
  for (const asset of group) {
    const answer = readQuote(source, asset, body);
    if ('code' in answer) refusals.push(answer);
    else quotes.push(answer);
  }
  report(refusals.some(({ code }) => code === 'source_malformed') ? 'source_malformed' : 'ok');
  return { quotes, refusals };
}

function urlOf({ spec, base }: Source, group: readonly Asset[], timestamp: number): string {
  const path = group.includes('native') && group.length === 1 ? spec.nativePath : spec.path;
  const coins = group
    .map((asset) => coinOf(asset, spec).split('/').map(encodeURIComponent).join('/'))
    .join(',');
  const values = { coins, timestamp: String(timestamp), until: String(timestamp + spec.window) };
  return base + path.replaceAll(/\{(coins|timestamp|until)\}/g, (_, key: keyof typeof values) => values[key]);
}

/** Throws for a failed or oversized answer and for anything but JSON. */
async function readBody(response: Response): Promise<unknown> {
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) throw new Error('too large');
  }
  // Sources write addresses in their own case, and everything read here is a number.
  return JSON.parse(text.toLowerCase());
}

function coinOf(asset: Asset, { token, native }: PriceApiSpec): string {
  return asset === 'native' ? native : token.replace('{address}', asset);
}

/** The value at a path in a body of lower case. */
function valueAt(body: unknown, path: AnswerPath, coin: string): unknown {
  let value = body;
  for (const step of path) {
    const key = (step === '{coin}' ? coin : step).toLowerCase();
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isRecord(value)) value = Object.hasOwn(value, key) ? value[key] : undefined;
    else return undefined;
  }
  return value;
}

/** A source's price of an asset. An answer that merely leaves out the coin is of the described shape. */
function readQuote({ spec, name, order }: Source, asset: Asset, body: unknown): PriceQuote | PriceRefusal {
  const coin = coinOf(asset, spec);
  const [value, time] = [valueAt(body, spec.price, coin), valueAt(body, spec.time, coin)];
  const isShaped = typeof value === 'number' && typeof time === 'number';
  if (!isShaped && !leavesOut(spec, coin, body))
    return refusePrice(asset, `${name} answered in another shape`, { code: 'source_malformed' });
  const price = exactDecimal(value);
  if (!price || !isShaped || !Number.isSafeInteger(time) || time <= 0)
    return refusePrice(asset, `${name} sent no price`);
  return {
    asset,
    ...price,
    method: 'http',
    source: name,
    asOf: spec.timeUnit === 'ms' ? Math.floor(time / 1_000) : time,
    heartbeat: spec.heartbeat,
    pool: null,
    confidenceBps: spec.confidence && bpsOf(valueAt(body, spec.confidence, coin)),
    order,
  };
}

const bpsOf = (ratio: unknown): number | null =>
  typeof ratio === 'number' && ratio >= 0 && ratio <= 1 ? Math.round(ratio * 10_000) : null;

/** Whether a well-formed answer has nothing where the coin would be. */
function leavesOut({ price }: PriceApiSpec, coin: string, body: unknown): boolean {
  const at = price.findIndex((step) => step === '{coin}' || /^\d+$/.test(step));
  const list = valueAt(body, price.slice(0, Math.max(at, 0)), coin);
  const isList = price[at] === '{coin}' ? isRecord(list) : Array.isArray(list);
  return isList && valueAt(body, price.slice(0, at + 1), coin) == null;
}

/** A positive JSON number as the exact decimal it was written as, 1.5e-7 as 15 / 10^8; null for others. */
export function exactDecimal(value: unknown): { numerator: bigint; scale: number } | null {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return null;
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!match) return null;
  const fraction = match[2] ?? '';
  const scale = fraction.length - Number(match[3] ?? 0);
  const digits = BigInt(match[1]! + fraction);
  return scale >= 0 ? { numerator: digits, scale } : { numerator: digits * 10n ** BigInt(-scale), scale: 0 };
}
