import { roleOf } from '../../lib/roles.ts';
import { isMereName } from './assess.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Fragment } from '../../model/intent.ts';
import type { Motif } from '../../model/motif.ts';
import type { Asset } from '../../model/valueFlow.ts';
import type { MotifTraits } from '../../model/vocabulary.ts';

/**
 * The parts of the whole in execution order: every motif of the actor's that is part of no larger one and
 * is shown by the vocabulary, and the headline itself where no motif carries it.
 */
export function fragmentsOf(view: SubjectView, headline: Fragment): Fragment[] {
  const parts: Fragment[] = [];
  let shown = false;
  const { intentKinds } = view.input.rulebook;
  for (const motif of view.own) {
    const kind = view.kind(motif).fragment ?? paymentBeside(view, motif, headline);
    // A part of a larger motif shows only where it can never be the headline: the whole does not imply it.
    if (kind === null || (motif.parent !== null && intentKinds.get(kind)?.headline !== false)) continue;
    parts.push({
      kind,
      status: isMereName(motif) ? 'Suspected' : motif.status,
      confidence: motif.confidence,
      motifs: [motif.index],
      seq: motif.seq,
    });
    if (kind === headline.kind) shown = true;
  }
  // Motifs come in execution order; only a headline without a motif needs a position.
  if (shown) return parts;
  parts.push(headline);
  return parts.sort((a, b) => a.seq - b.seq || (a.motifs[0] ?? -1) - (b.motifs[0] ?? -1));
}

const PAYMENT_KINDS: Readonly<Record<Asset['kind'], string>> = {
  native: 'NativeTransfer',
  erc20: 'TokenTransfer',
  erc721: 'NftTransfer',
  erc1155: 'NftTransfer',
};

function isPayment({ plain, dependent }: MotifTraits): boolean {
  return plain && !dependent;
}

/**
 * A plain payment by the actor to an account with no other part in a transaction about something else.
 * Where the transaction is about payments the headline covers it.
 */
function paymentBeside(view: SubjectView, motif: Motif, headline: Fragment): string | null {
  const { rulebook, tx, flow, subject } = view.input;
  if (
    !isPayment(view.kind(motif)) ||
    headline.motifs.length === 0 ||
    rulebook.intentKinds.get(headline.kind)?.category === 'transfer' ||
    roleOf(motif, 'payer') !== subject.account
  )
    return null;
  const to = roleOf(motif, 'recipient')!;
  if (tx.to === to || flow.outgoing.has(to) || view.active.has(to)) return null;
  return PAYMENT_KINDS[flow.assets.get(motif.assetsOut[0]!.asset)!.kind];
}
