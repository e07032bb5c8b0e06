import { checksumAddress } from '../../evm/address.ts';
import type { Address } from '../../model/hex.ts';
import type { SignatureFault } from './signature.ts';

/**
 * Reads an address of a rule file. Mixed case must be the EIP-55 checksum, which catches a mistyped digit;
 * all-lower-case text has no checksum and is refused.
 */
export function checkAddress(text: string): { readonly address: Address } | SignatureFault {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return { code: 'bad_address', message: text.slice(0, 80) };
  const address = text.toLowerCase() as Address;
  const checksum = checksumAddress(address);
  return checksum === text
    ? { address }
    : { code: 'bad_checksum', message: `${text}: copy the address again from a source that you trust` };
}
