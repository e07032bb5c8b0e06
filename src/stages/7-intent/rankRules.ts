import { factNames } from './engine.ts';
import type { IntentRule, Rulebook } from '../../model/rulebook.ts';

/** Compares rules by the order of intents in the precedence list, then priority, then how much a rule asks for, then its slug, so that equal transactions never flip. */
export function bestFirst(rulebook: Rulebook): (a: IntentRule, b: IntentRule) => number {
  const rank = (rule: IntentRule): number =>
    rulebook.intentKinds.get(rule.intent)?.rank ?? Number.MAX_SAFE_INTEGER;
  return (a, b) =>
    rank(a) - rank(b) ||
    b.priority - a.priority ||
    specificity(b) - specificity(a) ||
    (a.slug < b.slug ? -1 : 1);
}

/** Matching rules, best first; rules that another match supersedes go last. */
export function rankRules(matched: readonly IntentRule[], rulebook: Rulebook): IntentRule[] {
  const superseded = new Set(matched.flatMap((r) => r.supersedes));
  const better = bestFirst(rulebook);
  return [...matched].sort(
    (a, b) => (superseded.has(a.slug) ? 1 : 0) - (superseded.has(b.slug) ? 1 : 0) || better(a, b),
  );
}

function specificity(rule: IntentRule): number {
  return factNames(rule.when).size;
}
