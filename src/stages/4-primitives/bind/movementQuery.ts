import type { AssetRef } from './bindWord.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetKind, Movement } from '../../../model/valueFlow.ts';

/** What a movement must be; fields that are absent or undefined are free. */
export interface MovementQuery {
  readonly from?: Address | undefined;
  readonly to?: Address | undefined;
  readonly asset?: AssetRef | undefined;
  readonly assetKind?: AssetKind | undefined;
  readonly kind?: 'mint' | 'burn' | undefined;
  readonly amount?: bigint | undefined;
}

/** A movement with what queries ask of its asset. */
export interface Entry {
  readonly movement: Movement;
  readonly asset: AssetRef;
  readonly assetKind: AssetKind | '';
}

export function fits({ movement, asset, assetKind }: Entry, query: MovementQuery): boolean {
  return (
    (query.from === undefined || query.from === movement.from) &&
    (query.to === undefined || query.to === movement.to) &&
    (query.asset === undefined || query.asset === asset) &&
    (query.assetKind === undefined || query.assetKind === assetKind) &&
    (query.kind === undefined || query.kind === movement.kind) &&
    (query.amount === undefined || query.amount === movement.amount)
  );
}
