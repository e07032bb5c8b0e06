import type { Parameter as AbiParameter } from 'ox/AbiParameters';
import { amountOf } from '../../../../value/resolver.ts';
import { NO_AMOUNTS } from '../../../../rules/lint/checkWeak.ts';
import type { ExampleValue } from '../../../../model/generated/rules.ts';
import type { BindExpr, EventMapping } from '../../../../model/rulebook.ts';

type Value = string | bigint | boolean | Value[];
type Test = EventMapping['when'][number];
type Argument = Extract<BindExpr, { op: 'arg' }>;

const PRIMES = [5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n, 43n, 47n, 53n];
/** Roles of the account that the act is for, best first. */
const OWNERS = 'owner borrower buyer taker beneficiary payer caller recipient seller'.split(' ');

export const isDrawn = (value: bigint | null | undefined): value is bigint => value != null && value > 0n;

/** Values for the arguments of an event or call, chosen by what its meaning does with them. */
export class DrawnArguments {
  readonly #values: Value[];
  readonly #inputs: readonly AbiParameter[];
  readonly #at: ReadonlyMap<string, number>;
  readonly #venue: string;
  /** Arguments with a sign that a leg decides. */
  readonly #settled = new Set<string>();
  /** Ether sent along with a call. */
  value = 0n;

  constructor(meaning: EventMapping, inputs: readonly AbiParameter[], venue: string, isCall: boolean) {
    const own = meaning.params.filter(({ at }) => at === undefined);
    this.#inputs = inputs.slice(0, own.length);
    this.#at = new Map(own.map(({ name }, i) => [name, i]));
    this.#venue = venue;
    const actor = ownerOf(meaning);
    let amounts = 0;
    this.#values = this.#inputs.map((input, i) => fresh(input, own[i]!.name, () => amounts++));
    for (const { account } of meaning.roles)
      if (account.op === 'arg' && String(this.#get(account)).startsWith('0x'))
        this.#set(account, account.name);
    // An example has no word for an account written as a number.
    if (actor && typeof this.#get(actor) === 'string') this.#set(actor, 'actor');
    for (const expr of assetsOf(meaning)) this.#set(expr, this.#assetWord(expr));
    for (const { amount } of meaning.legs) this.#reachOne(amount);
    if (isCall && JSON.stringify(meaning.legs).includes('"op":"value"')) this.value = 9n * 10n ** 17n;
    for (const { fees } of meaning.legs) for (const fee of fees) this.#scale(fee);
  }

  /** A word for an account or asset, or null where the arguments do not tell it. */
  word(expr: BindExpr): string | null {
    switch (expr.op) {
      case 'arg': {
        const value = this.#get(expr);
        return typeof value === 'string' ? value : null;
      }
      case 'emitter':
      case 'target':
      case 'tx_to':
        return this.#venue;
      case 'caller':
      case 'signer':
      case 'asked_by':
        return 'actor';
      case 'literal':
        return expr.value;
      case 'native':
      case 'zero':
        return expr.op;
      case 'first':
        return expr.of.map((one) => this.word(one)).find((word) => word !== null && word !== 'zero') ?? null;
      default:
        return null;
    }
  }

  amount(expr: BindExpr): bigint | null {
    switch (expr.op) {
      case 'arg':
        return asAmount(this.#get(expr));
      case 'value':
        return this.value;
      case 'literal':
        return BigInt(expr.value);
      case 'first':
        return expr.of.map((one) => this.amount(one)).find(isDrawn) ?? null;
      default:
        return 'of' in expr && expr.op !== 'word' && expr.op !== 'holder'
          ? amountOf(expr.op, this.amount(expr.of))
          : null;
    }
  }

  /** Changes arguments so that a condition holds. */
  satisfy({ left, operator, right }: Test): void {
    if (operator === 'gt0') this.#reach(left, 1);
    else if (operator === 'lt0') this.#reach(left, -1);
    else if (operator === 'is0') this.#assign(left, 0n);
    else if (right && operator === 'equals') this.#equal(left, right);
    else if (right && (operator === 'above' || operator === 'below')) this.#order(left, right, operator);
  }

  /** As an example lists them. */
  values(): readonly ExampleValue[] {
    return this.#values.map(written);
  }

  #equal(left: BindExpr, right: BindExpr): void {
    const word = this.word(right);
    const amount = this.amount(right);
    if (amount !== null && (right.op !== 'literal' || /^\d+$/.test(right.value))) this.#assign(left, amount);
    else if (left.op === 'arg' && word !== null) this.#set(left, word);
  }

  #order(left: BindExpr, right: BindExpr, operator: 'above' | 'below'): void {
    const [a, b] = [this.amount(left), this.amount(right)];
    if (a === null || b === null) return;
    if (operator === 'above' ? a > b : a < b) return;
    if (right.op === 'literal') this.#assign(left, operator === 'above' ? b + 5n : 0n);
    else if (right.op === 'arg') this.#assign(left, operator === 'above' ? b + b / 2n + 1n : b / 2n);
  }

  /** Makes the first alternative hold that no leg before has settled. */
  #reachOne(options: readonly BindExpr[]): void {
    for (const option of options) {
      const key = argumentOf(option);
      if (!isDrawn(this.amount(option))) {
        if (this.#settled.has(key)) continue;
        this.#reach(option, 1);
      }
      this.#settled.add(key);
      if (isDrawn(this.amount(option))) return;
    }
  }

  /** Gives the expression a value of this sign. */
  #reach(expr: BindExpr, sign: 1 | -1): void {
    if (expr.op === 'first' || expr.op === 'literal' || expr.op === 'value') return;
    if (expr.op === 'negative') return this.#reach(expr.of, -1);
    if (expr.op === 'positive' || expr.op === 'abs') return this.#reach(expr.of, 1);
    const now = this.amount(expr);
    if (now === null || (sign > 0 ? now > 0n : now < 0n)) return;
    this.#assign(expr, now === 0n ? 5n * 10n ** 18n * BigInt(sign) : -now);
  }

  #assign(expr: BindExpr, amount: bigint): void {
    if (expr.op === 'arg') this.#set(expr, amount);
    else if (expr.op === 'positive' || expr.op === 'abs') this.#assign(expr.of, amount);
    else if (expr.op === 'negative') this.#assign(expr.of, -amount);
    else if (expr.op.endsWith('128')) this.#half(expr, amount);
  }

