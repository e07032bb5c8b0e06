import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import type { StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetId, Movement, ValueFlow } from '../../../model/valueFlow.ts';

/** A tax is at most this part (1/4) of the transfer it is taken from. */
const TAX_DIVISOR = 4n;

/**
 * Movements a token makes of itself besides the transfer it was asked for: when the transaction calls the
 * token directly, one account's smaller payments in it, to others or to nothing, are the token's tax on the
 * largest.
 */
export function transferTaxes(context: StructureContext): ReadonlySet<number> {
  const { flow, tx } = context;
  const called = tokenAt(flow, tx.to);
  if (called === null) return NONE;
  const own = flow.movements.filter((m) => m.asset === called);
  if (own.length < 2) return NONE;
  const taxes = new Set<number>();
  const largest = largestByPayer(own);
  const named = accountsIn(tx.input);
  // Calls that name several recipients (batch transfers offered by the token) are not one transfer.
  for (const m of own) {
    const main = largest.get(m.from);
    if (main && m !== main && m.amount * TAX_DIVISOR <= main.amount && !named.has(m.to)) taxes.add(m.index);
  }
  return taxes;
}

function largestByPayer(movements: readonly Movement[]): ReadonlyMap<Address, Movement> {
  const largest = new Map<Address, Movement>();
  for (const m of movements) {
    const best = largest.get(m.from);
    if (m.kind === 'transfer' && (!best || m.amount > best.amount)) largest.set(m.from, m);
  }
  return largest;
}

const NONE: ReadonlySet<number> = new Set();

function tokenAt(flow: ValueFlow, contract: Address | null): AssetId | null {
  for (const { id, kind, address } of flow.assets.values())
    if (kind === 'erc20' && address === contract) return id;
  return null;
}

/** Accounts a call names among its 32-byte argument words. */
function accountsIn(input: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 10; at + 64 <= input.length; at += 64) found.add(`0x${input.slice(at + 24, at + 64)}`);
  found.delete(ZERO_ADDRESS);
  return found;
}
