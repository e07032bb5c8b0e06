import type { DisplayMoney, InventoryDelta, PositionEffect, TxReport } from '../../model/generated/report.ts';
import { NOTHING, parseDecimal, plus, roundsTo, times, type Decimal } from './decimal.ts';
import { netsOf, partiesOf, paysInterest, summed, type Amount, type Party, type Report } from './finding.ts';
import { isRecord } from '../../lib/shape.ts';
import { walk } from './checkEvidence.ts';
import { NATIVE } from './rawChain.ts';

/** Dollars of amounts; null where one of them has no price or no decimals. */
export type Worth = (amounts: readonly Amount[]) => Decimal | null;

/** Dollars at the prices that the report lists. */
export function worthIn({ economics }: TxReport): Worth {
  const { prices: listed = [] } = economics.valuation;
  const prices = new Map(listed.map((p) => [p.asset_id, parseDecimal(p.price_exact ?? '')]));
  return (amounts) => {
    let total = NOTHING;
    for (const { asset, raw } of summed(amounts)) {
      const price = prices.get(asset.id);
      if (!price || asset.decimals === null) return null;
      total = plus(total, times(price, raw, asset.decimals));
    }
    return total;
  };
}

/** USD figures follow from the exact amounts and the prices the report itself lists. */
export function checkMoney(report: TxReport, find: Report): void {
  const worth = worthIn(report);
  const compare = comparing(find);
  const { units, places } = parseDecimal(report.execution.gas_cost_native) ?? NOTHING;
  const gas = worth([{ asset: { id: NATIVE, decimals: places }, raw: units }]);
  compare('/execution/gas_cost_usd', report.execution.gas_cost_usd, gas);
  compare('/economics/fee_usd', report.economics.fee_usd, gas);
  for (const { asset, raw, usd, place } of valuedAmounts(report))
    compare(place, usd, worth([{ asset, raw }]));
  const { net_usd_after_gas: after, net_usd_after_own_gas: own } = report.economics;
  const parties = partiesOf(report);
  const [net] = parties.map((party) => {
    const { at, figures, accounts } = party;
    const counted = countedEffects(report, party);
    const lending = lendingAmounts(counted);
    // Tokens of positions that count as claims.
    const claims = new Set(counted.map((e) => e.position_asset?.id));
    const own = (key: 'delta_raw' | 'inflow_raw') =>
      netsOf(report, party, key).filter(({ asset }) => !claims.has(asset.id));
    const sum = worth([...own('delta_raw'), ...lending]);
    compare(`${at}/net_usd_before_gas`, figures.net_usd_before_gas, sum);
    const received = worth([...own('inflow_raw'), ...lending.filter(({ supplied }) => supplied)]);
    if (accounts.size === 1) compare(`${at}/inflow_usd`, figures.inflow_usd, received);
    return sum;
  });
  checkPrice(report, parties[0]!, worth, find);
  compare('/economics/net_usd_after_gas', after, net && gas ? plus(net, gas, -1n) : null);
  if (own) compare('/economics/net_usd_after_own_gas', own, net ?? null);
  const isPaidByOther = report.engine && report.economics.warnings.some((code) => code.startsWith('Fee'));
  if (!own && isPaidByOther)
    find('money', '/economics/net_usd_after_own_gas', 'is left out though another paid the gas');
}

/** The price of a trade is an amount given or got, where one account traded. */
function checkPrice(report: TxReport, party: Party, worth: Worth, find: Report): void {
  const price = parseDecimal(report.economics.consideration_usd?.text ?? '');
  if (!price || report.attribution.mode === 'bot_contract') return;
  const nets = netsOf(report, party);
  const sides = [1n, -1n].map((sign) => {
    const signed = nets.map(({ asset, raw }) => ({ asset, raw: raw * sign }));
    return worth(signed.filter(({ raw }) => raw > 0n));
  });
  if (!sides.some((side) => side && roundsTo(price, side)))
    find('money', '/economics/consideration_usd', 'is neither side of the trade');
}

/** Amounts of balances and positions with their worth in dollars, and its place in the report. */
function* valuedAmounts({ inventory_deltas: deltas, position_effects: effects }: TxReport) {
  for (const [value, at] of walk([deltas, effects])) {
    if (!isRecord(value)) continue;
    const { asset, delta_raw: raw, usd } = value as unknown as InventoryDelta;
    const place = at.replace('/0', '/inventory_deltas').replace('/1', '/position_effects');
    if (usd && raw) yield { asset, raw: BigInt(raw), usd, place: `${place}/usd` };
  }
}

const comparing =
  (find: Report) =>
  (at: string, money: DisplayMoney, exact: Decimal | null): void => {
    if (!money.available) return;
    const shown = parseDecimal(money.text);
    if (!shown) find('money', at, `${money.text} is no dollar amount`);
    else if (exact && !roundsTo(shown, exact))
      find('money', at, `${money.text} is not what amounts and prices give`);
  };

const isLending = ({ category }: PositionEffect): boolean => category.startsWith('lending_');
const placeOf = ({ position_asset: token, protocol, market }: PositionEffect): string =>
  token?.id ?? protocol?.contract ?? market ?? '';

/** Lending effects of a party's owner that count as claims and debts. */
export function countedEffects({ position_effects }: TxReport, { owner }: Party): PositionEffect[] {
  const own = position_effects.filter((e) => e.owner === owner && isLending(e));
  const isOpen = ({ underlying: [any], effect, status }: PositionEffect): boolean =>
    status !== 'Proven' || (!any && effect !== 'collect');
  const uncertain = new Set(own.filter(isOpen).map(placeOf));
  return own.filter((e) => !uncertain.has(placeOf(e)));
}

/** Debts that lending changed beside balances: a supply is owed to the owner, a loan is owed by it. */
function lendingAmounts(effects: readonly PositionEffect[]): (Amount & { readonly supplied: boolean })[] {
  return effects.flatMap((effect) => {
    const isSupply = effect.category === 'lending_supply';
    const sign = isSupply && effect.effect === 'liquidate' ? 1n : -1n;
    return effect.underlying
      .filter(({ role }) => !['fee', 'reward', 'penalty'].includes(role))
      .filter(({ role, asset }) => role !== 'interest' || paysInterest(effect, asset.id))
      .map(({ asset, delta_raw }) => ({ asset, raw: sign * BigInt(delta_raw) }))
      .map((amount) => ({ ...amount, supplied: isSupply && amount.raw > 0n }));
  });
}
