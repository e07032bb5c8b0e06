import { kindOf } from '../../../lib/motifKinds.ts';
import type { ElectionContext } from '../electionContext.ts';
import type { Proposal } from '../proposal.ts';

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
