import { roleOf } from '../../../lib/roles.ts';
import type { ElectionContext } from '../electionContext.ts';
import type { Proposal } from '../proposal.ts';
import type { Address } from '../../../model/hex.ts';

/**
 * Somebody else's signed request, brought on chain by a signer who pays the gas: the signer sent nothing (it may be
 * repaid in native currency), and exactly one account without code of its own sent and received. A mere giver counts only
 * where it shows that it authorised this very transaction, by permit or transfer-with-authorisation. An account that an
 * event or call names as the author of a relayed request needs no balances to tell.
 */
export function relayedAccounts(context: ElectionContext): Proposal[] {
  const sides = context.sides(context.signer);
  if (sides === 'both' || sides === 'sent') return [];
  const requesters = ownersWhere(context, (tags) => tags.includes('relayed'));
  requesters.delete(context.signer);
  if (requesters.size === 1)
    return [propose(context, [...requesters][0]!, 'meta_transaction', 'signed_a_relayed_request')];
  const isOther = (a: Address): boolean =>
    a !== context.signer && context.neverElect(a) === null && !context.showsCode(a);
  if (
    sides === 'none' ||
    [...context.balances(context.signer).values()].every((b) => b.asset.kind === 'native')
  ) {
    const traders = context.traders.filter(isOther);
    if (traders.length === 1)
      return [propose(context, traders[0]!, 'meta_transaction', 'sole_account_that_gave_and_got')];
  }
  // Owners of permits spent here, and of EIP-3009 authorisations.
  const authors = ownersWhere(context, (tags) => tags.includes('permit') || tags.includes('authorization'));
  const givers = [...authors].filter(
    (a) => (context.sides(a) === 'sent' || context.sides(a) === 'both') && isOther(a),
  );
  return givers.length === 1
    ? [propose(context, givers[0]!, 'permit_pull', 'authorised_in_this_transaction')]
    : [];
}

function propose(
  context: ElectionContext,
  account: Address,
  mode: 'meta_transaction' | 'permit_pull',
  reason: string,
): Proposal {
  const [first] = context.balances(account).values();
  const movement = first?.outgoing[0] ?? first?.incoming[0];
  return { account, mode, submitterRole: 'relayer', reason, evidence: movement ? [movement.evidence] : [] };
}

/** Accounts that motifs with such tags name as owners. */
function ownersWhere(context: ElectionContext, speaks: (tags: readonly string[]) => boolean): Set<Address> {
  const owners = new Set<Address>();
  for (const motif of context.input.motifs) {
    const owner = speaks(motif.tags) ? roleOf(motif, 'owner') : null;
    if (owner !== null) owners.add(owner);
  }
  return owners;
}
