import type { SubjectView } from './subjectView.ts';
import type { Motif } from '../../../model/motif.ts';

/** Roles that name whose act a motif is. Others name venues, or somebody it merely involves. */
const PARTY_ROLES = new Set(['owner', 'recipient', 'caller', 'payer', 'liquidator', 'borrower', 'maker', 'taker', 'buyer', 'seller', 'beneficiary']);

/**
 * The motifs that are the subject's. Whoever drives the transaction causes everything in it, except what plainly
 * belongs to somebody else: another account is named and none of the subject's value takes part. In a settlement shared
 * by several accounts only what names or touches the subject is its own, or what names and moves nothing.
 */
export function ownership(view: SubjectView): readonly Motif[] {
  const { subject } = view.input;
  const shared = subject.mode === 'solver_settlement' || !subject.elected;
  const own = new Set<number>();
  for (const motif of view.input.motifs) {
    const connected = touches(view, motif);
    const anonymous = subject.elected && motif.movements.length === 0 && !namesAnother(motif);
    if (connected || anonymous || (!shared && !namesAnother(motif))) own.add(motif.index);
  }
  const ours = view.input.motifs.filter((m) => own.has(m.index));
  const echoes = echoesAmong(view, ours);
  return echoes.size === 0 ? ours : ours.filter((m) => !echoes.has(m));
}

/**
 * Position changes told twice: once by a contract known by its address or by an event, once more by a mere family or by
 * the call that led there. The weaker telling is dropped where the stronger accounts for all of its movements.
 */
function echoesAmong(view: SubjectView, motifs: readonly Motif[]): ReadonlySet<Motif> {
  const positions = motifs.filter((m) => m.movements.length > 0 && view.input.rulebook.motifKinds.get(m.kind)?.position != null);
  const byMovement = new Map<number, Set<Motif>>();
  for (const motif of positions) {
    for (const index of motif.movements) {
      const sharing = byMovement.get(index);
      if (sharing) sharing.add(motif); else byMovement.set(index, new Set([motif]));
    }
  }
  return new Set(positions.filter((weak) => {
    const [first, ...rest] = weak.movements;
    return [...byMovement.get(first!)!].some((strong) =>
      strong.kind !== weak.kind && strength(strong) > strength(weak) && rest.every((index) => byMovement.get(index)!.has(strong)));
  }));
}

function strength(motif: Motif): number {
  const known = motif.protocol !== null && motif.protocol.matchedBy !== 'family';
  return (known ? 2 : 0) + (motif.basis === 'event' ? 1 : 0);
}

function touches(view: SubjectView, motif: Motif): boolean {
  const ours = (account: `0x${string}`): boolean => view.entity.has(account) || view.agents.has(account);
  if (motif.participants.some((p) => PARTY_ROLES.has(p.role) && ours(p.account))) return true;
  if (view.entity.has(motif.venue)) return true;
  return motif.movements.some((index) => {
    const movement = view.flow.movements[index]!;
    return ours(movement.from) || ours(movement.to);
  });
}

function namesAnother(motif: Motif): boolean {
  return motif.participants.some((p) => PARTY_ROLES.has(p.role) && p.account !== motif.venue);
}
