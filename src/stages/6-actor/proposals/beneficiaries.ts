import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { kindOf } from '../../../lib/motifKinds.ts';
import { roleOf } from '../../../lib/roles.ts';
import { mergeNative } from '../../../value/asset.ts';
import type { ValueEnds } from '../../../value/follow.ts';
import { originsThrough } from '../../../value/parties.ts';
import { isListedAddress } from '../../../value/tokenCall.ts';
import type { ElectionContext } from '../electionContext.ts';
import type { Proposal } from '../proposal.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';
import type { Movement } from '../../../model/valueFlow.ts';

/**
 * Bridge deliveries, claims and withdrawals that a signer without any stake of its own completed for the
 * account the event names; a signer named as payer acts for itself. Only where that account gained something.
 */
export function namedBeneficiaries(context: ElectionContext): Proposal[] {
  if (context.sides(context.signer) !== 'none') return [];
  const { flow } = context.input;
  const origins = originsThrough(flow, () => true);
  const found: Proposal[] = [];
  for (const motif of context.input.motifs) {
    const submitterRole = motif.traits.completedBy;
    if (!submitterRole || motif.parent !== null) continue;
    const account = beneficiaryOf(context, motif);
    if (account === null || [account, roleOf(motif, 'filler')].includes(context.signer)) continue;
    found.push({
      account,
      mode: 'none',
      submitterRole,
      ground: isReleased(context, motif, account, origins) ? 'listed' : 'claimed',
      reason: `${motif.kind}_beneficiary`,
      evidence: motif.evidence,
      claimedBy: context.strangerOf(motif, account),
    });
  }
  return found;
}

/**
 * A listed contract paid the account that it names first: by a call with ether, or with a listed token, which
 * it or another listed contract held or which was made for the account. A filler may make its order up.
 */
function isReleased(context: ElectionContext, motif: Motif, account: Address, origins: ValueEnds): boolean {
  const { flow, rulebook } = context.input;
  if (!context.isListed(motif) || roleOf(motif, 'filler') !== null) return false;
  if ((roleOf(motif, 'owner') ?? roleOf(motif, 'caller') ?? account) !== account) return false;
  const paid = motif.movements.map((index) => flow.movements[index]!).filter(({ to }) => to === account);
  const isPayment = ({ from, asset }: Movement): boolean => {
    const token = flow.assets.get(asset)!.address;
    if (from !== motif.venue && from !== ZERO_ADDRESS) return false;
    return token !== null && isListedAddress(token, rulebook);
  };
  const isPaid =
    context.isCalledBy(account, motif.venue) ||
    (context.sides(account) === 'received' && paid.some(isPayment));
  return isPaid && paid.every((m) => wasHeld(context, m, origins));
}

/** Listed contracts ended with less by this amount, or it was made for the account. */
function wasHeld(context: ElectionContext, { from, asset, amount }: Movement, origins: ValueEnds): boolean {
  const { flow, rulebook } = context.input;
  if (from === ZERO_ADDRESS) return true;
  const id = mergeNative(asset, flow);
  const ends = origins(from, asset);
  const lost = ends.map((one) => -(context.balances(one).get(id)?.net ?? 0n));
  return ends.every((one) => isListedAddress(one, rulebook)) && lost.reduce((a, b) => a + b, 0n) >= amount;
}

function beneficiaryOf(context: ElectionContext, motif: Motif): Proposal['account'] | null {
  const gained = (a: Address): boolean => context.sides(a) === 'received' || context.sides(a) === 'both';
  const named = [roleOf(motif, 'owner'), roleOf(motif, 'recipient')];
  return named.find((a) => a !== null && gained(a) && context.neverElect(a) === null) ?? null;
}

const BRIDGE_CLAIM = 'bridge_claim';

/**
 * Liquidity networks pay out from ordinary accounts without an event. A known bridge address that signed
 * and paid exactly one account without code delivers to it.
 */
export function bridgePayouts(context: ElectionContext): Proposal[] {
  // The reference of the order rides along as calldata; a plain payment says nothing about its purpose.
  if (context.input.tx.input === '0x' || context.sides(context.signer) !== 'sent') return [];
  const { rulebook } = context.input;
  const kinds = rulebook.prepared.kindsOf(context.signer);
  if (!kinds || ![...kinds].some((kind) => kindOf(rulebook, kind).position?.category === BRIDGE_CLAIM))
    return [];
  const paid = [...context.input.flow.ledgers.keys()].filter(
    (account) => context.sides(account) === 'received' && context.isOther(account),
  );
  const [account] = paid;
  if (account === undefined || paid.length > 1) return [];
  const [first] = context.balances(account).values();
  const { evidence } = first!.incoming[0]!;
  const reason = 'paid_by_a_bridge';
  return [
    { account, mode: 'none', submitterRole: 'relayer', ground: 'listed', reason, evidence: [evidence] },
  ];
}
