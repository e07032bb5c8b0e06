import { distance, sumOf } from '../../value/amount.ts';
import { evaluate } from '../../value/claims.ts';
import { Components } from '../../lib/components.ts';
import { isSwap } from '../../lib/motifKinds.ts';
import { SENT_ROLES } from '../../lib/roles.ts';
import { isNft, mergeNative, NATIVE } from '../../value/asset.ts';
import { carriersOf } from '../../value/parties.ts';
import { composite, unique, type MotifDraft, type MotifInput } from './draftMotif.ts';
import type { Address } from '../../model/hex.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';
import type { Claim, Leg, Primitive } from '../../model/primitive.ts';

/** One side of a hop. `account` dealt with the venue; it is the venue itself where it nets amounts. */
interface HopEnd {
  /** Native where the asset is wrapped native. */
  readonly id: AssetId;
  readonly asset: AssetId;
  readonly amount: bigint;
  readonly account: Address | null;
}

/** A motif that turned one asset into another: a trade at one pool, or a share made or redeemed. */
export interface Hop {
  readonly motif: MotifDraft;
  /** Venue and, in a singleton, the pool. */
  readonly pool: string;
  readonly trade: boolean;
  readonly sent: HopEnd | null;
  readonly received: HopEnd | null;
}

/** Trades and conversions between an asset and its share; an unnamed asset leaves an end open. */
export function hopOf(primitive: Primitive, motif: MotifDraft, { flow }: MotifInput): Hop | null {
  const trade = isSwap(motif) || primitive.tags.includes('rfq');
  if (!trade && primitive.legs.length < 2) return null;
  const legs = primitive.legs.filter(
    ({ asset, role }) => !isNft(flow.assets.get(asset) ?? NATIVE) && role !== 'fee',
  );
  const sent = legs.filter(({ role }) => SENT_ROLES.has(role));
  const received = legs.filter(({ role }) => !SENT_ROLES.has(role));
  const conversion =
    sent.length === 1 &&
    received.length === 1 &&
    (sent[0]!.role === 'share_in') !== (received[0]!.role === 'share_out');
  if (!trade && !conversion) return null;
  const { venue, poolId } = primitive;
  return {
    motif,
    trade,
    pool: poolId === null ? venue : `${venue}|${poolId}`,
    sent: endOf(sent, venue, flow),
    received: endOf(received, venue, flow),
  };
}

function endOf(legs: readonly Leg[], venue: Address, flow: ValueFlow): HopEnd | null {
  if (legs.length === 0) return null;
  const { asset, account, movements } = legs[0]!;
  return {
    id: mergeNative(asset, flow),
    asset,
    amount: sumOf(legs),
    account: movements.length > 0 ? account : venue,
  };
}

/**
 * Groups hops that belong together: one takes another's output, or one account fed or emptied both; the
 * called contract does through routers too. Hops of a netting venue with unknown assets connect through it.
 */
export function connectedHops(hops: readonly Hop[], input: MotifInput): Hop[][] {
  const groups = new Components<Hop>();
  const held = new Map<string, Hop>();
  const movements = new Map<number, Hop>();
  const routed = hops.length > 1 ? routedEnds(input) : null;
  for (const hop of hops) {
    for (const side of ['sent', 'received'] as const) {
      const end = hop[side];
      const key = end ? `${end.id} ${end.account}` : hop.motif.venue;
      groups.link(held, key, hop);
      if (end && routed?.[side].has(key)) groups.link(held, `${end.id} ${input.tx.to}`, hop);
    }
    for (const m of hop.motif.movements) groups.link(movements, m, hop);
  }
  return groups.of(hops);
}

/** Assets with the routers that the called contract gave them to, and that it got them from. */
function routedEnds({ tx, flow }: MotifInput) {
  const carriers = carriersOf(flow);
  const ends = (own: readonly number[] = [], side: 'from' | 'to'): ReadonlySet<string> => {
    const routed = own.map((index) => flow.movements[index]!).filter((m) => carriers.has(m[side]));
    return new Set(routed.map((m) => `${mergeNative(m.asset, flow)} ${m[side]}`));
  };
  return { sent: ends(flow.outgoing.get(tx.to!), 'to'), received: ends(flow.incoming.get(tx.to!), 'from') };
}

