import type { FactIndex } from '../../model/intent.ts';
import type { Condition } from '../../model/rulebook.ts';
import { canonicalJson } from '../compile/digest.ts';
import { atomSet, intersect, isEmpty, isWithin, type FactSet } from './factSet.ts';

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
function alternatives(atom: Extract<Condition, { fact: string }>, negated: boolean): Condition | null {
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
