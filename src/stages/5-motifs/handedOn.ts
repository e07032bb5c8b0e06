import { PLAIN_MOVEMENTS } from '../../lib/motifKinds.ts';
import type { Address } from '../../model/hex.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';
import type { Act } from './act.ts';
import type { Groups } from './groups.ts';

interface Hand { readonly act: Act; readonly movement: number }
/** Who brought an asset to one account and who used it there, and when: the first time and the last. */
interface Hands { readonly got: Hand[]; readonly gave: Hand[] }

/**
 * Joins acts of which a later one used what an earlier one had brought to the same account. Venues are no such accounts:
 * strangers' acts meet there.
 */
export function joinHandedOn(acts: readonly Act[], venues: ReadonlySet<Address>, flow: ValueFlow, groups: Groups): void {
  const hands = new Map<string, Hands>();
  const at = (account: Address, asset: AssetId): Hands => {
    const key = `${account}|${asset}`;
    let found = hands.get(key);
    if (!found) hands.set(key, (found = { got: [], gave: [] }));
    return found;
  };
  for (const act of acts) {
    const times = movementsByAsset(act, flow);
    const spread = (side: 'got' | 'gave', accounts: ReadonlySet<Address>, asset: AssetId): void => {
      const [first, last] = times.get(asset) ?? [];
      if (first === undefined) return;
      // Who stands behind a router may have had the asset in another form, native or wrapped.
      const held = (account: Address): boolean => (flow.ledgers.get(account)?.get(asset)?.[side === 'got' ? 'inflow' : 'outflow'] ?? 0n) > 0n;
      for (const account of accounts) if (!venues.has(account) && held(account)) at(account, asset)[side].push({ act, movement: side === 'got' ? first : last! });
    };
    for (const { asset } of act.motif.assetsIn) spread('got', act.got, asset);
    for (const { asset } of act.motif.assetsOut) spread('gave', act.gave, asset);
    // A plain payment says only what its payer gave.
    if (PLAIN_MOVEMENTS.has(act.motif.kind)) for (const { asset } of act.motif.assetsOut) spread('got', act.got, asset);
  }
  for (const { got, gave } of hands.values()) {
    const first = got.reduce<Hand | null>((best, hand) => (best === null || hand.movement < best.movement ? hand : best), null);
    if (!first) continue;
    const users = gave.filter(({ act, movement }) => act !== first.act && movement > first.movement);
    const last = gave.reduce((latest, { movement }) => Math.max(latest, movement), -1);
    for (const { act } of users) groups.join(first.act.motif.index, act.motif.index);
    for (const { act, movement } of got) if (act !== first.act && movement < last) groups.join(first.act.motif.index, act.motif.index);
  }
}

/** First and last movement of each asset in an act. */
function movementsByAsset({ motif }: Act, flow: ValueFlow): ReadonlyMap<AssetId, readonly [first: number, last: number]> {
  const found = new Map<AssetId, [number, number]>();
  for (const index of motif.movements) {
    const { asset } = flow.movements[index]!;
    const span = found.get(asset);
    if (span) span[1] = index;
    else found.set(asset, [index, index]);
  }
  return found;
}

/** Plain payments of one payer are one act, as a batch of them is; and so are payments both ways between two accounts. */
export function joinExchanges(acts: readonly Act[], groups: Groups): void {
  const first = new Map<string, Act>();
  for (const act of acts) {
    if (act.motif.kind !== 'transfer' && act.motif.kind !== 'batch_transfer') continue;
    const role = (wanted: string): Address[] => act.motif.participants.filter((p) => p.role === wanted).map((p) => p.account);
    for (const payer of role('payer')) {
      for (const recipient of role('recipient')) {
        const back = first.get(`${recipient} ${payer}`);
        if (back) groups.join(back.motif.index, act.motif.index);
        if (!first.has(`${payer} ${recipient}`)) first.set(`${payer} ${recipient}`, act);
      }
      const other = first.get(payer);
      if (other) groups.join(other.motif.index, act.motif.index);
      else first.set(payer, act);
    }
  }
}
