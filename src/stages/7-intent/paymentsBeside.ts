import { memoizeFor } from '../../lib/memo.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Motif } from '../../model/motif.ts';

/**
 * The actor's payments beside these acts. Only accounts that batch their own calls make any; amounts that
 * others forward are part of the act's price.
 */
export const paymentsBeside = memoizeFor((motifs: readonly Motif[], view: SubjectView): readonly Motif[] => {
  const batches = view.own.some((motif) => view.kind(motif).executes !== null);
  if (!batches || motifs.length === 0 || motifs.some((motif) => view.kind(motif).plain)) return [];
  return view.own.filter((motif) => isOwnPayment(view, motif));
});

/** A plain payment straight from the actor's accounts that serves no other act, nor pays for execution. */
function isOwnPayment(view: SubjectView, motif: Motif): boolean {
  const { plain, composite, serves } = view.kind(motif);
  const { entity, fees, flow } = view;
  const direct = motif.movements.every((m) => !fees.has(m) && entity.has(flow.movements[m]!.from));
  return plain && !composite && serves === null && direct;
}
