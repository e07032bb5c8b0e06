import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRuleset } from '../../../src/rules/compile/loadRulebook.ts';
import { defaultFact } from '../../../src/rules/compile/facts.ts';
import { evaluateOn, factNames } from '../../../src/rules/engine.ts';
import { FACT_VOCABULARY, findFact } from '../../../src/stages/7-intent/facts/registry.ts';
import type { FactValue } from '../../../src/model/intent.ts';
import type { IntentRule } from '../../../src/model/rulebook.ts';

const ruleset = readRuleset([join(import.meta.dirname, '../../../rules')], { facts: FACT_VOCABULARY });
const rules = new Map((ruleset.rulebook?.intents ?? []).map((r) => [r.slug, r]));

async function matches(rule: IntentRule, given: Readonly<Record<string, unknown>>): Promise<boolean> {
  const facts = new Map<string, FactValue>();
  for (const name of factNames(rule.when))
    facts.set(name, (given[name] as FactValue | undefined) ?? defaultFact(findFact(name)!));
  return (await evaluateOn(rule, facts)).matched;
}

describe('intent rules', () => {
  it('load without a problem', () => {
    expect(ruleset.problems).toEqual([]);
  });

  for (const item of ruleset.intents) {
    const { slug, examples } = item.value;
    for (const [side, expected] of [
      ['match', true],
      ['near_miss', false],
    ] as const) {
      for (const [i, example] of (examples[side] ?? []).entries()) {
        if (!example.facts) continue;
        it(`${slug}: ${example.name ?? `${side} ${i}`} ${expected ? 'matches' : 'does not match'}`, async () => {
          expect(await matches(rules.get(slug)!, example.facts!)).toBe(expected);
        });
      }
    }
  }
});
