import type { Price, TxReport } from '../../model/generated/report.ts';
import {
  STALE_GRACE,
  askRound,
  feedsOf,
  inputs,
  near,
  readAverage,
  readPosition,
  readRate,
  rulesFor,
  type Ratio,
} from './readRate.ts';
import { askPriceApi, priceApiUrls, type PriceRules } from './ruleFacts.ts';
import { asNumber, parseDecimal, type Decimal } from './decimal.ts';
import { mustOf, type Must, type Report } from './finding.ts';
import { isSame } from './rawChain.ts';
import { askToken, askView, type ReadContract } from './fetchRawAnswers.ts';

/** Nothing when the price holds or its fault was reported; else the reason why it could not be checked. */
type Outcome = Promise<string | void>;

export interface PriceCheck {
  readonly read: ReadContract;
  readonly rules: PriceRules;
  /** `PRICE_API_URL`; HTTP prices are not asked for again without it. */
  readonly priceApiUrl: string | null;
}

/** Prices that were divided keep thirty digits; floating point keeps fifteen. */
const EXACT = 10n ** 24n;
const FLOATING = 10n ** 9n;

/** Refusals that hold for any answer of a feed: of the token itself, or of sources that disagree. */
const NOT_OF_THE_FEED = [
  'price_deviation',
  'spam_asset',
  'unknown_decimals',
  'source_unavailable',
  'source_malformed',
];

/**
 * Reads the sources of a report's prices again at its block: feeds, the registry, rates and views, pools,
 * sales and HTTP sources; prices and refusals are held against the listed feed of their asset. Returns the
 * prices that could not be read, with the reason.
 */
export async function checkPrices(report: TxReport, input: PriceCheck, find: Report) {
  const check = priceChecks(report, input, mustOf(find, 'price'));
  const left: { what: string; why: string }[] = [];
  const { prices = [], unpriced_assets: unpriced, sources_left_out: out = [] } = report.economics.valuation;
  for (const [i, price] of prices.entries()) {
    const why = await check.price(price, `/economics/valuation/prices/${i}`);
    if (why) left.push({ what: `price of ${price.asset_id}`, why });
  }
  if (out.includes('chainlink') && unpriced.length > 0)
    return [...left, { what: 'unpriced assets', why: 'the report was made without the source chainlink' }];
  for (const [i, id] of unpriced.entries())
    await check.refusal(id, `/economics/valuation/unpriced_assets/${i}`);
  return left;
}

