import type { Address, Hash } from '../../model/hex.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { readAddress, readBytes, readCount, readHash, readQuantity } from '../../evm/hex.ts';
import { absent, readObject, type Fields } from '../../lib/shape.ts';
import { readTopics, type LogContent } from '../../traces/callNode.ts';

const BAD = 'receipt_malformed';

export interface ReceiptLog extends LogContent {
  readonly logIndex: number;
}

export interface Receipt {
  readonly transactionHash: Hash;
  readonly blockHash: Hash;
  readonly blockNumber: bigint;
  readonly transactionIndex: number | null;
  readonly from: Address | null;
  readonly contractAddress: Address | null;
  /** Null before Byzantium (EIP-658), when receipts carried a state root instead. */
  readonly status: boolean | null;
  readonly gasUsed: bigint;
  /** Null where the node predates the field. */
  readonly effectiveGasPrice: bigint | null;
  readonly blobGasUsed: bigint;
  readonly blobGasPrice: bigint;
  /** By log index. */
  readonly logs: readonly ReceiptLog[];
}

/** Checks a receipt. Throws `receipt_malformed`, or `inconsistent_upstream` for removed logs. */
export function readReceipt(raw: unknown): Receipt {
  const fields = readObject(raw, BAD, 'the receipt is not an object');
  const transactionHash = readHash(fields['transactionHash'], BAD, 'transactionHash');
  return {
    transactionHash,
    blockHash: readHash(fields['blockHash'], BAD, 'blockHash'),
    blockNumber: readQuantity(fields['blockNumber'], BAD, 'blockNumber'),
    transactionIndex: absent(fields['transactionIndex'])
      ? null
      : readCount(fields['transactionIndex'], BAD, 'transactionIndex'),
    from: absent(fields['from']) ? null : readAddress(fields['from'], BAD, 'from'),
    contractAddress: absent(fields['contractAddress'])
      ? null
      : readAddress(fields['contractAddress'], BAD, 'contractAddress'),
    status: readStatus(fields['status']),
    gasUsed: readQuantity(fields['gasUsed'], BAD, 'gasUsed'),
    effectiveGasPrice: optional(fields, 'effectiveGasPrice'),
    blobGasUsed: optional(fields, 'blobGasUsed') ?? 0n,
    blobGasPrice: optional(fields, 'blobGasPrice') ?? 0n,
    logs: readLogs(fields['logs'], transactionHash),
  };
}

function optional(fields: Fields, key: string): bigint | null {
  return absent(fields[key]) ? null : readQuantity(fields[key], BAD, key);
}

function readStatus(value: unknown): boolean | null {
  if (absent(value)) return null;
  const status = readCount(value, BAD, 'status');
  if (status > 1) throw new AnalysisError(BAD, 'status');
  return status === 1;
}

function readLogs(value: unknown, transactionHash: Hash): ReceiptLog[] {
  if (!Array.isArray(value)) throw new AnalysisError(BAD, 'logs is not a list');
  const logs: ReceiptLog[] = [];
  let ascending = true;
  for (const raw of value as unknown[]) {
    const log = readLog(raw, transactionHash);
    if (logs.length > 0 && logs[logs.length - 1]!.logIndex >= log.logIndex) ascending = false;
    logs.push(log);
  }
  if (ascending) return logs;
  logs.sort((a, b) => a.logIndex - b.logIndex);
  if (logs.some((log, i) => i > 0 && logs[i - 1]!.logIndex === log.logIndex))
    throw new AnalysisError(BAD, 'two logs share an index');
  return logs;
}

function readLog(raw: unknown, transactionHash: Hash): ReceiptLog {
  const fields = readObject(raw, BAD, 'a log is not an object');
  if (fields['removed'] === true)
    throw new AnalysisError('inconsistent_upstream', 'a log was removed by a reorganisation');
  const owner = fields['transactionHash'];
  if (
    owner !== transactionHash &&
    !absent(owner) &&
    readHash(owner, BAD, 'log transactionHash') !== transactionHash
  ) {
    throw new AnalysisError('inconsistent_upstream', 'a log belongs to another transaction');
  }
  const topics = readTopics(fields['topics'], BAD, 'log');
  const logIndex = readCount(fields['logIndex'], BAD, 'logIndex');
  if (logIndex > 0xffff_ffff) throw new AnalysisError(BAD, 'logIndex');
  return {
    logIndex,
    address: readAddress(fields['address'], BAD, 'log address'),
    topics,
    data: absent(fields['data']) ? '0x' : readBytes(fields['data'], BAD, 'log data'),
  };
}
