import { memoizeFor } from '../../lib/memo.ts';
import { NATIVE_ASSET } from '../../value/asset.ts';
import { amountText, type LabelFormat } from '../../value/labelFormat.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Motif } from '../../model/motif.ts';
import type { AssetId } from '../../model/valueFlow.ts';

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
export function executionText({ input, exchange, flow, entity }: SubjectView, format: LabelFormat): string {
  const { payments, signer } = input.subject;
  const paid = (pulled: boolean, end: string): string => {
    const sums = new Map<AssetId, bigint>();
    for (const [index, why] of payments) {
      const { from, to, asset, amount } = flow.movements[index]!;
      const apart = asset !== NATIVE_ASSET && exchange.fees.has(index) && (why === 'pull') === pulled;
      if (!apart || entity.has(from) === entity.has(to)) continue;
      sums.set(asset, (sums.get(asset) ?? 0n) + (entity.has(from) ? amount : -amount));
    }
    const texts = [...sums]
      .filter(([, sum]) => sum > 0n)
      .map(([id, amount]) => amountText({ asset: flow.assets.get(id)!, amount }, format));
    return texts.length === 0 ? '' : `, paying ${texts.join(' and ')} ${end}`;
  };
  return paid(false, 'for execution') + paid(true, `to ${format.account(signer)}`);
}
