import { quantity } from '../../../evm/hex.ts';

const LATEST = BigInt(Number.MAX_SAFE_INTEGER);

/** A time in seconds, as nodes give it; null for anything else. */
export function readTimestamp(value: unknown): number | null {
  const seconds = quantity(value);
  return seconds !== null && seconds <= LATEST ? Number(seconds) : null;
}
