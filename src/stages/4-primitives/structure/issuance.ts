import { claim } from '../../../value/claims.ts';
import { addTo, groupBy } from '../../../lib/lists.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { transferTaxes } from './transfers.ts';
import { contractOf, isFungible, isIssuance, only, structural, type StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { Movement } from '../../../model/valueFlow.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';

/**
 * Tokens and NFTs created from or sent to nothing that no other primitive accounts for, one primitive per
 * asset and holder.
 */
export function findIssuance(context: StructureContext): DraftPrimitive[] {
  const left = context.flow.movements.filter((m) => isIssuance(m) && !context.explained.has(m.index));
  if (left.length === 0) return [];
  const taxes = transferTaxes(context);
  const groups = new Map<string, Movement[]>();
  for (const m of left) {
    if (taxes.has(m.index)) continue;
    const holder = holderOf(context, m);
    const contract = contractOf(context.flow, m.asset);
    // Other mints and burns of a share token (fees taken in shares) belong to the venue's own primitives.
    if (contract !== null && (context.venues.has(contract) || context.shareAssets.has(m.asset))) continue;
    addTo(groups, `${m.kind}|${holder}|${contract}`, m);
  }
  return [...groups.values()].map((group) => issuanceOf(context, group));
}

/** The account that received or sent the tokens, through pass-through accounts. */
function holderOf(context: StructureContext, m: Movement): Address {
  const end = only(
    m.kind === 'mint' ? context.destinations(m.to, m.asset) : context.origins(m.from, m.asset),
  );
  return end === null || end === ZERO_ADDRESS ? (m.kind === 'mint' ? m.to : m.from) : end;
}

function issuanceOf(context: StructureContext, group: readonly Movement[]): DraftPrimitive {
  const first = group[0]!;
  const minted = first.kind === 'mint';
  const holder = holderOf(context, first);
  const fungible = isFungible(context.flow, first.asset);
  return structural({
    kind: `${fungible ? 'token' : 'nft'}_${minted ? 'mint' : 'burn'}`,
    seq: first.seq,
    venue: contractOf(context.flow, first.asset) ?? first.to,
    roles: [{ role: 'owner', account: holder }],
    legs: [...groupBy(group, (m) => m.asset)].map(([asset, list]) => ({
      role: minted ? 'out' : 'in',
      asset,
      amount: list.reduce((sum, m) => sum + m.amount, 0n),
      account: holder,
      movements: list.map((m) => m.index),
      exact: true,
    })),
    invariants: [
      claim(
        minted ? 'minted_from_zero' : 'burnt_to_zero',
        context.flow,
        group.map((m) => m.index),
      ),
    ],
    tags: [],
    evidence: group.slice(0, 16).map((m) => m.evidence),
  });
}

/** Contracts created and not reverted. */
export function findDeployments(context: StructureContext): DraftPrimitive[] {
  return context.tx.frames
    .filter((f) => (f.type === 'CREATE' || f.type === 'CREATE2') && f.effective && f.to !== null)
    .map((f) =>
      structural({
        kind: 'deployment',
        seq: f.seq,
        venue: f.to!,
        roles: [{ role: 'owner', account: f.from }],
        legs: [],
        invariants: [{ name: 'code_created', holds: f.effective, operands: [{ frame: f.index }] }],
        tags: f.parent === null ? [] : ['inner'],
        evidence: [{ kind: 'frame', frame: f.index, log: null, contract: f.to! }],
      }),
    );
}
