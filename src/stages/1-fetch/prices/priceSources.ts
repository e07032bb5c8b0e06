import { addressOfWord, intOfWord, uintOfWord, wordAt, wordOf } from '../../../evm/hex.ts';
import { feedPrices, registryPrices } from './feedPrices.ts';
import { ratePrices } from './ratePrices.ts';
import type { PlannedRate, PricingPlan } from './planPricing.ts';
import type { Settings } from '../../../model/generated/settings.ts';
import type { RateSpec } from '../../../model/pricing.ts';
import type { ViewCall } from '../context/multicall.ts';
import type { Address, Hex } from '../../../model/hex.ts';
import type {
  PositionRead,
  PriceQuote,
  PriceRate,
  PriceRefusal,
  TokenMetadata,
} from '../../../model/upstream.ts';

/** A source, by the name the configuration gives it. */
export type PriceSourceName = NonNullable<Settings['priceSources']>[number];

/** Sources asked by default: all that fit the second round trip. */
export const STANDARD_PRICE_SOURCES: readonly PriceSourceName[] = ['chainlink', 'vault', 'wrapper', 'lp'];

/** Name of the source that reads rates of a method. */
const RATE_SOURCES: Readonly<Record<RateSpec['method'], PriceSourceName>> = {
  erc4626: 'vault',
  wrapper: 'wrapper',
  lp_share: 'lp',
};

/** The sources that read contracts in the second round trip. */
export function contractSources(plan: PricingPlan, names: ReadonlySet<PriceSourceName>): PriceSource[] {
  const sources = names.has('chainlink') ? [feedPrices(plan.feeds), registryPrices(plan.registry)] : [];
  // One source for all families: a token is asked once for all of them.
  const planned = ratesFrom(plan.rates, names);
  if (planned.length > 0) sources.push(ratePrices(planned));
  if (plan.positions.length > 0 && names.has('lp')) sources.push(positionReads(plan.positions));
  return sources;
}

/** The planned rates that the named sources read. */
export function ratesFrom(
  planned: readonly PlannedRate[],
  names: ReadonlySet<PriceSourceName>,
): readonly PlannedRate[] {
  return planned.filter(({ spec }) => names.has(RATE_SOURCES[spec.method]));
}

export interface PriceAnswers {
  /** Prices in US dollars. */
  readonly quotes: readonly PriceQuote[];
  /** Prices in other assets. */
  readonly rates?: readonly PriceRate[];
  /** Liquidity of position NFTs. */
  readonly positions?: readonly PositionRead[];
  readonly refusals: readonly PriceRefusal[];
  /** Reads left for a third request. */
  readonly later?: PriceSource;
}

/** Context for reading a source's answers. */
interface PriceSituation {
  /** Unix seconds of the transaction's block. */
  readonly timestamp: number;
  readonly tokens: ReadonlyMap<Address, TokenMetadata>;
  /** Quotes of the sources before this one. */
  readonly quotes: readonly PriceQuote[];
}

/**
 * Reads contracts for prices. All its `calls` ride in the second round trip's batch; `read` is pure and gets
 * the answers in order, null where there is none. Sources are read in the order given.
 */
export interface PriceSource {
  readonly calls: readonly ViewCall[];
  read(answers: readonly (Hex | null)[], situation: PriceSituation): PriceAnswers;
}

type Planned = PricingPlan['positions'][number];

/**
 * Liquidity of position NFTs at the end of the block; of one that was burnt or emptied, before it. NFT
 * contracts are listed in the rules, so that their answers can be trusted.
 */
function positionReads(planned: readonly Planned[]): PriceSource {
  return {
    calls: planned.flatMap(({ spec: { nft, selector }, id }): ViewCall[] => {
      const data: Hex = `${selector}${wordOf(id)}`;
      return [false, true].map((before) => ({ to: nft, data, before, apart: nft }));
    }),
    read(answers) {
      const positions = planned.flatMap((position, i) => {
        const [at, before] = [answers[2 * i], answers[2 * i + 1]].map((answer) =>
          answer == null ? null : readPosition(position, answer),
        );
        const worth = at && (at.liquidity > 0n || at.owed0 > 0n || at.owed1 > 0n) ? at : (before ?? at);
        return worth ? [worth] : [];
      });
      return { quotes: [], positions, refusals: [] };
    },
  };
}

const FIELDS = ['token0', 'token1', 'tickLower', 'tickUpper', 'liquidity', 'owed0', 'owed1'] as const;

/** Null for an answer that is too short or names no tokens. */
function readPosition({ spec, id }: Planned, answer: Hex): PositionRead | null {
  const words = FIELDS.map((field) => wordAt(answer, 32 * spec[field]));
  if (words.includes(null)) return null;
  const [a, b, lower, upper, liquidity, owed0, owed1] = words as string[];
  const [token0, token1] = [addressOfWord(a!), addressOfWord(b!)];
  if (token0 === null || token1 === null) return null;
  return {
    nft: spec.nft,
    id,
    token0,
    token1,
    tickLower: Number(intOfWord(lower!)),
    tickUpper: Number(intOfWord(upper!)),
    liquidity: uintOfWord(liquidity!),
    owed0: uintOfWord(owed0!),
    owed1: uintOfWord(owed1!),
  };
}
