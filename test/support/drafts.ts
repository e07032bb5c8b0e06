import { SHARE_ROLES } from '../../src/lib/roles.ts';
import type { MotifDraft } from '../../src/stages/5-motifs/draftMotif.ts';
import type { AssetAmount, Motif } from '../../src/model/motif.ts';
import type { Leg } from '../../src/model/primitive.ts';
import type { ValueFlow } from '../../src/model/valueFlow.ts';

/** A motif as the assembly has it: its amounts as legs with those of its movements that are of their asset. */
export function draftOf(motif: Motif, { movements }: ValueFlow): MotifDraft {
  const legOf = ({ asset, amount, role }: AssetAmount): Leg => ({
    role,
    asset,
    amount,
    account: null,
    exact: !SHARE_ROLES.has(role),
    movements: motif.movements.filter((index) => movements[index]!.asset === asset),
  });
  const legs = [...motif.assetsOut, ...motif.assetsIn].map(legOf);
  return { ...motif, whole: null, children: [], legs } as unknown as MotifDraft;
}
