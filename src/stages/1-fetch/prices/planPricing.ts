import type { TokensInLogs } from '../context/tokensInLogs.ts';
import type { Address } from '../../../model/hex.ts';
import type {
  AverageSpec,
  FeedRegistrySpec,
  PriceFeedSpec,
  PricingRules,
  RateSpec,
} from '../../../model/rulebook.ts';

/** What the price sources are to ask about. */
export interface PricingPlan {
  readonly feeds: readonly PriceFeedSpec[];
  /** Asked for tokens that have no feed in the rules. */
  readonly registry: { readonly spec: FeedRegistrySpec; readonly tokens: readonly Address[] } | null;
  readonly rates: readonly { readonly spec: RateSpec; readonly token: Address }[];
  readonly averages: readonly AverageSpec[];
  /** The bases of the averages that nothing above looks at, with their feeds: asked for only where averages are. */
  readonly averageBases: () => {
    readonly tokens: readonly Address[];
    readonly feeds: readonly PriceFeedSpec[];
  };
  /** Tokens that may be priced by an average, once nothing else priced them. */
  readonly fungible: readonly Address[];
  /** Tokens that did not move but price others: their decimals are needed too. */
  readonly bases: readonly Address[];
  /** Tokens that a source could have been asked about, but that are more than it is asked about in one analysis. */
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

const NOTHING: PricingRules = { registry: null, rates: [], averages: [] };

/** Assets, of which native ether is one. */
type Asset = Address | 'native';
type Rate = PricingPlan['rates'][number];

/**
 * Decides what to ask for the tokens of a transaction: their feeds, the registry for those without, the rates of tokens the
 * rules list and of those that were minted or burnt, and all that these rest on. `aggregated` says whether many reads
 * fit one call at this block; without that the registry is left out, whose reads would be too many.
 */
export function planPricing(
  found: TokensInLogs,
  tokens: readonly Address[],
  vocabulary: PricingVocabulary,
  aggregated: boolean,
): PricingPlan {
  const { wrappedNative, pricing = NOTHING } = vocabulary;
  const { feedsOf, families, listed } = lookupOf(vocabulary);
  const { rates, bases } = tokens.some((token) => listed.has(token))
    ? listedRates(tokens, vocabulary)
    : UNLISTED;
  // What moved is among the tokens found, unless there were too many.
  const lookedAt = tokens.length < found.seen.length ? new Set(tokens) : null;
  const fungible: Address[] = [];
  const feedless: Address[] = [];
  for (const token of found.moved) {
    if ((lookedAt && !lookedAt.has(token)) || wrappedNative.has(token)) continue;
    fungible.push(token);
    if (!feedsOf.has(token)) feedless.push(token);
  }
  for (const base of bases) if (!feedsOf.has(base) && !wrappedNative.has(base)) feedless.push(base);
  const maybeShares = found.issued.filter(
    (token) =>
      (!lookedAt || lookedAt.has(token)) &&
      !wrappedNative.has(token) &&
      !feedsOf.has(token) &&
      !rates.has(token),
  );
  const shareLimit = aggregated ? MAX_ISSUED_TOKENS : MAX_ISSUED_SINGLY;
  const planned = [...rates.values()];
  for (let i = 0; i < Math.min(maybeShares.length, shareLimit); i++)
    for (const spec of families) planned.push({ spec, token: maybeShares[i]! });
  const registry = aggregated ? pricing.registry : null;
  const beyondLimit: { token: Address; source: string; limit: number }[] = [];
  const leaveOut = (some: readonly Address[], source: string, limit: number): void => {
    for (let i = limit; i < some.length; i++) beyondLimit.push({ token: some[i]!, source, limit });
  };
  if (registry) leaveOut(feedless, 'the registry of feeds', MAX_REGISTRY_TOKENS);
  if (families.length > 0) leaveOut(maybeShares, 'the contracts of shares', shareLimit);
  return {
    feeds: feedsFor(['native', ...tokens, ...bases], vocabulary),
    registry:
      registry && feedless.length > 0
        ? { spec: registry, tokens: feedless.slice(0, MAX_REGISTRY_TOKENS) }
        : null,
    rates: planned,
    averages: pricing.averages,
    averageBases() {
      const wanted = new Set([...tokens, ...bases]);
      const further = [...new Set(pricing.averages.flatMap((spec) => spec.bases))].filter(
        (base) => !wanted.has(base),
      );
      return { tokens: further, feeds: feedsFor(further, vocabulary) };
    },
    fungible,
    bases,
    beyondLimit,
  };
}

interface ListedRates {
  readonly rates: ReadonlyMap<Address, Rate>;
  readonly bases: readonly Address[];
}

const UNLISTED: ListedRates = { rates: new Map(), bases: [] };

/** The rates of tokens the rules list and of those they rest on; `bases` are the tokens that came with them. */
function listedRates(tokens: readonly Address[], vocabulary: PricingVocabulary): ListedRates {
  const rates = new Map<Address, Rate>();
  const bases: Address[] = [];
  const wanted = new Set<Asset>(tokens).add('native');
  for (let depth = 0, frontier = tokens; depth < MAX_DEPTH && frontier.length > 0; depth++) {
    const next: Address[] = [];
    for (const spec of vocabulary.pricing!.rates) {
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

const NO_POSITIONS: readonly number[] = [];

/** The feeds of some assets, in the order of the rules. */
function feedsFor(assets: readonly Asset[], vocabulary: PricingVocabulary): readonly PriceFeedSpec[] {
  const { feedsOf } = lookupOf(vocabulary);
  const positions: number[] = [];
  let ascending = true;
  for (const asset of assets) {
    for (const position of feedsOf.get(asset) ?? NO_POSITIONS) {
      if (positions.length > 0 && positions.at(-1)! > position) ascending = false;
      positions.push(position);
    }
  }
  if (!ascending) positions.sort((a, b) => a - b);
  return positions.map((position) => vocabulary.feeds[position]!);
}

/** What the rules' lists say about one asset. */
interface Lookup {
  /** Where its feeds stand among all. */
  readonly feedsOf: ReadonlyMap<Asset, readonly number[]>;
  /** Tokens with a rate of their own. */
  readonly listed: ReadonlySet<Address>;
  /** Rates that any token may have. */
  readonly families: readonly RateSpec[];
}

function lookupOf({ feeds, pricing = NOTHING }: PricingVocabulary): Lookup {
  const feedsOf = new Map<Asset, number[]>();
  feeds.forEach(({ asset }, position) => feedsOf.set(asset, [...(feedsOf.get(asset) ?? []), position]));
  return {
    feedsOf,
    listed: new Set(pricing.rates.flatMap(({ tokens }) => [...(tokens ?? [])])),
    families: pricing.rates.filter(({ tokens }) => tokens === null),
  };
}
