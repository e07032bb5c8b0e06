import { formatAmount } from '../../lib/amount.ts';
import { parseAssetId } from '../../lib/assetId.ts';
import { assetText, listSymbol } from '../../lib/display.ts';
import { compareUsd, subtractMoney, worth, worthTogether } from '../../lib/money.ts';
import type { Money, PriceBook } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { AssetId, Ledger, ValueFlow } from '../../model/valueFlow.ts';

export interface SubjectFlows {
  /** Gross. */
  readonly inflow: Money;
  readonly net: Money;
  readonly tokenIn: string;
  readonly tokenOut: string;
}

interface NetLane {
  readonly asset: AssetId;
  readonly magnitude: bigint;
}

/** Largest US dollar value first, assets without a price last, equal ones by id. */
function byValue(book: PriceBook): (a: NetLane, b: NetLane) => number {
  return (a, b) => {
    const left = book.prices.get(a.asset);
    const right = book.prices.get(b.asset);
    const order = left && right ? compareUsd(worth(b.magnitude, right.unit), worth(a.magnitude, left.unit)) : left ? -1 : right ? 1 : 0;
    return order !== 0 ? order : a.asset < b.asset ? -1 : 1;
  };
}

function tokenList(lanes: readonly NetLane[], flow: ValueFlow, context: RawContext, book: PriceBook): string {
  return [...lanes].sort(byValue(book)).flatMap(({ asset: id, magnitude }) => {
    const asset = flow.assets.get(id) ?? parseAssetId(id);
    if (!asset) return [];
    const text = assetText(asset, context.tokens);
    return [`${formatAmount(magnitude, text.decimals ?? 0)} ${listSymbol(asset, text)}`];
  }).join(', ');
}

/** What the subject received and sent: gross in US dollars, net per asset as display lists. */
export function subjectFlows(subject: Address, flow: ValueFlow, context: RawContext, book: PriceBook): SubjectFlows {
  const ledger: Ledger = flow.ledgers.get(subject) ?? new Map();
  const lanes = [...ledger].map(([asset, entry]) => ({ asset, ...entry, net: entry.inflow - entry.outflow }));
  const inflow = worthTogether(lanes.filter((l) => l.inflow > 0n).map((l) => [l.asset, l.inflow]), book);
  const outflow = worthTogether(lanes.filter((l) => l.outflow > 0n).map((l) => [l.asset, l.outflow]), book);
  const side = (sign: 1n | -1n) => lanes.filter((l) => l.net * sign > 0n).map((l) => ({ asset: l.asset, magnitude: l.net * sign }));
  return {
    inflow,
    net: subtractMoney(inflow, outflow),
    tokenIn: tokenList(side(1n), flow, context, book),
    tokenOut: tokenList(side(-1n), flow, context, book),
  };
}
