import type { SubjectView } from './facts/subjectView.ts';
import type { IntentKind } from '../../model/intent.ts';

/** What to call a transaction no rule speaks for: it failed, it moved nothing of the actor's, or nobody knows. */
export function fallbackIntent(view: SubjectView): { kind: IntentKind; label: string } {
  if (!view.tx.succeeded) return { kind: 'Reverted', label: 'Failed transaction' };
  if (view.balances.length === 0) return { kind: 'ContractCall', label: 'Contract call' };
  return { kind: 'Unknown', label: 'Unrecognised transaction' };
}
