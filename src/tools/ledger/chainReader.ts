import { fromNumber } from 'ox/Hex';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { addressAt, quantity, uintAt, wordOf } from '../../evm/hex.ts';
import { TRANSFER } from '../../evm/tokenTopics.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { memoize } from '../../lib/memo.ts';
import { isRecord, itemsOf } from '../../lib/shape.ts';
import {
  isRevert,
  isUnsupported,
  resultOf,
  type RpcAnswer,
  type RpcCall,
} from '../../stages/1-fetch/rpc/rpcMessages.ts';
import { isoTime } from '../../stages/9-report/writeTransaction.ts';
import { CliError } from '../cli/cliIo.ts';
import type { Upstream } from '../../stages/1-fetch/rpc/upstream.ts';
import type { Hash, Hex } from '../../model/hex.ts';
import type { Asset } from '../../model/generated/report.ts';

/** An account's balance of an asset at the end of a block. */
export interface HoldingRead {
  readonly account: string;
  readonly asset: Asset;
  readonly block: number;
}

/** A block's number, and its time in ISO 8601. */
export interface BlockTime {
  readonly block: number;
  readonly time: string;
}

/** Numbers of blocks, both included. */
export type Range = readonly [first: number, last: number];
type RangeCall = (fromBlock: Hex, toBlock: Hex) => RpcCall;

export type ChainReader = ReturnType<typeof chainReader>;

const READS = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function balanceOf(address,uint256) view returns (uint256)',
  'function ownerOf(uint256) view returns (address)',
]);
/** Requests at once: each group has the time of one analysis. */
const GROUP = 200;
/** Times of blocks to keep. */
const TIMES = 10_000;

/** Reads of a node for a ledger, beside reports. */
export function chainReader({ open }: Pick<Upstream, 'open'>) {
  let isChecked = false;
  async function send(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const answers: RpcAnswer[] = [];
    for (let at = 0; at < calls.length; at += GROUP) {
      const session = open({ signal: new AbortController().signal });
      const group = calls.slice(at, at + GROUP);
      answers.push(...(await session.ask((endpoint) => endpoint.send(group, session))));
    }
    if (isChecked) return answers;
    isChecked = true;
    const [chain] = await send([{ method: 'eth_chainId', params: [] }]);
    if (chain!.ok && chain!.result !== '0x1') throw new AnalysisError('wrong_chain');
    return answers;
  }

  /** Asked once of each tag: a run has one newest block. Rejects with `CliError` where there is none. */
  const blockTime = memoize(async (tag): Promise<BlockTime> => {
    const [answer] = await send([{ method: 'eth_getBlockByNumber', params: [tag as Hex | 'latest', false] }]);
    const header = resultOf('eth_getBlockByNumber', answer!);
    const { number, timestamp } = isRecord(header) ? header : {};
    const [block, seconds] = [quantity(number), quantity(timestamp)];
    const time = seconds === null ? null : isoTime(seconds);
    if (block === null || time === null) throw new CliError(`the node does not have block ${tag}`);
    return { block: Number(block), time };
  }, TIMES);

  /** Items of all blocks of a range, halved where a node refuses so many; null where it refuses one. */
  async function ranged([first, last]: Range, call: RangeCall): Promise<unknown[] | null> {
    const items = await send([call(fromNumber(first), fromNumber(last))]).then(
      ([answer]) => (answer!.ok && Array.isArray(answer!.result) ? (answer!.result as unknown[]) : answer!),
      (error: unknown) => {
        if (error instanceof AnalysisError) return null;
        throw error;
      },
    );
    if (Array.isArray(items)) return items;
    if (first === last || (items && !items.ok && isUnsupported(items.error))) return null;
    const middle = (first + last) >> 1;
    const lower = await ranged([first, middle], call);
    const upper = lower && (await ranged([middle + 1, last], call));
    return lower && upper && [...lower, ...upper];
  }

  return {
    send,
    blockTime,

    /** The first block of a day or later, by bisection; the one after the newest where there is none yet. */
    async firstBlock(day: string): Promise<number> {
      let [low, high] = [0, (await blockTime('latest')).block + 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((await blockTime(fromNumber(middle))).time < day) low = middle + 1;
        else high = middle;
      }
      return low;
    },

    /** Null where the node or the contract does not answer. */
    async balances(reads: readonly HoldingRead[]): Promise<(bigint | null)[]> {
      const answers = await send(reads.map(balanceCall));
      return answers.map((answer, i) => readBalance(reads[i]!, answer));
    },

    ranged,

    /** By how much the Transfers of these blocks say that a balance changed; null without an answer. */
    async transferred(account: string, asset: Asset, [first, last]: Range): Promise<bigint | null> {
      const word: Hash = `0x${wordOf(account.toLowerCase() as Hex)}`;
      const lists = await Promise.all(
        [
          [TRANSFER, word],
          [TRANSFER, null, word],
        ].map((topics) =>
          ranged([first, last], (fromBlock, toBlock) => {
            const filter = { address: asset.address as Hex, fromBlock, toBlock, topics: topics as Hash[] };
            return { method: 'eth_getLogs', params: [filter] };
          }),
        ),
      );
      const [sent, received] = lists.map((logs) => logs && amountIn(logs, asset));
      return sent == null || received == null ? null : received - sent;
    },
  };
}

function balanceCall({ account, asset, block }: HoldingRead): RpcCall {
  const at = fromNumber(block);
  const [owner, id] = [account as Hex, BigInt(asset.token_id ?? 0)];
  if (asset.address === null) return { method: 'eth_getBalance', params: [owner, at] };
  const data =
    asset.kind === 'erc721'
      ? encodeFunctionData({ abi: READS, functionName: 'ownerOf', args: [id] })
      : encodeFunctionData({
          abi: READS,
          functionName: 'balanceOf',
          args: asset.kind === 'erc1155' ? [owner, id] : [owner],
        });
  return { method: 'eth_call', params: [{ to: asset.address as Hex, data }, at] };
}

function readBalance({ account, asset: { address, kind } }: HoldingRead, answer: RpcAnswer): bigint | null {
  // An NFT that is not minted yet, or burned, has no owner.
  if (!answer.ok) return kind === 'erc721' && isRevert(answer.error) ? 0n : null;
  const { result } = answer;
  if (address === null) return quantity(result);
  if (typeof result !== 'string') return null;
  // The contract was not there yet.
  if (result === '0x') return 0n;
  if (kind !== 'erc721') return uintAt(result as Hex, 0);
  return addressAt(result as Hex, 0) === account.toLowerCase() ? 1n : 0n;
}

/** The sum of an asset's Transfers. */
function amountIn(logs: readonly unknown[], { kind, token_id: id }: Asset): bigint {
  let sum = 0n;
  for (const log of logs) {
    const { topics, data } = log as { readonly topics?: unknown; readonly data?: unknown };
    const words = itemsOf(topics) as readonly Hash[];
    if (kind === 'erc20' && words.length === 3) sum += uintAt(data as Hex, 0) ?? 0n;
    if (kind === 'erc721' && words.length === 4 && BigInt(words[3]!) === BigInt(id!)) sum += 1n;
  }
  return sum;
}
