import type { Address } from './hex.ts';

/**
 * Points at the frame or log a claim rests on; resolved to paths and receipt log indexes when the report is
 * written.
 */
export interface Evidence {
  readonly kind: 'frame' | 'log' | 'transaction';
  /** `Frame.index`; null when unknown. */
  readonly frame: number | null;
  /** `Log.index`; null for frame evidence. */
  readonly log: number | null;
  readonly contract: Address;
}
