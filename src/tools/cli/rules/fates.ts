import type { CheckedCondition } from '../../../model/intent.ts';
import type { Address } from '../../../model/hex.ts';
import type { RawExample } from '../../../model/generated/rules.ts';
import type { IntentRule } from '../../../model/rulebook.ts';
import { defaultFact, show } from '../../../rules/compile/facts.ts';
import { evaluateOn, factNames } from '../../../rules/engine.ts';
import type { ExaminedTx, SubjectReading } from './loadTx.ts';
import type { SoundRuleset } from './rulesets.ts';

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
    const missing = `the transaction has no motif of kind ${rule.requiresAny.join(' or ')}`;
    const why = rule.status === 'deprecated' ? 'it is deprecated' : missing;
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
    .map(({ rule: { slug, intent }, conditions }) => {
      return { slug, intent, unmet: blockers(conditions), met: countMet(conditions) };
    })
    .sort((a, b) => a.unmet.length - b.unmet.length || b.met - a.met || (a.slug < b.slug ? -1 : 1));
}

/** Candidates for the actor besides the one that the transaction was read as. */
export const otherCandidates = ({ attribution, reading }: ExaminedTx): Address[] =>
  attribution.candidates.flatMap(({ account }) => (account === reading.account ? [] : account));

/** Motifs that come from primitives of these shapes. */
export function motifsOfShapes({ motifs, primitives }: ExaminedTx, shapes: readonly string[]) {
  const made = primitives.filter(({ shape }) => shape !== null && shapes.includes(shape));
  const places = new Set(made.map((p) => `${p.kind} ${p.venue} ${p.seq}`));
  return motifs.filter((m) => places.has(`${m.kind} ${m.venue} ${m.seq}`));
}

/** Evaluates a rule on the facts of an example; those it leaves out have their defaults. */
export function evaluateFacts(
  { facts: given = {} }: RawExample,
  rule: IntentRule,
  { facts: declared }: SoundRuleset,
) {
  const facts = new Map([...factNames(rule.when)].map((name) => [name, defaultFact(declared!.get(name)!)]));
  for (const [name, value] of Object.entries(given)) facts.set(name, value as string);
  return evaluateOn(rule, facts);
}

/** A checked condition as an indented tree: a mark per line, the actual value beside the expected one. */
export function conditionLines(node: CheckedCondition, indent = ''): string[] {
  const [text, parts] =
    'fact' in node
      ? [`${testText(node)}   (is ${show(node.actual)})`, []]
      : 'not' in node
        ? ['not', [node.not]]
        : 'all' in node
          ? ['all of', node.all]
          : ['any of', node.any];
  const inner = parts.flatMap((part) => conditionLines(part, `${indent}  `));
  return [`${indent}${node.result ? '✓' : '✗'} ${text}`, ...inner];
}

export type CheckedTest = Extract<CheckedCondition, { fact: string }>;

/** The text of a single test. */
export const testText = ({ fact, operator, expected }: CheckedTest): string =>
  `${fact} ${operator} ${show(expected)}`;

/** Conditions between a rule and a match. */
export function blockers(node: CheckedCondition, wanted = true): string[] {
  if (node.result === wanted) return [];
  if ('fact' in node) return [`${wanted ? '' : 'not '}${testText(node)}, but it is ${show(node.actual)}`];
  if ('not' in node) return blockers(node.not, !wanted);
  return ('all' in node ? node.all : node.any).flatMap((part) => blockers(part, wanted));
}

/** Number of single tests that hold. */
function countMet(node: CheckedCondition): number {
  if ('fact' in node || 'not' in node) return Number(node.result);
  return ('all' in node ? node.all : node.any).reduce((sum, part) => sum + countMet(part), 0);
}
