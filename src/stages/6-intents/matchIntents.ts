import { assess, restedMotifs } from './assess.ts';
import { evaluate, factNames, type RuleOutcome } from './engine.ts';
import { SubjectView } from './facts/subjectView.ts';
import { FactSheet } from './factSheet.ts';
import { fallbackIntent } from './fallback.ts';
import { fragmentsOf } from './fragments.ts';
import { renderLabel, type LabelFormat } from './label.ts';
import { prescreen, relevantRules } from './prescreen.ts';
import { rankOutcomes } from './rankOutcomes.ts';
import type { FactValue } from './facts/factSpec.ts';
import type { IntentInput } from './intentInput.ts';
import type { Verdict } from '../../model/intent.ts';
import type { IntentRule } from '../../model/rulebook.ts';

/** A verdict with everything it was made from, for explanations. */
export interface ExplainedVerdict {
  readonly verdict: Verdict;
  readonly facts: ReadonlyMap<string, FactValue>;
  /** Rules that were evaluated, in the rulebook's order. */
  readonly outcomes: readonly RuleOutcome[];
  /** Slugs of rules left out because no motif they need is present. */
  readonly skipped: readonly string[];
}

/**
 * What the transaction was for its subject: the best of the rules that match, or a marked heuristic where none does.
 */
export async function matchIntents(input: IntentInput, format: LabelFormat): Promise<Verdict> {
  const view = new SubjectView(input);
  const sheet = new FactSheet(view);
  const rules = prescreen(input.rulebook, view.byKind.keys(), sheet);
  return verdictOf(view, await evaluate(rules, sheet.select(factsOf(rules))), format);
}

/** As `matchIntents`, with every rule evaluated and every condition kept, also of rules that could not match. */
export async function explainIntents(input: IntentInput, format: LabelFormat): Promise<ExplainedVerdict> {
  const view = new SubjectView(input);
  const relevant = relevantRules(input.rulebook, view.byKind.keys());
  const evaluated = new Set(relevant);
  const skipped = input.rulebook.intents.filter((rule) => !evaluated.has(rule)).map((rule) => rule.slug);
  const facts = new FactSheet(view).select(factsOf(relevant));
  const outcomes = await evaluate(relevant, facts);
  return { verdict: verdictOf(view, outcomes, format), facts, outcomes, skipped };
}

function verdictOf(view: SubjectView, outcomes: readonly RuleOutcome[], format: LabelFormat): Verdict {
  const [winner, ...others] = rankOutcomes(outcomes, view.input.rulebook);
  return winner ? ruleVerdict(view, winner, others, format) : fallbackVerdict(view);
}

const FACT_NAMES = new WeakMap<IntentRule, ReadonlySet<string>>();

function factsOf(rules: readonly IntentRule[]): Set<string> {
  const names = new Set<string>();
  for (const rule of rules) {
    let own = FACT_NAMES.get(rule);
    if (!own) FACT_NAMES.set(rule, (own = factNames(rule.when)));
    for (const name of own) names.add(name);
  }
  return names;
}

function ruleVerdict(view: SubjectView, rule: IntentRule, others: readonly IntentRule[], format: LabelFormat): Verdict {
  const motifs = restedMotifs(view, rule);
  const { status, confidence } = assess(view, rule, motifs);
  const indexes = motifs.map((m) => m.index);
  const fragments = fragmentsOf(view, { kind: rule.intent, status, confidence, motifs: indexes, seq: motifs[0]?.seq ?? 0 });
  return {
    candidate: view.input.subject.account,
    kind: rule.intent,
    label: renderLabel(rule.label, rule.labelFallback, view, motifs, format),
    status, confidence,
    rule: { slug: rule.slug, version: rule.version },
    category: categoryOf(view, rule.intent),
    tags: rule.tags,
    motifs: indexes,
    fragments,
    outranked: others.map((r) => r.slug),
  };
}

function fallbackVerdict(view: SubjectView): Verdict {
  const { kind, label } = fallbackIntent(view);
  const headline = { kind, status: 'Suspected', confidence: 'Low', motifs: [], seq: 0 } as const;
  return {
    candidate: view.input.subject.account,
    kind, label, status: 'Suspected', confidence: 'Low', rule: null,
    category: categoryOf(view, kind), tags: [], motifs: [],
    fragments: fragmentsOf(view, headline),
    outranked: [],
  };
}

function categoryOf(view: SubjectView, kind: string): string {
  return view.input.rulebook.intentKinds.get(kind)?.category ?? 'unknown';
}
