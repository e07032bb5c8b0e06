import type { Address } from '../../model/hex.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

/** Evidence of what an account first sent and first received: that it took part. */
export function firstMovements({ movements, outgoing, incoming }: ValueFlow, account: Address): Evidence[] {
  const sent = outgoing.get(account)?.[0],
    received = incoming.get(account)?.[0];
  const evidence: Evidence[] = [];
  if (sent !== undefined) evidence.push(movements[sent]!.evidence);
  if (received !== undefined) evidence.push(movements[received]!.evidence);
  return evidence;
}
