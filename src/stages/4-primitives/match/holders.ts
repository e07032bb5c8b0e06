import { nftId } from '../../../value/asset.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { lazy } from '../../../lib/lazy.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { Address } from '../../../model/hex.ts';
import type { RawContext } from '../../../model/upstream.ts';
import type { ValueFlow } from '../../../model/valueFlow.ts';

export type HolderAt = (nft: Address, id: bigint, seq: number) => Address | null;

/**
 * Finds who held an NFT at a moment, before a burn or after a mint of that moment: by the transaction's own
 * movements, else as its contract answered; null where nothing says. A contract that holds it and itself
 * called the NFT's contract keeps it for others: the movements show for which.
 */
export function holdersIn(
  { assets, movements }: ValueFlow,
  answered: RawContext['holders'],
  { from: signer, frames }: Pick<CanonicalTx, 'from' | 'frames'>,
): HolderAt {
  const calls = lazy(() => new Set(frames.map(({ from, to }) => `${from} ${to}`)));
  return (nft, id, seq) => {
    const asset = nftId('erc721', nft, id);
    if (!assets.has(asset)) {
      const holder = answered?.get(asset) ?? null;
      return holder !== signer && calls().has(`${holder} ${nft}`) ? null : holder;
    }
    const moves = movements.filter((movement) => movement.asset === asset);
    const last = moves.findLast((movement) => movement.seq < seq);
    const { from, to } = last ?? moves[0]!;
    const [held, other] = last ? [to, from] : [from, to];
    return held === ZERO_ADDRESS ? other : held;
  };
}
