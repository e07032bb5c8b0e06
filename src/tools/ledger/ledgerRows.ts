import { kindOf } from '../../lib/motifKinds.ts';
import { NATIVE_ASSET } from '../../value/asset.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { Motif, TxReport } from '../../model/generated/report.ts';
import type { Movements } from './ledgerEvent.ts';
import type { Word } from './ledgerFormat.ts';

/** Why an amount came or went; formats have words of their own for these. */
export type Purpose = Exclude<Word, 'cost' | 'swap' | 'other'>;

/** The net of one act for the accounts: an amount by asset id, negative where it went out. */
export interface Part {
  readonly id: string;
  readonly raw: bigint;
}

/** Amounts of one act that belong in one row: one of them, or one out and one in. */
export interface PartRow {
  readonly parts: readonly [Part] | readonly [sent: Part, received: Part];
  /** By effect and direction; null for an ordinary trade and a plain payment. */
  readonly purpose: Purpose | null;
}

type Effect = TxReport['position_effects'][number];
/** Kinds of motifs and intents, by the rules. */
export type LedgerRules = Pick<Rulebook, 'motifKinds' | 'intentKinds'>;

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

/** Amounts that are left to attribute: of each asset and direction, and their sum. */
class Amounts {
  readonly #sums = new Map<string, bigint>();
  readonly #gross = new Map<string, bigint>();
  readonly #wrapped: ReadonlySet<string>;

  constructor(movements: Movements, accounts: ReadonlySet<string>, wrapped: ReadonlySet<string>) {
    this.#wrapped = wrapped;
    const add = (id: string, raw: bigint): void => {
      const key = `${raw < 0n} ${id}`;
      this.#sums.set(id, (this.#sums.get(id) ?? 0n) + raw);
      this.#gross.set(key, (this.#gross.get(key) ?? 0n) + raw);
    };
    for (const { from, to, asset_id: id, amount_raw } of movements) {
      if (accounts.has(from) === accounts.has(to)) continue;
      add(id, accounts.has(to) ? BigInt(amount_raw) : -BigInt(amount_raw));
    }
  }

  /**
   * As much of an amount as the accounts moved. Wrapped on the way by any contract, they gave or got ether.
   */
  take(id: string, wanted: bigint): Part[] {
    const key = `${wanted < 0n} ${id}`;
    const there = this.#gross.get(key) ?? 0n;
    const raw = wanted < 0n === wanted < there ? there : wanted;
    const rest = this.#wrapped.has(id) && raw !== wanted ? this.take(NATIVE_ASSET, wanted - raw) : [];
    if (raw === 0n) return rest;
    this.#gross.set(key, there - raw);
    this.#sums.set(id, this.#sums.get(id)! - raw);
    return [{ id, raw }, ...rest];
  }

