import { formatAmount } from '../../value/amount.ts';
import { balances } from '../../value/balances.ts';
import { parseAssetId } from '../../value/asset.ts';
import { assetUnit, listSymbol } from '../../value/display.ts';
import { accountFlows, isBooked, untoldReason, type OwnPosition } from '../../value/accountFlows.ts';
import { compareUsd, unknown, worth, worthTogether } from '../../value/money.ts';
import type { Money, PositionChange, PriceBook } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';

/** Worth of the subject's receipts (`inflow`, gross), and its net before gas. */
export type SubjectFlows = Readonly<ReturnType<typeof subjectFlows>>;

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
        : Number(right !== undefined) - Number(left !== undefined);
    return order || (a.asset < b.asset ? -1 : 1);
  };
}

function tokenList(amounts: readonly NetAmount[], { flow, context, book }: FlowInput): string {
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
  /** The account that owns their positions. */
  readonly owner: Address;
  readonly flow: ValueFlow;
  readonly context: RawContext;
  readonly positions: readonly PositionChange[];
  readonly book: PriceBook;
}

/** A subject's flows in US dollars, and its sent and received assets, net, as display lists. */
export function subjectFlows(input: FlowInput) {
  const { subject, owner, flow, positions, book } = input;
  const own = [...balances(flow, subject, { apart: true }).values()];
  const held = positions.filter((change) => change.owner === owner).map(ownPosition);
  const isPriced = (asset: AssetId): boolean => book.prices.has(asset);
  const flows = accountFlows(own, held, isPriced);
  const worthOf = (net: ReadonlyMap<AssetId, bigint>): Money =>
    flows.untold.length > 0 ? unknown(untoldReason(flows.untold)) : worthTogether(net, book);
  const gained: NetAmount[] = [];
  const lost: NetAmount[] = [];
  for (const { id: asset, net } of own) {
    if (net === 0n || flows.debtTokens.has(asset)) continue;
    if (net > 0n) gained.push({ asset, magnitude: net });
    else lost.push({ asset, magnitude: -net });
  }
  return {
    inflow: worthTogether(flows.received, book),
    net: worthOf(flows.net),
    /** Something was put into a position that is only booked, or taken out of one. */
    isBooked: isBooked(held, isPriced),
    /** Tokens of lending that the figures need no price of. */
    counted: flows.counted,
    netWithPositions: flows.withPositions && worthOf(flows.withPositions),
    tokenIn: tokenList(gained, input),
    tokenOut: tokenList(lost, input),
  };
}

function ownPosition({ category, effect, position, delta, parts, motif }: PositionChange): OwnPosition {
  return {
    category,
    effect,
    proven: motif.status === 'Proven',
    token: position,
    delta,
    place: position ?? motif.poolId ?? motif.venue,
    parts,
  };
}
