import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { argumentReader, type ArgumentValue, type EncodedArguments } from '../../../evm/readArgument.ts';
import type { Address } from '../../../model/hex.ts';
import type { AmountWord, BindExpr, ParamSpec } from '../../../model/rulebook.ts';

/** The native asset where an expression names an asset. */
export const NATIVE_REF = 'native';
/** The contract of an asset, or the native one. */
export type AssetRef = Address | typeof NATIVE_REF;

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
  /** Emitter of the log or target of the call. */
  readonly contract: Address;
  readonly caller: Address | null;
  readonly value: bigint | null;
  readonly signer: Address;
  readonly txTo: Address | null;
  /** Legs bound so far. Of several in one role the last one counts. */
  readonly legs: readonly { readonly leg: { readonly role: string }; readonly ends: LegEnds }[];
}

/** An expression made ready: its value as it stands in the data; null where it does not resolve. */
export type Word = (scope: BindScope) => ArgumentValue | null;

/**
 * Looks up and parses once all that does not depend on the event or call at hand. Thousands of expressions come to a few
 * hundred words ("the first topic as an account"): equal ones are one, so that what every transaction uses stays in the
 * processor's cache. They are bounded by the rulebook.
 */
export function wordOf(expr: BindExpr, params: ReadonlyMap<string, ParamSpec>): Word {
  const text = JSON.stringify(expr, (_key, part: unknown) =>
    isArgument(part) ? { ...params.get(part.name), ...part, name: '' } : part,
  );
  let word = WORDS.get(text);
  if (!word) WORDS.set(text, (word = makeWord(expr, params)));
  return word;
}

const WORDS = new Map<string, Word>();

function isArgument(part: unknown): part is Extract<BindExpr, { op: 'arg' }> {
  return typeof part === 'object' && part !== null && 'op' in part && part.op === 'arg';
}

function makeWord(expr: BindExpr, params: ReadonlyMap<string, ParamSpec>): Word {
  switch (expr.op) {
    case 'arg':
      return argumentWord(params.get(expr.name), expr.path);
    case 'emitter':
    case 'target':
      return ({ contract }) => contract;
    case 'caller':
      return ({ caller }) => caller;
    case 'value':
      return ({ value }) => value;
    case 'signer':
      return ({ signer }) => signer;
    case 'tx_to':
      return ({ txTo }) => txTo;
    case 'native':
    case 'zero':
      return () => ZERO_ADDRESS;
    case 'leg':
      return ({ legs }) => {
        const bound = legs.findLast(({ leg }) => leg.role === expr.role);
        if (!bound) return null;
        const end = bound.ends[expr.end];
        return end === NATIVE_REF ? ZERO_ADDRESS : end;
      };
    case 'literal': {
      const value = expr.value.startsWith('0x') ? (expr.value.toLowerCase() as Address) : BigInt(expr.value);
      return () => value;
    }
    case 'first': {
      const options = expr.of.map((option) => wordOf(option, params));
      return (scope) => {
        for (const option of options) {
          const value = option(scope);
          if (value !== null) return value;
        }
        return null;
      };
    }
    default: {
      const { op } = expr;
      const inner = wordOf(expr.of, params);
      return (scope) => amountOf(op, asInteger(inner(scope)));
    }
  }
}

function argumentWord(param: ParamSpec | undefined, path: readonly (string | number)[]): Word {
  if (!param) return () => null;
  const read = argumentReader(param, path);
  if (param.at === 'call') return ({ callArgs }) => callArgs && read(callArgs);
  if (param.at === 'output') return ({ outputArgs }) => outputArgs && read(outputArgs);
  return ({ args }) => read(args);
}

function amountOf(op: AmountWord, value: bigint | null): bigint | null {
  if (value === null) return null;
  if (op === 'abs') return value < 0n ? -value : value;
  if (op === 'positive') return value > 0n ? value : null;
  if (op === 'negative') return value < 0n ? -value : null;
  const half = op.endsWith('low128') ? BigInt.asUintN(128, value) : BigInt.asUintN(256, value) >> 128n;
  return op.startsWith('signed') ? BigInt.asIntN(128, half) : half;
}

/** A whole word or a number as an integer. */
export function asInteger(value: ArgumentValue | null): bigint | null {
  if (typeof value === 'bigint' || value === null) return value;
  return value.length === 66 ? BigInt(value) : null;
}
