import { OPERATORS } from './operators.ts';
import type { FactSheet } from './factSheet.ts';
import type { IntentRule } from '../../model/rulebook.ts';

type Test = { readonly fact: string; readonly operator: string; readonly value: unknown };

const TESTS = new WeakMap<IntentRule, readonly Test[]>();

/** The plain tests a rule needs to hold, whatever its nested conditions say. */
function necessaryTests(rule: IntentRule): readonly Test[] {
  let tests = TESTS.get(rule);
  if (!tests) {
    const parts = 'all' in rule.when ? rule.when.all : [rule.when];
    TESTS.set(rule, (tests = parts.filter((part): part is Test => 'fact' in part)));
  }
  return tests;
}

/**
 * False only for a rule that cannot match: one of the tests all of which it needs does not hold. Saves the engine most
 * rules of most transactions, and the facts only they would ask for; explanations evaluate every rule instead.
 */
export function couldMatch(rule: IntentRule, sheet: FactSheet): boolean {
  return necessaryTests(rule).every((test) => {
    const holds = OPERATORS[test.operator] as ((fact: unknown, value: unknown) => boolean) | undefined;
    return holds === undefined || holds(sheet.value(test.fact), test.value);
  });
}
