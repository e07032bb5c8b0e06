import { isRecord } from '../lib/shape.ts';
import { lowerAddress, quantity } from './hex.ts';
import { MAX_RECOVERIES, recoverAuthority } from './signing.ts';
import type { Address } from '../model/hex.ts';

const MAINNET = 1n;
const MAX_NONCE = 0xffff_ffff_ffffn;

/**
 * Signers of an `authorizationList` as a node sends it, in its order. Null where the signature or the tuple
 * reads as none, where the tuple is for another chain (EIP-7702: 0 is any), and beyond `MAX_RECOVERIES`.
 */
export function authoritiesOf(list: unknown): readonly (Address | null)[] {
  if (!Array.isArray(list)) return [];
  return (list as unknown[]).map((tuple, index) => (index < MAX_RECOVERIES ? authorityOf(tuple) : null));
}

function authorityOf(tuple: unknown): Address | null {
  if (!isRecord(tuple)) return null;
  const address = lowerAddress(tuple['address']);
  const chainId = tuple['chainId'] == null ? MAINNET : quantity(tuple['chainId']);
  const numbers = [tuple['nonce'], tuple['r'], tuple['s'], tuple['yParity'] ?? tuple['v']].map(quantity);
  if (address === null || numbers.includes(null)) return null;
  const [nonce, r, s, yParity] = numbers as [bigint, bigint, bigint, bigint];
  if ((chainId !== 0n && chainId !== MAINNET) || nonce > MAX_NONCE) return null;
  return recoverAuthority({ chainId, address, nonce, r, s, yParity });
}
