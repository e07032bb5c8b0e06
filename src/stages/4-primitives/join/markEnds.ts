import { distinctEvidence } from '../../../lib/evidence.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';

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
export function markEnds(found: readonly DraftPrimitive[], tx: CanonicalTx): readonly DraftPrimitive[] {
  if (!found.some(isHint)) return found;
  const hints = found.filter(isHint);
  const next = new Map<number, number>();
  const latest = new Map<string, number>();
  for (const { address, index } of tx.logs) {
    const before = latest.get(address);
    if (before !== undefined) next.set(before, index);
    latest.set(address, index);
  }
  const marks = new Map<number, DraftPrimitive>();
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

const isHint = ({ tags }: DraftPrimitive): boolean => tags.some((tag) => NEXT.has(tag));

/** Keys of one contract's events of different shapes agree in all but the shape. */
function sameThing(a: readonly string[], b: readonly string[]): boolean {
  const values = (key: string): string => key.slice(key.indexOf('|'));
  return a.some((key) => b.some((other) => values(other) === values(key)));
}
