import type { Address, Hash, Hex } from './hex.ts';
import type { Asset } from './valueFlow.ts';
import type { RawTransaction } from './upstream.ts';

/** One call to simulate. `to` null creates a contract. */
export interface SimulatedCall {
  readonly to: Address | null;
  readonly data: Hex;
  readonly value: bigint;
}

/** State to pretend, by account, as geth's `stateOverrides` take it. */
export type StateOverrides = Readonly<Record<Address, StateOverride>>;

export interface StateOverride {
  readonly balance?: Hex;
  readonly nonce?: Hex;
  readonly code?: Hex;
  /** The whole storage. */
  readonly state?: Readonly<Record<Hash, Hash>>;
  /** Single slots of it. */
  readonly stateDiff?: Readonly<Record<Hash, Hash>>;
}

/** A transaction that is signed already. */
interface SignedParts {
  readonly hash: Hash;
  readonly type: number;
}

/** Assets that a signature on typed data (EIP-712) offers, beside those its calls move. */
export interface SignedMeaning {
  /** The contract that the signature is for. */
  readonly contract: Address;
  /** Unix seconds; the signature is worth nothing later. */
  readonly until: bigint;
  /** Assets that leave the signer and come back once others use it. */
  readonly moves: readonly { readonly asset: Asset; readonly net: bigint }[];
  /** Slots that any signature changes of an account's contract; null: it is no account's. */
  readonly counters: readonly Hash[] | null;
  /** Its effect is known at listed contracts only. */
  readonly isListedKind: boolean;
}

/** A transaction, or calls of one account as one act (EIP-5792), that has not been mined. */
export interface SimulationRequest {
  readonly from: Address;
  /** At least one; several run in order, each on the state the one before left. */
  readonly calls: readonly SimulatedCall[];
  /** Null: as a wallet estimates it. */
  readonly gas: bigint | null;
  /** Null: the account's next one. */
  readonly nonce: bigint | null;
  /** Wei per gas at most, and of it to the block's builder at most; null where not stated. */
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  /** The state after this block. */
  readonly block: 'latest' | 'pending' | bigint;
  readonly stateOverrides: StateOverrides;
  /** Versioned hashes of the blobs it carries (EIP-4844). */
  readonly blobs: readonly Hex[];
  /** In JSON-RPC form (EIP-7702, EIP-2930). */
  readonly authorizationList: readonly unknown[];
  readonly accessList: readonly unknown[];
  readonly signed: SignedParts | null;
  /** Set where the calls replay a signature; null: they are sent as they are. */
  readonly typed: SignedMeaning | null;
}

/** State changes of a simulated call, as in geth's `prestateTracer`: changed accounts before and after. */
export interface StateChange {
  readonly pre: Readonly<Record<string, unknown>>;
  readonly post: Readonly<Record<string, unknown>>;
}

export type SimulationSource = 'debug_traceCall' | 'trace_call';

/** A run in the shape of a mined transaction of the block it was run on. */
export interface SimulatedRun {
  readonly raw: RawTransaction;
  readonly source: SimulationSource;
  readonly blockNumber: bigint;
  /** False where the node ignores or refuses the next block's number and time. */
  readonly nextBlock: boolean;
  /** One per call; null where the node does not state them. */
  readonly changes: readonly StateChange[] | null;
}

export interface Simulation extends SimulatedRun {
  /** The same with another fee, gas limit and fee recipient. */
  readonly again: SimulatedRun;
  /** The sender's, in the state used. */
  readonly nextNonce: bigint;
}
