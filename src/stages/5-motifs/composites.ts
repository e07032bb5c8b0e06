import { cycleOf, entityOf, type Entity } from './cycles.ts';
import { commonFrame } from '../../value/frames.ts';
import { composite, joinEvidence, joinMovements, unique } from './draftMotif.ts';
import type { MotifDraft, MotifInput } from './draftMotif.ts';
import { connectedHops, tradeBalance, hopAmount, hopClaims, movedAsset } from './hops.ts';
import type { Hop, TradeBalance } from './hops.ts';
import { actingAsOne } from '../../value/parties/entity.ts';
import type { Address } from '../../model/hex.ts';
import { groupBy } from '../../lib/lists.ts';
import { kindOf } from '../../lib/motifKinds.ts';
import { summed } from '../../value/amount.ts';
import { evaluate, sentClaims } from '../../value/claims.ts';
import { balances } from '../../value/balances.ts';
import { feeRecipientsOf, tracingOf, type Tracing } from '../../value/parties.ts';
import { roleOf } from '../../lib/roles.ts';
import type { ValueEnds } from '../../value/follow.ts';
import type { AssetId } from '../../model/valueFlow.ts';

/** Closed cycles and routes that hops form; it takes hops at two pools to form one. */
export function compositesOf(
  hops: readonly Hop[],
  drafts: readonly MotifDraft[],
  input: MotifInput,
): MotifDraft[] {
  const tracing = tracingOf(input.flow);
  const venues = new Set(hops.map((hop) => hop.motif.venue));
  const entities = new Map<string, Entity>();
  const entity = (group: readonly Hop[]): Entity => {
    const acts = group.map(({ motif }) => motif);
    const accounts = actingAsOne([input.tx.from], acts, { ...input, venues });
    const key = [...accounts.keys()].join();
    const known = entities.get(key) ?? entityOf(input, venues, accounts);
    entities.set(key, known);
    return known;
  };
  const context = { tx: input.tx, entity };
  const feeRecipients = feeRecipientsOf(drafts, input.rulebook);
  return connectedHops(hops, input).flatMap((group) => {
    if (new Set(group.map((hop) => hop.pool)).size < 2) return [];
    const balance = tradeBalance(group);
    return cycleOf(group, balance, context) ?? routeOf(group, balance, tracing, feeRecipients) ?? [];
  });
}

/** One payer, two or more recipients, and nothing that came back for it. */
export function batchTransfers(drafts: readonly MotifDraft[], input: MotifInput): readonly MotifDraft[] {
  if (drafts.length < 2) return [];
  const byPayer = groupBy(drafts, (draft) => {
    const { plain, serves } = kindOf(input.rulebook, draft.kind);
    return plain && serves === null ? roleOf(draft, 'payer') : null;
  });
  return [...byPayer].flatMap(([payer, payments]) => batchOf(payer, payments, input) ?? []);
}

function batchOf(
  payer: Address,
  payments: readonly MotifDraft[],
  { tx, flow }: MotifInput,
): MotifDraft | null {
  const recipients = unique(payments.map((draft) => roleOf(draft, 'recipient')!));
  const noGain = evaluate('no_counter_flow', [...balances(flow, payer, { apart: true }).values()], [payer]);
  if (recipients.length < 2 || !noGain.holds) return null;
  const payers = unique(payments.map((draft) => roleOf(draft, 'payer')!));
  const moved = joinMovements(payments).map((index) => flow.movements[index]!);
  const paid = payments.flatMap((payment) => payment.assetsOut);
  const assetsOut = summed(paid.map(({ asset, amount }) => ({ asset, amount, role: 'paid' })));
  return composite(
    {
      kind: 'batch_transfer',
      venue: payer,
      scopeFrame: commonFrame(tx, joinEvidence(payments)),
      participants: [
        { role: 'owner', account: payer },
        { role: 'payer', account: payer },
        ...recipients.map((account) => ({ role: 'recipient', account })),
      ],
      assetsIn: [],
      assetsOut,
      claims: [...sentClaims(assetsOut, moved), evaluate('one_payer', payers, payers), noGain],
    },
    payments,
  );
}

/**
 * Trades at two pools or more that chain or split between one asset given and one received. Null where the
 * hops do not come down to one of each: several traders' orders, or a closed cycle. `feeRecipients` only skim
 * and are neither payer nor recipient. `balance` is that of the hops.
 */
function routeOf(
  hops: readonly Hop[],
  balance: readonly TradeBalance[],
  tracing: Tracing,
  feeRecipients: ReadonlySet<Address>,
): MotifDraft | null {
  const trades = hops.filter((hop) => hop.trade);
  if (new Set(trades.map((hop) => hop.pool)).size < 2) return null;
  const given = balance.filter((b) => !b.flat && b.sent > b.received);
  const received = balance.filter((b) => !b.flat && b.received > b.sent);
  if (given.length !== 1 || received.length !== 1) return null;
  const [from, to] = [given[0]!, received[0]!];

  // A pool that hands on to the next one is a hop, not a party.
  const venues = new Set(hops.map((h) => h.motif.venue));
  const party = (account: Address): boolean => !venues.has(account) && !feeRecipients.has(account);
  const parties = (side: 'sent' | 'received', id: AssetId, ends: ValueEnds): Address[] => {
    const own = hops.flatMap((hop) => (hop[side]?.id === id ? (hop[side].account ?? []) : []));
    return unique(own.flatMap((account) => ends(account, id))).filter(party);
  };
  const payers = parties('sent', from.id, tracing.origins);
  const recipients = parties('received', to.id, tracing.destinations);
  const motifs = hops.map((h) => h.motif);
  return composite(
    {
      kind: 'route',
      venue: motifs[0]!.venue,
      scopeFrame: null,
      participants: [
        ...(payers.length === 1 ? [{ role: 'owner', account: payers[0]! }] : []),
        ...payers.map((account) => ({ role: 'payer', account })),
        ...recipients.map((account) => ({ role: 'recipient', account })),
        ...unique(trades.map((h) => h.motif.venue)).map((account) => ({ role: 'pool', account })),
      ],
      assetsIn: [{ asset: movedAsset(hops, 'received', to.id), amount: to.received - to.sent, role: 'out' }],
      assetsOut: [
        { asset: movedAsset(hops, 'sent', from.id), amount: from.sent - from.received, role: 'in' },
      ],
      claims: [
        hopAmount('in0', { id: to.id, amount: to.received - to.sent }, hops, true),
        hopAmount('out0', { id: from.id, amount: from.sent - from.received }, hops, true),
        ...hopClaims(hops),
        evaluate('one_payer', payers, payers),
        evaluate('one_recipient', recipients, recipients),
      ],
    },
    motifs,
  );
}
