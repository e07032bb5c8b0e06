import type { Address } from './hex.ts';
import type { Evidence } from './evidence.ts';
import type { AssetId } from './valueFlow.ts';

/** A motif kind declared in `rules/vocabulary.yaml` (`swap`, `supply`, …). Never enumerated in code. */
export type MotifKind = string;

export interface ProtocolRef {
  readonly slug: string;
  readonly version: number;
  /** How the emitter was recognised; `family` means only its behaviour was. */
  readonly matchedBy: 'address' | 'create2' | 'family';
}

export interface Invariant {
  readonly name: string;
  readonly holds: boolean;
}

/** A role the event or call gives an account: owner, recipient, caller, liquidator, borrower, maker, … */
export interface RoleBinding {
  readonly role: string;
  readonly account: Address;
}

/** One asset amount the primitive speaks of, tied to the movements that carried it. */
export interface Leg {
  /** in (venue received), out (venue paid), share_in, share_out, fee, reward, collateral, debt, refund … */
  readonly role: string;
  readonly asset: AssetId;
  readonly amount: bigint;
  /** The far end: sender (in) or recipient (out). Null for a leg settled by net deltas. */
  readonly account: Address | null;
  readonly movements: readonly number[];
  /** The event states exactly this amount. */
  readonly exact: boolean;
}

export type PortionRole = 'principal' | 'fee' | 'interest';

/**
 * A part of the amount put in or taken out. `principal` and `fee` are parts of the legs' amounts in the
 * asset. `interest` moved nothing: it accrued since the position was last touched and is part of its
 * token's movement.
 */
export interface Portion {
  readonly role: PortionRole;
  readonly asset: AssetId;
  readonly amount: bigint;
}

/** The smallest recognised pattern: an event or call mapped by a shape, or a purely structural one. */
export interface Primitive {
  readonly kind: MotifKind;
  readonly seq: number;
  readonly basis: 'event' | 'call' | 'structure';
  readonly shape: string | null;
  readonly protocol: ProtocolRef | null;
  readonly venue: Address;
  /** Sub-venue of a singleton (v4 pool id, vault pool id), else null. */
  readonly poolId: string | null;
  readonly roles: readonly RoleBinding[];
  readonly legs: readonly Leg[];
  readonly invariants: readonly Invariant[];
  readonly tags: readonly string[];
  readonly evidence: readonly Evidence[];
  /** The NFT that represents the position, moved or not. */
  readonly position?: AssetId | null;
  readonly portions?: readonly Portion[];
}
