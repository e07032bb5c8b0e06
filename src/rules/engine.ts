import { Almanac, Engine, Operator, type TopLevelCondition } from 'json-rules-engine';
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

/** The engine's view of a transaction. Flat facts: a path would let rules reach an expression language. */
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

const TESTS = Object.entries(OPERATORS).map(([name, { holds }]) => new Operator(name, holds));

function engineOf(rule: Pick<IntentRule, 'slug' | 'when'>): Engine {
  const engine = new Engine();
  for (const test of TESTS) engine.addOperator(test);
  // The engine wants a boolean node on top.
  const conditions = ('fact' in rule.when ? { all: [rule.when] } : rule.when) as unknown as TopLevelCondition;
  engine.addRule({ name: rule.slug, conditions, event: { type: 'matched' } });
  return engine;
}

/** Evaluates a rule's condition. */
function runner(rule: Pick<IntentRule, 'slug' | 'when'>): (source: FactSource) => Promise<CheckedCondition> {
  // An engine keeps the state of its run on itself: overlapping runs take one each.
  const idle: Engine[] = [];
  return async (source) => {
    const engine = idle.pop() ?? engineOf(rule);
    const { results, failureResults } = await engine.run({}, { almanac: new Facts(source) });
    idle.push(engine);
    const { result, conditions } = (results[0] ?? failureResults[0])!;
    // The engine leaves out the outcome of the condition on top.
    return checked(conditions as unknown as EngineCondition, result === true);
  };
}

type Test = Extract<Condition, { fact: string }>;

/** Tests that must hold for the condition to hold: those joined by `all` from the top. */
function demanded(condition: Condition): Test[] {
  if ('all' in condition) return condition.all.flatMap(demanded);
  return 'fact' in condition ? [condition] : [];
}

/**
 * Makes a rule ready for json-rules-engine. `asked`: how many rules ask for each fact. `supersededBy`: slugs
 * of the rules that supersede it.
 */
export function prepareIntent(
  rule: IntentRule,
  asked: ReadonlyMap<string, number> = new Map(),
  supersededBy: readonly string[] = [],
): PreparedIntent {
  // Facts that many rules ask for are known already; the others are computed only where those hold.
  const tests = demanded(rule.when)
    .map(({ fact, operator, value }) => ({ fact, value, holds: OPERATORS[operator]?.holds }))
    .sort((a, b) => (asked.get(b.fact) ?? 0) - (asked.get(a.fact) ?? 0));
  const run = runner(rule);
  return {
    rule,
    facts: factNames(rule.when),
    supersededBy,
    mayMatch: (source) => tests.every(({ fact, value, holds }) => !holds || holds(source(fact), value)),
    async evaluate(source): Promise<RuleOutcome> {
      const conditions = await run(source);
      return { rule, matched: conditions.result, conditions };
    },
  };
}

/** Makes a finding rule ready for json-rules-engine. */
export function prepareFinding(rule: FindingRule): PreparedFinding {
  const { slug } = rule;
  const [applies, proves] = [runner(rule), runner({ slug, when: rule.proven })];
  return {
    rule,
    async decide(source) {
      if (!(await applies(source)).result) return null;
      const proof = await proves(source);
      return proof.result ? [] : [...new Set(failedFacts(proof))];
    },
  };
}

/** Facts of the tests for whose sake a condition fails. */
function failedFacts(condition: CheckedCondition): string[] {
  if (condition.result) return [];
  if ('fact' in condition) return [condition.fact];
  if ('not' in condition) return [...factNames(condition.not)];
  return ('all' in condition ? condition.all : condition.any).flatMap(failedFacts);
}

/** Evaluates a rule on an example's facts. Throws where the rule asks for another fact. */
export function evaluateOn(rule: IntentRule, facts: ReadonlyMap<string, FactValue>): Promise<RuleOutcome> {
  return prepareIntent(rule).evaluate((name) => {
    const value = facts.get(name);
    if (value === undefined) throw new Error(`no fact ${name}`);
    return value;
  });
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

function checked(node: EngineCondition, result = node.result === true): CheckedCondition {
  if (node.all) return { all: node.all.map((part) => checked(part)), result };
  if (node.any) return { any: node.any.map((part) => checked(part)), result };
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
export function factNames(
  condition: Condition | CheckedCondition,
  into: Set<string> = new Set(),
): Set<string> {
  if ('all' in condition) for (const part of condition.all) factNames(part, into);
  else if ('any' in condition) for (const part of condition.any) factNames(part, into);
  else if ('not' in condition) factNames(condition.not, into);
  else into.add(condition.fact);
  return into;
}
