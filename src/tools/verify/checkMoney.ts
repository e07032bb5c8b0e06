import type { DisplayMoney, TxReport } from '../../model/generated/report.ts';
import { NOTHING, parseDecimal, plus, roundsTo, times, type Decimal } from './decimal.ts';
import { netsOf, partiesOf, type Report, type Party } from './finding.ts';
import { NATIVE } from './rawChain.ts';

/** USD figures follow from the exact amounts and the prices the report itself lists. */
export function checkMoney(report: TxReport, find: Report): void {
  const prices = new Map(
    (report.economics.valuation.prices ?? []).flatMap((p) =>
      p.price_exact === undefined ? [] : [[p.asset_id, parseDecimal(p.price_exact)] as const],
    ),
  );
  const value = (assetId: string, raw: bigint, decimals: number): Decimal | null => {
    const price = prices.get(assetId);
    return price ? times(price, raw, decimals) : null;
  };
  const compare = (at: string, money: DisplayMoney, exact: Decimal | null) => {
    if (money.available !== (money.reason === undefined))
      find('money', at, 'a reason is given exactly when the value is unavailable');
    if (!money.available) {
      if (money.text !== '—') find('money', at, `unavailable, yet reads ${money.text}`);
      return;
    }
    const shown = parseDecimal(money.text);
    if (!shown) find('money', at, `${money.text} is no dollar amount`);
    else if (exact && !roundsTo(shown, exact))
      find('money', at, `${money.text} is not what amounts and prices give`);
  };
  const native = report.inventory_deltas.find((d) => d.asset.kind === 'native')?.asset.id ?? NATIVE;
  const gas = parseDecimal(report.execution.gas_cost_native);
  const gasRaw = gas ? gas.units * 10n ** BigInt(18 - gas.places) : 0n;
  compare('/execution/gas_cost_usd', report.execution.gas_cost_usd, value(native, gasRaw, 18));
  compare('/economics/fee_usd', report.economics.fee_usd, value(native, gasRaw, 18));
  report.inventory_deltas.forEach((d, i) =>
    compare(
      `/inventory_deltas/${i}/usd`,
      d.usd,
      d.asset.decimals === null ? null : value(d.asset.id, BigInt(d.delta_raw), d.asset.decimals),
    ),
  );

  const sum = (amounts: readonly Amount[]): Decimal | null => {
    let total = NOTHING;
    const nets = new Map<string, Amount>();
    for (const { asset, raw } of amounts)
      nets.set(asset.id, { asset, raw: raw + (nets.get(asset.id)?.raw ?? 0n) });
    for (const { asset, raw } of nets.values()) {
      if (raw === 0n) continue;
      const part = asset.decimals === null ? null : value(asset.id, raw, asset.decimals);
      if (!part) return null;
      total = plus(total, part);
    }
    return total;
  };
  for (const party of partiesOf(report)) {
    const net = sum([...ownDeltas(report, party), ...lendingAmounts(report, party)]);
    compare(`${party.at}/net_usd_before_gas`, party.figures.net_usd_before_gas, net);
  }
}

type Effect = TxReport['position_effects'][number];
interface Amount {
  readonly asset: Effect['underlying'][number]['asset'];
  readonly raw: bigint;
}

const isLending = ({ category }: Effect): boolean =>
  category === 'lending_supply' || category === 'lending_debt';
const placeOf = ({ position_asset: token, protocol, market }: Effect): string =>
  token?.id ?? protocol?.contract ?? market ?? '';

/** Lending effects of a party's owner that count as claims and debts. */
function countedEffects({ position_effects }: TxReport, { owner }: Party): Effect[] {
  const own = position_effects.filter((e) => e.owner === owner && isLending(e));
  const uncertain = new Set(
    own
      .filter((e) => (e.underlying.length === 0 && e.effect !== 'collect') || e.status !== 'Proven')
      .map(placeOf),
  );
  return own.filter((e) => !uncertain.has(placeOf(e)));
}

/** A party's net changes, without debt tokens and the tokens of positions that count as claims. */
function ownDeltas(report: TxReport, party: Party): Amount[] {
  const debts = report.position_effects.filter(
    (e) => e.owner === party.owner && e.category === 'lending_debt',
  );
  const left = new Set([...debts, ...countedEffects(report, party)].map((e) => e.position_asset?.id));
  return netsOf(report, party).filter(({ asset }) => !left.has(asset.id));
}

/** Debts that lending changed beside balances: a supply is owed to the owner, a loan is owed by it. */
function lendingAmounts(report: TxReport, party: Party): Amount[] {
  return countedEffects(report, party).flatMap((effect) => {
    const { category, underlying, position_delta_raw: moved } = effect;
    const supply = category === 'lending_supply';
    const sign = supply && effect.effect === 'liquidate' ? 1n : -1n;
    const paysInterest = (asset: string): boolean =>
      supply &&
      underlying.some((u) => u.role === 'principal' && u.asset.id === asset && `-${u.delta_raw}` === moved);
    return underlying
      .filter(({ role }) => !['fee', 'reward', 'penalty'].includes(role))
      .filter(({ role, asset }) => role !== 'interest' || paysInterest(asset.id))
      .map(({ asset, delta_raw }) => ({ asset, raw: sign * BigInt(delta_raw) }));
  });
}
