import { fromNumber } from 'ox/Hex';
import {
  encodeFunctionData,
  erc1155Abi,
  erc20Abi,
  erc721Abi,
  parseEventLogs,
  type Abi,
  type Log,
} from 'viem';
import { addressAt, quantity, uintAt, wordOf } from '../../evm/hex.ts';
import { TRANSFER, TRANSFER_BATCH, TRANSFER_SINGLE } from '../../evm/tokenTopics.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { memoize } from '../../lib/memo.ts';
import { isRecord } from '../../lib/shape.ts';
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

export type AccountState = readonly [nonce: bigint, ether: bigint];

/** Numbers of blocks, both included. */
export type Range = readonly [first: number, last: number];
type Filtered = 'eth_getLogs' | 'trace_filter';

export type ChainReader = ReturnType<typeof chainReader>;

const ABIS = { native: [], erc20: erc20Abi, erc721: erc721Abi, erc1155: erc1155Abi };
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
  async function ranged([first, last]: Range, method: Filtered, filter: object): Promise<unknown[] | null> {
    const bounds = { fromBlock: fromNumber(first), toBlock: fromNumber(last) };
    const [answer] = await send([{ method, params: [{ ...bounds, ...filter }] } as RpcCall]).catch(
      (error: unknown): RpcAnswer[] => {
        if (error instanceof AnalysisError) return [];
        throw error;
      },
    );
    if (answer?.ok && Array.isArray(answer.result)) return answer.result as unknown[];
    if (first === last || (answer && !answer.ok && isUnsupported(answer.error))) return null;
    const middle = (first + last) >> 1;
    const lower = await ranged([first, middle], method, filter);
    const upper = lower && (await ranged([middle + 1, last], method, filter));
    return upper && [...lower, ...upper];
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

    /** Nonce and ether of an account after each block; null where the node does not have them. */
    async statesOf(account: string, blocks: readonly number[]): Promise<(AccountState | null)[]> {
      const methods = ['eth_getTransactionCount', 'eth_getBalance'] as const;
      const answers = await send(
        blocks.flatMap((block) => {
          const params = [account as Hex, fromNumber(block)] as const;
          return methods.map((method) => ({ method, params }));
        }),
      );
      const read = answers.map((answer) => (answer.ok ? quantity(answer.result) : null));
      return blocks.map((_, i) => {
        const [nonce, ether] = read.slice(2 * i, 2 * i + 2);
        return nonce == null || ether == null ? null : [nonce, ether];
      });
    },

    /** By how much the Transfers of these blocks say that a balance changed; null without an answer. */
    async transferred(account: string, asset: Asset, range: Range): Promise<bigint | null> {
      const { address, kind } = asset;
      const word: Hash = `0x${wordOf(account.toLowerCase() as Hex)}`;
      // ERC-1155 names the operator first.
      const start = kind === 'erc1155' ? [[TRANSFER_SINGLE, TRANSFER_BATCH], null] : [TRANSFER];
      const [sent, received] = await Promise.all(
        [[word], [null, word]].map(async (parties) => {
          const topics = [...start, ...parties];
          const logs = await ranged(range, 'eth_getLogs', { address, topics });
          return logs && amountIn(logs, asset);
        }),
      );
      return sent == null || received == null ? null : received - sent;
    },
  };
}

function balanceCall({ account, asset, block }: HoldingRead): RpcCall {
  const at = fromNumber(block);
  const [owner, id] = [account as Hex, BigInt(asset.token_id ?? 0)];
  const { address, kind } = asset;
  if (address === null) return { method: 'eth_getBalance', params: [owner, at] };
  const functionName = kind === 'erc721' ? 'ownerOf' : 'balanceOf';
  const args = kind === 'erc721' ? [id] : kind === 'erc1155' ? [owner, id] : [owner];
  const data = encodeFunctionData({ abi: ABIS[kind] as Abi, functionName, args });
  return { method: 'eth_call', params: [{ to: address as Hex, data }, at] };
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

/** The amounts of a Transfer: one, or lists. */
interface Amounts {
  readonly id?: bigint;
  readonly tokenId?: bigint;
  readonly value?: bigint;
  readonly ids?: readonly bigint[];
  readonly values?: readonly bigint[];
}

/** How many units of an id a Transfer moved; fungible tokens have the id 0. */
function unitsOf({ tokenId = 0n, id = tokenId, value = 1n, ...lists }: Amounts, wanted: bigint): bigint {
  const { ids = [id], values = [value] } = lists;
  return ids.reduce((sum, one, i) => (one === wanted ? sum + (values[i] ?? 0n) : sum), 0n);
}

/** The sum of an asset's Transfers. */
function amountIn(logs: readonly unknown[], { kind, token_id: id }: Asset): bigint {
  const parsed = parseEventLogs({ abi: ABIS[kind] as Abi, logs: logs as Log[] });
  return parsed.reduce((sum, { args }) => sum + unitsOf(args as Amounts, BigInt(id ?? 0)), 0n);
}
