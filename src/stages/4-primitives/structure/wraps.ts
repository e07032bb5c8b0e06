import { NATIVE_ASSET } from '../../../lib/asset.ts';
import { wrappedLanes } from '../../../lib/lanes.ts';
import type { Address } from '../../../model/hex.ts';
import type { Leg } from '../../../model/primitive.ts';
import type { Movement } from '../../../model/valueFlow.ts';
import type { Found, StructureContext } from './context.ts';

/** One primitive per wrapping or unwrapping of the native asset: the token side and the native side of it, equal in amount. */
export function findWraps(context: StructureContext): Found[] {
  const { flow } = context;
  const lanes = wrappedLanes(context.wrappedNative);
  const natives = new Map<string, Movement[]>();
  for (const m of flow.movements)
    if (m.asset === NATIVE_ASSET) push(natives, `${m.from}|${m.to}|${m.amount}`, m);

  const found: Found[] = [];
  for (const token of flow.movements) {
    if ((token.kind !== 'wrap' && token.kind !== 'unwrap') || !lanes.has(token.asset)) continue;
    const contract = flow.assets.get(token.asset)!.address!;
    const wrapping = token.kind === 'wrap';
    const account = wrapping ? token.to : token.from;
    const key = wrapping ? `${account}|${contract}|${token.amount}` : `${contract}|${account}|${token.amount}`;
    const native = natives.get(key)?.shift() ?? null;
    found.push(wrapOf(wrapping, account, contract, token, native));
  }
  return found;
}

function wrapOf(wrapping: boolean, account: Address, contract: Address, token: Movement, native: Movement | null): Found {
  const leg = (role: string, m: Movement): Leg => ({ role, asset: m.asset, amount: m.amount, account, movements: [m.index], exact: true });
  const legs = wrapping
    ? [...(native ? [leg('in', native)] : []), leg('out', token)]
    : [leg('in', token), ...(native ? [leg('out', native)] : [])];
  return {
    kind: wrapping ? 'wrap' : 'unwrap', seq: token.seq, basis: 'structure', shape: null, protocol: null,
    venue: contract, poolId: null, roles: [{ role: 'owner', account }], legs,
    invariants: [{ name: 'both_sides_equal', holds: native !== null }], tags: [],
    evidence: [token.evidence, ...(native ? [native.evidence] : [])],
  };
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}
