import { bestFirst } from './rankRules.ts';
import { OPERATORS } from './operators.ts';
import type { FactSheet } from './factSheet.ts';
import type { Condition, IntentRule, Rulebook } from '../../model/rulebook.ts';

interface Test {
  readonly fact: string;
  readonly value: unknown;
  readonly holds: (fact: unknown, value: unknown) => boolean;
}

/** A condition with its tests as places in the screen's `tests`, so that rules share what is known about them. */
type Node = number | { readonly op: 'all' | 'any' | 'not'; readonly of: readonly Node[] };

interface Screened {
  readonly rule: IntentRule;
  readonly when: Node;
  /** Places in `rules` of those that supersede it. */
  readonly supersededBy: readonly number[];
}

/** What of the rules can be prepared for every transaction alike. */
interface Screen {
  readonly tests: readonly Test[];
  /** Best first; deprecated rules are none. */
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
  const compile = (condition: Condition): Node => {
    if ('all' in condition) return { op: 'all', of: condition.all.map(compile) };
    if ('any' in condition) return { op: 'any', of: condition.any.map(compile) };
    if ('not' in condition) return { op: 'not', of: [compile(condition.not)] };
    const { fact, operator, value } = condition;
    const key = JSON.stringify([fact, operator, value]);
    const known = places.get(key);
    if (known !== undefined) return known;
    const holds = OPERATORS[operator] as Test['holds'] | undefined;
    if (!holds) throw new Error(`unknown operator ${operator}`);
    places.set(key, tests.length);
    return tests.push({ fact, value, holds }) - 1;
  };
  const inForce = rulebook.intents.filter((rule) => rule.status !== 'deprecated').sort(bestFirst(rulebook));
  const always: number[] = [];
  const byKind = new Map<string, number[]>();
  const rules = inForce.map((rule, place): Screened => {
    for (const kind of rule.requiresAny) byKind.set(kind, [...(byKind.get(kind) ?? []), place]);
    if (rule.requiresAny.length === 0) always.push(place);
    const supersededBy = inForce.flatMap((other, at) => (other.supersedes.includes(rule.slug) ? [at] : []));
    return { rule, when: compile(rule.when), supersededBy };
  });
  return { tests, rules, always, byKind };
}

/** The rules in force for which a motif kind they need is present, in the rulebook's order, whatever their conditions say. */
export function relevantRules(rulebook: Rulebook, kinds: { has(kind: string): boolean }): IntentRule[] {
  return rulebook.intents.filter((rule) => rule.status !== 'deprecated' && (rule.requiresAny.length === 0 || rule.requiresAny.some((kind) => kinds.has(kind))));
}

/** What is known of one transaction while rules are screened: each fact and test is asked once, and only if a rule depends on it. */
class Screening {
  private readonly screen: Screen;
  private readonly sheet: FactSheet;
  /** By place in `tests`. Plain lists: a typed array of this size is slower to make than to fill. */
  private readonly known: number[];
  /** By place in `rules`: whether a motif kind the rule needs is present. */
  private readonly present: boolean[];

  constructor(screen: Screen, kinds: Iterable<string>, sheet: FactSheet) {
    this.screen = screen;
    this.sheet = sheet;
    this.known = new Array<number>(screen.tests.length).fill(NOT_ASKED);
    this.present = new Array<boolean>(screen.rules.length).fill(false);
    for (const place of screen.always) this.present[place] = true;
    for (const kind of kinds) for (const place of screen.byKind.get(kind) ?? NONE) this.present[place] = true;
  }

  matches(place: number): boolean {
    return this.present[place]! && this.holds(this.screen.rules[place]!.when);
  }

  private holds(node: Node): boolean {
    if (typeof node === 'number') return this.known[node] === NOT_ASKED ? this.ask(node) : this.known[node] === HOLDS;
    if (node.op === 'not') return !this.holds(node.of[0]!);
    // All hold unless one fails, any does if one holds. What is known already comes first: it may spare a fact.
    const decisive = node.op === 'any';
    for (const part of node.of) if (typeof part === 'number' && this.known[part] === (decisive ? HOLDS : FAILS)) return decisive;
    for (const part of node.of) if (this.holds(part) === decisive) return decisive;
    return !decisive;
  }

  private ask(place: number): boolean {
    const { fact, value, holds } = this.screen.tests[place]!;
    const outcome = holds(this.sheet.value(fact), value);
    this.known[place] = outcome ? HOLDS : FAILS;
    return outcome;
  }
}

/**
 * The rules that match, best first and each looked for when asked for: whoever stops at the first spares the facts that only
 * lesser rules ask for. A rule that another match supersedes comes after those that none does.
 */
export function* matchingRules(rulebook: Rulebook, kinds: Iterable<string>, sheet: FactSheet): Generator<IntentRule> {
  const screen = screenOf(rulebook);
  const screening = new Screening(screen, kinds, sheet);
  const superseded: IntentRule[] = [];
  for (let place = 0; place < screen.rules.length; place++) {
    if (!screening.matches(place)) continue;
    const { rule, supersededBy } = screen.rules[place]!;
    if (supersededBy.some((other) => screening.matches(other))) superseded.push(rule);
    else yield rule;
  }
  yield* superseded;
}

const NOT_ASKED = 0, HOLDS = 1, FAILS = 2;
const NONE: readonly number[] = [];
