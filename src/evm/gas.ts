import type { Hex } from '../model/hex.ts';

/** EIP-2028; dearer before. */
const GAS_PER_ZERO_BYTE = 4;
export const GAS_PER_BYTE = 16;
export const GAS_PER_TRANSACTION = 21_000;

const ZERO_DIGIT = '0'.charCodeAt(0);

/** Least gas of a transaction with this data, whatever it does with it. */
export function gasOfData(input: Hex): number {
  let zeros = 0;
  for (let i = 2; i < input.length; i += 2)
    if (input.charCodeAt(i) === ZERO_DIGIT && input.charCodeAt(i + 1) === ZERO_DIGIT) zeros++;
  return GAS_PER_TRANSACTION + zeros * GAS_PER_ZERO_BYTE + (input.length / 2 - 1 - zeros) * GAS_PER_BYTE;
}
