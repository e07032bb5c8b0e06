import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { Failure } from '../../model/generated/report.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { failureReason } from '../../value/executionOutcome.ts';
import type { ReportWriter } from './reportWriter.ts';
import { writeMethod } from './writeTransaction.ts';

/**
 * Finds the failing frame of a reverted transaction: the innermost frame with a failure handed up unchanged
 * to the root. Null when it succeeded.
 */
export function writeFailure(
  tx: CanonicalTx,
  rulebook: Pick<Rulebook, 'errors' | 'signatures'>,
  writer: ReportWriter,
): Failure | null {
  const frame = tx.succeeded ? null : failingFrame(tx);
  if (!frame) return null;
  const creation = frame.type === 'CREATE' || frame.type === 'CREATE2';
  return {
    frame_path: [...frame.path],
    contract: creation ? null : writer.addressOrNull(frame.to),
    method: creation ? null : writeMethod(frame.input, rulebook.signatures),
    reason: failureReason(frame, rulebook.errors),
  };
}

function failingFrame({ frames }: CanonicalTx): Frame | null {
  let failed = frames[0] ?? null;
  for (let inner = failed; inner; ) {
    failed = inner;
    inner = causeOf(failed, frames);
  }
  return failed;
}

/** The last call inside a frame, where it failed with the very data that the frame failed with. */
function causeOf(frame: Frame, frames: readonly Frame[]): Frame | null {
  let last: Frame | null = null;
  for (let index = frame.index + 1; index < frame.end; index = frames[index]!.end) last = frames[index]!;
  return last !== null && last.error !== null && last.output === frame.output ? last : null;
}
