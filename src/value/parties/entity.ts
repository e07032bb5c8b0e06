import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { mergeNative } from '../asset.ts';
import { tokensOf } from '../parties.ts';
import { servingTag } from '../../lib/motifKinds.ts';
import { balances, netSides } from '../balances.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { AssetId, Movement, ValueFlow } from '../../model/valueFlow.ts';
import type { Scene } from '../../model/scene.ts';

/**
 * Why an account counts as one with the actor. `called`: the signer called it. `trader`: the only contract
 * that traded where none of the others did, called by one of them. `pays_builder`: called by one of them, it
 * paid the block builder.
 */
export type EntityReason = 'actor' | 'signer' | 'called' | 'trader' | 'pays_builder';

export interface EntityInput extends Pick<Scene, 'tx' | 'flow'> {
  readonly rulebook: Pick<Rulebook, 'entities'>;
  /** The block's fee recipient; null where unknown. */
  readonly coinbase: Address | null;
  /** Contracts at which trades happened. */
  readonly venues: Pick<ReadonlySet<Address>, 'has'>;
}

/**
 * The accounts that in these acts are one with `actors`, each with the reason, in the order in which they
 * joined. Venues, tokens and contracts that the rules list as serving everybody are never among them.
 */
export function actingAsOne(
  actors: readonly Address[],
  acts: readonly Pick<Motif, 'movements'>[],
  input: EntityInput,
): ReadonlyMap<Address, EntityReason> {
  const { tx } = input;
  const traders = tradersOf(acts, input);
  const group = new Map<Address, EntityReason>(actors.map((account) => [account, 'actor']));
  const isOwn = (account: Address): boolean => !input.venues.has(account) && isPrivate(account, input);
  if (group.has(tx.from) && tx.to !== null && !group.has(tx.to) && isOwn(tx.to)) group.set(tx.to, 'called');
  if (![...group.keys()].some((account) => traders.has(account))) {
    const [trader, ...others] = calledBy(group, traders, tx).filter(isOwn);
    if (trader && others.length === 0) group.set(trader, 'trader');
  }
  for (const payer of calledBy(group, payersOf(input), tx))
    if (isOwn(payer)) group.set(payer, 'pays_builder');
  return group;
}

/** Accounts that in these acts paid a venue or were paid by one. */
function tradersOf(acts: readonly Pick<Motif, 'movements'>[], { flow, venues }: EntityInput): Set<Address> {
  const traders = new Set<Address>();
  for (const act of acts)
    for (const index of act.movements) {
      const { from, to } = flow.movements[index]!;
      if (venues.has(to) && !venues.has(from)) traders.add(from);
      if (venues.has(from) && !venues.has(to)) traders.add(to);
    }
  return traders;
}

function payersOf({ coinbase, flow: { incoming, movements } }: EntityInput): Set<Address> {
  const indexes = coinbase === null ? [] : (incoming.get(coinbase) ?? []);
  return new Set(indexes.map((index) => movements[index]!.from));
}

/** Whether the account serves its owner alone, as far as the rules and this transaction show. */
export function isPrivate(
  account: Address,
  of: Pick<EntityInput, 'flow' | 'rulebook' | 'coinbase'>,
): boolean {
  const { flow, rulebook, coinbase } = of;
  if (account === ZERO_ADDRESS || account === coinbase) return false;
  if (flow.wrappedNative.has(account) || servingTag(rulebook, account) !== undefined) return false;
  return !tokensOf(flow).has(account);
}

/** The accounts of `wanted` outside the group that one of the group called. */
function calledBy(
  group: ReadonlyMap<Address, unknown>,
  wanted: ReadonlySet<Address>,
  { frames }: CanonicalTx,
): Address[] {
  const found = new Set<Address>();
  for (const { effective, static: readOnly, from, to } of frames)
    if (effective && !readOnly && to !== null && wanted.has(to) && group.has(from) && !group.has(to))
      found.add(to);
  return [...found];
}

/** Whether the account ended with more, gave nothing to the group, and can be its wallet or a partner. */
export function onlyKeeps(account: Address, group: ReadonlySet<Address>, flow: ValueFlow): boolean {
  const own = balances(flow, account, { dust: 'drop' });
  const gave = [...own.values()].some(({ outgoing }) => outgoing.some(({ to }) => group.has(to)));
  return !gave && netSides(own.values()) === 'received';
}

/** The group's payments, in order. */
export function sentBy(group: Iterable<Address>, { outgoing, movements }: ValueFlow): Movement[] {
  return [...group].flatMap((account) => (outgoing.get(account) ?? []).map((index) => movements[index]!));
}

/**
 * Wallets for gains: per asset the one further account that received it from the group and sent nothing,
 * native and wrapped native as one. Assets that several such accounts received have none.
 */
export function walletsOf(
  group: ReadonlySet<Address>,
  scene: Pick<EntityInput, 'flow' | 'venues' | 'coinbase'>,
): ReadonlyMap<AssetId, Address | null> {
  const { flow, venues, coinbase } = scene;
  const wallets = new Map<AssetId, Address | null>();
  for (const { to, asset } of sentBy(group, flow)) {
    const known = [group, venues, flow.wrappedNative, flow.outgoing].some((some) => some.has(to));
    if (known || to === coinbase || to === ZERO_ADDRESS) continue;
    const id = mergeNative(asset, flow);
    wallets.set(id, wallets.has(id) && wallets.get(id) !== to ? null : to);
  }
  return wallets;
}
