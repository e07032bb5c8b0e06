import { kindOf } from '../../lib/motifKinds.ts';
import { distinctRoles } from '../../lib/roles.ts';
import { groupBy } from '../../lib/lists.ts';
import { summed, sumOf } from '../../value/amount.ts';
import { evaluate, joinClaims } from '../../value/claims.ts';
import { commonFrame } from '../../value/frames.ts';
import { joinEvidence, joinMovements, type MotifDraft, type MotifInput } from './draftMotif.ts';
import type { AssetAmount } from '../../model/motif.ts';
import type { Invariant } from '../../model/primitive.ts';

/** From this many on, like acts become one. */
const FOLD_FROM = 4;
/** A longer list is written in parts, and one motif of thousands of accounts would not fit in a part. */
const MOST_MOTIFS = 1_000;

type FoldInput = Pick<MotifInput, 'tx' | 'flow' | 'rulebook'>;

/**
 * Joins like plain transfers and like deployments into one act with a count: the same kind, tokens, proof
 * and whole. Accounts, movements and evidence are joined, amounts summed.
 */
export function fold(drafts: readonly MotifDraft[], input: FoldInput): readonly MotifDraft[] {
  if (drafts.length < FOLD_FROM || drafts.length > MOST_MOTIFS) return drafts;
  const wholes = new Set(drafts.map(({ whole }) => whole));
  const plain = drafts.filter((draft) => !wholes.has(draft) && mayFold(draft, input));
  if (plain.length < FOLD_FROM) return drafts;
  const places = new Map(drafts.map((draft, place) => [draft, place]));
  const groups = groupBy(plain, (draft) => likeness(draft, places, input));
  const acts = new Map<MotifDraft, MotifDraft | null>();
  for (const group of groups.values()) {
    if (group.length < FOLD_FROM) continue;
    for (const draft of group) acts.set(draft, null);
    acts.set(group[0]!, joined(group, input));
  }
  return acts.size === 0
    ? drafts
    : drafts.flatMap((draft) => (acts.has(draft) ? (acts.get(draft) ?? []) : draft));
}

/** Kinds without a venue of their own, with amounts that equal their movements. */
function mayFold(
  { kind, assetsIn, assetsOut, movements }: MotifDraft,
  { flow, rulebook }: FoldInput,
): boolean {
  const { venue, position } = kindOf(rulebook, kind);
  if ((venue !== 'none' && venue !== 'created') || position !== null || assetsIn.length > 0) return false;
  return assetsOut.every(({ asset, amount }) => {
    const moved = movements.map((index) => flow.movements[index]!).filter((one) => one.asset === asset);
    return sumOf(moved) === amount;
  });
}

function likeness(draft: MotifDraft, places: ReadonlyMap<MotifDraft, number>, { flow }: FoldInput): string {
  const { kind, protocol, whole, status, confidence, tags, invariants, assetsOut, participants } = draft;
  const tokens = assetsOut.map(({ asset, role }) => [role, flow.assets.get(asset)?.address ?? asset]);
  const roles = new Set(participants.map(({ role }) => role));
  return JSON.stringify([
    [kind, protocol?.slug, whole && places.get(whole), status, confidence],
    [tags, invariants.map(({ name, holds }) => [name, holds])],
    [tokens, [...roles].sort()],
  ]);
}

function joined(group: readonly MotifDraft[], { tx, flow }: FoldInput): MotifDraft {
  const assetsOut = summed(group.flatMap((draft) => draft.assetsOut));
  const evidence = joinEvidence(group);
  const movements = joinMovements(group);
  return {
    ...group[0]!,
    count: group.length,
    scopeFrame: commonFrame(tx, evidence),
    participants: distinctRoles(group.flatMap((draft) => draft.participants)),
    assetsOut,
    invariants: joinedClaims(group, assetsOut, movements, flow),
    movements,
    evidence,
    legs: group.flatMap(({ legs }) => legs),
  };
}

/** The claims of like acts as one each; the amounts are sums, so their claims are made again. */
function joinedClaims(
  group: readonly MotifDraft[],
  amounts: readonly AssetAmount[],
  moved: readonly number[],
  { movements }: FoldInput['flow'],
): Invariant[] {
  const own = groupBy(amounts, ({ asset }) => asset);
  const byAmount = [...own].map(([asset, parts]): Invariant => {
    const against = moved.filter((index) => movements[index]!.asset === asset);
    const operands = parts.map((part) => `out${amounts.indexOf(part)}` as const);
    const sums = { amount: sumOf(parts), moved: sumOf(against.map((index) => movements[index]!)) };
    return evaluate('amount_moved', sums, operands, against);
  });
  const others = group.flatMap(({ invariants }) => invariants.filter(({ name }) => name !== 'amount_moved'));
  const joint = [...groupBy(others, ({ name }) => name)].map(([name, claims]) => joinClaims(name, claims));
  return [...byAmount, ...joint];
}
