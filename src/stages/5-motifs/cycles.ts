import { only } from '../../lib/lists.ts';
import { distance } from '../../value/amount.ts';
import { type Balance, balances } from '../../value/balances.ts';
import { unique, type MotifDraft, type MotifInput } from './draftMotif.ts';
import { evaluate } from '../../value/claims.ts';
import { actsOf, hopClaims, hopsAsOne, tradeBalance } from './hops.ts';
import { kindOf } from '../../lib/motifKinds.ts';
import type { Hop, TradeBalance } from './hops.ts';
import type { Address } from '../../model/hex.ts';
import type { Claim } from '../../model/primitive.ts';
import type { AssetId } from '../../model/valueFlow.ts';
import { memoize } from '../../lib/memo.ts';
import { builderPayments } from '../../value/parties/execution.ts';
import { walletsOf, type EntityReason } from '../../value/parties/entity.ts';

/** Flat: up to one part in ten thousand of the entity's turnover. Bots leave dust behind. */
const DUST_DIVISOR = 10_000n;
/** Part of its turnover by which a cycle's loss may differ between hops and balances. */
const LOSS_DIVISOR = 100n;

interface CycleContext extends Pick<MotifInput, 'tx' | 'rulebook'> {
  /** The accounts that ran the hops, as one entity; computed on first use. */
  readonly entity: (hops: readonly Hop[]) => Entity;
}

/**
 * Finds trades at two pools or more that end in their first asset: every asset between chains within 1 %,
 * not in and out of the same pool. The entity's payment to the block builder counts as residual. The cycle
 * is a losing one where the entity ends with less of the asset. `balance` is that of the hops.
 */
export function cycleOf(
  hops: readonly Hop[],
  balance: readonly TradeBalance[],
  context: CycleContext,
): MotifDraft | null {
  if (!hops.some((hop) => hop.trade)) return null;
  const entity = (): Entity => context.entity(hops);
  const gain = baseOf(balance, entity);
  const base = gain ?? lossBaseOf(balance, entity);
  if (!base || !evaluate('distinct_pools', poolsAtEnds(hops, base.id), []).holds) return null;
  const { tx, rulebook } = context;
  const loop = { hops, base, tx, rulebook, entity: entity() };
  return cycleMotif(loop, gain ? 'cycle' : 'losing_cycle');
}

interface Loop extends Pick<MotifInput, 'tx' | 'rulebook'> {
  readonly hops: readonly Hop[];
  readonly base: TradeBalance;
  readonly entity: Entity;
}

/** The one account outside that paid the first hop and got more back from the last: by an allowance. */
function funderOf({ hops, base, entity }: Loop): Address | null {
  const ends = hops.flatMap(({ sent, received }) => [sent, received]).filter((end) => end?.id === base.id);
  const [account, ...others] = unique(ends.map((end) => end!.account));
  const venues = new Set(hops.map(({ motif }) => motif.venue));
  return account && others.length === 0 && !venues.has(account) && !entity.accounts.has(account)
    ? account
    : null;
}

/** The third account in which a bot may keep its gains; a funder where that account did not consent. */
function keeperOf(loop: Loop, kind: string): Record<'wallet' | 'funder', Address | null> {
  const { entity, base } = loop;
  if (kind !== 'cycle' || (entity.balances.get(base.id)?.net ?? 0n) > 0n)
    return { wallet: null, funder: null };
  const funder = funderOf(loop);
  return { wallet: funder ?? entity.walletOf(base.id), funder };
}

function cycleMotif(loop: Loop, kind: 'cycle' | 'losing_cycle'): MotifDraft {
  const { hops, base, tx, rulebook, entity } = loop;
  const { wallet, funder } = keeperOf(loop, kind);
  const own = wallet ? entity.balancesWith(wallet) : entity.balances;
  const acts = actsOf(hops);
  const accounts = [...entity.accounts, ...(wallet ? [wallet] : [])];
  const open = tradeBalance(hops).filter((b) => !b.flat && b.id !== base.id);
  const others = [...own.values()].filter((b) => b.id !== base.id && !isDust(b, entity));
  const consents = (from: Address): Claim =>
    evaluate('funder_consents', { funder: from, group: entity.accounts }, [from], [...entity.accounts]);
  return hopsAsOne(hops, {
    traits: kindOf(rulebook, kind),
    gave: { id: base.id, amount: base.sent },
    got: { id: base.id, amount: base.received },
    net: false,
    participants: [
      { role: 'owner', account: entity.trader ?? tx.from },
      ...(tx.to ? [{ role: 'caller', account: tx.to }] : []),
      ...(wallet ? [{ role: 'beneficiary', account: wallet }] : []),
    ],
    claims: [
      evaluate('closed', open, acts),
      evaluate('distinct_pools', poolsAtEnds(hops, base.id), acts),
      residualOf(loop, kind, own.get(base.id)?.net ?? 0n, accounts),
      evaluate('other_lanes_flat', others, accounts),
      ...hopClaims(hops),
      ...(funder ? [consents(funder)] : []),
    ],
  });
}

