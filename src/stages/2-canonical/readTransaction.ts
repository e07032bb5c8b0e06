import { readAddress, readBytes, readCount, readHash, readQuantity } from '../../evm/hex.ts';
import { authoritiesOf } from '../../evm/signing.ts';
import { AnalysisError, type ErrorCode } from '../../lib/errors.ts';
import { absent, readList, readObject } from '../../lib/shape.ts';
import type { Authorization, CanonicalTx } from '../../model/canonicalTx.ts';
import type { Address, Hash } from '../../model/hex.ts';
import { readTopics, type LogContent } from '../../traces/callNode.ts';

const BAD_TRANSACTION = 'transaction_malformed';
/** Each authorisation costs 25,000 gas (EIP-7702, PER_EMPTY_ACCOUNT_COST): no block holds more. */
const MAX_AUTHORIZATIONS = 4_096;

/** The transaction's own fields. Nodes older than EIP-1559 leave `gasPrice` to the receipt. */
export type Transaction = Pick<
  CanonicalTx,
  'hash' | 'blockHash' | 'type' | 'from' | 'to' | 'value' | 'input' | 'nonce' | 'authorizations'
> & { readonly gasPrice: bigint | null };

/** Checks a transaction. Throws `transaction_malformed`, or `transaction_pending` without a block. */
export function readTransaction(raw: unknown, authorities?: readonly (Address | null)[]): Transaction {
  const fields = readObject(raw, BAD_TRANSACTION, 'the transaction is not an object');
  if (absent(fields['blockHash'])) throw new AnalysisError('transaction_pending');
  const type = absent(fields['type']) ? 0 : readCount(fields['type'], BAD_TRANSACTION, 'type');
  // EIP-2718 leaves types above 0x7f to legacy transactions.
  if (type > 0x7f) throw new AnalysisError(BAD_TRANSACTION, 'type');
  return {
    hash: readHash(fields['hash'], BAD_TRANSACTION, 'hash'),
    blockHash: readHash(fields['blockHash'], BAD_TRANSACTION, 'blockHash'),
    type,
    from: readAddress(fields['from'], BAD_TRANSACTION, 'from'),
    to: optional(fields['to'], readAddress, 'to', BAD_TRANSACTION),
    value: readQuantity(fields['value'], BAD_TRANSACTION, 'value'),
    input: readBytes(fields['input'] ?? fields['data'] ?? '0x', BAD_TRANSACTION, 'input'),
    nonce: readQuantity(fields['nonce'], BAD_TRANSACTION, 'nonce'),
    gasPrice: optional(fields['gasPrice'], readQuantity, 'gasPrice', BAD_TRANSACTION),
    authorizations: readAuthorizations(fields['authorizationList'], authorities),
  };
}

/**
 * Reads a type-4 transaction's `authorizationList`. `authorities`: its signers where they are recovered
 * already. Throws `transaction_malformed`.
 */
export function readAuthorizations(
  value: unknown,
  authorities = authoritiesOf(value),
): readonly Authorization[] {
  const list = readList(value, BAD_TRANSACTION, 'authorizationList');
  if (list.length > MAX_AUTHORIZATIONS)
    throw new AnalysisError(BAD_TRANSACTION, 'authorizationList is too long');
  return list.map((raw, index) => {
    const fields = readObject(raw, BAD_TRANSACTION, 'an authorisation is not an object');
    const address = readAddress(fields['address'], BAD_TRANSACTION, 'authorisation address');
    const nonce = readQuantity(fields['nonce'], BAD_TRANSACTION, 'authorisation nonce');
    for (const name of ['chainId', 'r', 's', 'yParity', 'v'])
      if (!absent(fields[name])) readQuantity(fields[name], BAD_TRANSACTION, `authorisation ${name}`);
    return { address, nonce, authority: authorities[index] ?? null };
  });
}

const BAD_RECEIPT = 'receipt_malformed';

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
  const fields = readObject(raw, BAD_RECEIPT, 'the receipt is not an object');
  const transactionHash = readHash(fields['transactionHash'], BAD_RECEIPT, 'transactionHash');
  return {
    transactionHash,
    blockHash: readHash(fields['blockHash'], BAD_RECEIPT, 'blockHash'),
    blockNumber: readQuantity(fields['blockNumber'], BAD_RECEIPT, 'blockNumber'),
    transactionIndex: optional(fields['transactionIndex'], readCount, 'transactionIndex'),
    from: optional(fields['from'], readAddress, 'from'),
    contractAddress: optional(fields['contractAddress'], readAddress, 'contractAddress'),
    status: readStatus(fields['status']),
    gasUsed: readQuantity(fields['gasUsed'], BAD_RECEIPT, 'gasUsed'),
    effectiveGasPrice: optional(fields['effectiveGasPrice'], readQuantity, 'effectiveGasPrice'),
    blobGasUsed: optional(fields['blobGasUsed'], readQuantity, 'blobGasUsed') ?? 0n,
    blobGasPrice: optional(fields['blobGasPrice'], readQuantity, 'blobGasPrice') ?? 0n,
    logs: readLogs(fields['logs'], transactionHash),
  };
}

type Read<T> = (value: unknown, code: ErrorCode, what: string) => T;

function optional<T>(value: unknown, read: Read<T>, what: string, code: ErrorCode = BAD_RECEIPT): T | null {
  return absent(value) ? null : read(value, code, what);
}

function readStatus(value: unknown): boolean | null {
  if (absent(value)) return null;
  const status = readCount(value, BAD_RECEIPT, 'status');
  if (status > 1) throw new AnalysisError(BAD_RECEIPT, 'status');
  return status === 1;
}

function readLogs(value: unknown, transactionHash: Hash): ReceiptLog[] {
  if (!Array.isArray(value)) throw new AnalysisError(BAD_RECEIPT, 'logs is not a list');
  const logs = value.map((raw) => readLog(raw, transactionHash)).sort((a, b) => a.logIndex - b.logIndex);
  if (logs.some((log, i) => i > 0 && logs[i - 1]!.logIndex === log.logIndex))
    throw new AnalysisError(BAD_RECEIPT, 'two logs share an index');
  return logs;
}

function readLog(raw: unknown, transactionHash: Hash): ReceiptLog {
  const fields = readObject(raw, BAD_RECEIPT, 'a log is not an object');
  if (fields['removed'] === true)
    throw new AnalysisError('inconsistent_upstream', 'a log was removed by a reorganisation');
  const owner = fields['transactionHash'];
  if (
    owner !== transactionHash &&
    !absent(owner) &&
    readHash(owner, BAD_RECEIPT, 'log transactionHash') !== transactionHash
  ) {
    throw new AnalysisError('inconsistent_upstream', 'a log belongs to another transaction');
  }
  const topics = readTopics(fields['topics'], BAD_RECEIPT, 'log');
  const logIndex = readCount(fields['logIndex'], BAD_RECEIPT, 'logIndex');
  if (logIndex > 0xffff_ffff) throw new AnalysisError(BAD_RECEIPT, 'logIndex');
  return {
    logIndex,
    address: readAddress(fields['address'], BAD_RECEIPT, 'log address'),
    topics,
    data: absent(fields['data']) ? '0x' : readBytes(fields['data'], BAD_RECEIPT, 'log data'),
  };
}
