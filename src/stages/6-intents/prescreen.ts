import { OPERATORS } from './operators.ts';
import type { FactSheet } from './factSheet.ts';
import type { IntentRule, Rulebook } from '../../model/rulebook.ts';

interface Test {
  readonly fact: string;
  readonly value: unknown;
  /** Null for an operator that only the engine knows. */
  readonly holds: ((fact: unknown, value: unknown) => boolean) | null;
}

interface Screened {
  readonly rule: IntentRule;
  /** The plain tests the rule needs to hold, whatever its nested conditions say: places in `tests`. */
  readonly needs: readonly number[];
}

/** What of the rules can be prepared for every transaction alike. */
interface Screen {
  readonly tests: readonly Test[];
  /** In the rulebook's order; deprecated rules are none. */
  readonly rules: readonly Screened[];
  /** Places in `rules`: of those that need no motif kind, and by each kind that is enough for one. */
  readonly always: readonly number[];
  readonly byKind: ReadonlyMap<string, readonly number[]>;
}

const SCREENS = new WeakMap<Rulebook, Screen>();

function screenOf(rulebook: Rulebook): Screen {
  let screen = SCREENS.get(rulebook);
  if (!screen) SCREENS.set(rulebook, (screen = prepare(rulebook)));
  return screen;
}

function prepare(rulebook: Rulebook): Screen {
  const tests: Test[] = [];
  const places = new Map<string, number>();
  const placeOf = ({ fact, operator, value }: { fact: string; operator: string; value: unknown }): number => {
    const key = JSON.stringify([fact, operator, value]);
    let place = places.get(key);
    if (place === undefined) {
      places.set(key, (place = tests.length));
      tests.push({ fact, value, holds: (OPERATORS[operator] as Test['holds'] | undefined) ?? null });
    }
    return place;
  };
  const rules: Screened[] = [];
  const always: number[] = [];
  const byKind = new Map<string, number[]>();
  for (const rule of rulebook.intents) {
    if (rule.status === 'deprecated') continue;
    const parts = 'all' in rule.when ? rule.when.all : [rule.when];
    for (const kind of rule.requiresAny) byKind.set(kind, [...(byKind.get(kind) ?? []), rules.length]);
    if (rule.requiresAny.length === 0) always.push(rules.length);
    rules.push({ rule, needs: parts.flatMap((part) => ('fact' in part ? [placeOf(part)] : [])) });
  }
  return { tests, rules, always, byKind };
}

/** Marks the places in `rules` of those for which a motif kind they need is present. */
function presentRules({ rules, always, byKind }: Screen, kinds: Iterable<string>): Uint8Array {
  const present = new Uint8Array(rules.length);
  for (const place of always) present[place] = 1;
  for (const kind of kinds) for (const place of byKind.get(kind) ?? NONE) present[place] = 1;
  return present;
}

/** The rules in force for which a motif kind they need is present, in the rulebook's order, whatever their tests say. */
export function relevantRules(rulebook: Rulebook, kinds: Iterable<string>): IntentRule[] {
  const screen = screenOf(rulebook);
  const present = presentRules(screen, kinds);
  return screen.rules.filter((_, place) => present[place] === 1).map(({ rule }) => rule);
}

/**
 * The rules that may match, in the rulebook's order: a motif kind they need is present and every plain test they need
 * holds. Saves the engine most rules of most transactions, and the facts only they would ask for; explanations evaluate
 * every rule instead.
 */
export function prescreen(rulebook: Rulebook, kinds: Iterable<string>, sheet: FactSheet): IntentRule[] {
  const screen = screenOf(rulebook);
  const { tests, rules } = screen;
  const present = presentRules(screen, kinds);
  /** Per test: 0 not asked yet, 1 holds, 2 does not. */
  const known = new Uint8Array(tests.length);
  const passes = (place: number): boolean => {
    if (known[place] === 0) {
      const { fact, value, holds } = tests[place]!;
      known[place] = holds === null || holds(sheet.value(fact), value) ? 1 : 2;
    }
    return known[place] === 1;
  };
  const possible: IntentRule[] = [];
  for (let i = 0; i < rules.length; i++) {
    if (present[i] === 0) continue;
    const { rule, needs } = rules[i]!;
    // What is known already comes first: it may spare a fact.
    if (!needs.some((place) => known[place] === 2) && needs.every(passes)) possible.push(rule);
  }
  return possible;
}

const NONE: readonly number[] = [];
