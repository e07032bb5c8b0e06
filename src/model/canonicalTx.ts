import type { Address, Hash, Hex } from './hex.ts';
import type { TraceDialect } from './upstream.ts';

export type FrameType =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT';

/** One call frame. Value-less precompile calls are not frames here: only one trace dialect lists them. */
export interface Frame {
  /** Position in `CanonicalTx.frames` (pre-order). The root is 0. */
  readonly index: number;
  readonly parent: number | null;
  /** Index one past the last frame of this subtree, so descendants are `index+1 … end-1`. */
  readonly end: number;
  /** Position among siblings from the root; `[]` is the root. */
  readonly path: readonly number[];
  readonly type: FrameType;
  readonly from: Address;
  /** Callee, created contract or SELFDESTRUCT beneficiary; null when a creation failed. */
  readonly to: Address | null;
  /**
   * Account with the storage the frame acts on: `to` of a call or creation, the caller's context under
   * DELEGATECALL and CALLCODE.
   */
  readonly context: Address | null;
  /** Wei moved `from` → `to`. 0 for DELEGATECALL, CALLCODE, STATICCALL, and where `effective` is false. */
  readonly value: bigint;
  readonly input: Hex;
  readonly output: Hex;
  /** First four bytes of `input`, null if shorter or a creation. */
  readonly selector: Hex | null;
  readonly error: string | null;
  /** Gas the call used, inner calls included; null where the trace does not say. */
  readonly gasUsed?: number | null;
  /** False when this frame or an ancestor failed: nothing it did remains. */
  readonly effective: boolean;
  /** True when this frame or an ancestor is a STATICCALL. */
  readonly static: boolean;
  /** Execution-order stamp, comparable with `Log.seq`. */
  readonly seq: number;
}

export interface Log {
  /** The receipt's `logIndex` (position in the block). */
  readonly logIndex: number;
  /** Position in `CanonicalTx.logs`. */
  readonly index: number;
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Hex;
  /** `Frame.index` of the emitting frame; null when the trace does not show it. */
  readonly frame: number | null;
  /**
   * Execution-order stamp, inferred alike for both trace dialects, so it may lie outside the span of `frame`.
   */
  readonly seq: number;
  /**
   * `Frame.index` of the smallest frame certain to hold the log, the same in both dialects; null where its
   * emitter never runs in the trace.
   */
  readonly within?: number | null;
}

/**
 * EIP-7702 authorisation as listed in a type-4 transaction; `authority` is recovered from the signature where
 * it is present.
 */
export interface Authorization {
  readonly address: Address;
  readonly nonce: bigint;
  readonly authority: Address | null;
}

/** The transaction in one shape for every trace dialect. */
export interface CanonicalTx {
  readonly hash: Hash;
  readonly dialect: TraceDialect;
  readonly blockNumber: bigint;
  readonly blockHash: Hash;
  /** Position in the block, from 0; null where the receipt does not hold it. */
  readonly indexInBlock?: number | null;
  readonly type: number;
  readonly from: Address;
  readonly to: Address | null;
  readonly value: bigint;
  readonly input: Hex;
  readonly nonce: bigint;
  readonly succeeded: boolean;
  readonly createdContract: Address | null;
  readonly gasUsed: bigint;
  /** Wei per gas actually paid. */
  readonly effectiveGasPrice: bigint;
  readonly blobGasUsed: bigint;
  readonly blobGasPrice: bigint;
  readonly authorizations: readonly Authorization[];
  readonly frames: readonly Frame[];
  /** Receipt order. Empty when the transaction reverted. */
  readonly logs: readonly Log[];
}

/** The containing block's header, checked against the receipt. */
export interface BlockHeader {
  readonly number: bigint;
  readonly hash: Hash;
  readonly timestamp: number;
  readonly baseFeePerGas: bigint;
  readonly coinbase: Address;
}

/** The frame or log a claim rests on; the report writes it as a path or a receipt log index. */
export interface Evidence {
  readonly kind: 'frame' | 'log' | 'transaction';
  /** `Frame.index`; null when unknown. */
  readonly frame: number | null;
  /** `Log.index`; null for frame evidence. */
  readonly log: number | null;
  readonly contract: Address;
}
