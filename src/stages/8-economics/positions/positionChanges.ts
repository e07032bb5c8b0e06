import { groupBy } from '../../../lib/lists.ts';
import { distinctEvidence } from '../../../lib/evidence.ts';
import { changesPosition, hasTag, POSITION_TRADES } from '../../../lib/motifKinds.ts';
import { roleOf } from '../../../lib/roles.ts';
import { amountsOf, isShare, LIQUIDATE, movedAmounts, sidesOf } from '../../../value/sides.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import type { PositionChange, PositionPart } from '../../../model/economics.ts';
import type { Motif } from '../../../model/motif.ts';
import type { Side, SideAmount } from '../../../model/scene.ts';
import type { Movement, ValueFlow } from '../../../model/valueFlow.ts';
import type { EconomicsInput } from '../computeEconomics.ts';
import { withOwners, type Change } from './owners.ts';

/** Tags of rules with an event that shows that the position began or ended with it. */
const OPENS = 'opens';
const CLOSES = 'closes';
/** Effects with which a position may end. */
const ENDING: ReadonlySet<string> = new Set(['decrease', 'collect']);
/** Tag of entities with NFTs that represent positions. */
const POSITION_MANAGER = 'position_manager';
const SUPPLY = 'lending_supply';

type Inputs = 'tx' | 'motifs' | 'flow' | 'attribution' | 'rulebook';
export type PositionInput = Pick<EconomicsInput, Inputs>;

/**
 * The positions that motifs change, as the vocabulary declares, in execution order, each with its owner. The
 * changes of one owner's position asset sum to the change of its balance.
 */
export function positionChanges(input: PositionInput): PositionChange[] {
  const { flow, attribution, motifs } = input;
  // Acts that carried its value on show the position, too.
  const parts = groupBy(motifs, ({ reason, parent }) => (reason === 'carried' ? parent : null));
  const found = motifs.flatMap((motif) => changesOf(motif, input));
  if (found.length === 0) return [];
  const { actor, signer, entity, orders } = attribution;
  const principals = new Set([signer, ...entity]);
  if (actor !== null) principals.add(actor);
  for (const { owner } of orders) principals.add(owner);
  const changes = withOwners(found, { ...input, principals });
  return [
    ...changes.map((change) => positionOf(change, parts.get(change.motif.index) ?? [], flow)),
    ...unexplained(changes, flow),
  ].sort((a, b) => a.motif.index - b.motif.index);
}

function changesOf(motif: Motif, input: PositionInput): Change[] {
  const { attribution, flow } = input;
  const { position: changed, plain, composite, serves } = motif.traits;
  // A part of an act that changes positions itself is counted there.
  if (motif.parent !== null && changesPosition(input.motifs[motif.parent]!)) return [];
  const sides = changed
    ? sidesOf(motif).flatMap((side) => withCollateral(side, motif, flow))
    : plain && !composite && serves === null
      ? positionTransfer(motif, input)
      : tradedSides(motif);
  return sides.flatMap(({ position, owner, amounts }) => {
    const shares = amounts.filter(isShare);
    const token = motif.position ?? shares[0]?.asset ?? null;
    const delta = shares.reduce((sum, one) => sum + (one.asset === token ? one.delta : 0n), 0n);
    const named = owner ?? attribution.actor ?? attribution.signer;
    return position ? [{ motif, token, delta, position, owner: named, amounts, heldBy: null }] : [];
  });
}

/** A collateral that came straight from the borrower is the position's token, now the liquidator's. */
function withCollateral(side: Side, motif: Motif, flow: ValueFlow): Side[] {
  if (side.position?.effect !== LIQUIDATE || side.position.category !== SUPPLY) return [side];
  const held = movedAmounts(side)
    .filter(({ asset }) =>
      motif.movements.some((index) => {
        const movement = flow.movements[index]!;
        return movement.from === side.owner && movement.asset === asset;
      }),
    )
    .map((one): SideAmount => ({ ...one, role: 'share' }));
  const isStated = side.amounts.some(isShare);
  const owner = roleOf(motif, 'liquidator');
  const taken = held.map((one) => ({ ...one, delta: one.amount }));
  return [
    isStated ? side : { ...side, amounts: [...held, ...side.amounts] },
    ...(held.length > 0 && owner
      ? [{ position: { category: SUPPLY, effect: 'increase' }, owner, amounts: taken }]
      : []),
  ];
}

