import type { Address } from '../../../model/hex.ts';
import type { ProtocolRef } from '../../../model/primitive.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { PreparedMapping } from './preparedMapping.ts';

/** Contracts that registries confirmed at the transaction's block, with the protocol's slug. */
export type RegisteredContracts = ReadonlyMap<Address, string>;

/**
 * Protocols of contracts beyond the lists of addresses: made by a known deployer, or confirmed by a
 * registry.
 */
export class KnownContracts {
  readonly #rulebook: Pick<Rulebook, 'prepared' | 'protocols'>;
  readonly #registered: RegisteredContracts;

  constructor(rulebook: Pick<Rulebook, 'prepared' | 'protocols'>, registered: RegisteredContracts) {
    this.#rulebook = rulebook;
    this.#registered = registered;
  }

  /** The protocol that the mapping's events or calls belong to at this contract. */
  speaker({ listed, unlisted }: PreparedMapping, contract: Address): ProtocolRef | undefined {
    const ref = listed.get(contract);
    if (ref || unlisted === null) return ref;
    const found = this.protocolOf(contract);
    return found && unlisted.has(found.slug) ? found : undefined;
  }

  /** The protocol a contract belongs to, by its address alone. */
  protocolOf(contract: Address): ProtocolRef | undefined {
    const { prepared, protocols } = this.#rulebook;
    const own = prepared.protocolOf(contract);
    const spec = protocols.get(own ?? this.#registered.get(contract) ?? '');
    return (
      spec && {
        slug: spec.slug,
        version: spec.version,
        matchedBy: own === undefined ? 'registry' : 'address',
      }
    );
  }
}
