import type { SubjectView } from './facts/subjectView.ts';
import type { IntentKind } from '../../model/intent.ts';

interface Fallback {
  readonly kind: IntentKind;
  readonly label: string;
  readonly labelFallback: string;
}

/**
 * The intent where no rule matches: the transaction failed, moved nothing of the actor's, or is unknown.
 */
export function fallbackIntent(view: SubjectView): Fallback {
  if (!view.tx.succeeded)
    return { kind: 'Reverted', label: 'Failed: {call}[ ({reason})]', labelFallback: 'Failed: {call}' };
  if (view.balances.length === 0)
    return { kind: 'ContractCall', label: 'Call {call}', labelFallback: 'Call {call}' };
  return { kind: 'Unknown', ...exchangeLabel(view) };
}

function exchangeLabel({ sent, received }: SubjectView): Omit<Fallback, 'kind'> {
  const labelFallback = 'Call {call}';
  if (sent.length > 0 && received.length > 0)
    return { label: 'Give {sent}, get {received}[ at {place}]', labelFallback };
  return sent.length > 0
    ? { label: 'Give {sent} in {call}', labelFallback }
    : { label: 'Get {received} in {call}', labelFallback };
}
