import { loadRulebook } from '../rules/compile/loadRulebook.ts';
import { SHIPPED_RULES } from '../rules/read/listFiles.ts';
import { FACT_VOCABULARY } from '../stages/7-intent/facts/registry.ts';
import type { Rulebook } from '../model/rulebook.ts';

/** The shipped rules with overlays, compiled now. Throws `RulebookError` with every problem. */
export function loadRules(overlays: readonly string[] = []): Rulebook {
  return loadRulebook([SHIPPED_RULES, ...overlays], { facts: FACT_VOCABULARY });
}
