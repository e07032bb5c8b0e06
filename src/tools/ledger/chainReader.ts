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
  CHAIN_CALL,
  isRevert,
  isUnsupported,
  quantityOf,
  resultOf,
  type RpcAnswer,
  type RpcCall,
} from '../../stages/1-fetch/rpc/rpcMessages.ts';
import { CHANGES, isChange } from '../../stages/1-fetch/simulate.ts';
import { overridesOf } from '../../stages/1-fetch/simulatedBatch.ts';
import { isoTime } from '../../stages/9-report/writeTransaction.ts';
import { CliError } from '../cli/cliIo.ts';
import type { Upstream } from '../../stages/1-fetch/rpc/upstream.ts';
import type { Hash, Hex } from '../../model/hex.ts';
import type { StateOverrides } from '../../model/simulation.ts';
import type { Asset } from '../../model/generated/report.ts';

/** An account's balance of an asset at the end of a block. */
export interface HoldingRead {
  readonly account: string;
  readonly asset: Asset;
  readonly block: number;
}

/** By how much a transaction of the block is said to change a balance. */
export interface HoldingChange extends HoldingRead {
  readonly raw: bigint;
}

/** A block's number, and its time in ISO 8601. */
export interface BlockTime {
  readonly block: number;
  readonly time: string;
}

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
      const isTrace = /^(debug|trace)_/.test(group[0]!.method);
      const tracer = isTrace ? session.traceEndpoint : null;
      answers.push(...(await session.ask((endpoint) => (tracer ?? endpoint).send(group, session))));
    }
    if (isChecked) return answers;
    isChecked = true;
    const [chain] = await send([CHAIN_CALL]);
    if (chain!.ok && quantityOf(chain) !== 1n) throw new AnalysisError('wrong_chain');
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

  /** The answer to a call that a node may not serve; undefined without one. */
  const tried = async (call: object): Promise<RpcAnswer | undefined> => {
    const answers = await send([call as RpcCall]).catch((error: unknown): RpcAnswer[] => {
      if (error instanceof AnalysisError) return [];
      throw error;
    });
    return answers[0];
  };

  /** Items of all blocks of a range, halved where a node refuses so many; null where it refuses one. */
  async function ranged([first, last]: Range, method: Filtered, filter: object): Promise<unknown[] | null> {
    const bounds = { fromBlock: fromNumber(first), toBlock: fromNumber(last) };
    const answer = await tried({ method, params: [{ ...bounds, ...filter }] });
    if (answer?.ok && Array.isArray(answer.result)) return answer.result as unknown[];
    if (first === last || (answer && !answer.ok && isUnsupported(answer.error))) return null;
    const middle = (first + last) >> 1;
    const lower = await ranged([first, middle], method, filter);
    const upper = lower && (await ranged([middle + 1, last], method, filter));
    return upper && [...lower, ...upper];
  }

  /** Null where the node or the contract does not answer. */
  async function balances(reads: readonly HoldingRead[], state?: StateOverrides): Promise<(bigint | null)[]> {
    const answers = await send(reads.map((read) => balanceCall(read, state)));
    return answers.map((answer, i) => readBalance(reads[i]!, answer));
  }

  /** By how much the Transfers of these blocks say that a balance changed; null without an answer. */
  async function transferred(account: string, asset: Asset, range: Range): Promise<bigint | null> {
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
  }

  /** The state difference of a transaction, undone and done, as overrides; null where the node has none. */
  async function statesAround(hash: string) {
    const answer = await tried({ method: 'debug_traceTransaction', params: [hash, CHANGES] });
    if (!answer?.ok || !isChange(answer.result)) return null;
    const { pre, post } = answer.result;
    // Contracts that it created had no storage before.
    const before = { ...Object.fromEntries(Object.keys(post).map((key) => [key, {}])), ...pre };
    return { undone: overridesOf({ pre: post, post: before }), done: overridesOf({ pre, post }) };
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

    balances,

    /**
     * By how much a transaction changed balances: the tokens' answers before and after its state difference,
     * else before and after its block, less the block's other Transfers. Null without an answer.
     */
    async changesBy(hash: string, changes: readonly HoldingChange[]): Promise<(bigint | null)[]> {
      const around = await statesAround(hash);
      const earlier = around ? changes : changes.map((one) => ({ ...one, block: one.block - 1 }));
      const [held, left] = [await balances(earlier, around?.undone), await balances(changes, around?.done)];
      const found = changes.map(async ({ account, asset, block, raw }, i) => {
        const all = around ? raw : await transferred(account, asset, [block, block]);
        return held[i] == null || left[i] == null || all === null ? null : left[i] - held[i] - all + raw;
      });
      return Promise.all(found);
    },

    ranged,

    /** Nonce and ether of an account after each block; null where the node does not have them. */
    async statesOf(account: string, blocks: readonly number[]) {
      const ask = async (method: 'eth_getTransactionCount' | 'eth_getBalance') => {
        const params = blocks.map((block) => [account as Hex, fromNumber(block)] as const);
        return (await send(params.map((one) => ({ method, params: one })))).map(quantityOf);
      };
      const [nonces, ether] = await Promise.all([ask('eth_getTransactionCount'), ask('eth_getBalance')]);
      return nonces.map((nonce, i) =>
        nonce === null || ether[i] == null ? null : ([nonce, ether[i]] as const),
      );
    },

    transferred,
  };
}

function balanceCall({ account, asset, block }: HoldingRead, state?: StateOverrides): RpcCall {
  const at = fromNumber(block);
  const [owner, id] = [account as Hex, BigInt(asset.token_id ?? 0)];
  const { address, kind } = asset;
  if (address === null) return { method: 'eth_getBalance', params: [owner, at] };
  const functionName = kind === 'erc721' ? 'ownerOf' : 'balanceOf';
  const args = kind === 'erc721' ? [id] : kind === 'erc1155' ? [owner, id] : [owner];
  const data = encodeFunctionData({ abi: ABIS[kind] as Abi, functionName, args });
  const call = { to: address as Hex, data };
  return { method: 'eth_call', params: state ? [call, at, state] : [call, at] } as RpcCall;
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
type Amounts = { readonly [key in 'id' | 'tokenId' | 'value']?: bigint } & {
  readonly [key in 'ids' | 'values']?: readonly bigint[];
};

/** The sum of an asset's Transfers; fungible tokens have the id 0. */
function amountIn(logs: readonly unknown[], { kind, token_id: wanted }: Asset): bigint {
  const parsed = parseEventLogs({ abi: ABIS[kind] as Abi, logs: logs as Log[] });
  const units = parsed.flatMap(({ args }) => {
    const { tokenId = 0n, id = tokenId, value = 1n, ids = [id], values = [value] } = args as Amounts;
    return ids.map((one, i) => (one === BigInt(wanted ?? 0) ? (values[i] ?? 0n) : 0n));
  });
  return units.reduce((sum, one) => sum + one, 0n);
}
