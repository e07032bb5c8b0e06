/** Gains and losses of an account, or several taken as one: the sum that every figure of money reads. */

import { sumsBy } from './amount.ts';

/** Gross amounts of one asset. */
export interface AssetFlow {
  readonly id: string;
  readonly received: bigint;
  readonly sent: bigint;
}

/** A position of the account that changed, amounts from its view: negative was put in. */
export interface OwnPosition {
  readonly category: string;
  readonly effect: string;
  readonly proven: boolean;
  /** The token or NFT that represents it, and the account's gain of it. */
  readonly token: string | null;
  readonly delta: bigint | null;
  /** The token, or the market where there is none. */
  readonly place: string;
  readonly parts: readonly { readonly asset: string; readonly delta: bigint; readonly role: string }[];
}

type Amount = readonly [asset: string, amount: bigint];

export interface AccountFlows {
  /** Gross receipts: balances, and the debt of lending markets to it for supplies. */
  readonly received: readonly Amount[];
  /** Received less sent. Lending positions count as claims and debts, other positions by their tokens. */
  readonly net: ReadonlyMap<string, bigint>;
  /** As `net`, with positions that are only booked, at cost; null without any. */
  readonly withPositions: ReadonlyMap<string, bigint> | null;
  /** Tokens of debts: nothing to own. */
  readonly debtTokens: ReadonlySet<string>;
  /** Tokens of lending that count at the assets exchanged for them. */
  readonly counted: ReadonlySet<string>;
  /** Borrowed assets that reached neither the account nor a position of it, and debts of unknown amount. */
  readonly untold: readonly string[];
}

const SUPPLY = 'lending_supply';
const DEBT = 'lending_debt';
const LENDING: ReadonlySet<string> = new Set([SUPPLY, DEBT]);
/** Interest that the market adds to a position: it was the owner's before. */
const ACCRUED = 'collect';
/** Effect of an exchange of one asset for another: both are among the balances. */
const EXCHANGED = 'migrate';
const NONE: ReadonlySet<string> = new Set();
/** Parts that stay with the owner or are lost: they change no claim. */
const NO_CLAIM: ReadonlySet<string> = new Set(['fee', 'reward', 'penalty']);

/**
 * The flows of one account. A lending position's token counts at the assets exchanged for it; one that was
 * also sent elsewhere keeps its own price. Any other position's token counts at its price; without a price
 * or a token, the position is only booked.
 */
export function accountFlows(
  balances: readonly AssetFlow[],
  positions: readonly OwnPosition[],
  isPriced: (asset: string) => boolean,
): AccountFlows {
  if (positions.length === 0) return flowsAlone(balances);
  const claimed = certain(positions);
  const lending = claimed.filter(({ category }) => LENDING.has(category));
  const debts = positions.filter(({ category }) => category === DEBT);
  const counted = tokensOf(lending);
  const { received, net: own } = flowsAlone(balances, counted);
  const claims: Amount[] = [];
  for (const position of lending)
    for (const claim of claimsOf(position)) {
      claims.push(claim);
      if (position.category === SUPPLY && claim[1] > 0n) received.push(claim);
    }
  const booked = claimed.filter((one) => !LENDING.has(one.category) && isTokenless(one, isPriced));
  const bookedTokens = tokensOf(booked);
  const rest = [...own].filter(([id]) => !bookedTokens.has(id));
  return {
    received,
    net: claims.length === 0 ? own : sumsBy([...own, ...claims]),
    withPositions: booked.length === 0 ? null : sumsBy([...rest, ...claims, ...booked.flatMap(claimsOf)]),
    debtTokens: tokensOf(debts),
    counted,
    untold: [...untoldDebts(lending, claimed, balances), ...unstatedDebts(debts)],
  };
}

const isTokenless = ({ effect, token }: OwnPosition, isPriced: (asset: string) => boolean): boolean =>
  effect !== EXCHANGED && (token === null || !isPriced(token));

/**
 * Whether value went into or came out of a position without a priced token, however sure the position is, or
 * its token was given up for assets that are still to come.
 */
export function isBooked(positions: readonly OwnPosition[], isPriced: (asset: string) => boolean): boolean {
  const claimed = certain(positions);
  return positions.some((one) => {
    if (!isTokenless(one, isPriced)) return one.parts.length === 0 && (one.delta ?? 0n) < 0n;
    return claimed.includes(one) ? !LENDING.has(one.category) : one.parts.length > 0;
  });
}

/** As without positions; `leftOut`: tokens that count as claims. */
function flowsAlone(balances: readonly AssetFlow[], leftOut = NONE) {
  const received: Amount[] = [];
  const net = new Map<string, bigint>();
  for (const { id, received: got, sent } of balances) {
    if (leftOut.has(id)) continue;
    if (got !== 0n) received.push([id, got]);
    // Amounts that cancel out are part of the sum: it needs their price.
    if (got !== 0n || sent !== 0n) net.set(id, got - sent);
  }
  return { received, net, withPositions: null, debtTokens: NONE, counted: NONE, untold: [] };
}

/** Positions of places with an act that is not proven or exchanged nothing are left at their tokens. */
function certain(positions: readonly OwnPosition[]): OwnPosition[] {
  const isOpen = ({ effect, parts, proven }: OwnPosition): boolean =>
    !proven || (parts.length === 0 && effect !== ACCRUED);
  const uncertain = new Set(positions.filter(isOpen).map(({ place }) => place));
  return positions.filter(({ place }) => !uncertain.has(place));
}

/** Assets that a change exchanged, as claims: a deposit is owed to the account, a loan by it. */
function claimsOf({ parts, category, delta, effect }: OwnPosition): Amount[] {
  const paid = (asset: string): boolean =>
    category === SUPPLY &&
    delta !== null &&
    parts.some((other) => other.role === 'principal' && other.asset === asset && other.delta === -delta);
  // A liquidation's collateral is lost.
  const sign = category !== DEBT && effect === 'liquidate' ? 1n : -1n;
  return parts
    .filter(({ role, asset }) => !NO_CLAIM.has(role) && (role !== 'interest' || paid(asset)))
    .map(({ asset, delta: part }) => [asset, sign * part]);
}

/** A loan paid to another contract bought something there; unless a position says so, a net is false. */
function untoldDebts(
  lending: readonly OwnPosition[],
  all: readonly OwnPosition[],
  balances: readonly AssetFlow[],
): string[] {
  if (all.some(({ category, parts }) => category !== DEBT && parts.some(({ delta }) => delta < 0n)))
    return [];
  const owed = lending.flatMap(({ category, parts }) => (category === DEBT ? parts : []));
  const taken = owed.filter(({ delta, role }) => delta > 0n || role === 'fee');
  const lent = sumsBy(taken.map(({ asset, delta }): Amount => [asset, delta]));
  return [...lent.keys()].filter(
    (asset) => lent.get(asset)! > (balances.find(({ id }) => id === asset)?.received ?? 0n),
  );
}

/** Tokens of debts that an act changed without a word of the asset that is owed: paid with other receipts. */
const unstatedDebts = (debts: readonly OwnPosition[]): string[] =>
  debts
    .filter(({ effect, delta, parts }) => effect !== ACCRUED && delta !== null && parts.length === 0)
    .flatMap(({ token }) => token ?? []);

/** Why a net with such debts is unavailable. */
export function untoldReason(assets: readonly string[]): string {
  return `debt_without_counterpart: ${[...assets].sort().join(', ')}`;
}

const tokensOf = (positions: readonly OwnPosition[]): ReadonlySet<string> =>
  new Set(positions.flatMap(({ token }) => token ?? []));
