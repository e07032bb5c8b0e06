/** The parts that accounts play in a transaction: every part is defined here, once. */
import { erc20Id, isIssuance, mergeNative, NATIVE_ASSET } from './asset.ts';
import { balances } from './balances.ts';
import { valueEnds, type ValueEnds } from './follow.ts';
import { memoize, memoizeFor } from '../lib/memo.ts';
import { ZERO_ADDRESS } from '../evm/hex.ts';
import type { Address } from '../model/hex.ts';
import type { Motif } from '../model/motif.ts';
import type { Ledger, Movement, ValueFlow } from '../model/valueFlow.ts';

/**
 * Contracts at which acts happened as at a counterparty (pools, markets, vaults), each with the first of
 * these acts that moved assets, or the first.
 */
export const venuesOf = memoizeFor((motifs: readonly Motif[], _: void): ReadonlyMap<Address, Motif> => {
  const venues = new Map<Address, Motif>();
  for (const motif of motifs) {
    const { plain, composite, actsOnVenue } = motif.traits;
    if (plain || composite || actsOnVenue) continue;
    const known = venues.get(motif.venue);
    if (!known || (!movedAssets(known) && movedAssets(motif))) venues.set(motif.venue, motif);
  }
  return venues;
});

/** Whether the act states its venue's receipts or payments. */
export function movedAssets({ assetsIn, assetsOut }: Motif): boolean {
  return assetsIn.length + assetsOut.length > 0;
}

/** Contracts of the tokens that moved, null among them for the native asset. */
export const tokensOf = memoizeFor(
  ({ assets }: Pick<ValueFlow, 'assets'>, _: void): ReadonlySet<Address | null> =>
    new Set([...assets.values()].map(({ address }) => address)),
);

/** A fee takes at most this part (1/20) of an amount; more is a payment. */
export const FEE_DIVISOR = 20n;

/** Accounts that acts pay a fee to. */
export function feeRecipientsOf(
  acts: readonly Pick<Motif, 'traits' | 'participants'>[],
): ReadonlySet<Address> {
  const paid = new Set<Address>();
  for (const { traits, participants } of acts)
    if (traits.fee) for (const { role, account } of participants) if (FEE_ROLES.has(role)) paid.add(account);
  return paid;
}

const FEE_ROLES: ReadonlySet<string> = new Set(['recipient', 'fee_recipient']);

/** Contracts that made or destroyed their own fungible token, as a vault its shares, by first time. */
export function issuersOf({
  movements,
  assets,
}: Pick<ValueFlow, 'movements' | 'assets'>): ReadonlyMap<Address, Movement> {
  const issuers = new Map<Address, Movement>();
  for (const movement of movements) {
    if (!isIssuance(movement)) continue;
    const { kind, address } = assets.get(movement.asset)!;
    if (kind === 'erc20' && address && !issuers.has(address)) issuers.set(address, movement);
  }
  return issuers;
}

/**
 * Accounts that passed on everything they received (routers, proxies, settlement contracts), native and
 * wrapped native being one asset. A fungible token's contract is none: it issues shares for what it passes
 * on, or sells the tax that it took. Nor are the zero address and the wrapped-native contracts.
 */
export const carriersOf = (flow: ValueFlow): ReadonlySet<Address> => tracingOf(flow).carriers;

/** Where value came from and went to, through carriers. */
export interface Tracing {
  readonly carriers: ReadonlySet<Address>;
  readonly origins: ValueEnds;
  readonly destinations: ValueEnds;
}

export const tracingOf = memoizeFor((flow: ValueFlow, _: void): Tracing => {
  const carriers = findCarriers(flow);
  const origins = valueEnds(flow, carriers, 'back');
  return { carriers, origins, destinations: valueEnds(flow, carriers, 'onward') };
});

function findCarriers(flow: ValueFlow): ReadonlySet<Address> {
  const carriers = new Set<Address>();
  const isToken = (account: Address, ledger: Ledger): boolean =>
    flow.assets.has(erc20Id(account)) && [...ledger.keys()].some((asset) => asset !== erc20Id(account));
  for (const [account, ledger] of flow.ledgers) {
    if (account === ZERO_ADDRESS || flow.wrappedNative.has(account)) continue;
    if (passesAllOn(ledger, flow) && !isToken(account, ledger)) carriers.add(account);
  }
  return carriers;
}

function passesAllOn(ledger: Ledger, flow: ValueFlow): boolean {
  let native = 0n;
  for (const [asset, { inflow, outflow }] of ledger) {
    if (inflow === outflow) continue;
    if (mergeNative(asset, flow) !== NATIVE_ASSET) return false;
    native += inflow - outflow;
  }
  return native === 0n;
}

/** Where value came from, through accounts that `mayPass` and lost none of the asset. */
export function originsThrough(flow: ValueFlow, mayPass: (account: Address) => boolean): ValueEnds {
  // Once for each asset: a walk for each payment would grow with their square.
  const origins = memoize((id): ValueEnds => {
    const lost = (one: Address): boolean => (balances(flow, one).get(id)?.net ?? 0n) < 0n;
    const passers = new Set([...flow.ledgers.keys()].filter((one) => mayPass(one) && !lost(one)));
    return valueEnds(flow, passers, 'back');
  }, 64);
  return (account, asset) => origins(mergeNative(asset, flow))(account, asset);
}
