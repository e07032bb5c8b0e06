import { encode } from 'ox/AbiParameters';
import { keccak256 } from './keccak.ts';
import { concat, fromNumber, fromString } from 'ox/Hex';
import { fromHex as rlp } from 'ox/Rlp';
import { recover as recoverKey } from 'tiny-secp256k1';
import { lowerAddress, quantity, wordOf } from './hex.ts';
import { isRecord, itemsOf } from '../lib/shape.ts';
import type { Address, Hex } from '../model/hex.ts';

/** A secp256k1 signature. */
export interface Signature {
  readonly r: bigint;
  readonly s: bigint;
  readonly yParity: number;
}

const CHAIN_ID = 1n;

/** Order of the curve's group (SEC 2). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const bytes = (digits: string): Buffer => Buffer.from(digits, 'hex');

/** The address that signed the digest, in lower case; null for no signature of anybody. */
export function recover(digest: Hex, { r, s, yParity }: Signature): Address | null {
  if (r >= ORDER || s >= ORDER || (yParity !== 0 && yParity !== 1)) return null;
  try {
    const key = recoverKey(bytes(digest.slice(2)), bytes(wordOf(r) + wordOf(s)), yParity, false);
    // The first byte says that both coordinates follow.
    return key && `0x${keccak256(`0x${Buffer.from(key.subarray(1)).toString('hex')}`).slice(26)}`;
  } catch {
    return null; // Zero, or not a point on the curve.
  }
}

/** Public keys recovered per transaction, EIP-7702 authorisations included; each takes 0.3 ms. */
export const MAX_RECOVERIES = 16;

/**
 * Signers of an `authorizationList` as a node sends it, in its order. Null where the signature or the tuple
 * reads as none, where the tuple is for another chain (EIP-7702: 0 is any), and beyond `MAX_RECOVERIES`.
 */
export function authoritiesOf(list: unknown): readonly (Address | null)[] {
  return itemsOf(list).map((tuple, index) => (index < MAX_RECOVERIES ? authorityOf(tuple) : null));
}

const CHAIN_IDS: ReadonlySet<bigint | null> = new Set([0n, CHAIN_ID]);
const MAX_NONCE = 0xffff_ffff_ffffn;

/** The signature is over `keccak256(0x05 ‖ rlp([chain_id, address, nonce]))`. */
function authorityOf(tuple: unknown): Address | null {
  if (!isRecord(tuple)) return null;
  const address = lowerAddress(tuple['address']);
  const chainId = tuple['chainId'] == null ? CHAIN_ID : quantity(tuple['chainId']);
  const numbers = [tuple['nonce'], tuple['r'], tuple['s'], tuple['yParity'] ?? tuple['v']].map(quantity);
  if (address === null || numbers.includes(null)) return null;
  const [nonce, r, s, yParity] = numbers as [bigint, bigint, bigint, bigint];
  if (!CHAIN_IDS.has(chainId) || nonce > MAX_NONCE) return null;
  // EIP-2: the high half of s is not a valid signature.
  if (yParity > 1n || s > ORDER / 2n) return null;
  const digest = keccak256(concat('0x05', rlp([integer(chainId!), address, integer(nonce)])));
  return recover(digest, { r, s, yParity: Number(yParity) });
}

/** An integer as RLP takes it: its bytes without leading zeros, none for zero. */
const integer = (value: bigint): Hex => (value === 0n ? '0x' : fromNumber(value));

/** An EIP-712 domain separator; null: of a domain without a version. */
export function domainOf(name: string, version: string | null, verifyingContract: Address): Hex {
  const members = version === null ? 'string name' : 'string name,string version';
  const domain = { name, version, chainId: CHAIN_ID, verifyingContract };
  return struct(`EIP712Domain(${members},uint256 chainId,address verifyingContract)`, domain);
}

/**
 * EIP-712 `hashStruct` by the encoded type, `Batch(Item[] items,uint256 nonce)Item(address token)`. `text`:
 * the type as it was signed, where a part of it is only known to the signer.
 */
export function struct(type: string, value: object, text = type): Hex {
  const values = value as Readonly<Record<string, unknown>>;
  const members = type.slice(type.indexOf('(') + 1, type.indexOf(')')).split(',');
  const words = members.map((member) => {
    const [kind, name] = member.split(' ') as [string, string];
    return encoded(kind, values[name], type);
  });
  return keccak256(
    encode(
      [{ type: 'bytes32' }, ...words.map(([kind]) => ({ type: kind }))],
      [keccak256(fromString(text)), ...words.map(([, word]) => word)],
    ),
  );
}

/** A member as it is hashed: its own word, or the hash of a longer value. */
function encoded(kind: string, value: unknown, types: string): readonly [type: string, word: unknown] {
  if (kind.endsWith('[]')) {
    const hashes = (value as readonly unknown[]).map((one) => encoded(kind.slice(0, -2), one, types)[1]);
    return ['bytes32', keccak256(concat(...(hashes as Hex[])))];
  }
  if (kind === 'string') return ['bytes32', keccak256(fromString(value as string))];
  if (kind === 'bytes') return ['bytes32', keccak256(value as Hex)];
  const at = types.indexOf(`)${kind}(`) + 1;
  return at === 0 ? [kind, value] : ['bytes32', struct(types.slice(at), value as object)];
}

/** The signed hashes: each struct hash under each domain. One by one, since mostly the first is the one. */
export function* digestsOf(domains: readonly Hex[], hashes: Iterable<Hex>): Iterable<Hex> {
  for (const hash of hashes) for (const domain of domains) yield keccak256(concat('0x1901', domain, hash));
}

/** Null where `v` is neither 27 nor 28. */
export function vrs(v: unknown, r: unknown, s: unknown): Signature | null {
  const yParity = Number(v) - 27;
  return yParity === 0 || yParity === 1 ? { r: BigInt(r as Hex), s: BigInt(s as Hex), yParity } : null;
}

/** 65 bytes, or 64 with the parity in the top bit (EIP-2098). */
export function packed(bytes: unknown): Signature | null {
  const digits = (bytes as Hex).slice(2);
  const [r, rest] = [`0x${digits.slice(0, 64)}`, digits.slice(64)];
  if (rest.length === 66) return vrs(parseInt(rest.slice(64), 16), r, `0x${rest.slice(0, 64)}`);
  if (rest.length !== 64) return null;
  const word = BigInt(`0x${rest}`);
  return { r: BigInt(r), s: word & ((1n << 255n) - 1n), yParity: Number(word >> 255n) };
}
