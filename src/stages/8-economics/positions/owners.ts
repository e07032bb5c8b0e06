import { follow } from '../../../value/follow.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { tagsOf } from '../../../lib/motifKinds.ts';
import { roleOf } from '../../../lib/roles.ts';
import { mergeNative } from '../../../value/asset.ts';
import { balances, type Balance } from '../../../value/balances.ts';
import { tracingOf, venuesOf } from '../../../value/parties.ts';
import { isListedAddress } from '../../../value/tokenCall.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';
import type { AssetId, ValueFlow } from '../../../model/valueFlow.ts';
import type { Position, Side, SideAmount } from '../../../model/scene.ts';
import { amountsMoved, isShare, movedAmounts, statedOwner } from '../../../value/sides.ts';
import type { PositionInput } from './positionChanges.ts';

/** A side of an act with its owner, the token that represents the position, and the owner's gain of it. */
export interface Change extends Pick<Side, 'amounts'> {
  readonly motif: Motif;
  readonly position: Position;
  readonly owner: Address;
  readonly token: AssetId | null;
  readonly delta: bigint;
  /** The account that holds it in its own name for the owner, where nothing shows that it is the owner's. */
  readonly heldBy: Address | null;
}

export interface OwnerContext extends PositionInput {
  /** The accounts that the transaction was done for: they own even momentary holdings. */
  readonly principals: ReadonlySet<Address>;
}

/** Amounts that an account sent and received, native and wrapped native as one. */
const balancesOf = (account: Address, { flow }: OwnerContext): ReadonlyMap<AssetId, Balance> =>
  balances(flow, account);

/** Categories of shares in a venue's holdings; of others its event states the amount owed. */
const SHARED: ReadonlySet<string> = new Set(['liquidity', 'stake', 'vault']);
/** Tag of protocols whose contracts let their owner alone have them run calls. */
const OWN_ACCOUNT = 'own_account';
const MOVING: ReadonlySet<string> = new Set(['increase', 'decrease']);

/**
 * The positions that the transaction changed, each at its owner: the account that held its token before or
 * holds it afterwards, else the giver or receiver of its assets, never a router.
 */
export function withOwners(changes: readonly Change[], context: OwnerContext): Change[] {
  const owned = changes
    .map((change) => withHolder(change, context))
    .filter((change) => !isOnTheWay(change, context));
  if (owned.length < 2) return owned.map((change) => asExchanged(change, context));
  const key = ({ owner, position: { category, effect } }: Change): string => `${owner} ${category} ${effect}`;
  const isProven = ({ motif }: Change): boolean => motif.status === 'Proven';
  const having = new Set(owned.filter((change) => hadPart(change, context)));
  const had = new Set([...having].map(key));
  const hadProven = new Set([...having].filter(isProven).map(key));
  // A second one in assets that its owner never had is the first: a booster stakes its own receipt.
  const own = owned.filter(
    (change) =>
      having.has(change) || !isShared(change) || !(isProven(change) ? hadProven : had).has(key(change)),
  );
  const counts = new Map<Address, number>();
  for (const { owner } of own) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return own.map((change) => (counts.get(change.owner) === 1 ? asExchanged(change, context) : change));
}

const withOwner = (change: Change, owner: Address): Change =>
  owner === change.owner ? change : { ...change, owner };

function isShared({ position: { category, effect } }: Change): boolean {
  return SHARED.has(category) && MOVING.has(effect);
}

/** Whether the position's token or one of its assets moved at its owner. */
function hadPart(change: Change, context: OwnerContext): boolean {
  const { owner, token, amounts } = change;
  if (token !== null && amounts.some(isShare) && held(owner, token, context.flow)) return true;
  return hadAssets(change, context);
}

/** Whether it changed with its token; the token that opens a position may be of another owner. */
const isOfToken = ({ amounts, delta, position: { effect } }: Change): boolean =>
  amounts.some(isShare) && (effect !== 'open' || delta >= 0n);

