import { erc20Id, NATIVE_ASSET } from '../../lib/asset.ts';
import { addressOfWord, ZERO_ADDRESS } from '../../lib/hex.ts';
import { readArgument, type ArgumentValue, type EncodedArguments } from './readArgument.ts';
import type { Address } from '../../model/hex.ts';
import type { AssetId } from '../../model/valueFlow.ts';
import type { AmountWord, BindExpr, MeaningSpec, ParamSpec } from '../../model/rulebook.ts';

/** The native asset where an expression names an asset. */
export const NATIVE_REF = 'native';
/** The contract of an asset, or the native one. */
export type AssetRef = Address | typeof NATIVE_REF;

const ADDRESS_LIMIT = 1n << 160n;

/** Widely used as the "address" of ether (ERC-7528). */
const NATIVE_PLACEHOLDER = `0x${'e'.repeat(40)}`;

/** Ends of a leg that is already bound, for `$leg.<role>.…`. */
export interface LegEnds {
  readonly from: Address | null;
  readonly to: Address | null;
  readonly asset: AssetRef | null;
}

/** What the words of one event's or call's expressions stand for. */
export interface BindScope {
  readonly args: EncodedArguments;
  /** Arguments of the call an event was made in, and what a call returned; absent where the trace does not tell. */
  readonly callArgs: EncodedArguments | null;
  readonly outputArgs: EncodedArguments | null;
  readonly params: ReadonlyMap<string, ParamSpec>;
  /** Emitter of the log or target of the call. */
  readonly contract: Address;
  readonly caller: Address | null;
  readonly value: bigint | null;
  readonly signer: Address;
  readonly txTo: Address | null;
  /** Legs bound so far. Of several in one role the last one counts. */
  readonly legs: readonly { readonly leg: { readonly role: string }; readonly ends: LegEnds }[];
}

/** The expression's value as it stands in the data; null where it does not resolve. */
export function evaluate(expr: BindExpr, scope: BindScope): ArgumentValue | null {
  switch (expr.op) {
    case 'arg': {
      const param = scope.params.get(expr.name);
      const args = param?.at === 'call' ? scope.callArgs : param?.at === 'output' ? scope.outputArgs : scope.args;
      return param && args ? readArgument(args, param, expr.path) : null;
    }
    case 'emitter':
    case 'target':
      return scope.contract;
    case 'caller':
      return scope.caller;
    case 'value':
      return scope.value;
    case 'signer':
      return scope.signer;
    case 'tx_to':
      return scope.txTo;
    case 'native':
    case 'zero':
      return ZERO_ADDRESS;
    case 'leg': {
      const bound = scope.legs.findLast(({ leg }) => leg.role === expr.role);
      if (!bound) return null;
      const end = bound.ends[expr.end];
      return end === NATIVE_REF ? ZERO_ADDRESS : end;
    }
    case 'literal':
      return expr.value.startsWith('0x') ? (expr.value.toLowerCase() as Address) : BigInt(expr.value);
    case 'first': {
      for (const option of expr.of) {
        const value = evaluate(option, scope);
        if (value !== null) return value;
      }
      return null;
    }
    default:
      return evaluateAmountWord(expr.op, asInteger(evaluate(expr.of, scope)));
  }
}

function evaluateAmountWord(op: AmountWord, value: bigint | null): bigint | null {
  if (value === null) return null;
  if (op === 'abs') return value < 0n ? -value : value;
  if (op === 'positive') return value > 0n ? value : null;
  if (op === 'negative') return value < 0n ? -value : null;
  const half = op.endsWith('low128') ? BigInt.asUintN(128, value) : BigInt.asUintN(256, value) >> 128n;
  return op.startsWith('signed') ? BigInt.asIntN(128, half) : half;
}

function asInteger(value: ArgumentValue | null): bigint | null {
  if (typeof value === 'bigint' || value === null) return value;
  return value.length === 66 ? BigInt(value) : null;
}

/** As an account. A 32-byte word or integer counts where its high 12 bytes are zero. */
export function evaluateAccount(expr: BindExpr | null, scope: BindScope): Address | null {
  const value = expr && evaluate(expr, scope);
  if (value === null) return null;
  if (typeof value === 'bigint') return value >= 0n && value < ADDRESS_LIMIT ? `0x${value.toString(16).padStart(40, '0')}` : null;
  if (value.length === 42) return value;
  return value.length === 66 ? addressOfWord(value) : null;
}

/** As an asset's contract; the zero address and the usual placeholder mean the native asset. */
export function evaluateAsset(expr: BindExpr | null, scope: BindScope): AssetRef | null {
  const account = evaluateAccount(expr, scope);
  return account === ZERO_ADDRESS || account === NATIVE_PLACEHOLDER ? NATIVE_REF : account;
}

/** The lane of a fungible asset. */
export function assetIdOf(asset: AssetRef): AssetId {
  return asset === NATIVE_REF ? NATIVE_ASSET : erc20Id(asset);
}

/** As an amount: positive integers only, everything else is null. */
export function evaluateAmount(expr: BindExpr, scope: BindScope): bigint | null {
  const value = asInteger(evaluate(expr, scope));
  return value !== null && value > 0n ? value : null;
}

/** Whether every condition of the meaning holds; a side that does not resolve makes its condition false. */
export function conditionsHold(meaning: MeaningSpec, scope: BindScope): boolean {
  for (const condition of meaning.when) if (!holds(condition, scope)) return false;
  return true;
}

function holds({ left, operator, right }: MeaningSpec['when'][number], scope: BindScope): boolean {
  const value = evaluate(left, scope);
  if (value === null) return false;
  if (operator === 'equals' || operator === 'differs') {
    const other = right && evaluate(right, scope);
    if (other === null) return false;
    return same(value, other) === (operator === 'equals');
  }
  const number = typeof value === 'bigint' ? value : BigInt(value);
  return operator === 'gt0' ? number > 0n : operator === 'lt0' ? number < 0n : number === 0n;
}

/** Equal as numbers, so that an address equals the same address in a 32-byte word. */
function same(a: ArgumentValue, b: ArgumentValue): boolean {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) return a === b;
  const number = (v: ArgumentValue): bigint | null => (typeof v === 'bigint' ? v : v.length <= 66 && v.length > 2 ? BigInt(v) : null);
  const [left, right] = [number(a), number(b)];
  return left === null || right === null ? a === b : left === right;
}
