import type {
  CheckedCondition,
  FactSource,
  FactValue,
  PreparedIntent,
  RuleOutcome,
} from '../model/intent.ts';
import type { Condition, IntentRule } from '../model/rulebook.ts';
import type { FindingRule, PreparedFinding } from '../model/finding.ts';
import { OPERATORS } from './compile/operators.ts';

type Times = ReadonlyMap<string, number>;
const UNCOUNTED: Times = new Map();

/** Throws for an operator that the loader refuses. */
function operatorOf(name: string): (fact: FactValue, value: unknown) => boolean {
  const holds = OPERATORS[name]?.holds;
  if (!holds) throw new Error(`unknown operator ${name}`);
  return holds;
}

/**
 * Whether a condition holds. Facts that many rules ask for come first: they are known already, and the others
 * are computed only where those leave it open.
 */
function decider(condition: Condition, asked: Times): (source: FactSource) => boolean {
  if ('not' in condition) {
    const inner = decider(condition.not, asked);
    return (source) => !inner(source);
  }
  if ('fact' in condition) {
    const { fact, operator, value } = condition;
    const holds = operatorOf(operator);
    return (source) => holds(source(fact), value);
  }
  const times = (part: Condition): number => ('fact' in part ? (asked.get(part.fact) ?? 0) : 0);
  const ordered = [...('all' in condition ? condition.all : condition.any)].sort(
    (a, b) => times(b) - times(a),
  );
  const parts = ordered.map((part) => decider(part, asked));
  if ('any' in condition) return (source) => parts.some((holds) => holds(source));
  return (source) => parts.every((holds) => holds(source));
}

/** A condition with the outcome of each part, all of them evaluated. */
function checked(condition: Condition, source: FactSource): CheckedCondition {
  if ('fact' in condition) {
    const { fact, operator, value: expected } = condition;
    const actual = source(fact);
    return { fact, operator, expected, actual, result: operatorOf(operator)(actual, expected) };
  }
  if ('not' in condition) {
    const not = checked(condition.not, source);
    return { not, result: !not.result };
  }
  if ('any' in condition) {
    const any = condition.any.map((part) => checked(part, source));
    return { any, result: any.some(({ result }) => result) };
  }
  const all = condition.all.map((part) => checked(part, source));
  return { all, result: all.every(({ result }) => result) };
}

/** Makes a rule ready to be evaluated. `asked`: how many rules ask for each fact. */
export function prepareIntent(rule: IntentRule, asked = UNCOUNTED): PreparedIntent {
  return {
    rule,
    facts: factNames(rule.when),
    matches: decider(rule.when, asked),
    evaluate(source): RuleOutcome {
      const conditions = checked(rule.when, source);
      return { rule, matched: conditions.result, conditions };
    },
  };
}

/** Makes a finding rule ready to be evaluated. */
export function prepareFinding(rule: FindingRule): PreparedFinding {
  const applies = decider(rule.when, UNCOUNTED);
  return {
    rule,
    decide: (source) => (applies(source) ? [...new Set(failedFacts(checked(rule.proven, source)))] : null),
  };
}

/** Facts of the tests that make a condition fail. */
function failedFacts(condition: CheckedCondition): string[] {
  if (condition.result) return [];
  if ('fact' in condition) return [condition.fact];
  if ('not' in condition) return [...factNames(condition.not)];
  return ('all' in condition ? condition.all : condition.any).flatMap(failedFacts);
}

/** Evaluates a rule on an example's facts. Throws where the rule asks for another fact. */
export function evaluateOn(rule: IntentRule, facts: ReadonlyMap<string, FactValue>): RuleOutcome {
  return prepareIntent(rule).evaluate((name) => {
    const value = facts.get(name);
    if (value === undefined) throw new Error(`no fact ${name}`);
    return value;
  });
}

type Tree<T> = T | { all: readonly Tree<T>[] } | { any: readonly Tree<T>[] } | { not: Tree<T> };

/** The single tests of a condition, as written or as checked. */
export function testsOf<T extends { readonly fact: string }>(condition: Tree<T>): T[] {
  if ('fact' in condition) return [condition];
  if ('not' in condition) return testsOf(condition.not);
  return ('all' in condition ? condition.all : condition.any).flatMap((part) => testsOf(part));
}

/** Names of all facts a condition asks for. */
export const factNames = (condition: Condition | CheckedCondition): Set<string> =>
  new Set(testsOf<{ readonly fact: string }>(condition).map(({ fact }) => fact));
