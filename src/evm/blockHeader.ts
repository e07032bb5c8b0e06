import { AnalysisError } from '../lib/errors.ts';
import { absent, readObject } from '../lib/shape.ts';
import type { BlockHeader, CanonicalTx } from '../model/canonicalTx.ts';
import { readAddress, readHash, readQuantity } from './hex.ts';

const BAD_BLOCK = 'block_malformed';

/**
 * Checks the containing block's header against the transaction. `baseFeePerGas` is 0 before London
 * (EIP-1559). Throws `block_malformed`, or `inconsistent_upstream` when it is another block (a
 * reorganisation between two answers).
 */
export function readBlockHeader(
  rawBlock: unknown,
  tx: Pick<CanonicalTx, 'blockHash' | 'blockNumber' | 'effectiveGasPrice'>,
): BlockHeader {
  const fields = readObject(rawBlock, BAD_BLOCK, 'the block is not an object');
  const number = readQuantity(fields['number'], BAD_BLOCK, 'number');
  const hash = readHash(fields['hash'], BAD_BLOCK, 'hash');
  if (hash !== tx.blockHash || number !== tx.blockNumber)
    throw new AnalysisError('inconsistent_upstream', 'the block is not the one the receipt names');
  const timestamp = readQuantity(fields['timestamp'], BAD_BLOCK, 'timestamp');
  if (timestamp > 0xffff_ffff_ffffn) throw new AnalysisError(BAD_BLOCK, 'timestamp');
  const { baseFeePerGas: fee } = fields;
  const baseFeePerGas = absent(fee) ? 0n : readQuantity(fee, BAD_BLOCK, 'baseFeePerGas');
  if (tx.effectiveGasPrice < baseFeePerGas)
    throw new AnalysisError('inconsistent_upstream', 'a gas price below the base fee');
  const coinbase = readAddress(fields['miner'] ?? fields['author'], BAD_BLOCK, 'miner');
  return { number, hash, timestamp: Number(timestamp), baseFeePerGas, coinbase };
}