/** A gain, or a loss as large as that of the hops, up to the share that may stick between them. */
function residualOf({ base }: Loop, kind: string, net: bigint, accounts: readonly Address[]): Claim {
  if (kind === 'cycle') return evaluate('positive_residual', net, accounts);
  const gap = distance(net, base.received - base.sent) * LOSS_DIVISOR;
  return evaluate('negative_residual', { gap, most: base.sent }, accounts);
}

/** The asset a cycle begins and ends in: the only one that the hops gained beyond slack, else null. */
function baseOf(balance: readonly TradeBalance[], entity: () => Entity): TradeBalance | null {
  const gainful = balance.filter((b) => b.sent > 0n && b.received > b.sent);
  if (gainful.length === 0 || balance.some((b) => !b.flat && !gainful.includes(b))) return null;
  const clear = gainful.filter((b) => !b.flat);
  if (clear.length > 0) return only(clear);
  const own = gainful.flatMap(({ id }) => entity().balances.get(id) ?? []).filter(({ net }) => net > 0n);
  const gain = own.find((balance) => !isDust(balance, entity())) ?? own[0];
  const kept = gainful.find(({ id }) => id === gain?.id);
  return kept ?? only(gainful);
}

/**
 * The asset of a cycle that lost: the only one of the hops that the entity has less of, with some of it
 * come back. Null where the hops or the entity lost or gained another one.
 */
function lossBaseOf(balance: readonly TradeBalance[], entity: () => Entity): TradeBalance | null {
  const lossy = balance.filter((b) => b.received > 0n && b.sent > b.received);
  const open = balance.filter((b) => !b.flat);
  if (lossy.length === 0 || open.length > 1 || open.some((b) => !lossy.includes(b))) return null;
  const own = entity().balances;
  const [base, ...others] = lossy.filter(({ id }) => (own.get(id)?.net ?? 0n) < 0n);
  if (!base || others.length > 0 || (open.length > 0 && open[0] !== base)) return null;
  const cameBack = own.get(base.id)!.received > 0n;
  return cameBack && [...own.values()].every((b) => b === own.get(base.id) || isDust(b, entity()))
    ? base
    : null;
}

/** Pools that the cycle begins at, and those that it ends at. */
function poolsAtEnds(hops: readonly Hop[], id: AssetId): Record<'first' | 'last', readonly string[]> {
  const pools = (side: 'sent' | 'received'): string[] =>
    unique(hops.filter((hop) => hop[side]?.id === id).map(({ pool }) => pool));
  return { first: pools('sent'), last: pools('received') };
}

function isDust({ id, net }: Balance, entity: Entity): boolean {
  return net === 0n || distance(net, 0n) * DUST_DIVISOR <= entity.through(id);
}

const MAX_WALLETS = 64;

type Balances = ReadonlyMap<AssetId, Balance>;

/** The signer and the accounts that act as one with it. Native and wrapped native are one asset. */
export type Entity = Readonly<ReturnType<typeof entityOf>>;

/** `group`: the accounts taken as one. `venues`: contracts at which trades happened, never wallets. */
export function entityOf(
  input: MotifInput,
  venues: ReadonlySet<Address>,
  group: ReadonlyMap<Address, EntityReason>,
) {
  const { flow, coinbase } = input;
  const accounts: ReadonlySet<Address> = new Set(group.keys());
  const each = [...accounts].map((account) => balances(flow, account));
  const wallets = walletsOf(accounts, { flow, venues, coinbase });
  const toBuilder = coinbase === null ? new Set<number>() : builderPayments(flow, accounts, coinbase);
  const balancesOf = (own: ReadonlySet<Address>): Balances =>
    balances(flow, own, { exclude: ({ index }) => toBuilder.has(index) });
  return {
    accounts,
    /** The contract that traded where neither the signer nor the contract it called did. */
    trader: [...group].find(([, reason]) => reason === 'trader')?.[0] ?? null,
    /** Without payments to the block builder. */
    balances: balancesOf(accounts),
    /** As `balances`, with another account counted in: one wallet may close many cycles. */
    balancesWith: memoize((account) => balancesOf(new Set([...accounts, account as Address])), MAX_WALLETS),
    /** An asset's receipts of the entity's accounts, from one another too. */
    through: (asset: AssetId): bigint =>
      each.reduce((sum, own) => sum + (own.get(asset)?.received ?? 0n), 0n),
    /** Its wallet for gains in the asset; null for none or several. */
    walletOf: (asset: AssetId): Address | null => wallets.get(asset) ?? null,
  };
}