type Amount = Pick<HopEnd, 'id' | 'amount'>;

/** What hops state as one act; `net`: its amounts are without those that went on inside. */
interface HopSummary extends Pick<MotifDraft, 'traits' | 'participants' | 'claims'> {
  readonly gave: Amount;
  readonly got: Amount;
  readonly net: boolean;
}

/** Hops as one act, with their pools as participants and the claims about its two amounts. */
export function hopsAsOne(
  hops: readonly Hop[],
  { traits, participants, claims, gave, got, net }: HopSummary,
): MotifDraft {
  const motifs = hops.map(({ motif }) => motif);
  const pools = unique(hops.filter(({ trade }) => trade).map(({ motif }) => motif.venue));
  const received = { asset: movedAsset(hops, 'received', got.id), amount: got.amount, role: 'out' };
  const sent = { asset: movedAsset(hops, 'sent', gave.id), amount: gave.amount, role: 'in' };
  const summary = {
    traits,
    venue: motifs[0]!.venue,
    scopeFrame: null,
    participants: [...participants, ...pools.map((account) => ({ role: 'pool', account }))],
    assetsIn: [received],
    assetsOut: [sent],
    claims: [hopAmount('in0', got, hops, net), hopAmount('out0', gave, hops, net), ...claims],
  };
  return composite(summary, motifs);
}

/** An amount of a whole is the sum over its hops; of a route, less the amounts that went on inside. */
function hopAmount(
  operand: 'in0' | 'out0',
  { id, amount }: Amount,
  hops: readonly Hop[],
  net: boolean,
): Claim {
  const [side, other] = operand === 'in0' ? (['received', 'sent'] as const) : (['sent', 'received'] as const);
  const sum = (end: 'sent' | 'received'): bigint =>
    hops.reduce((all, hop) => all + (hop[end]?.id === id ? hop[end].amount : 0n), 0n);
  const moved = sum(side) - (net ? sum(other) : 0n);
  return evaluate(net ? 'net_of_parts' : 'sum_of_parts', { amount, moved }, [operand], actsOf(hops));
}

/** The acts of hops, as operands of claims. */
export function actsOf(hops: readonly Hop[]): { readonly act: MotifDraft }[] {
  return hops.map(({ motif }) => ({ act: motif }));
}

/** Each hop's ends are known, and each hop is proven. */
export function hopClaims(hops: readonly Hop[]): Claim[] {
  const acts = actsOf(hops);
  const ends = hops.flatMap(({ sent, received }) => [sent, received]);
  const motifs = hops.map(({ motif }) => motif);
  return [evaluate('amounts_chain', ends, acts), evaluate('hops_proven', motifs, acts)];
}

/** The asset several hops moved, or native where native and wrapped native were mixed. */
function movedAsset(hops: readonly Hop[], side: 'sent' | 'received', id: AssetId): AssetId {
  const assets = new Set(hops.flatMap((hop) => (hop[side]?.id === id ? [hop[side].asset] : [])));
  return assets.size === 1 ? [...assets][0]! : id;
}

/** One asset's amounts sent and received by a set of hops, from the trader's view. */
export type TradeBalance = ReturnType<typeof tradeBalance>[number];

/** Percent of an asset that may stick between two hops (transfer taxes, fee skims, dust). */
const SLACK_PERCENT = 1n;

export function tradeBalance(hops: readonly Hop[]) {
  const sums = new Map<AssetId, { sent: bigint; received: bigint }>();
  const at = (id: AssetId): { sent: bigint; received: bigint } => {
    let sum = sums.get(id);
    if (!sum) sums.set(id, (sum = { sent: 0n, received: 0n }));
    return sum;
  };
  for (const { sent, received } of hops) {
    if (sent) at(sent.id).sent += sent.amount;
    if (received) at(received.id).received += received.amount;
  }
  return [...sums].map(([id, { sent, received }]) => {
    const larger = sent > received ? sent : received;
    return {
      /** Native for wrapped native too. */
      id,
      sent,
      received,
      /** The next hop took this hop's output, within 1 %. */
      flat: sent > 0n && received > 0n && distance(sent, received) * 100n <= larger * SLACK_PERCENT,
    };
  });
}