  rest(): Part[] {
    return [...this.#sums].flatMap(([id, raw]) => (raw === 0n ? [] : { id, raw }));
  }
}

/**
 * The rows of one transaction: changes of positions, earnings, and the rest. An amount out and one
 * in share a row where one act exchanges them: a trade, or a share against its principal.
 */
export function partRows(
  report: TxReport,
  booked: Movements,
  { accounts, rules }: { readonly accounts: ReadonlySet<string>; readonly rules: LedgerRules },
): PartRow[] {
  const { motifs, position_effects: effects, movements = [] } = report;
  const wrapped = new Set(
    movements.flatMap(({ kind, asset_id: id }) => (kind === 'wrap' || kind === 'unwrap' ? id : [])),
  );
  const amounts = new Amounts(booked, accounts, wrapped);
  const own = effects.filter(({ owner }) => accounts.has(owner));
  const rows = [...claimed(report, accounts, amounts), ...own.flatMap((effect) => earned(effect, amounts))];
  const debts = new Set(own.flatMap((one) => (one.category === 'lending_debt' ? one.motif_ids : [])));
  const traded = new Set(motifs.flatMap((motif) => (isTrade(motif, rules) ? motif.id : [])));
  for (const effect of own) {
    const isTraded = effect.motif_ids.some((id) => traded.has(id));
    rows.push(...effectRows(effect, amounts, { debts, isTraded }));
  }
  const { actor, intent_kind: kind } = report.classification;
  const isTrader = actor !== null && accounts.has(actor) && rules.intentKinds.get(kind)?.category === 'trade';
  const rest = amounts.rest();
  return [
    ...rows,
    ...exchanged(rest, isTrader && isPair(rest) ? null : exchangeLinks(motifs, rules, { wrapped, debts })),
  ];
}

const isTrade = ({ kind }: Motif, rules: LedgerRules): boolean => {
  const { trade, position } = kindOf(rules, kind);
  return trade !== null && position === null;
};

const singles = (parts: readonly Part[], purpose: Purpose | null): PartRow[] =>
  parts.map((part) => ({ parts: [part], purpose }));

/** Rewards of acts that changed no position. */
function claimed(report: TxReport, accounts: ReadonlySet<string>, amounts: Amounts): PartRow[] {
  const told = new Set(report.position_effects.flatMap(({ motif_ids: ids }) => ids));
  const acts = report.motifs.filter(
    ({ id, participants }) => !told.has(id) && participants.some(({ account }) => accounts.has(account)),
  );
  return acts.flatMap(({ assets_in: received }) =>
    received.flatMap(({ asset, role, amount_raw: raw }) =>
      EARNED.has(role) ? singles(amounts.take(asset.id, BigInt(raw)), role as Purpose) : [],
    ),
  );
}

/**
 * Earnings of a position, and payments for it. Interest of a debt adds to the debt: nothing is paid yet.
 */
function earned({ category, underlying }: Effect, amounts: Amounts): PartRow[] {
  return underlying.flatMap(({ asset, role, delta_raw }) => {
    const raw = BigInt(delta_raw);
    if (category === 'lending_debt' && role !== 'fee') return [];
    if (role === 'fee') return singles(amounts.take(asset.id, raw), raw > 0n ? 'reward' : 'fee');
    return EARNED.has(role) ? singles(amounts.take(asset.id, raw), role as Purpose) : [];
  });
}

/** Principal and share of a position: one row where there is one of each, else a row per amount. */
function effectRows(
  effect: Effect,
  amounts: Amounts,
  { debts, isTraded }: { readonly debts: ReadonlySet<string>; readonly isTraded: boolean },
): PartRow[] {
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
  if (!isPair([...principal, moved])) return singles([...principal, moved], 'pool');
  const purpose = isTraded ? null : category === 'liquidity' ? 'pool' : 'shares';
  return [{ ...pairRow(principal[0]!, moved), purpose }];
}

/** Shares without a principal: they paid a debt of the same act, or came as interest. */
function purposeOfShares(
  { effect, motif_ids: ids }: Effect,
  debts: ReadonlySet<string>,
): 'repayment' | 'interest' | null {
  if (ids.some((id) => debts.has(id))) return 'repayment';
  return effect === 'collect' ? 'interest' : null;
}

/** Amounts put in or taken out, as far as the accounts moved them. */
function principalOf({ category, underlying }: Effect, amounts: Amounts): Part[] {
  const wanted = new Map<string, bigint>();
  for (const { asset, role, delta_raw } of underlying)
    if (role !== 'fee' && (!EARNED.has(role) || category === 'lending_debt'))
      wanted.set(asset.id, (wanted.get(asset.id) ?? 0n) + BigInt(delta_raw));
  return [...wanted].flatMap(([id, raw]) => amounts.take(id, raw));
}

/**
 * Amounts of a position without a token: a row each, but a migration exchanges one for the other.
 */
function apart(principal: readonly Part[], { category, effect }: Effect): PartRow[] {
  if (effect === 'migrate')
    return isPair(principal)
      ? [{ ...pairRow(principal[0]!, principal[1]!), purpose: 'shares' }]
      : singles(principal, null);
  const [out, into] = PURPOSES[category] ?? [null, null];
  return principal.map((part) => ({ parts: [part], purpose: part.raw < 0n ? out : into }));
}

/** Which assets the acts of a transaction exchange for one another; a loan exchanges nothing. */
function exchangeLinks(
  motifs: readonly Motif[],
  rules: LedgerRules,
  { wrapped, debts }: { readonly wrapped: ReadonlySet<string>; readonly debts: ReadonlySet<string> },
): (id: string) => string {
  const parents = new Map<string, string>();
  const root = (id: string): string => {
    const parent = parents.get(id);
    return parent === undefined ? id : root(parent);
  };
  const link = (a: string, b: string): void => {
    if (root(a) !== root(b)) parents.set(root(a), root(b));
  };
  for (const id of wrapped) link(id, NATIVE_ASSET);
  for (const { id: motif, kind, assets_in: received, assets_out: given } of motifs) {
    const { position, closedFlow } = kindOf(rules, kind);
    // A liquidator of another's debt buys the collateral.
    const isLoan = (position?.category === 'lending_debt') !== (closedFlow === 'possible');
    if (isLoan || debts.has(motif)) continue;
    const ids = (amounts: typeof given): string[] =>
      amounts.flatMap(({ asset, role }) => (EARNED.has(role) || role === 'fee' ? [] : asset.id));
    for (const a of ids(received)) for (const b of ids(given)) link(a, b);
  }
  return root;
}

const isNft = ({ id }: Part): boolean => /\/erc(721|1155):/.test(id);

const isPair = ([a, b, ...more]: readonly Part[]): boolean =>
  a !== undefined && b !== undefined && more.length === 0 && a.raw < 0n !== b.raw < 0n;

/**
 * One out and one in that acts exchange share a row: by their links, or all there is where `link` is null.
 */
function exchanged(parts: readonly Part[], link: ((id: string) => string) | null): PartRow[] {
  const sale = salesOf(parts);
  if (sale.length > 0) return sale;
  const groups = new Map<string, Part[]>();
  for (const part of parts) {
    const key = link === null ? '' : link(part.id);
    groups.set(key, [...(groups.get(key) ?? []), part]);
  }
  return [...groups.values()].flatMap((group) =>
    isPair(group) ? pairRow(group[0]!, group[1]!) : singles(group, null),
  );
}

const pairRow = (a: Part, b: Part): PartRow => ({ parts: a.raw < 0n ? [a, b] : [b, a], purpose: null });

/** NFTs and their price: an equal part of it for each, the remainder for the last. */
function salesOf(parts: readonly Part[]): PartRow[] {
  const [price, ...more] = parts.filter((part) => !isNft(part));
  const nfts = parts.filter(isNft);
  if (!price || more.length > 0 || nfts.some(({ raw }) => raw < 0n === price.raw < 0n)) return [];
  const share = nfts.length === 0 ? 0n : price.raw / BigInt(nfts.length);
  const last = price.raw - share * BigInt(nfts.length - 1);
  return nfts.map((nft, i) => pairRow({ id: price.id, raw: i === nfts.length - 1 ? last : share }, nft));
}
