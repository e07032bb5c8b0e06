import type { Address, Hex } from '../../model/hex.ts';
import type { Log } from '../../model/canonicalTx.ts';
import type { Asset, MovementKind } from '../../model/valueFlow.ts';
import { erc20Id, nftId } from '../../value/asset.ts';
import {
  addressOfWord,
  smallUintAt,
  topicAddress,
  uintAt,
  uintOfWord,
  wordAt,
  ZERO_ADDRESS,
} from '../../evm/hex.ts';
import { logEvidence } from '../../lib/evidence.ts';
import type { RawTransfer } from './rawTransfer.ts';
import { CONSECUTIVE_TRANSFER, TRANSFER, TRANSFER_BATCH, TRANSFER_SINGLE } from '../../evm/tokenTopics.ts';

/** Token ids a transaction may still name by range: ERC-2309 lets a few bytes claim any number of tokens. */
export interface RangeBudget {
  left: number;
}

/**
 * The transfers a log states under ERC-20, ERC-721, ERC-1155 or ERC-2309; null where its shape is none of
 * theirs. Reads words by position, so a hostile length or offset costs nothing and simply does not match.
 */
export function readStandardTransfer(log: Log, budget: RangeBudget): readonly RawTransfer[] | null {
  const [topic, ...indexed] = log.topics;
  if (topic === TRANSFER && indexed.length < 3) return readErc20(log);
  const read = topic === undefined ? undefined : READERS.get(topic);
  if (!read) return null;
  // ERC-1155 and ERC-2309 name another word before sender and recipient.
  const first = topic === TRANSFER ? 1 : 2;
  const [from, to] = [topicAddress(log, first), topicAddress(log, first + 1)];
  return from && to && read(log, [from, to], budget);
}

type Ends = readonly [from: Address, to: Address];
type Read = (log: Log, ends: Ends, budget: RangeBudget) => RawTransfer[] | null;

export function erc20Asset(address: Address): Asset {
  return { id: erc20Id(address), kind: 'erc20', address, tokenId: null };
}

export function nftAsset(kind: 'erc721' | 'erc1155', address: Address, tokenId: bigint): Asset {
  return { id: nftId(kind, address, tokenId), kind, address, tokenId: tokenId.toString() };
}

/** Mints come from the zero address and burns go to it (ERC-20, ERC-721, ERC-1155). */
function kindOf(from: Address, to: Address): MovementKind {
  if (from === ZERO_ADDRESS) return 'mint';
  return to === ZERO_ADDRESS ? 'burn' : 'transfer';
}

/** A transfer that a log states, `ends` being sender and recipient. */
export function transferOf(log: Log, [from, to]: Ends, asset: Asset, amount: bigint): RawTransfer {
  return { kind: kindOf(from, to), from, to, asset, amount, seq: log.seq, evidence: logEvidence(log) };
}

function wordsIn(data: Hex): number {
  return (data.length - 2) / 64;
}

/** Older tokens index fewer arguments, in the same order (from, to, value). */
function readErc20(log: Log): RawTransfer[] | null {
  const { topics, data } = log;
  const indexed = topics.length - 1;
  if (indexed + wordsIn(data) !== 3) return null;
  const argument = (i: number): string => (i < indexed ? topics[i + 1]! : wordAt(data, (i - indexed) * 32)!);
  const from = addressOfWord(argument(0));
  const to = addressOfWord(argument(1));
  if (from === null || to === null) return null;
  return [transferOf(log, [from, to], erc20Asset(log.address), uintOfWord(argument(2)))];
}

const readErc721: Read = (log, ends) =>
  log.topics.length !== 4 || log.data.length !== 2
    ? null
    : [transferOf(log, ends, nftAsset('erc721', log.address, uintOfWord(log.topics[3]!)), 1n)];

const readSingle: Read = (log, ends) => {
  if (wordsIn(log.data) !== 2) return null;
  const asset = nftAsset('erc1155', log.address, uintAt(log.data, 0)!);
  return [transferOf(log, ends, asset, uintAt(log.data, 32)!)];
};

const readBatch: Read = (log, ends) => {
  const [ids, amounts] = [arrayAt(log.data, 0), arrayAt(log.data, 32)];
  if (ids === null || amounts === null || ids.length !== amounts.length) return null;
  return Array.from({ length: ids.length }, (_, i) => {
    const id = uintAt(log.data, ids.start + i * 32)!;
    const amount = uintAt(log.data, amounts.start + i * 32)!;
    return transferOf(log, ends, nftAsset('erc1155', log.address, id), amount);
  });
};

/** Reads the `uint256[]` with its offset at `head`; null unless all of it lies inside the data. */
function arrayAt(data: Hex, head: number): { readonly start: number; readonly length: number } | null {
  const offset = smallUintAt(data, head);
  const length = offset === null ? null : smallUintAt(data, offset);
  if (offset === null || length === null || 2 * (offset + 32 + length * 32) > data.length - 2) return null;
  return { start: offset + 32, length };
}

const readRange: Read = (log, ends, budget) => {
  if (log.topics.length !== 4 || wordsIn(log.data) !== 1) return null;
  const first = uintOfWord(log.topics[1]!);
  const last = uintAt(log.data, 0)!;
  if (last < first || last - first >= BigInt(budget.left)) return null;
  const count = Number(last - first) + 1;
  budget.left -= count;
  return Array.from({ length: count }, (_, i) =>
    transferOf(log, ends, nftAsset('erc721', log.address, first + BigInt(i)), 1n),
  );
};

const READERS: ReadonlyMap<string, Read> = new Map([
  [TRANSFER, readErc721],
  [TRANSFER_SINGLE, readSingle],
  [TRANSFER_BATCH, readBatch],
  [CONSECUTIVE_TRANSFER, readRange],
]);
