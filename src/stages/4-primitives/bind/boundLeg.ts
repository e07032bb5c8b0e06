import type { LegEnds } from '../../../value/resolver.ts';
import type { PreparedLeg } from '../match/preparedMapping.ts';
import type { MovementIndex } from './movementIndex.ts';
import type { ClaimedMovements } from './bucket.ts';
import type { Address } from '../../../model/hex.ts';
import type { Leg } from '../../../model/primitive.ts';
import type { Movement } from '../../../model/valueFlow.ts';

/** Where the legs of one event or call are looked for. */
export interface LegContext {
  readonly index: MovementIndex;
  readonly seq: number;
  readonly wrappedNative: ReadonlySet<Address>;
  readonly shape: string;
  /** Movements already claimed by each shape in each role. */
  readonly claimed: ClaimedMovements;
  readonly venue: Address | null;
  /**
   * Called for each required leg that binds nothing, and with the number of legs where their amounts
   * disagree.
   */
  readonly failed?: ((at: number, legs: readonly BoundLeg[], used: readonly number[]) => void) | undefined;
}

export interface BoundLeg {
  readonly leg: Leg;
  readonly ends: LegEnds;
  readonly spec: PreparedLeg;
  /** The amount the event states for it, if it states one. */
  readonly stated: bigint | null;
}

/** A stated amount of an asset that neither event nor flow names. */
export interface Unresolved {
  readonly role: string;
  readonly amount: bigint;
}

/** One way to bind a leg. */
export interface Option {
  readonly movements: readonly Movement[];
  readonly legs: readonly BoundLeg[];
  readonly unresolved: readonly Unresolved[];
}
