import { compileRule, demandOf, holds, type CompiledRule } from './compileRule.ts';
import { factAt } from './facts/registry.ts';
import { bestFirst } from './rankRules.ts';
import { add, cut, firstFrom, has, join, noRules, type RuleSet } from './ruleSet.ts';
import type { FactSheet } from './factSheet.ts';
import type { FactValue } from './facts/factSpec.ts';
import type { IntentRule, Rulebook } from '../../model/rulebook.ts';

interface Screened extends CompiledRule {
  readonly rule: IntentRule;
  /** Places in `rules` of those that supersede it. */
  readonly supersededBy: readonly number[];
}

/** A fact with few values, and the rules that each of them leaves. */
interface Guard {
  readonly fact: number;
  readonly leaves: ReadonlyMap<FactValue, RuleSet>;
}

/** What of the rules can be prepared for every transaction alike. */
interface Screen {
  /** Best first; deprecated rules are none. */
  readonly rules: readonly Screened[];
  /** Those that need no motif kind, and those for which a kind is enough. */
  readonly always: RuleSet;
  readonly byKind: ReadonlyMap<string, RuleSet>;
  readonly guards: readonly Guard[];
}

const SCREENS = new WeakMap<Rulebook, Screen>();

function screenOf(rulebook: Rulebook): Screen {
  let screen = SCREENS.get(rulebook);
  if (!screen) SCREENS.set(rulebook, (screen = prepare(rulebook)));
  return screen;
}

function prepare(rulebook: Rulebook): Screen {
  const inForce = rulebook.intents.filter((rule) => rule.status !== 'deprecated').sort(bestFirst(rulebook));
  const demand = demandOf(inForce);
  const always = noRules(inForce.length);
  const byKind = new Map<string, RuleSet>();
  const rules = inForce.map((rule, place): Screened => {
    for (const kind of rule.requiresAny) {
      if (!byKind.has(kind)) byKind.set(kind, noRules(inForce.length));
      add(byKind.get(kind)!, place);
    }
    if (rule.requiresAny.length === 0) add(always, place);
    const supersededBy = inForce.flatMap((other, at) => (other.supersedes.includes(rule.slug) ? [at] : []));
    return { rule, ...compileRule(rule, demand), supersededBy };
  });
  const guarding = new Set(rules.flatMap(({ guards }) => guards.map(({ fact }) => fact)));
  return {
    rules,
    always,
    byKind,
    guards: [...guarding].map((fact) => ({ fact, leaves: leavesOf(fact, rules) })),
  };
}

/** By each value of a fact, the rules whose tests of it hold. */
function leavesOf(fact: number, rules: readonly Screened[]): Map<FactValue, RuleSet> {
  return new Map(
    factAt(fact).values!.map((value) => {
      const left = noRules(rules.length);
      rules.forEach(({ guards }, place) => {
        if (guards.every((test) => test.fact !== fact || test.holds(value, test.value))) add(left, place);
      });
      return [value, left];
    }),
  );
}

/** The rules for which a motif kind they need is present. */
function presentRules({ rules, always, byKind }: Screen, kinds: Iterable<string>): RuleSet {
  const present = noRules(rules.length);
  join(present, always);
  for (const kind of kinds) {
    const called = byKind.get(kind);
    if (called) join(present, called);
  }
  return present;
}

/** The rules in force for which a motif kind they need is present, in the rulebook's order, whatever their conditions say. */
export function relevantRules(rulebook: Rulebook, kinds: Iterable<string>): IntentRule[] {
  const screen = screenOf(rulebook);
  const present = presentRules(screen, kinds);
  const relevant = new Set(screen.rules.filter((_, place) => has(present, place)).map(({ rule }) => rule));
  return rulebook.intents.filter((rule) => relevant.has(rule));
}

/**
 * The rules that match, best first and each looked for when asked for: whoever stops at the first spares the facts that only
 * lesser rules ask for. A rule that another match supersedes comes after those that none does.
 */
export function* matchingRules(
  rulebook: Rulebook,
  kinds: Iterable<string>,
  sheet: FactSheet,
): Generator<IntentRule> {
  const screen = screenOf(rulebook);
  const candidates = presentRules(screen, kinds);
  for (const { fact, leaves } of screen.guards) cut(candidates, leaves.get(sheet.at(fact))!);
  const matches = (place: number): boolean =>
    has(candidates, place) && holds(screen.rules[place]!.rest, sheet);
  const superseded: IntentRule[] = [];
  for (let place = firstFrom(candidates, 0); place >= 0; place = firstFrom(candidates, place + 1)) {
    const { rule, rest, supersededBy } = screen.rules[place]!;
    if (!holds(rest, sheet)) continue;
    if (supersededBy.some(matches)) superseded.push(rule);
    else yield rule;
  }
  yield* superseded;
}
