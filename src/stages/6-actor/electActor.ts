import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { groupBy, only } from '../../lib/lists.ts';
import { accountsWith, roleOf } from '../../lib/roles.ts';
import { collectCandidates } from './collectCandidates.ts';
import { ElectionContext, type ElectionInput } from './electionContext.ts';
import { feeRecipientsOf, tracingOf } from '../../value/parties.ts';
import { amountsMoved } from '../../value/sides.ts';
import { executionPayments, operationOf } from '../../value/parties/execution.ts';
import { delegationsOf } from '../../value/delegations.ts';
import { ordersOf, type StatedOrder } from './proposals/settledOrders.ts';
import { firstMovements, type Proposal, type ProposalGroup } from './proposal.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { Attribution, Candidate } from '../../model/attribution.ts';

/**
 * Elects the account the transaction was for, from balances, events and code delegations; never from a list
 * of users. Candidates come in groups of equal weight, strongest first; the first group decides. Several
 * equals elect no account (`actor` null, `ambiguous`), unless only one of them sent or received anything.
 */
export function electActor(input: ElectionInput): Attribution {
  const context = new ElectionContext(input);
  const stated = ordersOf(context);
  const groups = collectCandidates(context, stated);
  const orders = stated.filter(({ claimedBy }) => claimedBy === null);
  const deciding = groups[0]!;
  const winner = choose(context, deciding);
  // Equals: each of them is an owner, none the actor.
  const chosen = winner ? [winner] : onePerAccount(deciding);
  const { actor, beneficiary, mode, ground, entity } = winner ? elected(context, orders, winner) : NOBODY;
  const operation = operationOf(input, actor);
  const paymaster = paymasterOf(operation);
  return {
    actor,
    beneficiary,
    mode,
    ground,
    owners: winner ? [] : chosen.map(({ account }) => account),
    entity,
    payments: executionPayments(input, new Set(entity), mode),
    evidence: chosen.flatMap(({ evidence }) => evidence),
    feePayer: paymaster ?? (operation && roleOf(operation, 'owner')) ?? context.signer,
    entryPoint: operation ? operation.venue : null,
    paymaster,
    signer: context.signer,
    submitterRole: deciding.proposals[0]!.submitterRole,
    settlementContract: orders[0]?.motif.venue ?? null,
    orders: orders.map(({ order }) => order),
    delegations: delegationsOf(input),
    candidates: candidatesOf(context, groups, deciding, winner),
    ambiguous: winner === null,
    strangerClaim: claimOf(groups),
  };
}

type Elected = Pick<Attribution, 'actor' | 'beneficiary' | 'mode' | 'ground' | 'entity'>;

const NOBODY: Elected = { actor: null, beneficiary: null, mode: 'none', ground: null, entity: [] };

function elected(context: ElectionContext, orders: readonly StatedOrder[], winner: Proposal): Elected {
  const { account: actor, mode, entity = [actor] } = winner;
  // A claim counts for more where a signature of the account covers all that left it.
  const ground = winner.ground === 'claimed' && context.authorised(actor) ? 'authorised' : winner.ground;
  return { actor, beneficiary: receiverOf(context, orders, winner), mode, ground, entity };
}

/** A stranger's contract names another account, and nothing else names one but the signer. */
function claimOf(groups: readonly ProposalGroup[]): Attribution['strangerClaim'] {
  if (groups[0]!.source !== 'signer') return null;
  for (const { proposals } of groups)
    for (const { account, claimedBy } of proposals) if (claimedBy) return { account, by: claimedBy };
  return null;
}

function paymasterOf(operation: Motif | undefined): Address | null {
  const named = operation ? roleOf(operation, 'paymaster') : null;
  return named === ZERO_ADDRESS ? null : named;
}

/** The first proposal of each account. */
const onePerAccount = ({ proposals }: ProposalGroup): Proposal[] =>
  [...groupBy(proposals, (one) => one.account).values()].map(([first]) => first!);

