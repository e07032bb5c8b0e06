import { addTo } from '../../../lib/lists.ts';
import { distinctEvidence } from './mergeDuplicates.ts';
import { isIssuance, type OpenPrimitive } from '../structure/context.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { Leg } from '../../../model/primitive.ts';
import type { Movement, ValueFlow } from '../../../model/valueFlow.ts';

/** Tags of mappings with an event that announces that the next act opens or closes the position. */
const NEXT: ReadonlyMap<string, string> = new Map([
  ['opens_next', 'opens'],
  ['closes_next', 'closes'],
]);

/**
 * Some events only occur with the first deposit to a position or the last withdrawal from it (collateral
 * switched on or off by itself), but also for reasons of their own. They count where the contract's very
 * next log is an act about the same thing.
 */
export function markEnds(found: readonly OpenPrimitive[], tx: CanonicalTx): readonly OpenPrimitive[] {
  const hints = found.filter(isHint);
  if (hints.length === 0) return found;
  const next = new Map<number, number>();
  const latest = new Map<string, number>();
  for (const { address, index } of tx.logs) {
    const before = latest.get(address);
    if (before !== undefined) next.set(before, index);
    latest.set(address, index);
  }
  const marks = new Map<number, OpenPrimitive>();
  for (const hint of hints) {
    const log = hint.evidence[0]?.log ?? null;
    const following = log === null ? undefined : next.get(log);
    if (following !== undefined) marks.set(following, hint);
  }
  return found.map((item) => {
    const log = item.evidence[0]?.log ?? null;
    const mark = log === null ? undefined : marks.get(log);
    const marked = mark !== undefined && sameThing(mark.about, item.about);
    if (!marked && !isHint(item)) return item;
    const tags = item.tags.filter((tag) => !NEXT.has(tag));
    if (!marked) return { ...item, tags };
    return {
      ...item,
      tags: [...tags, ...mark.tags.flatMap((tag) => NEXT.get(tag) ?? [])],
      evidence: distinctEvidence([...item.evidence, ...mark.evidence]),
    };
  });
}

function isHint({ tags }: OpenPrimitive): boolean {
  for (const tag of tags) if (NEXT.has(tag)) return true;
  return false;
}

/**
 * The position's own NFT, minted or burnt apart from the position's events: a leg of the position's last act
 * before it, or the next one.
 */
export function claimTokens(found: readonly OpenPrimitive[], flow: ValueFlow): readonly OpenPrimitive[] {
  if (!found.some((item) => item.position)) return found;
  const acts = new Map<string, number[]>();
  found.forEach(({ position }, at) => {
    if (position) addTo(acts, position, at);
  });
  const claimed = new Set<number>();
  for (const { legs } of found) for (const leg of legs) for (const m of leg.movements) claimed.add(m);
  const result = [...found];
  for (const m of flow.movements) {
    const own = isIssuance(m) ? acts.get(m.asset) : undefined;
    if (!own || claimed.has(m.index)) continue;
    const at = own.findLast((i) => found[i]!.seq <= m.seq) ?? own[0]!;
    result[at] = withToken(result[at]!, m);
  }
  return result;
}

/** An act with the mint or burn of its position's token, where it repays its debt's, as a further leg. */
export function withToken(act: OpenPrimitive, m: Movement): OpenPrimitive {
  const [role, account, check] =
    m.kind === 'mint' ? ['share_out', m.to, 'minted_from_zero'] : ['share_in', m.from, 'burnt_to_zero'];
  const { legs, evidence, invariants } = act;
  const owed = legs.some((leg) => leg.role === 'repaid') ? 'debt_' : '';
  const leg = {
    role: `${owed}${role}`,
    asset: m.asset,
    amount: m.amount,
    account,
    movements: [m.index],
    exact: true,
  } as Leg;
  const checked = invariants.some(({ name }) => name === check);
  return {
    ...act,
    legs: [...legs, leg],
    evidence: distinctEvidence([...evidence, m.evidence]),
    invariants: checked ? invariants : [...invariants, { name: check, holds: true }],
  };
}

/** Keys of one contract's events of different shapes agree in all but the shape. */
function sameThing(a: readonly string[], b: readonly string[]): boolean {
  const values = (key: string): string => key.slice(key.indexOf('|'));
  return a.some((key) => b.some((other) => values(other) === values(key)));
}
