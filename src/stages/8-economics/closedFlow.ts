import { isSwap, kindOf } from '../../lib/motifKinds.ts';
import { accountsOf } from '../../lib/roles.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { AssetId } from '../../model/valueFlow.ts';
import type { Balance } from '../../value/balances.ts';
import { amountsOf, isShare } from '../../value/sides.ts';
import type { EconomicsInput } from './computeEconomics.ts';
import type { ClosedOf } from './pnlEntity.ts';

/** Category of intents that are a closed flow by definition. */
const CLOSED_CATEGORY = 'mev';

type Kinds = Pick<Rulebook, 'motifKinds'>;
type Input = Pick<EconomicsInput, 'verdict' | 'motifs' | 'rulebook' | 'attribution'>;

export interface ClosedFlow {
  /** The motifs it consists of. */
  readonly motifs: readonly Motif[];
  /** By definition of the intent: a result in several assets is then unavailable, not absent. */
  readonly certain: boolean;
}

/**
 * The closed flow the verdict rests on: motifs of kinds that always close (a cycle), or that later acts may
 * close (a liquidation, a flash loan). A cycle beside another intent may belong to another account. Null
 * for everything else, which needs the cost basis of earlier transactions.
 */
export function closedFlow({ verdict, motifs, rulebook: kinds, attribution }: Input): ClosedFlow | null {
  if (attribution.actor === null) return null;
  const certain = verdict.category === CLOSED_CATEGORY;
  if (!certain && verdict.motifs.length === 0) return null;
  const own = new Set(verdict.motifs);
  const closing = (how: 'always' | 'possible'): Motif[] =>
    motifs.filter(({ kind }) => kindOf(kinds, kind).closedFlow === how);
  const closed = closing('always').filter(({ index }) => certain || own.has(index));
  if (closed.length > 0) return { motifs: closed, certain: true };
  if (certain) return { motifs: motifs.filter(({ index }) => own.has(index)), certain };
  const closable = closing('possible').filter(({ index }) => own.has(index));
  return closable.length > 0 ? { motifs: closable, certain } : null;
}

/**
 * True if a motif changed a position that the balances `own` do not show: a repaid loan looks like lost
 * money. Positions with a moved token show there.
 */
export function changesHiddenPosition(
  motifs: readonly Motif[],
  own: ReadonlyMap<AssetId, Balance>,
  kinds: Kinds,
): boolean {
  return motifs.some((motif) => {
    const { closedFlow: closes, position } = kindOf(kinds, motif.kind);
    if (closes === 'possible' || !position) return false;
    const shares = amountsOf(motif, kinds).filter(isShare);
    return shares.length === 0 || shares.some(({ asset }) => !own.has(asset));
  });
}

/** Venues of the flow's parts, and of the entity's other swaps where the flow is not certain. */
export function poolsOf({ closed, motifs, group, rulebook }: ClosedOf): Address[] {
  const parents = new Set(closed.motifs.map((motif) => motif.index));
  const parts = motifs.filter((motif) => motif.parent !== null && parents.has(motif.parent));
  const isOwn = (motif: Motif): boolean => accountsOf(motif).some((account) => group.has(account));
  const swaps = closed.certain
    ? []
    : motifs.filter((motif) => isSwap(kindOf(rulebook, motif.kind)) && isOwn(motif));
  return [...new Set([...(parts.length > 0 ? parts : closed.motifs), ...swaps].map(({ venue }) => venue))];
}
