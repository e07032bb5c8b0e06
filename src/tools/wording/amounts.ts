import { groupBy } from '../../lib/lists.ts';
import { isNft } from '../../value/asset.ts';
import type {
  AllowanceAsset,
  Asset,
  DisplayMoney,
  InventoryDelta,
  TxReport,
} from '../../model/generated/report.ts';
import { distance, formatAmount, grouped, shownAmount } from '../../value/amount.ts';
import { shortHex, shown } from './text.ts';

/** Every asset in a report, by lane id. */
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

type SaidAsset = Asset | AllowanceAsset;

/** Symbol as short as `limit`, with the token id of an NFT. Falls back to the contract's address. */
export function symbolOf(asset: SaidAsset | undefined, id: string, limit = 18): string {
  if (id === NATIVE) return 'ETH';
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
export function quantity(raw: bigint, asset: SaidAsset | undefined, id: string): Quantity {
  const amount = distance(raw, 0n);
  const [symbol, full] = [symbolOf(asset, id), symbolOf(asset, id, 64)];
  const isCounted = asset !== undefined && isNft(asset);
  if (isCounted && amount === 1n) return { short: symbol, exact: `1 ${full}` };
  const decimals = isCounted ? 0 : (asset?.decimals ?? null);
  const exact = formatAmount(amount, decimals ?? 0);
  const unit = decimals === null ? ' units of ' : ' ';
  return {
    short: `${shownAmount(exact)}${isCounted ? ' × ' : unit}${symbol}`,
    exact: `${grouped(exact)}${unit}${full}`,
  };
}

/** An amount without its sign and unit, rounded for reading; raw where the token states no decimals. */
export const digitsText = (raw: bigint, { decimals }: Pick<Asset, 'decimals'>): string =>
  shownAmount(formatAmount(raw < 0n ? -raw : raw, decimals ?? 0));

/** `−1.5 ETH`: an amount with the sign of a loss. */
export const signedQuantity = (raw: bigint, asset: SaidAsset | undefined, id: string): string =>
  `${raw < 0n ? '−' : ''}${quantity(raw, asset, id).short}`;

/** `2,500 "USDC" (0xA0b8…)`, every digit: a token's own name is quoted, its contract cannot be forged. */
export function quotedQuantity(asset: SaidAsset, raw: bigint | undefined): string {
  const symbol = asset.symbol === null ? 'of the token' : JSON.stringify(asset.symbol);
  const id = asset.token_id === null ? '' : ` #${asset.token_id}`;
  const name = asset.address === null ? 'ETH' : `${symbol} (${asset.address}${id})`;
  if (raw === undefined) return name;
  const { decimals } = asset;
  return `${grouped(formatAmount(raw, decimals ?? 0))}${decimals === null ? ' smallest units' : ''} ${name}`;
}

/** `0.00123457 ETH` of an exact decimal. */
export const etherText = (exact: string): string => `${shownAmount(exact)} ETH`;

export const gweiText = (wei: bigint): string => `${shownAmount(formatAmount(wei, 9))} gwei`;

/** A report's `<quantity> <symbol>, …` with rounded quantities; the dash for none. */
export const listText = (list: string): string =>
  list === ''
    ? '—'
    : shown(list, 400).replaceAll(/(^|, )(\d[\d.]*) /g, (_, before, n) => `${before}${shownAmount(n)} `);

/** Of a claim's amounts, the first few as one text. */
export function quantities(legs: readonly { asset: Asset; raw: string }[], most = 3): string {
  const texts = legs.slice(0, most).map((leg) => quantity(BigInt(leg.raw), leg.asset, leg.asset.id).short);
  if (legs.length > most) texts.push(`${legs.length - most} more`);
  return texts.join(' + ');
}

/** Money as people read it, sign first and thousands apart: `−$1,234.56`; the dash where there is none. */
export function moneyText({ text, available }: Pick<DisplayMoney, 'text' | 'available'>): string {
  if (!available) return '—';
  const signed = shown(text, 400).replace(/^\$-/, '−$');
  // More zeros than digits are read as a power of ten, as of amounts.
  return /\$0\.0{9}/.test(signed)
    ? signed.replace(/[\d.]+$/, (amount) => shownAmount(amount))
    : signed.replace(/(?<=\$)\d{4,}/, grouped);
}

/** The chain's own asset, which pays the gas and may appear nowhere else in a report. */
const NATIVE = 'eip155:1/slip44:60';

/** The reason in words: `unpriced_asset: <asset id> (no_source), …` becomes `no price for <symbol>, …`. */
export function whyUnavailable(assets: AssetBook, reason: string | undefined | null): string {
  const text = shown(reason, 400) || 'not available';
  if (!text.startsWith('unpriced_asset: '))
    return text.replace(/^unpriced_asset \(\w+\)$/, 'no price').replaceAll('_', ' ');
  return text
    .replace('unpriced_asset: ', 'no price for ')
    .replaceAll(/(eip155:[^\s,]+)(?: \(\w+\))?/g, (_, id: string) => symbolOf(assets.get(id), id, 20));
}

/** An amount of an asset with its sign. */
type Change = Pick<InventoryDelta, 'asset' | 'delta_raw'>;

/** Changes of one account in one direction: one asset's, or those of NFTs of one collection together. */
export type NetRow<T extends Change = InventoryDelta> = readonly [T, ...T[]];

const direction = ({ delta_raw: raw }: Change): string =>
  raw.startsWith('-') ? '-' : /^0+$/.test(raw) ? '0' : '+';

/** An account's changes in their order, NFTs of one collection that went the same way joined. */
export function netRows<T extends Change>(deltas: readonly T[]): NetRow<T>[] {
  const keyOf = (delta: T): string =>
    `${isNft(delta.asset) ? delta.asset.address : delta.asset.id} ${direction(delta)}`;
  return [...groupBy(deltas, keyOf).values()] as [T, ...T[]][];
}

/** The amount of a row, without its sign: `12 × Name, #8092 … #8217` for several of a collection. */
export function rowQuantity(row: NetRow<Change>): Quantity {
  const [first] = row;
  if (row.length === 1) return quantity(BigInt(first.delta_raw), first.asset, first.asset.id);
  const count = row.reduce((sum, { delta_raw }) => sum + BigInt(delta_raw.replace('-', '')), 0n);
  const ids = row.map(({ asset }) => BigInt(asset.token_id ?? 0)).sort((a, b) => (a < b ? -1 : 1));
  const [low, high] = [ids[0]!, ids.at(-1)!].map((id) => `#${shortHex(id.toString(), 6, 4)}`);
  const { name, symbol, address, id } = first.asset;
  const collection = shown(name, 40) || shown(symbol, 40) || shortHex(address ?? id);
  const every = ids.slice(0, 60).join(', #') + (ids.length > 60 ? ', …' : '');
  return {
    short: `${count} × ${collection}, ${low} … ${high}`,
    exact: `${count} × ${collection}: #${every}`,
  };
}

/** Whether a change is of a debt token: an increase is owed, not received. */
export const isDebt = (report: TxReport, { subject, asset }: InventoryDelta): boolean =>
  owes(report, subject, asset.id);

/** Whether the asset is a debt token of that account. */
export function owes({ position_effects: effects }: TxReport, account: string, assetId: string): boolean {
  return effects.some(
    ({ category, owner, position_asset: token }) =>
      category === 'lending_debt' && sameAccount(owner, account) && token?.id === assetId,
  );
}

const sameAccount = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The same figure is shown beside it as sent or received. */
export const isLeg = (
  { text }: DisplayMoney,
  { economics: e, inventory_deltas: deltas }: TxReport,
): boolean => deltas.some(({ subject, usd }) => subject === e.subject && usd.text.replace('-', '') === text);
