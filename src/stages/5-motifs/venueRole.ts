import { ZERO_ADDRESS } from '../../evm/hex.ts';
import type { Primitive } from '../../model/primitive.ts';

/** What a venue is called among the participants, by the kind of act; anything else is a `venue`. */
const ROLE_BY_KIND: ReadonlyMap<string, string> = new Map(
  Object.entries({
    swap: 'pool',
    add_liquidity: 'pool',
    remove_liquidity: 'pool',
    collect_fees: 'pool',
    pool_creation: 'factory',
    vault_deposit: 'vault',
    vault_withdraw: 'vault',
    supply: 'market',
    withdraw: 'market',
    borrow: 'market',
    repay: 'market',
    liquidation: 'market',
    flash_loan: 'lender',
    bridge_deposit: 'bridge',
    bridge_withdrawal: 'bridge',
    nft_trade: 'marketplace',
    order_settled: 'settlement',
    aggregation: 'aggregator',
    wrap: 'token_contract',
    unwrap: 'token_contract',
    approval: 'token_contract',
    token_mint: 'token_contract',
    token_burn: 'token_contract',
    nft_mint: 'token_contract',
    nft_burn: 'token_contract',
    deployment: 'created',
  }),
);

/** Transfers have no venue: the token that moved only keeps the books. */
const WITHOUT_VENUE = new Set(['transfer', 'refund', 'protocol_fee', 'builder_payment']);

/** The role that the venue has as a participant; null where there is none. */
export function venueRole({ kind, venue }: Primitive): string | null {
  if (WITHOUT_VENUE.has(kind) || venue === ZERO_ADDRESS) return null;
  return ROLE_BY_KIND.get(kind) ?? 'venue';
}
