import type { Address } from '../../model/hex.ts';
import type { AssetId, LedgerEntry, Movement, ValueFlow } from '../../model/valueFlow.ts';

/**
 * Double entry over the movements: each is one account's outflow and another's inflow of the same amount, so every
 * asset's deltas sum to zero. Accounts and assets stand in the order value first touched them.
 */
export function buildLedgers(movements: readonly Movement[]): Pick<ValueFlow, 'ledgers' | 'outgoing' | 'incoming'> {
  const ledgers = new Map<Address, Map<AssetId, LedgerEntry>>();
  const outgoing = new Map<Address, number[]>();
  const incoming = new Map<Address, number[]>();
  const book = (account: Address, asset: AssetId, inflow: bigint, outflow: bigint, movement: number): void => {
    let ledger = ledgers.get(account);
    if (!ledger) ledgers.set(account, (ledger = new Map()));
    const entry = ledger.get(asset);
    if (entry) {
      entry.inflow += inflow;
      entry.outflow += outflow;
      entry.movements.push(movement);
    } else ledger.set(asset, { inflow, outflow, movements: [movement] });
  };
  for (const { index, from, to, asset, amount } of movements) {
    book(from, asset, 0n, amount, index);
    book(to, asset, amount, 0n, index);
    append(outgoing, from, index);
    append(incoming, to, index);
  }
  return { ledgers, outgoing, incoming };
}

function append(lists: Map<Address, number[]>, account: Address, movement: number): void {
  const list = lists.get(account);
  if (list) list.push(movement);
  else lists.set(account, [movement]);
}
