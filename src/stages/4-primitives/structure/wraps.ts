import { claim, legOf, structural } from '../../../value/claims.ts';
import { addTo } from '../../../lib/lists.ts';
import { mergeNative, NATIVE_ASSET } from '../../../value/asset.ts';
import type { Address } from '../../../model/hex.ts';
import type { DraftPrimitive, Leg } from '../../../model/primitive.ts';
import type { Movement, ValueFlow } from '../../../model/valueFlow.ts';
import type { StructureContext } from './context.ts';

/**
 * One primitive per wrapping or unwrapping of the native asset: the token side and the native side of it,
 * equal in amount.
 */
export function findWraps(context: StructureContext): DraftPrimitive[] {
  const { flow, wrappedNative } = context;
  const tokens = flow.movements.filter(
    (m) => (m.kind === 'wrap' || m.kind === 'unwrap') && mergeNative(m.asset, wrappedNative) === NATIVE_ASSET,
  );
  if (tokens.length === 0) return [];
  const natives = new Map<string, Movement[]>();
  for (const m of flow.movements)
    if (m.asset === NATIVE_ASSET) addTo(natives, `${m.from}|${m.to}|${m.amount}`, m);

  return tokens.map((token) => {
    const contract = flow.assets.get(token.asset)!.address!;
    const wrapping = token.kind === 'wrap';
    const account = wrapping ? token.to : token.from;
    const key = wrapping
      ? `${account}|${contract}|${token.amount}`
      : `${contract}|${account}|${token.amount}`;
    return wrapOf(flow, { account, contract }, token, natives.get(key)?.shift() ?? null);
  });
}

function wrapOf(
  flow: ValueFlow,
  { account, contract }: { readonly account: Address; readonly contract: Address },
  token: Movement,
  native: Movement | null,
): DraftPrimitive {
  const wrapping = token.kind === 'wrap';
  const leg = (role: string, m: Movement): Leg => legOf(role, [m], account);
  const legs = wrapping
    ? [...(native ? [leg('in', native)] : []), leg('out', token)]
    : [leg('in', token), ...(native ? [leg('out', native)] : [])];
  return structural({
    kind: wrapping ? 'wrap' : 'unwrap',
    seq: token.seq,
    venue: contract,
    roles: [{ role: 'owner', account }],
    legs,
    invariants: [claim('both_sides_equal', flow, [token.index], native ? [native.index] : [])],
    tags: [],
    evidence: native ? [token.evidence, native.evidence] : [token.evidence],
  });
}
