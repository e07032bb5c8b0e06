import { create2Address, pairSalt } from '../../../evm/create2.ts';
import { memoizePair } from '../../../lib/memo.ts';
import type { Address } from '../../../model/hex.ts';
import type { ProtocolSpec } from '../../../model/rulebook.ts';

/** Whose pool of two tokens would stand at which address. */
export type PoolsOfPair = (token0: Address, token1: Address) => ReadonlyMap<Address, ProtocolSpec>;

/** Pairs remembered of each family of pools: the same tokens are traded over and over. */
const REMEMBERED = 1_024;

/** Protocols whose pools prove who created them (EIP-1014). Null for none; one for all meanings that the same protocols speak. */
export function poolsOfPair(protocols: readonly ProtocolSpec[]): PoolsOfPair | null {
  let pools = POOLS.get(protocols);
  if (pools === undefined)
    POOLS.set(protocols, (pools = poolsOf(protocols.filter(({ create2 }) => create2 !== null))));
  return pools;
}

const POOLS = new WeakMap<readonly ProtocolSpec[], PoolsOfPair | null>();

function poolsOf(creators: readonly ProtocolSpec[]): PoolsOfPair | null {
  if (creators.length === 0) return null;
  return memoizePair((token0, token1) => {
    const pools = new Map<Address, ProtocolSpec>();
    for (const creator of creators) {
      const { deployer, initCodeHash, salt, fees } = creator.create2!;
      for (const fee of salt === 'packed' ? [null] : fees) {
        const pool = create2Address(
          deployer,
          pairSalt(token0 as Address, token1 as Address, fee),
          initCodeHash,
        );
        if (!pools.has(pool)) pools.set(pool, creator);
      }
    }
    return pools;
  }, REMEMBERED);
}
