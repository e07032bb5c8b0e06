import type { Condition } from '../../model/rulebook.ts';
import { factValueFault, type FactDeclaration } from './facts.ts';
import { OPERATORS } from './operators.ts';
import type { RawCondition } from '../read/rawRules.ts';
import type { ProblemSink, RuleItem } from './ruleItem.ts';

type Path = readonly (string | number)[];

/**
 * Turns the condition of a rule into the tree the engine takes, checking every fact, operator and value against the
 * vocabulary. Without a vocabulary (null) names and types of facts are not checked.
 */
export function compileCondition(
  item: RuleItem,
  path: Path,
  raw: RawCondition,
  facts: ReadonlyMap<string, FactDeclaration> | null,
  sink: ProblemSink,
): Condition {
  if ('all' in raw)
    return { all: raw.all.map((c, i) => compileCondition(item, [...path, 'all', i], c, facts, sink)) };
  if ('any' in raw)
    return { any: raw.any.map((c, i) => compileCondition(item, [...path, 'any', i], c, facts, sink)) };
  if ('not' in raw) return { not: compileCondition(item, [...path, 'not'], raw.not, facts, sink) };

  // `is: true` is short for {is: is, value: true}.
  const operator = typeof raw.is === 'boolean' ? 'is' : raw.is;
  const value = typeof raw.is === 'boolean' ? raw.is : raw.value;
  if (typeof raw.is === 'boolean' && raw.value !== undefined)
    sink.add(item, [...path, 'value'], 'fact_value', 'is: true or false takes no value');
  if (!Object.hasOwn(OPERATORS, operator)) sink.add(item, [...path, 'is'], 'unknown_operator', operator);
  else if (value === undefined) sink.add(item, path, 'missing_key', 'value');
  else if (OPERATORS[operator]!.takesList && !Array.isArray(value))
    sink.add(item, [...path, 'value'], 'fact_value', `${operator} takes a list`);
  else if (OPERATORS[operator]!.takesList && (value as unknown[]).length === 0)
    sink.add(item, [...path, 'value'], 'empty_list', `${operator} with nothing to compare`);
  else if (facts) checkFact(item, path, raw.fact, operator, value, facts, sink);
  return { fact: raw.fact, operator, value };
}

function checkFact(
  item: RuleItem,
  path: Path,
  name: string,
  operator: string,
  value: unknown,
  facts: ReadonlyMap<string, FactDeclaration>,
  sink: ProblemSink,
): void {
  const fact = facts.get(name);
  if (fact === undefined) {
    const near = nearest(name, facts.keys());
    sink.add(item, [...path, 'fact'], 'unknown_fact', near ? `${name} (did you mean ${near}?)` : name);
    return;
  }
  const { types, takesList } = OPERATORS[operator]!;
  if (!types.includes(fact.type)) {
    const fits = Object.keys(OPERATORS).filter((o) => OPERATORS[o]!.types.includes(fact.type));
    sink.add(
      item,
      [...path, 'is'],
      'fact_operator',
      `${operator} does not work on ${name}, which is a ${fact.type} (${fits.join(', ')})`,
    );
    return;
  }
  const values = takesList ? (value as unknown[]) : [value];
  const one: FactDeclaration = fact.type === 'list' ? { ...fact, type: 'enum' } : fact;
  for (const [i, v] of values.entries()) {
    const fault = factValueFault(one, v);
    if (fault)
      sink.add(
        item,
        takesList ? [...path, 'value', i] : [...path, 'value'],
        'fact_value',
        `${name}: ${fault}`,
      );
  }
}

/** The name at the smallest edit distance, if it is close enough to be a slip. */
export function nearest(name: string, names: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(name.length / 4)) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