/** Whether one of the position's assets moved at its owner. */
function hadAssets(change: Change, context: OwnerContext): boolean {
  const own = balancesOf(change.owner, context);
  return movedAmounts(change).some(({ asset }) => own.has(mergeNative(asset, context.flow)));
}

/** A position token its owner never had, or that only went through an account of no party; or a mention. */
function isOnTheWay(change: Change, { flow, principals }: OwnerContext): boolean {
  const { owner, token, amounts, motif } = change;
  if (amounts.length === 0 && roleOf(motif, 'owner') === owner && !principals.has(owner)) return true;
  if (token === null || !isOfToken(change) || !flow.assets.has(token)) return false;
  if (!held(owner, token, flow)) return true;
  return !principals.has(owner) && net(owner, token, flow) === 0n;
}

/**
 * An owner's only position, in the assets it gave or got where a zap or router converted them: all that it
 * gave, or got, if it gave or got nothing else. Any more of the token that it gave went the same way.
 */
function asExchanged(change: Change, context: OwnerContext): Change {
  const { owner, token, amounts, delta } = change;
  const { flow, principals } = context;
  if (hadAssets(change, context) || !isShared(change)) return change;
  if (!principals.has(owner) || wasGiven(change, context)) return change;
  const put = change.position.effect === 'increase';
  const own = [...balancesOf(owner, context).values()].filter(({ id }) => id !== token);
  if (!own.every((one) => isWithListed(one, change, context))) return change;
  const moved = own
    .map((balance) => ({ asset: balance.id, delta: withoutIssuance(balance, put) }))
    .filter((one) => one.delta !== 0n);
  if (moved.length === 0 || moved.some((one) => one.delta < 0n !== put)) return change;
  const exchanged = moved.map((one): SideAmount => {
    const amount = put ? -one.delta : one.delta;
    return { ...one, gave: put, amount, leg: put ? 'in' : 'out', role: 'principal' };
  });
  const whole = token === null || delta === 0n ? delta : net(owner, token, flow);
  return { ...change, delta: whole, amounts: [...amounts.filter(isShare), ...exchanged] };
}

/** Whether the owner dealt with listed contracts alone: another may have kept its payment. */
function isWithListed(
  { incoming, outgoing }: Balance,
  { motif, position }: Change,
  { rulebook }: OwnerContext,
): boolean {
  if (motif.status !== 'Proven') return true;
  const ends =
    position.effect === 'increase' ? outgoing.map(({ to }) => to) : incoming.map(({ from }) => from);
  return ends.every((end) => isListedAddress(end, rulebook));
}

/** An account's gain of an asset; interest minted to its giver is no refund. */
function withoutIssuance({ net: gain, incoming, outgoing }: Balance, put: boolean): bigint {
  const issued = (put ? incoming : outgoing).filter(({ kind }) => kind === (put ? 'mint' : 'burn'));
  return issued.reduce((sum, { amount }) => (put ? sum - amount : sum + amount), gain);
}

/** Whether another act gave the owner the assets for nothing: a reward that was staked. */
function wasGiven(change: Change, { motifs }: OwnerContext): boolean {
  const moved = new Set(movedAmounts(change).map(({ asset }) => asset));
  return motifs.some(
    (other) =>
      other !== change.motif &&
      roleOf(other, 'owner') === change.owner &&
      amountsMoved(other, true).length === 0 &&
      amountsMoved(other, false).some(({ asset }) => moved.has(asset)),
  );
}

function net(account: Address, asset: AssetId, { ledgers }: ValueFlow): bigint {
  const entry = ledgers.get(account)?.get(asset);
  return entry ? entry.inflow - entry.outflow : 0n;
}

const held = (account: Address, asset: AssetId, { ledgers }: ValueFlow): boolean =>
  ledgers.get(account)?.has(asset) ?? false;

