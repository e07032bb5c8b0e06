import { addTo } from '../../../lib/lists.ts';
import type { TokensInLogs } from '../context/tokensInLogs.ts';
import type { Address } from '../../../model/hex.ts';
import type { PriceRefusal } from '../../../model/upstream.ts';
import type { PreparedRules } from '../../../model/intent.ts';
import type { PriceFeedSpec, PricingRules, RateSpec } from '../../../model/pricing.ts';

/** Token with a rate to read as the rules say. */
export interface PlannedRate {
  readonly spec: RateSpec;
  readonly token: Address;
}

/** Reads planned for the price sources. */
export type PricingPlan = Readonly<ReturnType<typeof planPricing>>;

export interface PricingVocabulary {
  readonly feeds: readonly PriceFeedSpec[];
  readonly wrappedNative: ReadonlySet<Address>;
  readonly pricing?: PricingRules;
  readonly prepared?: Pick<PreparedRules, 'derive'>;
}

/** Tokens looked up in the registry: two feeds of two reads each. */
const MAX_REGISTRY_TOKENS = 50;
/** Tokens asked whether they are shares; each with its own aggregates, so that one cannot spoil another's. */
const MAX_SHARES = 12;
/** The same where every read is a call of its own: a batch should stay one request. */
const MAX_SHARES_SINGLY = 2;
const MAX_POSITIONS = 12;
/** Wrappers of wrappers. */
const MAX_DEPTH = 4;

const NOTHING: PricingRules = { registry: null, rates: [], averages: [], apis: [] };

/** Assets, including native ether. */
export type Asset = Address | 'native';

/** A refusal of a source; `no_source` unless it says otherwise. */
export function refusePrice(
  asset: Asset,
  reason: string,
  { code = 'no_source', observed = null, threshold = null }: Partial<PriceRefusal> = {},
): PriceRefusal {
  return { asset, code, reason, observed, threshold };
}

export const refuseAll = (
  assets: readonly Asset[],
  reason: string,
  details?: Partial<PriceRefusal>,
): PriceRefusal[] => assets.map((asset) => refusePrice(asset, reason, details));

/**
 * Plans the reads for a transaction's tokens: feeds, rates, and all bases of these. `aggregated`: many reads
 * fit one call at this block; otherwise those of the registry would be too many.
 */
export function planPricing(
  found: TokensInLogs,
  tokens: readonly Address[],
  vocabulary: PricingVocabulary,
  aggregated: boolean,
) {
  const { wrappedNative, pricing = NOTHING } = vocabulary;
  const lookup = lookupIn(vocabulary);
  const { rates, bases } = listedRates(tokens, lookup);
  const asked = new Set(tokens);
  const fungible = found.moved.filter((token) => asked.has(token) && !wrappedNative.has(token));
  const isFeedless = (token: Address): boolean => !wrappedNative.has(token) && !lookup.fed.has(token);
  const feedless = [...fungible, ...bases].filter(isFeedless);
  const unlisted = (token: Address): boolean => asked.has(token) && isFeedless(token) && !rates.has(token);
  const shares = planShares(found, lookup, unlisted, aggregated);
  const allRates = [...rates.values(), ...shares.rates];
  const positions = (aggregated ? found.nfts : []).flatMap(({ nft, id }) => {
    const spec = pricing.positions?.find((known) => known.nft === nft);
    return spec ? [{ spec, id }] : [];
  });
  const feedsFor = (assets: readonly Asset[]): readonly PriceFeedSpec[] => {
    const wanted = new Set(assets);
    return vocabulary.feeds.filter(({ asset }) => wanted.has(asset));
  };
  const own = feedsFor(['native', ...tokens, ...bases]);
  const restsOnUnknown = allRates.some(({ spec }) =>
    spec.terms.some(({ asset }) => typeof asset !== 'string'),
  );
  const feedsBeside = (taken: readonly PriceFeedSpec[]): readonly PriceFeedSpec[] =>
    vocabulary.feeds.filter((feed) => feed.assetDecimals != null && !taken.includes(feed));
  const feeds = aggregated && (positions.length > 0 || restsOnUnknown) ? [...own, ...feedsBeside(own)] : own;
  const registry = aggregated ? pricing.registry : null;
  return {
    /** Of the tokens and, where a share may rest on an untouched asset, of all with stated decimals. */
    feeds,
    /** Asked for tokens that have no feed in the rules. */
    registry:
      registry && feedless.length > 0
        ? { spec: registry, tokens: feedless.slice(0, MAX_REGISTRY_TOKENS) }
        : null,
    rates: allRates,
    /** Rates of tokens that only changed hands: read in a third round trip, once their identity is proven. */
    heldShares: shares.held,
    /** Position NFTs that moved. */
    positions: positions.slice(0, MAX_POSITIONS),
    /** Feeds in case a held share rests on an asset not touched here. */
    heldBases: () => feedsBeside(feeds),
    averages: pricing.averages,
    /** The HTTP sources the rules describe. */
    apis: pricing.apis,
    /** Bases of the averages not read above, with their feeds: asked for only with the averages. */
    averageBases() {
      const known = new Set([...tokens, ...bases]);
      const all = new Set(pricing.averages.flatMap((spec) => spec.bases));
      const further = [...all].filter((base) => !known.has(base));
      return { tokens: further, feeds: feedsFor(further) };
    },
    /** Tokens that may be priced by an average, once nothing else priced them. */
    fungible,
    /** Tokens that did not move but price others: their decimals are needed too. */
    bases,
    /** Of tokens over the number that a source is asked about in one analysis. */
    refusals: [
      ...(registry ? beyond(feedless, 'the registry of feeds', MAX_REGISTRY_TOKENS) : []),
      ...shares.refusals,
    ],
  };
}

