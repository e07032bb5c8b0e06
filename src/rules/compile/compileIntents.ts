import { LABEL_CERTAIN, LABEL_FAMILIES, LABEL_WORDS, parseLabel } from '../../lib/labelTemplate.ts';
import type { IntentRule, Condition } from '../../model/rulebook.ts';
import { canonicalJson } from './digest.ts';
import type { Vocabulary } from './compileVocabulary.ts';
import { bestFirst } from '../prepare.ts';
import { factValueFault } from './facts.ts';
import type { FactDeclaration, FactIndex } from '../../model/intent.ts';
import type { RawExample, RawIntent, RawCondition } from '../../model/generated/rules.ts';
import { didYouMean, hintFor } from './didYouMean.ts';
import { Spot, type RuleItem } from './ruleItem.ts';
import { OPERATORS } from './operators.ts';
import { examplesOf } from '../lint/checkExamples.ts';

type Facts = FactIndex | null;

/** Weakest first. */
const CONFIDENCES = ['Low', 'Medium', 'High'];

/** A rule, and where it is written. */
export interface PlacedRule {
  readonly rule: IntentRule;
  readonly item: RuleItem<RawIntent>;
}

/** Compiles the intent rules in force, best first. */
export function compileIntents(
  items: readonly RuleItem<RawIntent>[],
  words: Vocabulary,
  facts: Facts,
): PlacedRule[] {
  const better = bestFirst(words.intentKinds);
  return items
    .map((item) => ({ rule: compileIntent(item, words, facts), item }))
    .sort((a, b) => better(a.rule, b.rule));
}

function compileIntent(item: RuleItem<RawIntent>, words: Vocabulary, facts: Facts): IntentRule {
  const raw = item.value;
  const spot = new Spot(item);
  checkIntent(spot, raw, words);
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
    ...(item.file.layer > 0 ? { layer: item.file.layer } : {}),
    priority: raw.priority ?? 0,
    supersedes: raw.supersedes ?? [],
    restsOn: raw.rests_on ?? [],
    requiresAny: raw.requires_any ?? [],
    tags: raw.tags ?? [],
  };
}

function checkIntent(spot: Spot, raw: RawIntent, words: Vocabulary): void {
  checkLabels(spot, raw, words);
  const { known, family } = raw.confidence;
  if (CONFIDENCES.indexOf(family) > CONFIDENCES.indexOf(known))
    spot.at('confidence', 'family').report('family_above_known', `${family} above ${known}`);
  if (raw.status === 'experimental' && raw.proof === 'structural')
    spot.at('proof').report('experimental_structural', raw.slug);
  spot.at('intent').known('unknown_intent_kind', raw.intent, words.intentKinds);
  for (const key of ['rests_on', 'requires_any'] as const)
    for (const [kind, at] of spot.each(key, raw[key])) at.known('unknown_motif_kind', kind, words.motifKinds);
}

/** A label with placeholders that may have no value needs a fallback without them. */
function checkLabels(spot: Spot, { label, label_fallback: fallback }: RawIntent, words: Vocabulary): void {
  const open = checkLabel(spot.at('label'), label, words);
  const inFallback = fallback === undefined ? [] : checkLabel(spot.at('label_fallback'), fallback, words);
  if (open.length > 0 && fallback === undefined) spot.at('label').report('missing_fallback', label);
  if (inFallback.length > 0) spot.at('label_fallback').report('missing_fallback', `{${inFallback[0]!}}`);
}

/** Placeholders outside optional segments that may have no value. Reports those that do not exist. */
function checkLabel(spot: Spot, label: string, words: Vocabulary): string[] {
  if (label !== label.trim() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(label))
    spot.report('bad_format', 'a label is one line, without blanks at its ends or hidden characters');
  const parts = parseLabel(label);
  if (parts === null) {
    spot.report('unknown_placeholder', `${label}: braces or brackets do not pair up`);
    return [];
  }
  if (parts.some((part) => 'optional' in part && !part.optional.some((one) => 'placeholder' in one)))
    spot.report('bad_format', 'a segment in brackets has a placeholder');
  const flat = parts.flatMap((part) => ('optional' in part ? part.optional : [part]));
  for (const part of flat)
    if ('placeholder' in part && !isLabelWord(part.placeholder, words))
      spot.report('unknown_placeholder', unknownPlaceholder(part.placeholder, words));
  return parts.flatMap((part) =>
    'placeholder' in part && !LABEL_CERTAIN.has(part.placeholder) ? [part.placeholder] : [],
  );
}

/** The words of a family that come from the vocabulary. */
const wordsOf = (family: string, words: Vocabulary): ReadonlyMap<string, unknown> | null =>
  family === 'role' ? words.accountRoles : family === 'leg' ? words.legRoles : null;

