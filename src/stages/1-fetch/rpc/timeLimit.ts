export interface TimeLimit {
  /**
   * Aborts when the time is up or the given signal aborts. Hold this object as long as the signal is needed.
   */
  readonly signal: AbortSignal;
  /** Whether the time was up first. */
  readonly expired: () => boolean;
  readonly release: () => void;
}

/**
 * A signal with a time limit. Its timer is a plain one: that of `AbortSignal.timeout` inside
 * `AbortSignal.any` may fall to the garbage collector on the Node versions supported, and the request would
 * hang.
 */
export function timeLimit(signal: AbortSignal, ms: number): TimeLimit {
  const controller = new AbortController();
  let expired = false;
  const timer = setTimeout(
    () => {
      expired = !signal.aborted;
      controller.abort();
    },
    Math.max(1, Math.floor(ms)),
  );
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    expired: () => expired,
    release: () => clearTimeout(timer),
  };
}
