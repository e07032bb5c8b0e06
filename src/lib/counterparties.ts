import { kindOf } from './motifKinds.ts';
import type { Address } from '../model/hex.ts';
import type { Motif } from '../model/motif.ts';
import type { Rulebook } from '../model/rulebook.ts';

/** Entity tags of addresses that serve every user and belong to no single one. */
const SERVING_TAGS = new Set([
  'never_elect',
  'router',
  'aggregator',
  'settlement',
  'entry_point',
  'bridge',
  'infrastructure',
  'multicall',
  'wrapped_native',
  'exchange_proxy',
  'pool',
  'vault',
  'paymaster',
  'forwarder',
]);

/** The tag by which the rules list an address as serving every user; undefined for all others. */
export function servingTag({ entities }: Pick<Rulebook, 'entities'>, account: Address): string | undefined {
  return entities.get(account)?.tags.find((tag) => SERVING_TAGS.has(tag));
}

/** Contracts at which motifs happened as at a counterparty: pools, markets, vaults. */
export function venuesOf(motifs: readonly Motif[], kinds: Pick<Rulebook, 'motifKinds'>): Set<Address> {
  const venues = new Set<Address>();
  for (const motif of motifs) {
    const { plain, composite, actsOnVenue } = kindOf(kinds, motif.kind);
    if (!plain && !composite && !actsOnVenue) venues.add(motif.venue);
  }
  return venues;
}
