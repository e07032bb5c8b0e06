import { factNames, type RuleOutcome } from './engine.ts';
import type { IntentRule, Rulebook } from '../../model/rulebook.ts';

/**
 * Matching rules, best first: rules that another match supersedes go last; then the order of intents in the precedence
 * list, then priority, then how much a rule asks for, then its slug, so that equal transactions never flip.
 */
export function rankOutcomes(outcomes: readonly RuleOutcome[], rulebook: Rulebook): IntentRule[] {
  const matched = outcomes.filter((o) => o.matched).map((o) => o.rule);
  const superseded = new Set(matched.flatMap((r) => r.supersedes));
  const rank = (rule: IntentRule): number => rulebook.intentKinds.get(rule.intent)?.rank ?? Number.MAX_SAFE_INTEGER;
  return matched.sort((a, b) =>
    (superseded.has(a.slug) ? 1 : 0) - (superseded.has(b.slug) ? 1 : 0)
    || rank(a) - rank(b)
    || b.priority - a.priority
    || specificity(b) - specificity(a)
    || (a.slug < b.slug ? -1 : 1));
}

function specificity(rule: IntentRule): number {
  return factNames(rule.when).size;
}
