import { Components } from '../../lib/components.ts';
import { groupBy } from '../../lib/lists.ts';
import { kindOf } from '../../lib/motifKinds.ts';
import { NATIVE_ASSET } from '../../value/asset.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { Asset, Motif, TxReport } from '../../model/generated/report.ts';
import type { Movements } from './ledgerEvent.ts';
import type { Word } from './ledgerFormat.ts';

/** Why an amount came or went; formats have words of their own for these. */
export type Purpose = Exclude<Word, 'cost' | 'swap' | 'other'>;

/** An amount of one act for the accounts, negative where it went out. */
interface Part {
  readonly asset: Asset;
  readonly raw: bigint;
}

/** Amounts of one act: one alone, or one out and one in that it exchanged, both positive. */
export interface LedgerRow {
  readonly sent: Part | null;
  readonly received: Part | null;
  /** By effect and direction; null for an ordinary trade and a plain payment. */
  readonly purpose: Purpose | null;
}

type Effect = TxReport['position_effects'][number];
/** Kinds of motifs and intents, classes of tokens and tags of protocols, by the rules. */
export type LedgerRules = Pick<Rulebook, 'motifKinds' | 'intentKinds' | 'assetClasses' | 'protocols'>;

/** The accounts of a ledger, and the rules. */
interface Ledger {
  readonly accounts: ReadonlySet<string>;
  readonly rules: LedgerRules;
}

/** By category of the position: assets put in, and assets taken out. */
const PURPOSES: Readonly<Record<string, readonly [out: Purpose, into: Purpose]>> = {
  lending_debt: ['repayment', 'loan'],
  stake: ['stake', 'unstake'],
  lending_supply: ['deposit', 'take_back'],
  vault: ['deposit', 'take_back'],
  order: ['deposit', 'take_back'],
  withdrawal_request: ['deposit', 'take_back'],
  liquidity: ['pool', 'pool'],
  bridge_claim: ['bridge', 'bridge'],
};
/** Parts of a position that were earned, not put in before. */
const EARNED: ReadonlySet<string> = new Set<Purpose>(['reward', 'interest']);

/** Amounts that are left to attribute, of each asset and direction. */
class Amounts {
  readonly #left = new Map<string, bigint>();
  readonly #wrapped: ReadonlySet<string>;
  readonly #assets: ReadonlyMap<string, Asset>;

  constructor(report: TxReport, movements: Movements, accounts: ReadonlySet<string>) {
    this.#wrapped = wrappedIn(report);
    this.#assets = new Map(report.inventory_deltas.map(({ asset }) => [asset.id, asset]));
    for (const { from, to, asset_id: id, amount_raw } of movements) {
      if (accounts.has(from) === accounts.has(to)) continue;
      const raw = accounts.has(to) ? BigInt(amount_raw) : -BigInt(amount_raw);
      this.#left.set(`${raw < 0n} ${id}`, (this.#left.get(`${raw < 0n} ${id}`) ?? 0n) + raw);
    }
  }

