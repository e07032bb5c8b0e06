import { addressAt, topicAddress, uintAt, wordOf } from '../../evm/hex.ts';
import { groupBy } from '../../lib/lists.ts';
import { TRANSFER } from '../../evm/tokenTopics.ts';
import { callersOf } from '../../value/frames.ts';
import { holderOf, isCallOf } from '../../value/tokenCall.ts';
import type { CanonicalTx, Frame, Log } from '../../model/canonicalTx.ts';
import type { Address, Hex } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { Allowance } from '../../model/valueFlow.ts';

/** Selectors of `increaseAllowance(address,uint256)` and `decreaseAllowance(address,uint256)`. */
const CHANGES: ReadonlyMap<Hex, 'increased' | 'decreased'> = new Map([
  ['0x39509351', 'increased'],
  ['0xa457c2d7', 'decreased'],
]);
/** `mint(address user, address onBehalfOf, uint256 amount, uint256 index)` of a debt token. */
const TAKE_LOAN = '0xb3f1c93d';
const UINT256_MAX = (1n << 256n) - 1n;
const LEAST_RANGE = 1n << 96n;

export type AllowanceRules = Partial<Pick<Rulebook, 'entities' | 'tokenCalls' | 'unlimited'>>;

export interface Reading {
  readonly tx: CanonicalTx;
  readonly rules: AllowanceRules;
  /** The amount that the last log stated, by token, owner and spender. */
  readonly latest: Map<string, bigint>;
  /** By frame and token: thousands of logs may lie in one frame. */
  readonly holding: Map<string, Holding>;
}

/** A token's calls in which a log can have been made. */
interface Holding {
  readonly calls: readonly Frame[];
  readonly bySender: ReadonlyMap<Address, readonly Frame[]>;
  /** Whether one of them may grant, by owner. */
  readonly grants: Map<string, boolean>;
}

type Granted = Pick<Allowance, 'owner' | 'spender' | 'isCredit'> & { readonly amount: bigint };

/**
 * An allowance goes down only where the token's call that surely holds the log lowers it, or spends it by
 * that spender, to less than before; null where the calls leave that open.
 */
export function changeOf(log: Log, stated: Granted, reading: Reading): 'increased' | 'decreased' | null {
  const { rules, latest } = reading;
  const { owner, spender, amount } = stated;
  const key = `${log.address} ${owner} ${spender}`;
  const before = latest.get(key);
  latest.set(key, amount);
  const held = holdingOf(log, reading);
  if (held.calls.length > 0) return changeIn(held, stated, before, rules);
  // Traces of value alone have no calls of tokens.
  return isSpent(log, stated, before, reading) ? 'decreased' : null;
}

/** As `changeOf`, by the calls of the token in which the log can have been made. */
function changeIn(
  { calls, bySender, grants }: Holding,
  stated: Granted,
  before: bigint | undefined,
  rules: AllowanceRules,
): 'increased' | 'decreased' | null {
  const { owner, spender, amount, isCredit } = stated;
  const [call] = calls;
  if (calls.length === 1 && call!.from === owner && addressAt(call!.input, 4) === spender)
    return CHANGES.get(call!.selector!) ?? null;
  const spent = (isCredit ? calls : (bySender.get(spender) ?? [])).flatMap(
    (one) => spentBy(one, stated, rules.tokenCalls) ?? [],
  );
  const isLess = (by: bigint): boolean =>
    by > 0n &&
    amount + by <= UINT256_MAX &&
    !rules.unlimited?.exactly.has(amount) &&
    (before ?? UINT256_MAX) > amount;
  // Tokens may log the allowance that a spending leaves; a grant in sight could have logged it as well.
  const isSure = (): boolean => {
    const of = `${owner} ${isCredit}`;
    const may = grants.get(of) ?? calls.some((one) => mayGrant(one, stated, rules.tokenCalls));
    grants.set(of, may);
    return !may;
  };
  return spent.some((by) => isLess(by) && (before === amount + by || isSure())) ? 'decreased' : null;
}

/**
 * Whether a transfer of the owner's tokens lowered the allowance by exactly its amount or, from an unknown
 * start, to one that is no grant: those are of a whole range, of the amount moved, or in the calldata.
 */