/** The position that a swap for a position's token changes; none for any other motif. */
function tradedSides(motif: Motif): Side[] {
  const trade = POSITION_TRADES.get(motif.tags.find((tag) => POSITION_TRADES.has(tag)) ?? '');
  const owner = trade && roleOf(motif, trade.owner);
  if (!trade || !owner) return [];
  const amounts = amountsOf(motif).map((one): SideAmount => {
    return { ...one, role: one.delta * trade.sign > 0n ? 'share' : 'principal' };
  });
  return [{ position: { category: 'vault', effect: trade.effect }, owner, amounts }];
}

/** A position that changes hands with its NFT: the sender's and the receiver's side of it. */
function positionTransfer(motif: Motif, { rulebook, flow }: PositionInput): Side[] {
  const token = amountsOf(motif).find(({ asset, gave }) => {
    const { kind, address } = flow.assets.get(asset)!;
    return gave && kind === 'erc721' && hasTag(rulebook, address!, POSITION_MANAGER);
  });
  const from = token && roleOf(motif, 'payer');
  const to = from && roleOf(motif, 'recipient');
  if (!token || !from || !to) return [];
  const side = (owner: typeof from, delta: bigint): Side => ({
    position: { category: 'liquidity', effect: 'transfer' },
    owner,
    amounts: [{ ...token, role: 'share', delta }],
  });
  return [side(from, -token.amount), side(to, token.amount)];
}

function positionOf(change: Change, parts: readonly Motif[], flow: ValueFlow): PositionChange {
  const { motif, token, delta, owner, position, amounts, heldBy } = change;
  const all = parts.length === 0 ? null : [motif, ...parts];
  return {
    owner,
    heldBy,
    category: position.category,
    subcategory: position.subcategory,
    effect: effectOf(change, flow),
    motif,
    motifs: all ? all.map(({ index }) => index).sort((a, b) => a - b) : [motif.index],
    position: token,
    beside: amounts.filter((one) => isShare(one) && one.asset !== token),
    delta: token === null ? null : delta,
    parts: amounts.filter((one) => !isShare(one)).map(partOf),
    evidence: distinctEvidence(all ? all.flatMap(({ evidence }) => evidence) : motif.evidence),
  };
}

const partOf = ({ asset, delta, role }: SideAmount): PositionPart => {
  return { asset, delta, role: role as PositionPart['role'] };
};

/**
 * A position NFT comes and goes with the position; for other tokens only the event can show it, for the
 * account it is about: that a gateway has no more of them says nothing of their holder.
 */
function effectOf({ position: { effect }, amounts, motif, owner, delta }: Change, flow: ValueFlow): string {
  const unique = amounts.filter(({ asset }) => flow.assets.get(asset)?.kind === 'erc721').filter(isShare);
  const isAbout = delta === 0n || (roleOf(motif, 'owner') ?? owner) === owner;
  const has = (tag: string): boolean => isAbout && motif.tags.includes(tag);
  if (effect === 'increase' && (has(OPENS) || unique.some((one) => one.delta > 0n))) return 'open';
  if (ENDING.has(effect) && (has(CLOSES) || unique.some((one) => one.delta < 0n))) return 'close';
  return effect;
}

/** Movements of a position token that no act explains: interest minted to the owner, or the token sent on. */
function unexplained(changes: readonly Change[], flow: ValueFlow): PositionChange[] {
  const groups = groupBy(changes, ({ owner, token, delta }) =>
    token !== null && delta !== 0n ? `${owner} ${token}` : null,
  );
  return [...groups.values()].flatMap((own) => {
    const { owner, token, motif, position, heldBy } = own[0]!;
    const entry = flow.ledgers.get(owner)?.get(token!);
    const explained = own.reduce((sum, { delta }) => sum + delta, 0n);
    const rest = (entry ? entry.inflow - entry.outflow : 0n) - explained;
    if (rest === 0n || !entry) return [];
    const acts = new Set(own.flatMap(({ motif: act }) => act.movements));
    const others = entry.movements.filter((index) => !acts.has(index)).map((index) => flow.movements[index]!);
    const signOf = ({ from, to }: Movement): bigint =>
      from === ZERO_ADDRESS ? 1n : to === ZERO_ADDRESS ? -1n : 0n;
    const minted = others.reduce((sum, movement) => sum + signOf(movement) * movement.amount, 0n) === rest;
    const effect = minted ? 'collect' : 'transfer';
    const evidence = others.length > 0 ? others.map((m) => m.evidence) : motif.evidence;
    const kind = { category: position.category, effect };
    const change = { owner, motif, token, position: kind, delta: rest, amounts: [], heldBy };
    return { ...positionOf(change, [], flow), effect, evidence };
  });
}
