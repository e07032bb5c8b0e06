import type { Hop } from './hops.ts';
import type { AssetId } from '../../model/valueFlow.ts';

/** What a set of hops did in one lane, from the trader's view. */
export interface LaneBalance {
  readonly lane: AssetId;
  readonly sent: bigint;
  readonly received: bigint;
  /** What one hop sent the next one took, within 1 %. */
  readonly flat: boolean;
}

/** Share of a lane, in parts per hundred, that may stick between two hops (transfer taxes, fee skims, dust). */
const SLACK_PERCENT = 1n;

export function tradeBalance(hops: readonly Hop[]): LaneBalance[] {
  const lanes = new Map<AssetId, { sent: bigint; received: bigint }>();
  const at = (lane: AssetId): { sent: bigint; received: bigint } => {
    let sum = lanes.get(lane);
    if (!sum) lanes.set(lane, (sum = { sent: 0n, received: 0n }));
    return sum;
  };
  for (const { sent, received } of hops) {
    if (sent) at(sent.lane).sent += sent.amount;
    if (received) at(received.lane).received += received.amount;
  }
  return [...lanes].map(([lane, { sent, received }]) => {
    const larger = sent > received ? sent : received;
    const apart = sent > received ? sent - received : received - sent;
    return {
      lane,
      sent,
      received,
      flat: sent > 0n && received > 0n && apart * 100n <= larger * SLACK_PERCENT,
    };
  });
}
