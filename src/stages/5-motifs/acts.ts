import { addTo } from '../../lib/lists.ts';
import { isRecognised } from '../../lib/motifKinds.ts';
import type { MotifDraft } from './draftMotif.ts';

/**
 * Acts that are but a part of another one, and which: a liquidation's repayment, a second event for the same
 * deposit. A part happened at the same venue and moved nothing that the whole does not speak of as well.
 */
export function partsOfActs(drafts: readonly MotifDraft[]): ReadonlyMap<MotifDraft, MotifDraft> {
  const byMovement = new Map<number, MotifDraft[]>();
  const wholes = new Map<MotifDraft, MotifDraft>();
  const acts = drafts.filter((d) => d.basis !== 'structure' && d.movements.length > 0);
  if (acts.length < 2) return wholes;
  for (const draft of acts) for (const m of draft.movements) addTo(byMovement, m, draft);
  for (const draft of acts) {
    const rivals = byMovement.get(draft.movements[0]!)!;
    const whole =
      rivals.length === 1
        ? undefined
        : rivals.find(
            (other) =>
              other !== draft &&
              other.venue === draft.venue &&
              !wholes.has(other) &&
              (other.movements.length > draft.movements.length || outranks(other, draft)) &&
              draft.movements.every((m) => other.movements.includes(m)),
          );
    if (whole) wholes.set(draft, whole);
  }
  return wholes;
}

/** Of two that speak of the very same movements the better known one is the act, else the earlier one. */
function outranks(other: MotifDraft, draft: MotifDraft): boolean {
  const known = (d: MotifDraft): number => (isRecognised(d.protocol) ? 2 : 0) + (d.basis === 'event' ? 1 : 0);
  return known(other) > known(draft) || (known(other) === known(draft) && other.seq < draft.seq);
}
