import { factNames } from './engine.ts';
import { factAt, placeOf } from './facts/registry.ts';
import { OPERATORS } from './operators.ts';
import type { FactSheet } from './factSheet.ts';
import type { FactValue } from './facts/factSpec.ts';
import type { Condition, IntentRule } from '../../model/rulebook.ts';

/** A test made ready: it knows its operator, and its fact by the registry's place. */
export interface Test {
  readonly op: 'test';
  readonly fact: number;
  readonly value: unknown;
  readonly holds: (fact: FactValue, value: unknown) => boolean;
}

/** A condition made ready. */
export type Node = Test | { readonly op: 'all' | 'any' | 'not'; readonly of: readonly Node[] };

/** A rule's conditions: all guards and the rest must hold. */
export interface CompiledRule {
  /** Tests of facts with few values: which rules each value leaves can be worked out beforehand. */
  readonly guards: readonly Test[];
  readonly rest: Node;
}

/** How many rules ask for a fact, by its place. */
export type Demand = readonly number[];

export function demandOf(rules: readonly IntentRule[]): Demand {
  const demand: number[] = [];
  for (const rule of rules)
    for (const name of factNames(rule.when)) demand[placeOf(name)] = (demand[placeOf(name)] ?? 0) + 1;
  return demand;
}

/** Makes a rule's conditions ready. Facts that many rules ask for come first: they are likely known already, and may spare others. */
export function compileRule({ when }: IntentRule, demand: Demand): CompiledRule {
  const parts = ('all' in when ? when.all : [when]).map((part) => compile(part, demand));
  const isGuard = (node: Node): node is Test => node.op === 'test' && factAt(node.fact).type === 'enum';
  return {
    guards: parts.filter(isGuard),
    rest: {
      op: 'all',
      of: inOrder(
        parts.filter((part) => !isGuard(part)),
        demand,
      ),
    },
  };
}

function compile(condition: Condition, demand: Demand): Node {
  if ('all' in condition)
    return {
      op: 'all',
      of: inOrder(
        condition.all.map((part) => compile(part, demand)),
        demand,
      ),
    };
  if ('any' in condition)
    return {
      op: 'any',
      of: inOrder(
        condition.any.map((part) => compile(part, demand)),
        demand,
      ),
    };
  if ('not' in condition) return { op: 'not', of: [compile(condition.not, demand)] };
  const holds = OPERATORS[condition.operator] as Test['holds'] | undefined;
  if (!holds) throw new Error(`unknown operator ${condition.operator}`);
  return { op: 'test', fact: placeOf(condition.fact), value: condition.value, holds };
}

function inOrder(parts: readonly Node[], demand: Demand): Node[] {
  const weight = (node: Node): number => (node.op === 'test' ? (demand[node.fact] ?? 0) : 0);
  return [...parts].sort((a, b) => weight(b) - weight(a));
}

/** Whether a condition holds. Asks for no fact that is not needed to tell. */
export function holds(node: Node, sheet: FactSheet): boolean {
  if (node.op === 'test') return node.holds(sheet.at(node.fact), node.value);
  if (node.op === 'not') return !holds(node.of[0]!, sheet);
  // All hold unless one fails, any does if one holds.
  const decisive = node.op === 'any';
  for (const part of node.of) if (holds(part, sheet) === decisive) return decisive;
  return !decisive;
}
