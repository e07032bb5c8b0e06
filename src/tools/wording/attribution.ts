import type { Attribution, Candidate } from '../../model/generated/report.ts';
import { lower, words } from './text.ts';

const MODES: Readonly<Record<string, string>> = {
  self: 'The signer acted for itself.',
  smart_account_4337: 'A bundler submitted a user operation of the account (ERC-4337).',
  safe: 'The signer executed a transaction that the owners of the Safe had signed.',
  solver_settlement: 'A solver settled an order the actor had signed.',
  meta_transaction: 'A relayer submitted what the actor had signed.',
  delegated_7702: 'The actor’s account runs code it delegated to (EIP-7702).',
  permit_pull: 'The signer used a permit the actor had signed.',
  bot_contract: 'The signer operates the contract that acted.',
  own_contract: 'The signer operates the contract whose funds moved.',
  none: 'Nothing shows that the actor authorised this.',
};

/** Where no signature was recovered and no listed contract checked one. */
const UNSIGNED: Readonly<Record<string, string>> = {
  safe: 'The signer had the Safe execute a transaction.',
  solver_settlement: 'A solver settled an order said to be the actor’s.',
  meta_transaction: 'A relayer submitted it for the actor.',
  permit_pull: 'The signer used a permit said to be the actor’s.',
};

/** How the signer came to act for the actor, as a sentence. */
export function modeSentence({ mode, ambiguous, ground }: Attribution): string {
  if (mode === 'none' && ambiguous) return 'No single account stands out.';
  const isSigned = ground === 'authorised' || ground === 'listed';
  return (isSigned ? null : UNSIGNED[mode]) ?? MODES[mode] ?? `${words(mode)}.`;
}

const REASONS: Readonly<Record<string, string>> = {
  gave_and_got: 'Sent one asset and received another',
  order_owner: 'Its order was settled',
  user_operation_sender: 'The user operation is its own (ERC-4337)',
  account_execution: 'A smart account that executed a call',
  account_execution_failed: 'A smart account whose execution failed',
  sole_account_that_gave_and_got: 'The only account without code that sent and received',
  authorised_in_this_transaction: 'Its permit was used',
  called_contract_holds_the_inventory: 'The signer called it, and it held the funds',
  contract_behind_the_called_one_traded: 'The contract that the signer called had it trade',
  called_contract_is_the_liquidator: 'The signer called it, and it liquidated',
  paid_by_a_bridge: 'A bridge paid it',
};

/** Why an account was considered. */
export const reasonText = (reason: string): string => REASONS[reason] ?? words(reason);

const RULED_OUT: Readonly<Record<string, string>> = {
  equal_claims: 'several accounts have an equal claim',
  gave_or_got_nothing: 'it sent or received nothing of value',
  nothing_names_it: 'nothing shows that it acted',
  zero_address: 'it is the zero address',
  precompile: 'it is a precompiled contract',
  block_builder: 'it built the block',
  token_contract: 'it is a token contract',
  venue: 'it is the venue, such as a pool or a market',
};

/** Why a candidate was ruled out; `isPool` and the like come from its part in the transaction. */
export function ruledOutText({ rejected_because: reason }: Candidate, part: string): string | null {
  if (reason === null) return null;
  const [code = '', detail = ''] = reason.split(':');
  if (code === 'venue' && /^(pool|vault|router)$/i.test(part))
    return `Ruled out: it is a ${part.toLowerCase()}`;
  if (code === 'weaker_than')
    return `Ruled out: the evidence for another account is stronger (${lower(detail)})`;
  if (code === 'serves_everybody')
    return `Ruled out: it is a contract that serves everyone (${lower(detail)})`;
  return `Ruled out: ${RULED_OUT[code] ?? lower(reason)}`;
}