function choose(context: ElectionContext, group: ProposalGroup): Proposal | null {
  const distinct = onePerAccount(group);
  if (distinct.length === 1) return distinct[0]!;
  const touched = distinct.filter((p) => context.sides(p.account) !== 'none');
  return touched.length === 1 ? touched[0]! : null;
}

/**
 * The account that received the proceeds: an order's receiver, else the account that acts name as recipient
 * in the actor's stead, else, and where several did, the actor itself.
 */
function receiverOf(context: ElectionContext, orders: readonly StatedOrder[], won: Proposal): Address {
  const named = orders.filter(({ order }) => order.owner === won.account).map(({ order }) => order.receiver);
  const stated = named.filter((one) => one !== null && one !== ZERO_ADDRESS);
  const receivers = new Set(stated.length > 0 ? stated : paidInsteadOf(context, won));
  return only([...receivers]) ?? won.account;
}

/** Recipients, also behind routers, that gained: of a delivery, and of acts that paid the actor nothing. */
function paidInsteadOf(context: ElectionContext, { account, entity = [account] }: Proposal): Address[] {
  const isPaid = ['received', 'both'].includes(context.sidesTogether(entity));
  const acts = context.input.motifs.filter((act) => {
    const { trade, legs, position: at } = act.traits;
    if (at?.category === 'bridge_claim') return at.effect === 'close';
    if (isPaid || trade === 'order') return false;
    if (trade !== null) return true;
    if (at === null && !legs.includes('reward')) return false;
    return accountsWith(act.participants, 'owner').some((owner) => entity.includes(owner));
  });
  const { flow, motifs } = context.input;
  const { destinations } = tracingOf(flow);
  const aside = new Set([...entity, ...feeRecipientsOf(motifs)]);
  const gained = (one: Address): boolean =>
    !aside.has(one) && context.sides(one) === 'received' && context.neverElect(one) === null;
  const behind = (act: Motif, one: Address): Address[] =>
    amountsMoved(act, false).flatMap(({ asset }) => destinations(one, asset));
  const at = (act: Motif) => ['recipient', 'beneficiary'].flatMap((of) => accountsWith(act.participants, of));
  return acts.flatMap((act) => at(act).flatMap((one) => [one, ...behind(act, one)])).filter(gained);
}

/** All proposed accounts, plus those excluded for a stated reason although they sent and received. */
function candidatesOf(
  context: ElectionContext,
  groups: readonly ProposalGroup[],
  deciding: ProposalGroup,
  winner: Proposal | null,
): Candidate[] {
  const proposed = proposedCandidates(groups, deciding, winner);
  const excluded = context.twoSided
    .filter((account) => !proposed.has(account))
    .map((account) => ({
      account,
      elected: false,
      reasons: ['gave_and_got'],
      rejectedBecause: context.neverElect(account) ?? 'nothing_names_it',
      evidence: firstMovements(context.input.flow, account),
    }));
  return [...proposed.values(), ...excluded];
}

function proposedCandidates(
  groups: readonly ProposalGroup[],
  deciding: ProposalGroup,
  winner: Proposal | null,
): ReadonlyMap<Address, Candidate> {
  const lost = winner === null ? 'equal_claims' : 'gave_or_got_nothing';
  const found = new Map<Address, Candidate & { readonly reasons: string[] }>();
  for (const group of groups)
    for (const { account, reason, evidence } of group.proposals) {
      const known = found.get(account);
      if (known?.reasons.includes(reason)) continue;
      if (known) known.reasons.push(reason);
      else {
        const elected = account === winner?.account;
        const rejection = group === deciding ? lost : `weaker_than:${deciding.source}`;
        const rejectedBecause = elected ? null : rejection;
        found.set(account, { account, elected, reasons: [reason], rejectedBecause, evidence });
      }
    }
  return found;
}
