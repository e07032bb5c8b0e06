import { only } from '../../../lib/lists.ts';
import { claim, indexesOf, issueClaim, guessedLeg, structural } from '../../../value/claims.ts';
import { isIssuance } from '../../../value/asset.ts';
import { legsByAsset, contractOf, counterFlow, endOf, isFungible, type StructureContext } from './context.ts';
import { isPaidOut } from './transfers.ts';
import type { Address } from '../../../model/hex.ts';
import type { DraftPrimitive, Claim } from '../../../model/primitive.ts';
import type { Movement } from '../../../model/valueFlow.ts';

/** Pairings tried per share token; a deposit moves a handful of underlying assets. */
const MAX_UNDERLYING = 16;

const VAULT = { mint: 'vault_deposit', burn: 'vault_withdraw' };
const LIQUIDITY = { mint: 'add_liquidity', burn: 'remove_liquidity' };

/**
 * Deposits into and withdrawals from contracts without a known event: the account sent an asset and was
 * minted a share token, or had shares burnt and received an asset. Two underlying assets or more make it
 * pool liquidity, for which an NFT may be minted.
 */
export function findShareExchanges(context: StructureContext): DraftPrimitive[] {
  const found: DraftPrimitive[] = [];
  const done = new Set<string>();
  for (const m of context.flow.movements) {
    const emitter = issuerOfShares(context, m);
    const holder = emitter && endOf(context, m, m.kind === 'mint' ? 'to' : 'from');
    if (!holder || done.has(`${m.kind}|${emitter}|${holder}`)) continue;
    done.add(`${m.kind}|${emitter}|${holder}`);
    const exchange = exchangeOf(context, m, emitter, holder);
    if (exchange) found.push(exchange);
  }
  return found;
}

/** Those of pool liquidity alone: two assets for one share say more than any word of an event. */
export function findLiquidityExchanges(context: StructureContext): DraftPrimitive[] {
  return findShareExchanges(context).filter(({ kind }) => Object.values(LIQUIDITY).includes(kind));
}

/** The issuer of a token that is minted or burnt here without an explanation; null for other movements. */
function issuerOfShares(context: StructureContext, m: Movement): Address | null {
  const { claimed, flow, venues, shareAssets } = context;
  const emitter = contractOf(flow, m.asset);
  if (emitter === null || flow.wrappedNative.has(emitter) || venues.has(emitter)) return null;
  if (!isIssuance(m)) return null;
  if (claimed.has(m.index) || shareAssets.has(m.asset)) return null;
  return m.kind === 'mint' || isFungible(flow, m.asset) ? emitter : null;
}

function exchangeOf(
  context: StructureContext,
  share: Movement,
  emitter: Address,
  holder: Address,
): DraftPrimitive | null {
  const [far, role, shares] =
    share.kind === 'mint' ? (['from', 'in', 'share_out'] as const) : (['to', 'out', 'share_in'] as const);
  const underlying = underlyingOf(context, share, emitter, holder);
  if (underlying.length === 0) return null;
  const kinds = new Set(underlying.map((m) => m.asset)).size > 1 ? LIQUIDITY : VAULT;
  // Shares that went straight on into another venue, or came out of one, belong to the account behind the
  // asset.
  const owner = (context.venues.has(holder) ? endOf(context, underlying[0]!, far) : null) ?? holder;
  // The contract that holds the asset, where the issuer does not: nothing was put into a mere token.
  const ends = new Set(underlying.map((m) => endOf(context, m, role === 'in' ? 'to' : 'from')));
  const end = only([...ends]);
  const isWallet = end === null || end === context.tx.from || end === holder || context.customers.has(end);
  return structural({
    kind: kinds[share.kind === 'mint' ? 'mint' : 'burn'],
    seq: share.seq,
    venue: ends.has(emitter) || isWallet ? emitter : end,
    roles: [{ role: 'owner', account: owner }],
    legs: [...legsByAsset(underlying, holder, () => role), guessedLeg(shares, [share], holder)],
    claims: shareClaims(context, share, indexesOf(underlying)),
    tags: ['structural'],
    evidence: [share.evidence, ...underlying.map((m) => m.evidence)],
  });
}

/** The assets that a share was made of, or gave back; none where they show a purchase. */
function underlyingOf(
  context: StructureContext,
  share: Movement,
  emitter: Address,
  holder: Address,
): readonly Movement[] {
  const [far, near, side] =
    share.kind === 'mint' ? (['from', 'to', 'incoming'] as const) : (['to', 'from', 'outgoing'] as const);
  const parties = new Set<Address | null>([holder, context.tx.from]);
  const own = counterFlow(context, share, side, emitter)
    .filter((m) => parties.has(endOf(context, m, far)))
    .slice(0, MAX_UNDERLYING);
  const all = own.length > 0 ? own : elsewhere(context, share, holder);
  if (isFungible(context.flow, share.asset)) return all;
  // A purchase with two tokens ends with the seller; a position's assets lie in one pool.
  const isOfOnePool = own.length === 0 && new Set(all.map((m) => m[near])).size === 1;
  return isOfOnePool && new Set(all.map((m) => m.asset)).size > 1 ? all : [];
}

function shareClaims(
  { flow }: StructureContext,
  { kind, index }: Movement,
  moved: readonly number[],
): Claim[] {
  return [
    issueClaim(flow, [index]),
    kind === 'mint' ? claim('single_venue', flow, moved) : claim('single_venue', flow, [], moved),
    claim('issuer_holds_underlying', flow, moved, [index]),
  ];
}

/** The underlying of an issuer that keeps it elsewhere: exchanged with an unexplained account. */
function elsewhere(context: StructureContext, share: Movement, holder: Address): Movement[] {
  const deposit = share.kind === 'mint';
  const found = counterFlow(context, share, deposit ? 'outgoing' : 'incoming', holder)
    .filter((m) => {
      const end = endOf(context, m, deposit ? 'to' : 'from');
      return end !== null && end !== holder && !context.flow.wrappedNative.has(end);
    })
    .slice(0, MAX_UNDERLYING);
  // Tokens sold: a wallet has the proceeds.
  return deposit && found.every((m) => context.carriers.has(m.to) && isPaidOut(context, m)) ? [] : found;
}
