import type { Address } from './hex.ts';

/** The frame or log a claim rests on; the report writes it as a path or a receipt log index. */
export interface Evidence {
  readonly kind: 'frame' | 'log' | 'transaction';
  /** `Frame.index`; null when unknown. */
  readonly frame: number | null;
  /** `Log.index`; null for frame evidence. */
  readonly log: number | null;
  readonly contract: Address;
}
