import type { Address } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';

const indexes = new WeakMap<Rulebook, ReadonlyMap<Address, ReadonlySet<string>>>();

/** Motif kinds that the protocol at an address is known to speak, whether or not it spoke here. */
export function spokenKinds(rulebook: Rulebook, address: Address): ReadonlySet<string> {
  let index = indexes.get(rulebook);
  if (!index) indexes.set(rulebook, (index = buildIndex(rulebook)));
  return index.get(address) ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();

function buildIndex(rulebook: Rulebook): Map<Address, Set<string>> {
  const index = new Map<Address, Set<string>>();
  for (const { meanings } of [...rulebook.events.values(), ...rulebook.calls.values()]) {
    for (const { kind, protocols } of meanings) {
      for (const { addresses } of protocols) {
        for (const address of addresses) {
          const kinds = index.get(address);
          if (kinds) kinds.add(kind);
          else index.set(address, new Set([kind]));
        }
      }
    }
  }
  return index;
}
