import type { RawExample } from '../../../model/generated/rules.ts';
import type { IntentRule } from '../../../model/rulebook.ts';
import { defaultFact } from '../../../rules/compile/facts.ts';
import { evaluateOn, factNames } from '../../../rules/engine.ts';
import type { SoundRuleset } from './rulesets.ts';

/** Evaluates a rule on the facts of an example; those it leaves out have their defaults. */
export function evaluateFacts(
  { facts: given = {} }: RawExample,
  rule: IntentRule,
  { facts: declared }: SoundRuleset,
) {
  const facts = new Map([...factNames(rule.when)].map((name) => [name, defaultFact(declared!.get(name)!)]));
  for (const [name, value] of Object.entries(given)) facts.set(name, value as string);
  return evaluateOn(rule, facts);
}
