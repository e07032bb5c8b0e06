import { distance, formatAmount } from '../../value/amount.ts';
import { balances, type Balance } from '../../value/balances.ts';
import { assetUnit, listSymbol } from '../../value/display.ts';
import { accountFlows, isBooked, untoldReason, type OwnPosition } from '../../value/accountFlows.ts';
import { compareUsd, unknown, worth, worthTogether } from '../../value/money.ts';
import type { Money, PositionChange, PriceBook } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';

/** Worth of the subject's receipts (`inflow`, gross), and its net before gas. */
export type SubjectFlows = Readonly<ReturnType<typeof subjectFlows>>;

/** Largest US dollar value first, assets without a price last, equal ones by id. */
function byValue(book: PriceBook): (a: Balance, b: Balance) => number {
  return (a, b) => {
    const left = book.prices.get(a.id);
    const right = book.prices.get(b.id);
    const order =
      left && right
        ? compareUsd(worth(distance(b.net, 0n), right.unit), worth(distance(a.net, 0n), left.unit))
        : Number(right !== undefined) - Number(left !== undefined);
    return order || (a.id < b.id ? -1 : 1);
  };
}

function tokenList(moved: readonly Balance[], { context, book }: FlowInput): string {
  const sorted = moved.length < 2 ? moved : [...moved].sort(byValue(book));
  const texts = sorted.map(({ asset, net }) => {
    const unit = assetUnit(asset, context.tokens);
    return `${formatAmount(distance(net, 0n), unit.decimals ?? 0)} ${listSymbol(asset, unit)}`;
  });
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
  const moved = own.filter(({ id }) => !flows.debtTokens.has(id));
  const [gained, lost] = [moved.filter(({ net }) => net > 0n), moved.filter(({ net }) => net < 0n)];
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
