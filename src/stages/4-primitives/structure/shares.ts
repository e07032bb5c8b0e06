import { claim } from '../../../value/claims.ts';
import { mergeNative, NATIVE_ASSET } from '../../../value/asset.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { legOf, legsByAsset } from './acts.ts';
import {
  around,
  contractOf,
  isFungible,
  isIssuance,
  only,
  structural,
  type StructureContext,
} from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { Invariant } from '../../../model/primitive.ts';
import type { Movement } from '../../../model/valueFlow.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';

/** Pairings tried per share token; a deposit moves a handful of underlying assets. */
const MAX_UNDERLYING = 16;
/** Movements of one account examined on either side of the mint or burn. */
const MAX_NEAR = 32;

const VAULT = { mint: 'vault_deposit', burn: 'vault_withdraw' };
const LIQUIDITY = { mint: 'add_liquidity', burn: 'remove_liquidity' };

/**
 * Deposits into and withdrawals from contracts without a known event: the account sent an asset and was
 * minted a share token, or had shares burnt and received an asset. Two underlying assets or more make it
 * pool liquidity, for which an NFT may be minted, or a share handed to its own contract and kept there. A
 * token sale, which pays its proceeds out to a wallet, is none.
 */
export function findShareExchanges(context: StructureContext): DraftPrimitive[] {
  return shareExchanges(context, false);
}

/** Those of pool liquidity alone: two assets for one share say more than any word of an event. */
export function findLiquidityExchanges(context: StructureContext): DraftPrimitive[] {
  return shareExchanges(context, true);
}

function shareExchanges(context: StructureContext, liquidityOnly: boolean): DraftPrimitive[] {
  const found: DraftPrimitive[] = [];
  const done = new Set<string>();
  for (const m of context.flow.movements) {
    const emitter = issuerOfShares(context, m);
    if (emitter === null) continue;
    const holder = holderOf(context, m, emitter);
    if (!holder || holder === ZERO_ADDRESS || done.has(`${m.kind}|${emitter}|${holder}`)) continue;
    done.add(`${m.kind}|${emitter}|${holder}`);
    const exchange = exchangeOf(context, m, emitter, holder);
    if (exchange && !(liquidityOnly && isVault(exchange))) found.push(exchange);
  }
  return found;
}

function isVault({ kind }: DraftPrimitive): boolean {
  return kind === VAULT.mint || kind === VAULT.burn;
}

/**
 * The issuer of a token that is minted, burnt or handed back here without an explanation; null for other
 * movements.
 */
function issuerOfShares(context: StructureContext, m: Movement): Address | null {
  const emitter = contractOf(context.flow, m.asset);
  if (!(isIssuance(m) || m.to === emitter) || context.explained.has(m.index)) return null;
  const wrapped = mergeNative(m.asset, context.wrappedNative) === NATIVE_ASSET;
  if (wrapped || (m.kind !== 'mint' && !isFungible(context.flow, m.asset))) return null;
  if (emitter === null || context.venues.has(emitter) || context.shareAssets.has(m.asset)) return null;
  return m.kind === 'transfer' && isBurnt(context, m) ? null : emitter;
}

/** Whether the issuer burns the shares that it received: then they end there. */
function isBurnt({ flow }: StructureContext, { asset, to }: Movement): boolean {
  return (flow.outgoing.get(to) ?? []).some((i) => flow.movements[i]!.asset === asset);
}

/** The holder of the shares behind any routers; shares may be sent to the issuer before it burns them. */
function holderOf(context: StructureContext, m: Movement, emitter: Address): Address | null {
  if (m.kind === 'mint') return only(context.destinations(m.to, m.asset));
  if (m.from !== emitter || m.kind === 'transfer') return only(context.origins(m.from, m.asset));
  const senders = around(context.flow, context.flow.incoming.get(emitter), m.seq, MAX_NEAR).filter(
    (t) => t.asset === m.asset && t.seq < m.seq,
  );
  const last = senders.at(-1);
  return last ? only(context.origins(last.from, m.asset)) : null;
}

