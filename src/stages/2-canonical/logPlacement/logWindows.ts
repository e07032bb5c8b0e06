import { lowerBound } from '../../../lib/lists.ts';

/** The moments at which a log may have been emitted. */
export interface Candidates {
  /** Ascending moments. */
  readonly moments: readonly number[];
  /** False where they are only hints and no frame may be claimed. */
  readonly own: boolean;
}

/** One log's candidate moments that the order of all logs leaves possible. */
export interface LogWindow {
  readonly log: number;
  /** Indexes into the log's candidate moments, inclusive. */
  readonly first: number;
  readonly last: number;
}

/** Earliest moments by a pass forwards, latest by one backwards. Logs that fit nowhere are left out. */
export function feasibleWindows(candidates: readonly Candidates[]): LogWindow[] {
  const open: { log: number; first: number; last: number }[] = [];
  let reached = 0;
  for (const [log, { moments }] of candidates.entries()) {
    const first = lowerBound(moments, (moment) => moment >= reached);
    if (first === moments.length) continue;
    reached = moments[first]!;
    open.push({ log, first, last: first });
  }
  let limit = Infinity;
  for (let i = open.length - 1; i >= 0; i--) {
    const window = open[i]!;
    const { moments } = candidates[window.log]!;
    window.last = lowerBound(moments, (moment) => moment > limit) - 1;
    limit = moments[window.last]!;
  }
  return open;
}
