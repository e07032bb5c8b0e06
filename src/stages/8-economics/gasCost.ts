import { NATIVE_ASSET } from '../../value/asset.ts';
import { worthTogether } from '../../value/money.ts';
import type { BlockHeader, CanonicalTx } from '../../model/canonicalTx.ts';
import type { GasCost, PriceBook } from '../../model/economics.ts';

/** Execution gas at the price paid (EIP-1559) plus blob gas (EIP-4844), in wei and US dollars. */
export function gasCost(tx: CanonicalTx, header: BlockHeader, book: PriceBook): GasCost {
  const cost = tx.effectiveGasPrice * tx.gasUsed + tx.blobGasPrice * tx.blobGasUsed;
  return {
    effectivePrice: tx.effectiveGasPrice,
    baseFee: header.baseFeePerGas,
    priorityFee: tx.effectiveGasPrice - header.baseFeePerGas,
    cost,
    usd: worthTogether([[NATIVE_ASSET, cost]], book),
  };
}