function exchangeOf(
  context: StructureContext,
  share: Movement,
  emitter: Address,
  holder: Address,
): DraftPrimitive | null {
  const deposit = share.kind === 'mint';
  const parties = new Set<Address>([holder, context.tx.from]);
  const counterFlow = (at: Address): Movement[] =>
    around(context.flow, context.flow[deposit ? 'incoming' : 'outgoing'].get(at), share.seq, MAX_NEAR)
      .filter((m) => {
        if (m.asset === share.asset || context.explained.has(m.index) || !isFungible(context.flow, m.asset))
          return false;
        const other = only(deposit ? context.origins(m.from, m.asset) : context.destinations(m.to, m.asset));
        return other !== null && parties.has(other);
      })
      .slice(0, MAX_UNDERLYING);

  const own = counterFlow(emitter);
  const atIssuer = own.length > 0 ? [...own, ...convertedParts(context, share, emitter, own)] : [];
  const underlying = atIssuer.length > 0 ? atIssuer : elsewhere(context, share, holder, deposit);
  if (underlying.length === 0) return null;
  const custody = new Set(underlying.map((m) => (deposit ? m.to : m.from)));
  const liquidity = new Set(underlying.map((m) => m.asset)).size > 1;
  const position = !isFungible(context.flow, share.asset);
  if (!liquidity && (position || share.kind === 'transfer')) return null;
  // A purchase with two tokens ends with the seller; a position's assets lie in one pool.
  if (position && (atIssuer.length > 0 || custody.size !== 1)) return null;
  return structural({
    kind: (liquidity ? LIQUIDITY : VAULT)[deposit ? 'mint' : 'burn'],
    seq: share.seq,
    venue: emitter,
    roles: [{ role: 'owner', account: ownerOf(context, holder, underlying, deposit) }],
    legs: [
      ...legsByAsset(underlying, holder, () => (deposit ? 'in' : 'out')),
      legOf(deposit ? 'share_out' : 'share_in', [share], holder),
    ],
    invariants: shareClaims(context, share, underlying, deposit),
    tags: ['structural'],
    evidence: [share.evidence, ...underlying.map((m) => m.evidence)],
  });
}

function shareClaims(
  { flow }: StructureContext,
  share: Movement,
  underlying: readonly Movement[],
  deposit: boolean,
): Invariant[] {
  const moved = underlying.map(({ index }) => index);
  const [taken, given] = deposit ? [moved, []] : [[], moved];
  return [
    claim(deposit ? 'minted_from_zero' : 'burnt_to_zero', flow, [share.index]),
    claim('single_venue', flow, taken, given),
    claim('issuer_holds_underlying', flow, moved, [share.index]),
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
 * Other assets that the issuer exchanged with the same account: a router that swaps one side of a pool's
 * assets before it deposits them, or after it withdrew them.
 */
function convertedParts(
  context: StructureContext,
  share: Movement,
  emitter: Address,
  own: readonly Movement[],
): Movement[] {
  const { flow } = context;
  const deposit = share.kind === 'mint';
  const other = (m: Movement): Address => (deposit ? m.from : m.to);
  const partners = new Set(own.map(other));
  const assets = new Set(own.map((m) => m.asset));
  return around(flow, flow[deposit ? 'incoming' : 'outgoing'].get(emitter), share.seq, MAX_NEAR).filter(
    (m) =>
      m.kind === 'transfer' &&
      m.asset !== share.asset &&
      !assets.has(m.asset) &&
      !context.explained.has(m.index) &&
      isFungible(flow, m.asset) &&
      partners.has(other(m)),
  );
}

/**
 * Shares that went straight on into another venue, or came out of one, belong to the account at the asset's
 * end.
 */
function ownerOf(
  context: StructureContext,
  holder: Address,
  underlying: readonly Movement[],
  deposit: boolean,
): Address {
  if (!context.venues.has(holder)) return holder;
  const { from, to, asset } = underlying[0]!;
  const end = only(deposit ? context.origins(from, asset) : context.destinations(to, asset));
  return end === null || end === ZERO_ADDRESS ? holder : end;
}

/**
 * The underlying of an issuer that keeps it in another contract: the holder exchanged it with an
 * unexplained account.
 */
function elsewhere(
  context: StructureContext,
  share: Movement,
  holder: Address,
  deposit: boolean,
): Movement[] {
  const { flow } = context;
  const found = around(flow, flow[deposit ? 'outgoing' : 'incoming'].get(holder), share.seq, MAX_NEAR)
    .filter((m) => {
      const other = deposit ? m.to : m.from;
      if (
        m.asset === share.asset ||
        m.kind !== 'transfer' ||
        context.explained.has(m.index) ||
        !isFungible(flow, m.asset)
      )
        return false;
      const end = only(deposit ? context.destinations(other, m.asset) : context.origins(other, m.asset));
      return end !== null && end !== holder && end !== ZERO_ADDRESS && !context.wrappedNative.has(end);
    })
    .slice(0, MAX_UNDERLYING);
  return deposit && found.every((m) => isPaidOut(context, m)) ? [] : found;
}
