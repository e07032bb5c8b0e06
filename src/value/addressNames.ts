import { linesOf } from '../lib/tableLines.ts';
import type { Address } from '../model/hex.ts';

/** An address's name in an address book. For display only. */
export interface AddressName {
  readonly kind: string;
  readonly name: string;
}

/** The name of a lower-case address in an address book as the rulebook holds it; null where it has none. */
export function addressName(addressBook: string, address: Address): AddressName | null {
  const [line] = linesOf(addressBook, address);
  if (line === undefined) return null;
  const kindEnd = line.indexOf(' ', address.length + 1);
  return { kind: line.slice(address.length + 1, kindEnd), name: line.slice(kindEnd + 1) };
}
