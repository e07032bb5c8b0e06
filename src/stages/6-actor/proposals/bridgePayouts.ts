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
  const kinds = [...(rulebook.prepared.kindsOf(context.signer) ?? [])];
  if (!kinds.some((kind) => kindOf(rulebook, kind).position?.category === BRIDGE_CLAIM)) return [];
  const paid = [...context.input.flow.ledgers.keys()].filter(
    (a) =>
      a !== context.signer &&
      context.sides(a) === 'received' &&
      context.neverElect(a) === null &&
      !context.showsCode(a),
  );
  if (paid.length !== 1) return [];
  const [first] = context.balances(paid[0]!).values();
  const movement = first!.incoming[0]!;
  return [
    {
      account: paid[0]!,
      mode: 'none',
      submitterRole: 'relayer',
      ground: 'claimed',
      reason: 'paid_by_a_bridge',
      evidence: [movement.evidence],
    },
  ];
}
