import type { Frame } from '../model/canonicalTx.ts';
import type { Address } from '../model/hex.ts';
import { addressOfWord, uintOfWord, wordAt } from './hex.ts';

/** Selector of `balanceOf(address)` (EIP-20). */
export const BALANCE_OF = '0x70a08231';
/** Selector of `transfer(address,uint256)` (EIP-20). */
export const TRANSFER_CALL = '0xa9059cbb';
/** Selector of `transferFrom(address,address,uint256)` (EIP-20, EIP-721). */
export const TRANSFER_FROM_CALL = '0x23b872dd';

const isTransferCall = ({ selector, type, effective }: Frame): boolean =>
  (selector === TRANSFER_CALL || selector === TRANSFER_FROM_CALL) && type === 'CALL' && effective;

/** An answered `balanceOf(address)` (EIP-20) about the token's own balances: its code may run on others'. */
export const asksBalance = ({ selector, effective, context, to, output }: Frame): boolean =>
  selector === BALANCE_OF && effective && context === to && output.length >= 66;

/** Ends and amount of an effective `transfer` or `transferFrom` call (EIP-20); null for any other. */
export function readTransferCall(call: Frame): { from: Address; to: Address; amount: bigint } | null {
  if (!isTransferCall(call) || call.to === null) return null;
  const pulled = call.selector === TRANSFER_FROM_CALL;
  const first = pulled ? 36 : 4;
  const amount = wordAt(call.input, first + 32);
  if (amount === null) return null;
  const from = pulled ? addressOfWord(wordAt(call.input, 4)!) : call.from;
  const to = addressOfWord(wordAt(call.input, first)!);
  return from && to && { from, to, amount: uintOfWord(amount) };
}
