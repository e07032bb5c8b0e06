import type { Address } from '../../../model/hex.ts';
import type { Meaning } from './meaning.ts';
import type { ProtocolSpec } from '../../../model/rulebook.ts';
import type { ProtocolRef } from '../../../model/primitive.ts';

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
  protocolOf(
    { shape, spec: { protocols }, pools }: Meaning,
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
