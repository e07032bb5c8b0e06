import { accountsOf } from '../../lib/roles.ts';
import type { Address } from '../../model/hex.ts';
import type { Verdict } from '../../model/intent.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { AssetId } from '../../model/valueFlow.ts';
import type { Balance } from '../../value/balances.ts';

/** Composite motif that returns to the asset it began in. */
const CYCLE = 'cycle';
/** Acts that open nothing of the actor's own: what follows them in the same transaction can close them. */
const CLOSABLE: ReadonlySet<string> = new Set(['liquidation', 'flash_loan']);
/** Category of intents that are a closed flow by definition. */
const CLOSED_CATEGORY = 'mev';
const SHARE_ROLES: ReadonlySet<string> = new Set(['share_in', 'share_out', 'position']);
/** A third account that only receives what a bot gains. */
const WALLET_ROLE = 'beneficiary';

export interface ClosedFlow {
  /** The motifs it consists of. */
  readonly motifs: readonly Motif[];
  /** By definition of the intent, so that a result in no single asset is a result that cannot be told. */
  readonly certain: boolean;
}

/**
 * The closed flow the verdict speaks of, as far as motifs can tell: a cycle, or a liquidation or flash loan. A cycle beside
 * another intent may be somebody else's. Null for everything else, which needs the cost basis of earlier transactions.
 */
export function closedFlow(verdict: Verdict, motifs: readonly Motif[]): ClosedFlow | null {
  const certain = verdict.category === CLOSED_CATEGORY;
  if (!certain && !motifs.some(({ kind }) => kind === CYCLE || CLOSABLE.has(kind))) return null;
  const own = new Set(verdict.motifs);
  const cycles = motifs.filter((motif) => motif.kind === CYCLE && (certain || own.has(motif.index)));
  if (cycles.length > 0) return { motifs: cycles, certain: true };
  if (certain) return { motifs: motifs.filter((motif) => own.has(motif.index)), certain };
  const closable = motifs.filter((motif) => own.has(motif.index) && CLOSABLE.has(motif.kind));
  return closable.length > 0 ? { motifs: closable, certain } : null;
}

/** Accounts that only take in the gains of these cycles for the actor. */
export function walletsOf(flow: ClosedFlow): Address[] {
  return flow.motifs.flatMap((motif) =>
    motif.kind === CYCLE
      ? motif.participants.filter(({ role }) => role === WALLET_ROLE).map(({ account }) => account)
      : [],
  );
}

/**
 * True when some account opened, shrank or closed a position that leaves no trace in the balances of these accounts: a loan
 * repaid looks like money lost. Positions that are tokens of theirs show there.
 */
export function touchesUntoldPosition(
  motifs: readonly Motif[],
  own: ReadonlyMap<AssetId, Balance>,
  motifKinds: Rulebook['motifKinds'],
): boolean {
  return motifs.some((motif) => {
    if (CLOSABLE.has(motif.kind) || !motifKinds.get(motif.kind)?.position) return false;
    const shares = [...motif.assetsIn, ...motif.assetsOut].filter(({ role }) => SHARE_ROLES.has(role));
    return shares.length === 0 || shares.some(({ asset }) => !own.has(asset));
  });
}

/** Venues of the parts of a flow, or of what else these accounts traded at. */
export function poolsOf(flow: ClosedFlow, motifs: readonly Motif[], group: ReadonlySet<Address>): Address[] {
  const parents = new Set(flow.motifs.map((motif) => motif.index));
  const parts = motifs.filter((motif) => motif.parent !== null && parents.has(motif.parent));
  const trades = flow.certain
    ? []
    : motifs.filter(
        (motif) => motif.kind === 'swap' && accountsOf(motif).some((account) => group.has(account)),
      );
  return [...new Set([...(parts.length > 0 ? parts : flow.motifs), ...trades].map((motif) => motif.venue))];
}
