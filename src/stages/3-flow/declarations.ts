import type { Address } from '../../model/hex.ts';
import type { Log } from '../../model/canonicalTx.ts';
import type { Rulebook, TokenEventSpec } from '../../model/rulebook.ts';
import { filedUnder } from '../../evm/topicIndex.ts';

/** What is declared of one event: for the emitters that declarations name, and for any other. */
interface Declared {
  readonly named: ReadonlyMap<Address, TokenEventSpec>;
  readonly fallback: TokenEventSpec | null;
}

/** Token events as the rules declare them, found by log. */
export class Declarations {
  /** Contracts declared as NFTs, which have no ERC-20 beside. */
  readonly nftContracts: ReadonlySet<Address>;
  readonly #events: ReadonlyMap<string, Declared>;

  /** Prepared once per set of rules. */
  static of(tokenEvents: Rulebook['tokenEvents']): Declarations {
    let prepared = PREPARED.get(tokenEvents);
    if (!prepared) PREPARED.set(tokenEvents, (prepared = new Declarations(tokenEvents)));
    return prepared;
  }

  private constructor(tokenEvents: Rulebook['tokenEvents']) {
    const nfts = [...tokenEvents.values()].flat().filter(({ assetKind }) => assetKind === 'erc721');
    this.nftContracts = new Set(nfts.flatMap(({ emitters }) => [...emitters]));
    this.#events = new Map([...tokenEvents].map(([key, specs]) => [key, declaredBy(specs)]));
  }

  /** The declared event a log is, if its emitter is one the declaration names (or it names none). */
  for({ topics, address }: Log): TokenEventSpec | null {
    const declared = topics.length === 0 ? undefined : filedUnder(this.#events, topics[0]!, topics.length);
    // A declaration that names the emitter is about it; one for any emitter is only the fallback.
    return declared === undefined ? null : (declared.named.get(address) ?? declared.fallback);
  }
}

const PREPARED = new WeakMap<Rulebook['tokenEvents'], Declarations>();

function declaredBy(specs: readonly TokenEventSpec[]): Declared {
  const named = new Map<Address, TokenEventSpec>();
  for (const spec of specs)
    for (const emitter of spec.emitters) if (!named.has(emitter)) named.set(emitter, spec);
  return { named, fallback: specs.find(({ emitters }) => emitters.size === 0) ?? null };
}