  /** As much of an amount as the accounts moved. Wrapped on the way by a contract, they gave or got ether. */
  take(id: string, wanted: bigint): Part[] {
    const key = `${wanted < 0n} ${id}`;
    const there = this.#left.get(key) ?? 0n;
    const raw = wanted < 0n === wanted < there ? there : wanted;
    const rest = this.#wrapped.has(id) && raw !== wanted ? this.take(NATIVE_ASSET, wanted - raw) : [];
    if (raw === 0n) return rest;
    this.#left.set(key, there - raw);
    return [{ asset: this.#assets.get(id)!, raw }, ...rest];
  }

  /** The sum of each asset. */
  rest(): Part[] {
    return [...groupBy(this.#left, ([key]) => key.split(' ')[1]!)].flatMap(([id, sides]) => {
      const raw = sides.reduce((sum, [, side]) => sum + side, 0n);
      return raw === 0n ? [] : { asset: this.#assets.get(id)!, raw };
    });
  }
}

/** Assets that some contract wrapped or unwrapped. */
const wrappedIn = ({ movements = [] }: TxReport): ReadonlySet<string> =>
  new Set(movements.flatMap(({ kind, asset_id: id }) => (kind === 'wrap' || kind === 'unwrap' ? id : [])));

/**
 * The rows of one transaction: changes of positions, earnings, and the rest. An amount out and one
 * in share a row where one act exchanges them: a trade, or a share against its principal.
 */
export function actRows(report: TxReport, booked: Movements, { accounts, rules }: Ledger): LedgerRow[] {
  const { motifs, position_effects: effects } = report;
  const amounts = new Amounts(report, booked, accounts);
  const own = effects.filter(({ owner }) => accounts.has(owner));
  const debts = new Set(own.flatMap((one) => (one.category === 'lending_debt' ? one.motif_ids : [])));
  const trades = motifs.filter(({ kind }) => {
    const { trade, position } = kindOf(rules, kind);
    return trade !== null && position === null;
  });
  const isTraded = ({ motif_ids: ids }: Effect): boolean => trades.some(({ id }) => ids.includes(id));
  const rows = [
    ...claimed(report, amounts, { accounts, rules }),
    ...executed(booked, amounts, accounts, report.tx.signer),
    ...own.flatMap((effect) => earned(effect, amounts)),
    ...own.flatMap((effect) => effectRows(effect, amounts, debts, isTraded(effect))),
  ];
  const { actor, intent_kind: kind } = report.classification;
  const isTrader = actor !== null && accounts.has(actor) && rules.intentKinds.get(kind)?.category === 'trade';
  const rest = amounts.rest();
  const sales = salesOf(rest);
  if (sales.length > 0) return [...rows, ...sales];
  const together = isTrader && isPair(rest) ? [rest] : exchanged(rest, report, debts, rules);
  const others = together.flatMap((group) => (isPair(group) ? rowOf(group, null) : singles(group, null)));
  return [...rows, ...others];
}

function rowOf(parts: readonly Part[], purpose: Purpose | null): LedgerRow {
  const sent = parts.find(({ raw }) => raw < 0n);
  const received = parts.find(({ raw }) => raw > 0n) ?? null;
  return { sent: sent ? { ...sent, raw: -sent.raw } : null, received, purpose };
}
/** A row each. */
const singles = (parts: readonly Part[], purpose: Purpose | null): LedgerRow[] =>
  parts.map((part) => rowOf([part], purpose));

/** Rewards of acts that changed no position. */
function claimed(report: TxReport, amounts: Amounts, { accounts, rules }: Ledger): LedgerRow[] {
  const told = new Set(report.position_effects.flatMap(({ motif_ids: ids }) => ids));
  const acts = report.motifs.filter(
    ({ id, participants }) => !told.has(id) && participants.some(({ account }) => accounts.has(account)),
  );
  return acts.flatMap(({ assets_in: received, protocol }) => {
    const isAirdrop = rules.protocols.get(protocol?.slug ?? '')?.tags.includes('airdrop');
    return received.flatMap(({ asset, role, amount_raw: raw }) => {
      if (!EARNED.has(role)) return [];
      return singles(amounts.take(asset.id, BigInt(raw)), isAirdrop ? 'airdrop' : (role as Purpose));
    });
  });
}

/** Payments of the accounts for execution by another, and gas repaid to the signer. */
function executed(booked: Movements, amounts: Amounts, accounts: Ledger['accounts'], signer: string) {
  return booked.flatMap(({ flags, from, to, asset_id: id, amount_raw: raw }): LedgerRow[] => {
    if (!flags?.includes('pays_execution') || accounts.has(from) === accounts.has(to)) return [];
    if (accounts.has(from)) return singles(amounts.take(id, -BigInt(raw)), 'fee');
    return to === signer ? singles(amounts.take(id, BigInt(raw)), 'fee_refund') : [];
  });
}

/** Earnings of a position, and payments for it. Interest of a debt adds to the debt: nothing is paid yet. */
function earned({ category, underlying }: Effect, amounts: Amounts): LedgerRow[] {
  return underlying.flatMap(({ asset, role, delta_raw }) => {
    const raw = BigInt(delta_raw);
    if (category === 'lending_debt' && role !== 'fee') return [];
    if (role === 'fee') return singles(amounts.take(asset.id, raw), raw > 0n ? 'reward' : 'fee');
    return EARNED.has(role) ? singles(amounts.take(asset.id, raw), role as Purpose) : [];
  });
}

/** Principal and share of a position: one row where there is one of each, else a row per amount. */
function effectRows(effect: Effect, amounts: Amounts, debts: ReadonlySet<string>, isTraded: boolean) {
  const { category, position_asset: share } = effect;
  const principal = principalOf(effect, amounts);
  if (!share || category === 'lending_debt') return apart(principal, effect);
  const takeShare = (): Part[] => amounts.take(share.id, BigInt(effect.position_delta_raw ?? 0));
  if (principal.length === 0) {
    const purpose = purposeOfShares(effect, debts);
    return purpose === null ? [] : singles(takeShare(), purpose);
  }
  const [moved] = takeShare();
  if (!moved) return apart(principal, effect);
  const whole = [...principal, moved];
  if (!isPair(whole)) return singles(whole, 'pool');
  return [rowOf(whole, isTraded ? null : category === 'liquidity' ? 'pool' : 'shares')];
}

/** Of shares without a principal: they paid a debt of the same act, or came as interest. */
const purposeOfShares = ({ effect, motif_ids: ids }: Effect, debts: ReadonlySet<string>): Purpose | null =>
  ids.some((id) => debts.has(id)) ? 'repayment' : effect === 'collect' ? 'interest' : null;

/** Amounts put in or taken out, as far as the accounts moved them. */
function principalOf({ category, underlying }: Effect, amounts: Amounts): Part[] {
  const wanted = new Map<string, bigint>();
  for (const { asset, role, delta_raw } of underlying)
    if (role !== 'fee' && (!EARNED.has(role) || category === 'lending_debt'))
      wanted.set(asset.id, (wanted.get(asset.id) ?? 0n) + BigInt(delta_raw));
  return [...wanted].flatMap(([id, raw]) => amounts.take(id, raw));
}

/** Amounts of a position without a token: a row each, but a migration exchanges one for the other. */
function apart(principal: readonly Part[], { category, effect }: Effect): LedgerRow[] {
  if (effect === 'migrate')
    return isPair(principal) ? [rowOf(principal, 'shares')] : singles(principal, null);
  const [out, into] = PURPOSES[category] ?? [null, null];
  return principal.map((part) => rowOf([part], part.raw < 0n ? out : into));
}

/** Amounts together that the acts of a transaction exchange for one another; a loan exchanges nothing. */
function exchanged(parts: readonly Part[], report: TxReport, debts: ReadonlySet<string>, rules: LedgerRules) {
  const linked = new Components<object>();
  const first = new Map<string, object>();
  const link = (act: object, ids: readonly string[]): void => {
    for (const id of ids) linked.link(first, id, act);
  };
  const idsOf = (amounts: Motif['assets_in']): string[] =>
    amounts.flatMap(({ asset, role }) => (EARNED.has(role) || role === 'fee' ? [] : asset.id));
  link({}, [...wrappedIn(report), NATIVE_ASSET]);
  for (const motif of report.motifs) {
    const { position, closedFlow } = kindOf(rules, motif.kind);
    // A liquidator of another's debt buys the collateral.
    const isLoan = (position?.category === 'lending_debt') !== (closedFlow === 'possible');
    const [received, given] = [idsOf(motif.assets_in), idsOf(motif.assets_out)];
    if (isLoan || debts.has(motif.id) || received.length * given.length === 0) continue;
    link(motif, [...received, ...given]);
  }
  for (const part of parts) link(part, [part.asset.id]);
  return linked.of(parts) as Part[][];
}

const isPair = ([a, b, ...more]: readonly Part[]): boolean =>
  a !== undefined && b !== undefined && more.length === 0 && a.raw < 0n !== b.raw < 0n;

/** NFTs and their price: an equal part of it for each, the remainder for the last. */
function salesOf(parts: readonly Part[]): LedgerRow[] {
  const [price, ...more] = parts.filter(({ asset }) => asset.token_id === null);
  const nfts = parts.filter(({ asset }) => asset.token_id !== null);
  if (!price || more.length > 0 || nfts.some(({ raw }) => raw < 0n === price.raw < 0n)) return [];
  const share = price.raw / BigInt(nfts.length || 1);
  const last = price.raw - share * BigInt(nfts.length - 1);
  return nfts.map((nft) => rowOf([{ ...price, raw: nft === nfts.at(-1) ? last : share }, nft], null));
}