/** With the owner, or the account behind it where it only passed the position on. */
function withHolder(change: Change, context: OwnerContext): Change {
  const stated = statedOwner(change.motif, context.rulebook);
  if (stated !== null) return withOwner(change, stated);
  const { flow, principals } = context;
  const paid = withOwner(change, payerOf(change, flow));
  const { owner, token, delta } = paid;
  if (token === null || delta === 0n || !isOfToken(change)) {
    const user = userBehind(paid, context) ?? owner;
    const isOwn = user === owner || isFor(owner, user, context);
    return { ...paid, owner: user, heldBy: isOwn ? null : owner };
  }
  if (net(owner, token, flow) !== 0n || (held(owner, token, flow) && principals.has(owner))) return paid;
  return withOwner(paid, holderOfToken(change, token, context) ?? owner);
}

/** Whether an account holds positions for the user: a listed one, or one that its owner alone calls. */
function isFor(account: Address, user: Address, { tx, rulebook }: OwnerContext): boolean {
  if (isListedAddress(account, rulebook)) return true;
  return tx.to === account && tx.from === user && tagsOf(account, rulebook).includes(OWN_ACCOUNT);
}

/** Claims that are paid on another chain belong to an account that only their act can name. */
const isPaidElsewhere = ({ traits }: Motif): boolean => traits.position?.owner !== undefined;

/** The payer of a claim without a stated owner: anybody can be named as the depositor. */
function payerOf({ motif, owner }: Change, { movements }: ValueFlow): Address {
  if (!isPaidElsewhere(motif)) return owner;
  const [payer, ...others] = new Set(motif.movements.map((index) => movements[index]!.from));
  return payer !== undefined && others.length === 0 ? payer : owner;
}

/** The one account at which a position's token ended, or from which it came; null for none or several. */
function holderOfToken(change: Change, token: AssetId, { flow, motifs }: OwnerContext): Address | null {
  const gained = change.delta > 0n;
  const ends = new Set<Address>();
  const passes = (account: Address): boolean => {
    const kept = net(account, token, flow);
    if (kept !== 0n && kept > 0n === gained) ends.add(account);
    return kept === 0n;
  };
  const own = change.motif.movements
    .map((index) => flow.movements[index]!)
    .filter(({ asset }) => asset === token)
    .map(({ from, to }) => (gained ? to : from))
    .filter((account) => account !== ZERO_ADDRESS);
  const starts = (held(change.owner, token, flow) ? [change.owner] : own).filter(passes);
  follow(flow, starts, gained ? 'onward' : 'back', ({ asset }, account) => {
    return asset === token && account !== ZERO_ADDRESS && passes(account);
  });
  const [end] = ends;
  return ends.size === 1 && !venuesOf(motifs).has(end!) ? end! : null;
}

/**
 * The principal behind a proxy or router that holds a position in its own name and kept nothing: the one
 * account its movements came from or went to. Null where there is none.
 */
function userBehind(change: Change, context: OwnerContext): Address | null {
  const { owner } = change;
  const moved = movedAmounts(change);
  const { principals, motifs, flow } = context;
  const { carriers, origins, destinations } = tracingOf(flow);
  if (principals.has(owner) || !carriers.has(owner)) return null;
  const endsOf = (asset: AssetId, put: boolean): readonly Address[] =>
    (put ? origins : destinations)(owner, asset);
  const direct = moved.flatMap(({ asset, delta }) => endsOf(asset, delta < 0n));
  const isUser = (end: Address): boolean => principals.has(end);
  // A converted asset came from a venue; from any other account it is that account's.
  if (
    !direct.some(isUser) &&
    direct.some((end) => end !== ZERO_ADDRESS && end !== owner && !venuesOf(motifs).has(end))
  )
    return null;
  const assets = [...(flow.ledgers.get(owner)?.keys() ?? [])];
  const signs = [...new Set(moved.map(({ delta }) => delta < 0n))];
  const ends = direct.some(isUser)
    ? direct
    : assets.flatMap((asset) => signs.flatMap((put) => endsOf(asset, put)));
  const [user, ...others] = new Set(ends.filter(isUser));
  return user !== undefined && others.length === 0 ? user : null;
}
