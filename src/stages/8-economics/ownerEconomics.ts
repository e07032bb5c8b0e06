import { ZERO_ADDRESS } from '../../evm/hex.ts';
import type { Attribution } from '../../model/attribution.ts';
import type { OwnerEconomics, PositionChange, PriceBook } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';
import { lendingClaims } from './positions/lendingClaims.ts';
import { subjectFlows } from './subjectFlows.ts';

interface OwnerInput {
  readonly attribution: Attribution;
  readonly flow: ValueFlow;
  readonly context: RawContext;
  readonly positions: readonly PositionChange[];
  readonly book: PriceBook;
}

/**
 * Amounts sent and received by each owner of a batch of orders or a bundle of user operations. The
 * receivers of an owner's orders count with it, unless they receive for others too. Gas is the submitter's.
 */
export function ownerEconomics({
  attribution,
  flow,
  context,
  positions,
  book,
}: OwnerInput): OwnerEconomics[] {
  const { owners = [] } = attribution;
  return owners.map((owner) => {
    const accounts = accountsOf(owner, attribution);
    const claims = lendingClaims(owner, positions);
    const { inflow, net, tokenIn, tokenOut } = subjectFlows(
      { subject: new Set(accounts), flow, claims },
      context,
      book,
    );
    return { owner, accounts, inflow, netBeforeGas: net, tokenIn, tokenOut };
  });
}

function accountsOf(owner: Address, { owners = [], orders }: Attribution): Address[] {
  const receivers = orders.flatMap(({ owner: other, receiver }) =>
    other === owner && receiver ? [receiver] : [],
  );
  const isOwn = (receiver: Address): boolean =>
    receiver !== ZERO_ADDRESS &&
    !owners.includes(receiver) &&
    orders.every((order) => order.receiver !== receiver || order.owner === owner);
  return [...new Set([owner, ...receivers.filter(isOwn)])];
}