  #half(expr: BindExpr, amount: bigint): void {
    const of = (expr as { of: BindExpr }).of;
    const whole = this.amount(of) ?? 0n;
    const low = expr.op.endsWith('low128') ? amount : BigInt.asUintN(128, whole);
    const high = expr.op.endsWith('high128') ? amount : BigInt.asUintN(256, whole) >> 128n;
    this.#assign(of, BigInt.asIntN(256, (high << 128n) + BigInt.asUintN(128, low)));
  }

  /** Fees are small beside the amount. */
  #scale(expr: BindExpr): void {
    const now = expr.op === 'arg' ? this.amount(expr) : null;
    if (now !== null && now > 10n ** 17n) this.#assign(expr, now / 1000n);
  }

  #assetWord(expr: Argument): string {
    const now = this.#get(expr);
    const word = typeof now === 'string' ? now.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase() : '';
    return /^[A-Z]/.test(word) ? word.slice(0, 20) : 'TOKEN';
  }

  #get({ name, path }: Argument): Value | null {
    return valueAt(this.#values[this.#at.get(name) ?? -1], path);
  }

  #set({ name, path }: Argument, value: Value): void {
    const at = this.#at.get(name);
    if (at === undefined) return;
    if (path.length === 0) {
      const isWord = typeof value === 'bigint' && this.#inputs[at]!.type === 'bytes32';
      this.#values[at] = isWord ? `0x${BigInt.asUintN(256, value).toString(16).padStart(64, '0')}` : value;
      return;
    }
    let list = this.#values[at];
    for (const step of path.slice(0, -1)) list = Array.isArray(list) ? list[Number(step)] : undefined;
    const last = Number(path.at(-1));
    if (Array.isArray(list) && last < list.length) list[last] = value;
  }
}

