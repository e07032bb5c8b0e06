import { kindOf } from '../../lib/motifKinds.ts';
import { groupBy } from '../../lib/lists.ts';
import { lowestCommonAncestor } from '../../value/frames.ts';
import type { Frame } from '../../model/canonicalTx.ts';
import type { AssetAmount, Motif } from '../../model/motif.ts';
import type { Invariant } from '../../model/primitive.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

/** From this many on, like motifs become one. */
const FOLD_FROM = 4;
/** A longer list is written in parts, and one motif of thousands of accounts would not fit in a part. */
const MOST_MOTIFS = 1_000;

export interface FoldedMotifs {
  /** Numbered anew; a folded motif has the `count` of its members. */
  readonly motifs: readonly Motif[];
  /** The new number of a motif, by its old one. */
  readonly places: readonly number[];
}

export interface FoldInput {
  readonly frames: readonly Frame[];
  readonly flow: Pick<ValueFlow, 'movements' | 'assets'>;
  readonly rulebook: Pick<Rulebook, 'motifKinds'>;
}

/**
 * Joins like plain transfers and like deployments into one motif with a count: the same kind, tokens, proof
 * and parent. Accounts, movements and evidence are joined, amounts summed. Pure.
 */
export function foldMotifs(motifs: readonly Motif[], input: FoldInput): FoldedMotifs {
  const groups = motifs.length < FOLD_FROM || motifs.length > MOST_MOTIFS ? [] : likeMotifs(motifs, input);
  if (groups.length === 0) return { motifs, places: motifs.map((_, i) => i) };
  const foldOf = new Map(groups.flatMap((group) => group.map((motif) => [motif, group] as const)));
  const kept = motifs.filter((motif) => (foldOf.get(motif)?.[0] ?? motif) === motif);
  const placeOf = new Map(kept.map((motif, place) => [motif, place]));
  const places = motifs.map((motif) => placeOf.get(foldOf.get(motif)?.[0] ?? motif)!);
  return {
    places,
    motifs: kept.map((motif, index) => {
      const parent = motif.parent === null ? null : places[motif.parent]!;
      const group = foldOf.get(motif);
      return { ...(group ? joined(group, input) : motif), index, parent };
    }),
  };
}

function likeMotifs(motifs: readonly Motif[], input: FoldInput): Motif[][] {
  const parents = new Set(motifs.map(({ parent }) => parent));
  const groups = groupBy(motifs, (motif) =>
    parents.has(motif.index) || !mayFold(motif, input) ? null : likeness(motif, input),
  );
  return [...groups.values()].filter(({ length }) => length >= FOLD_FROM);
}

/** Kinds without a venue of their own, with amounts that equal their movements. */
function mayFold({ kind, assetsIn, assetsOut, movements }: Motif, { flow, rulebook }: FoldInput): boolean {
  const { venue, position } = kindOf(rulebook, kind);
  if ((venue !== 'none' && venue !== 'created') || position !== null || assetsIn.length > 0) return false;
  return assetsOut.every(({ asset, amount }) => {
    const moved = movements.map((index) => flow.movements[index]!).filter((one) => one.asset === asset);
    return moved.reduce((sum, one) => sum + one.amount, 0n) === amount;
  });
}

function likeness(motif: Motif, { flow }: FoldInput): string {
  const { kind, protocol, parent, status, confidence, tags, invariants, assetsOut, participants } = motif;
  const tokens = assetsOut.map(({ asset, role }) => [role, flow.assets.get(asset)?.address ?? asset]);
  const roles = new Set(participants.map(({ role }) => role));
  return JSON.stringify([
    [kind, protocol?.slug, parent, status, confidence],
    [tags, invariants.map(({ name, holds }) => [name, holds])],
    [tokens, [...roles].sort()],
  ]);
}

function joined(group: readonly Motif[], { frames, flow }: FoldInput): Motif {
  const assetsOut = summed(group.flatMap((motif) => motif.assetsOut));
  return {
    ...group[0]!,
    count: group.length,
    scopeFrame: group
      .map(({ scopeFrame }) => scopeFrame)
      .reduce((a, b) => (a === null || b === null ? null : lowestCommonAncestor(frames, a, b))),
    participants: distinct(group.flatMap((motif) => motif.participants)),
    assetsOut,
    invariants: joinedClaims(group, assetsOut, flow),
    movements: [...new Set(group.flatMap((motif) => motif.movements))].sort((a, b) => a - b),
    evidence: distinct(group.flatMap((motif) => motif.evidence)),
  };
}

/** The claims of like motifs as one each; the amounts are sums, so their claims are made again. */
function joinedClaims(
  group: readonly Motif[],
  amounts: readonly AssetAmount[],
  { movements }: FoldInput['flow'],
): Invariant[] {
  const moved = [...new Set(group.flatMap((motif) => motif.movements))].sort((a, b) => a - b);
  const own = groupBy(amounts, ({ asset }) => asset);
  const byAmount = [...own].map(([asset, parts]): Invariant => {
    const against = moved.filter((index) => movements[index]!.asset === asset);
    const sum = against.reduce((all, index) => all + movements[index]!.amount, 0n);
    return {
      name: 'amount_moved',
      holds: parts.reduce((all, { amount }) => all - amount, sum) === 0n,
      operands: parts.map((part) => `out${amounts.indexOf(part)}` as const),
      against,
    };
  });
  const others = group.flatMap(({ invariants }) => invariants.filter(({ name }) => name !== 'amount_moved'));
  const joint = [...groupBy(others, ({ name }) => name)].map(
    ([name, claims]): Invariant => ({
      name,
      holds: claims.every(({ holds }) => holds),
      operands: claims.flatMap(({ operands }) => operands),
      against: claims.flatMap(({ against = [] }) => against),
    }),
  );
  return [...byAmount, ...joint];
}

function distinct<T extends object>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [Object.values(item).join(), item])).values()];
}

function summed(amounts: readonly AssetAmount[]): AssetAmount[] {
  const sums = new Map<string, AssetAmount>();
  for (const one of amounts) {
    const key = `${one.role} ${one.asset}`;
    sums.set(key, { ...one, amount: (sums.get(key)?.amount ?? 0n) + one.amount });
  }
  return [...sums.values()];
}
