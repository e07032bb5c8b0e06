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
  /** The far end: who sent (in) or received (out). Null for a leg settled by net deltas. */
  readonly account: Address | null;
  readonly movements: readonly number[];
  /** The event states exactly this amount. */
  readonly exact: boolean;
}

export type PortionRole = 'principal' | 'fee' | 'interest';

/**
 * What a position's owner put in or took out is one amount, but not one thing. `principal` and `fee` are parts of what the legs moved in the
 * asset. `interest` moved nothing: it is what the position had grown by since it was last touched, and is in its token's movement.
 */
export interface Portion {
  readonly role: PortionRole;
  readonly asset: AssetId;
  readonly amount: bigint;
}

/** The smallest recognised pattern: one event or call whose meaning a shape declares, or one that pure structure shows. */
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
  /** The NFT that stands for the position, moved or not. */
  readonly position?: AssetId | null;
  readonly portions?: readonly Portion[];
}
