import { create2Address, pairSalt } from '../../../evm/address.ts';
import { memoize, memoizeFor } from '../../../lib/memo.ts';
import { protocolOf } from '../../../lib/motifKinds.ts';
import type { Address, Hash } from '../../../model/hex.ts';
import type { PreparedMapping } from './triggers.ts';
import type { ProtocolSpec, Rulebook } from '../../../model/rulebook.ts';
import type { ProtocolRef } from '../../../model/primitive.ts';

/** Emitters checked against CREATE2 per transaction; without a limit a forger could buy one hash per log. */
const MAX_PROOFS = 2_000;

/**
 * Proves which factory created a pool from the pool's own two tokens (EIP-1014): the address is a hash over
 * the factory, the pool's creation code and the tokens, so no other contract can have it. Remembers answers
 * for one transaction.
 */
export class Create2Proofs {
  readonly #byPool = new Map<Address, ProtocolSpec>();
  #tries = 0;

  /** Null unless two tokens were seen at the pool (`tokensAt`) and a listed factory made it of them. */
  protocolOf(
    { spec: { protocols }, pools }: PreparedMapping,
    pool: Address,
    tokensAt: () => readonly Address[],
  ): ProtocolRef | null {
    if (pools === null) return null;
    const known = this.#byPool.get(pool);
    if (known) return protocols.includes(known) ? reference(known) : null;
    const pair = pairOf(tokensAt(), pool);
    if (!pair || this.#tries >= MAX_PROOFS) return null;
    this.#tries++;
    const creator = pools(...pair)(pool);
    if (creator) this.#byPool.set(pool, creator);
    return creator && reference(creator);
  }
}

/** The two tokens beside the pool's own, in order; null where there are not just two. */
function pairOf(tokens: readonly Address[], pool: Address): readonly [low: Address, high: Address] | null {
  const [one, other, ...more] = new Set(tokens.filter((token) => token !== pool));
  if (!one || !other || more.length > 0) return null;
  return one < other ? [one, other] : [other, one];
}

function reference(spec: ProtocolSpec): ProtocolRef {
  return { slug: spec.slug, version: spec.version, matchedBy: 'create2' };
}

/** Finds which protocol's pool of two tokens has an address. */
export type PoolsOfPair = (token0: Address, token1: Address) => (pool: Address) => ProtocolSpec | null;

/** Pairs remembered of each family of pools: the same tokens are traded over and over. */
const REMEMBERED = 1_024;

/** The pools of protocols that prove their creator (EIP-1014), prepared once; null for none. */
export const poolsOf = memoizeFor((protocols: readonly ProtocolSpec[], _: void): PoolsOfPair | null => {
  const creators = protocols.filter(({ create2 }) => create2 !== null);
  if (creators.length === 0) return null;
  const ofPair = memoize((pair) => {
    const [token0, token1] = pair.split(' ') as [Address, Address];
    return creatorsAmong(poolAddresses(creators, token0, token1));
  }, REMEMBERED);
  return (token0, token1) => ofPair(`${token0} ${token1}`);
});

/** Pools of one pair of tokens, hashed one by one until the address asked for is among them. */
function creatorsAmong(rest: Iterator<readonly [Address, ProtocolSpec]>): ReturnType<PoolsOfPair> {
  const known = new Map<Address, ProtocolSpec>();
  return (pool) => {
    while (!known.has(pool)) {
      const next = rest.next();
      if (next.done) return null;
      const [address, creator] = next.value;
      if (!known.has(address)) known.set(address, creator);
    }
    return known.get(pool)!;
  };
}

function* poolAddresses(
  creators: readonly ProtocolSpec[],
  token0: Address,
  token1: Address,
): Generator<readonly [Address, ProtocolSpec]> {
  const salts = new Map<number | null, Hash>();
  for (const creator of creators) {
    const { deployer, initCodeHash, salt: form, fees } = creator.create2!;
    for (const fee of form === 'packed' ? [null] : fees) {
      const salt = salts.get(fee) ?? pairSalt(token0, token1, fee);
      salts.set(fee, salt);
      yield [create2Address(deployer, salt, initCodeHash), creator];
    }
  }
}

/** Entity tags of contracts that run calls or code chosen by their callers. */
const CALLERS_CODE = ['aggregator', 'open_calls', 'multicall'];

/** Contracts that registries confirmed at the transaction's block, with the protocol's slug. */
export type RegisteredContracts = ReadonlyMap<Address, string>;

export type KnownContracts = ReturnType<typeof knownContracts>;

/** Protocols of contracts beyond the lists: made by a known deployer, or confirmed by a registry. */
export function knownContracts(
  rulebook: Pick<Rulebook, 'prepared' | 'protocols' | 'protocolAt' | 'entities'>,
  registered: RegisteredContracts,
) {
  /** The protocol a contract belongs to, by its address alone. */
  const ofContract = (contract: Address): ProtocolRef | undefined =>
    protocolOf(contract, registered, rulebook);
  return {
    protocolOf: ofContract,
    /** The protocol that the mapping's events or calls belong to at this contract. */
    protocolAt: ({ listed, unlisted }: PreparedMapping, contract: Address): ProtocolRef | undefined => {
      const ref = listed.get(contract);
      if (ref || unlisted === null) return ref;
      const found = ofContract(contract);
      return found && unlisted.has(found.slug) ? found : undefined;
    },
    /**
     * The protocol that lists the very address: its code is known, unlike that of a factory's children, and
     * states its own acts, unlike contracts that run code or calls of their callers' choice.
     */
    listing: (contract: Address): ProtocolRef | undefined => {
      const ref = ofContract(contract);
      const spec = ref && rulebook.protocols.get(ref.slug);
      if (!spec?.addresses.has(contract)) return undefined;
      const tags = rulebook.entities.get(contract)?.tags ?? spec.tags;
      return CALLERS_CODE.some((tag) => tags.includes(tag)) ? undefined : ref;
    },
  };
}
