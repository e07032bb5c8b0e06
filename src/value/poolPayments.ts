import { kindOf } from '../lib/motifKinds.ts';
import { isConversion } from './balances.ts';
import type { Motif } from '../model/motif.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { Movement, ValueFlow } from '../model/valueFlow.ts';

interface Scene {
  readonly flow: ValueFlow;
  readonly motifs: readonly Motif[];
  readonly rulebook: Pick<Rulebook, 'wrappedNative' | 'motifKinds'>;
}

/** Movements of acts that are not merely payments; refunds and fees belong to acts. */
export function movementsOfActs({ motifs, rulebook }: Omit<Scene, 'flow'>): ReadonlySet<number> {
  const acts = motifs.filter(({ kind }) => {
    const { plain, dependent } = kindOf(rulebook, kind);
    return !plain || dependent;
  });
  return new Set(acts.flatMap(({ movements }) => movements));
}

/** What came to the pools of these cycles beside all acts: a helper's gift, which the last hop pays out. */
export function paymentsToPools(cycles: readonly Motif[], scene: Scene): Movement[] {
  if (cycles.length === 0) return [];
  const { flow, motifs, rulebook } = scene;
  const inActs = movementsOfActs(scene);
  const parents = new Set(cycles.map(({ index }) => index));
  const pools = new Set(
    motifs.filter(({ parent }) => parent !== null && parents.has(parent)).map(({ venue }) => venue),
  );
  return [...pools].flatMap((pool) =>
    (flow.incoming.get(pool) ?? [])
      .map((index) => flow.movements[index]!)
      .filter((m) => !inActs.has(m.index) && !isConversion(m, flow, rulebook.wrappedNative)),
  );
}
