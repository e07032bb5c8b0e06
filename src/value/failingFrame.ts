import type { CanonicalTx, Frame } from '../model/canonicalTx.ts';

/** The innermost frame with a failure passed unchanged to the root; null for a success. */
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
 * The innermost last call inside a failing frame that failed with error data of its own: the cause, unless it
 * was caught. Null where the last call succeeded.
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
