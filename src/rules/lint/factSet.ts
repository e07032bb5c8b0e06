import type { FactDeclaration } from '../../model/intent.ts';
import { OPERATORS } from '../compile/operators.ts';

/** Values a fact may take: ranges of counts, some texts or all but some, or demands on a list. */
export type FactSet =
  | ValueSet
  | {
      readonly kind: 'list';
      readonly has: ReadonlySet<unknown>;
      readonly lacks: ReadonlySet<unknown>;
      readonly within: ReadonlySet<unknown> | null;
    };
type ValueSet =
  | { readonly kind: 'count'; readonly ranges: readonly Range[] }
  | { readonly kind: 'choice'; readonly values: ReadonlySet<unknown>; readonly others: boolean };

/** Both ends included. Those of a set are in order and apart. */
type Range = readonly [min: number, max: number];
type Atom = { readonly fact: string; readonly operator: string; readonly value: unknown };
const NONE: ReadonlySet<never> = new Set();

/** The set one test allows; null where it cannot be put that way (it is then ignored, never guessed). */
export function atomSet(atom: Atom, negated: boolean, fact: FactDeclaration | undefined): FactSet | null {
  const { operator, value } = atom;
  if (!fact || !OPERATORS[operator]?.types.includes(fact.type)) return null;
  const values = new Set<unknown>(Array.isArray(value) ? value : [value]);
  if (fact.type === 'list') return listSet(operator, values, negated);
  const set = fact.type === 'count' ? countSet(operator, values) : choiceSet(operator, values);
  const allowed = negated ? complement(set) : set;
  const all = fact.type === 'boolean' ? [true, false] : fact.values;
  return all ? intersect(allowed, { kind: 'choice', values: new Set<unknown>(all), others: false }) : allowed;
}

/** Least and most that one number allows. */
const BOUNDS: Readonly<Record<string, (n: number) => Range>> = {
  gt: (n) => [n + 1, Infinity],
  gte: (n) => [n, Infinity],
  lt: (n) => [0, n - 1],
  lte: (n) => [0, n],
};

function countSet(operator: string, values: ReadonlySet<unknown>): ValueSet {
  const numbers = [...values].filter((v) => typeof v === 'number').sort((a, b) => a - b);
  const bounds = BOUNDS[operator] ?? ((n): Range => [n, n]);
  const set: ValueSet = { kind: 'count', ranges: numbers.map(bounds).filter(([min, max]) => min <= max) };
  return isExcluding(operator) ? complement(set) : set;
}

const choiceSet = (operator: string, values: ReadonlySet<unknown>): ValueSet => ({
  kind: 'choice',
  values,
  others: isExcluding(operator),
});

const isExcluding = (operator: string): boolean => operator === 'ne' || operator === 'not_in';

function listSet(operator: string, values: ReadonlySet<unknown>, negated: boolean): FactSet | null {
  const set = (
    has: ReadonlySet<unknown>,
    lacks: ReadonlySet<unknown>,
    within: ReadonlySet<unknown> | null = null,
  ): FactSet => ({ kind: 'list', has, lacks, within });
  const lacksAll = set(NONE, values);
  // That one of several is there is no set of this kind.
  const hasAny = values.size === 1 ? set(values, NONE) : null;
  if (operator === 'includes') return negated ? lacksAll : set(values, NONE);
  if (operator === 'includes_none') return negated ? hasAny : lacksAll;
  if (operator === 'includes_any') return negated ? lacksAll : hasAny;
  return operator === 'subset_of' && !negated ? set(NONE, NONE, values) : null;
}

/** All values that are not in a set. */
function complement(set: ValueSet): ValueSet {
  if (set.kind === 'choice') return { ...set, others: !set.others };
  const starts = [0, ...set.ranges.map(([, max]) => max + 1)];
  const ends = [...set.ranges.map(([min]) => min - 1), Infinity];
  const gaps = starts.map((start, i): Range => [start, ends[i]!]);
  return { kind: 'count', ranges: gaps.filter(([min, max]) => min <= max && min < Infinity) };
}

const union = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): Set<T> => new Set([...a, ...b]);
const common = (a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): Set<unknown> =>
  new Set([...a].filter((v) => b.has(v)));
const without = (a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): Set<unknown> =>
  new Set([...a].filter((v) => !b.has(v)));

/** Intersection of two sets of the same fact. */
export function intersect(a: FactSet, b: FactSet): FactSet {
  if (a.kind === 'count' && b.kind === 'count') {
    const ranges = a.ranges.flatMap(([min, max]) =>
      b.ranges.map(([least, most]): Range => [Math.max(min, least), Math.min(max, most)]),
    );
    return { kind: 'count', ranges: ranges.filter(([min, max]) => min <= max) };
  }
  if (a.kind === 'choice' && b.kind === 'choice') {
    if (a.others && b.others) return { ...a, values: union(a.values, b.values) };
    const [some, other] = a.others ? [b, a] : [a, b];
    return { ...some, values: (other.others ? without : common)(some.values, other.values) };
  }
  if (a.kind !== 'list' || b.kind !== 'list') return a;
  const within = a.within && b.within ? common(a.within, b.within) : (a.within ?? b.within);
  return { kind: 'list', has: union(a.has, b.has), lacks: union(a.lacks, b.lacks), within };
}

export function isEmpty(set: FactSet): boolean {
  if (set.kind === 'count') return set.ranges.length === 0;
  if (set.kind === 'choice') return !set.others && set.values.size === 0;
  return [...set.has].some((v) => set.lacks.has(v) || (set.within !== null && !set.within.has(v)));
}

/** Every value of `a` is one of `b`. */
export function isWithin(a: FactSet, b: FactSet): boolean {
  if (b.kind !== 'list') return isEmpty(intersect(a, complement(b)));
  if (a.kind !== 'list') return false;
  return (
    [...b.has].every((v) => a.has.has(v)) &&
    [...b.lacks].every((v) => a.lacks.has(v) || (a.within !== null && !a.within.has(v))) &&
    (b.within === null || (a.within !== null && [...a.within].every((v) => b.within!.has(v))))
  );
}
