import { isRecognised } from '../lib/motifKinds.ts';
import { SHARE_ROLES } from '../lib/roles.ts';
import type { Frame } from '../model/canonicalTx.ts';
import type { JoinReason, Primitive } from '../model/primitive.ts';

/** The rules that decide between two events, calls or acts that want the same side of a movement. */
export interface Rival {
  /** An event that states the amounts of its movements, position tokens aside. */
  readonly exact: boolean;
  /** Emitted by a contract that the rules know by address or creation. */
  readonly listed: boolean;
  /** Of the frame that holds the evidence; -1 where the trace does not show it. */
  readonly depth: number;
  /** Place in execution. */
  readonly seq: number;
}

export function rivalOf(
  { basis, protocol, legs, seq }: Pick<Primitive, 'basis' | 'protocol' | 'legs' | 'seq'>,
  frame: number | null,
  frames: readonly Frame[],
): Rival {
  const own = legs.filter(({ role }) => !SHARE_ROLES.has(role));
  return {
    exact: basis === 'event' && own.length > 0 && own.every(({ exact }) => exact),
    listed: isRecognised(protocol),
    depth: frame === null ? -1 : frames[frame]!.path.length,
    seq,
  };
}

/**
 * The winner of a side that two want: a listed emitter, then an exact match of event and amount, then the
 * innermost frame, then the first in execution. `order` is below zero where `a` wins.
 */
export function decide(a: Rival, b: Rival): { readonly order: number; readonly reason: JoinReason } {
  if (a.listed !== b.listed) return { order: a.listed ? -1 : 1, reason: 'listed' };
  if (a.exact !== b.exact) return { order: a.exact ? -1 : 1, reason: 'exact' };
  if (a.depth !== b.depth) return { order: b.depth - a.depth, reason: 'inner' };
  return { order: a.seq - b.seq, reason: 'first' };
}
