import type { FactDeclaration } from '../../model/intent.ts';

/** Values a fact may take: a range of counts, a choice of texts (or all but some), or demands on a list. */
export type FactSet =
  | {
      readonly kind: 'count';
      readonly min: number;
      readonly max: number;
      readonly except: ReadonlySet<number>;
    }
  | {
      readonly kind: 'choice';
      readonly only: ReadonlySet<unknown> | null;
      readonly except: ReadonlySet<unknown>;
    }
  | {
      readonly kind: 'list';
      readonly has: ReadonlySet<unknown>;
      readonly lacks: ReadonlySet<unknown>;
      readonly within: ReadonlySet<unknown> | null;
    };

type Atom = { readonly fact: string; readonly operator: string; readonly value: unknown };
const NONE: ReadonlySet<never> = new Set();
const OPPOSITE: Readonly<Record<string, string>> = {
  eq: 'ne',
  ne: 'eq',
  gt: 'lte',
  lte: 'gt',
  gte: 'lt',
  lt: 'gte',
  in: 'not_in',
  not_in: 'in',
};

/** The set one test allows; null where it cannot be put that way (it is then ignored, never guessed). */
export function atomSet(atom: Atom, negated: boolean, fact: FactDeclaration | undefined): FactSet | null {
  if (fact === undefined) return null;
  const { value } = atom;
  const values = new Set<unknown>(Array.isArray(value) ? value : [value]);
  if (fact.type === 'boolean') return { kind: 'choice', only: new Set([value !== negated]), except: NONE };
  if (fact.type === 'list') return listSet(atom.operator, values, negated);
  const operator = negated ? OPPOSITE[atom.operator] : atom.operator;
  if (operator === undefined) return null;
  return fact.type === 'count' ? countSet(operator, values) : choiceSet(operator, values, fact);
}

function countSet(operator: string, values: ReadonlySet<unknown>): FactSet | null {
  const numbers = [...values].filter((v): v is number => typeof v === 'number');
  const n = numbers[0];
  if (n === undefined) return null;
  const range = (min: number, max: number, except: ReadonlySet<number> = NONE): FactSet => ({
    kind: 'count',
    min,
    max,
    except,
  });
  const bounds = BOUNDS[operator]?.(n);
  if (bounds) return range(...bounds);
  if (operator === 'ne' || operator === 'not_in') return range(0, Infinity, new Set(numbers));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (operator !== 'in' || high - low > 10_000) return null;
  const gaps = Array.from({ length: high - low + 1 }, (_, i) => low + i).filter((i) => !numbers.includes(i));
  return range(low, high, new Set(gaps));
}

/** Least and most that one number allows. */
const BOUNDS: Readonly<Record<string, (n: number) => [number, number]>> = {
  eq: (n) => [n, n],
  gt: (n) => [n + 1, Infinity],
  gte: (n) => [n, Infinity],
  lt: (n) => [0, n - 1],
  lte: (n) => [0, n],
};

function choiceSet(operator: string, values: ReadonlySet<unknown>, fact: FactDeclaration): FactSet | null {
  if (operator === 'eq' || operator === 'in') return { kind: 'choice', only: values, except: NONE };
  if (operator !== 'ne' && operator !== 'not_in') return null;
  if (!fact.values) return { kind: 'choice', only: null, except: values };
  return { kind: 'choice', only: new Set(fact.values.filter((v) => !values.has(v))), except: NONE };
}

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

const union = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): Set<T> => new Set([...a, ...b]);
const common = <T>(a: ReadonlySet<T> | null, b: ReadonlySet<T> | null): ReadonlySet<T> | null =>
  a === null ? b : b === null ? a : new Set([...a].filter((v) => b.has(v)));

/** Intersection of two sets of the same fact. */
export function intersect(a: FactSet, b: FactSet): FactSet {
  if (a.kind === 'count' && b.kind === 'count')
    return {
      kind: 'count',
      min: Math.max(a.min, b.min),
      max: Math.min(a.max, b.max),
      except: union(a.except, b.except),
    };
  if (a.kind === 'choice' && b.kind === 'choice') {
    const except = union(a.except, b.except);
    const only = common(a.only, b.only);
    return { kind: 'choice', only: only && new Set([...only].filter((v) => !except.has(v))), except };
  }
  if (a.kind === 'list' && b.kind === 'list')
    return {
      kind: 'list',
      has: union(a.has, b.has),
      lacks: union(a.lacks, b.lacks),
      within: common(a.within, b.within),
    };
  return a;
}

export function isEmpty(set: FactSet): boolean {
  if (set.kind === 'choice') return set.only?.size === 0;
  if (set.kind === 'list')
    return [...set.has].some((v) => set.lacks.has(v) || (set.within !== null && !set.within.has(v)));
  if (set.min > set.max) return true;
  for (let n = set.min; n <= set.max && n - set.min <= set.except.size; n++)
    if (!set.except.has(n)) return false;
  return true;
}

export function allows(present: FactSet | undefined, added: FactSet): boolean {
  return present === undefined || !isEmpty(intersect(present, added));
}

/** Every value of `a` is one of `b`. */
export function isWithin(a: FactSet, b: FactSet): boolean {
  if (a.kind === 'count' && b.kind === 'count') {
    return (
      a.min >= b.min &&
      a.max <= b.max &&
      [...b.except].every((n) => n < a.min || n > a.max || a.except.has(n))
    );
  }
  if (a.kind === 'choice' && b.kind === 'choice') {
    if (b.only === null) return [...b.except].every((v) => (a.only ? !a.only.has(v) : a.except.has(v)));
    return a.only !== null && [...a.only].every((v) => b.only!.has(v) && !b.except.has(v));
  }
  if (a.kind !== 'list' || b.kind !== 'list') return false;
  return (
    [...b.has].every((v) => a.has.has(v)) &&
    [...b.lacks].every((v) => a.lacks.has(v) || (a.within !== null && !a.within.has(v))) &&
    (b.within === null || (a.within !== null && [...a.within].every((v) => b.within!.has(v))))
  );
}
