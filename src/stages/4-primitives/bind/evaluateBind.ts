import { erc20Id, NATIVE_ASSET } from '../../../value/asset.ts';
import { addressOfWord, ZERO_ADDRESS } from '../../../evm/hex.ts';
import { asInteger, NATIVE_REF, type AssetRef, type BindScope, type Word } from './bindWord.ts';
import type { ArgumentValue } from '../../../evm/readArgument.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetId } from '../../../model/valueFlow.ts';
import type { EventMapping } from '../../../model/rulebook.ts';

const ADDRESS_LIMIT = 1n << 160n;

/** Widely used as the "address" of ether (ERC-7528). */
const NATIVE_PLACEHOLDER = `0x${'e'.repeat(40)}`;

/** A condition made ready. */
export interface Test {
  readonly left: Word;
  readonly operator: EventMapping['when'][number]['operator'];
  readonly right: Word | null;
}

/** As an account. A 32-byte word or integer counts where its high 12 bytes are zero. */
export function evaluateAccount(word: Word | null, scope: BindScope): Address | null {
  const value = word && word(scope);
  if (value === null) return null;
  if (typeof value === 'bigint')
    return value >= 0n && value < ADDRESS_LIMIT ? `0x${value.toString(16).padStart(40, '0')}` : null;
  if (value.length === 42) return value;
  return value.length === 66 ? addressOfWord(value) : null;
}

/** As an asset's contract; the zero address and the usual placeholder mean the native asset. */
export function evaluateAsset(word: Word | null, scope: BindScope): AssetRef | null {
  const account = evaluateAccount(word, scope);
  return account === ZERO_ADDRESS || account === NATIVE_PLACEHOLDER ? NATIVE_REF : account;
}

/** The lane of a fungible asset. */
export function assetIdOf(asset: AssetRef): AssetId {
  return asset === NATIVE_REF ? NATIVE_ASSET : erc20Id(asset);
}

/** As an amount: positive integers only, everything else is null. */
export function evaluateAmount(word: Word, scope: BindScope): bigint | null {
  const value = asInteger(word(scope));
  return value !== null && value > 0n ? value : null;
}

/** Whether every condition holds; a side that does not resolve makes its condition false. */
export function testsHold(tests: readonly Test[], scope: BindScope): boolean {
  for (const test of tests) if (!holds(test, scope)) return false;
  return true;
}

function holds({ left, operator, right }: Test, scope: BindScope): boolean {
  const value = left(scope);
  if (value === null) return false;
  if (operator === 'equals' || operator === 'differs') {
    const other = right && right(scope);
    if (other === null) return false;
    return same(value, other) === (operator === 'equals');
  }
  const number = typeof value === 'bigint' ? value : BigInt(value);
  return operator === 'gt0' ? number > 0n : operator === 'lt0' ? number < 0n : number === 0n;
}

/** Equal as numbers, so that an address equals the same address in a 32-byte word. */
function same(a: ArgumentValue, b: ArgumentValue): boolean {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) return a === b;
  const number = (v: ArgumentValue): bigint | null =>
    typeof v === 'bigint' ? v : v.length <= 66 && v.length > 2 ? BigInt(v) : null;
  const [left, right] = [number(a), number(b)];
  return left === null || right === null ? a === b : left === right;
}
