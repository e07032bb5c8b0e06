import { erc20Id, NATIVE_ASSET } from './asset.ts';
import { addressOfWord, uintAt, wordOf, ZERO_ADDRESS } from '../evm/hex.ts';
import { argumentReader, type ArgumentValue, type EncodedArguments } from '../evm/readArgument.ts';
import type { Address } from '../model/hex.ts';
import type { AssetId } from '../model/valueFlow.ts';
import type { AmountWord, BindExpr, EventMapping, ParamSpec } from '../model/rulebook.ts';

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

/** The values that one event's or call's expressions can refer to. */
export interface BindScope {
  readonly args: EncodedArguments;
  /** Arguments of the call an event was emitted in, and a call's return data; null where unknown. */
  readonly callArgs: EncodedArguments | null;
  readonly outputArgs: EncodedArguments | null;
  /** Emitter of the log or target of the call. */
  readonly contract: Address;
  readonly caller: Address | null;
  readonly value: bigint | null;
  readonly signer: Address;
  /** Who had the contract act; null where unknown. */
  readonly askedBy?: () => Address | null;
  readonly txTo: Address | null;
  /** Who held an NFT, for roles; null where unknown. */
  readonly holderOf?: (nft: Address, id: bigint) => Address | null;
  /** Legs bound so far. Of several in one role the last one counts. */
  readonly legs: readonly { readonly leg: { readonly role: string }; readonly ends: LegEnds }[];
}

/** A prepared expression: returns its value as encoded in the data; null where it does not resolve. */
export type Resolver = (scope: BindScope) => ArgumentValue | null;

/** Prepares an expression once; equal ones share a resolver, so the rulebook bounds their number. */
export function resolverOf(expr: BindExpr, params: ReadonlyMap<string, ParamSpec>): Resolver {
  const text = JSON.stringify(expr, (_key, part: unknown) =>
    isArgument(part) ? { ...params.get(part.name), ...part, name: '' } : part,
  );
  let word = RESOLVERS.get(text);
  if (!word) RESOLVERS.set(text, (word = makeResolver(expr, params)));
  return word;
}

const RESOLVERS = new Map<string, Resolver>();

function isArgument(part: unknown): part is Extract<BindExpr, { op: 'arg' }> {
  return typeof part === 'object' && part !== null && 'op' in part && part.op === 'arg';
}

/** Words without parameters. */
const PLAIN = {
  emitter: ({ contract }: BindScope) => contract,
  target: ({ contract }: BindScope) => contract,
  caller: ({ caller }: BindScope) => caller,
  value: ({ value }: BindScope) => value,
  signer: ({ signer }: BindScope) => signer,
  asked_by: ({ askedBy }: BindScope) => askedBy?.() ?? null,
  tx_to: ({ txTo }: BindScope) => txTo,
  native: () => ZERO_ADDRESS,
  zero: () => ZERO_ADDRESS,
};

type PlainExpr = Extract<BindExpr, { op: keyof typeof PLAIN }>;

const isPlain = (expr: BindExpr): expr is PlainExpr => Object.hasOwn(PLAIN, expr.op);

function makeResolver(expr: BindExpr, params: ReadonlyMap<string, ParamSpec>): Resolver {
  if (isPlain(expr)) return PLAIN[expr.op];
  switch (expr.op) {
    case 'arg':
      return argumentResolver(params.get(expr.name), expr.path);
    case 'leg':
      return ({ legs }) => {
        const end = legs.findLast(({ leg }) => leg.role === expr.role)?.ends[expr.end] ?? null;
        return end === NATIVE_REF ? ZERO_ADDRESS : end;
      };
    case 'literal': {
      const value = expr.value.startsWith('0x') ? (expr.value.toLowerCase() as Address) : BigInt(expr.value);
      return () => value;
    }
    case 'first': {
      const options = expr.of.map((option) => resolverOf(option, params));
      return (scope) => options.reduce<ReturnType<Resolver>>((value, option) => value ?? option(scope), null);
    }
    case 'holder': {
      const [nft, id] = expr.of.map((operand) => resolverOf(operand, params));
      return (scope) => {
        const token = evaluateAccount(nft!, scope);
        const number = evaluateInteger(id!, scope);
        return token === null || number === null ? null : (scope.holderOf?.(token, number) ?? null);
      };
    }
    case 'word': {
      const data = resolverOf(expr.of, params);
      return (scope) => {
        const bytes = data(scope);
        return typeof bytes === 'string' ? uintAt(bytes, expr.at) : null;
      };
    }
    default: {
      const { op } = expr;
      const inner = resolverOf(expr.of, params);
      return (scope) => amountOf(op, asInteger(inner(scope)));
    }
  }
}

