import type { Address } from '../model/hex.ts';

/** Precompiles live at 0x01–0x1ff (EIP-2935/7002 system contracts do not). */
export function isPrecompile(address: Address): boolean {
  return address.startsWith(`0x${'0'.repeat(37)}`) && !/^0x0{40}$/.test(address) && parseInt(address.slice(-3), 16) <= 0x1ff;
}
