import type { CanonicalTx } from './canonicalTx.ts';
import type { Address } from './hex.ts';
import type { Motif } from './motif.ts';
import type { Rulebook } from './rulebook.ts';
import type { AssetId, ValueFlow } from './valueFlow.ts';
import type { MotifKindSpec } from './vocabulary.ts';

/** A transaction with its value flow and its acts, and the rules: each stage reads some or all of it. */
export interface Scene {
  readonly tx: CanonicalTx;
  readonly flow: ValueFlow;
  readonly motifs: readonly Motif[];
  readonly rulebook: Rulebook;
}

export type Position = NonNullable<MotifKindSpec['position']>;

/** One amount of an act, from the view of its venue's counterparty. */
export interface SideAmount {
  /** The counterparty gave it; else it got it. */
  readonly gave: boolean;
  readonly asset: AssetId;
  /** The part that moved: zero for interest that accrued and for fees put in again or added to a debt. */
  readonly amount: bigint;
  /** The owner's gain of it. */
  readonly delta: bigint;
  /** The role of its leg, as the act's shape names it. */
  readonly leg: string;
  /** `share`, `debt_share`: the position's own token. `gave`, `got`: of no position. */
  readonly role:
    | 'gave'
    | 'got'
    | 'share'
    | 'debt_share'
    | 'principal'
    | 'fee'
    | 'reward'
    | 'interest'
    | 'penalty'
    | 'collateral'
    | 'debt';
}

/** A change by an act: a position of one owner, or without one its counterparty gave and got. */
export interface Side {
  readonly position: Position | null;
  /** As the act names it; null where it names none. */
  readonly owner: Address | null;
  readonly amounts: readonly SideAmount[];
}
