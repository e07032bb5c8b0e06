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

/** Some values, or all but some. */
interface Values {
  readonly values: ReadonlySet<unknown>;
  readonly others: boolean;
}

/** Possible values of a fact: the allowed ones; or lists with certain items, and none but allowed ones. */
interface FactSet {
  readonly allowed: Values;
  /** Null: the fact is no list. */
  readonly has: ReadonlySet<unknown> | null;
}

type Atom = Extract<Condition, { fact: string }>;

const only = (values: Iterable<unknown>): Values => ({ values: new Set(values), others: false });
const complement = ({ values, others }: Values): Values => ({ values, others: !others });
export const allows = ({ values, others }: Values, value: unknown): boolean => values.has(value) !== others;

/** The set one test allows; null where it cannot be put that way (it is then ignored, never guessed). */
function atomSet(atom: Atom, negated: boolean, fact: FactDeclaration | undefined): FactSet | null {
  const { operator, value } = atom;
  if (!fact || !OPERATORS[operator]?.types.includes(fact.type)) return null;
  const values = only(Array.isArray(value) ? value : [value]);
  if (fact.type === 'list') return listSet(operator, values, negated);
  const isExcluding = ['ne', 'not_in'].includes(operator);
  const set = operator in BELOW ? countSet(operator, value) : isExcluding ? complement(values) : values;
  if (set === null) return null;
  const all = fact.type === 'boolean' ? only([true, false]) : fact.values ? only(fact.values) : ALL;
  return { allowed: common(negated ? complement(set) : set, all), has: null };
}

export const ALL = complement(only([]));

/** How many counts, from 0 on, an operator allows or rules out. */
const BELOW: Readonly<Record<string, (n: number) => number>> = {
  gt: (n) => n + 1,
  gte: (n) => n,
  lt: (n) => n,
  lte: (n) => n + 1,
};
/** Rules count assets and acts: tests of more than so many are not looked into. */
const MOST_COUNTED = 1_000;

function countSet(operator: string, value: unknown): Values | null {
  if (typeof value !== 'number' || value > MOST_COUNTED) return null;
  const counts = only(Array.from({ length: Math.max(0, BELOW[operator]!(value)) }, (_, count) => count));
  return operator.startsWith('gt') ? complement(counts) : counts;
}

function listSet(operator: string, items: Values, negated: boolean): FactSet | null {
  const hasAll = { has: items.values, allowed: ALL };
  const hasNone = { has: new Set(), allowed: complement(items) };
  // That one of several is there is no set of this kind.
  const hasAny = items.values.size === 1 ? hasAll : null;
  if (operator === 'includes') return negated ? hasNone : hasAll;
  if (operator === 'includes_none') return negated ? hasAny : hasNone;
  if (operator === 'includes_any') return negated ? hasNone : hasAny;
  return operator === 'subset_of' && !negated ? { has: new Set(), allowed: items } : null;
}

/** The values of both. */
function common(a: Values, b: Values): Values {
  if (a.others && b.others) return complement(only([...a.values, ...b.values]));
  const [some, other] = a.others ? [b, a] : [a, b];
  return only([...some.values].filter((value) => allows(other, value)));
}

const isNone = ({ values, others }: Values): boolean => !others && values.size === 0;

/** Intersection of two sets of the same fact. */
const intersect = (a: FactSet, b: FactSet): FactSet => ({
  allowed: common(a.allowed, b.allowed),
  has: a.has && b.has ? new Set([...a.has, ...b.has]) : null,
});

const isEmpty = ({ has, allowed }: FactSet): boolean =>
  has ? [...has].some((item) => !allows(allowed, item)) : isNone(allowed);

/** Every value of `a` is one of `b`. */
const isWithin = (a: FactSet, b: FactSet): boolean =>
  isNone(common(a.allowed, complement(b.allowed))) && [...(b.has ?? [])].every((item) => a.has?.has(item));
