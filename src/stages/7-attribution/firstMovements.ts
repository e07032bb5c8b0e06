import type { Address } from '../../model/hex.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

/** Evidence of what an account first gave and first got: that it took part. */
export function firstMovements({ movements, outgoing, incoming }: ValueFlow, account: Address): Evidence[] {
  return [outgoing.get(account)?.[0], incoming.get(account)?.[0]].flatMap((index) => (index === undefined ? [] : [movements[index]!.evidence]));
}
