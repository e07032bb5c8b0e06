import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';

/** Entity tag of contracts that trade for others across venues. */
const BROKER_TAG = 'aggregator';
const MAX_FRONT_ENDS = 3;

/**
 * Aggregators that were called and that no other motif names: they stand between the actor and the venues.
 * One motif each, without movements, after all others. They are told once the verdict stands: a call alone
 * decides nothing.
 */
export function frontEnds(
  { frames }: CanonicalTx,
  motifs: readonly Motif[],
  { protocolAt, protocols, entities }: Pick<Rulebook, 'protocolAt' | 'protocols' | 'entities'>,
): Motif[] {
  const named = new Set(motifs.map(({ protocol }) => protocol?.slug));
  const found: Motif[] = [];
  for (const frame of frames) {
    if (found.length === MAX_FRONT_ENDS) break;
    const { to, context, effective, input } = frame;
    if (to === null || context !== to || !effective || input === '0x') continue;
    const protocol = protocols.get(protocolAt.get(to) ?? '');
    if (!protocol || named.has(protocol.slug) || !entities.get(to)?.tags.includes(BROKER_TAG)) continue;
    named.add(protocol.slug);
    found.push({
      index: motifs.length + found.length,
      kind: 'front_end',
      protocol: { slug: protocol.slug, version: protocol.version, matchedBy: 'address' },
      basis: 'call',
      venue: to,
      poolId: null,
      seq: frame.seq,
      scopeFrame: frame.index,
      parent: null,
      participants: [{ role: 'caller', account: frame.from }],
      assetsIn: [],
      assetsOut: [],
      invariants: [],
      tags: [],
      status: 'Proven',
      confidence: 'High',
      movements: [],
      evidence: [{ kind: 'frame', frame: frame.index, log: null, contract: to }],
    });
  }
  return found;
}
