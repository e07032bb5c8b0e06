import type { Address } from '../../model/hex.ts';
import type { Log, Evidence } from '../../model/canonicalTx.ts';
import type { Asset, MovementKind, NonEconomicMovement } from '../../model/valueFlow.ts';

/** A transfer as read, before it is known to count: amount may be 0 and `from` may be `to`. */
export interface RawTransfer {
  readonly kind: MovementKind;
  readonly from: Address;
  readonly to: Address;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly seq: number;
  readonly evidence: Evidence;
}

/** A frame or log that moved nothing, with its position in the execution. */
export interface NonEconomic extends NonEconomicMovement {
  readonly seq: number;
}

/** The result of reading one frame or log. */
export type FlowEntry = RawTransfer | NonEconomic;

export function isNonEconomic(entry: FlowEntry): entry is NonEconomic {
  return !('amount' in entry);
}

export function logEvidence(log: Log): Evidence {
  return { kind: 'log', frame: log.frame, log: log.index, contract: log.address };
}

/** A log that moves nothing. */
export function nonEconomic(
  log: Log,
  kind: NonEconomicMovement['kind'],
  from: Address | null = null,
  to: Address | null = null,
): NonEconomic {
  return { kind, from, to, evidence: logEvidence(log), seq: log.seq };
}

/** Zero amounts and self transfers change no balance: they are counted, never valued. */
export function classifyTransfer(transfer: RawTransfer): FlowEntry {
  const { from, to, evidence, seq } = transfer;
  if (transfer.amount === 0n) return { kind: 'zero_transfer', from, to, evidence, seq };
  if (from === to) return { kind: 'self_transfer', from, to, evidence, seq };
  return transfer;
}

/** A multiset of transfers by asset, ends and amount: pairs each statement of a transfer with one other. */
export class TransferCount {
  readonly #counts = new Map<string, number>();

  constructor(transfers: readonly RawTransfer[]) {
    for (const transfer of transfers) {
      const key = keyOf(transfer);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }

  /** Removes one equal transfer; false where none is left. */
  take(transfer: RawTransfer): boolean {
    if (this.#counts.size === 0) return false;
    const key = keyOf(transfer);
    const left = this.#counts.get(key) ?? 0;
    if (left > 0) this.#counts.set(key, left - 1);
    return left > 0;
  }
}

function keyOf({ asset, from, to, amount }: RawTransfer): string {
  return `${asset.id}|${from}|${to}|${amount}`;
}
