import type { FactIndex } from '../../model/intent.ts';
import type { Condition } from '../../model/rulebook.ts';
import type { PlacedRule } from '../compile/compileIntents.ts';
import type { Vocabulary } from '../compile/compileVocabulary.ts';
import type { RawHead, RawIntent } from '../../model/generated/rules.ts';
import { show } from '../compile/facts.ts';
import { Spot, type RuleItem } from '../compile/ruleItem.ts';
import { conjunctionOf, implies, type Conjunction } from './conjunction.ts';
import type { FactSet } from './factSet.ts';

/** End of the reference in a draft, which its author has to replace. */
export const REPLACE_ME = '/replace-me';

/**
 * Checks rules against logic and each other: conditions that can never hold, rules that can never win; parts
 * of the `tested` rules' conditions that are always or never true, and motifs that they rest on and exclude.
 */
export function checkRules(
  rules: readonly PlacedRule[],
  tested: readonly PlacedRule[],
  { words, facts }: { words: Vocabulary; facts: FactIndex },
): void {
  const readings: Reading[] = [];
  for (const one of rules) {
    const { rule, item } = one;
    const conjunction = conjunctionOf(rule.when, facts);
    if (tested.includes(one)) {
      checkParts(new Spot(item, ['when']), rule.when, facts);
      if (conjunction) checkExcluded(new Spot(item), item.value, conjunction);
    }
    if (conjunction) readings.push({ rule, item, conjunction });
    else new Spot(item, ['when']).report('unsatisfiable', contradictionIn(rule.when, facts));
    // Without motifs it is only for rules about the transaction's own plain facts.
    if (rule.proof === 'structural' && rule.restsOn.length === 0 && rule.requiresAny.length > 0)
      new Spot(item, ['proof']).report('structural_without_basis', rule.slug);
  }
  // Rules come best first, so only an earlier one can cast a shadow.
  for (const [i, lower] of readings.entries()) {
    const above = readings
      .slice(0, i)
      .find((upper) => outranks(upper, lower, words) && shadows(upper, lower));
    if (above)
      new Spot(lower.item, ['when']).report(
        'shadowed_rule',
        `${lower.rule.slug} is shadowed by ${above.rule.slug} (${above.item.file.shownPath})`,
      );
  }
}

/** Motif kinds that the rule needs and that its conditions rule out. */
function checkExcluded(spot: Spot, raw: RawIntent, { sets }: Conjunction): void {
  for (const key of ['rests_on', 'requires_any'] as const)
    for (const [kind, at] of spot.each(key, raw[key])) {
      const asked = [sets.get(`motif.${kind}.count`), sets.get('motifs.kinds')];
      if (asked.some((set) => set && rulesOut(set, kind)))
        at.report('absent_kind', `the conditions ask for no ${kind}`);
    }
}

/** The counts of the kind's motifs are zero, or it is not in the list of kinds. */
function rulesOut(set: FactSet, kind: string): boolean {
  if (set.kind === 'count') return set.ranges.every(([, most]) => most === 0);
  return set.kind === 'list' && (set.lacks.has(kind) || set.within?.has(kind) === false);
}

function checkParts(spot: Spot, condition: Condition, facts: FactIndex): void {
  if (conjunctionOf({ not: condition }, facts) === null) {
    spot.report(
      'always_true',
      'fact' in condition
        ? `${condition.fact} always is ${condition.operator} ${String(condition.value)}`
        : 'one of the parts always holds',
    );
    return;
  }
  if ('not' in condition) return checkParts(spot.at('not'), condition.not, facts);
  if ('fact' in condition) return;
  const key = 'all' in condition ? 'all' : 'any';
  const parts = 'all' in condition ? condition.all : condition.any;
  const texts = parts.map((part) => JSON.stringify(part));
  for (const [i, part] of parts.entries()) {
    const here = spot.at(key, i);
    if (texts.indexOf(texts[i]!) < i) here.report('duplicate_item', 'the same test is above');
    if (key === 'any' && conjunctionOf(part, facts) === null)
      here.report('unsatisfiable', 'this part can never hold');
    checkParts(here, part, facts);
  }
}

