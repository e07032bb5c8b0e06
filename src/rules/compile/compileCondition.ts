import type { Condition } from '../../model/rulebook.ts';
import { didYouMean } from './didYouMean.ts';
import { factValueFault, type FactDeclaration } from './facts.ts';
import { OPERATORS } from './operators.ts';
import type { RawCondition } from '../read/rawRules.ts';
import type { Spot } from './ruleItem.ts';

type Facts = ReadonlyMap<string, FactDeclaration> | null;

/**
 * Turns the condition of a rule into the tree the engine takes, checking every fact, operator and value
 * against the vocabulary. Without a vocabulary (null) names and types of facts are not checked.
 */
export function compileCondition(spot: Spot, raw: RawCondition, facts: Facts): Condition {
  const parts = (key: 'all' | 'any', list: readonly RawCondition[]): Condition[] =>
    list.map((part, i) => compileCondition(spot.at(key, i), part, facts));
  if ('all' in raw) return { all: parts('all', raw.all) };
  if ('any' in raw) return { any: parts('any', raw.any) };
  if ('not' in raw) return { not: compileCondition(spot.at('not'), raw.not, facts) };

  // `is: true` is short for {is: is, value: true}.
  const short = typeof raw.is === 'boolean';
  const operator = typeof raw.is === 'boolean' ? 'is' : raw.is;
  const value = short ? raw.is : raw.value;
  if (short && raw.value !== undefined)
    spot.at('value').report('fact_value', 'is: true or false takes no value');
  if (checkOperator(spot, operator, value) && facts)
    checkFact(spot, { fact: raw.fact, operator, value }, facts);
  return { fact: raw.fact, operator, value };
}

function checkOperator(spot: Spot, operator: string, value: unknown): boolean {
  if (!Object.hasOwn(OPERATORS, operator))
    spot.at('is').report('unknown_operator', didYouMean(operator, Object.keys(OPERATORS)));
  else if (value === undefined) spot.report('missing_key', 'value');
  else if (!OPERATORS[operator]!.takesList) return true;
  else if (!Array.isArray(value)) spot.at('value').report('fact_value', `${operator} takes a list`);
  else if (value.length === 0) spot.at('value').report('empty_list', `${operator} with nothing to compare`);
  else return true;
  return false;
}

type Test = Extract<Condition, { fact: string }>;

function checkFact(spot: Spot, test: Test, facts: NonNullable<Facts>): void {
  const { fact: name, operator, value } = test;
  const fact = facts.get(name);
  if (fact === undefined) {
    spot.at('fact').report('unknown_fact', didYouMean(name, facts.keys()));
    return;
  }
  const { types, takesList } = OPERATORS[operator]!;
  if (!types.includes(fact.type)) {
    const fits = Object.keys(OPERATORS).filter((o) => OPERATORS[o]!.types.includes(fact.type));
    spot
      .at('is')
      .report(
        'fact_operator',
        `${operator} does not work on ${name}, which is a ${fact.type} (${fits.join(', ')})`,
      );
    return;
  }
  const one: FactDeclaration = fact.type === 'list' ? { ...fact, type: 'enum' } : fact;
  for (const [i, v] of (takesList ? (value as unknown[]) : [value]).entries()) {
    const fault = factValueFault(one, v);
    if (fault) (takesList ? spot.at('value', i) : spot.at('value')).report('fact_value', `${name}: ${fault}`);
  }
}
