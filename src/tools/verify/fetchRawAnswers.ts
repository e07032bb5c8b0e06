import {
  decodeFunctionResult,
  encodeFunctionData,
  hexToString,
  isHex,
  parseAbi,
  parseAbiItem,
  type AbiFunction,
  type Hex,
} from 'viem';
import { separateCredentials } from '../../lib/credentials.ts';
import { CliError } from '../cli/cliIo.ts';
import type { RawAnswers } from './rawChain.ts';

/** The node could not be asked. Never names the URL, which may hold a credential. */
class NodeUnreachable extends CliError {}

const TIMEOUT_MS = 30_000;

async function ask(address: string, method: string, params: readonly unknown[]): Promise<unknown> {
  let answer: { result?: unknown };
  try {
    const { url, headers } = separateCredentials(address);
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    answer = (await response.json()) as { result?: unknown };
  } catch {
    throw new NodeUnreachable(`the node did not answer ${method}`);
  }
  // An error answer means that the node has no such method or data, which the caller sees as null.
  return answer?.result ?? null;
}

/** The node's own answers for one transaction, one plain request each. Throws `NodeUnreachable`. */
export async function fetchRawAnswers(url: string, hash: string): Promise<RawAnswers> {
  const trace = (tracer: string, tracerConfig?: object) =>
    ask(url, 'debug_traceTransaction', [hash, { tracer, ...(tracerConfig ? { tracerConfig } : {}) }]);
  const [tx, receipt, callTracer, parityTrace, prestateDiff] = await Promise.all([
    ask(url, 'eth_getTransactionByHash', [hash]),
    ask(url, 'eth_getTransactionReceipt', [hash]),
    trace('callTracer'),
    ask(url, 'trace_transaction', [hash]),
    trace('prestateTracer', { diffMode: true }),
  ]);
  const { blockNumber } = (receipt ?? {}) as { blockNumber?: unknown };
  if (typeof blockNumber !== 'string')
    return { tx, receipt, block: null, callTracer, parityTrace, prestateDiff };
  const [block, ...codes] = await Promise.all([
    ask(url, 'eth_getBlockByNumber', [blockNumber, false]),
    ...accountsIn(tx, receipt).map((account) => ask(url, 'eth_getCode', [account, blockNumber])),
  ]);
  return { tx, receipt, block, callTracer, parityTrace, prestateDiff, codes };
}

/** Accounts that may delegate: the signer, the target, and those in topics of events. */
function accountsIn(tx: unknown, receipt: unknown): readonly string[] {
  const { from, to } = (tx ?? {}) as { from?: unknown; to?: unknown };
  const topics = JSON.stringify(receipt).match(/(?<="0x0{24})[0-9a-f]{40}(?=")/g) ?? [];
  const accounts = [from, to, ...topics.map((digits) => `0x${digits}`)];
  return [...new Set(accounts.filter((account) => typeof account === 'string'))].slice(0, MAX_CODES);
}

/** Accounts whose code is asked for. */
const MAX_CODES = 200;

/** Reads contracts at one block by `eth_call`; a call that reverts or is refused reads as null. */
export function contractReader(url: string, blockNumber: number): ReadContract {
  return async (to, data, before = false) => {
    const block = before ? blockNumber - 1 : blockNumber;
    const answer = await ask(url, 'eth_call', [{ to, data }, `0x${block.toString(16)}`]);
    return typeof answer === 'string' && answer.startsWith('0x') ? (answer as `0x${string}`) : null;
  };
}

/** `eth_call` at the transaction's block or the one before; null for a revert or no answer. */
export type ReadContract = (to: string, data: Hex, before?: boolean) => Promise<Hex | null>;

/** A view's answer, by a signature in words of Solidity; null without one. Throws if undecodable. */
export async function askView(
  read: ReadContract,
  to: string,
  signature: string,
  { args = [], before = false }: { readonly args?: readonly unknown[]; readonly before?: boolean } = {},
): Promise<unknown> {
  const abi = [parseAbiItem(signature) as AbiFunction];
  const data = await read(to, encodeFunctionData({ abi, args } as never), before);
  return data === null || data === '0x' ? null : decodeFunctionResult({ abi, data } as never);
}

const ABI = parseAbi([
  'function symbol() view returns (string)',
  'function name() view returns (string)',
  'function decimals() view returns (uint8)',
]);
type Read = 'symbol' | 'name' | 'decimals';

/** A token's answer about itself; null without one. */
export async function askToken(read: ReadContract, to: string, functionName: Read): Promise<unknown> {
  const data = await read(to, encodeFunctionData({ abi: ABI, functionName }));
  if (data === null || data === '0x') return null;
  try {
    return decodeFunctionResult({ abi: ABI, functionName, data });
  } catch {
    // Early tokens (MKR, SAI) answer symbol() and name() with a bytes32.
    if (functionName !== 'decimals' && isHex(data) && data.length === 66) {
      return hexToString(data).replaceAll('\0', '');
    }
    return null;
  }
}
