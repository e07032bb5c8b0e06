import { kindOf } from '../../lib/motifKinds.ts';
import { placeClaim } from '../../value/claims.ts';
import { tokensOf } from '../../value/parties.ts';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { ProtocolSpec, Rulebook } from '../../model/rulebook.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

/** Tag of contracts that trade for others across venues. */
const BROKER_TAG = 'aggregator';
const MAX_FRONT_ENDS = 3;

/**
 * Contracts between the actor and the venues, where no other motif names their protocol: the
 * one that the transaction called, unless it called a token to move or allow it, and aggregators called
 * on the way. One motif each, without movements, after all others. They are found once the verdict is
 * reached: a call alone decides nothing.
 */
export function frontEnds(
  tx: CanonicalTx,
  motifs: readonly Motif[],
  flow: Pick<ValueFlow, 'assets' | 'allowances'>,
  rulebook: Pick<Rulebook, 'prepared' | 'protocols' | 'entities' | 'motifKinds'>,
): Motif[] {
  const found: Motif[] = [];
  for (const frame of tx.frames) {
    if (found.length === MAX_FRONT_ENDS) break;
    const protocol = brokerOf(frame, flow, rulebook);
    if (!protocol || names(motifs, protocol) || names(found, protocol)) continue;
    const act = frontEnd(tx, frame, protocol);
    found.push({ index: motifs.length + found.length, traits: kindOf(rulebook, act.kind), ...act });
  }
  return found;
}

function names(motifs: readonly Motif[], { slug }: ProtocolSpec): boolean {
  return motifs.some(({ protocol, named }) => protocol?.slug === slug || named?.slug === slug);
}

/** The protocol of the contract a frame called; null where that only moved its own token, or is no broker. */
function brokerOf(
  frame: Frame,
  flow: Pick<ValueFlow, 'assets' | 'allowances'>,
  { prepared, protocols, entities }: Pick<Rulebook, 'prepared' | 'protocols' | 'entities'>,
): ProtocolSpec | null {
  const to = calledContract(frame);
  const protocol = to && protocols.get(prepared.protocolOf(to) ?? '');
  if (!to || !protocol) return null;
  if ([entities.get(to), protocol].some((known) => known?.tags.includes(BROKER_TAG))) return protocol;
  if (frame.parent !== null || tokensOf(flow).has(to)) return null;
  return flow.allowances.some(({ token }) => token === to) ? null : protocol;
}

/** The contract that a call with data ran in its own context. */
function calledContract({ to, context, effective, input }: Frame): Address | null {
  return effective && context === to && input !== '0x' ? to : null;
}

function frontEnd(tx: CanonicalTx, frame: Frame, { slug, version }: ProtocolSpec) {
  const venue = frame.to!;
  const evidence = [{ kind: 'frame', frame: frame.index, log: null, contract: venue } as const];
  return {
    kind: 'front_end',
    protocol: { slug, version, matchedBy: 'address' },
    basis: 'call',
    venue,
    poolId: null,
    seq: frame.seq,
    scopeFrame: frame.index,
    parent: null,
    participants: [{ role: 'caller', account: frame.from }],
    assetsIn: [],
    assetsOut: [],
    claims: [placeClaim(evidence, tx)],
    tags: [],
    status: 'Proven',
    doubt: null,
    confidence: 'High',
    movements: [],
    evidence,
  } as const;
}
