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

/** Something that moved nothing, with its place in the execution. */
export interface Aside extends NonEconomicMovement {
  readonly seq: number;
}

/** What one frame or log came to. */
export type Reading = Draft | Aside;

export function isAside(reading: Reading): reading is Aside {
  return !('amount' in reading);
}

export function logEvidence(log: Log): Evidence {
  return { kind: 'log', frame: log.frame, log: log.index, contract: log.address };
}

/** A log that moves nothing. */
export function setAside(
  log: Log,
  kind: NonEconomicMovement['kind'],
  from: Address | null = null,
  to: Address | null = null,
): Aside {
  return { kind, from, to, evidence: logEvidence(log), seq: log.seq };
}

/** Zero amounts and transfers to oneself change nothing: counted, never valued. */
export function judge(draft: Draft): Reading {
  const { from, to, evidence, seq } = draft;
  if (draft.amount === 0n) return { kind: 'zero_transfer', from, to, evidence, seq };
  if (from === to) return { kind: 'self_transfer', from, to, evidence, seq };
  return draft;
}