function argumentResolver(param: ParamSpec | undefined, path: readonly (string | number)[]): Resolver {
  if (!param) return () => null;
  const read = argumentReader(param, path);
  if (param.at === 'call') return ({ callArgs }) => callArgs && read(callArgs);
  if (param.at === 'output') return ({ outputArgs }) => outputArgs && read(outputArgs);
  return ({ args }) => read(args);
}

/** As the words of mappings read an amount. */
export function amountOf(op: AmountWord, value: bigint | null): bigint | null {
  if (value === null) return null;
  if (op === 'abs') return value < 0n ? -value : value;
  if (op === 'positive') return value > 0n ? value : null;
  if (op === 'negative') return value < 0n ? -value : null;
  const half = op.endsWith('low128') ? BigInt.asUintN(128, value) : BigInt.asUintN(256, value) >> 128n;
  return op.startsWith('signed') ? BigInt.asIntN(128, half) : half;
}

/** A 32-byte word or a number as an integer. */
function asInteger(value: ArgumentValue | null): bigint | null {
  if (typeof value === 'bigint' || value === null) return value;
  return value.length === 66 ? BigInt(value) : null;
}

const ADDRESS_LIMIT = 1n << 160n;

/** Widely used as the "address" of ether (ERC-7528). */
const NATIVE_PLACEHOLDER = `0x${'e'.repeat(40)}`;

/** A condition made ready. */
export interface Test {
  readonly left: Resolver;
  readonly operator: EventMapping['when'][number]['operator'];
  readonly right: Resolver | null;
}

/** As an account. A 32-byte word or integer counts where its high 12 bytes are zero. */
export function evaluateAccount(word: Resolver | null, scope: BindScope): Address | null {
  const value = word && word(scope);
  if (value === null) return null;
  if (typeof value === 'bigint')
    return value >= 0n && value < ADDRESS_LIMIT ? `0x${wordOf(value).slice(24)}` : null;
  if (value.length === 42) return value;
  return value.length === 66 ? addressOfWord(value) : null;
}

/** As an asset's contract; the zero address and the usual placeholder mean the native asset. */
export function evaluateAsset(word: Resolver | null, scope: BindScope): AssetRef | null {
  const account = evaluateAccount(word, scope);
  return account === ZERO_ADDRESS || account === NATIVE_PLACEHOLDER ? NATIVE_REF : account;
}

/** The lane of a fungible asset. */
export function assetIdOf(asset: AssetRef): AssetId {
  return asset === NATIVE_REF ? NATIVE_ASSET : erc20Id(asset);
}

/** As an integer, a 32-byte word too. */
export function evaluateInteger(word: Resolver | null, scope: BindScope): bigint | null {
  return asInteger(word && word(scope));
}

/** As an amount: positive integers only, everything else is null. */
export function evaluateAmount(word: Resolver, scope: BindScope): bigint | null {
  const value = evaluateInteger(word, scope);
  return value !== null && value > 0n ? value : null;
}

/** Whether every condition holds; a side that does not resolve makes its condition false. */
export function testsHold(tests: readonly Test[], scope: BindScope): boolean {
  return tests.every((test) => holds(test, scope));
}

export function holds({ left, operator, right }: Test, scope: BindScope): boolean {
  const value = left(scope);
  if (value === null) return false;
  if (operator === 'equals' || operator === 'differs') {
    const other = right && right(scope);
    return other !== null && same(value, other) === (operator === 'equals');
  }
  const bound = right ? evaluateInteger(right, scope) : 0n;
  return bound !== null && COMPARISONS[operator](BigInt(value), bound);
}

type Comparison = (value: bigint, bound: bigint) => boolean;
const COMPARISONS: Readonly<Record<Exclude<Test['operator'], 'equals' | 'differs'>, Comparison>> = {
  above: (value, bound) => value > bound,
  below: (value, bound) => value < bound,
  gt0: (value) => value > 0n,
  lt0: (value) => value < 0n,
  is0: (value) => value === 0n,
};

/** Equal as numbers, so that an address equals the same address in a 32-byte word. */
function same(a: ArgumentValue, b: ArgumentValue): boolean {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) return a === b;
  const number = (v: ArgumentValue): bigint | null =>
    typeof v === 'bigint' ? v : v.length <= 66 && v.length > 2 ? BigInt(v) : null;
  const [left, right] = [number(a), number(b)];
  return left === null || right === null ? a === b : left === right;
}
