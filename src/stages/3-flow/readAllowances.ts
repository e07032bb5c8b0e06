import { addressAt, topicAddress, uintAt, uintOfWord, ZERO_ADDRESS } from '../../evm/hex.ts';
import { logEvidence } from '../../lib/evidence.ts';
import { memoizeFor } from '../../lib/memo.ts';
import { besides, cannotGrant, changeOf, type AllowanceRules, type Reading } from './allowanceChange.ts';
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
import { isUnlimited } from '../../value/tokenCall.ts';
import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Allowance } from '../../model/valueFlow.ts';

/**
 * Every allowance that an event grants, changes or revokes, in the order of the logs. A token speaks for
 * itself; allowances kept outside the token count only at contracts that the rules know to keep them:
 * anybody can emit such an event.
 */
export function readAllowances(tx: CanonicalTx, rules: AllowanceRules): Allowance[] {
  const allowances: Allowance[] = [];
  const reading: Reading = { tx, rules, latest: new Map(), holding: new Map() };
  for (const log of tx.logs) {
    if (isCleared(log, tx.logs[log.index + 1]) || isRepeated(log, tx)) continue;
    const stated = read(log, reading);
    if (stated !== null) allowances.push(stated);
  }
  return allowances;
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
  if (rules.entities?.get(log.address)?.tags.includes('permit') !== true) return null;
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

/** An ERC-721 clears an approval's slot with each transfer, empty or not: that is no revocation. */
function isCleared(log: Log, next: Log | undefined): boolean {
  const { address, topics } = log;
  const [event, owner, , id] = topics;
  if (event !== APPROVAL || id === undefined || topicAddress(log, 2) !== ZERO_ADDRESS) return false;
  if (next?.address !== address || next.topics[0] !== TRANSFER) return false;
  return next.topics[1] === owner && next.topics[3] === id;
}

/** The token logs an empty allowance again beside a transfer of nothing; its owner granted nothing here. */
function isRepeated(log: Log, tx: CanonicalTx): boolean {
  if (log.topics[0] !== APPROVAL || !cannotGrant(topicAddress(log, 1), log.address, tx)) return false;
  return uintAt(log.data, 0) === 0n && besides(log, tx).some(({ data }) => uintAt(data, 0) === 0n);
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
  const usual = { token: log.address, isCredit: false, tokenId: null, unlimited: false, expiresAt: null };
  return Object.assign(usual, { evidence: logEvidence(log) }, stated);
}
