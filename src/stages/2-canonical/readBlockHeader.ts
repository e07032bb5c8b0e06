import type { BlockHeader, CanonicalTx } from '../../model/canonicalTx.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { readAddress, readHash, readQuantity } from '../../evm/hex.ts';
import { absent, readObject } from '../../lib/shape.ts';

const BAD = 'block_malformed';

/**
 * Checks the containing block's header against the transaction. `baseFeePerGas` is 0 before London
 * (EIP-1559). Throws `block_malformed`, or `inconsistent_upstream` when it is another block (a
 * reorganisation between two answers).
 */
export function readBlockHeader(rawBlock: unknown, tx: CanonicalTx): BlockHeader {
  const fields = readObject(rawBlock, BAD, 'the block is not an object');
  const number = readQuantity(fields['number'], BAD, 'number');
  const hash = readHash(fields['hash'], BAD, 'hash');
  if (hash !== tx.blockHash || number !== tx.blockNumber) {
    throw new AnalysisError('inconsistent_upstream', 'the block is not the one the receipt names');
  }
  const timestamp = readQuantity(fields['timestamp'], BAD, 'timestamp');
  if (timestamp > 0xffff_ffff_ffffn) throw new AnalysisError(BAD, 'timestamp');
  const baseFeePerGas = absent(fields['baseFeePerGas'])
    ? 0n
    : readQuantity(fields['baseFeePerGas'], BAD, 'baseFeePerGas');
  if (tx.effectiveGasPrice < baseFeePerGas)
    throw new AnalysisError('inconsistent_upstream', 'a gas price below the base fee');
  return {
    number,
    hash,
    timestamp: Number(timestamp),
    baseFeePerGas,
    coinbase: readAddress(fields['miner'] ?? fields['author'], BAD, 'miner'),
  };
}
