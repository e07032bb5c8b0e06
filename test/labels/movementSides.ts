import type { Analysis } from '../../src/analyze.ts';
import type { Motif } from '../../src/model/motif.ts';
import { mergeNative } from '../../src/value/asset.ts';

/** The sides of a movement that belong to an act: its sender's, its recipient's, or both. */
function sidesOf({ assetsIn, assetsOut }: Motif, movement: number, analysis: Analysis): string[] {
  const asset = mergeNative(analysis.flow.movements[movement]!.asset, analysis.flow);
  const has = (legs: Motif['assetsIn']): boolean =>
    legs.some((leg) => mergeNative(leg.asset, analysis.flow) === asset);
  const [given, got] = [has(assetsOut), has(assetsIn)];
  return [...(given || !got ? ['given'] : []), ...(got || !given ? ['received'] : [])];
}

/** Movements whose sender's side or recipient's side belongs to more than one act. */
export function sharedSides(analysis: Analysis): string[] {
  const owners = new Map<string, number[]>();
  for (const motif of analysis.motifs.filter(({ parent }) => parent === null))
    for (const movement of motif.movements)
      for (const side of sidesOf(motif, movement, analysis)) {
        const key = `movement ${movement} ${side}`;
        owners.set(key, [...(owners.get(key) ?? []), motif.index]);
      }
  return [...owners].flatMap(([side, acts]) => (acts.length > 1 ? `${side} by acts ${acts.join(', ')}` : []));
}
