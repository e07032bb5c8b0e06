import { roleOf } from '../../../lib/roles.ts';
import type { ElectionContext } from '../electionContext.ts';
import { firstMovements, type Proposal } from '../proposal.ts';
import type { Address } from '../../../model/hex.ts';
import type { ElectionGround, SettledOrder, SubmitterRole } from '../../../model/attribution.ts';
import type { Motif } from '../../../model/motif.ts';

/** Orders that anybody may take, and quotes given to one taker. All others only ever run for their owners. */
const isLimitOrder = (motif: Motif): boolean => motif.tags.includes('limit_order');
const isQuote = (motif: Motif): boolean => motif.tags.includes('rfq');

/**
 * The account an order speaks for: its owner, or the receiver where the owner only forwards orders of
 * others. A quote is made for its taker.
 */
function principal(context: ElectionContext, motif: Motif): Principal | null {
  const named = (account: Address | null, ground: ElectionGround): Principal | null =>
    account && { account, ground, evidence: motif.evidence };
  const stated = context.isListed(motif) ? 'listed' : 'claimed';
  const mayAct = (account: Address | null): boolean =>
    account !== null && context.neverElect(account) === null;
  if (isQuote(motif)) return named(roleOf(motif, 'taker'), stated);
  const owner = roleOf(motif, 'owner') ?? roleOf(motif, 'maker');
  if (mayAct(owner)) return named(owner, stated);
  const receiver = roleOf(motif, 'recipient');
  if (mayAct(receiver)) return named(receiver, 'claimed');
  return owner === null ? soleCustomer(context, motif) : null;
}

type Principal = Pick<Proposal, 'account' | 'ground' | 'evidence'>;

/**
 * Some settlements log no owner. Then the owner is the one account that sent and received, has no code and
 * did not sign, and from which the settlement took: a filler may bring others' payments along.
 */
function soleCustomer(context: ElectionContext, motif: Motif): Principal | null {
  const { flow, suspects } = context.input;
  const isTakenFrom = (one: Address): boolean =>
    flow.outgoing.get(one)!.some((m) => suspects.consent.isMadeBy(motif.venue, flow.movements[m]!));
  const [account, ...others] = context.twoSided.filter(
    (one) => one !== motif.venue && context.isOther(one) && isTakenFrom(one),
  );
  if (account === undefined || others.length > 0) return null;
  const evidence = [...motif.evidence, ...firstMovements(context.input.flow, account)];
  return { account, ground: 'claimed', evidence };
}

/** An order and the motif that states it. */
export interface StatedOrder {
  readonly motif: Motif;
  readonly ground: ElectionGround;
  readonly order: SettledOrder;
  /** The contract that alone states it. */
  readonly claimedBy: Address | null;
}

export function ordersOf(context: ElectionContext): StatedOrder[] {
  return context.input.motifs
    .filter(({ traits }) => traits.trade === 'order')
    .flatMap((motif) => {
      const named = principal(context, motif);
      if (named === null) return [];
      const { account: owner, ground, evidence } = named;
      const receiver = roleOf(motif, 'recipient');
      const protocol = motif.protocol?.slug ?? null;
      const claimedBy = context.strangerOf(motif, owner);
      return [{ motif, ground, order: { owner, receiver, protocol, evidence }, claimedBy }];
    });
}

/**
 * Signed orders executed by another account. Where the executor trades on its own account, limit orders are
 * its liquidity. Quotes always are, unless only their taker traded.
 */
export function settledOrders(
  context: ElectionContext,
  stated: readonly StatedOrder[],
  driver: Address,
): Proposal[] {
  const orders = stated.filter(({ order }) => order.owner !== driver);
  if (orders.length === 0) return [];
  const driverTrades = context.sides(driver) === 'both';
  const counts = ({ motif, order }: StatedOrder): boolean =>
    isQuote(motif)
      ? !driverTrades && context.neverElect(order.owner) === null && context.sides(order.owner) === 'both'
      : !isLimitOrder(motif) || !driverTrades;
  return orders.filter(counts).map(({ motif, order, ground, claimedBy }) => ({
    account: order.owner,
    ground,
    mode: 'solver_settlement',
    submitterRole: (isLimitOrder(motif)
      ? 'resolver'
      : isQuote(motif)
        ? 'relayer'
        : 'solver') satisfies SubmitterRole,
    reason: 'order_owner',
    evidence: order.evidence,
    claimedBy,
  }));
}
