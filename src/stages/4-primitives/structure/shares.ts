import { claim, indexesOf, issueClaim, guessedLeg, structural } from '../../../value/claims.ts';
import { NATIVE_ASSET, isIssuance, mergeNative } from '../../../value/asset.ts';
import { legsByAsset } from './acts.ts';
import { around, contractOf, counterFlow, endOf, isFungible } from './context.ts';
import type { StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { DraftPrimitive, Invariant } from '../../../model/primitive.ts';
import type { Movement } from '../../../model/valueFlow.ts';

/** Pairings tried per share token; a deposit moves a handful of underlying assets. */
const MAX_UNDERLYING = 16;

const VAULT = { mint: 'vault_deposit', burn: 'vault_withdraw' };
const LIQUIDITY = { mint: 'add_liquidity', burn: 'remove_liquidity' };

/**
 * Deposits into and withdrawals from contracts without a known event: the account sent an asset and was
 * minted a share token, or had shares burnt and received an asset. Two underlying assets or more make it
 * pool liquidity, for which an NFT may be minted. A token sale, which pays its proceeds out to a wallet, is
 * none.
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

/** The issuer of a token that is minted or burnt here without an explanation; null for other movements. */
function issuerOfShares(context: StructureContext, m: Movement): Address | null {
  if (context.explained.has(m.index)) return null;
  const emitter = contractOf(context.flow, m.asset);
  if (!isIssuance(m)) return null;
  const wrapped = mergeNative(m.asset, context.wrappedNative) === NATIVE_ASSET;
  if (wrapped || (m.kind !== 'mint' && !isFungible(context.flow, m.asset))) return null;
  if (emitter === null || context.venues.has(emitter) || context.shareAssets.has(m.asset)) return null;
  return emitter;
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
  const deposit = share.kind === 'mint';
  const [far, near, side, role, shares] = deposit
    ? (['from', 'to', 'incoming', 'in', 'share_out'] as const)
    : (['to', 'from', 'outgoing', 'out', 'share_in'] as const);
  const parties = new Set<Address | null>([holder, context.tx.from]);
  const own = counterFlow(context, share, side, emitter)
    .filter((m) => parties.has(endOf(context, m, far)))
    .slice(0, MAX_UNDERLYING);
  const underlying = own.length > 0 ? own : elsewhere(context, share, holder);
  if (underlying.length === 0) return null;
  const liquidity = new Set(underlying.map((m) => m.asset)).size > 1;
  const position = !isFungible(context.flow, share.asset);
  if (!liquidity && position) return null;
  // A purchase with two tokens ends with the seller; a position's assets lie in one pool.
  if (position && (own.length > 0 || new Set(underlying.map((m) => m[near])).size !== 1)) return null;
  // Shares that went straight on into another venue, or came out of one, belong to the account behind the
  // asset.
  const owner = (context.venues.has(holder) ? endOf(context, underlying[0]!, far) : null) ?? holder;
  return structural({
    kind: (liquidity ? LIQUIDITY : VAULT)[deposit ? 'mint' : 'burn'],
    seq: share.seq,
    venue: emitter,
    roles: [{ role: 'owner', account: owner }],
    legs: [...legsByAsset(underlying, holder, () => role), guessedLeg(shares, [share], holder)],
    invariants: shareClaims(context, share, indexesOf(underlying)),
    tags: ['structural'],
    evidence: [share.evidence, ...underlying.map((m) => m.evidence)],
  });
}

function shareClaims(
  { flow }: StructureContext,
  { kind, index }: Movement,
  moved: readonly number[],
): Invariant[] {
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
