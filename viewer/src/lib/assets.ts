import type { Asset, TxReport } from '../../../src/model/generated/report.ts';
import { formatAmount, grouped, shownAmount } from '../../../src/value/amount.ts';
import { shortHex, shown } from './text.ts';

/** Every asset a report speaks of, by lane id. */
export type AssetBook = ReadonlyMap<string, Asset>;

export function assetsOf(report: TxReport): AssetBook {
  const book = new Map<string, Asset>();
  const add = (asset: Asset | null): void => void (asset && book.set(asset.id, asset));
  for (const d of report.inventory_deltas) add(d.asset);
  for (const m of report.motifs) for (const leg of [...m.assets_in, ...m.assets_out]) add(leg.asset);
  for (const p of report.position_effects)
    for (const a of [p.position_asset, ...p.underlying.map((u) => u.asset)]) add(a);
  return book;
}

const NFT = new Set(['erc721', 'erc1155']);

/** Symbol as short as `limit`, with the token id of an NFT. Falls back to the contract's address. */
export function symbolOf(asset: Asset | undefined, id: string, limit = 18): string {
  if (asset === undefined) return shortHex(shown(id.split('/')[1] ?? id, 60), 12, 4);
  const name = shown(asset.symbol, limit) || (asset.address === null ? 'native' : shortHex(asset.address));
  return asset.token_id === null ? name : `${name} #${shortHex(asset.token_id, 6, 4)}`;
}

export interface Quantity {
  /** Rounded, for reading: `994.397 USDT`. */
  readonly short: string;
  /** Every digit: `994.396759 USDT`. */
  readonly exact: string;
}

/** An amount of an asset as text, without its sign. */
export function quantity(raw: bigint, asset: Asset | undefined, id: string): Quantity {
  const amount = raw < 0n ? -raw : raw;
  const symbol = symbolOf(asset, id);
  const full = symbolOf(asset, id, 64);
  if (asset && NFT.has(asset.kind))
    return amount === 1n
      ? { short: symbol, exact: `1 ${full}` }
      : {
          short: `${shownAmount(amount.toString())} × ${symbol}`,
          exact: `${grouped(amount.toString())} ${full}`,
        };
  const decimals = asset?.decimals ?? null;
  if (decimals === null)
    return {
      short: `${shownAmount(amount.toString())} raw ${symbol}`,
      exact: `${grouped(amount.toString())} raw units of ${full}`,
    };
  const exact = formatAmount(amount, decimals);
  return { short: `${shownAmount(exact)} ${symbol}`, exact: `${grouped(exact)} ${full}` };
}

/** Of a claim's amounts, the first few as one text. */
export function quantities(legs: readonly { asset: Asset; raw: string }[], most = 3): string {
  const texts = legs.slice(0, most).map((leg) => quantity(BigInt(leg.raw), leg.asset, leg.asset.id).short);
  if (legs.length > most) texts.push(`${legs.length - most} more`);
  return texts.join(' + ');
}
