import { create2Address, pairSalt } from '../../../evm/create2.ts';
import { memoizePair } from '../../../lib/memo.ts';
import type { Address } from '../../../model/hex.ts';
import type { PreparedMapping } from './preparedMapping.ts';
import type { ProtocolSpec } from '../../../model/rulebook.ts';
import type { ProtocolRef } from '../../../model/primitive.ts';

/**
 * Emitters checked against CREATE2 per transaction; without a limit a forger could buy one hash per log.
 */
const MAX_PROOFS = 2_000;

/**
 * Proves which factory created a pool from the pool's own two tokens (EIP-1014): the address is a hash over
 * the factory, the pool's creation code and the tokens, so no other contract can have it. Remembers answers
 * for one transaction.
 */
export class Create2Proofs {
  readonly #byPool = new Map<Address, ProtocolSpec>();
  readonly #failed = new Set<string>();
  #tries = 0;

  /**
   * `tokensAt`: contracts of the assets seen at the pool. Null unless exactly two and a listed factory made
   * the pool from them.
   */
  protocolOf(
    { shape, spec: { protocols }, pools }: PreparedMapping,
    pool: Address,
    tokensAt: () => readonly Address[],
  ): ProtocolRef | null {
    if (pools === null) return null;
    const known = this.#byPool.get(pool);
    if (known) return protocols.includes(known) ? reference(known) : null;
    const pair = pairOf(tokensAt(), pool);
    if (!pair || this.#tries >= MAX_PROOFS) return null;
    const [low, high] = pair;
    const key = (): string => `${shape}|${pool}|${low}|${high}`;
    if (this.#failed.size > 0 && this.#failed.has(key())) return null;
    this.#tries++;
    const creator = pools(low, high).get(pool);
    if (!creator) {
      this.#failed.add(key());
      return null;
    }
    this.#byPool.set(pool, creator);
    return reference(creator);
  }
}

/** The two tokens beside the pool's own, in order; null where there are not just two. */
function pairOf(tokens: readonly Address[], pool: Address): readonly [low: Address, high: Address] | null {
  let one: Address | null = null;
  let other: Address | null = null;
  for (const token of tokens) {
    if (token === pool || token === one || token === other) continue;
    if (other !== null) return null;
    if (one === null) one = token;
    else other = token;
  }
  if (one === null || other === null) return null;
  return one < other ? [one, other] : [other, one];
}

function reference(spec: ProtocolSpec): ProtocolRef {
  return { slug: spec.slug, version: spec.version, matchedBy: 'create2' };
}

/** Address of each protocol's pool of two tokens. */
export type PoolsOfPair = (token0: Address, token1: Address) => ReadonlyMap<Address, ProtocolSpec>;

/** Pairs remembered of each family of pools: the same tokens are traded over and over. */
const REMEMBERED = 1_024;

/**
 * Protocols with pools that prove their creator (EIP-1014); null for none. Shared by mappings with the same
 * protocols.
 */
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
