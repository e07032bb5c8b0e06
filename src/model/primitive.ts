import type { Address } from './hex.ts';
import type { Evidence } from './canonicalTx.ts';
import type { AssetId } from './valueFlow.ts';

/** A motif kind declared in `rules/vocabulary.yaml` (`swap`, `supply`, …). Never enumerated in code. */
export type MotifKind = string;

export interface ProtocolRef {
  readonly slug: string;
  readonly version: number;
  /**
   * How the contract was recognised. `registry`: a registry of the protocol lists it. `family`: only by its
   * behaviour. `token`: only its token's name says so. `creator`:
   * a deployer made it that makes any code it is given.
   */
  readonly matchedBy: 'address' | 'create2' | 'registry' | 'family' | 'token' | 'creator';
}

/** Where a claim looks: a movement by its index, an amount of the act (`in0`, `out1`), or an account. */
export type Operand =
  | number
  | `in${number}`
  | `out${number}`
  | Address
  /** An amount that the act's evidence states. */
  | { readonly word: bigint }
  | { readonly log: number }
  | { readonly frame: number }
  /** A part of the act; it has its index once all acts are in order. */
  | { readonly act: { readonly index: number } };

/** A claim: a predicate that compares its operands, with one another or with those of the other side. */
export interface Claim {
  readonly name: string;
  readonly holds: boolean;
  readonly operands: readonly Operand[];
  readonly against?: readonly Operand[];
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
  /** The amount that the event states, where it is one word of it. */
  readonly stated?: bigint | null;
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

/**
 * Why one act, or event or call, gave way to another that wanted the same side of a movement. `whole`: the
 * other has all of its movements, or is composed of such acts; `carried`: it only carried the other's value
 * on; else the first of these that differed.
 */
export type JoinReason = 'whole' | 'carried' | 'exact' | 'listed' | 'inner' | 'first';

/** Another event or call of the same act, and why it does not give the legs. */
export interface OtherTrigger {
  readonly evidence: Evidence;
  readonly reason: JoinReason;
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
  readonly claims: readonly Claim[];
  readonly tags: readonly string[];
  readonly evidence: readonly Evidence[];
  /** The NFT that represents the position, moved or not. */
  readonly position?: AssetId | null | undefined;
  readonly portions?: readonly Portion[] | undefined;
  readonly others?: readonly OtherTrigger[] | undefined;
}

/** A portion that may take its asset from the legs. A zero amount keeps its position in the list. */
export interface DraftPortion extends Omit<Portion, 'asset'> {
  readonly asset: AssetId | null;
}

/** An act by one event or call, or by structure alone, before those of the same act are joined. */
export interface DraftPrimitive extends Omit<Primitive, 'position' | 'portions'> {
  /** Equal keys identify the same position. */
  readonly about: readonly string[];
  readonly position: AssetId | null;
  readonly portions: readonly DraftPortion[];
}

/** Why one mapping of a shape made nothing of one event or call. For explanations: analyses do not ask. */
export interface MappingMiss {
  readonly trigger: { readonly basis: 'event' | 'call'; readonly evidence: Evidence };
  readonly shape: string;
  readonly reason: MissReason;
}

export type MissReason =
  /** Condition `index` of `when` is false; a side that could not be read is null. */
  | {
      readonly why: 'condition';
      readonly index: number;
      readonly operator: string;
      readonly left: string | null;
      readonly right: string | null;
    }
  /** Leg `index` bound nothing. */
  | LegMiss
  /** Several stated amounts, none carried exactly. */
  | { readonly why: 'amounts' }
  /** The venue could not be read. */
  | { readonly why: 'venue' }
  /** The contract is none of a protocol with this shape, and the shape takes no others. */
  | { readonly why: 'emitter' }
  /** Another shape came first; `listed`: because a protocol lists the contract for it. */
  | { readonly why: 'shadowed'; readonly by: string; readonly listed: boolean };

export interface LegMiss {
  readonly why: 'leg';
  readonly index: number;
  readonly role: string;
  /** Expressions of the leg that gave no value: an argument that is missing, zero, or no address. */
  readonly unread: readonly string[];
  /** The movement that differs least. */
  readonly nearest: {
    readonly movement: number;
    readonly differs: readonly { readonly what: string; readonly wanted: string; readonly found: string }[];
  } | null;
}
