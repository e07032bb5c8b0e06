import type { IntentRule } from '../../model/rulebook.ts';
import { canonicalJson } from './digest.ts';
import { compileCondition } from './compileCondition.ts';
import type { Vocabulary } from './compileVocabulary.ts';
import { bestFirst } from '../prepare.ts';
import { factValueFault, type FactDeclaration } from './facts.ts';
import type { RawExample, RawIntent } from '../read/rawRules.ts';
import type { ProblemSink, RuleItem } from './ruleItem.ts';
import { readRuleAddress } from './compileProtocols.ts';

/** What a label may ask for; filled from the facts of the winning candidate. */
export const PLACEHOLDERS = [
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
  if (!words.intentKinds.has(raw.intent)) sink.add(item, ['intent'], 'unknown_intent_kind', raw.intent);
  for (const key of ['rests_on', 'requires_any'] as const) {
    for (const [i, kind] of (raw[key] ?? []).entries())
      if (!words.motifKinds.has(kind)) sink.add(item, [key, i], 'unknown_motif_kind', kind);
  }
  const placeholders = checkLabel(item, 'label', raw.label, sink);
  const inFallback =
    raw.label_fallback === undefined ? 0 : checkLabel(item, 'label_fallback', raw.label_fallback, sink);
  if (placeholders > 0 && raw.label_fallback === undefined)
    sink.add(item, ['label'], 'missing_fallback', raw.label);
  if (inFallback > 0)
    sink.add(item, ['label_fallback'], 'missing_fallback', 'the fallback itself cannot have placeholders');
  if (raw.status === 'experimental' && raw.proof === 'structural')
    sink.add(item, ['proof'], 'experimental_structural', raw.slug);
  checkExamples(item, facts, sink);
  return {
    slug: raw.slug,
    version: raw.version,
    status: raw.status,
    intent: raw.intent,
    label: raw.label,
    labelFallback: raw.label_fallback ?? raw.label,
    when: compileCondition(item, ['when'], raw.when, facts, sink),
    priority: raw.priority ?? 0,
    supersedes: raw.supersedes ?? [],
    proof: raw.proof,
    confidence: raw.confidence,
    restsOn: raw.rests_on ?? [],
    requiresAny: raw.requires_any ?? [],
    tags: raw.tags ?? [],
  };
}

/** Number of placeholders in a label, each of which must exist. */
function checkLabel(item: RuleItem, key: string, label: string, sink: ProblemSink): number {
  const found = label.match(/\{[^{}]*\}?|\}/g) ?? [];
  for (const text of found) {
    const name = /^\{([a-z]+)\}$/.exec(text)?.[1];
    if (!name || !(PLACEHOLDERS as readonly string[]).includes(name))
      sink.add(
        item,
        [key],
        'unknown_placeholder',
        `${text} (there are ${PLACEHOLDERS.map((p) => `{${p}}`).join(' ')})`,
      );
  }
  return found.length;
}

function checkExamples(
  item: RuleItem<RawIntent>,
  facts: ReadonlyMap<string, FactDeclaration> | null,
  sink: ProblemSink,
): void {
  const { examples, status } = item.value;
  const seen = new Map<string, string>();
  for (const side of ['match', 'near_miss'] as const) {
    const list = examples[side] ?? [];
    if (list.length === 0 && status !== 'deprecated')
      sink.add(item, ['examples'], 'missing_example', `no ${side} example`);
    for (const [i, example] of list.entries()) {
      const path = ['examples', side, i];
      const key = canonicalJson(
        example.facts ?? { recording: example.recording, actor: example.actor?.toLowerCase() ?? null },
      );
      if (seen.has(key)) sink.add(item, path, 'duplicate_example', `same as ${seen.get(key)!}`);
      seen.set(key, `${side}[${i}]`);
      if (example.actor !== undefined) readRuleAddress(item, [...path, 'actor'], example.actor, sink);
      if (facts) checkExampleFacts(item, path, example, facts, sink);
    }
  }
}

function checkExampleFacts(
  item: RuleItem,
  path: readonly (string | number)[],
  example: RawExample,
  facts: ReadonlyMap<string, FactDeclaration>,
  sink: ProblemSink,
): void {
  for (const [name, value] of Object.entries(example.facts ?? {})) {
    const fact = facts.get(name);
    if (fact === undefined) sink.add(item, [...path, 'facts', name], 'unknown_fact', name, 'key');
    else {
      const fault = factValueFault(fact, value);
      if (fault) sink.add(item, [...path, 'facts', name], 'fact_value', `${name}: ${fault}`);
    }
  }
}
