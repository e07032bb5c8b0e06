import { frameEvidence } from '../../../lib/evidence.ts';
import { roleOf } from '../../../lib/roles.ts';
import { isWithin } from '../../../value/tokenCall.ts';
import type { ElectionContext } from '../electionContext.ts';
import type { Proposal } from '../proposal.ts';
import type { Log } from '../../../model/canonicalTx.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';

const SENT: ReadonlySet<string> = new Set(['sent', 'both']);

/**
 * A signed request of another account, brought on chain by a signer that pays the gas: the signer sent
 * nothing (it may be repaid in native currency), and exactly one account without code sent and received. An
 * account that only sent counts if it shows that it authorised this very transaction, by permit or
 * transfer-with-authorisation. Authors that events or calls name of relayed requests need no balances.
 */
export function relayedAccounts(context: ElectionContext): Proposal[] {
  if (SENT.has(context.sides(context.signer))) return [];
  const authors = requestAuthors(context);
  if (authors.length > 0) return authors;
  const proposal = soleTrader(context) ?? soleSender(context) ?? soleGranter(context);
  return proposal ? [proposal] : [];
}

/** The accounts that events or calls name as authors of relayed requests. */
function requestAuthors(context: ElectionContext): Proposal[] {
  const requests = ownersWhere(context, (tags) => tags.includes('relayed'));
  requests.delete(context.signer);
  return [...requests].map(([account, motif]) => {
    const ground = context.isListed(motif) ? 'listed' : 'claimed';
    const mode = ground === 'listed' || context.authorised(account) ? 'meta_transaction' : 'none';
    const claimedBy = context.strangerOf(motif, account);
    return propose(context, account, { mode, ground, reason: 'signed_a_relayed_request', claimedBy });
  });
}

/** The one account that sent and received, where the signer was repaid at most. */
function soleTrader(context: ElectionContext): Proposal | null {
  const repaid = [...context.balances(context.signer).values()].every((b) => b.asset.kind === 'native');
  const traders = repaid ? context.twoSided.filter((account) => context.isOther(account)) : [];
  if (traders.length !== 1) return null;
  const [trader] = traders as [Address];
  const mode = context.authorised(trader) ? 'meta_transaction' : 'none';
  const claimedBy = context.tokenClaiming(trader);
  const reason = 'sole_account_that_gave_and_got';
  return propose(context, trader, { mode, ground: 'claimed', reason, claimedBy });
}

/** The one account that sent by its own permit or authorisation. */
function soleSender(context: ElectionContext): Proposal | null {
  // Owners of permits spent here and of EIP-3009 authorisations; some signed transfers log nothing.
  const authors = ownersWhere(context, (tags) => tags.includes('permit') || tags.includes('authorization'));
  const signers = context.input.suspects.consent.signed.map((signed) => signed.account);
  const senders = [...new Set([...authors.keys(), ...signers])].filter(
    (a) => SENT.has(context.sides(a)) && context.isOther(a),
  );
  const reason = 'authorised_in_this_transaction';
  if (senders.length !== 1) return null;
  const [sender] = senders as [Address];
  const motif = authors.get(sender);
  const claimedBy = motif === undefined ? null : context.strangerOf(motif, sender);
  return propose(context, sender, { mode: 'permit_pull', ground: 'claimed', reason, claimedBy });
}

/** The one account that granted allowances by signature, where nothing moved and nothing else was logged. */
function soleGranter(context: ElectionContext): Proposal | null {
  const { tx, flow, suspects } = context.input;
  if (flow.movements.length > 0 || flow.allowances.length === 0) return null;
  const permits = suspects.consent.signed.filter(({ grants }) => grants.length > 0);
  const [account, ...others] = new Set(permits.map((permit) => permit.account));
  const isOf = ({ address, within }: Log): boolean =>
    permits.some(({ frame }) => address === frame.context && within != null && isWithin(within, frame));
  if (account === undefined || others.length > 0 || !context.isOther(account)) return null;
  if (!tx.logs.every(isOf)) return null;
  const evidence = permits.map(({ frame }) => frameEvidence(frame, frame.context!));
  const reason = 'authorised_in_this_transaction';
  return { account, mode: 'permit_pull', ground: 'authorised', reason, submitterRole: 'relayer', evidence };
}

function propose(
  context: ElectionContext,
  account: Address,
  why: Pick<Proposal, 'mode' | 'ground' | 'reason' | 'claimedBy'>,
): Proposal {
  return { account, ...why, submitterRole: 'relayer', evidence: context.firstMovement(account) };
}

/** Accounts that motifs with such tags name as owners, each with the first such motif. */
function ownersWhere(
  context: ElectionContext,
  has: (tags: readonly string[]) => boolean,
): Map<Address, Motif> {
  const owners = new Map<Address, Motif>();
  for (const motif of context.input.motifs) {
    const owner = has(motif.tags) ? roleOf(motif, 'owner') : null;
    if (owner !== null && !owners.has(owner)) owners.set(owner, motif);
  }
  return owners;
}
