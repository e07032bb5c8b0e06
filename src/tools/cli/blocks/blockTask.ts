import type { Config } from '../../../service/config.ts';
import type { BlockFailure, BlockFilter } from '../../../service/analyzeBlock.ts';
import type { BlockId } from '../../../traces/traceApi.ts';
import type { Rows } from './tables.ts';

/** Start data of a thread that analyzes blocks. */
export interface BlockThreadData {
  readonly config: Config;
  /** The rulebook, as `packRulebook` writes it. */
  readonly rulebook: Uint8Array;
  readonly filter: BlockFilter;
  /** Whether rows of the flat tables are wanted in place of JSON lines. */
  readonly tables: boolean;
}

export interface BlockTask {
  readonly id: BlockId;
  /** Milliseconds it may take. */
  readonly ms: number;
}

/** A block's result, as it comes from the thread. */
export interface BlockResult {
  /** Reports in block order, one JSON object per line; empty where tables are wanted. */
  readonly lines: Uint8Array;
  readonly rows: Rows | null;
  readonly reports: number;
  /** Transactions of the block, wanted or not. */
  readonly transactions: number;
  readonly failures: readonly BlockFailure[];
  /** HTTP requests to the node. */
  readonly requests: number;
  /** Set where the block as a whole failed. */
  readonly failed: { readonly code: string; readonly error: string } | null;
  /** Lines for the user. */
  readonly notes: readonly string[];
}
