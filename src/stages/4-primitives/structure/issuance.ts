import { isIssuance } from '../../../value/asset.ts';
import { frameEvidence } from '../../../lib/evidence.ts';
import { deploymentsIn } from '../../../value/frames.ts';
import { evaluate, indexesOf, issueClaim, structural } from '../../../value/claims.ts';
import { addTo } from '../../../lib/lists.ts';
import { legsByAsset } from './acts.ts';
import { contractOf, endOf, isFungible, type StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { Movement } from '../../../model/valueFlow.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';

/**
 * Tokens and NFTs created from or sent to nothing that no other primitive accounts for, one primitive per
 * asset and holder.
 */
export function findIssuance(context: StructureContext): DraftPrimitive[] {
  const { movements, taxes } = context.flow;
  const left = movements.filter((m) => isIssuance(m) && !context.claimed.has(m.index) && !taxes.has(m.index));
  if (left.length === 0) return [];
  const groups = new Map<string, Movement[]>();
  for (const m of left) {
    const holder = holderOf(context, m);
    const contract = contractOf(context.flow, m.asset);
    // Other mints and burns of a share token (fees taken in shares) belong to the venue's own primitives.
    if (contract !== null && (context.venues.has(contract) || context.shareAssets.has(m.asset))) continue;
    // So do tokens that a venue took and burns.
    if (m.kind === 'burn' && context.venues.has(m.from)) continue;
    addTo(groups, `${m.kind}|${holder}|${contract}`, m);
  }
  return [...groups.values()].map((group) => issuanceOf(context, group));
}

/** The account that received or sent the tokens, through pass-through accounts but not into a venue. */
function holderOf(context: StructureContext, m: Movement): Address {
  const side = m.kind === 'mint' ? 'to' : 'from';
  const end = endOf(context, m, side);
  return end === null || context.venues.has(end) ? m[side] : end;
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
    legs: legsByAsset(group, holder, () => (minted ? 'out' : 'in')),
    claims: [issueClaim(context.flow, indexesOf(group))],
    evidence: group.slice(0, 16).map((m) => m.evidence),
  });
}

/** Contracts created, with code at the end. */
export function findDeployments(context: StructureContext): DraftPrimitive[] {
  return deploymentsIn(context.tx.frames).map((f) =>
    structural({
      kind: 'deployment',
      seq: f.seq,
      venue: f.to!,
      roles: [{ role: 'owner', account: f.from }],
      claims: [evaluate('code_created', f, [{ frame: f.index }])],
      tags: f.parent === null ? [] : ['inner'],
      evidence: [frameEvidence(f, f.to!)],
    }),
  );
}