function isSpent(log: Log, stated: Granted, before: bigint | undefined, { tx, rules }: Reading): boolean {
  const { owner, amount } = stated;
  const isSigners = cannotGrant(owner, log.address, tx);
  const own = (isSigners ? tx.logs : besides(log, tx)).filter((one) => isOfOwner(one, log));
  if (before !== undefined) return before > amount && own.some((one) => movedBy(one) === before - amount);
  if (amount === UINT256_MAX || rules.unlimited?.exactly.has(amount)) return false;
  return UINT256_MAX - amount < LEAST_RANGE || own.some((one) => isRest(stated, one, isSigners, tx));
}

const movedBy = ({ data }: Log): bigint => uintAt(data, 0) ?? 0n;

/** Whether it left an amount that was no grant: less than it moved, or named by no calldata. */
function isRest({ spender, amount }: Granted, pull: Log, isSigners: boolean, tx: CanonicalTx): boolean {
  const moved = movedBy(pull);
  if (moved === 0n || (amount >= moved && tx.input.includes(wordOf(amount)))) return false;
  return isSigners || (amount !== moved && topicAddress(pull, 2) === spender);
}

const isOfOwner = (one: Log | undefined, { address, topics }: Log): boolean =>
  one?.address === address && one.topics[0] === TRANSFER && one.topics[1] === topics[1];

/** Transfers of the same owner's tokens that the token logged before and after. */
export const besides = (log: Log, { logs }: CanonicalTx): Log[] =>
  [logs[log.index - 1]!, logs[log.index + 1]!].filter((one) => isOfOwner(one, log));

/** The signer called something else, so the token's `approve` was not its call. */
export const cannotGrant = (owner: Address | null, token: Address, { from, to }: CanonicalTx): boolean =>
  owner === from && token !== to;

function holdingOf(log: Log, { tx, holding }: Reading): Holding {
  const key = `${log.within} ${log.address}`;
  let known = holding.get(key);
  if (known !== undefined) return known;
  const calls = callsHolding(log, tx);
  holding.set(key, (known = { calls, bySender: groupBy(calls, ({ from }) => from), grants: new Map() }));
  return known;
}

/** The token's calls in which the log can have been made; by `within`, which both trace dialects share. */
function callsHolding({ within = null, address }: Log, tx: CanonicalTx): readonly Frame[] {
  if (within === null) return [];
  const frame = tx.frames[within]!;
  const around = callersOf(frame, tx).findLast((one) => one !== frame && isCallOf(one, address));
  const inside = tx.frames.slice(within, frame.end).filter((one) => isCallOf(one, address));
  // An outer call of the token holds the log as well, unless it is made in `within` itself.
  return around === undefined || inside[0] === frame ? inside : [around, ...inside];
}

type TokenCalls = Rulebook['tokenCalls'] | undefined;

/** The loan that a debt token's call takes for the spender on the owner's credit. */
function lentBy({ input, selector }: Frame, owner: Address, spender: Address): bigint | null {
  const isLoan = addressAt(input, 4) === spender && addressAt(input, 36) === owner;
  return isLoan && selector === TAKE_LOAN ? uintAt(input, 68) : null;
}

/** The amount that the call takes from the owner by the spender's allowance. */
function spentBy(call: Frame, { owner, spender, isCredit }: Granted, tokenCalls: TokenCalls): bigint | null {
  if (isCredit) return lentBy(call, owner, spender);
  const spec = tokenCalls?.get(call.selector!);
  const amount = spec?.amount ?? null;
  if (call.from !== spender || amount === null) return null;
  return holderOf(call, spec) === owner ? uintAt(call.input, 4 + amount) : null;
}

/** It is the owner's, or names the owner, and not known to move holdings only. A token may act for itself. */
function mayGrant(call: Frame, { owner, isCredit }: Granted, tokenCalls: TokenCalls): boolean {
  const { from, to, input, selector } = call;
  if (to === owner) return true;
  if (isCredit && selector === TAKE_LOAN) return false;
  const spec = selector === null ? undefined : tokenCalls?.get(selector);
  if (spec !== undefined && spec.spender === null) return false;
  return from === owner || input.includes(wordOf(owner));
}
