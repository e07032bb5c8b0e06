import { isRecognised, kindOf } from '../../lib/motifKinds.ts';
import { SENT_ROLES } from '../../lib/roles.ts';
import { lowestCommonAncestor } from '../../value/frames.ts';
import { joinEvidence, type MotifDraft } from './draftMotif.ts';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { Rulebook } from '../../model/rulebook.ts';

/**
 * Gives every side of a movement (sent or received) to one act that is part of no other. Of two that tell of
 * one side, one is a part of the other: the one whose movements the other has as well, else the less known
 * of two with the same movements, else the inner one, else the earlier: the event that closes an act
 * comes last. A position's change that a better known contract tells with all of its movements is no act: its
 * event or call is one more trigger of the better known act. Returns the acts and parts that are left.
 */
export function nest(
  drafts: readonly MotifDraft[],
  { frames }: Pick<CanonicalTx, 'frames'>,
  rulebook: Pick<Rulebook, 'motifKinds'>,
): readonly MotifDraft[] {
  for (const draft of drafts) for (const child of draft.children) child.whole ??= draft;
  const owners = new Map<number, MotifDraft>();
  const retold = new Set<MotifDraft>();
  const changesPosition = ({ kind }: MotifDraft): boolean => kindOf(rulebook, kind).position !== null;
  const join = (earlier: MotifDraft, later: MotifDraft): void => {
    if (earlier === later) return;
    const [whole, part] = contains(later, earlier, frames) ? [later, earlier] : [earlier, later];
    part.whole = whole;
    if (whole.kind === part.kind || !changesPosition(whole) || !changesPosition(part)) return;
    if (!has(whole, part) || strength(whole) <= strength(part)) return;
    retold.add(part);
    whole.evidence = joinEvidence([whole, part]);
  };
  for (const draft of drafts)
    for (const { role, movements } of draft.legs)
      for (const index of movements) {
        const side = 2 * index + (SENT_ROLES.has(role) ? 1 : 0);
        const owner = owners.get(side);
        if (owner) join(topOf(owner), topOf(draft));
        else owners.set(side, draft);
      }
  return retold.size === 0 ? drafts : drafts.filter((draft) => !retold.has(draft));
}

function topOf(draft: MotifDraft): MotifDraft {
  let top = draft;
  while (top.whole !== null) top = top.whole;
  return top;
}

function contains(whole: MotifDraft, part: MotifDraft, frames: readonly Frame[]): boolean {
  const [covers, covered] = [has(whole, part), has(part, whole)];
  if (covers !== covered) return covers;
  if (covers) return strength(whole) > strength(part);
  const [own, other] = [whole.scopeFrame, part.scopeFrame];
  const isInside = own !== null && other !== null && own !== other;
  return !isInside || lowestCommonAncestor(frames, own, other) !== other;
}

/** Movements are in order. */
function has(whole: MotifDraft, part: MotifDraft): boolean {
  let at = 0;
  for (const index of part.movements) {
    while (at < whole.movements.length && whole.movements[at]! < index) at++;
    if (whole.movements[at] !== index) return false;
  }
  return true;
}

/** How well the contract is known that tells of an act. */
function strength({ protocol, basis }: MotifDraft): number {
  return (isRecognised(protocol) ? 2 : 0) + (basis === 'event' ? 1 : 0);
}
