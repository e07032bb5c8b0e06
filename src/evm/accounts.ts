import { ZERO_ADDRESS } from './hex.ts';
import type { Address } from '../model/hex.ts';

const LOW = `0x${'0'.repeat(37)}`;

/** Precompiles live at 0x01–0x1ff (EIP-2935/7002 system contracts do not). */
export function isPrecompile(address: Address): boolean {
  return address.startsWith(LOW) && address !== ZERO_ADDRESS && parseInt(address.slice(-3), 16) <= 0x1ff;
}
