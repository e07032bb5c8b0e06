import { groupBy } from '../../../lib/lists.ts';
import { kindOf } from '../../../lib/motifKinds.ts';
import { accountsWith } from '../../../lib/roles.ts';
import { guessedLeg } from '../../../value/claims.ts';
import type { StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { Leg } from '../../../model/primitive.ts';
import type { Movement } from '../../../model/valueFlow.ts';

/** The signer, and the owners of accounts that executed something. */
export function principalsOf({ tx, rulebook, found }: StructureContext): ReadonlySet<Address> {
  const owners = found
    .filter(({ kind }) => kindOf(rulebook, kind).executes !== null)
    .flatMap(({ roles }) => accountsWith(roles, 'owner'));
  return new Set([tx.from, ...owners]);
}

/** Whether a kind only accompanies others (approvals, wraps, executions) and shows no purpose. */
export function isAccompaniment(kind: string, { rulebook }: StructureContext): boolean {
  const { allowance, carries, executes, serves, actsOnVenue } = kindOf(rulebook, kind);
  return allowance || carries || executes !== null || serves !== null || actsOnVenue;
}

/** One leg per asset, in order of first movement; `roleOf` gives its role from that movement. */
export function legsByAsset(
  movements: readonly Movement[],
  account: Address,
  roleOf: (first: Movement) => string,
): Leg[] {
  const groups = groupBy(movements, (m) => m.asset);
  return [...groups.values()].map((group) => guessedLeg(roleOf(group[0]!), group, account));
}
