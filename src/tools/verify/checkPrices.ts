import type { Price, TxReport } from '../../model/generated/report.ts';
import {
  STALE_GRACE,
  answerOfFeed,
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
import { askToken, askView, type ReadContract } from './readContracts.ts';

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
export async function checkPrices(
  report: TxReport,
  input: PriceCheck,
  find: Report,
): Promise<{ readonly what: string; readonly why: string }[]> {
  const checker = new PriceChecker(report, input, find);
  const left: { what: string; why: string }[] = [];
  for (const [i, price] of (report.economics.valuation.prices ?? []).entries()) {
    const why = await checker.check(price, `/economics/valuation/prices/${i}`);
    if (why) left.push({ what: `price of ${price.asset_id}`, why });
  }
  const { unpriced_assets: unpriced, sources_left_out: out = [] } = report.economics.valuation;
  if (out.includes('chainlink') && unpriced.length > 0)
    return [...left, { what: 'unpriced assets', why: 'the report was made without the source chainlink' }];
  for (const [i, id] of unpriced.entries())
    await checker.checkRefusal(id, `/economics/valuation/unpriced_assets/${i}`);
  return left;
}

class PriceChecker {
  readonly #must: Must;
  readonly #prices: ReadonlyMap<string, Price>;

  constructor(
    private readonly report: TxReport,
    private readonly input: PriceCheck,
    find: Report,
  ) {
    this.#must = mustOf(find, 'price');
    this.#prices = new Map((report.economics.valuation.prices ?? []).map((p) => [keyOf(p.asset_id), p]));
  }

  async check(price: Price, at: string): Outcome {
    const exact = price.price_exact === undefined ? null : parseDecimal(price.price_exact);
    if (!exact) return 'the report gives no exact price';
    const one: Stated = { price, exact, at, asset: keyOf(price.asset_id) };
    await this.#againstFeed(one);
    switch (price.method) {
      case 'chainlink':
        return this.#feed(one);
      case 'http':
        return this.#http(one);
      case 'pool_twap':
        return this.#average(one);
      case 'own_trade':
        return this.#sale(one);
      default:
        return one.asset.includes('/') ? this.#position(one) : this.#rate(one);
    }
  }

  #listed(asset: string, grace: number): ReturnType<typeof answerOfFeed> {
    const { rules, read } = this.input;
    const since = Date.parse(this.report.tx.timestamp ?? '') / 1_000 - grace;
    return answerOfFeed(feedsOf(asset, rules), read, since);
  }

  /** A refusal does not hold where the listed feed of the asset answers, and answered so before the block. */
  async checkRefusal(id: string, at: string): Promise<void> {
    const { refusals = [] } = this.report.economics.valuation;
    const refusal = refusals.find(({ asset_id: asset }) => asset === id);
    const answer = NOT_OF_THE_FEED.includes(refusal?.code ?? '')
      ? null
      : await this.#listed(keyOf(id), STALE_GRACE);
    if (!answer) return;
    const earlier = await askRound(this.input.read, answer.rule.feed, [], true);
    const moved = earlier !== null && !near(answer.round[1]!, earlier[1]!);
    this.#must(moved, at, `the feed ${answer.rule.feed} answered ${answer.round[1]}`);
  }

  /** No price is further from a fresh answer of its asset's feed than sources may be apart. */
  async #againstFeed({ exact, at, asset }: Stated): Promise<void> {
    const answer = await this.#listed(asset, 0);
    if (!answer) return;
    const { rule, round } = answer;
    const [stated, told] = [
      exact.units * 10n ** BigInt(rule.decimals),
      round[1]! * 10n ** BigInt(exact.places),
    ];
    this.#must(near(stated, told), at, `${rule.feed}, the feed of ${asset}, answered ${round[1]}`);
  }

  async #feed({ price, exact, at, asset }: Stated): Outcome {
    const { rules, read } = this.input;
    const registry = rules.registries.find(({ address }) => isSame(address, price.source));
    const feeds = feedsOf(asset, rules).filter(({ feed }) => isSame(feed, price.source));
    const questions = registry
      ? registry.quotes.map((q) => ({ args: [asset, q.denomination], unit: q.in }))
      : feeds.slice(0, 1).map(() => ({ args: [], unit: 'usd' }));
    if (questions.length === 0)
      return this.#must(false, `${at}/source`, `the rules list no feed ${price.source} of ${asset}`);
    const answers = [];
    for (const { args, unit } of questions) {
      const round = await askRound(read, price.source, args);
      const view = `function decimals${inputs(args)} view returns (uint8)`;
      const decimals = (await askView(read, price.source, view, { args })) as number | null;
      if (round && decimals !== null) answers.push({ round, decimals, unit });
    }
    if (answers.length === 0)
      return this.#must(false, at, `${price.source} does not answer latestRoundData() at this block`);
    const ether = this.#prices.get('native');
    const inDollars = (answer: bigint, decimals: number, unit: string): Ratio => {
      const base = unit === 'usd' ? ONE : parseDecimal(ether?.price_exact ?? '0')!;
      return { over: answer * base.units, under: 10n ** BigInt(decimals + base.places) };
    };
    const right = answers.some(({ round, decimals, unit }) =>
      agree(exact, inDollars(round[1]!, decimals, unit), EXACT),
    );
    const said = answers.map(({ round, decimals }) => `${round[1]} with ${decimals} decimals`);
    this.#must(right, `${at}/price_exact`, `the feed answered ${said.join(', ')}`);
    const times = answers.map(({ round }) => Number(round[3]));
    const isTimed = answers.some(({ unit }) => unit !== 'usd') || times.includes(price.as_of);
    this.#must(isTimed, `${at}/as_of`, `the feed was updated at ${times.join(', ')}`);
  }

  async #rate({ price, exact, at, asset }: Stated): Outcome {
    const decimals = await this.#decimalsOf(asset);
    if (decimals === null) return 'the token does not state its decimals';
    const found: Ratio[] = [];
    for (const rule of rulesFor(asset, price.method, this.input.rules)) {
      const rate = await readRate(asset, rule, this.input.read, (base) => this.#valueOf(base));
      if (rate) found.push({ over: rate.over * 10n ** BigInt(decimals), under: rate.under });
    }
    if (found.length === 0)
      return 'no rule of the rule set reads this price, or its contract does not answer';
    const isRight = found.some((rate) => agree(exact, rate, EXACT));
    this.#must(isRight, `${at}/price_exact`, `${price.source} tells ${found.map(shown).join(' or ')}`);
  }

  async #position({ price, exact, at, asset }: Stated): Outcome {
    const [nft, id] = asset.split('/') as [string, string];
    const rule = this.input.rules.positions.find((known) => known.nft.toLowerCase() === nft);
    if (!rule) return 'no rule of the rule set reads this position';
    const value = await readPosition(BigInt(id), rule, this.input.read, (base) => this.#dollarsOf(base));
    if (value === null) return 'the position does not answer, or its tokens have no price';
    const near = Math.abs(asNumber(exact) - value.dollars) <= value.slack + value.dollars / 1e9;
    this.#must(near, `${at}/price_exact`, `${price.source} holds $${value.dollars}`);
  }

  async #average({ price, exact, at, asset }: Stated): Outcome {
    const decimals = await this.#decimalsOf(asset);
    const [window] = this.input.rules.windows;
    if (decimals === null || window === undefined) return 'no rule of the rule set asks pools for averages';
    const value = await readAverage({ token: asset, pool: price.source, window }, this.input.read, (base) =>
      this.#dollarsOf(base),
    );
    if (value === null) return 'the pool does not answer, or its other token has no price';
    this.#compare(exact, value * 10 ** decimals, `${at}/price_exact`, `${price.source} averages`);
  }

  /** All that a buyer paid is the price of all that it bought. */
  async #sale({ price, at }: Stated): Outcome {
    const sales = this.report.economics.nft_sales ?? [];
    const sale = sales.find(({ asset }) => asset.id === price.asset_id);
    if (!sale) return this.#must(false, at, 'the report lists no sale of it');
    let paid = 0;
    let priced = 0;
    for (const { subject, asset, delta_raw: raw } of this.report.inventory_deltas) {
      if (subject !== sale.buyer) continue;
      const stated = this.#priceOf(asset.id);
      const value = stated && asset.decimals !== null ? dollars(stated, BigInt(raw), asset.decimals) : 0;
      if (asset.kind === 'native' || asset.kind === 'erc20') paid -= value;
      else priced += value;
    }
    const isPaid = Math.abs(paid - priced) <= Math.abs(paid) / 1e9;
    this.#must(isPaid, at, `the buyer paid $${paid} for what is priced at $${priced}`);
  }

  async #http({ price, exact, at, asset }: Stated): Outcome {
    const { priceApiUrl, rules } = this.input;
    const place = priceApiUrl === null ? null : priceApiUrls(priceApiUrl, rules.apis).get(price.source);
    if (!place) return `PRICE_API_URL names no source ${price.source}`;
    const timestamp = Date.parse(this.report.tx.timestamp ?? '') / 1_000;
    const answer = await askPriceApi(place, asset, timestamp);
    if (!answer) return `${price.source} answered no price`;
    this.#compare(exact, answer.price, `${at}/price_exact`, `${price.source} answers`);
    const isTimed = answer.time === price.as_of;
    this.#must(isTimed, `${at}/as_of`, `${price.source} answers for ${answer.time}`);
  }

  #compare(exact: Decimal, value: number, at: string, who: string): void {
    const scaled = { over: BigInt(Math.round(value * 1e15)), under: 10n ** 15n };
    const near = value >= 1e-3 ? agree(exact, scaled, FLOATING) : Math.abs(asNumber(exact) - value) < 1e-12;
    this.#must(near, at, `${who} $${value}`);
  }

  async #decimalsOf(asset: string): Promise<number | null> {
    if (asset === 'native' || this.input.rules.wrappedNative.has(asset)) return 18;
    const decimals = await askToken(this.input.read, asset, 'decimals');
    return typeof decimals === 'number' ? decimals : null;
  }

  /** The report's price of an asset; wrapped ether may have the price of ether. */
  #priceOf(id: string): Price | undefined {
    const key = keyOf(id);
    const merged = this.input.rules.wrappedNative.has(key) ? 'native' : key;
    return this.#prices.get(key) ?? this.#prices.get(merged);
  }

  async #valueOf(asset: string): Promise<Ratio | null> {
    const price = this.#priceOf(asset);
    const exact = price?.price_exact === undefined ? null : parseDecimal(price.price_exact);
    const decimals = exact && (await this.#decimalsOf(asset));
    return exact && decimals !== null
      ? { over: exact.units, under: 10n ** BigInt(exact.places + decimals) }
      : null;
  }

  async #dollarsOf(asset: string): Promise<number | null> {
    const value = await this.#valueOf(asset);
    return value && Number((value.over * 10n ** 60n) / value.under) / 1e60;
  }
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

const dollars = (price: Price, raw: bigint, decimals: number): number =>
  asNumber(parseDecimal(price.price_exact ?? '0')!) * (Number(raw) / 10 ** decimals);

const shown = ({ over, under }: Ratio): string => `$${Number((over * 10n ** 12n) / under) / 1e12}`;

/** True when a decimal and a ratio differ by less than one part in so many. */
function agree({ units, places }: Decimal, { over, under }: Ratio, parts: bigint): boolean {
  const [left, right] = [units * under, over * 10n ** BigInt(places)];
  return (left > right ? left - right : right - left) * parts <= left;
}
