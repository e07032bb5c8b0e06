import type { TokensInLogs } from '../context/tokensInLogs.ts';
import type { Address } from '../../../model/hex.ts';
import type {
  AverageSpec,
  FeedRegistrySpec,
  PriceFeedSpec,
  PricingRules,
  RateSpec,
  PriceApiSpec,
} from '../../../model/pricing.ts';

/** Reads planned for the price sources. */
export interface PricingPlan {
  readonly feeds: readonly PriceFeedSpec[];
  /** Asked for tokens that have no feed in the rules. */
  readonly registry: { readonly spec: FeedRegistrySpec; readonly tokens: readonly Address[] } | null;
  readonly rates: readonly { readonly spec: RateSpec; readonly token: Address }[];
  readonly averages: readonly AverageSpec[];
  /** The HTTP sources the rules describe. */
  readonly apis: readonly PriceApiSpec[];
  /**
   * The bases of the averages that nothing above looks at, with their feeds: asked for only where averages
   * are.
   */
  readonly averageBases: () => {
    readonly tokens: readonly Address[];
    readonly feeds: readonly PriceFeedSpec[];
  };
  /** Tokens that may be priced by an average, once nothing else priced them. */
  readonly fungible: readonly Address[];
  /** Tokens that did not move but price others: their decimals are needed too. */
  readonly bases: readonly Address[];
  /**
   * Tokens that a source could have been asked about, but that are more than it is asked about in one
   * analysis.
   */
  readonly beyondLimit: readonly {
    readonly token: Address;
    readonly source: string;
    readonly limit: number;
  }[];
}

export interface PricingVocabulary {
  readonly feeds: readonly PriceFeedSpec[];
  readonly wrappedNative: ReadonlySet<Address>;
  readonly pricing?: PricingRules;
}

/** Tokens looked up in the registry: two feeds of two reads each. */
const MAX_REGISTRY_TOKENS = 50;
/** Tokens asked whether they are shares; each with its own aggregates, so that one cannot spoil another's. */
const MAX_ISSUED_TOKENS = 12;
/** The same where every read is a call of its own: a batch should stay one request. */
const MAX_ISSUED_SINGLY = 2;
/** Wrappers of wrappers. */
const MAX_DEPTH = 4;

const NOTHING: PricingRules = { registry: null, rates: [], averages: [], apis: [] };

/** Assets, including native ether. */
type Asset = Address | 'native';
type Rate = PricingPlan['rates'][number];

/**
 * Plans the reads for a transaction's tokens: their feeds, the registry for those without, the rates of
 * listed, minted and burnt tokens, and all bases of these. `aggregated`: many reads fit one call at this
 * block; without it the registry is left out because its reads would be too many.
 */
export function planPricing(
  found: TokensInLogs,
  tokens: readonly Address[],
  vocabulary: PricingVocabulary,
  aggregated: boolean,
): PricingPlan {
  const { wrappedNative, pricing = NOTHING } = vocabulary;
  const lookup = lookupOf(vocabulary);
  const { feedsOf, families } = lookup;
  const { rates, bases } = listedRates(tokens, pricing);
  const asked = new Set(tokens);
  const fungible = found.moved.filter((token) => asked.has(token) && !wrappedNative.has(token));
  const feedless = [...fungible, ...bases.filter((base) => !wrappedNative.has(base))].filter(
    (token) => !feedsOf.has(token),
  );
  const maybeShares = found.issued.filter(
    (token) => asked.has(token) && !wrappedNative.has(token) && !feedsOf.has(token) && !rates.has(token),
  );
  const shareLimit = aggregated ? MAX_ISSUED_TOKENS : MAX_ISSUED_SINGLY;
  const shares = maybeShares.slice(0, shareLimit);
  const registry = aggregated ? pricing.registry : null;
  return {
    feeds: feedsFor(['native', ...tokens, ...bases], vocabulary, lookup),
    registry:
      registry && feedless.length > 0
        ? { spec: registry, tokens: feedless.slice(0, MAX_REGISTRY_TOKENS) }
        : null,
    rates: [...rates.values(), ...shares.flatMap((token) => families.map((spec) => ({ spec, token })))],
    averages: pricing.averages,
    apis: pricing.apis,
    averageBases() {
      const known = new Set([...tokens, ...bases]);
      const all = new Set(pricing.averages.flatMap((spec) => spec.bases));
      const further = [...all].filter((base) => !known.has(base));
      return { tokens: further, feeds: feedsFor(further, vocabulary, lookup) };
    },
    fungible,
    bases,
    beyondLimit: [
      ...(registry ? beyond(feedless, 'the registry of feeds', MAX_REGISTRY_TOKENS) : []),
      ...(families.length > 0 ? beyond(maybeShares, 'the contracts of shares', shareLimit) : []),
    ],
  };
}

function beyond(tokens: readonly Address[], source: string, limit: number): PricingPlan['beyondLimit'] {
  return tokens.slice(limit).map((token) => ({ token, source, limit }));
}

interface ListedRates {
  readonly rates: ReadonlyMap<Address, Rate>;
  readonly bases: readonly Address[];
}

/**
 * The rates of tokens the rules list and of those they rest on; `bases` are the tokens that came with them.
 */
function listedRates(tokens: readonly Address[], pricing: PricingRules): ListedRates {
  const rates = new Map<Address, Rate>();
  const bases: Address[] = [];
  const wanted = new Set<Asset>(tokens).add('native');
  for (let depth = 0, frontier = tokens; depth < MAX_DEPTH && frontier.length > 0; depth++) {
    const next: Address[] = [];
    for (const spec of pricing.rates) {
      for (const token of frontier) {
        if (spec.tokens?.has(token) !== true) continue;
        rates.set(token, { spec, token });
        for (const { asset } of spec.terms)
          if (typeof asset === 'string' && asset !== 'native' && !wanted.has(asset) && wanted.add(asset))
            next.push(asset);
      }
    }
    bases.push(...next);
    frontier = next;
  }
  return { rates, bases };
}

/** The feeds of some assets, in the order of the rules. */
function feedsFor(
  assets: readonly Asset[],
  vocabulary: PricingVocabulary,
  { feedsOf }: Lookup,
): readonly PriceFeedSpec[] {
  const positions = assets.flatMap((asset) => feedsOf.get(asset) ?? []);
  return positions.sort((a, b) => a - b).map((position) => vocabulary.feeds[position]!);
}

/** The rules' entries for an asset. */
interface Lookup {
  /** Positions of its feeds. */
  readonly feedsOf: ReadonlyMap<Asset, readonly number[]>;
  /** Rates that any token may have. */
  readonly families: readonly RateSpec[];
}

function lookupOf({ feeds, pricing = NOTHING }: PricingVocabulary): Lookup {
  const feedsOf = new Map<Asset, number[]>();
  for (const [position, { asset }] of feeds.entries()) {
    const known = feedsOf.get(asset);
    if (known) known.push(position);
    else feedsOf.set(asset, [position]);
  }
  return { feedsOf, families: pricing.rates.filter(({ tokens }) => tokens === null) };
}
