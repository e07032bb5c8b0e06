import { Almanac, Engine, Operator, Rule, type RuleResult, type TopLevelCondition } from 'json-rules-engine';
import { lazy } from '../lib/lazy.ts';
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
  constructor(private readonly source: FactSource) {
    super();
  }

  override async factValue<T>(name: string, _params?: unknown, path?: string): Promise<T> {
    if (path) throw new Error('rule conditions have no paths');
    return this.source(name) as T;
  }
}

/** Holds the operators. It runs no rules: an engine keeps the state of its run on itself. */
const ENGINE = new Engine();
for (const [name, { holds }] of Object.entries(OPERATORS)) ENGINE.addOperator(new Operator(name, holds));

/** Evaluates a rule's condition. `withParts`: the outcome of each part is read as well. */
function runner({ slug, when }: Pick<IntentRule, 'slug' | 'when'>, withParts: boolean) {
  const ready = lazy(() => {
    // The engine wants a boolean node on top.
    const conditions = ('fact' in when ? { all: [when] } : when) as unknown as TopLevelCondition;
    const rule = new Rule({ name: slug, conditions, event: { type: 'matched' } });
    // For outcomes to be left on them it copies conditions at each run; functions it does not copy.
    if (!withParts) Object.assign(rule, { conditions: Object.setPrototypeOf(() => 0, rule.conditions) });
    // It copies its event too, which has no listener.
    Object.assign(rule, { ruleEvent: null });
    // The package's types leave these out.
    return (rule as unknown as { setEngine(engine: Engine): RunnableRule }).setEngine(ENGINE);
  });
  return (source: FactSource): Promise<RuleResult> => ready().evaluate(new Facts(source));
}

/** A rule's condition with the outcome of each part. The engine leaves out that of the condition on top. */
function outcomeOf({ result, conditions }: RuleResult): CheckedCondition {
  return checked(conditions as unknown as EngineCondition, result === true);
}

interface RunnableRule {
  evaluate(almanac: Almanac): Promise<RuleResult>;
}

type Times = ReadonlyMap<string, number>;

/**
 * Whether a condition holds by its tests, so that the engine runs only for rules that match. Facts that many
 * rules ask for come first: they are known already, and the others are computed only where those hold.
 */
function testOf(condition: Condition, asked: Times): (source: FactSource) => boolean {
  if ('not' in condition) {
    const inner = testOf(condition.not, asked);
    return (source) => !inner(source);
  }
  if ('fact' in condition) {
    const { fact, operator, value } = condition;
    const holds = OPERATORS[operator]?.holds;
    return (source) => !holds || holds(source(fact), value);
  }
  const times = (part: Condition): number => ('fact' in part ? (asked.get(part.fact) ?? 0) : 0);
  const ordered = [...('all' in condition ? condition.all : condition.any)].sort(
    (a, b) => times(b) - times(a),
  );
  const parts = ordered.map((part) => testOf(part, asked));
  if ('any' in condition) return (source) => parts.some((mayHold) => mayHold(source));
  return (source) => parts.every((mayHold) => mayHold(source));
}

/** Makes a rule ready for json-rules-engine. `asked`: how many rules ask for each fact. */
export function prepareIntent(rule: IntentRule, asked: Times = new Map()): PreparedIntent {
  const [run, explain] = [runner(rule, false), runner(rule, true)];
  return {
    rule,
    facts: factNames(rule.when),
    mayMatch: testOf(rule.when, asked),
    matches: async (source) => (await run(source)).result === true,
    async evaluate(source): Promise<RuleOutcome> {
      const conditions = outcomeOf(await explain(source));
      return { rule, matched: conditions.result, conditions };
    },
  };
}

/** Makes a finding rule ready for json-rules-engine. */
export function prepareFinding(rule: FindingRule): PreparedFinding {
  const { slug } = rule;
  const [applies, proves] = [runner(rule, false), runner({ slug, when: rule.proven }, true)];
  return {
    rule,
    async decide(source) {
      if ((await applies(source)).result !== true) return null;
      const proof = outcomeOf(await proves(source));
      return proof.result ? [] : [...new Set(failedFacts(proof))];
    },
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
