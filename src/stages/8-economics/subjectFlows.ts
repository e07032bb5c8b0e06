import { formatAmount } from '../../value/amount.ts';
import { balances } from '../../value/balances.ts';
import { parseAssetId } from '../../value/asset.ts';
import { assetUnit, listSymbol } from '../../value/display.ts';
import { compareUsd, worth, worthTogether } from '../../value/money.ts';
import type { Money, PriceBook } from '../../model/economics.ts';
import type { LendingClaims } from './positions/lendingClaims.ts';
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

interface FlowInput {
  /** An account, or several taken as one. */
  readonly subject: Address | ReadonlySet<Address>;
  readonly flow: ValueFlow;
  readonly claims: LendingClaims;
}

/**
 * The subject's sent and received assets: gross in US dollars, net per asset as display lists. Lending
 * positions count as claims and debts.
 */
export function subjectFlows(
  { subject, flow, claims }: FlowInput,
  context: RawContext,
  book: PriceBook,
): SubjectFlows {
  const own = [...balances(flow, subject).values()];
  const priced = own.filter(({ id }) => !claims.tokens.has(id) && !claims.debtTokens.has(id));
  const received = priced.map(({ id, received: amount }): Amount => [id, amount]);
  const supplied = claims.supplied.filter(([, amount]) => amount > 0n);
  // Amounts that cancel out need no price.
  const net = new Map<AssetId, bigint>();
  const add = ([id, amount]: Amount, sign: bigint): void =>
    void net.set(id, (net.get(id) ?? 0n) + sign * amount);
  for (const balance of priced) add([balance.id, balance.net], 1n);
  for (const amount of claims.supplied) add(amount, 1n);
  for (const amount of claims.owed) add(amount, -1n);
  const listed = own.filter(({ id }) => !claims.debtTokens.has(id));
  const list = (sign: bigint): string =>
    tokenList(
      listed.filter((b) => b.net * sign > 0n).map((b) => ({ asset: b.id, magnitude: b.net * sign })),
      flow,
      context,
      book,
    );
  return {
    inflow: worthTogether(
      [...received, ...supplied].filter(([, amount]) => amount !== 0n),
      book,
    ),
    net: worthTogether(
      [...net].filter(([, amount]) => amount !== 0n),
      book,
    ),
    tokenIn: list(1n),
    tokenOut: list(-1n),
  };
}

type Amount = readonly [AssetId, bigint];
