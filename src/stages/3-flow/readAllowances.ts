import { addressAt, topicAddress, uintAt, uintOfWord, wordOf, ZERO_ADDRESS } from '../../evm/hex.ts';
import { logEvidence } from '../../lib/evidence.ts';
import { groupBy } from '../../lib/lists.ts';
import { memoizeFor } from '../../lib/memo.ts';
import {
  APPROVAL,
  APPROVAL_FOR_ALL,
  CREDIT_APPROVAL,
  HELD_APPROVAL,
  HELD_LOCKDOWN,
  HELD_PERMIT,
  TRANSFER,
  TRANSFER_BATCH,
  TRANSFER_SINGLE,
} from '../../evm/tokenTopics.ts';
import { holderOf, isCallOf, isUnlimited } from '../../value/tokenCall.ts';
import type { CanonicalTx, Frame, Log } from '../../model/canonicalTx.ts';
import type { Address, Hex } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { Allowance } from '../../model/valueFlow.ts';

/** Selectors of `increaseAllowance(address,uint256)` and `decreaseAllowance(address,uint256)`. */
const CHANGES: ReadonlyMap<Hex, 'increased' | 'decreased'> = new Map([
  ['0x39509351', 'increased'],
  ['0xa457c2d7', 'decreased'],
]);
/**
 * `mint(address user, address onBehalfOf, uint256 amount, uint256 index)` of a debt token: a loan is taken.
 */
const TAKE_LOAN = '0xb3f1c93d';
const UINT256_MAX = (1n << 256n) - 1n;

/** Entity tag of contracts that keep allowances for all tokens. */
const KEEPER_TAG = 'permit';

/**
 * Every allowance that an event grants, changes or revokes, in the order of the logs. A token speaks for
 * itself; allowances kept outside the token count only at contracts that the rules know to keep them:
 * anybody can emit such an event.
 */
export function readAllowances(tx: CanonicalTx, rules: AllowanceRules): Allowance[] {
  const allowances: Allowance[] = [];
  const reading: Reading = { tx, rules, latest: new Map(), holding: new Map() };
  for (const log of tx.logs) {
    if (isCleared(log, tx.logs[log.index + 1])) continue;
    const stated = read(log, reading);
    if (stated !== null) allowances.push(stated);
  }
  return allowances;
}

type AllowanceRules = Partial<Pick<Rulebook, 'entities' | 'tokenCalls' | 'unlimited'>>;

