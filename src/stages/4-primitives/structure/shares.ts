import { claim, indexesOf, issueClaim, guessedLeg, structural } from '../../../value/claims.ts';
import { isIssuance, NATIVE_ASSET } from '../../../value/asset.ts';
import { legsByAsset } from './acts.ts';
import { around, contractOf, counterFlow, endOf, isFungible } from './context.ts';
import type { StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { DraftPrimitive, Claim } from '../../../model/primitive.ts';
import type { Movement, ValueFlow } from '../../../model/valueFlow.ts';

/** Pairings tried per share token; a deposit moves a handful of underlying assets. */
const MAX_UNDERLYING = 16;

const VAULT = { mint: 'vault_deposit', burn: 'vault_withdraw' };
const LIQUIDITY = { mint: 'add_liquidity', burn: 'remove_liquidity' };

/**
 * Deposits into and withdrawals from contracts without a known event: the account sent an asset and was
 * minted a share token, or had shares burnt and received an asset. Two underlying assets or more make it
 * pool liquidity, for which an NFT may be minted, or shares handed back to the contract that pays for them.
 * A token sale, which pays its proceeds out to a wallet, is none.
 */
export function findShareExchanges(context: StructureContext): DraftPrimitive[] {
  const found: DraftPrimitive[] = [];
  const done = new Set<string>();
  for (const m of context.flow.movements) {
    const emitter = issuerOfShares(context, m);
    const holder = emitter && holderOf(context, m, emitter);
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

/**
 * The issuer of a token that is minted, burnt or handed back here without an explanation; null for other
 * movements.
 */
function issuerOfShares(context: StructureContext, m: Movement): Address | null {
  const { explained, flow, wrappedNative, venues, shareAssets } = context;
  const emitter = contractOf(flow, m.asset);
  if (emitter === null || wrappedNative.has(emitter) || venues.has(emitter)) return null;
  if (!isIssuance(m) && !isHandedBack(flow, m, emitter)) return null;
  if (explained.has(m.index) || shareAssets.has(m.asset)) return null;
  return m.kind === 'mint' || isFungible(flow, m.asset) ? emitter : null;
}

/** Whether the issuer received the token and kept it: no burn and no further transfer follows. */
function isHandedBack(
  { movements, outgoing }: ValueFlow,
  { asset, to }: Movement,
  emitter: Address,
): boolean {
  return to === emitter && !outgoing.get(to)?.some((i) => movements[i]!.asset === asset);
}

/** The holder of the shares behind any routers; shares may be sent to the issuer before it burns them. */
function holderOf(context: StructureContext, m: Movement, emitter: Address): Address | null {
  if (m.kind === 'mint') return endOf(context, m, 'to');
  if (m.from !== emitter) return endOf(context, m, 'from');
  const last = around(context.flow, 'incoming', emitter, m.seq).findLast(
    ({ asset, seq }) => asset === m.asset && seq < m.seq,
  );
  return last ? endOf(context, last, 'from') : null;
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
  return structural({
    kind: kinds[share.kind === 'mint' ? 'mint' : 'burn'],
    seq: share.seq,
    venue: emitter,
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
  // A token that its own contract keeps of every transfer is a tax; handed back, the contract pays for it.
  if (!isIssuance(share)) return new Set(own.map((m) => m.asset)).size > 1 ? own : [];
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

/** Ether that ended with an account that received it by a plain payment and did nothing with it. */
function isPaidOut({ tx, flow, destinations, carriers }: StructureContext, m: Movement): boolean {
  if (m.asset !== NATIVE_ASSET || !carriers.has(m.to)) return false;
  const ends = new Set(destinations(m.to, m.asset));
  if (ends.size === 0 || tx.logs.some(({ address }) => ends.has(address))) return false;
  return [...ends].every((end) => {
    const paid = (flow.incoming.get(end) ?? []).map((index) => flow.movements[index]!.evidence.frame);
    return paid.every((frame) => frame !== null && tx.frames[frame]!.input === '0x');
  });
}

/**
 * The underlying of an issuer that keeps it in another contract: the holder exchanged it with an
 * unexplained account.
 */
function elsewhere(context: StructureContext, share: Movement, holder: Address): Movement[] {
  const deposit = share.kind === 'mint';
  const found = counterFlow(context, share, deposit ? 'outgoing' : 'incoming', holder)
    .filter((m) => {
      const end = endOf(context, m, deposit ? 'to' : 'from');
      return end !== null && end !== holder && !context.wrappedNative.has(end);
    })
    .slice(0, MAX_UNDERLYING);
  return deposit && found.every((m) => isPaidOut(context, m)) ? [] : found;
}
