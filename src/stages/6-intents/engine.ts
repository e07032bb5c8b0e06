import { Engine, Operator, Rule, type TopLevelCondition } from 'json-rules-engine';
import { OPERATORS } from './operators.ts';
import type { FactValue } from './facts/factSpec.ts';
import type { Condition, IntentRule } from '../../model/rulebook.ts';

/** A condition with what it was compared with and how it came out. */
export type CheckedCondition =
  | { readonly all: readonly CheckedCondition[]; readonly result: boolean }
  | { readonly any: readonly CheckedCondition[]; readonly result: boolean }
  | { readonly not: CheckedCondition; readonly result: boolean }
  | { readonly fact: string; readonly operator: string; readonly expected: unknown; readonly actual: FactValue; readonly result: boolean };

export interface RuleOutcome {
  readonly rule: IntentRule;
  readonly matched: boolean;
  readonly conditions: CheckedCondition;
}

/** Facts are flat values; a path in a condition would be rule text reaching an expression language. */
function refusePath(): never {
  throw new Error('rule conditions have no paths');
}

const TESTS = Object.entries(OPERATORS).map(([name, test]) => new Operator(name, test as (a: unknown, b: unknown) => boolean));
/** Facts are values already: a key to remember them by costs more than they do. */
const NOT_CACHED = { cache: false };

/**
 * Evaluates rules over constant facts. A fresh engine per call: a shared one keeps its run state on itself and loses
 * rules when runs overlap. Conditions carry no priorities, so every one is evaluated and can be explained. Outcomes
 * come in the order of `rules`.
 * @throws Error when a rule names a fact that is not among `facts`.
 */
export async function evaluate(rules: readonly IntentRule[], facts: ReadonlyMap<string, FactValue>): Promise<RuleOutcome[]> {
  if (rules.length === 0) return [];
  const engine = new Engine([], { pathResolver: refusePath, allowUndefinedFacts: false });
  for (const test of TESTS) engine.addOperator(test);
  for (const [name, value] of facts) engine.addFact(name, value, NOT_CACHED);
  const places = new Map<string, number>();
  for (const [index, rule] of rules.entries()) {
    places.set(rule.slug, index);
    engine.addRule(compiled(rule));
  }
  const { results, failureResults } = await engine.run();
  const outcomes = new Array<RuleOutcome>(rules.length);
  for (const result of [...results, ...failureResults]) {
    const index = places.get(result.name)!;
    outcomes[index] = { rule: rules[index]!, matched: result.result === true, conditions: checked(result.conditions as unknown as EngineCondition) };
  }
  return outcomes;
}

const COMPILED = new WeakMap<IntentRule, Rule>();

/** A rule as the engine knows it, made once: runs write to copies of its conditions, and any engine it is in has the same operators. */
function compiled(rule: IntentRule): Rule {
  let made = COMPILED.get(rule);
  if (!made) {
    // The engine wants a boolean node on top.
    const conditions = ('fact' in rule.when ? { all: [rule.when] } : rule.when) as unknown as TopLevelCondition;
    COMPILED.set(rule, (made = new Rule({ name: rule.slug, conditions, event: { type: 'matched' } })));
  }
  return made;
}

interface EngineCondition {
  all?: EngineCondition[]; any?: EngineCondition[]; not?: EngineCondition;
  fact?: string; operator?: string; value?: unknown; factResult?: FactValue; result?: boolean;
}

function checked(node: EngineCondition): CheckedCondition {
  const result = node.result === true;
  if (node.all) return { all: node.all.map(checked), result };
  if (node.any) return { any: node.any.map(checked), result };
  if (node.not) return { not: checked(node.not), result };
  return { fact: node.fact!, operator: node.operator!, expected: node.value, actual: node.factResult!, result };
}

/** Names of all facts a condition asks for. */
export function factNames(condition: Condition, into: Set<string> = new Set()): Set<string> {
  if ('all' in condition) for (const c of condition.all) factNames(c, into);
  else if ('any' in condition) for (const c of condition.any) factNames(c, into);
  else if ('not' in condition) factNames(condition.not, into);
  else into.add(condition.fact);
  return into;
}
