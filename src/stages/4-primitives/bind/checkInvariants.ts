import { isRecognised } from '../../../lib/motifKinds.ts';
import { claim, issueClaim } from '../../../value/claims.ts';
import { isNetted } from './namedDifference.ts';
import type { BoundLeg } from './legOptions.ts';
import type { Candidate } from './applyMapping.ts';
import type { Address } from '../../../model/hex.ts';
import type { Invariant } from '../../../model/primitive.ts';
import type { ValueFlow } from '../../../model/valueFlow.ts';

/** Checks one event's claim against the movements it was bound to. */
export function checkInvariants(
  candidate: Candidate,
  flow: ValueFlow,
  netted: ReadonlyMap<Address, boolean>,
): Invariant[] {
  const { venue, binding } = candidate;
  const { legs, unresolved } = binding;
  const invariants: Invariant[] = [];
  const moved = (some: readonly BoundLeg[]): readonly number[] => some.flatMap((b) => b.leg.movements);
  const all = moved(legs);

  if (candidate.mapping.legs.length > 0) {
    const stated = [...legs.map(({ leg }) => leg), ...unresolved];
    const words = all.length > 0 ? [] : stated.map(({ amount }) => ({ word: amount }));
    invariants.push({ name: 'value_moved', holds: stated.length > 0, operands: [...all, ...words] });
  }
  if (isNetted(binding))
    invariants.push({ name: 'netted_at_venue', holds: netted.get(venue) === true, operands: [venue] });

  // An unknown contract's event counts only for value that it sent or received, or in its own token.
  if (!isRecognised(candidate.protocol) && legs.length > 0) {
    const holds = all.some((m) => involves(flow, m, venue));
    invariants.push({ name: 'venue_involved', holds, operands: [venue], against: all });
  }

  const ofRole = (role: string): BoundLeg[] => legs.filter(({ leg }) => leg.role === role);
  const ofKind = (kind: string): readonly number[] => moved(legs.filter((b) => b.spec.movementKind === kind));
  for (const issued of [ofKind('mint'), ofKind('burn')])
    if (issued.length > 0) invariants.push(issueClaim(flow, issued));

  // Accounts that received the ins and sent the outs, where the mapping names them.
  const to = moved(ofRole('in').filter((b) => b.spec.to));
  const from = moved(ofRole('out').filter((b) => b.spec.from));
  if (to.length + from.length > 1) invariants.push(claim('single_venue', flow, to, from));
  return invariants;
}

function involves(flow: ValueFlow, index: number, venue: Address): boolean {
  const m = flow.movements[index]!;
  return m.from === venue || m.to === venue || flow.assets.get(m.asset)?.address === venue;
}
