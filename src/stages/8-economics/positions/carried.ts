import { roleOf, SHARE_ROLES } from '../../../lib/roles.ts';
import type { Balance } from '../../../value/balances.ts';
import type { ValueEnds } from '../../../value/follow.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';
import type { AssetId, ValueFlow } from '../../../model/valueFlow.ts';
import { DEBT_CATEGORY, SUPPLY_CATEGORY, type Side, type SignedLeg } from './sides.ts';

/** A side of an act with the token that represents the position and its owner's gain of it. */
export interface Change extends Side {
  readonly motif: Motif;
  /** Acts on the way that this change absorbed. */
  readonly absorbed: readonly Motif[];
  readonly token: AssetId | null;
  readonly delta: bigint;
}

export interface OwnerContext {
  readonly flow: ValueFlow;
  readonly motifs: readonly Motif[];
  /** The accounts that the transaction was done for: they own even momentary holdings. */
  readonly principals: ReadonlySet<Address>;
  /** Accounts that passed on everything they received. */
  readonly carriers: ReadonlySet<Address>;
  /** Where a pass-through account's assets came from, and where they went. */
  readonly origins: ValueEnds;
  readonly destinations: ValueEnds;
  /** Native for wrapped native, else the asset itself. */
  readonly merged: (asset: AssetId) => AssetId;
  /** What an account sent and received, native and wrapped native as one. */
  readonly own: (account: Address) => ReadonlyMap<AssetId, Balance>;
  /** Contracts at which the acts were done. */
  readonly venues: ReadonlyMap<Address, Motif>;
}

export function net(account: Address, asset: AssetId, { ledgers }: ValueFlow): bigint {
  const entry = ledgers.get(account)?.get(asset);
  return entry ? entry.inflow - entry.outflow : 0n;
}

export function held(account: Address, asset: AssetId, { ledgers }: ValueFlow): boolean {
  return ledgers.get(account)?.has(asset) ?? false;
}

/** Effects that say themselves whose position it was. */
const STATED: ReadonlySet<string> = new Set(['liquidate', 'transfer', 'collect', 'migrate']);
/** Categories that a market books to the account it names, not to the payer. */
const BOOKED: ReadonlySet<string> = new Set([
  'lending_supply',
  'lending_debt',
  'order',
  'withdrawal_request',
]);
/** Categories whose events state the principal that others owe. */
const OWED: ReadonlySet<string> = new Set([...BOOKED, 'bridge_claim']);

const isStated = ({ position: { category, effect } }: Change): boolean =>
  STATED.has(effect) || BOOKED.has(category);

/** Whether assets were put in, else taken out. */
function isPut({ underlying, delta }: Change): boolean {
  return underlying.length > 0 ? underlying[0]!.delta < 0n : delta > 0n;
}

export function holdsToken({ owner, token, shares }: Change, { flow }: OwnerContext): boolean {
  return token !== null && shares.length > 0 && held(owner, token, flow);
}

type Amount = Pick<SignedLeg, 'asset' | 'delta'>;

/** What positions already tell of the amounts that their owners sent and received. */
export class Claims {
  readonly #told = new Map<string, bigint>();
  readonly #context: OwnerContext;
  /** Loans may pay for more than left their owners. */
  readonly #borrowers: ReadonlySet<Address>;

  constructor(all: readonly Change[], context: OwnerContext) {
    this.#context = context;
    const debts = all.filter(({ position }) => position.category === DEBT_CATEGORY);
    this.#borrowers = new Set(debts.map(({ owner }) => owner));
  }

