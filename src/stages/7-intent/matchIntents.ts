import { assess, restedMotifs } from './assess.ts';
import { confirms, evaluate, factNames, type RuleOutcome } from './engine.ts';
import { SubjectView } from './facts/subjectView.ts';
import { FactSheet } from './factSheet.ts';
import { fallbackIntent } from './fallback.ts';
import { fragmentsOf } from './fragments.ts';
import { renderLabel, type LabelFormat } from './label.ts';
import { matchingRules, relevantRules } from './screen.ts';
import { rankRules } from './rankRules.ts';
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
  /** Slugs of rules that matched as well and lost, best first. */
  readonly outranked: readonly string[];
  /** Slugs of rules left out because no motif they need is present. */
  readonly skipped: readonly string[];
}

/**
 * What the transaction was for its subject: the best of the rules that match, or a marked heuristic where none does. Rules
 * are screened, best first, and the engine has the last word on what they come to.
 */
export async function matchIntents(input: IntentInput, format: LabelFormat): Promise<Verdict> {
  const view = new SubjectView(input);
  const sheet = new FactSheet(view);
  const source = (name: string): FactValue => sheet.value(name);
  for (const rule of matchingRules(input.rulebook, view.byKind.keys(), sheet)) {
    if (await confirms(rule, source)) return ruleVerdict(view, rule, format);
  }
  return fallbackVerdict(view);
}

/** As `matchIntents`, with every rule evaluated and every condition kept, also of rules that could not match. */
export async function explainIntents(input: IntentInput, format: LabelFormat): Promise<ExplainedVerdict> {
  const view = new SubjectView(input);
  const relevant = relevantRules(input.rulebook, view.byKind.keys());
  const evaluated = new Set(relevant);
  const skipped = input.rulebook.intents.filter((rule) => !evaluated.has(rule)).map((rule) => rule.slug);
  const facts = new FactSheet(view).select(new Set(relevant.flatMap((rule) => [...factNames(rule.when)])));
  const outcomes = await evaluate(relevant, facts);
  const [winner, ...others] = rankRules(
    outcomes.filter((o) => o.matched).map((o) => o.rule),
    input.rulebook,
  );
  const verdict = winner ? ruleVerdict(view, winner, format) : fallbackVerdict(view);
  return { verdict, facts, outcomes, outranked: others.map((rule) => rule.slug), skipped };
}

function ruleVerdict(view: SubjectView, rule: IntentRule, format: LabelFormat): Verdict {
  const motifs = restedMotifs(view, rule);
  const { status, confidence } = assess(view, rule, motifs);
  const indexes = motifs.map((m) => m.index);
  const fragments = fragmentsOf(view, {
    kind: rule.intent,
    status,
    confidence,
    motifs: indexes,
    seq: motifs[0]?.seq ?? 0,
  });
  return {
    candidate: view.input.subject.account,
    kind: rule.intent,
    label: renderLabel(rule, view, motifs, format),
    status,
    confidence,
    rule: { slug: rule.slug, version: rule.version },
    category: categoryOf(view, rule.intent),
    tags: rule.tags,
    motifs: indexes,
    fragments,
  };
}

function fallbackVerdict(view: SubjectView): Verdict {
  const { kind, label } = fallbackIntent(view);
  const headline = { kind, status: 'Suspected', confidence: 'Low', motifs: [], seq: 0 } as const;
  return {
    candidate: view.input.subject.account,
    kind,
    label,
    status: 'Suspected',
    confidence: 'Low',
    rule: null,
    category: categoryOf(view, kind),
    tags: [],
    motifs: [],
    fragments: fragmentsOf(view, headline),
  };
}

function categoryOf(view: SubjectView, kind: string): string {
  return view.input.rulebook.intentKinds.get(kind)?.category ?? 'unknown';
}
