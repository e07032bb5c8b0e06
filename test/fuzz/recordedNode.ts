// What a node would answer about the recordings of this repository: in memory, no recorded mainnet needed.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  multicall3Abi,
  parseAbiParameters,
  type Hex,
} from 'viem';

type Json = Record<string, any>;

export interface Recorded {
  readonly name: string;
  readonly hash: string;
  readonly rpc: { tx: Json; receipt: Json; block: Json; callTracer: Json; trace: Json[] };
  readonly tokens: Record<string, { symbol: string | null; name: string | null; decimals: number | null }>;
  readonly prices: Record<string, { answer: string; round_id: string; updated_at: number }>;
  /** Answers every read of a contract in place of what was recorded. */
  readonly read?: (to: string, data: string) => Hex | null;
}

const FOLDER = join(import.meta.dirname, '../recordings');
/** Since when Multicall3 exists on mainnet; the devnet's own blocks are all before it. */
const MULTICALL_SINCE = 14_353_601;
const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11';

export function loadRecordings(): Recorded[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Recorded);
}

/** The same transaction as of a later block, where reads go through Multicall3. */
export function later(recorded: Recorded): Recorded {
  const shift = (value: unknown): unknown =>
    typeof value === 'number'
      ? value + MULTICALL_SINCE
      : typeof value === 'string'
        ? `0x${(BigInt(value) + BigInt(MULTICALL_SINCE)).toString(16)}`
        : value;
  const walk = (value: unknown, key: string): unknown => {
    if (key === 'blockNumber') return shift(value);
    if (Array.isArray(value)) return value.map((item) => walk(item, ''));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, walk(v, k)]));
    return value;
  };
  const rpc = walk(recorded.rpc, '') as Recorded['rpc'];
  // Its hash is not that of the later number: without a field of the header nobody can compute it.
  const { parentHash: _, ...block } = rpc.block;
  return { ...recorded, rpc: { ...rpc, block: { ...block, number: shift(rpc.block['number']) } } };
}

const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0');

/** Result of an `eth_call`, or null where the contract would revert. */
export function callResult(recorded: Recorded, to: string, data: string): Hex | null {
  const { tokens, prices, read } = recorded;
  if (read && !(to === MULTICALL3 && data.startsWith('0x82ad56cb'))) return read(to, data);
  const token = tokens[to];
  const feed = prices[to];
  switch (data.slice(0, 10)) {
    case '0x95d89b41':
      return token?.symbol == null ? null : encodeAbiParameters(parseAbiParameters('string'), [token.symbol]);
    case '0x06fdde03':
      return token?.name == null ? null : encodeAbiParameters(parseAbiParameters('string'), [token.name]);
    case '0x313ce567':
      return token?.decimals == null ? null : `0x${word(token.decimals)}`;
    case '0xfeaf968c':
      return feed
        ? `0x${[BigInt(feed.round_id), BigInt(feed.answer), feed.updated_at, feed.updated_at, BigInt(feed.round_id)].map(word).join('')}`
        : null;
    case '0x82ad56cb': {
      if (to !== MULTICALL3) return null;
      const { args } = decodeFunctionData({ abi: multicall3Abi, data: data as Hex });
      const results = (args as readonly [readonly { target: string; callData: Hex }[]])[0].map((call) => {
        const result = callResult(recorded, call.target.toLowerCase(), call.callData);
        return { success: result !== null, returnData: result ?? ('0x' as Hex) };
      });
      return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results });
    }
    default:
      return null;
  }
}

export interface Answer {
  readonly result?: unknown;
  readonly error?: { code: number; message: string };
}

export type Dialect = 'both' | 'geth' | 'parity';

/** What the node answers to one call about these recordings. */
export function answer(
  find: (hash: unknown) => Recorded | undefined,
  byBlock: (number: unknown) => Recorded | undefined,
  dialect: Dialect,
  method: string,
  params: readonly any[],
): Answer {
  const missing: Answer = {
    error: { code: -32601, message: `the method ${method} does not exist/is not available` },
  };
  const recorded = find(params[0]);
  const of = (part: keyof Recorded['rpc']): Answer => ({ result: recorded?.rpc[part] ?? null });
  switch (method) {
    case 'eth_chainId':
      return { result: '0x1' };
    case 'eth_getTransactionByHash':
      return of('tx');
    case 'eth_getTransactionReceipt':
      return of('receipt');
    case 'debug_traceTransaction':
      return dialect === 'parity' ? missing : of('callTracer');
    case 'trace_transaction':
      return dialect === 'geth' ? missing : of('trace');
    case 'eth_getBlockByNumber':
      return { result: byBlock(params[0])?.rpc.block ?? null };
    case 'eth_getCode':
      return { result: '0x' };
    case 'eth_call': {
      const { to, data } = params[0] as { to: string; data: string };
      const found = byBlock(params[1]);
      const result = found ? callResult(found, to.toLowerCase(), data) : null;
      return result === null ? { error: { code: 3, message: 'execution reverted' } } : { result };
    }
    default:
      return missing;
  }
}
