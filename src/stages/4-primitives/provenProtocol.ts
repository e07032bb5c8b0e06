import { create2Address, pairSalt } from '../../lib/create2.ts';
import type { Address } from '../../model/hex.ts';
import type { MeaningSpec, ProtocolSpec } from '../../model/rulebook.ts';
import type { ProtocolRef } from '../../model/primitive.ts';

/** Emitters whose creation is recomputed per transaction; a forger could otherwise buy a hash per log with each. */
const MAX_PROOFS = 2_000;

/** The protocols that speak a meaning, by how their contracts are known. */
interface Speakers {
  readonly listed: ReadonlyMap<Address, ProtocolRef>;
  /** Those whose pools prove who created them. */
  readonly creators: readonly ProtocolSpec[];
}

/** Sorted once per meaning of the rulebook. */
const SPEAKERS = new WeakMap<MeaningSpec, Speakers>();

function speakersOf(meaning: MeaningSpec): Speakers {
  let speakers = SPEAKERS.get(meaning);
  if (!speakers) SPEAKERS.set(meaning, (speakers = sortSpeakers(meaning.protocols)));
  return speakers;
}

function sortSpeakers(protocols: readonly ProtocolSpec[]): Speakers {
  const listed = new Map<Address, ProtocolRef>();
  for (const { slug, version, addresses } of protocols) {
    for (const address of addresses) if (!listed.has(address)) listed.set(address, { slug, version, matchedBy: 'address' });
  }
  return { listed, creators: protocols.filter(({ create2 }) => create2 !== null) };
}

/** The protocol a contract belongs to, by its listed address. */
export function protocolByAddress(meaning: MeaningSpec, contract: Address): ProtocolRef | null {
  return speakersOf(meaning).listed.get(contract) ?? null;
}

/** Whether contracts that no rule lists may speak a meaning: those of a family, or ones that prove their creator. */
export function opensToUnlisted(meaning: MeaningSpec): boolean {
  return meaning.anyEmitter || speakersOf(meaning).creators.length > 0;
}

/**
 * Proves which factory created a pool from the pool's own two tokens (EIP-1014): the address is a hash over the factory,
 * the pool's creation code and the tokens, so no other contract can stand at it. Remembers answers for one transaction.
 */
export class Create2Proofs {
  readonly #byPool = new Map<Address, ProtocolSpec>();
  readonly #failed = new Set<string>();
  #tries = 0;

  /** `tokensAt`: contracts of the assets seen at the pool. Null unless exactly two and a listed factory made the pool from them. */
  protocolOf(meaning: MeaningSpec, pool: Address, tokensAt: () => readonly Address[]): ProtocolRef | null {
    const { creators } = speakersOf(meaning);
    if (creators.length === 0) return null;
    const known = this.#byPool.get(pool);
    if (known) return creators.includes(known) ? reference(known) : null;
    const tokens = tokensAt();
    const pair = tokens.filter((token, i) => token !== pool && tokens.indexOf(token) === i).sort();
    if (pair.length !== 2 || this.#tries >= MAX_PROOFS) return null;
    const key = (): string => `${meaning.shape}|${pool}|${pair.join('|')}`;
    if (this.#failed.size > 0 && this.#failed.has(key())) return null;
    this.#tries++;
    const spec = creators.find((p) => createdBy(p, pool, pair[0]!, pair[1]!));
    if (spec) this.#byPool.set(pool, spec);
    else this.#failed.add(key());
    return spec ? reference(spec) : null;
  }
}

function reference(spec: ProtocolSpec): ProtocolRef {
  return { slug: spec.slug, version: spec.version, matchedBy: 'create2' };
}

function createdBy({ create2 }: ProtocolSpec, pool: Address, token0: Address, token1: Address): boolean {
  if (!create2) return false;
  const { deployer, initCodeHash, salt, fees } = create2;
  if (salt === 'packed') return create2Address(deployer, pairSalt(token0, token1, null), initCodeHash) === pool;
  return fees.some((fee) => create2Address(deployer, pairSalt(token0, token1, fee), initCodeHash) === pool);
}
