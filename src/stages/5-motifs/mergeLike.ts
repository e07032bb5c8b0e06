import { distinctRoles, isPrincipal } from '../../lib/roles.ts';
import { groupBy } from '../../lib/lists.ts';
import { Components } from '../../lib/components.ts';
import { summed, sumOf } from '../../value/amount.ts';
import { joinClaims, sentClaims } from '../../value/claims.ts';
import { commonFrame } from '../../value/frames.ts';
import { joinEvidence, joinMovements, unique, type MotifDraft, type MotifInput } from './draftMotif.ts';
import type { AssetAmount } from '../../model/motif.ts';
import type { Claim } from '../../model/primitive.ts';

type Input = Pick<MotifInput, 'tx' | 'flow' | 'rulebook'>;
type Group = readonly MotifDraft[];

/** Puts one act in the place of each group's first, with the accounts and the evidence of all. */
function mergeEach(drafts: Group, groups: readonly Group[], { tx }: Input, actOf: (of: Group) => MotifDraft) {
  const acts = new Map<MotifDraft, MotifDraft | null>();
  for (const group of groups) {
    for (const draft of group) acts.set(draft, null);
    const act = actOf(group);
    const evidence = joinEvidence(group);
    const participants = distinctRoles([act, ...group].flatMap((draft) => draft.participants));
    const seq = group[0]!.seq;
    acts.set(group[0]!, { ...act, seq, participants, evidence, scopeFrame: commonFrame(tx, evidence) });
  }
  if (acts.size === 0) return drafts;
  return drafts.flatMap((draft) => (acts.has(draft) ? (acts.get(draft) ?? []) : draft));
}

/**
 * Joins events and calls of one kind and protocol that moved nothing and name the same owners, or none: the
 * registry, the registrar and the resolver of one name, allowances of one owner. Creations and executions are
 * an act each. The best known of them is the act; only one as well known adds tags to it.
 */
export function mergeSilent(drafts: Group, input: Input): Group {
  const silent = drafts.filter(({ traits: { venue, executes }, legs }) => {
    return legs.length === 0 && venue !== 'created' && executes === null;
  });
  if (silent.length < 2) return drafts;
  return mergeEach(drafts, sameOwners(silent), input, (group) => {
    const act = group.find(({ doubt }) => doubt === null) ?? group[0]!;
    const known = group.filter(({ doubt }) => doubt === act.doubt);
    return { ...act, tags: unique(known.flatMap(({ tags }) => tags)) };
  });
}

function sameOwners(silent: Group): Group[] {
  const groups = new Components<MotifDraft>();
  const seen = new Map<string, MotifDraft>();
  const nameless = new Map<MotifDraft, string>();
  for (const draft of silent) {
    const { kind, traits, protocol, doubt, participants } = draft;
    const key = `${kind} ${protocol?.slug} ${traits.allowance ? doubt : ''}`;
    const owners = participants.filter(({ role }) => isPrincipal(role));
    for (const { account } of owners) groups.link(seen, `${key} ${account}`, draft);
    if (owners.length === 0) nameless.set(draft, key);
    else if (!seen.has(key)) seen.set(key, draft);
  }
  for (const [draft, key] of nameless) groups.link(seen, key, draft);
  return groups.of(silent).filter(({ length }) => length > 1);
}

/** From this many on, like acts become one. */
const FOLD_FROM = 4;
/** A longer list is written in parts, and one motif of thousands of accounts would not fit in a part. */
const MOST_MOTIFS = 1_000;

/**
 * Joins like plain transfers and like deployments into one act with a count: the same kind, tokens, proof
 * and whole. Movements are joined, amounts summed.
 */
export function mergeLike(drafts: Group, input: Input): Group {
  if (drafts.length < FOLD_FROM || drafts.length > MOST_MOTIFS) return drafts;
  const wholes = new Set(drafts.map(({ whole }) => whole));
  const plain = drafts.filter((draft) => !wholes.has(draft) && mayFold(draft, input));
  const places = new Map(drafts.map((draft, place) => [draft, place]));
  const alike = groupBy(plain, (draft) => likeness(draft, places, input));
  const groups = [...alike.values()].filter(({ length }) => length >= FOLD_FROM);
  return mergeEach(drafts, groups, input, (group) => {
    const assetsOut = summed(group.flatMap((draft) => draft.assetsOut));
    const movements = joinMovements(group);
    const legs = group.flatMap((draft) => draft.legs);
    const claims = joinedClaims(group, assetsOut, movements, input);
    return { ...group[0]!, count: group.length, assetsOut, movements, legs, claims };
  });
}

/** Kinds without a venue of their own, with amounts that equal their movements. */
function mayFold({ traits, assetsIn, assetsOut, movements }: MotifDraft, { flow }: Input): boolean {
  const { venue, position } = traits;
  if ((venue !== 'none' && venue !== 'created') || position !== null || assetsIn.length > 0) return false;
  return assetsOut.every(({ asset, amount }) => {
    const moved = movements.map((index) => flow.movements[index]!).filter((one) => one.asset === asset);
    return sumOf(moved) === amount;
  });
}

function likeness(draft: MotifDraft, places: ReadonlyMap<MotifDraft, number>, { flow }: Input): string {
  const { kind, protocol, whole, status, confidence, tags, claims, assetsOut, participants } = draft;
  const tokens = assetsOut.map(({ asset, role }) => [role, flow.assets.get(asset)?.address ?? asset]);
  const roles = new Set(participants.map(({ role }) => role));
  return JSON.stringify([
    [kind, protocol?.slug, whole && places.get(whole), status, confidence],
    [tags, claims.map(({ name, holds }) => [name, holds])],
    [tokens, [...roles].sort()],
  ]);
}

/** The claims of like acts as one each; the amounts are sums, so their claims are made again. */
function joinedClaims(
  group: Group,
  amounts: readonly AssetAmount[],
  moved: readonly number[],
  { flow }: Input,
): Claim[] {
  const movements = moved.map((index) => flow.movements[index]!);
  const others = group.flatMap(({ claims }) => claims.filter(({ name }) => name !== 'amount_moved'));
  const joint = [...groupBy(others, ({ name }) => name)].map(([name, claims]) => joinClaims(name, claims));
  return [...sentClaims(amounts, movements), ...joint];
}
