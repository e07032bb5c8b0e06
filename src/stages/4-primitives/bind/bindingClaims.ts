import { isRecognised } from '../../../lib/motifKinds.ts';
import { claim, evaluate, issueClaim } from '../../../value/claims.ts';
import { isNetted } from './namedDifference.ts';
import type { BoundLeg } from './boundLeg.ts';
import type { Candidate } from './applyMapping.ts';
import type { Address } from '../../../model/hex.ts';
import type { Claim } from '../../../model/primitive.ts';
import type { ProofInput } from '../../../value/prove.ts';

/** Checks one event's claim against the movements it was bound to. */
export function bindingClaims(
  candidate: Candidate,
  { flow, tx }: Pick<ProofInput, 'flow' | 'tx'>,
  netted: ReadonlyMap<Address, boolean>,
): Claim[] {
  const { venue, binding, mapping, protocol } = candidate;
  const { legs, unresolved } = binding;
  if (mapping.legs.length === 0) return [];
  const indexes = (counts: (of: BoundLeg) => boolean): number[] =>
    legs.filter(counts).flatMap(({ leg }) => leg.movements);
  const all = indexes(() => true);
  const minted = indexes(({ spec }) => spec.movementKind === 'mint');
  const burnt = indexes(({ spec }) => spec.movementKind === 'burn');
  // Ins and outs with the account at the venue's end in the mapping.
  const to = indexes(({ leg, spec }) => leg.role === 'in' && spec.to !== null);
  const from = indexes(({ leg, spec }) => leg.role === 'out' && spec.from !== null);
  const stated = all.length > 0 ? [] : [...legs.map(({ leg }) => leg), ...unresolved];
  const operands = all.length > 0 ? all : stated.map(({ amount }) => ({ word: amount }));
  const claims: Claim[] = [evaluate('value_moved', operands, operands)];
  if (isNetted(binding)) claims.push(evaluate('netted_at_venue', netted.get(venue), [venue]));
  // An unknown contract's event counts only for value that it sent or received, or in a token it had made.
  if (!isRecognised(protocol) && legs.length > 0) {
    const own = all.map((index) => flow.movements[index]!);
    claims.push(evaluate('venue_involved', { own, flow, venue, tx }, [venue], all));
  }
  for (const issued of [minted, burnt]) if (issued.length > 0) claims.push(issueClaim(flow, issued));
  if (to.length + from.length > 1) claims.push(claim('single_venue', flow, to, from));
  return claims;
}
