import { readAddress, readBytes, readCount, readHash, readQuantity } from '../../evm/hex.ts';
import { recoverAuthority } from '../../evm/signing.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { absent, readList, readObject, type Fields } from '../../lib/shape.ts';
import type { Authorization, CanonicalTx } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';

const BAD = 'transaction_malformed';
const MAINNET = 1n;
/** Each authorisation costs 25,000 gas (EIP-7702, PER_EMPTY_ACCOUNT_COST): no block holds more. */
const MAX_AUTHORIZATIONS = 4_096;

/** The transaction's own fields. Nodes older than EIP-1559 leave `gasPrice` to the receipt. */
export type Transaction = Pick<
  CanonicalTx,
  'hash' | 'blockHash' | 'type' | 'from' | 'to' | 'value' | 'input' | 'nonce' | 'authorizations'
> & { readonly gasPrice: bigint | null };

/** Checks a transaction. Throws `transaction_malformed`, or `transaction_pending` without a block. */
export function readTransaction(raw: unknown): Transaction {
  const fields = readObject(raw, BAD, 'the transaction is not an object');
  if (absent(fields['blockHash'])) throw new AnalysisError('transaction_pending');
  const type = absent(fields['type']) ? 0 : readCount(fields['type'], BAD, 'type');
  // EIP-2718 leaves types above 0x7f to legacy transactions.
  if (type > 0x7f) throw new AnalysisError(BAD, 'type');
  return {
    hash: readHash(fields['hash'], BAD, 'hash'),
    blockHash: readHash(fields['blockHash'], BAD, 'blockHash'),
    type,
    from: readAddress(fields['from'], BAD, 'from'),
    to: absent(fields['to']) ? null : readAddress(fields['to'], BAD, 'to'),
    value: readQuantity(fields['value'], BAD, 'value'),
    input: readBytes(fields['input'] ?? fields['data'] ?? '0x', BAD, 'input'),
    nonce: readQuantity(fields['nonce'], BAD, 'nonce'),
    gasPrice: absent(fields['gasPrice']) ? null : readQuantity(fields['gasPrice'], BAD, 'gasPrice'),
    authorizations: readAuthorizations(fields['authorizationList']),
  };
}

/**
 * Reads a type-4 transaction's `authorizationList`. The signing account is recovered from the signature;
 * null where it cannot be, or where the tuple is for another chain and so has no effect here. Throws
 * `transaction_malformed`.
 */
export function readAuthorizations(value: unknown): readonly Authorization[] {
  const list = readList(value, BAD, 'authorizationList');
  if (list.length > MAX_AUTHORIZATIONS) throw new AnalysisError(BAD, 'authorizationList is too long');
  return list.map((raw) => {
    const fields = readObject(raw, BAD, 'an authorisation is not an object');
    const address = readAddress(fields['address'], BAD, 'authorisation address');
    const nonce = readQuantity(fields['nonce'], BAD, 'authorisation nonce');
    const chainId = absent(fields['chainId'])
      ? MAINNET
      : readQuantity(fields['chainId'], BAD, 'authorisation chainId');
    return { address, nonce, authority: authorityOf(fields, address, nonce, chainId) };
  });
}

function authorityOf(fields: Fields, address: Address, nonce: bigint, chainId: bigint): Address | null {
  if ((chainId !== 0n && chainId !== MAINNET) || nonce > 0xffff_ffff_ffffn) return null;
  const parity = fields['yParity'] ?? fields['v'];
  if (absent(parity) || absent(fields['r']) || absent(fields['s'])) return null;
  const r = readQuantity(fields['r'], BAD, 'authorisation r');
  const s = readQuantity(fields['s'], BAD, 'authorisation s');
  const yParity = readQuantity(parity, BAD, 'authorisation yParity');
  return recoverAuthority({ chainId, address, nonce, r, s, yParity });
}
