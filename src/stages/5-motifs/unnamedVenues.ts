import { addTo } from '../../lib/lists.ts';
import { kindOf } from '../../lib/motifKinds.ts';
import { roleOf } from '../../lib/roles.ts';
import { amountMoved } from '../../value/claims.ts';
import { mergeNative } from '../../value/asset.ts';
import type { Address } from '../../model/hex.ts';
import type { Movement } from '../../model/valueFlow.ts';
import { commonFrame, draftMotif, joinEvidence, joinMovements } from './draftMotif.ts';
import type { MotifDraft, MotifInput } from './draftMotif.ts';
import type { Hop } from './hops.ts';

/** An exchange that only its two payments show, and the payments. */
export interface Exchange {
  readonly hop: Hop;
  readonly payments: readonly MotifDraft[];
}

/**
 * Contracts without an event of their own that took one asset and themselves paid another, and moved nothing
 * else: venues, if a cycle closes over them. Suspected.
 */
export function exchangesAtUnnamedVenues(drafts: readonly MotifDraft[], input: MotifInput): Exchange[] {
  const { flow, rulebook } = input;
  const payments = new Map<Address, MotifDraft[]>();
  for (const draft of drafts) {
    const { plain, composite, serves, fee } = kindOf(rulebook, draft.kind);
    if (!plain || composite || serves !== null || fee || draft.movements.length !== 1) continue;
    const { from, to } = flow.movements[draft.movements[0]!]!;
    addTo(payments, from, draft);
    addTo(payments, to, draft);
  }
  return [...payments].flatMap(([venue, pair]) => {
    const [paid] = flow.incoming.get(venue) ?? [];
    const [given] = flow.outgoing.get(venue) ?? [];
    const moved = (flow.incoming.get(venue)?.length ?? 0) + (flow.outgoing.get(venue)?.length ?? 0);
    if (pair.length !== 2 || moved !== 2 || paid === undefined || given === undefined) return [];
    const [into, out] = [flow.movements[paid]!, flow.movements[given]!];
    const differ =
      mergeNative(into.asset, rulebook.wrappedNative) !== mergeNative(out.asset, rulebook.wrappedNative);
    return differ && paysItself(out, input) ? exchangeOf(pair, into, out, input) : [];
  });
}

/** Whether the account made the call that moved it: an old allowance needs no such call. */
function paysItself({ from, to, asset }: Movement, { tx, flow }: MotifInput): boolean {
  const target = flow.assets.get(asset)!.address ?? to;
  return tx.frames.some((frame) => frame.effective && frame.from === from && frame.to === target);
}

function exchangeOf(
  payments: readonly MotifDraft[],
  into: Movement,
  out: Movement,
  { tx, rulebook }: MotifInput,
): Exchange {
  const venue = into.to;
  const payer = roleOf(payments.find(({ movements }) => movements[0] === into.index)!, 'payer') ?? into.from;
  const recipient =
    roleOf(payments.find(({ movements }) => movements[0] === out.index)!, 'recipient') ?? out.to;
  const evidence = joinEvidence(payments);
  const motif = draftMotif({
    kind: 'swap',
    protocol: null,
    basis: 'structure',
    venue,
    poolId: null,
    seq: Math.min(into.seq, out.seq),
    scopeFrame: commonFrame(tx, evidence),
    participants: [
      { role: 'payer', account: payer },
      { role: 'recipient', account: recipient },
      { role: 'pool', account: venue },
    ],
    assetsIn: [{ asset: out.asset, amount: out.amount, role: 'out' }],
    assetsOut: [{ asset: into.asset, amount: into.amount, role: 'in' }],
    invariants: [amountMoved('in0', out.amount, [out]), amountMoved('out0', into.amount, [into])],
    tags: ['structural'],
    doubt: 'unproven_motif',
    confidence: 'Low',
    movements: joinMovements(payments),
    evidence,
    children: [],
    legs: [],
  });
  const end = ({ asset, amount }: Movement, account: Address) => ({
    id: mergeNative(asset, rulebook.wrappedNative),
    asset,
    amount,
    account,
  });
  const hop = { motif, pool: venue, trade: true, sent: end(into, payer), received: end(out, recipient) };
  return { hop, payments };
}
