import { Components } from '../../lib/components.ts';
import { isRecognised, kindOf } from '../../lib/motifKinds.ts';
import { isPrincipal, SENT_ROLES } from '../../lib/roles.ts';
import { lowestCommonAncestor } from '../../value/frames.ts';
import { commonFrame, joinEvidence, unique, type MotifDraft } from './draftMotif.ts';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { Rulebook } from '../../model/rulebook.ts';

/**
 * Events and calls of one kind and protocol that moved nothing tell of one act where they name the same owners,
 * or none: the registry, the registrar and the resolver of one name, allowances of one owner. What is made
 * or executed is an act each. The best known of them is the act; only what is as well known adds tags to it.
 */
export function joinSilent(
  drafts: readonly MotifDraft[],
  tx: CanonicalTx,
  rulebook: Pick<Rulebook, 'motifKinds'>,
): MotifDraft[] {
  const silent = drafts.filter(({ kind, legs }) => {
    const { venue, executes } = kindOf(rulebook, kind);
    return legs.length === 0 && venue !== 'created' && executes === null;
  });
  if (silent.length < 2) return [...drafts];
  const groups = new Components<MotifDraft>();
  const seen = new Map<string, MotifDraft>();
  const nameless = new Map<MotifDraft, string>();
  for (const draft of silent) {
    const { kind, protocol, doubt, participants } = draft;
    const key = `${kind} ${protocol?.slug} ${kindOf(rulebook, kind).allowance ? doubt : ''}`;
    const owners = participants.filter(({ role }) => isPrincipal(role));
    for (const { account } of owners) groups.link(seen, `${key} ${account}`, draft);
    if (owners.length === 0) nameless.set(draft, key);
    else if (!seen.has(key)) seen.set(key, draft);
  }
  for (const [draft, key] of nameless) groups.link(seen, key, draft);
  const joined = new Map<MotifDraft, MotifDraft>();
  for (const group of groups.of(silent).filter(({ length }) => length > 1)) {
    const act = oneAct(group, tx);
    for (const draft of group) joined.set(draft, act);
  }
  return joined.size === 0 ? [...drafts] : unique(drafts.map((draft) => joined.get(draft) ?? draft));
}

function oneAct(group: readonly MotifDraft[], tx: CanonicalTx): MotifDraft {
  const act = group.find(({ doubt }) => doubt === null) ?? group[0]!;
  const evidence = joinEvidence(group);
  const roles = new Map(
    [act, ...group].flatMap(({ participants }) => participants.map((p) => [`${p.role} ${p.account}`, p])),
  );
  return {
    ...act,
    seq: group[0]!.seq,
    participants: [...roles.values()],
    tags: unique(group.filter(({ doubt }) => doubt === act.doubt).flatMap(({ tags }) => tags)),
    evidence,
    scopeFrame: commonFrame(tx, evidence),
  };
}

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
