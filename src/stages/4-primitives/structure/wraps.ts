import { claim, indexesOf, legOf, structural } from '../../../value/claims.ts';
import { groupBy } from '../../../lib/lists.ts';
import { mergeNative, NATIVE_ASSET } from '../../../value/asset.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';
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
  const natives = groupBy(flow.movements, ({ asset, from, to, amount }) =>
    asset === NATIVE_ASSET && (wrappedNative.has(from) || wrappedNative.has(to)) ? amount : null,
  );

  return tokens.map((token) => {
    const contract = flow.assets.get(token.asset)!.address!;
    const wrapping = token.kind === 'wrap';
    const account = wrapping ? token.to : token.from;
    const [from, to] = wrapping ? [account, contract] : [contract, account];
    const alike = natives.get(token.amount) ?? [];
    const at = alike.findIndex((m) => m.from === from && m.to === to);
    const ether = at < 0 ? [] : alike.splice(at, 1);
    const [taken, given] = wrapping ? [ether, [token]] : [[token], ether];
    return structural({
      kind: token.kind,
      seq: token.seq,
      venue: contract,
      roles: [{ role: 'owner', account }],
      legs: [...taken.map((m) => legOf('in', [m], account)), ...given.map((m) => legOf('out', [m], account))],
      claims: [claim('both_sides_equal', flow, [token.index], indexesOf(ether))],
      evidence: [token, ...ether].map(({ evidence }) => evidence),
    });
  });
}
