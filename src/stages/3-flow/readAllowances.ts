import { addressAt, topicAddress, uintAt, uintOfWord, ZERO_ADDRESS } from '../../evm/hex.ts';
import { logEvidence } from '../../lib/evidence.ts';
import {
  APPROVAL,
  APPROVAL_FOR_ALL,
  HELD_APPROVAL,
  HELD_LOCKDOWN,
  HELD_PERMIT,
  TRANSFER,
  TRANSFER_BATCH,
  TRANSFER_SINGLE,
} from '../../evm/tokenTopics.ts';
import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import type { Address, Hex } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { Allowance } from '../../model/valueFlow.ts';

/** Selectors of `increaseAllowance(address,uint256)` and `decreaseAllowance(address,uint256)`. */
const CHANGES: ReadonlyMap<Hex, 'increased' | 'decreased'> = new Map([
  ['0x39509351', 'increased'],
  ['0xa457c2d7', 'decreased'],
]);
/** The largest signed number: half the range of an amount, and all of it for some tokens. */
const HALF_OF_UINT256 = (1n << 255n) - 1n;
const HALF_OF_UINT160 = (1n << 159n) - 1n;
const UINT96_MAX = (1n << 96n) - 1n;

/** Entity tag of contracts that keep allowances for all tokens. */
const KEEPER_TAG = 'permit';

/**
 * Every allowance that an event grants, changes or revokes, in the order of the logs. A token speaks for
 * itself; allowances kept outside the token count only at contracts that the rules know to keep them:
 * anybody can emit such an event.
 */
export function readAllowances(tx: CanonicalTx, entities: Rulebook['entities']): Allowance[] {
  const allowances: Allowance[] = [];
  for (const log of tx.logs) {
    const stated = read(log, tx, entities);
    if (stated !== null) allowances.push(stated);
  }
  return allowances;
}

function read(log: Log, tx: CanonicalTx, entities: Rulebook['entities']): Allowance | null {
  switch (log.topics[0]) {
    case APPROVAL:
      return log.topics.length === 3 ? fungible(log, tx) : nft(log);
    case APPROVAL_FOR_ALL:
      return operator(log, tx);
    case HELD_APPROVAL:
    case HELD_PERMIT:
      return keeps(log, entities) ? held(log) : null;
    case HELD_LOCKDOWN:
      return keeps(log, entities) ? lockdown(log) : null;
    default:
      return null;
  }
}

function keeps({ address }: Log, entities: Rulebook['entities']): boolean {
  return entities.get(address)?.tags.includes(KEEPER_TAG) === true;
}

/** ERC-20. */
function fungible(log: Log, tx: CanonicalTx): Allowance | null {
  const [owner, spender, amount] = [topicAddress(log, 1), topicAddress(log, 2), uintAt(log.data, 0)];
  if (owner === null || spender === null || amount === null) return null;
  const unlimited = amount >= HALF_OF_UINT256 || amount === UINT96_MAX;
  const change = changeOf(log, owner, tx);
  const kind = amount === 0n && change !== 'decreased' ? 'revoked' : (change ?? 'granted');
  return allowance(log, { owner, spender, assetKind: 'erc20', kind, amount, unlimited });
}

/** Some tokens log the allowance again whenever a transfer uses it up: the log is next to that transfer. */
function changeOf(log: Log, owner: Address, tx: CanonicalTx): 'increased' | 'decreased' | null {
  // Not `frame`: only one trace dialect names it.
  const within = log.within ?? null;
  const selector = within === null ? null : (tx.frames[within]?.selector ?? null);
  const change = selector === null ? undefined : CHANGES.get(selector);
  if (change) return change;
  const used = [tx.logs[log.index - 1], tx.logs[log.index + 1]].some(
    (other) =>
      other?.address === log.address &&
      other.topics[0] === TRANSFER &&
      other.topics.length === 3 &&
      topicAddress(other, 1) === owner,
  );
  return used ? 'decreased' : null;
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
  const erc1155 = tx.logs.some(({ address, topics }) => address === log.address && MULTI.has(topics[0]!));
  const kind = approved === 0n ? 'revoked' : 'operator';
  const assetKind = erc1155 ? 'erc1155' : 'erc721';
  const unlimited = approved !== 0n;
  return allowance(log, { owner, spender, assetKind, kind, amount: null, unlimited });
}

/** First topics of ERC-1155 transfers. */
const MULTI: ReadonlySet<string> = new Set([TRANSFER_SINGLE, TRANSFER_BATCH]);

function held(log: Log): Allowance | null {
  const [owner, token, spender] = [topicAddress(log, 1), topicAddress(log, 2), topicAddress(log, 3)];
  const [amount, expiresAt] = [uintAt(log.data, 0), uintAt(log.data, 32)];
  if (owner === null || token === null || spender === null || amount === null || expiresAt === null)
    return null;
  const kind = amount === 0n ? 'revoked' : 'granted';
  const unlimited = amount >= HALF_OF_UINT160;
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
