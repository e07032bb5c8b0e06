import { isRecognised } from '../../lib/motifKinds.ts';
import { SENT_ROLES } from '../../lib/roles.ts';
import { lowestCommonAncestor } from '../../value/frames.ts';
import type { Frame } from '../../model/canonicalTx.ts';
import type { MotifDraft } from './draftMotif.ts';

/**
 * Gives every side of a movement (sent or received) to one act that is part of no other. Of two that tell of
 * one side, one is a part of the other: the one whose movements the other has as well, else the less known
 * of two with the same movements, else the inner one, else the earlier: the event that closes an act
 * comes last.
 */
export function nest(drafts: readonly MotifDraft[], frames: readonly Frame[]): void {
  const owners = new Map<number, MotifDraft>();
  for (const draft of drafts)
    for (const { role, movements } of draft.legs)
      for (const index of movements) {
        const side = 2 * index + (SENT_ROLES.has(role) ? 1 : 0);
        const owner = owners.get(side);
        if (owner) join(topOf(owner, drafts), topOf(draft, drafts), frames);
        else owners.set(side, draft);
      }
}

function topOf(draft: MotifDraft, drafts: readonly MotifDraft[]): MotifDraft {
  let top = draft;
  while (top.parent !== null) top = drafts[top.parent]!;
  return top;
}

function join(earlier: MotifDraft, later: MotifDraft, frames: readonly Frame[]): void {
  if (earlier === later) return;
  const [whole, part] = contains(later, earlier, frames) ? [later, earlier] : [earlier, later];
  part.parent = whole.index;
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
