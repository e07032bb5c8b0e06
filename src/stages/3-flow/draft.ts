import type { Address } from '../../model/hex.ts';
import type { Log } from '../../model/canonicalTx.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { Asset, MovementKind, NonEconomicMovement } from '../../model/valueFlow.ts';

/** A transfer as read, before it is known whether it counts: amount may be 0 and `from` may be `to`. */
export interface Draft {
  readonly kind: MovementKind;
  readonly from: Address;
  readonly to: Address;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly seq: number;
  readonly evidence: Evidence;
}

/** What one frame or log came to. */
export type Reading =
  | { readonly movement: Draft }
  | { readonly aside: NonEconomicMovement; readonly seq: number };

export function logEvidence(log: Log): Evidence {
  return { kind: 'log', frame: log.frame, log: log.index, contract: log.address };
}

/** A log that moves nothing. */
export function setAside(log: Log, kind: NonEconomicMovement['kind'], from: Address | null = null, to: Address | null = null): Reading {
  return { aside: { kind, from, to, evidence: logEvidence(log) }, seq: log.seq };
}

/** Zero amounts and transfers to oneself change nothing: counted, never valued. */
export function judge(draft: Draft): Reading {
  const { from, to, evidence, seq } = draft;
  if (draft.amount === 0n) return { aside: { kind: 'zero_transfer', from, to, evidence }, seq };
  if (from === to) return { aside: { kind: 'self_transfer', from, to, evidence }, seq };
  return { movement: draft };
}