/** The rates of tokens that may be shares, and the minted or burnt ones over the limit. */
function planShares(
  found: TokensInLogs,
  { families, provable }: Lookup,
  unlisted: (token: Address) => boolean,
  aggregated: boolean,
) {
  const limit = aggregated ? MAX_SHARES : MAX_SHARES_SINGLY;
  const minted = found.issued.filter(unlisted);
  const issued = minted.slice(0, limit);
  // Tokens that only changed hands are asked last, and not where every read is a call of its own.
  const held = aggregated
    ? found.moved.filter((token) => unlisted(token) && !found.issued.includes(token))
    : [];
  const ratesOf = (tokens: readonly Address[], asked: readonly RateSpec[]): PlannedRate[] =>
    tokens.flatMap((token) => asked.map((spec) => ({ spec, token })));
  return {
    rates: ratesOf(issued, aggregated ? families : families.filter(({ identity }) => !identity)),
    held: ratesOf(held.slice(0, limit - issued.length), provable),
    refusals: families.length > 0 ? beyond(minted, 'the contracts of shares', limit) : [],
  };
}

function beyond(tokens: readonly Address[], source: string, limit: number): PriceRefusal[] {
  const reason = `more tokens in one transaction than ${source} can be asked about`;
  return refuseAll(tokens.slice(limit), reason, { threshold: String(limit) });
}

/** The rates of listed tokens and of those they rest on; `bases` are the tokens that came with them. */
function listedRates(tokens: readonly Address[], { listed }: Lookup) {
  const rates = new Map<Address, PlannedRate>();
  const bases: Address[] = [];
  const wanted = new Set<Asset>(tokens).add('native');
  for (let depth = 0, frontier = tokens; depth < MAX_DEPTH && frontier.length > 0; depth++) {
    const next: Address[] = [];
    for (const token of frontier)
      for (const spec of listed.get(token) ?? []) {
        rates.set(token, { spec, token });
        for (const { asset } of spec.terms)
          if (typeof asset === 'string' && !wanted.has(asset) && wanted.add(asset))
            next.push(asset as Address);
      }
    bases.push(...next);
    frontier = next;
  }
  return { rates, bases };
}

type Lookup = ReturnType<typeof lookupOf>;

const lookupIn = (vocabulary: PricingVocabulary): Lookup =>
  vocabulary.prepared?.derive(lookupOf) ?? lookupOf(vocabulary);

/** The rules' entries: assets with a feed, rates by token, and rates of any token, all and provable ones. */
function lookupOf({ feeds, pricing = NOTHING }: PricingVocabulary) {
  const listed = new Map<Address, RateSpec[]>();
  for (const spec of pricing.rates) for (const token of spec.tokens ?? []) addTo(listed, token, spec);
  const families = pricing.rates.filter(({ tokens }) => tokens === null);
  const fed = new Set(feeds.map(({ asset }) => asset));
  return { fed, listed, families, provable: families.filter(({ identity }) => identity) };
}
