import { botContracts } from './proposals/botContracts.ts';
import { bridgePayouts } from './proposals/bridgePayouts.ts';
import { delegatedAccounts } from './proposals/delegatedAccounts.ts';
import { executedAccounts } from './proposals/executedAccounts.ts';
import { namedBeneficiaries } from './proposals/namedBeneficiaries.ts';
import { relayedAccounts } from './proposals/relayedAccounts.ts';
import { settledOrders, type ToldOrder } from './proposals/settledOrders.ts';
import { userOperations } from './proposals/userOperations.ts';
import type { ElectionContext } from './electionContext.ts';
import type { ProposalGroup } from './proposal.ts';

/**
 * Everybody who could be the actor, strongest ground first. An account that explicit events name outranks one that
 * only the balances point at; the signer always comes last and is never absent.
 */
export function collectCandidates(context: ElectionContext, orders: readonly ToldOrder[]): ProposalGroup[] {
  const signer = {
    source: 'signer',
    proposals: [{ account: context.signer, mode: 'self', submitterRole: 'self', reason: 'signed_the_transaction', evidence: [{ kind: 'transaction', frame: null, log: null, contract: context.signer }] } as const],
  };
  if (!context.input.tx.succeeded) return [signer];
  const operations = userOperations(context);
  const executed = executedAccounts(context, context.input.motifs);
  const driver = operations.length === 1 ? operations[0]!.account : executed.length === 1 ? executed[0]!.account : context.signer;
  const submitsForOthers = !context.signerIsNamed;
  return [
    { source: 'settled_orders', proposals: settledOrders(context, orders, driver) },
    { source: 'user_operations', proposals: operations },
    { source: 'executed_accounts', proposals: executed },
    { source: 'delegated_accounts', proposals: delegatedAccounts(context) },
    { source: 'bridge_payouts', proposals: bridgePayouts(context) },
    { source: 'relayed_accounts', proposals: submitsForOthers ? relayedAccounts(context) : [] },
    { source: 'named_beneficiaries', proposals: submitsForOthers ? namedBeneficiaries(context) : [] },
    { source: 'bot_contracts', proposals: submitsForOthers ? botContracts(context) : [] },
    signer,
  ].filter((group) => group.proposals.length > 0);
}