function priceChecks(report: TxReport, { read, rules, priceApiUrl }: PriceCheck, must: Must) {
  const { prices: listed = [], refusals = [] } = report.economics.valuation;
  const prices = new Map(listed.map((price) => [keyOf(price.asset_id), price]));
  const timestamp = Date.parse(report.tx.timestamp ?? '') / 1_000;

  /** The first listed feed of an asset with an answer in time. */
  async function answerOfFeed(asset: string, grace: number) {
    for (const rule of feedsOf(asset, rules)) {
      const round = await askRound(read, rule.feed);
      const isAnswer = round && round[1]! > 0n && timestamp - grace - Number(round[3]) <= rule.heartbeat;
      if (isAnswer) return { ...rule, answer: round[1]! };
    }
    return null;
  }

  /** No price is further from a fresh answer of its asset's feed than sources may be apart. */
  async function againstFeed({ exact, at, asset }: Stated): Promise<void> {
    const fresh = await answerOfFeed(asset, 0);
    if (!fresh) return;
    const { feed, decimals, answer } = fresh;
    const isNear = near(exact.units * 10n ** BigInt(decimals), answer * 10n ** BigInt(exact.places));
    must(isNear, at, `${feed}, the feed of ${asset}, answered ${answer}`);
  }

  async function fromFeed({ price, exact, at, asset }: Stated): Outcome {
    const registry = rules.registries.find(({ address }) => isSame(address, price.source));
    const feeds = feedsOf(asset, rules).filter(({ feed }) => isSame(feed, price.source));
    const questions = registry
      ? registry.quotes.map((q) => ({ args: [asset, q.denomination], unit: q.in }))
      : feeds.slice(0, 1).map(() => ({ args: [], unit: 'usd' }));
    if (questions.length === 0)
      return must(false, `${at}/source`, `the rules list no feed ${price.source} of ${asset}`);
    const answers = [];
    for (const { args, unit } of questions) {
      const round = await askRound(read, price.source, args);
      const view = `function decimals${inputs(args)} view returns (uint8)`;
      const decimals = (await askView(read, price.source, view, { args })) as number | null;
      if (!round || decimals === null) continue;
      const base = unit === 'usd' ? ONE : parseDecimal(exactOf('native') ?? '0')!;
      const dollars = { over: round[1]! * base.units, under: 10n ** BigInt(decimals + base.places) };
      answers.push({ dollars, unit, time: Number(round[3]), said: `${round[1]} with ${decimals} decimals` });
    }
    if (answers.length === 0)
      return must(false, at, `${price.source} does not answer latestRoundData() at this block`);
    const isRight = answers.some(({ dollars }) => agree(exact, dollars, EXACT));
    must(isRight, `${at}/price_exact`, `the feed answered ${answers.map(({ said }) => said).join(', ')}`);
    const times = answers.map(({ time }) => time);
    const isTimed = answers.some(({ unit }) => unit !== 'usd') || times.includes(price.as_of);
    must(isTimed, `${at}/as_of`, `the feed was updated at ${times.join(', ')}`);
  }

  async function fromRate({ price, exact, at, asset }: Stated): Outcome {
    const decimals = await decimalsOf(asset);
    if (decimals === null) return 'the token does not state its decimals';
    const found: Ratio[] = [];
    for (const rule of rulesFor(asset, price.method, rules)) {
      const rate = await readRate(asset, rule, read, valueOf);
      if (rate) found.push({ over: rate.over * 10n ** BigInt(decimals), under: rate.under });
    }
    if (found.length === 0)
      return 'no rule of the rule set reads this price, or its contract does not answer';
    const isRight = found.some((rate) => agree(exact, rate, EXACT));
    must(isRight, `${at}/price_exact`, `${price.source} tells ${found.map(shown).join(' or ')}`);
  }

  async function fromPosition({ price, exact, at, asset }: Stated): Outcome {
    const [nft, id] = asset.split('/') as [string, string];
    const rule = rules.positions.find((known) => isSame(known.nft, nft));
    if (!rule) return 'no rule of the rule set reads this position';
    const value = await readPosition(BigInt(id), rule, read, dollarsOf);
    if (value === null) return 'the position does not answer, or its tokens have no price';
    const isNear = Math.abs(asNumber(exact) - value.dollars) <= value.slack + value.dollars / 1e9;
    must(isNear, `${at}/price_exact`, `${price.source} holds $${value.dollars}`);
  }

  async function fromAverage({ price, exact, at, asset }: Stated): Outcome {
    const decimals = await decimalsOf(asset);
    const [window] = rules.windows;
    if (decimals === null || window === undefined) return 'no rule of the rule set asks pools for averages';
    const value = await readAverage({ token: asset, pool: price.source, window }, read, dollarsOf);
    if (value === null) return 'the pool does not answer, or its other token has no price';
    compare(exact, value * 10 ** decimals, `${at}/price_exact`, `${price.source} averages`);
  }

  /** All that a buyer paid is the price of all that it bought. */
  async function fromSale({ price, at }: Stated): Outcome {
    const sale = report.economics.nft_sales?.find(({ asset }) => asset.id === price.asset_id);
    if (!sale) return must(false, at, 'the report lists no sale of it');
    let paid = 0;
    let priced = 0;
    for (const { subject, asset, delta_raw: raw } of report.inventory_deltas) {
      if (subject !== sale.buyer) continue;
      const value = dollars(exactOf(asset.id), raw, asset.decimals);
      if (asset.kind === 'native' || asset.kind === 'erc20') paid -= value;
      else priced += value;
    }
    const isPaid = Math.abs(paid - priced) <= Math.abs(paid) / 1e9;
    must(isPaid, at, `the buyer paid $${paid} for what is priced at $${priced}`);
  }

  async function fromHttp({ price, exact, at, asset }: Stated): Outcome {
    const place = priceApiUrl === null ? null : priceApiUrls(priceApiUrl, rules.apis).get(price.source);
    if (!place) return `PRICE_API_URL names no source ${price.source}`;
    const answer = await askPriceApi(place, asset, timestamp);
    if (!answer) return `${price.source} answered no price`;
    compare(exact, answer.price, `${at}/price_exact`, `${price.source} answers`);
    must(answer.time === price.as_of, `${at}/as_of`, `${price.source} answers for ${answer.time}`);
  }

  function compare(exact: Decimal, value: number, at: string, source: string): void {
    const scaled = { over: BigInt(Math.round(value * 1e15)), under: 10n ** 15n };
    const isNear = value >= 1e-3 ? agree(exact, scaled, FLOATING) : Math.abs(asNumber(exact) - value) < 1e-12;
    must(isNear, at, `${source} $${value}`);
  }

  async function decimalsOf(asset: string): Promise<number | null> {
    if (asset === 'native' || rules.wrappedNative.has(asset)) return 18;
    const decimals = await askToken(read, asset, 'decimals');
    return typeof decimals === 'number' ? decimals : null;
  }

  /** The report's price of an asset; wrapped ether may have the price of ether. */
  function exactOf(id: string): string | undefined {
    const key = keyOf(id);
    return (prices.get(key) ?? prices.get(rules.wrappedNative.has(key) ? 'native' : key))?.price_exact;
  }

  /** Dollars per smallest unit. */
  async function valueOf(asset: string): Promise<Ratio | null> {
    const exact = parseDecimal(exactOf(asset) ?? '');
    const decimals = exact && (await decimalsOf(asset));
    if (!exact || decimals === null) return null;
    return { over: exact.units, under: 10n ** BigInt(exact.places + decimals) };
  }

  async function dollarsOf(asset: string): Promise<number | null> {
    const value = await valueOf(asset);
    return value && Number((value.over * 10n ** 60n) / value.under) / 1e60;
  }

  const methods = new Map<string, (one: Stated) => Outcome>([
    ['chainlink', fromFeed],
    ['http', fromHttp],
    ['pool_twap', fromAverage],
    ['own_trade', fromSale],
  ]);

  return {
    async price(price: Price, at: string): Outcome {
      const exact = parseDecimal(price.price_exact ?? '');
      if (!exact) return 'the report gives no exact price';
      const one: Stated = { price, exact, at, asset: keyOf(price.asset_id) };
      await againstFeed(one);
      return (methods.get(price.method) ?? (one.asset.includes('/') ? fromPosition : fromRate))(one);
    },

    /** A refusal fails where the listed feed of the asset answers, and answered so before the block. */
    async refusal(id: string, at: string): Promise<void> {
      const refusal = refusals.find(({ asset_id: asset }) => asset === id);
      if (NOT_OF_THE_FEED.includes(refusal?.code ?? '')) return;
      const found = await answerOfFeed(keyOf(id), STALE_GRACE);
      if (!found) return;
      const earlier = await askRound(read, found.feed, [], true);
      const moved = earlier !== null && !near(found.answer, earlier[1]!);
      must(moved, at, `the feed ${found.feed} answered ${found.answer}`);
    },
  };
}

interface Stated {
  readonly price: Price;
  readonly exact: Decimal;
  /** Place in the report. */
  readonly at: string;
  /** `native`, a token's address, or `address/id` of an NFT. */
  readonly asset: string;
}

const ONE: Decimal = { units: 1n, places: 0 };

const keyOf = (id: string): string =>
  id.includes('slip44') ? 'native' : id.slice(id.lastIndexOf(':') + 1).toLowerCase();

const dollars = (exact = '0', raw: string, decimals: number | null): number =>
  decimals === null ? 0 : asNumber(parseDecimal(exact)!) * (Number(raw) / 10 ** decimals);

const shown = ({ over, under }: Ratio): string => `$${Number((over * 10n ** 12n) / under) / 1e12}`;

/** True when a decimal and a ratio differ by less than one part in so many. */
function agree({ units, places }: Decimal, { over, under }: Ratio, parts: bigint): boolean {
  const [left, right] = [units * under, over * 10n ** BigInt(places)];
  return (left > right ? left - right : right - left) * parts <= left;
}
