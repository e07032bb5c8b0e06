import { Engine, type TopLevelCondition } from 'json-rules-engine';
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

/**
 * Evaluates rules over constant facts. A fresh engine per call: a shared one keeps its run state on itself and loses
 * rules when runs overlap. Conditions carry no priorities, so every one is evaluated and can be explained. Outcomes
 * come in the order of `rules`.
 * @throws Error when a rule names a fact that is not among `facts`.
 */
export async function evaluate(rules: readonly IntentRule[], facts: ReadonlyMap<string, FactValue>): Promise<RuleOutcome[]> {
  if (rules.length === 0) return [];
  const engine = new Engine([], { pathResolver: refusePath, allowUndefinedFacts: false });
  for (const [name, test] of Object.entries(OPERATORS)) engine.addOperator(name, test as (a: unknown, b: unknown) => boolean);
  for (const [name, value] of facts) engine.addFact(name, value);
  for (const [index, rule] of rules.entries()) {
    engine.addRule({ name: String(index), conditions: topLevel(rule.when), event: { type: 'matched' } });
  }
  const { results, failureResults } = await engine.run();
  const outcomes = new Array<RuleOutcome>(rules.length);
  for (const result of [...results, ...failureResults]) {
    const index = Number(result.name);
    const rule = rules[index]!;
    outcomes[index] = { rule, matched: result.result === true, conditions: checked(result.conditions as unknown as EngineCondition) };
  }
  return outcomes;
}

const LIFTED = new WeakMap<Condition, TopLevelCondition>();

/** The engine wants a boolean node on top; made once per rule. */
function topLevel(when: Condition): TopLevelCondition {
  let lifted = LIFTED.get(when);
  if (!lifted) LIFTED.set(when, (lifted = ('fact' in when ? { all: [when] } : when) as unknown as TopLevelCondition));
  return lifted;
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
