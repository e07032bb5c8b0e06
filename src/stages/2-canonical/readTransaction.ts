import type { CanonicalTx } from '../../model/canonicalTx.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { readBytes, readCount, readQuantity } from '../../evm/hex.ts';
import { readAuthorizations } from './readAuthorizations.ts';
import { absent, readObject } from './shape.ts';
import type { SharedTexts } from './sharedTexts.ts';

const BAD = 'transaction_malformed';

/** What the transaction itself tells, as the canonical one has it; its own gas price may be missing. */
export type Transaction = Pick<
  CanonicalTx,
  'hash' | 'blockHash' | 'type' | 'from' | 'to' | 'value' | 'input' | 'nonce' | 'authorizations'
> & { readonly gasPrice: bigint | null };

/** Checks an `eth_getTransactionByHash` result. Throws `transaction_malformed`, or `transaction_pending` without a block. */
export function readTransaction(raw: unknown, texts: SharedTexts): Transaction {
  const fields = readObject(raw, BAD, 'the transaction is not an object');
  if (absent(fields['blockHash'])) throw new AnalysisError('transaction_pending');
  const type = absent(fields['type']) ? 0 : readCount(fields['type'], BAD, 'type');
  // EIP-2718 leaves types above 0x7f to legacy transactions.
  if (type > 0x7f) throw new AnalysisError(BAD, 'type');
  return {
    hash: texts.hash(fields['hash'], BAD, 'hash'),
    blockHash: texts.hash(fields['blockHash'], BAD, 'blockHash'),
    type,
    from: texts.address(fields['from'], BAD, 'from'),
    to: absent(fields['to']) ? null : texts.address(fields['to'], BAD, 'to'),
    value: readQuantity(fields['value'], BAD, 'value'),
    input: readBytes(fields['input'] ?? fields['data'] ?? '0x', BAD, 'input'),
    nonce: readQuantity(fields['nonce'], BAD, 'nonce'),
    gasPrice: absent(fields['gasPrice']) ? null : readQuantity(fields['gasPrice'], BAD, 'gasPrice'),
    authorizations: readAuthorizations(fields['authorizationList']),
  };
}
