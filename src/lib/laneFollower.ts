import { mergedLane, wrappedLanes } from './lanes.ts';
import type { Address } from '../model/hex.ts';
import type { AssetId, ValueFlow } from '../model/valueFlow.ts';

/** Accounts and movements looked at per question: chains of routers are short, a hostile maze is not worth walking. */
const MAX_WALK = 256;
const MAX_EDGES = 4_096;

/**
 * Follows one lane along the value-flow graph's edges from an account through pass-through accounts, backwards (`incoming`)
 * or forwards, to where it stops: the account itself unless it is one of them. Native and wrapped native are one lane.
 * Remembers its answers; the answer is empty where the chain gets too long to follow.
 */
export function laneFollower(
  flow: ValueFlow, wrappedNative: ReadonlySet<Address>, passThrough: ReadonlySet<Address>, side: 'incoming' | 'outgoing',
): (account: Address, asset: AssetId) => ReadonlySet<Address> {
  const wrapped = wrappedLanes(wrappedNative);
  const find = side === 'incoming' ? 'findInEdge' : 'findOutEdge';
  const memo = new Map<string, ReadonlySet<Address>>();
  return (account, asset) => {
    // Most accounts are no pass-through: where they stand no lane needs to be told apart.
    if (!passThrough.has(account)) return onlyItself(account, memo);
    const lane = mergedLane(asset, wrapped);
    const key = `${account}|${lane}`;
    const known = memo.get(key);
    if (known) return known;
    const ends = new Set<Address>();
    const seen = new Set<Address>([account]);
    let edges = 0;
    for (const here of seen) {
      if (!passThrough.has(here)) {
        ends.add(here);
        continue;
      }
      flow.graph[find](here, (_edge, { from, to, asset, kind }) => {
        if (++edges > MAX_EDGES || seen.size > MAX_WALK) return true;
        const next = side === 'incoming' ? from : to;
        if (mergedLane(asset, wrapped) === lane && kind !== 'wrap' && kind !== 'unwrap' && !wrappedNative.has(next)) seen.add(next);
      });
    }
    const answer = edges > MAX_EDGES || seen.size > MAX_WALK ? new Set<Address>() : ends;
    memo.set(key, answer);
    return answer;
  };
}

function onlyItself(account: Address, memo: Map<string, ReadonlySet<Address>>): ReadonlySet<Address> {
  let answer = memo.get(account);
  if (!answer) memo.set(account, (answer = new Set([account])));
  return answer;
}
