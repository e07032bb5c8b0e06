import type { Frame } from '../../model/canonicalTx.ts';

/**
 * Execution as a row of moments. Every frame begins and ends once; moment `m` is the stretch after the m-th
 * of those 2n boundaries. A log falls into exactly one moment, and the frame running then is its emitter.
 */
export interface Timeline {
  /** Moment that begins when the frame is entered. */
  readonly entry: Int32Array;
  /** Moment that begins when the frame returns. */
  readonly exit: Int32Array;
  /** Frame running during a moment; -1 after the root has returned. */
  readonly running: Int32Array;
}

export function buildTimeline(frames: readonly Frame[]): Timeline {
  const entry = new Int32Array(frames.length);
  const exit = new Int32Array(frames.length);
  const running = new Int32Array(frames.length * 2);
  let moment = 0;
  const leave = (index: number): void => {
    exit[index] = moment;
    running[moment++] = frames[index]!.parent ?? -1;
  };
  let open = -1;
  for (const frame of frames) {
    for (const parent = frame.parent ?? -1; open !== parent; open = frames[open]!.parent ?? -1) leave(open);
    entry[frame.index] = moment;
    running[moment++] = frame.index;
    open = frame.index;
  }
  for (; open !== -1; open = frames[open]!.parent ?? -1) leave(open);
  return { entry, exit, running };
}

/** Moments of a frame by the number of kept children before: `momentsOf(f)[2]` follows its second child. */
export function momentsOfFrame(frames: readonly Frame[], timeline: Timeline, frame: number): number[] {
  const moments = [timeline.entry[frame]!];
  for (let child = frame + 1; child < frames[frame]!.end; child = frames[child]!.end)
    moments.push(timeline.exit[child]!);
  return moments;
}
