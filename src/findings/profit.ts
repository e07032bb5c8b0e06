import { parseAmount } from '../value/amount.ts';
import { NATIVE_ASSET, erc20Id } from '../value/asset.ts';
import type { BlockTx } from './blockFacts.ts';
import type { Address } from '../model/hex.ts';

/** The result of accounts over some transactions, and their cost of execution. */
export interface Gains {
  /** By asset: tips to the builder counted as their own, gas left out. */
  readonly gross: ReadonlyMap<string, bigint>;
  readonly tips: bigint;
  readonly gas: bigint;
}

export function gainsOf(
  txs: readonly BlockTx[],
  accounts: ReadonlySet<string>,
  wrappedNative: ReadonlySet<Address>,
): Gains {
  const gross = new Map<string, bigint>();
  let tips = 0n;
  let gas = 0n;
  const add = (asset: string, amount: bigint): void =>
    void gross.set(asset, (gross.get(asset) ?? 0n) + amount);
  for (const { report } of txs) {
    for (const { subject, subject_role: role, asset, delta_raw } of report.inventory_deltas) {
      const amount = BigInt(delta_raw);
      if (accounts.has(subject)) {
        if (asset.kind === 'native' || asset.kind === 'erc20') add(asset.id, amount);
      } else if (role === 'builder' && asset.kind === 'native' && amount > 0n) {
        tips += amount;
        add(asset.id, amount);
      }
    }
    if (accounts.has(report.attribution.fee_payer)) gas += parseAmount(report.execution.gas_cost_native, 18);
  }
  mergeWrapped(gross, wrappedNative);
  for (const [asset, amount] of gross) if (amount === 0n) gross.delete(asset);
  return { gross, tips, gas };
}

/** Ether wrapped or unwrapped on the way is neither lost nor gained. */
function mergeWrapped(gross: Map<string, bigint>, wrappedNative: ReadonlySet<Address>): void {
  for (const token of wrappedNative) {
    const native = gross.get(NATIVE_ASSET) ?? 0n;
    const wrapped = gross.get(erc20Id(token)) ?? 0n;
    if (native === 0n || wrapped === 0n) continue;
    gross.set(NATIVE_ASSET, native + wrapped);
    gross.delete(erc20Id(token));
  }
}
