import type { Hop } from './hops.ts';
import type { AssetId } from '../../model/valueFlow.ts';

/** What a set of hops did in one lane, from the trader's view. */
export interface LaneBalance {
  readonly lane: AssetId;
  readonly gave: bigint;
  readonly got: bigint;
  /** What one hop gave the next one took, within 1 %. */
  readonly flat: boolean;
}

/** Share of a lane, in parts per hundred, that may stick between two hops (transfer taxes, fee skims, dust). */
const SLACK_PERCENT = 1n;

export function tradeBalance(hops: readonly Hop[]): LaneBalance[] {
  const lanes = new Map<AssetId, { gave: bigint; got: bigint }>();
  const at = (lane: AssetId): { gave: bigint; got: bigint } => {
    let sum = lanes.get(lane);
    if (!sum) lanes.set(lane, (sum = { gave: 0n, got: 0n }));
    return sum;
  };
  for (const { gave, got } of hops) {
    if (gave) at(gave.lane).gave += gave.amount;
    if (got) at(got.lane).got += got.amount;
  }
  return [...lanes].map(([lane, { gave, got }]) => {
    const larger = gave > got ? gave : got;
    const apart = gave > got ? gave - got : got - gave;
    return { lane, gave, got, flat: gave > 0n && got > 0n && apart * 100n <= larger * SLACK_PERCENT };
  });
}
