import { placeOf } from './facts/registry.ts';
import { OPERATORS } from './operators.ts';
import { bestFirst } from './rankRules.ts';
import type { FactSheet } from './factSheet.ts';
import type { Condition, IntentRule, Rulebook } from '../../model/rulebook.ts';

/** A condition made ready: a test knows its operator, and its fact by the registry's place. */
type Node =
  | { readonly op: 'test'; readonly fact: number; readonly value: unknown; readonly holds: (fact: unknown, value: unknown) => boolean }
  | { readonly op: 'all' | 'any' | 'not'; readonly of: readonly Node[] };

interface Screened {
  readonly rule: IntentRule;
  readonly when: Node;
  /** Places in `rules` of those that supersede it. */
  readonly supersededBy: readonly number[];
}

/** What of the rules can be prepared for every transaction alike. */
interface Screen {
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
  const inForce = rulebook.intents.filter((rule) => rule.status !== 'deprecated').sort(bestFirst(rulebook));
  const always: number[] = [];
  const byKind = new Map<string, number[]>();
  const rules = inForce.map((rule, place): Screened => {
    for (const kind of rule.requiresAny) byKind.set(kind, [...(byKind.get(kind) ?? []), place]);
    if (rule.requiresAny.length === 0) always.push(place);
    const supersededBy = inForce.flatMap((other, at) => (other.supersedes.includes(rule.slug) ? [at] : []));
    return { rule, when: compile(rule.when), supersededBy };
  });
  return { rules, always, byKind };
}

function compile(condition: Condition): Node {
  if ('all' in condition) return { op: 'all', of: condition.all.map(compile) };
  if ('any' in condition) return { op: 'any', of: condition.any.map(compile) };
  if ('not' in condition) return { op: 'not', of: [compile(condition.not)] };
  const holds = OPERATORS[condition.operator] as ((fact: unknown, value: unknown) => boolean) | undefined;
  if (!holds) throw new Error(`unknown operator ${condition.operator}`);
  return { op: 'test', fact: placeOf(condition.fact), value: condition.value, holds };
}

/** By place in the screen's `rules`: whether a motif kind the rule needs is present. */
function presentRules({ rules, always, byKind }: Screen, kinds: Iterable<string>): boolean[] {
  const present = new Array<boolean>(rules.length).fill(false);
  for (const place of always) present[place] = true;
  for (const kind of kinds) for (const place of byKind.get(kind) ?? NONE) present[place] = true;
  return present;
}

/** The rules in force for which a motif kind they need is present, in the rulebook's order, whatever their conditions say. */
export function relevantRules(rulebook: Rulebook, kinds: Iterable<string>): IntentRule[] {
  const screen = screenOf(rulebook);
  const present = presentRules(screen, kinds);
  const relevant = new Set(screen.rules.filter((_, place) => present[place]).map(({ rule }) => rule));
  return rulebook.intents.filter((rule) => relevant.has(rule));
}

function holds(node: Node, sheet: FactSheet): boolean {
  if (node.op === 'test') return node.holds(sheet.at(node.fact), node.value);
  if (node.op === 'not') return !holds(node.of[0]!, sheet);
  // All hold unless one fails, any does if one holds. What rests on known facts comes first: it may spare others.
  const decisive = node.op === 'any';
  for (const part of node.of) if (part.op === 'test' && sheet.knows(part.fact) && holds(part, sheet) === decisive) return decisive;
  for (const part of node.of) if (holds(part, sheet) === decisive) return decisive;
  return !decisive;
}

/**
 * The rules that match, best first and each looked for when asked for: whoever stops at the first spares the facts that only
 * lesser rules ask for. A rule that another match supersedes comes after those that none does.
 */
export function* matchingRules(rulebook: Rulebook, kinds: Iterable<string>, sheet: FactSheet): Generator<IntentRule> {
  const screen = screenOf(rulebook);
  const present = presentRules(screen, kinds);
  const matches = (place: number): boolean => present[place]! && holds(screen.rules[place]!.when, sheet);
  const superseded: IntentRule[] = [];
  for (let place = 0; place < present.length; place++) {
    if (!matches(place)) continue;
    const { rule, supersededBy } = screen.rules[place]!;
    if (supersededBy.some(matches)) superseded.push(rule);
    else yield rule;
  }
  yield* superseded;
}

const NONE: readonly number[] = [];
