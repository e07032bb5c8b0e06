import { kindOf } from '../../../lib/motifKinds.ts';
import { SHARE_ROLES } from '../../../lib/roles.ts';
import { withToken } from './positionEnds.ts';
import { isIssuance, type OpenPrimitive } from '../structure/context.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { AssetId, Movement, ValueFlow } from '../../../model/valueFlow.ts';

/** Effects that hand out a receipt, and those that take it back. */
const ISSUING: ReadonlySet<string> = new Set(['increase', 'open']);
const REDEEMING: ReadonlySet<string> = new Set(['decrease', 'close']);

/**
 * Adds the receipt that an act's event does not mention: a token minted to, or burnt from, the account that
 * put in or took out the assets. It counts where the venue itself is the token, or where as much of it moved
 * as of the assets (a receipt of one to one), and no other act has it.
 */
export function claimReceipts(
  found: readonly OpenPrimitive[],
  flow: ValueFlow,
  rulebook: Pick<Rulebook, 'motifKinds' | 'wrappedNative'>,
): readonly OpenPrimitive[] {
  const open = unclaimedIssues(found, flow, rulebook);
  if (open.length === 0) return found;
  const taken = new Set<number>();
  return found.map((item) => {
    const receipt = receiptOf(item, open, flow, rulebook);
    if (!receipt || taken.has(receipt.index)) return item;
    taken.add(receipt.index);
    return withToken(item, receipt);
  });
}

/** Mints and burns of fungible tokens that no act has. */
function unclaimedIssues(
  found: readonly OpenPrimitive[],
  flow: ValueFlow,
  { wrappedNative }: Pick<Rulebook, 'wrappedNative'>,
): Movement[] {
  const claimed = new Set<number>();
  for (const { legs } of found) for (const { movements } of legs) for (const m of movements) claimed.add(m);
  return flow.movements.filter((m) => {
    const asset = flow.assets.get(m.asset);
    return (
      isIssuance(m) && !claimed.has(m.index) && asset?.kind === 'erc20' && !wrappedNative.has(asset.address!)
    );
  });
}

function receiptOf(
  { kind, legs, venue, basis }: OpenPrimitive,
  open: readonly Movement[],
  flow: ValueFlow,
  rulebook: Pick<Rulebook, 'motifKinds'>,
): Movement | null {
  const effect = kindOf(rulebook, kind).position?.effect ?? '';
  const way = ISSUING.has(effect) ? 'mint' : REDEEMING.has(effect) ? 'burn' : null;
  if (way === null || basis === 'structure' || legs.some(({ role }) => SHARE_ROLES.has(role))) return null;
  const accounts = new Set(legs.map(({ account }) => account));
  const assets = new Set<AssetId>(legs.map(({ asset }) => asset));
  const amounts = new Set(legs.map(({ amount }) => amount));
  const fits = open.filter((m) => {
    const holder = way === 'mint' ? m.to : m.from;
    const held = flow.ledgers.get(holder)?.get(m.asset);
    // A receipt that came and went with the transaction is none.
    const changed = held !== undefined && held.inflow !== held.outflow;
    return m.kind === way && changed && !assets.has(m.asset) && accounts.has(holder);
  });
  const own = fits.filter((m) => flow.assets.get(m.asset)!.address === venue);
  const alike = own.length > 0 ? own : fits.filter((m) => amounts.has(m.amount));
  return alike.length === 1 ? alike[0]! : null;
}
