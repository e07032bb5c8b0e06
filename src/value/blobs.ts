import type { CanonicalTx } from '../model/canonicalTx.ts';

/** Gas of one blob (EIP-4844, GAS_PER_BLOB). */
export const GAS_PER_BLOB = 131_072n;

/** Blobs a transaction carries, by the gas they cost. */
export function blobsOf({ blobGasUsed }: CanonicalTx): bigint {
  return blobGasUsed / GAS_PER_BLOB;
}
