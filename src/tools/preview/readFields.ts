import { CliError } from '../cli/cliIo.ts';
import { isHex, lowerAddress, quantity } from '../../evm/hex.ts';
import type { Address, Hex } from '../../model/hex.ts';

/** A request that cannot be understood; the text names the field. */
export class RequestError extends CliError {
  override readonly name = 'RequestError';
}

export function bad(what: string): never {
  throw new RequestError(what);
}

export function addressOf(value: unknown, what: string): Address {
  return lowerAddress(value) ?? bad(`${what} must be an address`);
}

export function bytesOf(value: unknown, what: string): Hex {
  if (value === undefined || value === null) return '0x';
  return typeof value === 'string' && value.length % 2 === 0 && value.startsWith('0x') && isHex(value)
    ? (value.toLowerCase() as Hex)
    : bad(`${what} must be 0x and whole bytes`);
}

/** `0x` quantities as JSON-RPC has them, and decimal texts as people type them. */
export function amountOf(value: unknown, what: string): bigint | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string' && /^\d{1,78}$/.test(value)) return BigInt(value);
  return quantity(value) ?? bad(`${what} must be a number of wei or gas`);
}
