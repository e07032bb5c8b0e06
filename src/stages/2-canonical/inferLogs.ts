import { jointFrame } from '../../lib/jointFrame.ts';
import type { Address } from '../../model/hex.ts';
import type { Frame } from '../../model/canonicalTx.ts';
import { LogAffinity, statementOf } from './logAffinity.ts';
import type { ReceiptLog } from './readReceipt.ts';
import { alignLogs } from './alignLogs.ts';
import { feasibleWindows, type Candidates } from './logWindows.ts';
import type { Timeline } from './timeline.ts';

export interface InferredLogs {
  /** Moment of every log, never decreasing. */
  readonly moments: Int32Array;
  /** Whether the moment's frame is beyond reasonable doubt. */
  readonly certain: readonly boolean[];
  /** Smallest frame that holds every moment which the emitter's frames and the order of the logs leave possible; -1 where there is none. */
  readonly within: Int32Array;
}

/**
 * Places receipt logs among the calls without help from the trace. A log can only come from a frame that acts on its emitter's storage,
 * lasted and may write; logs keep their order; among the moments left, the one whose call best explains the log wins.
 * A frame is claimed only where every other one fits clearly worse. Near-linear in frames plus logs.
 */
export function inferLogs(frames: readonly Frame[], timeline: Timeline, logs: readonly ReceiptLog[]): InferredLogs {
  const moments = new Int32Array(logs.length);
  const certain = new Array<boolean>(logs.length).fill(false);
  const candidates = findCandidates(frames, timeline, logs);
  const placed = alignLogs(candidates, logs.map(statementOf), new LogAffinity(frames), timeline);
  for (const { log, moment, sure } of placed) {
    moments[log] = moment;
    certain[log] = sure;
  }
  // A log whose emitter never runs in this trace stands right after the one before it.
  const known = new Set(placed.map(({ log }) => log));
  for (let i = 1; i < logs.length; i++) if (!known.has(i)) moments[i] = moments[i - 1]!;
  return { moments, certain, within: holdingFrames(frames, timeline, candidates) };
}

/** What runs between two moments runs inside whatever holds both. */
function holdingFrames(frames: readonly Frame[], { running }: Timeline, candidates: readonly Candidates[]): Int32Array {
  const within = new Int32Array(candidates.length).fill(-1);
  // Mere hints must not narrow down the others.
  const sure = candidates.map((c) => (c.own ? c : { ...c, moments: [] }));
  for (const { log, first, last } of feasibleWindows(sure)) {
    const { moments } = sure[log]!;
    within[log] = jointFrame(frames, running[moments[first]!]!, running[moments[last]!]!);
  }
  return within;
}

/** Per log, the ascending list of moments in which its emitter could have spoken. */
function findCandidates(frames: readonly Frame[], timeline: Timeline, logs: readonly ReceiptLog[]): Candidates[] {
  const emitters = new Set(logs.map((log) => log.address));
  const own = new Map<Address, number[]>();
  const payouts = new Map<Address, number[]>();
  const add = (map: Map<Address, number[]>, emitter: Address, moment: number): void => {
    const list = map.get(emitter);
    if (list) list.push(moment);
    else map.set(emitter, [moment]);
  };
  for (const [moment, running] of timeline.running.entries()) {
    if (running >= 0) {
      const { context, effective, static: isStatic, type } = frames[running]!;
      if (context !== null && effective && !isStatic && type !== 'SELFDESTRUCT' && emitters.has(context)) add(own, context, moment);
    }
  }
  for (const frame of frames) if (frame.value > 0n && emitters.has(frame.from)) add(payouts, frame.from, timeline.exit[frame.index]!);
  for (const list of payouts.values()) list.sort((a, b) => a - b);
  return logs.map((log) => {
    const mine = own.get(log.address);
    if (mine) return { moments: mine, own: true };
    // A trace of value transfers alone lacks the emitter's frame, but may show what it paid out.
    return { moments: payouts.get(log.address) ?? [], own: false };
  });
}
