import type { CheckedCondition } from '../../../model/intent.ts';
import type { IntentRule } from '../../../model/rulebook.ts';
import { blockers, countMet } from './conditionLines.ts';
import type { ExaminedTx, SubjectReading } from './loadTx.ts';

/** What became of a rule, seen from one account's place. */
interface Fate {
  readonly fate: 'wins' | 'outranked' | 'does_not_match' | 'skipped';
  /** The unmet conditions, or why it was skipped or outranked; for a winner, the rules it outranked. */
  readonly why: readonly string[];
  /** Null when it was not evaluated. */
  readonly conditions: CheckedCondition | null;
}

export function fateOf(rule: IntentRule, { explained }: SubjectReading): Fate {
  const { verdict, outcomes, outranked } = explained;
  const outcome = outcomes.find((o) => o.rule.slug === rule.slug);
  if (outcome === undefined) {
    const why =
      rule.status === 'deprecated'
        ? 'it is deprecated'
        : `the transaction has no motif of kind ${rule.requiresAny.join(' or ')}`;
    return { fate: 'skipped', conditions: null, why: [why] };
  }
  const { conditions } = outcome;
  if (!outcome.matched) return { fate: 'does_not_match', conditions, why: blockers(conditions) };
  if (verdict.rule?.slug === rule.slug)
    return { fate: 'wins', conditions, why: outranked.map(({ slug }) => `outranks ${slug}`) };
  const winner = `${verdict.rule?.slug ?? 'a heuristic'} (${verdict.kind})`;
  return { fate: 'outranked', conditions, why: [`${winner} outranks it`] };
}

/** Rules that did not match, with their unmet conditions; those that lack least come first. */
export function nearMisses({ explained }: SubjectReading) {
  return explained.outcomes
    .filter(({ matched }) => !matched)
    .map(({ rule, conditions }) => ({
      slug: rule.slug,
      intent: rule.intent,
      unmet: blockers(conditions),
      met: countMet(conditions),
    }))
    .sort((a, b) => a.unmet.length - b.unmet.length || b.met - a.met || (a.slug < b.slug ? -1 : 1));
}

/** Motifs that come from primitives of these shapes. */
export function motifsOfShapes({ motifs, primitives }: ExaminedTx, shapes: readonly string[]) {
  const made = primitives.filter(({ shape }) => shape !== null && shapes.includes(shape));
  const places = new Set(made.map((p) => `${p.kind} ${p.venue} ${p.seq}`));
  return motifs.filter((m) => places.has(`${m.kind} ${m.venue} ${m.seq}`));
}