interface Reading {
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

function read(log: Log, reading: Reading): Allowance | null {
  const { tx, rules } = reading;
  switch (log.topics[0]) {
    case APPROVAL:
      return log.topics.length === 3 ? fungible(log, reading) : nft(log);
    case CREDIT_APPROVAL:
      return fungible(log, reading, log.topics.length === 4 ? 0 : 32);
    case APPROVAL_FOR_ALL:
      return operator(log, tx);
    case HELD_APPROVAL:
    case HELD_PERMIT:
    case HELD_LOCKDOWN:
      return kept(log, rules);
    default:
      return null;
  }
}

/** An allowance that a listed contract keeps for all tokens; null for others that log the same. */
function kept(log: Log, rules: AllowanceRules): Allowance | null {
  if (rules.entities?.get(log.address)?.tags.includes(KEEPER_TAG) !== true) return null;
  return log.topics[0] === HELD_LOCKDOWN ? lockdown(log) : held(log, rules);
}

/** ERC-20, and credit of debt tokens. */
function fungible(log: Log, reading: Reading, amountAt = 0): Allowance | null {
  const [owner, spender, amount] = [topicAddress(log, 1), topicAddress(log, 2), uintAt(log.data, amountAt)];
  if (owner === null || spender === null || amount === null) return null;
  const unlimited = isUnlimited(amount, reading.rules.unlimited);
  const isCredit = log.topics[0] === CREDIT_APPROVAL;
  const change = changeOf(log, { owner, spender, amount, isCredit }, reading);
  const kind = amount === 0n && change !== 'decreased' ? 'revoked' : (change ?? 'granted');
  return allowance(log, { owner, spender, assetKind: 'erc20', kind, amount, unlimited, isCredit });
}

type Granted = Pick<Allowance, 'owner' | 'spender' | 'isCredit'> & { readonly amount: bigint };

/**
 * An allowance goes down only where the token's call that surely holds the log lowers it, or spends it by
 * that spender, to less than before; null where the calls leave that open.
 */
function changeOf(log: Log, stated: Granted, reading: Reading): 'increased' | 'decreased' | null {
  const { tx, rules, latest } = reading;
  const { owner, spender, amount } = stated;
  const key = `${log.address} ${owner} ${spender}`;
  const before = latest.get(key);
  latest.set(key, amount);
  const held = holdingOf(log, reading);
  if (held.calls.length > 0) return changeIn(held, stated, before, rules);
  // Traces of value alone have no calls of tokens.
  return isSpentBeside(log, (before ?? UINT256_MAX) - amount, tx) ? 'decreased' : null;
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

/** Whether a transfer logged next to it is of exactly the amount by which the owner's allowance went down. */
function isSpentBeside(log: Log, spent: bigint, { logs }: CanonicalTx): boolean {
  return [logs[log.index - 1], logs[log.index + 1]].some(
    (beside) =>
      beside?.address === log.address &&
      beside.topics[0] === TRANSFER &&
      beside.topics[1] === log.topics[1] &&
      spent > 0n &&
      uintAt(beside.data, 0) === spent,
  );
}

function holdingOf(log: Log, { tx, holding }: Reading): Holding {
  const key = `${log.within} ${log.address}`;
  let known = holding.get(key);
  if (known !== undefined) return known;
  const calls = callsHolding(log, tx);
  holding.set(key, (known = { calls, bySender: groupBy(calls, ({ from }) => from), grants: new Map() }));
  return known;
}

/** The token's calls in which the log can have been made; by `within`, which both trace dialects share. */
function callsHolding({ within = null, address }: Log, { frames }: CanonicalTx): readonly Frame[] {
  if (within === null) return [];
  let at: number | null = frames[within]!.parent;
  while (at !== null && !isCallOf(frames[at]!, address)) at = frames[at]!.parent;
  const inside = frames.slice(within, frames[within]!.end).filter((frame) => isCallOf(frame, address));
  // An outer call of the token holds the log as well, unless it is made in `within` itself.
  return at === null || inside[0]?.index === within ? inside : [frames[at]!, ...inside];
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
function mayGrant(
  { from, to, input, selector }: Frame,
  { owner, isCredit }: Granted,
  tokenCalls: TokenCalls,
): boolean {
  if (to === owner) return true;
  if (isCredit && selector === TAKE_LOAN) return false;
  const spec = selector === null ? undefined : tokenCalls?.get(selector);
  if (spec !== undefined && spec.spender === null) return false;
  return from === owner || input.includes(wordOf(owner));
}

/**
 * An ERC-721 clears the slot of an approval with each transfer, empty or not: that is no revocation.
 */
function isCleared(log: Log, next: Log | undefined): boolean {
  const { address, topics } = log;
  const [event, owner, , id] = topics;
  if (event !== APPROVAL || id === undefined || topicAddress(log, 2) !== ZERO_ADDRESS) return false;
  if (next?.address !== address || next.topics[0] !== TRANSFER) return false;
  return next.topics[1] === owner && next.topics[3] === id;
}

/** ERC-721, and early NFTs that index nothing. A spender of zero takes the permission back. */
function nft(log: Log): Allowance | null {
  const early = log.topics.length === 1;
  if (!early && log.topics.length !== 4) return null;
  const owner = early ? addressAt(log.data, 0) : topicAddress(log, 1);
  const spender = early ? addressAt(log.data, 32) : topicAddress(log, 2);
  const id = early ? uintAt(log.data, 64) : uintOfWord(log.topics[3]!);
  if (owner === null || spender === null || id === null) return null;
  const kind = spender === ZERO_ADDRESS ? 'revoked' : 'granted';
  return allowance(log, { owner, spender, assetKind: 'erc721', tokenId: id.toString(), kind, amount: null });
}

/** ERC-721 and ERC-1155: all tokens of the collection. */
function operator(log: Log, tx: CanonicalTx): Allowance | null {
  const [owner, spender, approved] = [topicAddress(log, 1), topicAddress(log, 2), uintAt(log.data, 0)];
  if (owner === null || spender === null || approved === null) return null;
  const erc1155 = multiTokens(tx).has(log.address);
  const kind = approved === 0n ? 'revoked' : 'operator';
  const assetKind = erc1155 ? 'erc1155' : 'erc721';
  const unlimited = approved !== 0n;
  return allowance(log, { owner, spender, assetKind, kind, amount: null, unlimited });
}

const multiTokens = memoizeFor(
  ({ logs }: CanonicalTx, _: void): ReadonlySet<Address> =>
    new Set(logs.flatMap(({ address, topics }) => (MULTI.has(topics[0]!) ? [address] : []))),
);

/** First topics of ERC-1155 transfers. */
const MULTI: ReadonlySet<string> = new Set([TRANSFER_SINGLE, TRANSFER_BATCH]);

function held(log: Log, rules: AllowanceRules): Allowance | null {
  const [owner, token, spender] = [topicAddress(log, 1), topicAddress(log, 2), topicAddress(log, 3)];
  const [amount, expiresAt] = [uintAt(log.data, 0), uintAt(log.data, 32)];
  if (owner === null || token === null || spender === null || amount === null || expiresAt === null)
    return null;
  const kind = amount === 0n ? 'revoked' : 'granted';
  const unlimited = isUnlimited(amount, rules.unlimited);
  return allowance(log, { owner, spender, token, assetKind: 'erc20', kind, amount, unlimited, expiresAt });
}

function lockdown(log: Log): Allowance | null {
  const [owner, token, spender] = [topicAddress(log, 1), addressAt(log.data, 0), addressAt(log.data, 32)];
  if (owner === null || token === null || spender === null) return null;
  return allowance(log, { owner, spender, token, assetKind: 'erc20', kind: 'revoked', amount: 0n });
}

type Stated = Pick<Allowance, 'owner' | 'spender' | 'assetKind' | 'kind' | 'amount'> & Partial<Allowance>;

/** An allowance with the defaults that most share. */
function allowance(log: Log, stated: Stated): Allowance {
  return {
    token: stated.token ?? log.address,
    assetKind: stated.assetKind,
    isCredit: stated.isCredit ?? false,
    tokenId: stated.tokenId ?? null,
    owner: stated.owner,
    spender: stated.spender,
    kind: stated.kind,
    amount: stated.amount,
    unlimited: stated.unlimited ?? false,
    expiresAt: stated.expiresAt ?? null,
    evidence: logEvidence(log),
  };
}
