import type { ViewCall } from '../context/multicall.ts';
import type { Address, Hex } from '../../../model/hex.ts';
import type {
  PositionRead,
  PriceQuote,
  PriceRate,
  PriceRefusal,
  TokenMetadata,
} from '../../../model/upstream.ts';

export interface PriceAnswers {
  /** Prices in US dollars. */
  readonly quotes: readonly PriceQuote[];
  /** Prices in other assets. */
  readonly rates?: readonly PriceRate[];
  /** Liquidity of position NFTs. */
  readonly positions?: readonly PositionRead[];
  readonly refusals: readonly PriceRefusal[];
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
 * A source of prices that answers by reading contracts. All its `calls` ride in the second round trip's
 * batch; `read` gets their results in order (null where the contract did not answer) and is pure. Sources
 * are read in the order given.
 */
export interface PriceSource {
  readonly calls: readonly ViewCall[];
  read(answers: readonly (Hex | null)[], situation: PriceSituation): PriceAnswers;
}
