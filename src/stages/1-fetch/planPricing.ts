import type { TokensInLogs } from './tokensInLogs.ts';
import type { Address } from '../../model/hex.ts';
import type { AverageSpec, FeedRegistrySpec, PriceFeedSpec, PricingRules, RateSpec } from '../../model/rulebook.ts';

/** What the price sources are to ask about. */
export interface PricingPlan {
  readonly feeds: readonly PriceFeedSpec[];
  /** Asked for tokens that have no feed in the rules. */
  readonly registry: { readonly spec: FeedRegistrySpec; readonly tokens: readonly Address[] } | null;
  readonly rates: readonly { readonly spec: RateSpec; readonly token: Address }[];
  readonly averages: readonly AverageSpec[];
  /** The bases of the averages that nothing above looks at, with their feeds: asked for only where averages are. */
  readonly averageBases: () => { readonly tokens: readonly Address[]; readonly feeds: readonly PriceFeedSpec[] };
  /** Tokens that may be priced by an average, once nothing else priced them. */
  readonly fungible: readonly Address[];
  /** Tokens that did not move but price others: their decimals are needed too. */
  readonly bases: readonly Address[];
  /** Tokens that a source could have been asked about, but that are more than it is asked about in one analysis. */
  readonly beyondLimit: readonly { readonly token: Address; readonly source: string; readonly limit: number }[];
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
export function planPricing({ moved, issued }: TokensInLogs, tokens: readonly Address[], vocabulary: PricingVocabulary, aggregated: boolean): PricingPlan {
  const { feeds, wrappedNative, pricing = NOTHING } = vocabulary;
  const { withFeed, families } = lookupOf(vocabulary);
  const seen = new Set(tokens);
  const { rates, wanted, bases } = listedRates(tokens, vocabulary);
  const known = (token: Address): boolean => withFeed.has(token) || wrappedNative.has(token);
  const shareLimit = aggregated ? MAX_ISSUED_TOKENS : MAX_ISSUED_SINGLY;
  const maybeShares = issued.filter((token) => seen.has(token) && !known(token) && !rates.has(token));
  const shares = maybeShares.slice(0, shareLimit);
  const fungible = moved.filter((token) => seen.has(token) && !wrappedNative.has(token));
  const feedless = [...fungible, ...bases].filter((token) => !known(token));
  const registry = aggregated ? pricing.registry : null;
  const looked = feedless.slice(0, MAX_REGISTRY_TOKENS);
  return {
    feeds: feeds.filter((feed) => wanted.has(feed.asset)),
    registry: registry && looked.length > 0 ? { spec: registry, tokens: looked } : null,
    rates: [...rates.values(), ...shares.flatMap((token) => families.map((spec) => ({ spec, token })))],
    averages: pricing.averages,
    averageBases() {
      const further = new Set<Asset>(pricing.averages.flatMap((spec) => spec.bases).filter((base) => !wanted.has(base)));
      return { tokens: [...further] as Address[], feeds: feeds.filter(({ asset }) => further.has(asset)) };
    },
    fungible, bases,
    beyondLimit: [
      ...(registry ? feedless.slice(MAX_REGISTRY_TOKENS) : []).map((token) => ({ token, source: 'the registry of feeds', limit: MAX_REGISTRY_TOKENS })),
      ...(families.length > 0 ? maybeShares.slice(shareLimit) : []).map((token) => ({ token, source: 'the contracts of shares', limit: shareLimit })),
    ],
  };
}

/** The rates of tokens the rules list, and of those they rest on; `wanted` holds all assets then, `bases` the tokens that came with them. */
function listedRates(tokens: readonly Address[], vocabulary: PricingVocabulary): { rates: ReadonlyMap<Address, Rate>; wanted: ReadonlySet<Asset>; bases: readonly Address[] } {
  const specs = vocabulary.pricing?.rates ?? [];
  const { listed } = lookupOf(vocabulary);
  const rates = new Map<Address, Rate>();
  const wanted = new Set<Asset>(tokens).add('native');
  const bases: Address[] = [];
  for (let depth = 0, frontier = tokens; depth < MAX_DEPTH && frontier.some((token) => listed.has(token)); depth++) {
    const next: Address[] = [];
    for (const spec of specs) {
      for (const token of frontier) {
        if (spec.tokens?.has(token) !== true) continue;
        rates.set(token, { spec, token });
        for (const { asset } of spec.terms) if (typeof asset === 'string' && asset !== 'native' && !wanted.has(asset) && wanted.add(asset)) next.push(asset);
      }
    }
    bases.push(...next);
    frontier = next;
  }
  return { rates, wanted, bases };
}

/** What the rules' lists say about one asset. */
interface Lookup {
  readonly withFeed: ReadonlySet<Asset>;
  /** Tokens with a rate of their own. */
  readonly listed: ReadonlySet<Address>;
  /** Rates that any token may have. */
  readonly families: readonly RateSpec[];
}

const LOOKUPS = new WeakMap<PricingVocabulary, Lookup>();

function lookupOf(vocabulary: PricingVocabulary): Lookup {
  const known = LOOKUPS.get(vocabulary);
  if (known) return known;
  const { feeds, pricing = NOTHING } = vocabulary;
  const lookup = {
    withFeed: new Set(feeds.map(({ asset }) => asset)),
    listed: new Set(pricing.rates.flatMap(({ tokens }) => [...(tokens ?? [])])),
    families: pricing.rates.filter(({ tokens }) => tokens === null),
  };
  LOOKUPS.set(vocabulary, lookup);
  return lookup;
}
