import type { AssetId, LedgerEntry, Movement, ValueFlow } from '../../model/valueFlow.ts';
import type { Address } from '../../model/hex.ts';

/**
 * Double entry over the movements: each is one account's outflow and another's inflow of the same amount, so
 * every asset's deltas sum to zero. Accounts and assets keep the order in which value first touched them.
 */
export function keepLedgers(
  movements: readonly Movement[],
): Pick<ValueFlow, 'ledgers' | 'outgoing' | 'incoming'> {
  const ledgers = new Map<Address, Map<AssetId, LedgerEntry>>();
  const outgoing = new Map<Address, number[]>();
  const incoming = new Map<Address, number[]>();
  const book = (account: Address, side: 'inflow' | 'outflow', { asset, amount, index }: Movement): void => {
    let ledger = ledgers.get(account);
    if (!ledger) ledgers.set(account, (ledger = new Map()));
    let entry = ledger.get(asset);
    if (!entry) ledger.set(asset, (entry = { inflow: 0n, outflow: 0n, movements: [] }));
    entry[side] += amount;
    entry.movements.push(index);
    const lists = side === 'inflow' ? incoming : outgoing;
    const list = lists.get(account);
    if (list) list.push(index);
    else lists.set(account, [index]);
  };
  for (const movement of movements) {
    book(movement.from, 'outflow', movement);
    book(movement.to, 'inflow', movement);
  }
  return { ledgers, outgoing, incoming };
}
