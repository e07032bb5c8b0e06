import type { IntentRule } from '../../model/rulebook.ts';
import { canonicalJson } from './digest.ts';
import { compileCondition } from './compileCondition.ts';
import type { Vocabulary } from './compileVocabulary.ts';
import { bestFirst } from '../prepare.ts';
import { factValueFault, type FactDeclaration } from './facts.ts';
import type { RawExample, RawIntent } from '../read/rawRules.ts';
import { didYouMean } from './didYouMean.ts';
import { Spot, type ProblemSink, type RuleItem } from './ruleItem.ts';
import { readRuleAddress } from './compileProtocols.ts';

/** Placeholders a label may use; filled from the facts of the winning candidate. */
const PLACEHOLDERS = [
  'sent',
  'received',
  'protocol',
  'actor',
  'counterparty',
  'count',
  'nft',
  'venue',
] as const;

/** Compiles the intent rules in force, best first. */
export function compileIntents(
  items: readonly RuleItem<RawIntent>[],
  words: Vocabulary,
  facts: ReadonlyMap<string, FactDeclaration> | null,
  sink: ProblemSink,
): IntentRule[] {
  return items.map((item) => compileIntent(item, words, facts, sink)).sort(bestFirst(words.intentKinds));
}

function compileIntent(
  item: RuleItem<RawIntent>,
  words: Vocabulary,
  facts: ReadonlyMap<string, FactDeclaration> | null,
  sink: ProblemSink,
): IntentRule {
  const raw = item.value;
  const spot = new Spot(item, sink);
  checkWords(spot, raw, words);
  checkLabels(spot, raw);
  if (raw.status === 'experimental' && raw.proof === 'structural')
    spot.at('proof').report('experimental_structural', raw.slug);
  checkExamples(spot, raw, facts);
  return {
    slug: raw.slug,
    version: raw.version,
    status: raw.status,
    intent: raw.intent,
    label: raw.label,
    labelFallback: raw.label_fallback ?? raw.label,
    when: compileCondition(spot.at('when'), raw.when, facts),
    proof: raw.proof,
    confidence: raw.confidence,
    ...withDefaults(raw),
  };
}

function withDefaults(
  raw: RawIntent,
): Pick<IntentRule, 'priority' | 'supersedes' | 'restsOn' | 'requiresAny' | 'tags'> {
  return {
    priority: raw.priority ?? 0,
    supersedes: raw.supersedes ?? [],
    restsOn: raw.rests_on ?? [],
    requiresAny: raw.requires_any ?? [],
    tags: raw.tags ?? [],
  };
}

function checkWords(spot: Spot, raw: RawIntent, words: Vocabulary): void {
  if (!words.intentKinds.has(raw.intent))
    spot.at('intent').report('unknown_intent_kind', didYouMean(raw.intent, words.intentKinds.keys()));
  for (const key of ['rests_on', 'requires_any'] as const)
    for (const [i, kind] of (raw[key] ?? []).entries())
      if (!words.motifKinds.has(kind))
        spot.at(key, i).report('unknown_motif_kind', didYouMean(kind, words.motifKinds.keys()));
}

function checkLabels(spot: Spot, { label, label_fallback: fallback }: RawIntent): void {
  const placeholders = checkLabel(spot.at('label'), label);
  const inFallback = fallback === undefined ? 0 : checkLabel(spot.at('label_fallback'), fallback);
  if (placeholders > 0 && fallback === undefined) spot.at('label').report('missing_fallback', label);
  if (inFallback > 0)
    spot.at('label_fallback').report('missing_fallback', 'the fallback itself cannot have placeholders');
}

/** Counts the placeholders in a label; each must exist. */
function checkLabel(spot: Spot, label: string): number {
  const found = label.match(/\{[^{}]*\}?|\}/g) ?? [];
  for (const text of found) {
    const name = /^\{([a-z]+)\}$/.exec(text)?.[1];
    if (!name || !(PLACEHOLDERS as readonly string[]).includes(name))
      spot.report(
        'unknown_placeholder',
        `${text} (there are ${PLACEHOLDERS.map((p) => `{${p}}`).join(' ')})`,
      );
  }
  return found.length;
}

function checkExamples(
  spot: Spot,
  { examples, status }: RawIntent,
  facts: ReadonlyMap<string, FactDeclaration> | null,
): void {
  const seen = new Map<string, string>();
  for (const side of ['match', 'near_miss'] as const) {
    const list = examples[side] ?? [];
    if (list.length === 0 && status !== 'deprecated')
      spot.at('examples').report('missing_example', `no ${side} example`);
    for (const [i, example] of list.entries()) {
      const here = spot.at('examples', side, i);
      const key = canonicalJson(
        example.facts ?? { recording: example.recording, actor: example.actor?.toLowerCase() ?? null },
      );
      if (seen.has(key)) here.report('duplicate_example', `same as ${seen.get(key)!}`);
      seen.set(key, `${side}[${i}]`);
      if (example.actor !== undefined) readRuleAddress(here.at('actor'), example.actor);
      if (facts) checkExampleFacts(here, example, facts);
    }
  }
}

function checkExampleFacts(
  spot: Spot,
  example: RawExample,
  facts: ReadonlyMap<string, FactDeclaration>,
): void {
  for (const [name, value] of Object.entries(example.facts ?? {})) {
    const fact = facts.get(name);
    if (fact === undefined) spot.at('facts', name).reportKey('unknown_fact', didYouMean(name, facts.keys()));
    else {
      const fault = factValueFault(fact, value);
      if (fault) spot.at('facts', name).report('fact_value', `${name}: ${fault}`);
    }
  }
}
