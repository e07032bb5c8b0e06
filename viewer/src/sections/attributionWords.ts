import type { Attribution } from '../../../src/model/generated/report.ts';
import { words } from '../lib/text.ts';

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

/** How the signer came to act for the actor, as a sentence. */
export function modeSentence({ mode, ambiguous }: Attribution): string {
  if (mode === 'none' && ambiguous) return 'No single account stands out.';
  return MODES[mode] ?? `${words(mode)}.`;
}
