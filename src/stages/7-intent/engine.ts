import { Almanac, Engine, Operator, type RuleResult, type TopLevelCondition } from 'json-rules-engine';
import { OPERATORS } from './operators.ts';
import type { FactValue } from './facts/factSpec.ts';
import type { Condition, IntentRule } from '../../model/rulebook.ts';

/** A condition with what it was compared with and how it came out. */
export type CheckedCondition =
  | { readonly all: readonly CheckedCondition[]; readonly result: boolean }
  | { readonly any: readonly CheckedCondition[]; readonly result: boolean }
  | { readonly not: CheckedCondition; readonly result: boolean }
  | {
      readonly fact: string;
      readonly operator: string;
      readonly expected: unknown;
      readonly actual: FactValue;
      readonly result: boolean;
    };

export interface RuleOutcome {
  readonly rule: IntentRule;
  readonly matched: boolean;
  readonly conditions: CheckedCondition;
}

/** Where the engine finds facts. Throws for one that does not exist. */
export type FactSource = (name: string) => FactValue;

/** The engine's view of one transaction. Facts are flat values: a path in a condition would be rule text reaching an expression language. */
class Facts extends Almanac {
  private readonly source: FactSource;
  constructor(source: FactSource) {
    super();
    this.source = source;
  }

  override async factValue<T>(name: string, _params?: unknown, path?: string): Promise<T> {
    if (path) throw new Error('rule conditions have no paths');
    return this.source(name) as T;
  }
}

const TESTS = Object.entries(OPERATORS).map(
  ([name, test]) => new Operator(name, test as (a: unknown, b: unknown) => boolean),
);

/** Engines made of one rule each that no run is using: an engine keeps the state of its run on itself, so runs never share one. */
const IDLE = new WeakMap<IntentRule, Engine[]>();

function engineOf(rule: IntentRule): Engine {
  const engine = new Engine();
  for (const test of TESTS) engine.addOperator(test);
  // The engine wants a boolean node on top.
  const conditions = ('fact' in rule.when ? { all: [rule.when] } : rule.when) as unknown as TopLevelCondition;
  engine.addRule({ name: rule.slug, conditions, event: { type: 'matched' } });
  return engine;
}

async function run(rule: IntentRule, source: FactSource): Promise<RuleResult> {
  let idle = IDLE.get(rule);
  if (!idle) IDLE.set(rule, (idle = []));
  const engine = idle.pop() ?? engineOf(rule);
  const { results, failureResults } = await engine.run({}, { almanac: new Facts(source) });
  idle.push(engine);
  return (results[0] ?? failureResults[0])!;
}

/** Whether the engine says that a rule matches. Throws as the source does. */
export async function confirms(rule: IntentRule, source: FactSource): Promise<boolean> {
  return (await run(rule, source)).result === true;
}

/**
 * Evaluates rules over constant facts. Conditions carry no priorities, so every one is evaluated and can be explained.
 * Outcomes come in the order of `rules`.
 * @throws Error when a rule names a fact that is not among `facts`.
 */
export function evaluate(
  rules: readonly IntentRule[],
  facts: ReadonlyMap<string, FactValue>,
): Promise<RuleOutcome[]> {
  const source = (name: string): FactValue => {
    const value = facts.get(name);
    if (value === undefined) throw new Error(`no fact ${name}`);
    return value;
  };
  return Promise.all(
    rules.map(async (rule) => {
      const { result, conditions } = await run(rule, source);
      return {
        rule,
        matched: result === true,
        conditions: checked(conditions as unknown as EngineCondition),
      };
    }),
  );
}

interface EngineCondition {
  all?: EngineCondition[];
  any?: EngineCondition[];
  not?: EngineCondition;
  fact?: string;
  operator?: string;
  value?: unknown;
  factResult?: FactValue;
  result?: boolean;
}

function checked(node: EngineCondition): CheckedCondition {
  const result = node.result === true;
  if (node.all) return { all: node.all.map(checked), result };
  if (node.any) return { any: node.any.map(checked), result };
  if (node.not) return { not: checked(node.not), result };
  return {
    fact: node.fact!,
    operator: node.operator!,
    expected: node.value,
    actual: node.factResult!,
    result,
  };
}

/** Names of all facts a condition asks for. */
export function factNames(condition: Condition, into: Set<string> = new Set()): Set<string> {
  if ('all' in condition) for (const c of condition.all) factNames(c, into);
  else if ('any' in condition) for (const c of condition.any) factNames(c, into);
  else if ('not' in condition) factNames(condition.not, into);
  else into.add(condition.fact);
  return into;
}
