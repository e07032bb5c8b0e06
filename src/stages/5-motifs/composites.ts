import { cycleOf, entityOf, type Entity } from './cycles.ts';
import { kindOf } from '../../lib/motifKinds.ts';
import { commonFrame } from '../../value/frames.ts';
import { composite, joinEvidence, joinMovements, unique } from './draftMotif.ts';
import type { MotifDraft, MotifInput } from './draftMotif.ts';
import { connectedHops, tradeBalance, hopClaims, hopsAsOne } from './hops.ts';
import type { Hop, TradeBalance } from './hops.ts';
import { actingAsOne } from '../../value/parties/entity.ts';
import type { Address } from '../../model/hex.ts';
import { groupBy, only } from '../../lib/lists.ts';
import { summed } from '../../value/amount.ts';
import { evaluate, sentClaims } from '../../value/claims.ts';
import { balances } from '../../value/balances.ts';
import { feeRecipientsOf, tracingOf } from '../../value/parties.ts';
import { roleOf } from '../../lib/roles.ts';
import { isRobbed } from '../../value/suspectTokens.ts';
import type { ValueEnds } from '../../value/follow.ts';
import type { AssetId } from '../../model/valueFlow.ts';

/** Closed cycles and routes that hops form; it takes hops at two pools to form one. */
export function compositesOf(
  hops: readonly Hop[],
  drafts: readonly MotifDraft[],
  input: MotifInput,
): MotifDraft[] {
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
  const context = { tx: input.tx, rulebook: input.rulebook, entity };
  return connectedHops(hops, input).flatMap((group) => {
    if (new Set(group.map((hop) => hop.pool)).size < 2) return [];
    const balance = tradeBalance(group);
    return cycleOf(group, balance, context) ?? routeOf(group, balance, drafts, input) ?? [];
  });
}

/** One payer, two or more recipients, and nothing that came back for it. */
export function batchTransfers(drafts: readonly MotifDraft[], input: MotifInput): readonly MotifDraft[] {
  if (drafts.length < 2) return [];
  const byPayer = groupBy(drafts, (draft) => {
    const { plain, serves } = draft.traits;
    return plain && serves === null ? roleOf(draft, 'payer') : null;
  });
  return [...byPayer].flatMap(([payer, payments]) => batchOf(payer, payments, input) ?? []);
}

function batchOf(
  payer: Address,
  payments: readonly MotifDraft[],
  { tx, flow, rulebook }: MotifInput,
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
      traits: kindOf(rulebook, 'batch_transfer'),
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
 * hops do not come down to one of each: several traders' orders, or a closed cycle. `balance` is that of the
 * hops.
 */
function routeOf(
  hops: readonly Hop[],
  balance: readonly TradeBalance[],
  drafts: readonly MotifDraft[],
  input: MotifInput,
): MotifDraft | null {
  const { flow, rulebook } = input;
  const trades = hops.filter((hop) => hop.trade);
  if (new Set(trades.map((hop) => hop.pool)).size < 2) return null;
  const from = only(balance.filter((b) => !b.flat && b.sent > b.received));
  const to = only(balance.filter((b) => !b.flat && b.received > b.sent));
  if (from === null || to === null) return null;
  // A pool that hands on to the next one is a hop, not a party; accounts that only skim are none either.
  const venues = new Set(hops.map((h) => h.motif.venue));
  const feeRecipients = feeRecipientsOf(drafts);
  const party = (account: Address): boolean => !venues.has(account) && !feeRecipients.has(account);
  const parties = (side: 'sent' | 'received', id: AssetId, ends: ValueEnds): Address[] => {
    const own = hops.flatMap((hop) => (hop[side]?.id === id ? (hop[side].account ?? []) : []));
    return unique(own.flatMap((account) => ends(account, id))).filter(party);
  };
  const { origins, destinations } = tracingOf(flow);
  const payers = parties('sent', from.id, origins);
  const recipients = parties('received', to.id, destinations);
  const owner = only(payers);
  return hopsAsOne(hops, {
    traits: kindOf(rulebook, 'route'),
    gave: { id: from.id, amount: from.sent - from.received },
    got: { id: to.id, amount: to.received - to.sent },
    net: true,
    participants: [
      ...(owner === null || isRobbed(owner, input) ? [] : [{ role: 'owner', account: owner }]),
      ...payers.map((account) => ({ role: 'payer', account })),
      ...recipients.map((account) => ({ role: 'recipient', account })),
    ],
    claims: [
      ...hopClaims(hops),
      evaluate('one_payer', payers, payers),
      evaluate('one_recipient', recipients, recipients),
    ],
  });
}
