import { groupBy } from '../../lib/lists.ts';
import { accountFlows, untoldReason, type OwnPosition } from '../../value/accountFlows.ts';
import { displayMoney, exactUsd, unknown, worthTogether, type PriceBook } from '../../value/money.ts';
import type { Allowance, Money, InventoryDelta, Motif, PositionEffect, TxReport } from './report.ts';

/** One account's side of a report: the very entries of the report that concern it. */
export interface Side {
  /** Checksummed, as in the report. */
  readonly account: string;
  /** Its name, where the report has one. */
  readonly name: string | null;
  /** Assets it ended with less and with more of; gas not included. */
  readonly sent: readonly InventoryDelta[];
  readonly received: readonly InventoryDelta[];
  /** Dollars of all it received less all it sent, without gas: `net_usd_before_gas`, for this account. */
  readonly net_usd: Money;
  /** `net_usd_with_positions`, for this account; null where none of its positions is only booked. */
  readonly net_usd_with_positions: Money | null;
  /** Positions it owns that changed. */
  readonly positions: readonly PositionEffect[];
  /** Allowances it gave, and those it was given. */
  readonly granted: readonly Allowance[];
  readonly obtained: readonly Allowance[];
  /** Acts it took part in, with its roles in each. */
  readonly acts: readonly { readonly motif: Motif; readonly roles: readonly string[] }[];
  /** Whether it paid the transaction's fee. */
  readonly paid_fee: boolean;
}

/**
 * A report as one of its accounts sees it: assets sent and received, allowances, changed positions.
 * The address may be of any case. Null where the report does not have the account.
 */
export function seenBy(report: TxReport, address: string): Side | null {
  const wanted = address.toLowerCase();
  const is = (other: string | null): boolean => other !== null && other.toLowerCase() === wanted;
  const deltas = report.inventory_deltas.filter(({ subject }) => is(subject));
  const positions = report.position_effects.filter(({ owner }) => is(owner));
  const allowances = report.allowances ?? [];
  const acts = report.motifs.flatMap((motif) => {
    const roles = motif.participants.filter(({ account }) => is(account)).map(({ role }) => role);
    return roles.length > 0 ? [{ motif, roles }] : [];
  });
  const granted = allowances.filter(({ owner }) => is(owner));
  const obtained = allowances.filter(({ spender }) => is(spender));
  const named = [
    ...deltas.map(({ subject }) => subject),
    ...positions.map(({ owner }) => owner),
    report.tx.signer,
    report.tx.to,
    report.classification.actor,
    ...allowances.flatMap(({ owner, spender }) => [owner, spender]),
    ...acts.flatMap(({ motif }) => motif.participants.map((one) => one.account)),
  ];
  const account = named.find(is);
  if (account === undefined || account === null) return null;
  // By the sum that the report's own figures come from, at its prices.
  const { worth, flows } = flowsOf(report, account, new Set([account]));
  return {
    account,
    name: report.accounts?.[account]?.name ?? null,
    sent: deltas.filter(({ delta_raw }) => delta_raw.startsWith('-')),
    received: deltas.filter(({ delta_raw }) => !delta_raw.startsWith('-') && delta_raw !== '0'),
    net_usd: displayMoney(worth('net')) as Money,
    net_usd_with_positions: flows.withPositions && (displayMoney(worth('withPositions')) as Money),
    positions,
    granted,
    obtained,
    acts,
    paid_fee: is(report.attribution.fee_payer),
  };
}

/** Dollars of accounts taken as one, positions of the first: not rounded, null where unavailable. */
export function exactSums(report: TxReport, owner: string, accounts: readonly string[] = [owner]) {
  const { worth, flows, book } = flowsOf(report, owner, new Set(accounts));
  return { net: worth('net').usd, inflow: worthTogether(flows.received, book).usd };
}

function flowsOf(report: TxReport, owner: string, accounts: ReadonlySet<string>) {
  const book = bookOf(report);
  const own = report.inventory_deltas.filter(({ subject }) => accounts.has(subject));
  const inside = (report.movements ?? []).filter(({ from, to }) => accounts.has(from) && accounts.has(to));
  const balances = [...groupBy(own, ({ asset }) => asset.id)].map(([id, deltas]) => {
    const within = total(inside.flatMap(({ asset_id, amount_raw: raw }) => (asset_id === id ? raw : [])));
    const received = total(deltas.map(({ inflow_raw: raw }) => raw)) - within;
    return { id, received, sent: total(deltas.map(({ outflow_raw: raw }) => raw)) - within };
  });
  const positions = report.position_effects.filter((effect) => effect.owner === owner).map(positionOf);
  const flows = accountFlows(balances, positions, (id) => book.prices.has(id));
  const worth = (which: 'net' | 'withPositions') =>
    flows.untold.length > 0
      ? unknown(untoldReason(flows.untold))
      : worthTogether(flows[which] ?? flows.net, book);
  return { flows, worth, book };
}

const total = (amounts: readonly string[]): bigint => amounts.reduce((sum, raw) => sum + BigInt(raw), 0n);

function positionOf(effect: PositionEffect): OwnPosition {
  const { category, position_asset: token, position_delta_raw: delta, market, underlying } = effect;
  return {
    category,
    effect: effect.effect,
    proven: effect.status === 'Proven',
    token: token?.id ?? null,
    delta: delta === null ? null : BigInt(delta),
    place: token?.id ?? market ?? '',
    parts: underlying.map(({ asset, delta_raw, role }) => ({
      asset: asset.id,
      delta: BigInt(delta_raw),
      role,
    })),
  };
}

/** The report's exact prices and refusals, with the decimals its assets state. */
export function bookOf(report: TxReport): PriceBook {
  const assets = [
    ...report.inventory_deltas.map(({ asset }) => asset),
    ...report.position_effects.flatMap(({ underlying }) => underlying.map(({ asset }) => asset)),
  ];
  const decimals = new Map(
    assets.map(({ id, kind, decimals: stated }) => [id, kind === 'erc20' || kind === 'native' ? stated : 0]),
  );
  const { prices = [], refusals = [] } = report.economics.valuation;
  return {
    prices: new Map(
      prices.flatMap(({ asset_id: id, price_exact: exact }) => {
        const places = decimals.get(id);
        if (exact === undefined || places == null) return [];
        return [[id, { unit: { usd: exactUsd(exact), decimals: places } }]];
      }),
    ),
    refusals: new Map(refusals.map(({ asset_id: id, code }) => [id, { code }])),
  };
}
