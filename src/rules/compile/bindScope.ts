import type { AbiParameter } from 'viem';
import type { BindExpr, ParamSpec } from '../../model/rulebook.ts';
import type { SignatureFault } from './signature.ts';

/** Possible uses of an expression. An ABI word of 160 bits or more may hold an address. */
export interface BindType {
  readonly account: boolean;
  readonly amount: boolean;
}

export interface TypedBind {
  readonly expr: BindExpr;
  readonly type: BindType;
}

export type BindResult = TypedBind | SignatureFault;

/** Scope of an expression: the parameters, words and legs it may name. */
export interface BindScope {
  readonly kind: 'event' | 'call';
  readonly params: readonly ParamSpec[];
  readonly inputs: readonly AbiParameter[];
  /** Value of `$venue`; null while the venue itself is being compiled. */
  readonly venue: TypedBind | null;
  /** Legs listed above. */
  readonly legs: readonly string[];
}

export const ACCOUNT: BindType = { account: true, amount: false };
export const AMOUNT: BindType = { account: false, amount: true };
const OPAQUE: BindType = { account: false, amount: false };

/** Words without arguments: their scopes and types. The compiler resolves `venue` and `leg`. */
export const BIND_WORDS: Readonly<
  Record<string, { readonly in: 'event' | 'call' | 'both'; readonly type: BindType; readonly doc: string }>
> = {
  emitter: { in: 'event', type: ACCOUNT, doc: 'the contract that emitted the log' },
  target: { in: 'call', type: ACCOUNT, doc: 'the account whose code and storage the call acts on' },
  caller: { in: 'call', type: ACCOUNT, doc: 'the account that made the call' },
  value: { in: 'call', type: AMOUNT, doc: 'wei sent along with the call' },
  venue: { in: 'both', type: ACCOUNT, doc: 'whatever the meaning declares as its venue' },
  signer: { in: 'both', type: ACCOUNT, doc: 'the account that signed the transaction' },
  tx_to: { in: 'both', type: ACCOUNT, doc: "the transaction's own recipient" },
  native: { in: 'both', type: ACCOUNT, doc: 'ether, as an asset' },
  zero: { in: 'both', type: ACCOUNT, doc: 'the zero address' },
};

/** Possible use of an ABI type. */
export function usesOf(type: string): BindType {
  if (type === 'address') return ACCOUNT;
  if (type === 'bytes32') return { account: true, amount: true };
  const bits = /^(u?)int(\d+)$/.exec(type);
  if (!bits) return OPAQUE;
  return { account: bits[1] === 'u' && Number(bits[2]) >= 160, amount: true };
}

/** Position and type of a tuple's field or an array's element; null when there is none of that name. */
export function stepInto(param: AbiParameter, step: string): { index: number; param: AbiParameter } | null {
  const array = /^(.*)\[(\d*)\]$/.exec(param.type);
  if (array) {
    if (!/^\d{1,4}$/.test(step)) return null;
    const index = Number(step);
    if (array[2] !== '' && index >= Number(array[2])) return null;
    return { index, param: { ...param, type: array[1]! } as AbiParameter };
  }
  if (!('components' in param)) return null;
  const components = param.components as readonly AbiParameter[];
  const index = /^\d{1,3}$/.test(step) ? Number(step) : components.findIndex((c) => c.name === step);
  const found = components[index];
  return found ? { index, param: found } : null;
}
