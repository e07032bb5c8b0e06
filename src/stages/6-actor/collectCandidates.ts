import { botContracts } from './proposals/botContracts.ts';
import { bridgePayouts, namedBeneficiaries } from './proposals/beneficiaries.ts';
import { delegatedAccounts } from './proposals/delegatedAccounts.ts';
import { contractWallets, userOperations } from './proposals/executedAccounts.ts';
import { relayedAccounts } from './proposals/relayedAccounts.ts';
import { settledOrders, type StatedOrder } from './proposals/settledOrders.ts';
import type { ElectionContext } from './electionContext.ts';
import type { Proposal, ProposalGroup } from './proposal.ts';

/**
 * All proposals, strongest ground first: accounts that explicit events name, then those that only balances
 * point at, then the signer. Last come those that only a stranger's contract names.
 */
export function collectCandidates(context: ElectionContext, orders: readonly StatedOrder[]): ProposalGroup[] {
  const groups: ProposalGroup[] = [];
  const claims: ProposalGroup[] = [];
  const add = (source: string, made: readonly Proposal[]): void => {
    if (made.length === 0) return;
    const proposals = made.filter(({ claimedBy }) => !claimedBy);
    if (proposals.length > 0) groups.push({ source, proposals });
    if (proposals.length < made.length)
      claims.push({ source, proposals: made.filter(({ claimedBy }) => claimedBy) });
  };
  if (context.input.tx.succeeded) {
    const operations = userOperations(context);
    const executed = contractWallets(context);
    const sole = operations.length === 1 ? operations : executed;
    const driver = sole.length === 1 ? sole[0]!.account : context.signer;
    add('settled_orders', settledOrders(context, orders, driver));
    add('user_operations', operations);
    add('executed_accounts', executed);
    add('delegated_accounts', delegatedAccounts(context));
    add('bridge_payouts', bridgePayouts(context));
    // A signer that an event names as the owner does not submit for others.
    if (!context.signerIsNamed) {
      add('relayed_accounts', relayedAccounts(context));
      add('named_beneficiaries', namedBeneficiaries(context));
      add('bot_contracts', botContracts(context));
    }
  }
  const signer: Proposal = {
    account: context.signer,
    mode: 'self',
    submitterRole: 'self',
    ground: 'signed',
    reason: 'signed_the_transaction',
    evidence: [{ kind: 'transaction', frame: null, log: null, contract: context.signer }],
  };
  groups.push({ source: 'signer', proposals: [signer] });
  return [...groups, ...claims];
}
