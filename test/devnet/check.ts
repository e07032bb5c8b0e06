// Holds a scenario's expectation against what the chain says happened.
import { getAddress, type Address } from 'viem';
import type { Delta } from './measure.ts';
import { toUnits, type Ctx, type Net } from './scenario.ts';
import type { Told } from './story.ts';

/** Every disagreement between the expectation and the chain, in words; empty when the scenario is right. */
export async function disagreements(ctx: Ctx, told: Told, deltas: readonly Delta[]): Promise<string[]> {
  const { expect, hash } = told;
  const receipt = await ctx.chain.receipt(hash);
  const found: string[] = [];
  const reverted = receipt.status === '0x0';
  if (reverted !== (expect.reverted ?? false)) found.push(`status ${receipt.status}`);
  if (getAddress(receipt.from) !== expect.signer) found.push(`signer ${receipt.from}, not ${expect.signer}`);
  if (reverted && deltas.length > 0) found.push(`reverted, and yet ${deltas.length} balances changed`);
  for (const net of expect.nets) found.push(...compare(ctx, net, deltas));
  found.push(...unlisted(ctx, expect.actor, expect.nets, deltas));
  return found;
}

/** `USDC`, `APE#1`: the identity behind a name of the world. */
export function assetOf(
  ctx: Ctx,
  label: string,
): Pick<Delta, 'kind' | 'address' | 'tokenId'> & { decimals: number; elastic: boolean } {
  const [name, id] = label.split('#') as [string, string?];
  const asset = ctx.world.assets[name];
  if (!asset) throw new Error(`no asset is called ${name}`);
  const { kind, decimals, elastic = false } = asset;
  return {
    kind,
    decimals,
    elastic,
    address: kind === 'native' ? null : getAddress(asset.address),
    tokenId: id === undefined ? null : BigInt(id),
  };
}

const same = (a: Pick<Delta, 'address' | 'tokenId'>, b: Pick<Delta, 'address' | 'tokenId'>) =>
  a.address === b.address && a.tokenId === b.tokenId;

function compare(ctx: Ctx, [who, label, wanted]: Net, deltas: readonly Delta[]): string[] {
  const asset = assetOf(ctx, label);
  const subject = ctx.at(who);
  const actual = deltas.find((d) => d.subject === subject && same(d, asset))?.delta ?? 0n;
  if (wanted === '+') return actual > 0n ? [] : [`${who} should have gained ${label}, but ${actual}`];
  if (wanted === '-') return actual < 0n ? [] : [`${who} should have lost ${label}, but ${actual}`];
  const exact = toUnits(wanted, asset.decimals);
  return actual === exact ? [] : [`${who} ${label}: expected ${exact}, chain says ${actual}`];
}

/** Changes of the actor's that the scenario does not mention: an expectation must be complete for the actor. */
function unlisted(ctx: Ctx, actor: Address | null, nets: readonly Net[], deltas: readonly Delta[]): string[] {
  const listed = nets.filter(([who]) => ctx.at(who) === actor).map(([, label]) => assetOf(ctx, label));
  // Interest and rebases come with the passing of time, not by the transaction.
  const elastic = (d: Delta) =>
    Object.values(ctx.world.assets).some((asset) => asset.elastic && asset.address === d.address);
  return deltas
    .filter((d) => d.subject === actor && !elastic(d) && !listed.some((asset) => same(asset, d)))
    .map(
      (d) =>
        `the actor's change of ${d.delta} in ${d.address ?? 'native coin'}${d.tokenId === null ? '' : ` #${d.tokenId}`} is not listed`,
    );
}

/**
 * Per asset, what all accounts together gained must equal what was minted less what was burned: checked against the
 * total supply where the asset is an ERC-20 that keeps one, so that no holder is missing from the measurement.
 */
export async function unbalanced(ctx: Ctx, told: Told, deltas: readonly Delta[]): Promise<string[]> {
  const { blockNumber } = await ctx.chain.receipt(told.hash);
  const before = `0x${(BigInt(blockNumber) - 1n).toString(16)}` as const;
  const sums = new Map<Address | null, bigint>();
  for (const { kind, address, delta } of deltas)
    if (kind === 'native' || kind === 'erc20') sums.set(address, (sums.get(address) ?? 0n) + delta);
  const found: string[] = [];
  for (const [address, sum] of sums) {
    const supply = (block: `0x${string}`) =>
      ctx.chain.read<bigint>(address!, 'totalSupply() view returns (uint256)', [], block);
    const wanted = address === null ? 0n : (await supply(blockNumber)) - (await supply(before));
    const asset = Object.values(ctx.world.assets).find((a) => a.address === address);
    // An elastic token changes in the hands of holders who took no part.
    if (sum !== wanted && !asset?.elastic)
      found.push(`${address ?? 'native coin'}: holders gained ${sum}, supply ${wanted}`);
  }
  return found;
}
