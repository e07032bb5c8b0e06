import { only } from '../../../lib/lists.ts';
import { claim, indexesOf, issueClaim, legOf, structural } from '../../../value/claims.ts';
import { isIssuance, mergeNative, NATIVE_ASSET } from '../../../value/asset.ts';
import { legsByAsset, contractOf, counterFlow, endOf, isFungible, type StructureContext } from './context.ts';
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
 * pool liquidity.
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

/** The issuer of a token that is minted or burnt here without an explanation; null for other movements. */
function issuerOfShares(context: StructureContext, m: Movement): Address | null {
  const { claimed, flow, wrappedNative, venues, shareAssets } = context;
  const emitter = contractOf(flow, m.asset);
  if (emitter === null || wrappedNative.has(emitter) || venues.has(emitter)) return null;
  if (!isIssuance(m)) return null;
  if (claimed.has(m.index) || shareAssets.has(m.asset)) return null;
  return isFungible(flow, m.asset) ? emitter : null;
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
    legs: [...legsByAsset(underlying, holder, () => role), legOf(shares, [share], holder, false)],
    claims: shareClaims(context, share, indexesOf(underlying)),
    tags: ['structural'],
    evidence: [share.evidence, ...underlying.map((m) => m.evidence)],
  });
}

/** The assets that a share was made of, or gave back. */
function underlyingOf(
  context: StructureContext,
  share: Movement,
  emitter: Address,
  holder: Address,
): readonly Movement[] {
  const [far, side] = share.kind === 'mint' ? (['from', 'incoming'] as const) : (['to', 'outgoing'] as const);
  const parties = new Set<Address | null>([holder, context.tx.from]);
  const own = counterFlow(context, share, side, emitter)
    .filter((m) => parties.has(endOf(context, m, far)))
    .slice(0, MAX_UNDERLYING);
  return own.length > 0 ? own : elsewhere(context, share, holder);
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
      return end !== null && end !== holder && !context.wrappedNative.has(end);
    })
    .slice(0, MAX_UNDERLYING);
  // Tokens sold: a wallet has the proceeds.
  return deposit && found.every((m) => context.carriers.has(m.to) && isPaidOut(context, m)) ? [] : found;
}

/** Ether that ended with an account that received it by a plain payment and did nothing with it. */
function isPaidOut(context: StructureContext, { asset, to }: Movement): boolean {
  const { tx, flow, destinations, wrappedNative } = context;
  if (mergeNative(asset, wrappedNative) !== NATIVE_ASSET) return false;
  const ends = new Set(destinations(to, asset));
  if (ends.size === 0 || tx.logs.some(({ address }) => ends.has(address))) return false;
  return [...ends].every((end) => {
    const paid = (flow.incoming.get(end) ?? []).map((index) => flow.movements[index]!.evidence.frame);
    return paid.every((frame) => frame !== null && tx.frames[frame]!.input === '0x');
  });
}