  /** Takes a principal's amounts for this change; false where other positions have told of them. */
  take(change: Change, moved: boolean): boolean {
    const { owner, underlying, shares, position } = change;
    if (!this.#context.principals.has(owner) || STATED.has(position.effect)) return true;
    const booked = !moved && BOOKED.has(position.category);
    if (booked && (position.category !== SUPPLY_CATEGORY || this.#borrowers.has(owner))) return true;
    const amounts = [...underlying, ...shares].map((leg) => this.#amount(owner, leg));
    const needed = moved ? amounts : amounts.slice(0, underlying.length);
    const fits = needed.every(({ told, all, amount }) => told + amount <= all);
    // A market's word counts, and a token in hand, unless another position told of the same.
    const stands = booked || holdsToken(change, this.#context);
    if (!fits && !(stands && needed.every(({ told }) => told === 0n))) return false;
    for (const { key, told, amount } of amounts) this.#told.set(key, told + amount);
    return true;
  }

  #amount(owner: Address, { asset, delta }: Amount) {
    const id = this.#context.merged(asset);
    const key = `${owner} ${id} ${delta < 0n}`;
    const { sent = 0n, received = 0n } = this.#context.own(owner).get(id) ?? {};
    const [amount, all] = delta < 0n ? [-delta, sent] : [delta, received];
    return { key, told: this.#told.get(key) ?? 0n, all, amount };
  }
}

/**
 * Whether a contract that the transaction was not done for only passed value on: it was given what it put in,
 * or gave away what it took out; or its token came and went, or another act used it up.
 */
export function carriesOn(change: Change, all: readonly Change[], context: OwnerContext): boolean {
  const { owner, underlying, token, delta } = change;
  if (isOnTheWay(change, context)) return true;
  if (context.principals.has(owner) || STATED.has(change.position.effect)) return false;
  const passed = underlying.every((leg) => {
    const { sent = 0n, received = 0n } = context.own(owner).get(context.merged(leg.asset)) ?? {};
    const kept = received - sent;
    return leg.delta < 0n
      ? sent >= -leg.delta && kept > leg.delta
      : received >= leg.delta && kept < leg.delta;
  });
  return (
    (passed && underlying.length > 0) ||
    all.some((other) => isIssuedFor(change, other, context)) ||
    all.some((other) => context.principals.has(other.owner) && usesUp(other, token, delta))
  );
}

/** Whether an issuer put on in its own name what it gave a principal shares for, or the reverse of it. */
function isIssuedFor(change: Change, other: Change, { principals }: OwnerContext): boolean {
  if (other.motif.venue !== change.owner || !principals.has(other.owner)) return false;
  return other.shares.length > 0 && isPut(other) === isPut(change);
}

/** Whether the act took in, or paid out, exactly this gain of a position's token. */
function usesUp({ underlying }: Change, token: AssetId | null, delta: bigint): boolean {
  return (
    token !== null && delta !== 0n && underlying.some((leg) => leg.asset === token && leg.delta === -delta)
  );
}

/** Positions without a token of their owner's that only lead to one whose assets the owner never had. */
export function feeders(own: ReadonlySet<Change>, context: OwnerContext): readonly Change[] {
  const goal = ({ owner }: Change, put: boolean): string => `${owner} ${put}`;
  const fed = new Set(
    [...own]
      .filter((change) => !isStated(change) && holdsToken(change, context) && !hasOwnAsset(change, context))
      .map((change) => goal(change, isPut(change))),
  );
  return [...own].filter(
    (change) =>
      fed.has(goal(change, isPut(change))) &&
      !isStated(change) &&
      context.principals.has(change.owner) &&
      !holdsToken(change, context),
  );
}

function hasOwnAsset({ owner, underlying }: Change, { own, merged }: OwnerContext): boolean {
  return underlying.length === 0 || underlying.some(({ asset }) => own(owner).has(merged(asset)));
}

/** The principal's position that an act only carried on: the one that used up its token, else of equal amounts. */
export function wholeOf(
  change: Change,
  own: ReadonlySet<Change>,
  { principals, merged }: OwnerContext,
): Change | undefined {
  const amounts = new Set(change.underlying.map(({ delta }) => delta));
  const assets = new Set(change.underlying.map(({ asset }) => merged(asset)));
  const owners = principals.has(change.owner) ? new Set([change.owner]) : principals;
  const candidates = [...own].filter(
    (other) => owners.has(other.owner) && !STATED.has(other.position.effect),
  );
  const alike = candidates.filter((other) => isPut(other) === isPut(change));
  return (
    candidates.find((other) => usesUp(other, change.token, change.delta)) ??
    alike.find(({ underlying }) => underlying.some((leg) => amounts.has(leg.delta))) ??
    alike.find(({ underlying }) => underlying.some((leg) => assets.has(merged(leg.asset)))) ??
    (new Set(alike.map(({ owner }) => owner)).size === 1 ? alike[0] : undefined)
  );
}

/**
 * The change with the acts that it absorbed, in assets that its owner had: zaps, boosters and vaults convert
 * them on the way. `alone`: no other position of the owner changed.
 */
export function inOwnAssets(
  change: Change,
  { parts, alone }: { readonly parts: readonly Change[]; readonly alone: boolean },
  context: OwnerContext,
): Change {
  const absorbed = [...change.absorbed, ...parts.flatMap((part) => [part.motif, ...part.absorbed])];
  const { owner, underlying: stated } = change;
  const { merged, own, principals } = context;
  const isOwn = ({ asset }: SignedLeg): boolean => own(owner).has(merged(asset));
  if (stated.some(isOwn) || !principals.has(owner) || isStated(change) || OWED.has(change.position.category))
    return { ...change, absorbed };
  const put = isPut(change);
  const brought = parts.flatMap(({ underlying }) =>
    underlying.filter((leg) => isOwn(leg) && leg.delta < 0n === put),
  );
  const legs =
    brought.length > 0 ? withinOwn(brought, owner, context) : alone ? exchanged(change, context) : [];
  return legs.length === 0
    ? { ...change, absorbed }
    : { ...change, absorbed, underlying: legs, portions: [] };
}

/**
 * The change in the token that its owner gave or got for the assets, where a router turned it into the one that
 * the venue took or gave: a share by another act's event. All else the owner moved are the assets.
 */
export function inOwnToken(change: Change, context: OwnerContext): Change {
  const { owner, token, shares, underlying, delta } = change;
  const { own, merged, flow, principals, motifs } = context;
  if (token === null || shares.length === 0 || !principals.has(owner) || isStated(change)) return change;
  if (held(owner, token, flow)) return change;
  const assets = new Set(underlying.map(({ asset }) => merged(asset)));
  const [other, ...more] = [...own(owner).values()].filter(
    ({ id, net: kept }) => kept !== 0n && !assets.has(id),
  );
  if (!other || more.length > 0 || other.net > 0n !== delta > 0n) return change;
  const isShare = motifs.some(
    ({ basis, assetsIn, assetsOut }) =>
      basis === 'event' &&
      [...assetsIn, ...assetsOut].some(({ asset, role }) => asset === other.id && SHARE_ROLES.has(role)),
  );
  if (!isShare) return change;
  const share = {
    ...shares[0]!,
    asset: other.id,
    delta: other.net,
    amount: other.net < 0n ? -other.net : other.net,
  };
  return { ...change, token: other.id, delta: other.net, shares: [share] };
}

/** Of the acts that tell of one outflow the first. */
function withinOwn(legs: readonly SignedLeg[], owner: Address, context: OwnerContext): SignedLeg[] {
  const left = new Map<AssetId, bigint>();
  return legs.filter(({ asset, delta }) => {
    const id = context.merged(asset);
    const { sent, received } = context.own(owner).get(id)!;
    const rest = (left.get(id) ?? (delta < 0n ? sent : received)) - (delta < 0n ? -delta : delta);
    if (rest >= 0n) left.set(id, rest);
    return rest >= 0n;
  });
}

/**
 * All that the owner gave for the position, or got for it, where it gave or got nothing else: no fee beside
 * assets that another act gave it for nothing.
 */
function exchanged(change: Change, { own, motifs }: OwnerContext): SignedLeg[] {
  const { owner, token, underlying } = change;
  const put = isPut(change);
  const given = motifs.some(
    (motif) =>
      motif !== change.motif &&
      motif.assetsOut.length === 0 &&
      roleOf(motif, 'owner') === owner &&
      motif.assetsIn.some(({ asset }) => underlying.some((leg) => leg.asset === asset)),
  );
  const moved = [...own(owner).values()].filter(({ id, net: kept }) => id !== token && kept !== 0n);
  if (given || moved.some(({ net: kept }) => kept < 0n !== put)) return [];
  return moved.map(({ id, net: kept }) => ({
    asset: id,
    amount: kept < 0n ? -kept : kept,
    role: put ? 'in' : 'out',
    delta: kept,
  }));
}

/** A position token that its owner never had, or that came from and went to an account the transaction was not for. */
export function isOnTheWay({ owner, token, shares }: Change, { flow, principals }: OwnerContext): boolean {
  if (token === null || shares.length === 0 || !flow.assets.has(token)) return false;
  if (!held(owner, token, flow)) return true;
  return !principals.has(owner) && net(owner, token, flow) === 0n;
}
