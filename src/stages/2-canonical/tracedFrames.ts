import { SYSTEM_ADDRESS } from '../../evm/hex.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { sameInAnyOrder } from '../../lib/lists.ts';
import type { FrameTree, PlacedLog } from './buildFrames.ts';
import { sameLog, type LogContent } from '../../traces/callNode.ts';
import type { ReceiptLog } from './readReceipt.ts';
import { momentsOfFrame, type Timeline } from './timeline.ts';

/**
 * Frame of every receipt log by the call tracer, or null where the trace cannot be used: it carries no logs
 * or positions, attributes logs to frames that cannot have emitted them, or orders them otherwise than the
 * receipt. Logs are joined by order and content, never by a tracer's own index, because some tracers count
 * reverted logs. Throws `inconsistent_upstream` when the trace's logs are not the receipt's.
 */
export function tracedFrames(
  tree: FrameTree,
  timeline: Timeline,
  logs: readonly ReceiptLog[],
): Int32Array | null {
  const { tracedLogs } = tree;
  if (tracedLogs.length === 0) return null;
  const placed = tracedLogs.length === logs.length ? inTheirFrames(tree, timeline) : null;
  if (placed?.every((log, i) => sameLog(log, logs[i]!))) return Int32Array.from(placed, ({ frame }) => frame);
  if (!sameLogs(tracedLogs, logs))
    throw new AnalysisError('inconsistent_upstream', "the trace's logs are not the receipt's");
  return null;
}

/** The logs in execution order; null where a position is missing or a frame cannot have emitted its log. */
function inTheirFrames({ frames, tracedLogs }: FrameTree, timeline: Timeline): readonly PlacedLog[] | null {
  const placed = new Int32Array(tracedLogs.length);
  let ordered = true;
  // The logs of a frame are adjacent.
  let current = -1;
  let moments: readonly number[] = [];
  for (let i = 0; i < tracedLogs.length; i++) {
    const { frame, address, position } = tracedLogs[i]!;
    if (position === null || (address !== frames[frame]!.context && address !== SYSTEM_ADDRESS)) return null;
    if (frame !== current) moments = momentsOfFrame(frames, timeline, (current = frame));
    placed[i] = moments[Math.min(position, moments.length - 1)]!;
    if (i > 0 && placed[i - 1]! > placed[i]!) ordered = false;
  }
  if (ordered) return tracedLogs;
  // Stable: logs of one moment belong to one frame and stay in its order.
  return tracedLogs
    .map((log, i) => ({ log, moment: placed[i]! }))
    .sort((a, b) => a.moment - b.moment)
    .map(({ log }) => log);
}

/** The same logs the same number of times, in any order. */
function sameLogs(traced: readonly PlacedLog[], logs: readonly ReceiptLog[]): boolean {
  if (traced.length !== logs.length) return false;
  if (traced.every((log, i) => sameLog(log, logs[i]!))) return true;
  const identity = (log: LogContent): string => `${log.address}|${log.topics.join(',')}|${log.data}`;
  return sameInAnyOrder(traced.map(identity), logs.map(identity));
}
