import { failureReason } from '../../value/executionOutcome.ts';
import { failingFrame, failureCause } from '../../value/failingFrame.ts';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { Failure } from '../../model/generated/report.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { ReportWriter } from './reportWriter.ts';
import { writeMethod } from './writeTransaction.ts';

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
