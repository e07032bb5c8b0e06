import { lowestCommonAncestor } from '../../../value/frames.ts';
import type { Address } from '../../../model/hex.ts';
import type { Frame } from '../../../model/canonicalTx.ts';
import type { ReceiptLog } from '../readTransaction.ts';
import { alignLogs } from './alignLogs.ts';
import type { Timeline } from '../timeline.ts';
import { lowerBound } from '../../../lib/lists.ts';

interface InferredLogs {
  /** Moment of every log, never decreasing. */
  readonly moments: Int32Array;
  /** Whether the moment's frame is beyond reasonable doubt. */
  readonly certain: readonly boolean[];
  /** Smallest frame that contains every moment possible for the log; -1 where there is none. */
  readonly within: Int32Array;
}

/**
 * Places receipt logs among the calls without help from the trace. A log comes from a frame that uses its
 * emitter's storage, succeeded and may write; logs keep their order; among the moments left, the call that
 * best explains the log wins. A frame is named only where every other one fits clearly worse. Near-linear in
 * frames plus logs.
 */
export function inferLogs(
  frames: readonly Frame[],
  timeline: Timeline,
  logs: readonly ReceiptLog[],
): InferredLogs {
  const moments = new Int32Array(logs.length).fill(-1);
  const certain = logs.map(() => false);
  const candidates = findCandidates(frames, timeline, logs);
  const windows = feasibleWindows(candidates);
  for (const { log, moment, sure } of alignLogs({ frames, timeline, logs, candidates, rows: windows })) {
    moments[log] = moment;
    certain[log] = sure;
  }
  // A log with an emitter that never runs in this trace follows the log before it.
  for (const [log, moment] of moments.entries()) if (moment < 0) moments[log] = moments[log - 1] ?? 0;
  return { moments, certain, within: holdingFrames(frames, timeline, candidates, windows) };
}

/** A log with an emitter that never runs. */
const NOWHERE: Candidates = { moments: [], own: false };

/** The common ancestor of the first and the last possible frame contains all frames between them. */
function holdingFrames(
  frames: readonly Frame[],
  { running }: Timeline,
  candidates: readonly Candidates[],
  windows: readonly LogWindow[],
): Int32Array {
  const within = new Int32Array(candidates.length).fill(-1);
  if (windows.length === 0) return within;
  // Mere hints must not narrow down the others.
  const hinted = windows.some(({ log }) => !candidates[log]!.own);
  const sure = hinted ? candidates.map((c) => (c.own ? c : NOWHERE)) : candidates;
  for (const { log, first, last } of hinted ? feasibleWindows(sure) : windows) {
    const { moments } = sure[log]!;
    within[log] = lowestCommonAncestor(frames, running[moments[first]!]!, running[moments[last]!]!);
  }
  return within;
}

/** Per log, the ascending list of moments in which its emitter ran. */
function findCandidates(
  frames: readonly Frame[],
  timeline: Timeline,
  logs: readonly ReceiptLog[],
): Candidates[] {
  const own = new Map<Address, { readonly moments: number[]; readonly own: boolean }>();
  const candidates: Candidates[] = [];
  for (const { address } of logs) {
    let mine = own.get(address);
    if (!mine) own.set(address, (mine = { moments: [], own: true }));
    candidates.push(mine);
  }
  if (logs.length === 0) return candidates;
  const { running } = timeline;
  for (let moment = 0; moment < running.length; moment++) {
    const frame = frames[running[moment]!];
    if (frame && mayLog(frame)) own.get(frame.context!)?.moments.push(moment);
  }
  // A trace of value transfers alone lacks the emitter's frame, but may show its payments.
  const hasRun = ({ moments }: Candidates): boolean => moments.length > 0;
  if (candidates.every(hasRun)) return candidates;
  const payouts = findPayouts(frames, timeline, own);
  return candidates.map((mine, log) => (hasRun(mine) ? mine : (payouts.get(logs[log]!.address) ?? NOWHERE)));
}

function mayLog({ context, effective, static: isStatic, type }: Frame): boolean {
  return context !== null && effective && !isStatic && type !== 'SELFDESTRUCT';
}

/** The moments right after each emitter's payments, ascending. */
function findPayouts(
  frames: readonly Frame[],
  { exit }: Timeline,
  emitters: ReadonlyMap<Address, unknown>,
): ReadonlyMap<Address, Candidates> {
  const payouts = new Map<Address, { readonly moments: number[]; readonly own: boolean }>();
  for (const { value, from, index } of frames) {
    if (value === 0n || !emitters.has(from)) continue;
    const known = payouts.get(from);
    if (known) known.moments.push(exit[index]!);
    else payouts.set(from, { moments: [exit[index]!], own: false });
  }
  for (const { moments } of payouts.values()) moments.sort((a, b) => a - b);
  return payouts;
}

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
function feasibleWindows(candidates: readonly Candidates[]): LogWindow[] {
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
