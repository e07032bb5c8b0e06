import { memoizeFor } from '../../lib/memo.ts';
import { joined } from '../../value/amount.ts';
import { NATIVE_ASSET } from '../../value/asset.ts';
import { clause, type LabelSubject } from './labelWords.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Motif } from '../../model/motif.ts';

/**
 * The actor's payments beside these acts. Only accounts that batch their own calls make any; amounts that
 * others forward are part of the act's price.
 */
export const paymentsBeside = memoizeFor((motifs: readonly Motif[], view: SubjectView): readonly Motif[] => {
  const batches = view.own.some((motif) => motif.traits.executes !== null);
  if (!batches || motifs.length === 0 || motifs.some((motif) => motif.traits.plain)) return [];
  return view.own.filter((motif) => isOwnPayment(view, motif));
});

/** A plain payment straight from the actor's accounts that serves no other act, nor pays for execution. */
function isOwnPayment(view: SubjectView, motif: Motif): boolean {
  const { plain, composite, serves } = motif.traits;
  const { entity, fees, flow } = view;
  const direct = motif.movements.every((m) => !fees.has(m) && entity.has(flow.movements[m]!.from));
  return plain && !composite && serves === null && direct;
}

/**
 * `, paying 3 USDC for execution`: tokens that a paymaster or submitter took beside the act. The submitter is
 * named instead where an unlisted contract took them for it.
 */
export function executionText(subject: LabelSubject): string {
  const { input, exchange, flow, entity } = subject.view;
  const { payments, signer } = input.subject;
  const paid = (pulled: boolean, end: string): string => {
    const moved = [...payments].flatMap(([index, why]) => {
      const { from, to, asset: id, amount } = flow.movements[index]!;
      const apart = id !== NATIVE_ASSET && exchange.fees.has(index) && (why === 'pull') === pulled;
      if (!apart || entity.has(from) === entity.has(to)) return [];
      return { id, asset: flow.assets.get(id)!, amount: entity.has(from) ? amount : -amount };
    });
    const all = joined(moved, ({ id }) => id).filter(({ amount }) => amount > 0n);
    return clause('paying', all, subject, ` ${end}`);
  };
  return paid(false, 'for execution') + paid(true, `to ${subject.format.account(signer)}`);
}
