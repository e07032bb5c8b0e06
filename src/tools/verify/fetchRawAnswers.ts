import { separateCredentials } from '../../lib/credentials.ts';
import { CliError } from '../cli/cliIo.ts';
import type { ReadContract } from './readContracts.ts';
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
  const { from, to } = (tx ?? {}) as { from?: unknown; to?: unknown };
  const [block, ...codes] = await Promise.all([
    ask(url, 'eth_getBlockByNumber', [blockNumber, false]),
    ...[from, to]
      .filter((account) => typeof account === 'string')
      .map((account) => ask(url, 'eth_getCode', [account, blockNumber])),
  ]);
  return { tx, receipt, block, callTracer, parityTrace, prestateDiff, codes };
}

/** Reads contracts at one block by `eth_call`; a call that reverts or is refused reads as null. */
export function contractReader(url: string, blockNumber: number): ReadContract {
  return async (to, data, before = false) => {
    const block = before ? blockNumber - 1 : blockNumber;
    const answer = await ask(url, 'eth_call', [{ to, data }, `0x${block.toString(16)}`]);
    return typeof answer === 'string' && answer.startsWith('0x') ? (answer as `0x${string}`) : null;
  };
}
