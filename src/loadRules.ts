import { loadRulebook } from './rulebook/loadRulebook.ts';
import { SHIPPED_RULES } from './rulebook/shippedRules.ts';
import { FACT_VOCABULARY } from './stages/6-intents/facts/registry.ts';
import type { Rulebook } from './model/rulebook.ts';

/** The shipped rules with the given overlays, compiled now. Throws `RulebookError` listing everything that is wrong. */
export function loadRules(overlays: readonly string[] = []): Rulebook {
  return loadRulebook([SHIPPED_RULES, ...overlays], { facts: FACT_VOCABULARY });
}
