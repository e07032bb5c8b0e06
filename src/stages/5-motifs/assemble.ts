import { Components } from '../../lib/components.ts';
import { kindOf } from '../../lib/motifKinds.ts';
import { distinctRoles, isPrincipal, sideKeys } from '../../lib/roles.ts';
import { commonFrame } from '../../value/frames.ts';
import { draftMotif, joinEvidence, topOf, unique, type MotifDraft } from './draftMotif.ts';
import { decide, rivalOf } from '../../value/winner.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Rulebook } from '../../model/rulebook.ts';

/**
 * Events and calls of one kind and protocol that moved nothing tell of one act where they name the same
 * owners, or none: the registry, the registrar and the resolver of one name, allowances of one owner.
 * Creations and executions are an act each. The best known of them is the act; only one as well known adds
 * tags to it.
 */
export function joinSilent(
  drafts: readonly MotifDraft[],
  tx: CanonicalTx,
  rulebook: Pick<Rulebook, 'motifKinds'>,
): readonly MotifDraft[] {
  if (drafts.length < 2) return drafts;
  const silent = drafts.filter(({ kind, legs }) => {
    const { venue, executes } = kindOf(rulebook, kind);
    return legs.length === 0 && venue !== 'created' && executes === null;
  });
  if (silent.length < 2) return drafts;
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
    const act = joinedAct(group, tx);
    for (const draft of group) joined.set(draft, act);
  }
  return joined.size === 0 ? drafts : unique(drafts.map((draft) => joined.get(draft) ?? draft));
}

function joinedAct(group: readonly MotifDraft[], tx: CanonicalTx): MotifDraft {
  const act = group.find(({ doubt }) => doubt === null) ?? group[0]!;
  const evidence = joinEvidence(group);
  return draftMotif({
    ...act,
    seq: group[0]!.seq,
    participants: distinctRoles([act, ...group].flatMap(({ participants }) => participants)),
    tags: unique(group.filter(({ doubt }) => doubt === act.doubt).flatMap(({ tags }) => tags)),
    evidence,
    scopeFrame: commonFrame(tx, evidence),
  });
}

/**
 * Gives every side of a movement (sent or received) to one act that is part of no other: of two that want one
 * side, one is a part of the other, and keeps the reason.
 */
export function nest(
  drafts: readonly MotifDraft[],
  { frames }: Pick<CanonicalTx, 'frames'>,
  rulebook: Pick<Rulebook, 'motifKinds'>,
): void {
  if (drafts.length < 2) return;
  for (const draft of drafts) for (const child of draft.children) child.whole ??= draft;
  const owners = new Map<number, MotifDraft>();
  const join = (one: MotifDraft, other: MotifDraft): void => {
    if (one === other) return;
    const ranks = decide(rivalOf(one, one.scopeFrame, frames), rivalOf(other, other.scopeFrame, frames));
    const contained = isPart(one, other, rulebook) - isPart(other, one, rulebook);
    const [whole, part] = (contained || ranks.order) > 0 ? [other, one] : [one, other];
    part.whole = whole;
    part.reason = contained === 0 ? ranks.reason : 'whole';
  };
  for (const draft of drafts)
    for (const leg of draft.legs)
      for (const side of sideKeys(leg)) {
        const owner = owners.get(side);
        if (owner) join(topOf(owner), topOf(draft));
        else owners.set(side, draft);
      }
}

/** 1 where the other act has all of this one's movements, or is of a kind that is composed of others. */
function isPart(part: MotifDraft, whole: MotifDraft, rulebook: Pick<Rulebook, 'motifKinds'>): 0 | 1 {
  return kindOf(rulebook, whole.kind).composite || has(whole, part) ? 1 : 0;
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
