import { groupBy } from '../lib/lists.ts';
import type { FindingRule, FindingStep } from '../model/finding.ts';
import type { Act } from './blockFacts.ts';

/** Acts by step, all of one venue, signer or block. */
export type Chain = ReadonlyMap<string, readonly Act[]>;

/** Chains of the same transactions: one event seen at one or several venues. */
export interface Candidate {
  readonly rule: FindingRule;
  readonly chains: readonly Chain[];
}

export type EntityLink = 'signer' | 'contract' | 'receiver';

/** The link that makes two transactions those of one entity; null without one. */
export function linkOf({ tx: a }: Act, { tx: b }: Act): EntityLink | null {
  const [x, y] = [a.report.attribution, b.report.attribution];
  if (x.signer === y.signer && a.own.has(x.signer) && b.own.has(y.signer)) return 'signer';
  for (const account of a.own) if (b.own.has(account)) return 'contract';
  for (const account of a.receivers) if (b.own.has(account)) return 'receiver';
  return null;
}

/** Every candidate of a rule in one block, in the order of their first transactions. */
export function candidatesOf(rule: FindingRule, acts: readonly Act[]): Candidate[] {
  if (rule.steps.length === 0) return [{ rule, chains: [] }];
  const kinds = new Set(rule.steps.flatMap((step) => [...step.kinds]));
  const groups = groupBy(acts, (act) => (kinds.has(act.kind) ? keyOf(rule, act) : null));
  const merged = new Map<string, Chain[]>();
  for (const group of groups.values())
    for (const chain of group.length < rule.steps.length ? [] : chainsOf(rule, group)) {
      const key = anchorsOf(rule, chain);
      merged.set(key, [...(merged.get(key) ?? []), chain]);
    }
  return [...merged.values()]
    .map((chains) => ({ rule, chains }))
    .sort((a, b) => firstOf(a.chains[0]!).tx.index - firstOf(b.chains[0]!).tx.index);
}

function keyOf({ shared }: FindingRule, { venue, poolId, tx }: Act): string {
  if (shared === 'block') return '';
  return shared === 'signer' ? tx.report.tx.signer : `${venue} ${poolId}`;
}

export const firstOf = (chain: Chain): Act => chain.values().next().value![0]!;

/** Transactions of the steps that take one act: chains that agree in them are one event. */
function anchorsOf({ steps }: FindingRule, chain: Chain): string {
  const single = steps.filter(({ many }) => !many);
  return (single.length > 0 ? single : steps).map(({ name }) => chain.get(name)![0]!.tx.index).join();
}

/**
 * Chains inside one group. Later firsts are tried before earlier ones, and an act ends one chain only: of
 * several rounds each first is paired with its own last.
 */
function chainsOf(rule: FindingRule, group: readonly Act[]): Chain[] {
  const taken = new Set<Act>();
  const found: Chain[] = [];
  const [head, ...rest] = rule.steps;
  if (head!.many) {
    const all = group.filter((act) => head!.kinds.has(act.kind));
    return all.length > 0 && rest.length === 0 ? [new Map([[head!.name, all]])] : [];
  }
  for (const first of [...group].reverse()) {
    if (!fits(head!, first, first, null)) continue;
    const chain = complete(rest, group, first, taken);
    if (chain === null) continue;
    const last = [...chain.values()].at(-1)!;
    for (const act of last) taken.add(act);
    found.push(new Map([[head!.name, [first]], ...chain]));
  }
  return found.reverse();
}

/** The nearest acts that fill the remaining steps; null where one stays empty. */
function complete(
  steps: readonly FindingStep[],
  group: readonly Act[],
  first: Act,
  taken: ReadonlySet<Act>,
): Map<string, readonly Act[]> | null {
  const filled = new Map<string, readonly Act[]>();
  let before = first;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    const end = step.many ? steps[i + 1] : step;
    const between = (last: Act | null): Act[] =>
      group.filter(
        (act) =>
          fits(step, act, first, before) &&
          (last === null || act.tx.index < last.tx.index) &&
          !taken.has(act),
      );
    if (end === undefined) {
      const rest = between(null);
      return rest.length === 0 ? null : filled.set(step.name, rest);
    }
    const last = group.find(
      (act) => !taken.has(act) && fits(end, act, first, before) && (!step.many || between(act).length > 0),
    );
    if (last === undefined) return null;
    if (step.many) {
      filled.set(step.name, between(last));
      i++;
    }
    filled.set(end.name, [last]);
    before = last;
  }
  return filled;
}

function isOf({ kinds, within }: FindingStep, act: Act): boolean {
  return kinds.has(act.kind) && (within.size === 0 || [...act.within].some((kind) => within.has(kind)));
}

/** Whether an act can be a step of the chain that begins with `first`; `before`: the one step before it. */
function fits(step: FindingStep, act: Act, first: Act, before: Act | null): boolean {
  if (!isOf(step, act)) return false;
  if (before === null) return true;
  const gap = act.tx.index - before.tx.index;
  if (gap < 1 || (step.next && gap !== 1)) return false;
  if (step.direction !== 'any' && !directionIs(step.direction, act, first)) return false;
  if (step.entity === 'any') return true;
  return (linkOf(first, act) !== null) === (step.entity === 'same');
}

function directionIs(wanted: 'same' | 'opposite', act: Act, first: Act): boolean {
  const shares = (a: ReadonlyMap<string, bigint>, b: ReadonlyMap<string, bigint>): boolean =>
    [...a.keys()].some((asset) => b.has(asset));
  return wanted === 'same'
    ? shares(first.gave, act.gave) && shares(first.got, act.got)
    : shares(first.gave, act.got) && shares(first.got, act.gave);
}