/** The nearest placeholder, or all of them. */
function unknownPlaceholder(placeholder: string, words: Vocabulary): string {
  const [family = '', word] = placeholder.split('.');
  const known = word === undefined ? null : wordsOf(family, words);
  const hint = known ? hintFor(word!, known.keys()) : hintFor(placeholder, Object.keys(LABEL_WORDS));
  return `{${placeholder}}${hint}; there are ${LABEL_WORD_LIST}`;
}

const LABEL_WORD_LIST = [
  ...Object.keys(LABEL_WORDS).map((word) => `{${word}}`),
  ...Object.keys(LABEL_FAMILIES).map((family) => `{${family}.…}`),
].join(' ');

function isLabelWord(placeholder: string, words: Vocabulary): boolean {
  const [family, word] = placeholder.split('.') as [string, string | undefined];
  if (word === undefined) return Object.hasOwn(LABEL_WORDS, family);
  const known = wordsOf(family, words);
  if (known) return known.has(word);
  if (family === 'choice') return /^\w+\|[^|,]+(,[^|,]+)+$/.test(word);
  return (family === 'arg' || family === 'span') && /^\w+(\|\w+)*$/.test(word);
}

function checkExamples(spot: Spot, raw: RawIntent, facts: Facts): void {
  const seen = new Map<string, Spot>();
  for (const [example, here] of examplesOf(spot, raw)) {
    const { facts: stated, transaction, recording, actor } = example;
    const key = canonicalJson(stated ?? transaction ?? { recording, actor: actor?.toLowerCase() ?? null });
    const first = seen.get(key);
    if (first) here.report('duplicate_example', `same as ${first.name}`);
    seen.set(key, here);
    if (actor !== undefined) here.at('actor').address(actor);
    if (facts) checkFacts(here.at('facts'), stated, facts);
  }
}

function checkFacts(spot: Spot, stated: RawExample['facts'] = {}, facts: FactIndex): void {
  for (const [name, value] of Object.entries(stated)) {
    const fact = facts.get(name);
    if (fact) checkValue(spot.at(name), fact, value);
    else spot.at(name).reportKey('unknown_fact', didYouMean(name, facts.keys()));
  }
}

function checkValue(spot: Spot, fact: FactDeclaration, value: unknown): void {
  const fault = factValueFault(fact, value);
  if (fault) spot.report('fact_value', `${fact.name}: ${fault}`);
}

/**
 * Turns the condition of a rule into the tree the engine takes, checking every fact, operator and value
 * against the vocabulary. Without a vocabulary (null) names and types of facts are not checked.
 */
export function compileCondition(spot: Spot, raw: RawCondition, facts: Facts): Condition {
  const parts = (key: 'all' | 'any', list: readonly RawCondition[]): Condition[] =>
    list.map((part, i) => compileCondition(spot.at(key, i), part, facts));
  if ('all' in raw) return { all: parts('all', raw.all) };
  if ('any' in raw) return { any: parts('any', raw.any) };
  if ('not' in raw) return { not: compileCondition(spot.at('not'), raw.not, facts) };

  // `is: true` is short for {is: is, value: true}.
  const short = typeof raw.is === 'boolean';
  const operator = typeof raw.is === 'boolean' ? 'is' : raw.is;
  const value = short ? raw.is : raw.value;
  if (short && raw.value !== undefined)
    spot.at('value').report('fact_value', 'is: true or false takes no value');
  if (checkOperator(spot, operator, value) && facts)
    checkFact(spot, { fact: raw.fact, operator, value }, facts);
  return { fact: raw.fact, operator, value };
}

function checkOperator(spot: Spot, operator: string, value: unknown): boolean {
  if (value === undefined) spot.report('missing_key', 'value');
  else if (!OPERATORS[operator]!.takesList) return true;
  else if (!Array.isArray(value)) spot.at('value').report('fact_value', `${operator} takes a list`);
  else if (value.length === 0) spot.at('value').report('empty_list', `${operator} with nothing to compare`);
  else return true;
  return false;
}

type Test = Extract<Condition, { fact: string }>;

function checkFact(spot: Spot, test: Test, facts: NonNullable<Facts>): void {
  const { fact: name, operator, value } = test;
  if (!spot.at('fact').known('unknown_fact', name, facts)) return;
  const fact = facts.get(name)!;
  const { types, takesList } = OPERATORS[operator]!;
  if (!types.includes(fact.type)) {
    const fits = Object.keys(OPERATORS).filter((o) => OPERATORS[o]!.types.includes(fact.type));
    spot
      .at('is')
      .report(
        'fact_operator',
        `${operator} does not work on ${name}, which is a ${fact.type} (${fits.join(', ')})`,
      );
    return;
  }
  const one: FactDeclaration = fact.type === 'list' ? { ...fact, type: 'enum' } : fact;
  if (!takesList) checkValue(spot.at('value'), one, value);
  else for (const [v, at] of spot.each('value', value as unknown[])) checkValue(at, one, v);
}