/** The part of a value that a path leads to; `sum` adds up a list. */
function valueAt(value: Value | undefined, [step, ...rest]: Argument['path']): Value | null {
  if (step === undefined) return value ?? null;
  if (!Array.isArray(value)) return null;
  if (step !== 'sum') return valueAt(value[Number(step)], rest);
  return value.reduce<bigint>((sum, one) => sum + (asAmount(valueAt(one, rest)) ?? 0n), 0n);
}

function asAmount(value: Value | null): bigint | null {
  if (typeof value === 'string') return /^0x[0-9a-f]{64}$/.test(value) ? BigInt(value) : null;
  return typeof value === 'bigint' ? value : null;
}

/** The argument an expression reads, as a key. */
function argumentOf(expr: BindExpr): string {
  if (expr.op === 'arg') return `${expr.name}.${expr.path.join('.')}`;
  return 'of' in expr && !Array.isArray(expr.of) ? argumentOf(expr.of as BindExpr) : expr.op;
}

/** The argument that names the account that the act is for. */
function ownerOf({ roles }: EventMapping): Argument | null {
  const named = new Map(roles.map(({ role, account }) => [role, account]));
  return OWNERS.map((role) => named.get(role)).find((account) => account?.op === 'arg') ?? null;
}

function assetsOf({ legs, portions }: EventMapping): Argument[] {
  const all = [...legs, ...portions].flatMap(({ asset }) => asset ?? []);
  const flat = all.flatMap((expr): readonly BindExpr[] => (expr.op === 'first' ? expr.of : [expr]));
  return flat.filter((expr) => expr.op === 'arg');
}

const PLAIN = new Map<string, Value>(Object.entries({ bool: true, string: 'text', bytes: '0x' }));
const RESERVED = /^(?:zero|actor|native|venue)$/;

/** Some value of a type, named after its parameter. */
function fresh({ type, ...rest }: AbiParameter, name: string, next: () => number): Value {
  const array = /^(.*)\[(\d*)\]$/.exec(type);
  if (array) {
    const length = array[2] === '' ? 2 : Number(array[2]);
    const item = { ...rest, type: array[1]! } as AbiParameter;
    return Array.from({ length }, (_, i) => fresh(item, `${name}${i + 1}`, next));
  }
  if ('components' in rest)
    return (rest.components as readonly AbiParameter[]).map((c, i) =>
      fresh(c, c.name || `${name}${i}`, next),
    );
  if (type === 'address') {
    const word = name.replaceAll(/[^A-Za-z0-9_-]/g, '').replace(/^[^A-Za-z]+/, '') || 'someone';
    return RESERVED.test(word) ? `${word}2` : word;
  }
  const plain = PLAIN.get(type);
  if (plain !== undefined) return plain;
  const bytes = /^bytes(\d+)$/.exec(type)?.[1];
  if (bytes !== undefined) return `0x${'11'.repeat(Number(bytes))}`;
  const bits = Number(/\d+$/.exec(type)?.[0] ?? 256);
  const amount = PRIMES[next() % PRIMES.length]!;
  return bits >= 96 && !NO_AMOUNTS.test(name) ? amount * 10n ** 18n : amount;
}

/** Such a value, as an example writes it. */
export function anyValue(input: AbiParameter, name: string, next: () => number): ExampleValue {
  return written(fresh(input, name, next));
}

/** `5e18`. */
export function shortAmount(amount: bigint): string {
  const digits = String(amount);
  const zeros = /0{6,}$/.exec(digits)?.[0].length ?? 0;
  return zeros === 0 ? digits : `${digits.slice(0, -zeros)}e${zeros}`;
}

function written(value: Value): ExampleValue {
  if (Array.isArray(value)) return value.map(written);
  return typeof value === 'bigint' ? shortAmount(value) : value;
}
