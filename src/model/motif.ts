import type { AssetId } from './valueFlow.ts';
import type { JoinReason, Primitive, ProtocolRef, RoleBinding } from './primitive.ts';
import type { MotifKindSpec } from './vocabulary.ts';

export type Status = 'Proven' | 'Suspected';
export type Confidence = 'High' | 'Medium' | 'Low';

/** Why an act is not proven. */
export type ProofDoubt = 'function_name_only' | 'amounts_differ' | 'unproven_motif';

export interface AssetAmount {
  readonly asset: AssetId;
  readonly amount: bigint;
  readonly role: string;
}

/** A building block of intents: a primitive, or a composite of several (route, cycle, batch). */
export interface Motif extends Omit<Primitive, 'shape' | 'roles' | 'legs'> {
  /** Position in execution order; reported as `m-<index>`. */
  readonly index: number;
  /** Those that the vocabulary declares for its kind. */
  readonly traits: MotifKindSpec;
  /** The protocol of the venue where `protocol` proves none. A name for people: nothing else reads it. */
  readonly named?: ProtocolRef | undefined;
  /** Smallest frame that holds all of its certain evidence; null when the trace does not show it. */
  readonly scopeFrame: number | null;
  readonly parent: number | null;
  /** Why it is a part of its parent, where both wanted a side of a movement. */
  readonly reason?: JoinReason | undefined;
  readonly participants: readonly RoleBinding[];
  /** From the view of the venue's counterparty: assets received and sent. */
  readonly assetsIn: readonly AssetAmount[];
  readonly assetsOut: readonly AssetAmount[];
  /** Proven exactly where there is no doubt. */
  readonly status: Status;
  readonly doubt: ProofDoubt | null;
  readonly confidence: Confidence;
  readonly movements: readonly number[];
  /** Number of equal motifs that a report shows as this one. */
  readonly count?: number | undefined;
}
