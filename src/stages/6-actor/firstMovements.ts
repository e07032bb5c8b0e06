import type { Address } from '../../model/hex.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

/** Evidence of what an account first gave and first got: that it took part. */
export function firstMovements({ movements, outgoing, incoming }: ValueFlow, account: Address): Evidence[] {
  const gave = outgoing.get(account)?.[0],
    got = incoming.get(account)?.[0];
  const evidence: Evidence[] = [];
  if (gave !== undefined) evidence.push(movements[gave]!.evidence);
  if (got !== undefined) evidence.push(movements[got]!.evidence);
  return evidence;
}
