import { PLAIN_MOVEMENTS } from '../../lib/motifKinds.ts';
import type { Address } from '../../model/hex.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';
import { GAVE, GOT, type Act } from './act.ts';
import type { Groups } from './groups.ts';

interface Hand {
  readonly act: Act;
  readonly movement: number;
}
/** Who brought an asset to one account and who used it there, and when: the first time and the last. */
interface Hands {
  readonly received: Hand[];
  readonly sent: Hand[];
}

/**
 * Joins acts of which a later one used what an earlier one had brought to the same account. Venues are no such accounts:
 * strangers' acts meet there.
 */
export function joinHandedOn(
  acts: readonly Act[],
  venues: ReadonlyMap<Address, Act>,
  flow: ValueFlow,
  groups: Groups,
): void {
  if (acts.length < 2) return;
  const hands = new Map<AssetId, Map<Address, Hands>>();
  for (const act of acts) {
    const times = movementsByAsset(act, flow);
    const spread = (side: typeof GAVE | typeof GOT, asset: AssetId): void => {
      const span = times.get(asset);
      if (!span) return;
      const movement = side === GOT ? span.first : span.last;
      for (const [account, did] of act.parties) {
        if ((did & side) === 0 || venues.has(account)) continue;
        const lane = flow.ledgers.get(account)?.get(asset);
        // Who stands behind a router may have had the asset in another form, native or wrapped; and who only received it, or only
        // sent it, hands nothing on.
        if (!lane || lane.inflow === 0n || lane.outflow === 0n) continue;
        const at = handsAt(hands, account, asset);
        (side === GOT ? at.received : at.sent).push({ act, movement });
      }
    };
    for (const { asset } of act.motif.assetsIn) spread(GOT, asset);
    for (const { asset } of act.motif.assetsOut) spread(GAVE, asset);
    // A plain payment says only what its payer sent.
    if (PLAIN_MOVEMENTS.has(act.motif.kind)) for (const { asset } of act.motif.assetsOut) spread(GOT, asset);
  }
  for (const accounts of hands.values()) for (const at of accounts.values()) joinHands(at, groups);
}

function handsAt(hands: Map<AssetId, Map<Address, Hands>>, account: Address, asset: AssetId): Hands {
  let accounts = hands.get(asset);
  if (!accounts) hands.set(asset, (accounts = new Map()));
  let at = accounts.get(account);
  if (!at) accounts.set(account, (at = { received: [], sent: [] }));
  return at;
}

function joinHands({ received, sent }: Hands, groups: Groups): void {
  if (received.length === 0 || sent.length === 0) return;
  const first = received.reduce((best, hand) => (hand.movement < best.movement ? hand : best));
  const last = sent.reduce((latest, { movement }) => Math.max(latest, movement), -1);
  for (const { act, movement } of sent)
    if (movement > first.movement) groups.join(first.act.motif.index, act.motif.index);
  for (const { act, movement } of received)
    if (movement < last) groups.join(first.act.motif.index, act.motif.index);
}

/** First and last movement of each asset in an act. */
function movementsByAsset(
  { motif }: Act,
  flow: ValueFlow,
): ReadonlyMap<AssetId, { readonly first: number; readonly last: number }> {
  const found = new Map<AssetId, { first: number; last: number }>();
  for (const index of motif.movements) {
    const { asset } = flow.movements[index]!;
    const span = found.get(asset);
    if (span) span.last = index;
    else found.set(asset, { first: index, last: index });
  }
  return found;
}

/** Plain payments of one payer are one act, as a batch of them is; and so are payments both ways between two accounts. */
export function joinExchanges(acts: readonly Act[], groups: Groups): void {
  const payments = acts.filter(({ motif }) => motif.kind === 'transfer' || motif.kind === 'batch_transfer');
  if (payments.length < 2) return;
  const payers = new Set<Address>();
  for (const { motif } of payments)
    for (const { role, account } of motif.participants) if (role === 'payer') payers.add(account);
  const first = new Map<Address, Act>();
  const firstBetween = new Map<string, Act>();
  for (const act of payments) {
    const { participants, index } = act.motif;
    for (const { role: paying, account: payer } of participants) {
      if (paying !== 'payer') continue;
      for (const { role, account: recipient } of participants) {
        // From who never pays nothing comes back.
        if (role !== 'recipient' || !payers.has(recipient)) continue;
        const back = firstBetween.get(`${recipient} ${payer}`);
        if (back) groups.join(back.motif.index, index);
        if (!firstBetween.has(`${payer} ${recipient}`)) firstBetween.set(`${payer} ${recipient}`, act);
      }
      const other = first.get(payer);
      if (other) groups.join(other.motif.index, index);
      else first.set(payer, act);
    }
  }
}
