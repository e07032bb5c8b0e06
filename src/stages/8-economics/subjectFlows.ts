import { formatAmount } from '../../value/amount.ts';
import { balances } from '../../value/balances.ts';
import { parseAssetId } from '../../value/assetId.ts';
import { assetUnit, listSymbol } from '../../value/display.ts';
import { compareUsd, subtractMoney, worth, worthTogether } from '../../value/money.ts';
import type { Money, PriceBook } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';

export interface SubjectFlows {
  /** Gross. */
  readonly inflow: Money;
  readonly net: Money;
  readonly tokenIn: string;
  readonly tokenOut: string;
}

interface NetAmount {
  readonly asset: AssetId;
  readonly magnitude: bigint;
}

/** Largest US dollar value first, assets without a price last, equal ones by id. */
function byValue(book: PriceBook): (a: NetAmount, b: NetAmount) => number {
  return (a, b) => {
    const left = book.prices.get(a.asset);
    const right = book.prices.get(b.asset);
    const order =
      left && right
        ? compareUsd(worth(b.magnitude, right.unit), worth(a.magnitude, left.unit))
        : left
          ? -1
          : right
            ? 1
            : 0;
    return order !== 0 ? order : a.asset < b.asset ? -1 : 1;
  };
}

function tokenList(
  amounts: readonly NetAmount[],
  flow: ValueFlow,
  context: RawContext,
  book: PriceBook,
): string {
  const texts: string[] = [];
  for (const { asset: id, magnitude } of amounts.length < 2 ? amounts : [...amounts].sort(byValue(book))) {
    const asset = flow.assets.get(id) ?? parseAssetId(id);
    if (!asset) continue;
    const unit = assetUnit(asset, context.tokens);
    texts.push(`${formatAmount(magnitude, unit.decimals ?? 0)} ${listSymbol(asset, unit)}`);
  }
  return texts.join(', ');
}

/** The subject's sent and received assets: gross in US dollars, net per asset as display lists. */
export function subjectFlows(
  subject: Address,
  flow: ValueFlow,
  context: RawContext,
  book: PriceBook,
): SubjectFlows {
  const received: [AssetId, bigint][] = [];
  const sent: [AssetId, bigint][] = [];
  const gained: NetAmount[] = [];
  const lost: NetAmount[] = [];
  for (const [asset, own] of balances(flow, subject)) {
    if (own.received > 0n) received.push([asset, own.received]);
    if (own.sent > 0n) sent.push([asset, own.sent]);
    if (own.net > 0n) gained.push({ asset, magnitude: own.net });
    else if (own.net < 0n) lost.push({ asset, magnitude: -own.net });
  }
  const inflow = worthTogether(received, book);
  return {
    inflow,
    net: subtractMoney(inflow, worthTogether(sent, book)),
    tokenIn: tokenList(gained, flow, context, book),
    tokenOut: tokenList(lost, flow, context, book),
  };
}
