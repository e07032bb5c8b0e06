import { evaluate } from '../../value/claims.ts';
import { composite, unique, type MotifDraft } from './draftMotif.ts';
import { hopAmount, hopClaims, movedAsset, type Hop, type TradeBalance } from './hops.ts';
import type { Tracing } from '../../value/parties.ts';
import type { ValueEnds } from '../../value/follow.ts';
import type { Address } from '../../model/hex.ts';
import type { AssetId } from '../../model/valueFlow.ts';

/**
 * Trades at two pools or more that chain or split between one asset given and one received. Null where the
 * hops do not come down to one of each: several traders' orders, or a closed cycle. `feeRecipients` only skim
 * and are neither payer nor recipient. `balance` is that of the hops.
 */
export function routeOf(
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
