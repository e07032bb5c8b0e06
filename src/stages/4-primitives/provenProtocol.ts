import { create2Address, pairSalt } from '../../lib/create2.ts';
import type { Address } from '../../model/hex.ts';
import type { MeaningSpec, ProtocolSpec } from '../../model/rulebook.ts';
import type { ProtocolRef } from '../../model/primitive.ts';

/** Emitters whose creation is recomputed per transaction; a forger could otherwise buy a hash per log with each. */
const MAX_PROOFS = 2_000;

/** The protocol a contract belongs to, by its listed address. */
export function protocolByAddress(meaning: MeaningSpec, contract: Address): ProtocolRef | null {
  const spec = meaning.protocols.find((p) => p.addresses.has(contract));
  return spec ? { slug: spec.slug, version: spec.version, matchedBy: 'address' } : null;
}

/**
 * Proves which factory created a pool from the pool's own two tokens (EIP-1014): the address is a hash over the factory,
 * the pool's creation code and the tokens, so no other contract can stand at it. Remembers answers for one transaction.
 */
export class Create2Proofs {
  readonly #found = new Map<string, ProtocolSpec | null>();
  readonly #byPool = new Map<Address, ProtocolSpec>();

  /** `tokens`: contracts of the assets seen at the pool. Null unless exactly two and a listed factory made the pool from them. */
  protocolOf(meaning: MeaningSpec, pool: Address, tokens: readonly Address[]): ProtocolRef | null {
    const known = this.#byPool.get(pool);
    if (known) return meaning.protocols.includes(known) ? reference(known) : null;
    const pair = [...new Set(tokens)].filter((t) => t !== pool).sort();
    if (pair.length !== 2 || !meaning.protocols.some((p) => p.create2)) return null;
    const key = `${meaning.shape}|${pool}|${pair.join('|')}`;
    let spec = this.#found.get(key);
    if (spec === undefined) {
      if (this.#found.size >= MAX_PROOFS) return null;
      spec = meaning.protocols.find((p) => createdBy(p, pool, pair[0]!, pair[1]!)) ?? null;
      this.#found.set(key, spec);
      if (spec) this.#byPool.set(pool, spec);
    }
    return spec && reference(spec);
  }
}

function reference(spec: ProtocolSpec): ProtocolRef {
  return { slug: spec.slug, version: spec.version, matchedBy: 'create2' };
}

function createdBy(spec: ProtocolSpec, pool: Address, token0: Address, token1: Address): boolean {
  const { create2 } = spec;
  if (!create2) return false;
  const fees = create2.salt === 'packed' ? [null] : create2.fees;
  return fees.some((fee) => create2Address(create2.deployer, pairSalt(token0, token1, fee), create2.initCodeHash) === pool);
}
