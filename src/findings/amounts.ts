import { formatAmount, usableDecimals, parseAmount } from '../value/amount.ts';
import { displayMoney, exactUsd, known, unknown, worth } from '../value/money.ts';
import { NATIVE_ASSET, erc20Id, isNft } from '../value/asset.ts';
import type { BlockTx } from './blockFacts.ts';
import type { Amount } from '../model/generated/finding.ts';
import type { UnitPrice } from '../model/economics.ts';
import type { Address } from '../model/hex.ts';

/** An amount of an asset, or the reason why it cannot be computed. */
type Stated = Pick<Amount, 'role'> &
  Partial<Pick<Amount, 'account' | 'tx_hash' | 'venue'>> &
  ({ readonly asset: string; readonly raw: bigint } | Pick<Amount, 'reason'>);

/** Writes amounts with the symbols, decimals and prices that the reports of a block state. */
export class AmountWriter {
  readonly #symbols = new Map<string, string | null>();
  readonly #decimals = new Map<string, number | null>([[NATIVE_ASSET, 18]]);
  readonly #prices = new Map<string, UnitPrice>();

  /** Adds the assets that a transaction's report describes. */
  read({ report }: BlockTx): void {
    for (const { asset } of report.inventory_deltas) {
      this.#symbols.set(asset.id, asset.symbol);
      this.#decimals.set(asset.id, usableDecimals(asset.decimals));
    }
    for (const { asset_id: id, price_exact: price } of report.economics.valuation.prices ?? []) {
      const decimals = this.#decimals.get(id) ?? null;
      if (price === undefined || decimals === null || this.#prices.has(id)) continue;
      this.#prices.set(id, { usd: exactUsd(price), decimals });
    }
  }

  write({ role, account = null, tx_hash = null, venue = null, ...stated }: Stated): Amount {
    return { role, account, tx_hash, venue, ...('reason' in stated ? missing(stated) : this.#known(stated)) };
  }

  #known({ asset, raw }: { readonly asset: string; readonly raw: bigint }): Written {
    const decimals = this.#decimals.get(asset) ?? null;
    const price = this.#prices.get(asset);
    const money = price ? known(worth(raw, price)) : unknown('unpriced_asset');
    return {
      asset_id: asset,
      symbol: asset === NATIVE_ASSET ? 'ETH' : (this.#symbols.get(asset) ?? null),
      amount_raw: raw.toString(),
      amount: decimals === null ? null : formatAmount(raw, decimals),
      usd: displayMoney(money),
      usd_exact: money.usd && formatAmount(money.usd.numerator, money.usd.scale),
      reason: null,
    };
  }
}

type Written = Omit<Amount, 'role' | 'account' | 'tx_hash' | 'venue'>;

const missing = ({ reason }: Pick<Amount, 'reason'>): Written => ({
  asset_id: null,
  symbol: null,
  amount_raw: null,
  amount: null,
  usd: displayMoney(unknown('not_computed')),
  usd_exact: null,
  reason,
});

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
        if (!isNft(asset)) add(asset.id, amount);
      } else if (role === 'builder' && asset.kind === 'native' && amount > 0n) {
        tips += amount;
        add(asset.id, amount);
      }
    }
    if (accounts.has(report.attribution.fee_payer)) gas += parseAmount(report.execution.gas_cost_native, 18);
  }
  mergeWrapped(gross, wrappedNative);
  return { gross: new Map([...gross].filter(([, amount]) => amount !== 0n)), tips, gas };
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
