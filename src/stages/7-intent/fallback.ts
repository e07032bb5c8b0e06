import type { SubjectView } from './facts/subjectView.ts';
import type { IntentKind } from '../../model/intent.ts';

/**
 * Intent of a transaction without a matching rule: it failed, it moved nothing of the actor's, or it is
 * unknown.
 */
export function fallbackIntent(view: SubjectView): { kind: IntentKind; label: string } {
  if (!view.tx.succeeded) return { kind: 'Reverted', label: 'Failed transaction' };
  if (view.balances.length === 0) return { kind: 'ContractCall', label: 'Contract call' };
  return { kind: 'Unknown', label: 'Unrecognised transaction' };
}
