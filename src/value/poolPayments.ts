import { ZERO_ADDRESS } from '../evm/hex.ts';
import { memoize } from '../lib/memo.ts';
import { isCycle, kindOf } from '../lib/motifKinds.ts';
import { mergeNative } from './asset.ts';
import { balances, isConversion } from './balances.ts';
import { valueEnds, type ValueEnds } from './follow.ts';
import { tokensOf, venuesOf } from './parties.ts';
import type { Address } from '../model/hex.ts';
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

/**
 * Payments to the pools of these acts by accounts outside the group, straight or over accounts that lost
 * nothing: a pull from a bystander, or a gift. Any payment to a cycle's pools that is part of no act is a
 * gift.
 */
export function paymentsToPools(
  acts: readonly Motif[],
  group: { has(account: Address): boolean },
  scene: Scene,
): Movement[] {
  const { flow, motifs, rulebook } = scene;
  const { wrappedNative } = rulebook;
  const inActs = movementsOfActs(scene);
  const venues = venuesOf(motifs, rulebook);
  const tokens = tokensOf(flow);
  const isOther = (account: Address): boolean =>
    account !== ZERO_ADDRESS && !group.has(account) && !venues.has(account) && !tokens.has(account);
  // Once for each asset: a walk for each payment would grow with their square.
  const sources = memoize((id): ValueEnds => {
    const lost = (one: Address): boolean =>
      (balances(flow, one, { mergeWrapped: wrappedNative }).get(id)?.net ?? 0n) < 0n;
    const passers = new Set([...flow.ledgers.keys()].filter((one) => isOther(one) && !lost(one)));
    return valueEnds(flow, wrappedNative, passers, 'back');
  }, 64);
  const isOthers = ({ from, asset }: Movement): boolean => {
    if (!isOther(from)) return false;
    const ends = sources(mergeNative(asset, wrappedNative))(from, asset);
    // A way too long to follow may lead to any account.
    return ends.length === 0 || ends.some(isOther);
  };
  return acts.flatMap((act) => {
    const ofCycle = isCycle(kindOf(rulebook, act.kind));
    const parts = motifs.filter(({ parent }) => parent === act.index);
    return (parts.length > 0 ? parts : [act]).flatMap(({ venue, assetsOut, movements }) => {
      const taken = new Set(assetsOut.map(({ asset }) => mergeNative(asset, wrappedNative)));
      const paid = (flow.incoming.get(venue) ?? []).map((index) => flow.movements[index]!);
      return paid.filter((m) => {
        if (isConversion(m, flow, wrappedNative)) return false;
        if (!inActs.has(m.index)) return ofCycle;
        return movements.includes(m.index) && taken.has(mergeNative(m.asset, wrappedNative)) && isOthers(m);
      });
    });
  });
}
