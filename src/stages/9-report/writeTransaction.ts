import { functionOf } from '../../evm/decodeArguments.ts';
import type { BlockHeader, CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { Hex } from '../../model/hex.ts';
import type * as wire from '../../model/generated/report.ts';
import type { Failure } from '../../model/generated/report.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { jsonInteger, type ReportWriter } from './reportWriter.ts';
import { blobsOf } from '../../value/parties/execution.ts';
import { argumentText, ownArguments } from '../../value/argumentText.ts';
import { failureReason, failingFrame, failureCause } from '../../value/frames.ts';

const EXPLORER = 'https://etherscan.io/tx/';
/** Latest second that ISO 8601 as JavaScript writes it can express (ECMA-262, "Time Values"). */
const LAST_SECOND = 8_640_000_000_000n;

export function writeTransaction(
  tx: CanonicalTx,
  header: BlockHeader,
  rulebook: Rulebook,
  writer: ReportWriter,
): wire.Transaction {
  const method = tx.to === null ? null : writeMethod(tx, rulebook.signatures);
  const called = method && functionOf(tx, rulebook.signatures);
  if (called) method.arguments = ownArguments(called, tx.to!, rulebook).map(argumentText);
  return {
    hash: tx.hash,
    block_number: jsonInteger(tx.blockNumber, 'block number'),
    signer: writer.address(tx.from),
    to: writer.addressOrNull(tx.to),
    etherscan_url: EXPLORER + tx.hash,
    timestamp: isoTime(BigInt(header.timestamp)),
    index: tx.indexInBlock ?? null,
    nonce: jsonInteger(tx.nonce, 'nonce'),
    type: tx.type,
    value_raw: tx.value.toString(),
    method,
    blobs: writeBlobs(tx),
  };
}

function writeBlobs(tx: CanonicalTx): wire.Blobs | null {
  if (tx.blobGasUsed === 0n) return null;
  const count = jsonInteger(blobsOf(tx), 'blob count');
  return { count, gas_used: jsonInteger(tx.blobGasUsed, 'blob gas used') };
}

/** The function that calldata calls; null where it is too short to name one. */
function writeMethod(call: { readonly input: Hex }, signatures: Rulebook['signatures']): wire.Method | null {
  if (call.input.length < 10) return null;
  const { canonical: signature = null, name = null } = functionOf(call, signatures) ?? {};
  return { selector: call.input.slice(0, 10), signature, name };
}

/** `2023-11-14T22:13:20Z`; null for a time no calendar holds. */
export function isoTime(seconds: bigint): string | null {
  if (seconds > LAST_SECOND) return null;
  const text = new Date(Number(seconds) * 1000).toISOString();
  // Years past 9999 are written with a sign and six digits.
  return `${text.slice(text.startsWith('+') ? 1 : 0, -'.000Z'.length)}Z`;
}

type Errors = Pick<Rulebook, 'errors' | 'signatures'>;

/** A failed call: contract, method, and the reason if it gives one. */
export function writeFailed(frame: Frame, rulebook: Errors, writer: ReportWriter): wire.Attempt {
  const creation = frame.type === 'CREATE' || frame.type === 'CREATE2';
  return {
    frame_path: [...frame.path],
    contract: creation ? null : writer.addressOrNull(frame.to),
    method: creation ? null : writeMethod(frame, rulebook.signatures),
    reason: failureReason(frame, rulebook.errors),
  };
}

/** Where and why a reverted transaction failed; null when it succeeded. */
export function writeFailure(tx: CanonicalTx, rulebook: Errors, writer: ReportWriter): Failure | null {
  const frame = failingFrame(tx);
  if (!frame) return null;
  const cause = failureCause(frame, tx);
  const failure: Failure = writeFailed(frame, rulebook, writer);
  if (cause !== null) failure.cause = writeFailed(cause, rulebook, writer);
  return failure;
}
