import { ZERO_ADDRESS } from '../evm/hex.ts';
import { lazy } from '../lib/lazy.ts';
import { groupBy } from '../lib/lists.ts';
import { isCycle, isRecognised, isSwap } from '../lib/motifKinds.ts';
import { accountsOf } from '../lib/roles.ts';
import { mergeNative } from './asset.ts';
import { isConversion } from './balances.ts';
import { amountsMoved } from './sides.ts';
import { originsThrough, tokensOf, venuesOf } from './parties.ts';
import type { Address } from '../model/hex.ts';
import type { Motif } from '../model/motif.ts';
import type { Movement, ValueFlow } from '../model/valueFlow.ts';
import type { Scene } from '../model/scene.ts';

type Acts = Pick<Scene, 'flow' | 'motifs'>;

/** Movements of acts that are not merely payments; refunds and fees belong to acts. */
export function movementsOfActs({ motifs }: Pick<Scene, 'motifs'>): ReadonlySet<number> {
  const acts = motifs.filter(({ traits: { plain, dependent } }) => !plain || dependent);
  return new Set(acts.flatMap(({ movements }) => movements));
}

/** Pools of a singleton are apart. */
const poolOf = ({ venue, poolId }: Motif): string => `${venue} ${poolId}`;

/**
 * The gate for money of others in the pools of these acts: payments by accounts outside the group, straight
 * or over accounts that lost nothing, as a pull from a bystander, or a gift. A cycle is proven only against
 * its pools as they stood before the transaction: whatever else was paid into them counts too, and what
 * others did there before its last hop.
 */
export function othersInPools(
  acts: readonly Motif[],
  group: { has(account: Address): boolean },
  scene: Acts,
): Movement[] {
  const { motifs } = scene;
  const isOthers = sourcesOf(group, scene);
  const parts = groupBy(motifs, ({ parent }) => parent);
  const hopsOf = (some: readonly Motif[]): Motif[] => some.flatMap((act) => parts.get(act.index) ?? [act]);
  const hops = hopsOf(acts.filter(isCycle));
  const found = hopsOf(acts).flatMap((hop) => paidByOthers(hop, isOthers, scene));
  const lastAt = new Map(hops.map((hop) => [poolOf(hop), hop.seq]));
  const venues = new Set(hops.map(({ venue }) => venue));
  const atVenues = motifs.filter(({ traits, venue }) => venues.has(venue) && !traits.plain);
  const stated = new Set(atVenues.flatMap(({ movements }) => movements));
  const own = new Set([...acts, ...hops].map(({ index }) => index));
  const before = atVenues.filter(
    (act) => !own.has(act.index) && !own.has(act.parent ?? -1) && act.seq < (lastAt.get(poolOf(act)) ?? -1),
  );
  const isOwn = ({ from }: Movement): boolean => group.has(from) || venues.has(from);
  return [
    ...found,
    ...before.flatMap((act) => ofOthers(act, group, isOthers, scene)),
    ...[...venues].flatMap((venue) => unstated(venue, stated, isOwn, scene)),
  ];
}

type Asks = (movement: Movement) => boolean;

/** Whether a payment's money is that of accounts outside the group that are no venue or token. */
function sourcesOf(group: { has(account: Address): boolean }, { flow, motifs }: Acts): Asks {
  const venues = venuesOf(motifs);
  const tokens = tokensOf(flow);
  const isOther = (account: Address): boolean =>
    account !== ZERO_ADDRESS && !group.has(account) && !venues.has(account) && !tokens.has(account);
  const sources = originsThrough(flow, isOther);
  const asksBeside =
    (tills: () => ReadonlySet<string>): Asks =>
    ({ from, asset }) => {
      if (!isOther(from)) return false;
      const ends = sources(from, asset);
      // A way too long to follow may lead to any account.
      return ends.length === 0 || ends.some((end) => isOther(end) && !tills().has(`${end} ${asset}`));
    };
  const listed = motifs.filter(({ protocol }) => isRecognised(protocol));
  const ofSwaps = lazy(() => tillsOf(listed.filter(isSwap), flow));
  const isOthers = asksBeside(ofSwaps);
  // An order pays with the group's money only where the group paid its maker.
  const isFilled = (act: Motif): boolean =>
    act.status === 'Proven' && act.traits.trade === 'order' && !movesIn(act, true, flow).some(isOthers);
  const filled = lazy(() => tillsOf(listed.filter(isFilled), flow));
  return asksBeside(lazy(() => new Set([...ofSwaps(), ...filled()])));
}

/** Accounts that pay out in these acts, each with the asset. */
const tillsOf = (acts: readonly Motif[], flow: ValueFlow): Set<string> =>
  new Set(acts.flatMap((act) => movesIn(act, false, flow)).map(({ from, asset }) => `${from} ${asset}`));

/** An act's movements in the assets that it took, or that it gave. */
function movesIn(act: Motif, gave: boolean, flow: ValueFlow): Movement[] {
  const moved = amountsMoved(act, gave);
  return movesOf(act, flow).filter((m) => moved.some(({ asset }) => asset === m.asset));
}

const movesOf = ({ movements }: Motif, flow: ValueFlow): Movement[] =>
  movements.map((index) => flow.movements[index]!);

/** Payments of others in the assets that an act took. */
function paidByOthers(act: Motif, isOthers: Asks, { flow }: Acts): Movement[] {
  const given = amountsMoved(act, true);
  const taken = new Set(given.map(({ asset }) => mergeNative(asset, flow)));
  return movesOf(act, flow).filter(
    (m) =>
      m.to === act.venue && taken.has(mergeNative(m.asset, flow)) && !isConversion(m, flow) && isOthers(m),
  );
}

/** An act's movements where others paid for it, or none paid and none of the group took part. */
function ofOthers(
  act: Motif,
  group: { has(account: Address): boolean },
  isOthers: Asks,
  { flow }: Acts,
): Movement[] {
  const moved = movesOf(act, flow);
  const paid = moved.filter(({ to }) => to === act.venue);
  const isOwn =
    paid.length > 0 ? !paid.some(isOthers) : accountsOf(act).some((account) => group.has(account));
  return isOwn ? [] : moved;
}

/** Payments to a venue that none of its acts states: gifts, and those that an act elsewhere claims. */
function unstated(venue: Address, stated: ReadonlySet<number>, isOwn: Asks, scene: Acts): Movement[] {
  const { flow } = scene;
  const inActs = movementsOfActs(scene);
  return (flow.incoming.get(venue) ?? [])
    .map((index) => flow.movements[index]!)
    .filter((m) => !stated.has(m.index) && !isConversion(m, flow) && !(inActs.has(m.index) && isOwn(m)));
}
