import { logEvidence } from '../../lib/evidence.ts';
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
  if (transfer.amount === 0n) return uncounted(transfer, 'zero_transfer');
  return transfer.from === transfer.to ? uncounted(transfer, 'self_transfer') : transfer;
}

/** A transfer that moved nothing. */
export function uncounted(transfer: RawTransfer, kind: NonEconomicMovement['kind']): NonEconomic {
  const { from, to, evidence, seq } = transfer;
  return { kind, from, to, evidence, seq };
}

/** Equal for two statements of one transfer: of asset, ends and amount. */
export function transferKey({ asset, from, to, amount }: RawTransfer): string {
  return `${asset.id}|${from}|${to}|${amount}`;
}

/** Balance changes by ERC-20 emitter and account. */
export function netChanges(entries: readonly FlowEntry[]): ReadonlyMap<Address, Map<Address, bigint>> {
  const changes = new Map<Address, Map<Address, bigint>>();
  for (const entry of entries) {
    if (isNonEconomic(entry) || entry.asset.kind !== 'erc20') continue;
    const { asset, from, to, amount } = entry;
    const net = changes.get(asset.address!) ?? new Map<Address, bigint>();
    changes.set(asset.address!, net);
    net.set(from, (net.get(from) ?? 0n) - amount);
    net.set(to, (net.get(to) ?? 0n) + amount);
  }
  return changes;
}
