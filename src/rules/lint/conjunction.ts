import type { FactDeclaration, FactIndex } from '../../model/intent.ts';
import type { Condition } from '../../model/rulebook.ts';
import { canonicalJson } from '../compile/digest.ts';
import { OPERATORS } from '../compile/operators.ts';

/** Certain demands of a condition: a set of values per fact, and parts too complex for that. */
export interface Conjunction {
  readonly sets: ReadonlyMap<string, FactSet>;
  /** Alternatives (`any`): lists of conjunctions; one list must hold. */
  readonly choices: readonly { readonly key: string; readonly of: readonly Conjunction[] }[];
  /** Tests that no set can express: known to follow only from themselves. */
  readonly opaque: ReadonlySet<string>;
}

/** Reads a condition as a conjunction; null when it can never hold. */
export function conjunctionOf(condition: Condition, facts: FactIndex): Conjunction | null {
  const sets = new Map<string, FactSet>();
  const choices: { key: string; of: readonly Conjunction[] }[] = [];
  const opaque = new Set<string>();
  const demand = (c: Condition, negated: boolean): boolean => {
    if ('not' in c) return demand(c.not, !negated);
    if ('all' in c && !negated) return c.all.every((part) => demand(part, false));
    if ('any' in c && negated) return c.any.every((part) => demand(part, true));
    if ('all' in c || 'any' in c) {
      const written = 'all' in c ? c.all : c.any;
      const parts = written.map((part): Condition => (negated ? { not: part } : part));
      const of = parts.map((part) => conjunctionOf(part, facts)).filter((part) => part !== null);
      if (of.length === 1) return merge(of[0]!);
      choices.push({ key: canonicalJson(parts), of });
      return of.length > 0;
    }
    const several = alternatives(c, negated);
    if (several) return demand(several, false);
    const set = atomSet(c, negated, facts.get(c.fact));
    if (set !== null) return narrow(c.fact, set);
    opaque.add(canonicalJson([c, negated]));
    return true;
  };
  const within = (fact: string, set: FactSet): FactSet => {
    const before = sets.get(fact);
    return before ? intersect(before, set) : set;
  };
  const narrow = (fact: string, set: FactSet): boolean => {
    const after = within(fact, set);
    sets.set(fact, after);
    return !isEmpty(after);
  };
  const merge = (other: Conjunction): boolean => {
    choices.push(...other.choices);
    for (const key of other.opaque) opaque.add(key);
    return [...other.sets].every(([fact, set]) => narrow(fact, set));
  };
  if (!demand(condition, false)) return null;
  // An alternative that contradicts the rest cannot be taken; when none is left nothing can hold.
  const open = choices.map((choice) => ({
    ...choice,
    of: choice.of.filter((c) => [...c.sets].every(([fact, set]) => !isEmpty(within(fact, set)))),
  }));
  return open.some((choice) => choice.of.length === 0) ? null : { sets, choices: open, opaque };
}

/** "One of these" about a list is a choice between single demands. */
function alternatives(atom: Atom, negated: boolean): Condition | null {
  const choice = negated ? atom.operator === 'includes_none' : atom.operator === 'includes_any';
  if (!choice || !Array.isArray(atom.value) || atom.value.length < 2) return null;
  return { any: atom.value.map((value: unknown) => ({ fact: atom.fact, operator: 'includes', value })) };
}

/** True only when every situation that satisfies `a` satisfies `b`; false when that cannot be shown. */
export function implies(a: Conjunction, b: Conjunction): boolean {
  for (const [fact, set] of b.sets) {
    const mine = a.sets.get(fact);
    if (mine && isWithin(mine, set)) continue;
    // Each alternative of a choice may bring it about.
    if (
      !a.choices.some((choice) =>
        choice.of.every((c) => c.sets.has(fact) && isWithin(c.sets.get(fact)!, set)),
      )
    )
      return false;
  }
  return (
    [...b.opaque].every((key) => a.opaque.has(key)) &&
    b.choices.every(
      (choice) =>
        choice.of.some((option) => implies(a, option)) ||
        a.choices.some(
          (mine) =>
            mine.key === choice.key ||
            mine.of.every((one) => choice.of.some((option) => implies(one, option))),
        ),
    )
  );
}

