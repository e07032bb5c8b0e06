import type { BlockHeader, CanonicalTx } from '../model/canonicalTx.ts';
import type { Hash, Hex } from '../model/hex.ts';
import type { TraceDialect, TraceMode } from '../model/upstream.ts';
import type { CallNode } from './callNode.ts';
import { CALL_TRACER, CALL_TRACER_WITH_LOG } from './callTracer.ts';
import { PARITY } from './parity.ts';

export type CallTracerConfig = {
  readonly tracer: 'callTracer';
  readonly tracerConfig?: { readonly withLog: true };
};

/** A JSON-RPC call of a trace method that viem does not type. */
export type TraceCall =
  | {
      readonly method: 'debug_traceTransaction' | 'debug_traceBlockByHash';
      readonly params: readonly [hash: Hash, config: CallTracerConfig];
    }
  | { readonly method: 'trace_transaction'; readonly params: readonly [hash: Hash] }
  | { readonly method: 'trace_block'; readonly params: readonly [number: Hex] }
  | { readonly method: 'trace_filter'; readonly params: readonly [filter: object] };

/** A block with a resolved number: all further calls use its hash. */
export type BlockId = Pick<BlockHeader, 'number' | 'hash'>;

/** The checked parts of the transaction that a trace must agree with. */
export type TracedTransaction = Pick<CanonicalTx, 'hash' | 'blockHash'> & Partial<Pick<CanonicalTx, 'input'>>;

/** A way to ask a node for a trace and to read it. A new dialect is one such object in its own file. */
export interface TraceApi {
  readonly mode: TraceMode;
  readonly dialect: TraceDialect;
  /** The request for a transaction's trace. */
  call(hash: Hash): TraceCall;
  /** The request for all traces of a block. */
  blockCall(block: BlockId): TraceCall;
  /** Splits the answer to `blockCall` by transaction; `hashes` in block order. */
  splitBlock(items: readonly unknown[], hashes: readonly Hash[]): ReadonlyMap<Hash, unknown>;
  /** Judges a result by its shape alone: nodes answer unknown hashes with empty successes. */
  looksLike(result: unknown): 'trace' | 'empty' | 'malformed';
  /** Unchecked logs of the calls that did not fail, in execution order; empty where the API carries none. */
  logs(result: unknown): readonly unknown[];
  /** The calls in pre-order. Throws `trace_empty`, `trace_malformed` or `inconsistent_upstream`. */
  read(result: unknown, tx: TracedTransaction): CallNode[];
}

/** Every trace API, best first: logs inside the frames give their exact position. */
export const TRACE_APIS: readonly TraceApi[] = [CALL_TRACER_WITH_LOG, CALL_TRACER, PARITY];

/** An API with results in the dialect's form. */
export function apiOfDialect(dialect: TraceDialect): TraceApi {
  return TRACE_APIS.find((api) => api.dialect === dialect)!;
}
