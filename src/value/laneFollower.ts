import { mergedLane, wrappedLanes } from './lanes.ts';
import type { Address } from '../model/hex.ts';
import type { AssetId, Movement, ValueFlow } from '../model/valueFlow.ts';

/** Accounts and movements looked at per question: chains of routers are short, a hostile maze is not worth walking. */
const MAX_WALK = 256;
const MAX_EDGES = 4_096;

const TOO_LONG: readonly Address[] = [];

/** Where value came from or went to, each account once. */
export type LaneFollower = (account: Address, asset: AssetId) => readonly Address[];

type Side = 'incoming' | 'outgoing';

/** Whether a movement carries the lane on, given the account at its other end. */
type Carries = (movement: Movement, next: Address) => boolean;

/**
 * Follows one lane from an account through pass-through accounts, backwards (`incoming`) or forwards, to where it stops:
 * the account itself unless it is one of them. Native and wrapped native are one lane. Remembers its answers; the answer is
 * empty where the chain gets too long to follow.
 */
export function laneFollower(
  flow: ValueFlow,
  wrappedNative: ReadonlySet<Address>,
  passThrough: ReadonlySet<Address>,
  side: Side,
): LaneFollower {
  const wrapped = wrappedLanes(wrappedNative);
  const lanes = new Map<AssetId, Map<Address, readonly Address[]>>();
  return (account, asset) => {
    // Most accounts are no pass-through: where they stand no lane needs to be told apart.
    if (!passThrough.has(account)) return [account];
    const lane = mergedLane(asset, wrapped);
    let answers = lanes.get(lane);
    if (!answers) lanes.set(lane, (answers = new Map()));
    let answer = answers.get(account);
    if (!answer) {
      const carries: Carries = (m, next) =>
        mergedLane(m.asset, wrapped) === lane &&
        m.kind !== 'wrap' &&
        m.kind !== 'unwrap' &&
        !wrappedNative.has(next);
      answers.set(account, (answer = follow(flow, account, passThrough, side, carries)));
    }
    return answer;
  };
}

/** Most routers deal with nobody who passes on too: then their own list of movements tells, and no graph is needed. */
function follow(
  flow: ValueFlow,
  account: Address,
  passThrough: ReadonlySet<Address>,
  side: Side,
  carries: Carries,
): readonly Address[] {
  const near = neighbours(flow, account, side, carries);
  if (near === null) return TOO_LONG;
  for (const next of near) if (passThrough.has(next)) return walk(flow, account, passThrough, side, carries);
  return near;
}

/** Who stands at the other ends, in the order in which they first dealt with the account; null for too many. */
function neighbours(flow: ValueFlow, account: Address, side: Side, carries: Carries): Address[] | null {
  const own = flow[side].get(account) ?? [];
  if (own.length > MAX_EDGES) return null;
  const met = new Map<Address, boolean>();
  for (const index of own) {
    const movement = flow.movements[index]!;
    const next = side === 'incoming' ? movement.from : movement.to;
    if (carries(movement, next)) met.set(next, true);
    else if (!met.has(next)) met.set(next, false);
  }
  const near: Address[] = [];
  for (const [next, carried] of met) if (carried) near.push(next);
  return near.length >= MAX_WALK ? null : near;
}

/** Along the edges of the value-flow graph. */
function walk(
  { graph }: ValueFlow,
  account: Address,
  passThrough: ReadonlySet<Address>,
  side: Side,
  carries: Carries,
): readonly Address[] {
  const find = side === 'incoming' ? 'findInEdge' : 'findOutEdge';
  const ends: Address[] = [];
  const seen = new Set<Address>([account]);
  let edges = 0;
  for (const here of seen) {
    if (!passThrough.has(here)) {
      ends.push(here);
      continue;
    }
    graph[find](here, (_edge, movement) => {
      if (++edges > MAX_EDGES || seen.size > MAX_WALK) return true;
      const next = side === 'incoming' ? movement.from : movement.to;
      if (carries(movement, next)) seen.add(next);
    });
  }
  return edges > MAX_EDGES || seen.size > MAX_WALK ? TOO_LONG : ends;
}
