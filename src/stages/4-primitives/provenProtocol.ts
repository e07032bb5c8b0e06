import { create2Address, pairSalt } from '../../lib/create2.ts';
import type { Address } from '../../model/hex.ts';
import type { Meaning } from './repertoire.ts';
import type { ProtocolSpec } from '../../model/rulebook.ts';
import type { ProtocolRef } from '../../model/primitive.ts';

/** Emitters whose creation is recomputed per transaction; a forger could otherwise buy a hash per log with each. */
const MAX_PROOFS = 2_000;

/**
 * Proves which factory created a pool from the pool's own two tokens (EIP-1014): the address is a hash over the factory,
 * the pool's creation code and the tokens, so no other contract can stand at it. Remembers answers for one transaction.
 */
export class Create2Proofs {
  readonly #byPool = new Map<Address, ProtocolSpec>();
  readonly #failed = new Set<string>();
  #tries = 0;

  /** `tokensAt`: contracts of the assets seen at the pool. Null unless exactly two and a listed factory made the pool from them. */
  protocolOf({ spec: { shape }, creators }: Meaning, pool: Address, tokensAt: () => readonly Address[]): ProtocolRef | null {
    if (creators.length === 0) return null;
    const known = this.#byPool.get(pool);
    if (known) return creators.includes(known) ? reference(known) : null;
    const tokens = tokensAt();
    const pair = tokens.filter((token, i) => token !== pool && tokens.indexOf(token) === i).sort();
    if (pair.length !== 2 || this.#tries >= MAX_PROOFS) return null;
    const key = (): string => `${shape}|${pool}|${pair.join('|')}`;
    if (this.#failed.size > 0 && this.#failed.has(key())) return null;
    this.#tries++;
    const creator = creators.find((p) => createdBy(p, pool, pair[0]!, pair[1]!));
    if (creator) this.#byPool.set(pool, creator);
    else this.#failed.add(key());
    return creator ? reference(creator) : null;
  }
}

function reference(spec: ProtocolSpec): ProtocolRef {
  return { slug: spec.slug, version: spec.version, matchedBy: 'create2' };
}

function createdBy({ create2 }: ProtocolSpec, pool: Address, token0: Address, token1: Address): boolean {
  if (!create2) return false;
  const { deployer, initCodeHash, salt, fees } = create2;
  if (salt === 'packed') return create2Address(deployer, pairSalt(token0, token1, null), initCodeHash) === pool;
  for (const fee of fees) if (create2Address(deployer, pairSalt(token0, token1, fee), initCodeHash) === pool) return true;
  return false;
}
