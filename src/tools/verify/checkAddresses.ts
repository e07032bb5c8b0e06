import { getAddress } from 'viem';
import type { Report } from './finding.ts';
import { walk } from './checkEvidence.ts';
import type { RawChain } from './rawChain.ts';

/** Every address in the report is checksummed (EIP-55) and one the node's answers mention. */
export function checkAddresses(root: unknown, chain: RawChain, find: Report): void {
  for (const [value, at] of walk(root)) {
    if (typeof value !== 'string') continue;
    if (/^0x[0-9a-fA-F]{40}$/.test(value)) {
      if (getAddress(value.toLowerCase()) !== value) find('address', at, `${value} is not checksummed`);
      // A price source is an oracle or pool the transaction need not have touched.
      if (!chain.addresses.has(value.toLowerCase()) && !at.startsWith('/economics/valuation/prices'))
        find('address', at, `${value} does not occur in the transaction`);
    } else
      for (const [, address] of value.matchAll(/^eip155:1\/\w+:(0x[0-9a-f]{40})/g))
        if (!chain.addresses.has(address!))
          find('address', at, `${address} does not occur in the transaction`);
  }
}
