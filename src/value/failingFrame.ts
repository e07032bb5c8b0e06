import type { CanonicalTx, Frame } from '../model/canonicalTx.ts';

/**
 * The innermost frame with a failure handed up unchanged to the root; null when the transaction
 * succeeded.
 */
export function failingFrame({ succeeded, frames }: Pick<CanonicalTx, 'succeeded' | 'frames'>): Frame | null {
  let failed = succeeded ? null : (frames[0] ?? null);
  for (let inner = failed; inner; ) {
    failed = inner;
    const last = lastCall(failed, frames);
    inner = last !== null && last.error !== null && last.output === failed.output ? last : null;
  }
  return failed;
}

/**
 * The innermost of the last calls inside a failing frame that failed too, with error data of their own: what
 * it failed on, unless it caught that and failed for another reason. Null where its last call succeeded.
 */
export function failureCause(failing: Frame, { frames }: Pick<CanonicalTx, 'frames'>): Frame | null {
  let cause: Frame | null = null;
  for (let last = lastCall(failing, frames); last?.error != null; last = lastCall(last, frames)) cause = last;
  return cause;
}

function lastCall(frame: Frame, frames: readonly Frame[]): Frame | null {
  let last: Frame | null = null;
  for (let index = frame.index + 1; index < frame.end; index = frames[index]!.end) last = frames[index]!;
  return last;
}
