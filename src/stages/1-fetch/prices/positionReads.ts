import { addressOfWord, intOfWord, uintOfWord, wordAt, wordOf } from '../../../evm/hex.ts';
import type { ViewCall } from '../context/multicall.ts';
import type { PriceSource } from './priceSources.ts';
import type { Hex } from '../../../model/hex.ts';
import type { PricingPlan } from './planPricing.ts';
import type { PositionRead } from '../../../model/upstream.ts';

type Planned = PricingPlan['positions'][number];

/**
 * Liquidity of position NFTs at the end of the block; of one that was burnt or emptied, before it. NFT
 * contracts are listed in the rules, so that their answers can be trusted.
 */
export function positionReads(planned: readonly Planned[]): PriceSource {
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