/** The conditions that contradict each other: one, or the first two of those that must all hold. */
function contradictionIn(when: Condition, facts: FactIndex): string {
  const parts = 'all' in when ? when.all : [when];
  const never = (...some: readonly Condition[]): boolean => conjunctionOf({ all: some }, facts) === null;
  const alone = parts.find((part) => never(part));
  if (alone) return 'fact' in alone ? shownTest(alone) : contradictionIn(alone, facts);
  for (const [i, part] of parts.entries())
    for (const other of parts.slice(i + 1))
      if (never(part, other)) return `${shownTest(part)}, and ${shownTest(other)}`;
  return parts.map(shownTest).join(', and ');
}

function shownTest(condition: Condition): string {
  if (!('fact' in condition)) return JSON.stringify(condition);
  const { fact, operator, value } = condition;
  return `${fact} ${operator} ${show(value)}`;
}

/** A rule that can hold. */
interface Reading extends PlacedRule {
  readonly conjunction: Conjunction;
}

function shadows(upper: Reading, lower: Reading): boolean {
  // The upper rule is skipped where none of its motif kinds is there: the lower one must then be skipped too.
  const [limiter, kinds] = [upper.rule.requiresAny, lower.rule.requiresAny];
  const isSkipped =
    limiter.length > 0 && !(kinds.length > 0 && kinds.every((kind) => limiter.includes(kind)));
  return !isSkipped && implies(lower.conjunction, upper.conjunction);
}

function outranks({ rule: upper }: Reading, { rule: lower }: Reading, words: Vocabulary): boolean {
  if (upper.status !== 'stable' || lower.status === 'deprecated') return false;
  return !lower.supersedes.includes(upper.slug) && words.intentKinds.get(upper.intent)?.headline !== false;
}

/** Deprecated and superseding rules: the named ones must exist, and no rule supersedes itself indirectly. */
export function checkLifecycle(
  items: readonly RuleItem<RawHead & { supersedes?: readonly string[]; summary?: string }>[],
  known: ReadonlySet<string>,
): void {
  const beats = new Map(items.map((item) => [item.value.slug, item.value.supersedes ?? []]));
  for (const item of items) {
    const { slug, status, supersedes } = item.value;
    const spot = new Spot(item);
    if (status === 'stable') checkDraftText(spot, item.value);
    checkReplacement(spot, item.value, known);
    for (const [other, at] of spot.each('supersedes', supersedes))
      if (at.known('unknown_replacement', other, known) && reaches(other, slug, beats))
        at.report('supersedes_cycle', `${slug} and ${other}`);
  }
}

function checkDraftText(
  spot: Spot,
  { references, summary = '' }: Pick<RawHead, 'references'> & { readonly summary?: string },
): void {
  if (/^(?:todo|tbd|fixme)\b/i.test(summary)) spot.at('summary').report('draft_text', summary);
  for (const [text, at] of spot.each('references', references))
    if (text.endsWith(REPLACE_ME)) at.report('draft_text', text);
}

function checkReplacement(
  spot: Spot,
  { slug, status, replaced_by: replacedBy }: RawHead,
  known: ReadonlySet<string>,
): void {
  if ((status === 'deprecated') !== (replacedBy !== undefined)) {
    if (replacedBy === undefined) spot.at('status').report('deprecated_without_replacement', slug);
    else spot.at('replaced_by').report('replacement_without_deprecation', slug);
  }
  if (replacedBy === slug) spot.at('replaced_by').report('unknown_replacement', slug);
  else if (replacedBy !== undefined) spot.at('replaced_by').known('unknown_replacement', replacedBy, known);
}

function reaches(from: string, goal: string, beats: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let slug = open.pop(); slug !== undefined; slug = open.pop()) {
    if (slug === goal) return true;
    if (seen.has(slug)) continue;
    seen.add(slug);
    open.push(...(beats.get(slug) ?? []));
  }
  return false;
}
