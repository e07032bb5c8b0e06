import type { Address, Hash, Hex } from '../../model/hex.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { readAddress, readBytes, readHash, readQuantity } from '../../lib/hex.ts';
import { absent, readList, readObject } from './shape.ts';

const BAD = 'receipt_malformed';

export interface ReceiptLog {
  readonly logIndex: number;
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Hex;
}

export interface Receipt {
  readonly transactionHash: Hash;
  readonly blockHash: Hash;
  readonly blockNumber: bigint;
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

/** Checks an `eth_getTransactionReceipt` result. Throws `receipt_malformed`, or `inconsistent_upstream` for removed logs. */
export function readReceipt(raw: unknown): Receipt {
  const fields = readObject(raw, BAD, 'the receipt is not an object');
  const transactionHash = readHash(fields['transactionHash'], BAD, 'transactionHash');
  const optional = (key: string): bigint | null => (absent(fields[key]) ? null : readQuantity(fields[key], BAD, key));
  return {
    transactionHash,
    blockHash: readHash(fields['blockHash'], BAD, 'blockHash'),
    blockNumber: readQuantity(fields['blockNumber'], BAD, 'blockNumber'),
    from: absent(fields['from']) ? null : readAddress(fields['from'], BAD, 'from'),
    contractAddress: absent(fields['contractAddress']) ? null : readAddress(fields['contractAddress'], BAD, 'contractAddress'),
    status: readStatus(optional('status')),
    gasUsed: readQuantity(fields['gasUsed'], BAD, 'gasUsed'),
    effectiveGasPrice: optional('effectiveGasPrice'),
    blobGasUsed: optional('blobGasUsed') ?? 0n,
    blobGasPrice: optional('blobGasPrice') ?? 0n,
    logs: readLogs(fields['logs'], transactionHash),
  };
}

function readStatus(value: bigint | null): boolean | null {
  if (value === null) return null;
  if (value > 1n) throw new AnalysisError(BAD, 'status');
  return value === 1n;
}

function readLogs(value: unknown, transactionHash: Hash): ReceiptLog[] {
  if (!Array.isArray(value)) throw new AnalysisError(BAD, 'logs is not a list');
  const logs = value.map((raw) => readLog(raw, transactionHash));
  logs.sort((a, b) => a.logIndex - b.logIndex);
  if (logs.some((log, i) => i > 0 && logs[i - 1]!.logIndex === log.logIndex)) throw new AnalysisError(BAD, 'two logs share an index');
  return logs;
}

function readLog(raw: unknown, transactionHash: Hash): ReceiptLog {
  const fields = readObject(raw, BAD, 'a log is not an object');
  if (fields['removed'] === true) throw new AnalysisError('inconsistent_upstream', 'a log was removed by a reorganisation');
  if (!absent(fields['transactionHash']) && readHash(fields['transactionHash'], BAD, 'log transactionHash') !== transactionHash) {
    throw new AnalysisError('inconsistent_upstream', 'a log belongs to another transaction');
  }
  const topics = readList(fields['topics'], BAD, 'log topics');
  if (topics.length > 4) throw new AnalysisError(BAD, 'a log has more than four topics');
  const logIndex = readQuantity(fields['logIndex'], BAD, 'logIndex');
  if (logIndex > 0xffff_ffffn) throw new AnalysisError(BAD, 'logIndex');
  return {
    logIndex: Number(logIndex),
    address: readAddress(fields['address'], BAD, 'log address'),
    topics: topics.map((topic) => readHash(topic, BAD, 'log topic')),
    data: absent(fields['data']) ? '0x' : readBytes(fields['data'], BAD, 'log data'),
  };
}
