import { functionNamed } from '../../evm/signatures.ts';
import type { BlockHeader, CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { Hex } from '../../model/hex.ts';
import type * as wire from '../../model/generated/report.ts';
import type { Failure } from '../../model/generated/report.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { jsonInteger, type ReportWriter } from './reportWriter.ts';
import { failureReason, failingFrame, failureCause } from '../../value/frames.ts';

const EXPLORER = 'https://etherscan.io/tx/';
/** Latest second that ISO 8601 as JavaScript writes it can express (ECMA-262, "Time Values"). */
const LAST_SECOND = 8_640_000_000_000n;

export function writeTransaction(
  tx: CanonicalTx,
  header: BlockHeader,
  signatures: Rulebook['signatures'],
  writer: ReportWriter,
): wire.Transaction {
  return {
    hash: tx.hash,
    block_number: jsonInteger(tx.blockNumber, 'block number'),
    signer: writer.address(tx.from),
    to: writer.addressOrNull(tx.to),
    etherscan_url: EXPLORER + tx.hash,
    timestamp: isoTime(BigInt(header.timestamp)),
    nonce: jsonInteger(tx.nonce, 'nonce'),
    method: tx.to === null ? null : writeMethod(tx.input, signatures),
  };
}

/** The function that calldata names; null where it is too short to name one. */
export function writeMethod(input: Hex, signatures: Rulebook['signatures']): wire.Method | null {
  if (input.length < 10) return null;
  const selector = input.slice(0, 10) as Hex;
  const named = functionNamed(signatures, selector);
  const types = named?.args.map(({ type }) => type).join(',');
  return { selector, signature: named && `${named.name}(${types})`, name: named && named.name };
}

/** `2023-11-14T22:13:20Z`; null for a time no calendar holds. */
export function isoTime(seconds: bigint): string | null {
  if (seconds > LAST_SECOND) return null;
  const text = new Date(Number(seconds) * 1000).toISOString();
  // Years past 9999 are written with a sign and six digits.
  return `${text.slice(text.startsWith('+') ? 1 : 0, -'.000Z'.length)}Z`;
}

/** Where and why a reverted transaction failed; null when it succeeded. */
export function writeFailure(
  tx: CanonicalTx,
  rulebook: Pick<Rulebook, 'errors' | 'signatures'>,
  writer: ReportWriter,
): Failure | null {
  const describe = (frame: Frame): Omit<Failure, 'cause'> => {
    const creation = frame.type === 'CREATE' || frame.type === 'CREATE2';
    return {
      frame_path: [...frame.path],
      contract: creation ? null : writer.addressOrNull(frame.to),
      method: creation ? null : writeMethod(frame.input, rulebook.signatures),
      reason: failureReason(frame, rulebook.errors),
    };
  };
  const frame = failingFrame(tx);
  if (!frame) return null;
  const cause = failureCause(frame, tx);
  return cause === null ? describe(frame) : { ...describe(frame), cause: describe(cause) };
}