/** Values a fact may take: some or all but some, or demands on a list. */
type FactSet =
  | ValueSet
  | {
      readonly kind: 'list';
      readonly has: ReadonlySet<unknown>;
      readonly lacks: ReadonlySet<unknown>;
      readonly within: ReadonlySet<unknown> | null;
    };
interface ValueSet {
  readonly kind: 'choice';
  readonly values: ReadonlySet<unknown>;
  /** Whether it is all but these values. */
  readonly others: boolean;
}

type Atom = Extract<Condition, { fact: string }>;
const NONE: ReadonlySet<never> = new Set();

/** The set one test allows; null where it cannot be put that way (it is then ignored, never guessed). */
function atomSet(atom: Atom, negated: boolean, fact: FactDeclaration | undefined): FactSet | null {
  const { operator, value } = atom;
  if (!fact || !OPERATORS[operator]?.types.includes(fact.type)) return null;
  const values = new Set<unknown>(Array.isArray(value) ? value : [value]);
  if (fact.type === 'list') return listSet(operator, values, negated);
  const isExcluding = ['ne', 'not_in'].includes(operator);
  const set = operator in BELOW ? countSet(operator, value) : choice(values, isExcluding);
  const allowed = negated && set ? complement(set) : set;
  const all: readonly unknown[] | null | undefined = fact.type === 'boolean' ? [true, false] : fact.values;
  return all && allowed ? intersect(allowed, choice(new Set(all), false)) : allowed;
}

const choice = (values: ReadonlySet<unknown>, others: boolean): ValueSet => ({
  kind: 'choice',
  values,
  others,
});
const complement = (set: ValueSet): ValueSet => choice(set.values, !set.others);

/** How many counts, from 0 on, an operator allows or rules out. */
const BELOW: Readonly<Record<string, (n: number) => number>> = {
  gt: (n) => n + 1,
  gte: (n) => n,
  lt: (n) => n,
  lte: (n) => n + 1,
};
/** Rules count assets and acts: tests of more than so many are not looked into. */
const MOST_COUNTED = 1_000;

function countSet(operator: string, value: unknown): ValueSet | null {
  if (typeof value !== 'number' || value > MOST_COUNTED) return null;
  const counts = Array.from({ length: Math.max(0, BELOW[operator]!(value)) }, (_, count) => count);
  return choice(new Set(counts), operator.startsWith('gt'));
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
const common = (a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): Set<unknown> =>
  new Set([...a].filter((v) => b.has(v)));
const without = (a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): Set<unknown> =>
  new Set([...a].filter((v) => !b.has(v)));

/** Intersection of two sets of the same fact. */
function intersect(a: FactSet, b: FactSet): FactSet {
  if (a.kind === 'choice' && b.kind === 'choice') {
    if (a.others && b.others) return choice(union(a.values, b.values), true);
    const [some, other] = a.others ? [b, a] : [a, b];
    return choice((other.others ? without : common)(some.values, other.values), false);
  }
  if (a.kind !== 'list' || b.kind !== 'list') return a;
  const within = a.within && b.within ? common(a.within, b.within) : (a.within ?? b.within);
  return { kind: 'list', has: union(a.has, b.has), lacks: union(a.lacks, b.lacks), within };
}

function isEmpty(set: FactSet): boolean {
  if (set.kind === 'choice') return !set.others && set.values.size === 0;
  return [...set.has].some((v) => set.lacks.has(v) || (set.within !== null && !set.within.has(v)));
}

/** Every value of `a` is one of `b`. */
function isWithin(a: FactSet, b: FactSet): boolean {
  if (b.kind !== 'list') return isEmpty(intersect(a, complement(b)));
  if (a.kind !== 'list') return false;
  return (
    [...b.has].every((v) => a.has.has(v)) &&
    [...b.lacks].every((v) => a.lacks.has(v) || (a.within !== null && !a.within.has(v))) &&
    (b.within === null || (a.within !== null && [...a.within].every((v) => b.within!.has(v))))
  );
}
