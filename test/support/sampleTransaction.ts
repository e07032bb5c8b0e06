import { keccak256, type Hex } from 'viem';
import type { Handler } from './fakeNode.ts';

export const HASH = `0x${'5c'.repeat(32)}` as const;
export const BLOCK_HASH = `0x${'b1'.repeat(32)}` as const;
export const SIGNER = `0x${'a1'.repeat(20)}` as const;
export const TOKEN = `0x${'70'.repeat(20)}` as const;
export const FEED = `0x${'fe'.repeat(20)}` as const;
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
export const BLOCK_NUMBER = 20_000_000n;
export const TIMESTAMP = 1_717_281_407;

const word = (hex: string): Hex => `0x${hex.replace(/^0x/, '').padStart(64, '0')}`;
export const uint = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0');
export const abiString = (text: string): Hex => {
  const body = Buffer.from(text, 'utf8').toString('hex');
  return `0x${uint(32)}${uint(body.length / 2)}${body.padEnd(Math.ceil(body.length / 64) * 64, '0')}`;
};

export interface SampleLog {
  address: string;
  topics: string[];
  data: string;
}

export function transferLog(token: string = TOKEN, from: string = SIGNER, to: string = TOKEN): SampleLog {
  return { address: token, topics: [TRANSFER, word(from), word(to)], data: word('0x01') };
}

export function bloomOf(logs: readonly SampleLog[]): Hex {
  let bloom = 0n;
  for (const item of logs.flatMap((log) => [log.address, ...log.topics])) {
    const digest = keccak256(item as Hex);
    for (const at of [2, 6, 10]) bloom |= 1n << BigInt(Number.parseInt(digest.slice(at, at + 4), 16) & 2047);
  }
  return `0x${bloom.toString(16).padStart(512, '0')}`;
}

/** A token transfer as a node tells it: consistent in itself, every part free to be changed. */
export function sampleTransaction(logs: readonly SampleLog[] = [transferLog()]) {
  const place = {
    blockHash: BLOCK_HASH as string,
    blockNumber: `0x${BLOCK_NUMBER.toString(16)}`,
    transactionIndex: '0x0',
  };
  const input = '0xa9059cbb';
  const tx: Record<string, unknown> = {
    hash: HASH,
    ...place,
    from: SIGNER,
    to: TOKEN,
    input,
    value: '0x0',
    nonce: '0x1',
    gas: '0x5208',
    gasPrice: '0x1',
    type: '0x2',
    chainId: '0x1',
  };
  const receipt: Record<string, unknown> = {
    transactionHash: HASH,
    ...place,
    from: SIGNER,
    to: TOKEN,
    contractAddress: null,
    status: '0x1',
    gasUsed: '0x5208',
    effectiveGasPrice: '0x1',
    type: '0x2',
    logsBloom: bloomOf(logs),
    logs: logs.map((log, i) => ({
      ...log,
      ...place,
      transactionHash: HASH,
      logIndex: `0x${i.toString(16)}`,
    })),
  };
  const callTracer: Record<string, unknown> = {
    type: 'CALL',
    from: SIGNER,
    to: TOKEN,
    input,
    value: '0x0',
    gas: '0x5208',
    gasUsed: '0x5208',
    output: '0x',
    logs: logs.map((log) => ({ ...log, position: '0x0' })),
  };
  const parity: Record<string, unknown>[] = [
    {
      action: { callType: 'call', from: SIGNER, to: TOKEN, gas: '0x5208', input, value: '0x0' },
      blockHash: BLOCK_HASH,
      blockNumber: Number(BLOCK_NUMBER),
      result: { gasUsed: '0x5208', output: '0x' },
      subtraces: 0,
      traceAddress: [],
      transactionHash: HASH,
      transactionPosition: 0,
      type: 'call',
    },
  ];
  const block: Record<string, unknown> = {
    hash: BLOCK_HASH,
    number: place.blockNumber,
    timestamp: `0x${TIMESTAMP.toString(16)}`,
    baseFeePerGas: '0x1',
    miner: SIGNER,
    transactions: [],
  };
  return { tx, receipt, callTracer, parity, block };
}

export type Sample = ReturnType<typeof sampleTransaction>;

/** Handlers that answer for the sample; `traces` chooses the dialects offered. */
export function sampleHandlers(
  sample: Sample,
  traces: 'both' | 'geth' | 'parity' = 'both',
  calls: Record<string, Hex> = {},
): Record<string, Handler> {
  const only =
    <T>(value: T): Handler =>
    ([hash]) =>
      hash === HASH ? value : null;
  return {
    eth_getTransactionByHash: (params) => only(sample.tx)(params),
    eth_getTransactionReceipt: (params) => only(sample.receipt)(params),
    eth_getBlockByNumber: ([number]) => (number === sample.block.number ? sample.block : null),
    eth_getCode: () => '0x',
    eth_getTransactionCount: () => '0x1',
    eth_call: ([call]) => {
      const { to, data } = call as { to: string; data: string };
      return calls[`${to}:${data.slice(0, 10)}`] ?? '0x';
    },
    ...(traces === 'parity' ? {} : { debug_traceTransaction: (params) => only(sample.callTracer)(params) }),
    ...(traces === 'geth' ? {} : { trace_transaction: (params) => only(sample.parity)(params) }),
  };
}
