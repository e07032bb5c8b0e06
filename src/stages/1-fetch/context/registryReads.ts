import { uintOfWord, wordAt, wordOf } from '../../../evm/hex.ts';
import { keyOfLog } from '../../../evm/signatures.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { Address, Hex } from '../../../model/hex.ts';
import type { RegistrySpec } from '../../../model/membership.ts';
import type { EventMapping, Rulebook } from '../../../model/rulebook.ts';
import type { ReadAnswer } from './viewReads.ts';
import type { ViewCall } from './multicall.ts';

/** A protocol's registry. */
interface Registry {
  readonly slug: string;
  readonly spec: RegistrySpec;
}

/** A contract that it is asked about. */
interface RegistryRead extends Registry {
  readonly contract: Address;
}

export interface RegistryPlan {
  readonly reads: readonly RegistryRead[];
  /** Whether more contracts could have been asked about. */
  readonly cut: boolean;
}

export const NO_REGISTRIES: RegistryPlan = { reads: [], cut: false };

/** Questions of one transaction; ordinary ones have fewer than five. */
const MAX_READS = 40;

/**
 * Plans the registries to ask about unknown contracts, by the events these emitted and the function called.
 */
export function planRegistries(
  { to, input, logs, blockNumber }: Pick<CanonicalTx, 'to' | 'input' | 'logs' | 'blockNumber'>,
  { events, calls, prepared }: Partial<Pick<Rulebook, 'events' | 'calls' | 'prepared'>>,
): RegistryPlan {
  if (!events || !calls || !prepared) return NO_REGISTRIES;
  const index = prepared.derive(registriesByTrigger);
  const reads = new Map<string, RegistryRead>();
  const ask = (contract: Address, registries: readonly Registry[] | undefined): void => {
    if (!registries || prepared.protocolOf(contract) !== undefined) return;
    for (const { slug, spec } of registries)
      if (blockNumber >= spec.sinceBlock)
        reads.set(`${contract}|${spec.address}|${spec.selector}`, { contract, slug, spec });
  };
  if (to !== null) ask(to, index.calls.get(input.slice(0, 10) as Hex));
  for (const { address, topics } of logs) {
    if (!index.topics.has(topics[0])) continue;
    ask(address, index.events.get(keyOfLog({ topics })));
    if (reads.size > MAX_READS) break;
  }
  return { reads: [...reads.values()].slice(0, MAX_READS), cut: reads.size > MAX_READS };
}

/** The calls, in an aggregate of their own: no registry can spoil other reads. */
export function registryCalls({ reads }: RegistryPlan): ViewCall[] {
  return reads.map(({ contract, spec: { address: to, selector } }) => {
    return { to, data: `${selector}${wordOf(contract)}`, apart: 'registries' };
  });
}

/** Contracts with a registry that answered with anything but zero; the first of several counts. */
export function readRegistries(
  { reads }: RegistryPlan,
  answers: readonly ReadAnswer[],
): Map<Address, string> {
  const registered = new Map<Address, string>();
  for (const [i, { contract, slug }] of reads.entries()) {
    const word = answers[i] == null ? null : wordAt(answers[i], 0);
    if (word !== null && uintOfWord(word) !== 0n && !registered.has(contract)) registered.set(contract, slug);
  }
  return registered;
}

/** Registries by the events and functions of their protocols' shapes. */
function registriesByTrigger({ events, calls }: Pick<Rulebook, 'events' | 'calls'>) {
  const of = (mappings: readonly EventMapping[]): Registry[] => {
    const specs = new Set(mappings.flatMap(({ protocols }) => protocols));
    return [...specs].flatMap(({ slug, registries }) => registries.map((spec) => ({ slug, spec })));
  };
  const index = <K>(entries: Iterable<[K, { mappings: readonly EventMapping[] }]>): Map<K, Registry[]> => {
    const lists = [...entries].map(([key, { mappings }]) => [key, of(mappings)] as const);
    return new Map(lists.filter(([, list]) => list.length > 0));
  };
  const byEvent = index(events);
  /** First topics of the events. */
  const topics = new Set([...byEvent.keys()].map((event) => event.split(':')[0]));
  return { topics, events: byEvent, calls: index(calls) };
}
