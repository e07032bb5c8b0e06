import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import type { Hash } from '../../model/hex.ts';
import type { RawContext, RawTransaction } from '../../model/upstream.ts';
import { AnalysisError } from '../../lib/errors.ts';
import type { CallNode } from '../../traces/callNode.ts';
import { apiOfDialect } from '../../traces/traceApi.ts';
import { buildFrames, isCreation, tracedFrames, type FrameTree } from './buildFrames.ts';
import { inferLogs } from './logPlacement/inferLogs.ts';
import {
  readReceipt,
  readTransaction,
  type Receipt,
  type ReceiptLog,
  type Transaction,
} from './readTransaction.ts';
import { buildTimeline } from './timeline.ts';

/**
 * One transaction in one shape, whichever trace dialect the node spoke: the two differ only in `dialect` and
 * in which logs name their frame. Throws `AnalysisError`: `transaction_malformed`, `transaction_pending`,
 * `receipt_malformed`, `trace_malformed`, `trace_empty`, or `inconsistent_upstream` when the answers are not
 * about the same execution.
 */
export function canonicalize(raw: RawTransaction, authorities?: RawContext['authorities']): CanonicalTx {
  const tx = readTransaction(raw.tx, authorities);
  const receipt = readReceipt(raw.receipt);
  const nodes = apiOfDialect(raw.trace.dialect).read(raw.trace.result, tx);
  requireSameTransaction(raw.hash, tx, receipt);
  requireSameExecution(tx, receipt, nodes[0]!);

  // As the receipt says, where it has a status (EIP-658): they agree.
  const succeeded = nodes[0]!.error === null;
  const tree = buildFrames(nodes);
  const logs = stampOrder(tree, receipt.logs);

  return {
    hash: tx.hash,
    dialect: raw.trace.dialect,
    blockNumber: receipt.blockNumber,
    blockHash: receipt.blockHash,
    indexInBlock: receipt.transactionIndex,
    type: tx.type,
    from: tx.from,
    to: tx.to,
    value: tx.value,
    input: tx.input,
    nonce: tx.nonce,
    succeeded,
    createdContract: tx.to === null && succeeded ? tree.frames[0]!.to : null,
    gasUsed: receipt.gasUsed,
    effectiveGasPrice: gasPrice(tx, receipt),
    blobGasUsed: receipt.blobGasUsed,
    blobGasPrice: receipt.blobGasPrice,
    authorizations: tx.authorizations,
    frames: tree.frames,
    logs,
  };
}

function gasPrice(tx: Transaction, receipt: Receipt): bigint {
  const price = receipt.effectiveGasPrice ?? tx.gasPrice;
  if (price === null) throw new AnalysisError('receipt_malformed', 'effectiveGasPrice');
  return price;
}

function refuse(why: string): never {
  throw new AnalysisError('inconsistent_upstream', why);
}

function requireSameTransaction(hash: Hash, tx: Transaction, receipt: Receipt): void {
  if (tx.hash !== hash || receipt.transactionHash !== hash) refuse('an answer is about another transaction');
  if (tx.blockHash !== receipt.blockHash) refuse('transaction and receipt name different blocks');
  if (receipt.from !== null && receipt.from !== tx.from)
    refuse('transaction and receipt name different senders');
}

function requireSameOutcome(receipt: Receipt, root: CallNode): void {
  const failed = root.error !== null;
  if (receipt.status === failed) refuse('receipt and trace disagree whether it succeeded');
  if (failed && receipt.logs.length > 0) refuse('a reverted transaction has logs');
}

function requireSameExecution(tx: Transaction, receipt: Receipt, root: CallNode): void {
  requireSameOutcome(receipt, root);
  const creation = isCreation(root);
  if (!creation && root.type !== 'CALL')
    throw new AnalysisError('trace_malformed', 'the first call is neither call nor creation');
  if (creation !== (tx.to === null)) refuse('the trace and the transaction disagree on contract creation');
  if (root.from !== tx.from || root.value !== tx.value || root.input !== tx.input)
    refuse('the trace starts another call');
  if (creation) requireSameContract(receipt, root);
  else if (root.to !== tx.to) refuse('the trace starts another call');
}

function requireSameContract({ contractAddress }: Receipt, root: CallNode): void {
  if (root.error === null && contractAddress !== null && root.to !== contractAddress)
    refuse('trace and receipt created different contracts');
}

/**
 * Numbers frame entries and logs in execution order with one counter, so that transfers and events can be
 * compared. The order is inferred even where a call tracer gives it, so that both dialects agree; the tracer
 * only names the frames.
 */
function stampOrder(tree: FrameTree, receiptLogs: readonly ReceiptLog[]): Log[] {
  const { frames, tracedLogs } = tree;
  if (receiptLogs.length + tracedLogs.length === 0) return [];
  const timeline = buildTimeline(frames);
  const { running, entry } = timeline;
  const traced = tracedFrames(tree, timeline, receiptLogs);
  const { moments, certain, within } = inferLogs(frames, timeline, receiptLogs);
  const logs: Log[] = [];
  let seq = 0;
  for (let moment = 0; moment < running.length; moment++) {
    const current = running[moment]!;
    if (current >= 0 && entry[current] === moment) frames[current]!.seq = seq++;
    for (; logs.length < receiptLogs.length && moments[logs.length]! <= moment; seq++) {
      const index = logs.length;
      const { logIndex, address, topics, data } = receiptLogs[index]!;
      const frame = traced ? traced[index]! : certain[index]! ? running[moments[index]!]! : null;
      const holding = within[index]! < 0 ? null : within[index]!;
      logs.push({ logIndex, index, address, topics, data, frame, seq, within: holding });
    }
  }
  return logs;
}
